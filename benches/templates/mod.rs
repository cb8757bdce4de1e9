//! Reports that are alike because they are written to one pattern: another day's weather, markets
//! or match in the same sentences. They are different articles, and the hardest to tell from copies.

use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// Name of a pattern, and its text: `{a|b|c}` is one of these, `{2-19}` a number.
const PATTERNS: [(&str, &str); 6] = [
    (
        "weather",
        "{Monday|Tuesday|Wednesday|Thursday|Friday|Saturday} starts {bright|dull|misty|wet|frosty|mild} \
         across {the north|the south|the coast|the valleys|the uplands|the islands}, with temperatures \
         between {2-9} and {10-19} degrees by noon. {Showers|Sunny spells|Banks of fog|Gusts|Clouds} \
         will move in from the {west|east|south|north} during the afternoon and reach {the capital|the \
         lakes|the border|the estuary|the plain} around {3-9} o'clock. Rainfall of {1-30} millimetres \
         is expected in places, most of it {before dusk|after dark|overnight|by early evening}. Wind \
         speeds of up to {20-90} kilometres an hour are possible on {exposed hills|open water|bridges|\
         high ground|the cliffs}. The night stays {clear|cloudy|damp|cold|calm}, with lows near {1-12} \
         degrees. Drivers should allow for {ice|spray|fallen branches|poor visibility|strong side \
         winds} in the morning. The outlook for the rest of the week is {changeable|settled|cooler|\
         warmer|unsettled}, with the best chance of sunshine on {Sunday|Thursday|Friday|Monday}.",
    ),
    (
        "markets",
        "Shares {rose|fell|edged higher|slipped|were little changed} on {Monday|Tuesday|Wednesday|\
         Thursday|Friday} as investors weighed {rate decisions|quarterly results|factory orders|oil \
         prices|trade talks}. The main index closed {0-3}.{10-99} per cent {up|down} at {6000-9800} \
         points, after touching {6000-9800} in early trading. {Brightwater|Halden|Corvane|Esterly|\
         Nordholm} led the {winners|losers} with a move of {2-14}.{0-9} per cent after it {raised its \
         forecast|cut its dividend|named a new chief executive|announced a share buyback|reported \
         weaker sales}. {Tallis Motors|Green Ferry|Oakmere Foods|Pinewell|Sandgate Energy} was {2-9}.\
         {0-9} per cent {higher|lower}. In the bond market the ten-year yield stood at {1-4}.{10-99} \
         per cent. The currency traded at {1}.{10-99} against the dollar, while a barrel of crude cost \
         {60-99}.{10-99}. Analysts at {Marlow Partners|Quayside Research|Ostrander Bank|Fenwick and \
         Lowe} said trading volumes were {thin|heavy|in line with the monthly average|below average}. \
         Attention now turns to {inflation figures|the jobs report|retail sales|the central bank's \
         minutes} due on {Thursday|Friday|Tuesday|Wednesday}.",
    ),
    (
        "football",
        "{Ashford|Redmoor|Kelby|Stanwick|Overton|Larkhill} {beat|drew with|lost to|overcame|held} \
         {Thornby|Eastgate|Millbrook|Harrow End|Castleton|Wexley} {0-4}-{0-4} at {Station Road|the \
         Riverside|Park Lane|the Old Mill|Quarry Field} on {Saturday|Sunday|Tuesday night|Wednesday \
         evening}. {Novak|Harding|Okoro|Lindqvist|Byrne|Castellani} opened the scoring after {2-40} \
         minutes with a {header|low drive|penalty|free kick|tap-in} from {close range|the edge of the \
         area|twenty metres|the left}. The visitors had {2-9} corners before the break but {hit the \
         post|found the goalkeeper in form|could not finish|saw a goal ruled out}. In the second half \
         {Moreau|Adeyemi|Karlsson|Whitlock|Petrov} {equalised|doubled the lead|was sent off|missed from \
         the spot} in the {50-89}th minute. A crowd of {1200-9800} saw {two|three|four|five} yellow \
         cards. The result leaves the home side in {1-20}th place with {10-60} points from {12-34} \
         matches. Manager {Dale Firth|Ines Rocha|Tom Garland|Piet Visser} said his players had {shown \
         character|lost their shape|deserved more|taken their chances}. Next week they travel to \
         {Brackley|Port Ellis|Hazelwood|Dunmere}.",
    ),
    (
        "police",
        "Am {Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag} gegen {1-23} Uhr kam es auf der \
         {Hauptstraße|Bahnhofstraße|Bundesstraße|Lindenallee|Uferpromenade} in {Altheim|Neudorf|\
         Steinbach|Waldkirch|Seefeld} zu einem {Unfall|Einbruch|Brand|Diebstahl|Streit}. Nach Angaben \
         der Polizei {wurde eine Person leicht verletzt|entstand ein Schaden von {2-90} tausend \
         Euro|flüchtete der Verursacher|blieben alle Beteiligten unverletzt}. Ein {20-80} Jahre \
         {alter Mann|alte Frau|alter Radfahrer|alte Fahrerin} war {auf dem Heimweg|mit einem \
         Lastwagen|zu Fuß|mit dem Fahrrad} unterwegs, als {der Vorfall geschah|ein anderes Fahrzeug \
         die Spur wechselte|ein Zeuge die Beamten rief}. Die Straße war für {1-5} Stunden gesperrt. \
         Die Feuerwehr war mit {2-40} Kräften im Einsatz. Die Ermittlungen zur Ursache dauern an. \
         Zeugen werden gebeten, sich unter der Nummer {10-99} {100-999} {10-99} bei der \
         {Inspektion|Dienststelle|Wache} zu melden.",
    ),
    // Much of their wording is the pattern's, in a language that writes every noun with a capital.
    (
        "accidents, German",
        "Bei einem Unfall auf der {Talstraße|Ringstraße|Seestraße|Marktstraße|Bergstraße} in {Altheim|Neudorf|\
         Steinbach|Waldkirch|Seefeld} ist am {Montag|Dienstag|Mittwoch|Donnerstag|Freitag} gegen {1-23} Uhr {10-59} \
         ein {19-80} Jahre alter Fahrer eines Motorrads schwer verletzt worden, wie die Polizei in ihrem Bericht am \
         Morgen mitteilte. Nach den Ermittlungen hatte der Fahrer eines Lastwagens beim Abbiegen an der Kreuzung zur \
         Bundesstraße {2-500} das Motorrad übersehen, es kam zu einem Zusammenstoß, bei dem der Fahrer des Motorrads \
         auf die Fahrbahn stürzte. Der Mann kam mit einem Hubschrauber in ein Krankenhaus, der Fahrer des Lastwagens \
         erlitt einen Schock, den Schaden an den Fahrzeugen schätzt die Polizei auf rund {2-90} tausend Euro, die \
         Straße war für Stunden gesperrt, sagte ihr Sprecher {Jens Vogt|Karin Huber|Olaf Krause|Ina Lenz}.",
    ),
    (
        "football, German",
        "Der Fußballverein {Altheim|Neudorf|Steinbach|Waldkirch|Seefeld} hat am {Samstag|Sonntag|Freitag|Dienstag} in \
         der Regionalliga mit {2-5} zu {0-1} gegen den Gegner {Ostheim|Talstadt|Birkenau|Rotfeld|Wiesen} gewonnen und \
         nach einer starken Leistung in der zweiten Hälfte drei wichtige Punkte im Kampf um den Aufstieg gesammelt. \
         Vor {300-9000} Zuschauern brachte der Stürmer {Emil Otto|Hans Pohl|Kai Nolte|Ulf Moser} die Gastgeber in der \
         Minute {2-44} in Führung, nach der Pause traf der Mittelfeldspieler {Bernd Thoma|Detlef Voss|Franz Zander|\
         Gabor Beck} in der Minute {46-90} nach einer Flanke von der linken Seite zum Endstand. Der Trainer lobte nach \
         dem Spiel den Einsatz seiner Mannschaft und sprach von einem verdienten Erfolg, der Trainer der Gäste beklagte \
         dagegen fehlende Konsequenz vor dem Tor und die Entscheidungen des Schiedsrichters.",
    ),
];

/// So many reports of each pattern, by its name.
pub fn reports(each: usize, rng: &mut Pcg64Mcg) -> Vec<(&'static str, Vec<String>)> {
    let of = |pattern: &str, rng: &mut Pcg64Mcg| (0..each).map(|_| filled(pattern, rng)).collect();
    PATTERNS.iter().map(|(name, pattern)| (*name, of(pattern, rng))).collect()
}

fn filled(pattern: &str, rng: &mut Pcg64Mcg) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        // The closing brace that belongs to this one: a choice may hold a number.
        let mut depth = 1;
        let end = after.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        let (slot, later) = after.split_at(end.expect("a closed slot"));
        rest = &later[1..];
        text.push_str(&chosen(slot, rng));
    }
    text + rest
}

fn chosen(slot: &str, rng: &mut Pcg64Mcg) -> String {
    if let Some((low, high)) = slot.split_once('-')
        && let (Ok(low), Ok(high)) = (low.parse::<u32>(), high.parse())
    {
        return rng.random_range(low..=high).to_string();
    }
    let choices: Vec<&str> = slot.split('|').collect();
    filled(choices[rng.random_range(0..choices.len())], rng)
}
