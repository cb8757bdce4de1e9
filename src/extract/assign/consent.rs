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

/// Does an element lie in such a container?
pub(super) fn holds(page: &PageBlocks, id: Id) -> bool {
    std::iter::once(id).chain(page.dom.ancestors(id)).any(|id| is_named(page, id))
}

fn is_named(page: &PageBlocks, id: Id) -> bool {
    let listed = |token: &str| NAMES.iter().any(|name| name.eq_ignore_ascii_case(token));
    let holds = |attribute| {
        let value = page.dom.value(id, attribute);
        value.is_some_and(|value| value.split_ascii_whitespace().any(listed))
    };
    holds(name!("id")) || holds(name!("class"))
}
