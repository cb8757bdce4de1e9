//! Sites on which agencies print their own reports, by their domains. Not among them: portals of agencies that
//! reprint papers (xinhuanet.com). Must not know what a page says.

use url::Url;

/// Domain and agency.
const SITES: [(&str, &str); 56] = [
    ("aa.com.tr", "Anadolu"),
    ("adnkronos.com", "Adnkronos"),
    ("afp.com", "AFP"),
    ("agenciabrasil.ebc.com.br", "Agência Brasil"),
    ("agerpres.ro", "Agerpres"),
    ("agi.it", "AGI"),
    ("aninews.in", "ANI"),
    ("ansa.it", "ANSA"),
    ("antaranews.com", "Antara"),
    ("apnews.com", "AP"),
    ("aps.dz", "APS"),
    ("askanews.it", "Askanews"),
    ("belta.by", "BelTA"),
    ("bernama.com", "Bernama"),
    ("bta.bg", "BTA"),
    ("ceskenoviny.cz", "ČTK"),
    ("chinanews.com", "China News Service"),
    ("chinanews.com.cn", "China News Service"),
    ("cna.com.tw", "CNA"),
    ("efe.com", "EFE"),
    ("europapress.es", "Europa Press"),
    ("fena.ba", "FENA"),
    ("hina.hr", "Hina"),
    ("interfax.com.ua", "Interfax"),
    ("interfax.ru", "Interfax"),
    ("interfax-russia.ru", "Interfax"),
    ("irna.ir", "IRNA"),
    ("isna.ir", "ISNA"),
    ("kuna.net.kw", "KUNA"),
    ("kyodonews.net", "Kyodo"),
    ("lusa.pt", "Lusa"),
    ("mapnews.ma", "MAP"),
    ("mediafax.ro", "Mediafax"),
    ("mehrnews.com", "Mehr News"),
    ("news1.kr", "News1"),
    ("newsis.com", "Newsis"),
    ("petra.gov.jo", "Petra News Agency"),
    ("prensa-latina.cu", "Prensa Latina"),
    ("ptinews.com", "PTI"),
    ("regnum.ru", "Regnum"),
    ("reuters.com", "Reuters"),
    ("ria.ru", "RIA Novosti"),
    ("rosbalt.ru", "Rosbalt"),
    ("spa.gov.sa", "SPA"),
    ("sta.si", "STA"),
    ("tanjug.rs", "Tanjug"),
    ("tap.info.tn", "TAP"),
    ("tasnimnews.com", "Tasnim"),
    ("tass.com", "TASS"),
    ("tass.ru", "TASS"),
    ("telam.com.ar", "Télam"),
    ("ukrinform.ua", "Ukrinform"),
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
