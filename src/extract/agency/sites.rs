//! Sites on which agencies print their own reports, by their domains. Not among them: portals of agencies that
//! reprint papers (xinhuanet.com). Must not know what a page says.

use url::Url;

/// Domain and agency.
const SITES: [(&str, &str); 101] = [
    ("aa.com.tr", "Anadolu"),
    ("abi.bo", "ABI"),
    ("adnkronos.com", "Adnkronos"),
    ("afp.com", "AFP"),
    ("agenciabrasil.ebc.com.br", "Agência Brasil"),
    ("agerpres.ro", "Agerpres"),
    ("agi.it", "AGI"),
    ("amna.gr", "ANA-MPA"),
    ("andina.pe", "Andina"),
    ("aninews.in", "ANI"),
    ("ansa.it", "ANSA"),
    ("antaranews.com", "Antara"),
    ("apnews.com", "AP"),
    ("aps.dz", "APS"),
    ("armenpress.am", "Armenpress"),
    ("askanews.it", "Askanews"),
    ("azertag.az", "Azertac"),
    ("belta.by", "BelTA"),
    ("bernama.com", "Bernama"),
    ("bns.lt", "BNS"),
    ("bssnews.net", "BSS"),
    ("bta.bg", "BTA"),
    ("businesswire.com", "Business Wire"),
    ("ceskenoviny.cz", "ČTK"),
    ("chinanews.com", "China News Service"),
    ("chinanews.com.cn", "China News Service"),
    ("cna.com.tw", "CNA"),
    ("colpisa.com", "Colpisa"),
    ("dire.it", "DIRE"),
    ("efe.com", "EFE"),
    ("elta.lt", "ELTA"),
    ("europapress.es", "Europa Press"),
    ("farsnews.ir", "Fars News Agency"),
    ("fedpress.ru", "FederalPress"),
    ("fena.ba", "FENA"),
    ("globenewswire.com", "GlobeNewswire"),
    ("gna.org.gh", "GNA"),
    ("healthday.com", "HealthDay"),
    ("hina.hr", "Hina"),
    ("ians.in", "IANS"),
    ("ilna.ir", "ILNA"),
    ("inform.kz", "Kazinform"),
    ("interfax-russia.ru", "Interfax"),
    ("interfax.com.ua", "Interfax"),
    ("interfax.ru", "Interfax"),
    ("irna.ir", "IRNA"),
    ("isna.ir", "ISNA"),
    ("italpress.com", "Italpress"),
    ("itar-tass.com", "TASS"),
    ("jiji.com", "Jiji"),
    ("kazinform.kz", "Kazinform"),
    ("kcna.kp", "KCNA"),
    ("kuna.net.kw", "KUNA"),
    ("kyodo.co.jp", "Kyodo"),
    ("kyodonews.net", "Kyodo"),
    ("leta.lv", "LETA"),
    ("lusa.pt", "Lusa"),
    ("mapnews.ma", "MAP"),
    ("mediafax.ro", "Mediafax"),
    ("mehrnews.com", "Mehr News"),
    ("montsame.mn", "Montsame"),
    ("mti.hu", "MTI"),
    ("nampa.org", "NAMPA"),
    ("nannews.ng", "NAN"),
    ("news.un.org", "UN News"),
    ("news1.kr", "News1"),
    ("newsis.com", "Newsis"),
    ("newswire.ca", "CNW"),
    ("pap.pl", "PAP"),
    ("petra.gov.jo", "Petra News Agency"),
    ("pna.gov.ph", "PNA"),
    ("prensa-latina.cu", "Prensa Latina"),
    ("presseportal.de", "news aktuell"),
    ("prnewswire.com", "PR Newswire"),
    ("ptinews.com", "PTI"),
    ("qna.org.qa", "QNA"),
    ("regnum.ru", "Regnum"),
    ("reuters.com", "Reuters"),
    ("ria.ru", "RIA Novosti"),
    ("rosbalt.ru", "Rosbalt"),
    ("rttnews.com", "RTTNews"),
    ("sana.sy", "SANA"),
    ("servimedia.es", "Servimedia"),
    ("spa.gov.sa", "SPA"),
    ("sputniknews.com", "Sputnik"),
    ("sta.si", "STA"),
    ("tanjug.rs", "Tanjug"),
    ("tap.info.tn", "TAP"),
    ("tasnimnews.com", "Tasnim"),
    ("tasr.sk", "TASR"),
    ("tass.com", "TASS"),
    ("tass.ru", "TASS"),
    ("telam.com.ar", "Télam"),
    ("teraz.sk", "TASR"),
    ("ukrinform.net", "Ukrinform"),
    ("ukrinform.ua", "Ukrinform"),
    ("unian.net", "UNIAN"),
    ("unian.ua", "UNIAN"),
    ("upi.com", "UPI"),
    ("wam.ae", "WAM"),
    ("yna.co.kr", "Yonhap"),
];

/// The agency whose own site an address is on.
pub(super) fn of(url: &str) -> Option<&'static str> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let own = |site: &str| {
        let before = host.strip_suffix(site);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    SITES.iter().find(|(site, _)| own(site)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::agency::AGENCIES;

    #[test]
    fn every_site_is_of_an_agency_by_its_recorded_name() {
        for (site, name) in SITES {
            assert!(AGENCIES.iter().any(|agency| agency.name == name), "{site}: {name}");
        }
    }
}
