//! `k8s-short-name`, `k8s-long-name` and `k8s-long-name-caseless`: labels and subdomains of DNS (RFC 1123).

use super::Flaw;

/// The bytes a DNS label may have.
const MAX_LABEL: usize = 63;
/// The bytes a DNS subdomain may have.
pub(super) const MAX_SUBDOMAIN: usize = 253;

/// The message for a text that is not a subdomain, after an optional constant prefix.
macro_rules! not_a_subdomain {
    ($($prefix:literal)?) => {
        concat!(
            $($prefix,)?
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        )
    };
}

/// The message for a subdomain that is too long, after an optional constant prefix.
macro_rules! subdomain_too_long {
    ($($prefix:literal)?) => {
        concat!($($prefix,)? "must be no more than 253 bytes")
    };
}

pub(super) use {not_a_subdomain, subdomain_too_long};

pub(super) fn short_name<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if text.len() > MAX_LABEL {
        report(Flaw::of_value("must be no more than 63 bytes"));
    }
    if !is_subdomain(text.bytes()) {
        report(Flaw::of_value(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
             end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ));
    } else if text.contains('.') {
        report(Flaw::of_value("must not contain dots"));
    }
}

pub(super) fn long_name<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    subdomain(text, &mut |detail| report(Flaw::of_value(detail)));
}

pub(super) fn long_name_caseless<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if text.len() > MAX_SUBDOMAIN {
        report(Flaw::of_value(subdomain_too_long!()));
    }
    if !is_chain_of_labels(text.chars().map(Part::of_caseless)) {
        report(Flaw::of_value(
            "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an \
             alphanumeric character (e.g. 'Example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        ));
    }
}

/// Reports what keeps the text from being a lower-case subdomain.
pub(super) fn subdomain(text: &str, report: &mut dyn FnMut(&'static str)) {
    if text.len() > MAX_SUBDOMAIN {
        report(subdomain_too_long!());
    }
    if !is_subdomain(text.bytes()) {
        report(not_a_subdomain!());
    }
}

/// True if the bytes are dot-separated lower-case labels.
pub(super) fn is_subdomain(bytes: impl Iterator<Item = u8>) -> bool {
    is_chain_of_labels(bytes.map(Part::of))
}

/// The class of a character in a DNS name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Alphanumeric,
    Dash,
    Dot,
    Other,
}

impl Part {
    fn of(byte: u8) -> Part {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => Part::Alphanumeric,
            b'-' => Part::Dash,
            b'.' => Part::Dot,
            _ => Part::Other,
        }
    }

    /// Upstream matches with a case-insensitive expression, and the long s and the Kelvin sign fold to `s` and `k`.
    fn of_caseless(c: char) -> Part {
        match c {
            'A'..='Z' | '\u{17f}' | '\u{212a}' => Part::Alphanumeric,
            _ => u8::try_from(c).map_or(Part::Other, Part::of),
        }
    }
}

fn is_chain_of_labels(parts: impl Iterator<Item = Part>) -> bool {
    let mut before = Part::Dot;
    for part in parts {
        let fits = match part {
            Part::Alphanumeric => true,
            Part::Dash => before != Part::Dot,
            Part::Dot => before == Part::Alphanumeric,
            Part::Other => false,
        };
        if !fits {
            return false;
        }
        before = part;
    }
    before == Part::Alphanumeric
}
