//! `metadata.ownerReferences`.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_release::Fact;
use sprag_value::Value;
use sprag_value::json::{Escape, write_string};

use super::MAX_SHOWN_BYTES;
use super::read::items;

/// The members of a reference in the order in which Go prints them; the first four are always there.
const MEMBERS: [&str; 6] = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
const ALWAYS_PRINTED: usize = 4;

pub(super) fn validate(references: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    let mut first_controller: Option<&Value> = None;
    let mut shown_bytes = 0;
    for (index, reference) in items(references).iter().enumerate() {
        if errors.release().has(Fact::OwnersWithoutIndex) {
            validate_reference_of_old(reference, path, errors);
        } else {
            validate_reference(reference, &path.index(index), errors);
        }
        if reference.get("controller").and_then(Value::as_bool) != Some(true) {
            continue;
        }
        match first_controller {
            None => first_controller = Some(reference),
            Some(first) if shown_bytes <= MAX_SHOWN_BYTES => {
                let shown = show(items(references));
                shown_bytes += shown.len();
                let detail = two_controllers(first, reference);
                errors.push(Error::invalid(path, BadValue::Json(shown), detail));
            }
            Some(_) => {}
        }
    }
}

fn validate_reference(reference: &Value, path: &Path<'_>, errors: &mut Errors) {
    let version = reference.text("apiVersion");
    let parsed = parse_group_version(version);
    if version.is_empty() {
        errors.push(missing(&path.child("apiVersion")));
    } else if parsed.is_none_or(|(_, version)| version.is_empty()) {
        let detail = "must be <group>/<version> or <version>";
        errors.push(Error::invalid(&path.child("apiVersion"), version, detail));
    }
    for member in &MEMBERS[1..ALWAYS_PRINTED] {
        if reference.text(member).is_empty() {
            errors.push(missing(&path.child(member)));
        }
    }
    refuse_event(reference, parsed, path, errors);
}

/// The same in the words of older releases.
fn validate_reference_of_old(reference: &Value, path: &Path<'_>, errors: &mut Errors) {
    // As upstream's schema.FromAPIVersionAndKind, which has no version for what it cannot parse.
    let version = reference.text("apiVersion");
    let parsed = parse_group_version(version).unwrap_or_default();
    if parsed.1.is_empty() {
        errors.push(Error::invalid(&path.child("apiVersion"), version, "version must not be empty"));
    }
    for member in &MEMBERS[1..ALWAYS_PRINTED] {
        if reference.text(member).is_empty() {
            let is_named = errors.release().has(Fact::OwnersNameTheirMember);
            let lead = if is_named { format!("{member} ") } else { String::new() };
            errors.push(Error::invalid(&path.child(member), "", format!("{lead}must not be empty")));
        }
    }
    refuse_event(reference, Some(parsed), path, errors);
}

fn refuse_event(reference: &Value, parsed: Option<(&str, &str)>, path: &Path<'_>, errors: &mut Errors) {
    if parsed == Some(("", "v1")) && reference.text("kind") == "Event" {
        let mut shown = String::new();
        write_reference(&mut shown, reference);
        let detail = "/v1, Kind=Event is disallowed from being an owner";
        errors.push(Error::invalid(path, BadValue::Json(shown), detail));
    }
}

fn missing(path: &Path<'_>) -> Error {
    Error::required(path, "must not be empty").with_covered_by_declarative()
}

/// Group and version of an `apiVersion`; `None` when it has more than one slash.
fn parse_group_version(text: &str) -> Option<(&str, &str)> {
    if matches!(text, "" | "/") {
        return Some(("", ""));
    }
    match text.split_once('/') {
        None => Some(("", text)),
        Some((group, version)) => (!version.contains('/')).then_some((group, version)),
    }
}

fn two_controllers(first: &Value, second: &Value) -> String {
    format!(
        "Only one reference can have Controller set to true. Found \"true\" in references for {}/{} and {}/{}",
        first.text("kind"),
        first.text("name"),
        second.text("kind"),
        second.text("name"),
    )
}

fn show(references: &[Value]) -> String {
    let mut shown = String::new();
    let mut separator = '[';
    for reference in references {
        shown.push(separator);
        write_reference(&mut shown, reference);
        separator = ',';
    }
    shown.push(']');
    shown
}

fn write_reference(out: &mut String, reference: &Value) {
    let mut separator = '{';
    for (index, member) in MEMBERS.iter().enumerate() {
        let value = reference.get(member);
        if index >= ALWAYS_PRINTED && value.is_none_or(Value::is_null) {
            continue;
        }
        out.push(separator);
        write_string(out, member, Escape::Html);
        out.push(':');
        match value.and_then(Value::as_bool) {
            Some(flag) => out.push_str(if flag { "true" } else { "false" }),
            None => write_string(out, reference.text(member), Escape::Html),
        }
        separator = ',';
    }
    out.push('}');
}
