//! Dialogs that ask for consent to cookies, by the names that the platforms which print them give to
//! their containers. Their text reads like prose, and stands on every page of a site.
//!
//! Must not know: labels, other rules.

use super::{lengths, lists};
use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Within;
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

/// Which blocks of a page stand in such a container.
pub(in crate::extract) struct Consent<'p> {
    page: &'p PageBlocks<'p>,
    within: Within,
}

impl<'p> Consent<'p> {
    pub(in crate::extract) fn new(page: &'p PageBlocks<'p>) -> Consent<'p> {
        Consent { page, within: Within::new(&page.outline) }
    }

    /// Does a block stand in a container that a consent platform names?
    pub(in crate::extract) fn asks(&mut self, block: usize) -> bool {
        self.within.holds(&self.page.outline, block, |id| is_named(self.page, id))
    }
}

fn is_named(page: &PageBlocks, id: Id) -> bool {
    static LENGTHS: [u32; 256] = lengths(NAMES);
    let listed = |token: &str| lists(&LENGTHS, NAMES, token);
    let holds = |attribute| {
        let value = page.dom.value(id, attribute);
        value.is_some_and(|value| value.split_ascii_whitespace().any(listed))
    };
    holds(name!("id")) || holds(name!("class"))
}
