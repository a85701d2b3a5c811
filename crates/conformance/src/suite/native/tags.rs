//! `--tags`: which of the recorded rules tags alone yield, by kind, and how often the declarations use each tag.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::value::RawValue;
use sprag_field::status::causes;
use sprag_field::{Error, Source};
use sprag_rest::{Definition, Offline};
use sprag_shape::{Kind, TypeShape};
use sprag_value::Value;

use super::Kinds;
use super::answer::{PLACEHOLDERS, parse, patched};
use super::rules::Rules;
use super::wire::{Case, Cause, KindFile};
use crate::recorded::Document;

/// The groups of the suite with the answers of validation.
const GROUPS: [&str; 3] = ["mutation", "upstream", "targeted"];

/// Texts of rules that tags have, too, as far as they begin or end a message.
const TAG_TEXTS: [&str; 12] = [
    "Unsupported value: ",
    "Too long: ",
    "Too many: ",
    "Duplicate value: ",
    "must be greater than or equal to 0",
    "must be less than or equal to 0",
    "must be greater than 0",
    "field is immutable",
    "regex used for validation is",
    "must be a valid IP address",
    "must be no more than 0 bytes",
    "must specify one of: ",
];

/// The declarations of the kinds.
const DECLARATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../kinds/src");

/// The prefixes of tags that are rules: those of Kubernetes, and those of the kinds themselves.
const PREFIXES: [&str; 2] = ["k8s:", OWN];
const OWN: &str = "kinds:";

/// Minimum number of uses of a tag that Kubernetes does not have: fewer rules are better written by hand.
const LEAST_USES: usize = 5;

/// Returns the number of uses of each tag, as a table; an error if one that Kubernetes does not have is used too
/// rarely.
pub(super) fn uses() -> Result<String, String> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    let is_rust: fn(&Path) -> bool = |path| path.extension().is_some_and(|extension| extension == "rs");
    let mut folders = vec![Path::new(DECLARATIONS).to_owned()];
    while let Some(folder) = folders.pop() {
        for path in crate::wire::files(&folder, is_rust)? {
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            count_tags(&text, &mut uses);
        }
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        folders.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    let rare = |(name, count): &(&String, &usize)| name.starts_with(OWN) && **count < LEAST_USES;
    if let Some((name, count)) = uses.iter().find(rare) {
        return Err(format!("+{name} has {count} uses, a tag of our own needs {LEAST_USES}"));
    }
    let mark = |count: usize| if count < LEAST_USES { " (rare)" } else { "" };
    let lines: Vec<String> =
        uses.iter().map(|(name, count)| format!("uses {name:<60} {count}{}\n", mark(*count))).collect();
    Ok(lines.concat())
}

/// Counts the tags of doc comments, those inside of others included.
fn count_tags(text: &str, uses: &mut BTreeMap<String, usize>) {
    for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("/// +")) {
        for tag in line.split('+') {
            let name =
                tag.split(|c: char| !c.is_ascii_alphanumeric() && c != ':' && c != '-').next().unwrap_or_default();
            if PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
                *uses.entry(name.to_owned()).or_default() += 1;
            }
        }
    }
}

/// The share of rules that are tags, as a table with a line for each kind; with `listed` also rules that could be tags.
pub(super) fn shares(folder: &Path, kinds: &Kinds, listed: usize) -> Result<String, String> {
    let offline = Offline::default().without_managed_fields();
    let definitions = sprag_kinds::definitions();
    let mut rules: BTreeMap<String, Rules> = BTreeMap::new();
    for group in GROUPS {
        let is_json: fn(&Path) -> bool = |path| path.extension().is_some_and(|extension| extension == "json");
        for path in crate::wire::files(&folder.join(group), is_json)? {
            let document = Document::open(&path)?;
            let file: KindFile<'_> = document.read_json()?;
            if !kinds.wants(&file.api_version, &file.kind) {
                continue;
            }
            let Some(definition) = definitions.iter().find(|definition| is_kind(definition, &file)) else { continue };
            let rules = rules.entry(format!("{}/{}", file.api_version, file.kind)).or_default();
            add(&offline, definition, &file, rules)?;
        }
    }
    let unnamed = unnamed(&rules);
    if unnamed.is_empty() {
        return Ok(table(&rules, listed));
    }
    let shown: Vec<&str> = unnamed.iter().take(listed.max(1)).map(String::as_str).collect();
    let count = unnamed.len();
    Err(format!("{count} rules of code lie under no type with +sprag:validatedBy:\n{}", shown.join("\n")))
}

