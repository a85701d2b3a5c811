//! `k8s-label-key`, `k8s-prefixed-label-key` and `k8s-label-value`.

use super::dns::{self, not_a_subdomain, subdomain_too_long};
use super::{Flaw, resource};

/// The bytes the name part of a key, or a value, may have.
const MAX_NAME: usize = 63;

/// The message for a name with invalid characters, between constant texts.
macro_rules! not_a_name {
    ($prefix:literal $($suffix:literal)?) => {
        concat!(
            $prefix,
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
             character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
             '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            $($suffix)?
        )
    };
}

pub(super) fn key<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    key_after("", text, &mut |detail| report(Flaw::of_value(detail)));
}

pub(super) fn prefixed_key<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    let mut valid = true;
    key_after("", text, &mut |detail| {
        valid = false;
        report(Flaw::of_value(detail));
    });
    if valid && !text.contains('/') {
        report(Flaw::of_value("must include a prefix (e.g. 'example.com/key')"));
    }
}

pub(super) fn value<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if text.len() > MAX_NAME {
        report(Flaw::of_value("must be no more than 63 bytes"));
    }
    if !text.is_empty() && !is_name(text.bytes()) {
        report(Flaw::of_value(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
             validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ));
    }
}

/// Reports what keeps `lead` followed by `text` from being a label key; `lead` has no slash.
pub(super) fn key_after(lead: &str, text: &str, report: &mut dyn FnMut(&'static str)) {
    match resource::split_at_slash(text) {
        Some((prefix, Some(name))) => {
            key_prefix(lead, prefix, report);
            key_name("", name, report);
        }
        Some((name, None)) => key_name(lead, name, report),
        None => report(not_a_name!(
            "a valid label key " " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )),
    }
}

fn key_prefix(lead: &str, prefix: &str, report: &mut dyn FnMut(&'static str)) {
    let len = lead.len() + prefix.len();
    if len == 0 {
        return report("prefix part must be non-empty");
    }
    if len > dns::MAX_SUBDOMAIN {
        report(subdomain_too_long!("prefix part "));
    }
    let fits = if lead.is_empty() {
        dns::is_subdomain(prefix.bytes())
    } else {
        dns::is_subdomain(lead.bytes().chain(prefix.bytes()))
    };
    if !fits {
        report(not_a_subdomain!("prefix part "));
    }
}

fn key_name(lead: &str, name: &str, report: &mut dyn FnMut(&'static str)) {
    let len = lead.len() + name.len();
    if len == 0 {
        report("name part must be non-empty");
    } else if len > MAX_NAME {
        report("name part must be no more than 63 bytes");
    }
    let fits = if lead.is_empty() { is_name(name.bytes()) } else { is_name(lead.bytes().chain(name.bytes())) };
    if !fits {
        report(not_a_name!("name part "));
    }
}

fn is_name(bytes: impl Iterator<Item = u8>) -> bool {
    let mut before = None;
    for byte in bytes {
        let fits = byte.is_ascii_alphanumeric() || before.is_some() && matches!(byte, b'-' | b'_' | b'.');
        if !fits {
            return false;
        }
        before = Some(byte);
    }
    before.is_some_and(|last: u8| last.is_ascii_alphanumeric())
}
