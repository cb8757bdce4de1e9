//! Dialogs that ask for consent to cookies, by the names that the platforms which print them give to
//! their containers. Their text reads like prose, and stands on every page of a site.
//!
//! Must not know: labels, other rules.

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::html::name;

/// Ids and classes of such containers, lower case. None that a site might give to text of its own.
const NAMES: &[&str] = &[
    "axeptio_overlay",
    "borlabs-cookie",
    "borlabscookiebox",
    "cc-banner",
    "cc-window",
    "cmplz-cookiebanner",
    "cmpbox",
    "cmpwrapper",
    "consent-banner",
    "consent-modal",
    "consent-popup",
    "consent_blackbar",
    "cookie-banner",
    "cookie-bar",
    "cookie-consent",
    "cookie-consent-banner",
    "cookie-dialog",
    "cookie-law-info-bar",
    "cookie-modal",
    "cookie-notice",
    "cookie-popup",
    "cookiebanner",
    "cookieconsent",
    "cookienotice",
    "cybotcookiebotdialog",
    "didomi-host",
    "didomi-notice",
    "didomi-popup",
    "evidon-banner",
    "fc-consent-root",
    "gdpr-banner",
    "gdpr-consent",
    "gdpr-cookie-notice",
    "iubenda-cs-banner",
    "moove_gdpr_cookie_info_bar",
    "moove_gdpr_cookie_modal",
    "onetrust-banner-sdk",
    "onetrust-consent-sdk",
    "onetrust-pc-sdk",
    "osano-cm-window",
    "qc-cmp2-container",
    "tarteaucitronroot",
    "truste-consent-track",
    "usercentrics-root",
];

/// Which elements around a page's blocks lie in such a container, each looked at once.
pub(in crate::extract) struct Consent<'p> {
    page: &'p PageBlocks,
    /// Of each place of the page's outline, once it was asked.
    known: Vec<Option<bool>>,
}

impl<'p> Consent<'p> {
    pub(in crate::extract) fn new(page: &'p PageBlocks) -> Consent<'p> {
        Consent { page, known: vec![None; page.outline.places.len()] }
    }

    /// Does a block stand in a container that a consent platform names?
    pub(in crate::extract) fn asks(&mut self, block: usize) -> bool {
        let outline = &self.page.outline;
        let mut at = outline.of(block);
        let mut path = Vec::new();
        let mut asks = false;
        while let Some(place) = outline.place(at) {
            if let Some(known) = self.known[at as usize] {
                asks = known;
                break;
            }
            path.push(at);
            at = place.around;
        }
        for at in path.into_iter().rev() {
            asks = asks || is_named(self.page, outline.node(at));
            self.known[at as usize] = Some(asks);
        }
        asks
    }
}

fn is_named(page: &PageBlocks, id: Id) -> bool {
    let listed = |token: &str| NAMES.iter().any(|name| name.eq_ignore_ascii_case(token));
    let holds = |attribute| {
        let value = page.dom.value(id, attribute);
        value.is_some_and(|value| value.split_ascii_whitespace().any(listed))
    };
    holds(name!("id")) || holds(name!("class"))
}
