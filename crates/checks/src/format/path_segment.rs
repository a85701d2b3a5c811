//! `k8s-path-segment-name`: a text that can stand as one segment of a URL or of a storage key.

use super::Flaw;

pub(super) fn name<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    match text {
        "." => return report(Flaw::of_value("may not be '.'")),
        ".." => return report(Flaw::of_value("may not be '..'")),
        _ => {}
    }
    if text.contains('/') {
        report(Flaw::of_value("may not contain '/'"));
    }
    if text.contains('%') {
        report(Flaw::of_value("may not contain '%'"));
    }
}