/// The rules that no tag yields and no type on the way to their field names the function of.
fn unnamed(rules: &BTreeMap<String, Rules>) -> Vec<String> {
    let mut unnamed = Vec::new();
    for (kind, rules) in rules {
        for (field, _, message) in rules.failed() {
            let types = types_on_the_way(kind, field);
            if types.iter().all(|shape| shape.validated_by.is_empty()) {
                let names: Vec<&str> = types.iter().map(|shape| &*shape.name).collect();
                unnamed.push(format!("{kind} {field} ({}): {message}", names.join(" > ")));
            }
        }
    }
    unnamed
}

/// The types from a kind to a field, as far as the path names fields.
fn types_on_the_way(kind: &str, field: &str) -> Vec<&'static TypeShape> {
    let program = sprag_kinds::program();
    let (api_version, kind) = kind.rsplit_once('/').unwrap_or(("", kind));
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let Some(resource) = program.find(group, version, kind) else { return Vec::new() };
    let shapes = program.shapes();
    let mut id = resource.shape;
    let mut types = vec![shapes.get(id)];
    for name in field.split('.') {
        let Some(field) = shapes.field(id, name.trim_end_matches("[]")) else { break };
        id = field.ty.id;
        while let Kind::List { elem: inner, .. } | Kind::Map { value: inner, .. } = &shapes.get(id).kind {
            id = inner.id;
        }
        types.push(shapes.get(id));
    }
    types
}

pub(super) fn is_kind(definition: &Definition, file: &KindFile<'_>) -> bool {
    let (group, version) = file.api_version.split_once('/').unwrap_or(("", &file.api_version));
    definition.kind == file.kind && definition.group() == group && definition.version(version).is_some()
}

/// Notes the recorded causes of a file, and which of them tags yield.
fn add(offline: &Offline, definition: &Definition, file: &KindFile<'_>, rules: &mut Rules) -> Result<(), String> {
    let resource = offline.resource(definition.clone());
    let version = file.api_version.rsplit('/').next().unwrap_or_default();
    for case in file.cases.iter().filter(|case| case.answer.code == 422) {
        let (new, old) = objects(file, case)?;
        let subresource = if ["create", "update"].contains(&case.op.as_str()) { "" } else { case.op.as_str() };
        let errors = match offline.judge_subresource(&resource, version, subresource, new, old.as_ref()) {
            Ok(outcome) => outcome.judged.errors,
            // Only validation errors come from tags.
            Err(_) => Vec::new(),
        };
        rules.add(&case.answer.causes, &yielded(&case.answer.causes, errors));
    }
    Ok(())
}

/// The object of a case, and the one that it replaces.
pub(super) fn objects(file: &KindFile<'_>, case: &Case<'_>) -> Result<(Value, Option<Value>), String> {
    let patch = case.patch.map_or("[]", RawValue::get);
    let Some(base) = file.bases.get(&case.base) else {
        let old = case.old.map(|old| parse(old.get())).transpose()?;
        return Ok((parse(case.object.map_or("{}", RawValue::get))?, old));
    };
    if case.op == "create" {
        return Ok((parse(&patched(base.object.get(), patch)?)?, None));
    }
    let stored = base.stored.ok_or("no stored object")?.get();
    Ok((parse(&patched(stored, patch)?)?, Some(parse(stored)?)))
}

/// For each recorded cause, whether a tag yields it.
fn yielded(recorded: &[Cause], errors: Vec<Error>) -> Vec<bool> {
    let tagged: Vec<Error> = errors.into_iter().filter(|error| error.source != Source::HandWritten).collect();
    let mut left = causes(&tagged);
    let found = |cause: &Cause| {
        let at = left.iter().position(|ours| {
            ours.reason == cause.reason
                && ours.field == cause.field
                && PLACEHOLDERS.same_text(&cause.message, &ours.message)
        });
        at.map(|at| left.remove(at)).is_some()
    };
    recorded.iter().map(found).collect()
}

