//! `k8s-resource-pool-name`, `k8s-extended-resource-name` and `k8s-resource-fully-qualified-name`.

use super::{Flaw, dns, label};

/// The bytes a pool name may have.
const MAX_POOL_NAME: usize = 253;
/// The bytes the domain of a qualified name may have.
const MAX_DOMAIN: usize = 63;
/// The bytes the identifier of a qualified name may have.
const MAX_IDENTIFIER: usize = 32;

pub(super) fn pool_name<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if text.len() > MAX_POOL_NAME {
        report(Flaw::too_long("may not be more than 253 bytes"));
    }
    for (position, segment) in text.split('/').enumerate() {
        if segment.is_empty() {
            report(Flaw::of_text(text, format!("segment {position}: must not be empty")));
            continue;
        }
        dns::subdomain(segment, &mut |detail| {
            report(Flaw::of_text(segment, format!("segment {position}: {detail}")));
        });
    }
}

pub(super) fn extended_name<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if !text.contains('/') {
        report(Flaw::of_text(text, "a name must be a domain-prefixed path, such as 'example.com/my-prop'"));
    } else if text.contains("kubernetes.io/") {
        report(Flaw::of_text(text, "must not have \"kubernetes.io/\" domain"));
    }
    if text.starts_with("requests.") {
        report(Flaw::of_text(text, "must not have \"requests.\" prefix"));
    }
    // Quota counts the resource under this longer key, which must be a label key too.
    label::key_after("requests.", text, &mut |detail| report(Flaw::of_text(text, detail)));
}

pub(super) fn fully_qualified_name<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    match split_at_slash(text) {
        Some((domain, Some(identifier))) => {
            qualified_domain(domain, report);
            qualified_identifier(identifier, report);
        }
        Some((identifier, None)) => {
            c_identifier(identifier, report);
            report(Flaw::of_text(text, "a fully qualified name must be a domain and a name separated by a slash"));
        }
        // More than one slash passes unchecked, as it does upstream.
        None => {}
    }
}

fn qualified_domain<'a>(domain: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if domain.is_empty() {
        return report(Flaw::of_text("", "prefix must not be empty"));
    }
    if domain.len() > MAX_DOMAIN {
        report(Flaw::too_long("may not be more than 63 bytes"));
    }
    dns::subdomain(domain, &mut |detail| report(Flaw::of_text(domain, format!("prefix: {detail}"))));
}

fn qualified_identifier<'a>(identifier: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if identifier.is_empty() {
        return report(Flaw::of_text("", "name must not be empty"));
    }
    c_identifier(identifier, report);
}

fn c_identifier<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    if text.len() > MAX_IDENTIFIER {
        report(Flaw::too_long("may not be more than 32 bytes"));
    }
    let starts_well = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !starts_well || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        report(Flaw::of_text(
            text,
            "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric \
             characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is \
             '[A-Za-z_][A-Za-z0-9_]*')",
        ));
    }
}

/// The text before and, if there is one separator, after it; nothing if there are more.
pub(super) fn split_at_slash(text: &str) -> Option<(&str, Option<&str>)> {
    // The texts are short: a plain loop beats a search that has to set itself up.
    let slash = |byte: u8| byte == b'/';
    let Some(at) = text.bytes().position(slash) else { return Some((text, None)) };
    let before = &text[..at];
    let after = &text[at + 1..];
    if after.bytes().any(slash) { None } else { Some((before, Some(after))) }
}
