//! The forms of names: the rules resources choose from.

use std::borrow::Cow;

use crate::format::Format;

/// The intended use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// As it is.
    Name,
    /// As the start of a generated name, which may end with a dash.
    Prefix,
}

/// Reports each flaw of a name in Kubernetes' words.
///
/// A rule is any function or closure of this form; [`dns_subdomain`] is what most resources use.
pub type NameRule<'r> = dyn Fn(&str, Usage, &mut dyn FnMut(Cow<'static, str>)) + 'r;

/// The bytes a DNS label may have.
const MAX_LABEL: usize = 63;
/// The bytes a DNS subdomain may have.
const MAX_SUBDOMAIN: usize = 253;
/// Longer names are copied to mask their last characters; no valid name is.
const STACK_NAME: usize = 256;

/// The name must be a lower-case DNS subdomain.
pub fn dns_subdomain(name: &str, usage: Usage, report: &mut dyn FnMut(Cow<'static, str>)) {
    formatted(Format::LongName, MAX_SUBDOMAIN, name, usage, report);
}

/// The name must be a lower-case DNS label, as namespaces are.
pub fn dns_label(name: &str, usage: Usage, report: &mut dyn FnMut(Cow<'static, str>)) {
    formatted(Format::ShortName, MAX_LABEL, name, usage, report);
}

/// The name must be a DNS label that starts with a letter, as services are.
pub fn dns_1035_label(name: &str, usage: Usage, report: &mut dyn FnMut(Cow<'static, str>)) {
    with_masked_dash(name, usage, |name| {
        check_length(name, MAX_LABEL, report);
        if !is_dns_1035_label(name) {
            report(
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
                 character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
                 validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                    .into(),
            );
        }
    });
}

/// The name must be able to stand as one segment of a URL.
pub fn path_segment(name: &str, usage: Usage, report: &mut dyn FnMut(Cow<'static, str>)) {
    if usage == Usage::Prefix && matches!(name, "." | "..") {
        return;
    }
    Format::PathSegmentName.check(name, &mut |flaw| report(flaw.detail));
}

/// The reasons why a name cannot stand as one segment of a URL, and so is not that of any object.
pub fn path_segment_flaws(name: &str) -> Vec<Cow<'static, str>> {
    let mut flaws = Vec::new();
    path_segment(name, Usage::Name, &mut |flaw| flaws.push(flaw));
    flaws
}

fn formatted(format: Format, max: usize, name: &str, usage: Usage, report: &mut dyn FnMut(Cow<'static, str>)) {
    with_masked_dash(name, usage, |name| {
        check_length(name, max, report);
        // Formats count the same, but say so in other words.
        format.check(name, &mut |flaw| {
            if !flaw.detail.starts_with("must be no more than") {
                report(flaw.detail);
            }
        });
    });
}

/// Upstream counts bytes and speaks of characters.
fn check_length(name: &str, max: usize, report: &mut dyn FnMut(Cow<'static, str>)) {
    if name.len() > max {
        report(format!("must be no more than {max} characters").into());
    }
}

fn is_dns_1035_label(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.last().is_some_and(|&byte| byte != b'-')
        && bytes.iter().all(|&byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// A prefix may end with a dash, since something follows. Upstream puts an `a` in place of the last two bytes.
fn with_masked_dash(name: &str, usage: Usage, check: impl FnOnce(&str)) {
    let Some(kept) = name.len().checked_sub(2).filter(|_| usage == Usage::Prefix && name.ends_with('-')) else {
        return check(name);
    };
    let mut buffer = [0; STACK_NAME];
    match buffer.get_mut(..=kept) {
        Some(masked) => {
            masked[..kept].copy_from_slice(&name.as_bytes()[..kept]);
            masked[kept] = b'a';
            // A character cut in half is as wrong in a name as it was whole.
            check(std::str::from_utf8(masked).unwrap_or(name));
        }
        None => check(&format!("{}a", name.get(..kept).unwrap_or(name))),
    }
}