fn table(rules: &BTreeMap<String, Rules>, listed: usize) -> String {
    let mut text = String::new();
    let mut tags = 0;
    let mut all = 0;
    let mut could = Vec::new();
    for (kind, rules) in rules {
        let (tagged, count) = rules.count();
        text.push_str(&line(kind, tagged, count));
        (tags, all) = (tags + tagged, all + count);
        let untagged = rules.failed().filter(|(_, _, message)| could_be_tag(message));
        could.extend(untagged.map(|(field, _, message)| format!("{kind} {field}: {message}\n")));
    }
    text.push_str(&line("(all)", tags, all));
    let _ = writeln!(text, "{} more rules have the text of a tag", could.len());
    could.into_iter().take(listed).for_each(|rule| text.push_str(&rule));
    text
}

fn line(kind: &str, tagged: usize, count: usize) -> String {
    let tenths = (tagged * 1000).checked_div(count).unwrap_or(0);
    format!("tags {kind:<60} {tagged} of {count} {}.{} %\n", tenths / 10, tenths % 10)
}

fn could_be_tag(message: &str) -> bool {
    message == "Required value"
        || TAG_TEXTS.iter().any(|text| message.starts_with(text) || message.trim_end_matches("')").contains(text))
}

#[cfg(test)]
mod tests {
    use sprag_field::Path as FieldPath;

    use super::*;

    #[test]
    fn only_errors_of_tags_count() {
        let cause = |field: &str| Cause {
            field: field.into(),
            reason: "FieldValueRequired".into(),
            message: "Required value".into(),
        };
        let error = |field: &'static str, source| Error::required(&FieldPath::new(field), "").with_source(source);
        let errors = vec![error("a", Source::Declarative), error("b", Source::HandWritten)];
        assert_eq!(yielded(&[cause("a"), cause("b"), cause("a")], errors), [true, false, false]);
    }

    #[test]
    fn tags_inside_of_tags_are_counted() {
        let mut uses = BTreeMap::new();
        let text = "    /// +k8s:eachVal=+k8s:format=k8s-ip\n    /// +kinds:range(min:0,max:1)\n/// +k8s:required\n// +k8s:no\n";
        count_tags(text, &mut uses);
        let counted: Vec<(&str, usize)> = uses.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(counted, [("k8s:eachVal", 1), ("k8s:format", 1), ("k8s:required", 1), ("kinds:range", 1)]);
    }

    #[test]
    fn a_rule_of_code_needs_a_type_that_names_its_function() {
        let cause = |field: &str| Cause { field: field.into(), message: "no".into(), ..Cause::default() };
        let unnamed = |kind: &str, field: &str| {
            let mut rules = Rules::default();
            rules.add(&[cause(field)], &[false]);
            super::unnamed(&BTreeMap::from([(kind.to_owned(), rules)]))
        };
        assert_eq!(unnamed("v1/Namespace", "spec.x"), ["v1/Namespace spec.x (v1.Namespace > v1.NamespaceSpec): no"]);
        assert_eq!(unnamed("v1/Pod", "spec.containers[0].ports[0].name"), [""; 0]);
    }

    #[test]
    fn recorded_rules_of_code_lie_under_types_that_name_their_function() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/native"));
        if !folder.is_dir() {
            eprintln!("skipped: ../shared/conformance/native is missing");
            return;
        }
        let shares = shares(folder, &Kinds::parse(None), 0).unwrap();
        assert!(shares.contains("tags (all) "), "{shares}");
    }

    #[test]
    fn tags_of_our_own_are_used_often() {
        let uses = uses().unwrap();
        assert!(uses.contains("uses k8s:required"), "{uses}");
    }

    #[test]
    fn shares_are_printed_by_kind() {
        let mut rules = Rules::default();
        let cause =
            |field: &str, message: &str| Cause { field: field.into(), message: message.into(), ..Cause::default() };
        let recorded = [cause("a", "Required value"), cause("b", "Required value"), cause("c", "Invalid value: 1: no")];
        rules.add(&recorded, &[true, false, false]);
        let text = table(&BTreeMap::from([("v1/Pod".to_owned(), rules)]), 9);
        assert!(text.contains("1 of 3 33.3 %\n"), "{text}");
        assert!(text.ends_with("1 more rules have the text of a tag\nv1/Pod b: Required value\n"), "{text}");
    }
}
