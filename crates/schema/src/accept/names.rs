//! `spec.names` and `status.acceptedNames`.

use std::borrow::Cow;

use sprag_checks::object_meta::{Usage, dns_1035_label, dns_subdomain};
use sprag_field::{Error, Errors, Path};

use crate::crd::Names;

/// Names that a definition must have, though a status may lack them.
pub(super) fn validate_presence(names: &Names, path: &Path<'_>, errors: &mut Errors) {
    let required = [
        ("plural", &names.plural),
        ("singular", &names.singular),
        ("kind", &names.kind),
        ("listKind", &names.list_kind),
    ];
    for (member, name) in required {
        if name.is_empty() {
            errors.push(Error::required(&path.child(member), ""));
        }
    }
}

pub(super) fn validate(names: &Names, path: &Path<'_>, errors: &mut Errors) {
    for (member, name) in [("plural", &names.plural), ("singular", &names.singular)] {
        if !name.is_empty() {
            label(name, &path.child(member), errors);
        }
    }
    for (member, name) in [("kind", &names.kind), ("listKind", &names.list_kind)] {
        if name.is_empty() {
            continue;
        }
        let lower: String = name.chars().filter_map(|c| c.to_lowercase().next()).collect();
        if let Some(flaws) = label_flaws(&lower) {
            let detail = format!("may have mixed case, but should otherwise match: {flaws}");
            errors.push(Error::invalid(&path.child(member), name.as_str(), detail));
        }
    }
    labels(&names.short_names, &path.child("shortNames"), errors);
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let detail = "kind and listKind may not be the same";
        errors.push(Error::invalid(&path.child("listKind"), names.list_kind.as_str(), detail));
    }
    labels(&names.categories, &path.child("categories"), errors);
}

fn labels(names: &[sprag_value::Text], path: &Path<'_>, errors: &mut Errors) {
    for (index, name) in names.iter().enumerate() {
        label(name, &path.index(index), errors);
    }
}

/// The text must be a DNS-1035 label; all its flaws make one error.
pub(super) fn label(text: &str, path: &Path<'_>, errors: &mut Errors) {
    if let Some(flaws) = label_flaws(text) {
        errors.push(Error::invalid(path, text, flaws));
    }
}

/// Returns the error of a text that is not a DNS-1035 label.
fn label_flaws(text: &str) -> Option<String> {
    joined_flaws(|report| dns_1035_label(text, Usage::Name, report))
}

/// Returns the error of a text that is not a DNS subdomain.
pub(super) fn subdomain_flaws(text: &str) -> Option<String> {
    joined_flaws(|report| dns_subdomain(text, Usage::Name, report))
}

fn joined_flaws(check: impl FnOnce(&mut dyn FnMut(Cow<'static, str>))) -> Option<String> {
    let mut flaws: Vec<Cow<'static, str>> = Vec::new();
    check(&mut |flaw| flaws.push(flaw));
    (!flaws.is_empty()).then(|| flaws.join(","))
}
