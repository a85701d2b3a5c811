//! `optional-in-rule`.

use sprag_schema::Props;

use crate::definition::Place;
use crate::finding::Report;
use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L415",
    name: "optional-in-rule",
    summary: "A rule that reads a field which is not there fails with `no such key`, so objects without the optional field are refused.",
    fix: "Ask first, `!has(self.names) || self.names.all(…)`, or make the field required or give it a default.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Warning,
    fixable: false,
    fires: r#"spec: {type: object, properties: {names: {type: array, maxItems: 4, x-kubernetes-list-type: atomic, items: {type: string, maxLength: 9}}}, x-kubernetes-validations: [{rule: "self.names.all(name, name != '')", message: m}]}"#,
    silent: r#"spec: {type: object, properties: {names: {type: array, maxItems: 4, x-kubernetes-list-type: atomic, items: {type: string, maxLength: 9}}}, x-kubernetes-validations: [{rule: "!has(self.names) || self.names.all(name, name != '')", message: m}]}"#,
    check: Check::Schema(check),
};

fn check(place: &Place<'_>, report: &mut Report<'_>) {
    let rules = place.path.child("x-kubernetes-validations");
    for (index, rule) in place.props.validations.iter().enumerate() {
        let text = without_strings(&rule.rule);
        let old = (rule.optional_old_self != Some(true)).then_some("oldSelf");
        let found = std::iter::once("self").chain(old).find_map(|root| unguarded(&text, root, place.props));
        if let Some(field) = found {
            let message = format!("the rule reads {field}, which may be absent, and never asks has({field})");
            report.push(&rules.index(index), message);
        }
    }
}

/// The first optional field without a default that a rule reads below a variable and does not ask for.
fn unguarded(rule: &str, root: &str, props: &Props) -> Option<String> {
    rule.match_indices(root).find_map(|(at, _)| {
        if rule[..at].ends_with(|before: char| is_word(before) || before == '.') {
            return None;
        }
        let mut holder = props;
        let mut read = root.to_owned();
        let mut rest = &rule[at + root.len()..];
        while let Some(after) = rest.strip_prefix('.') {
            let end = after.find(|next: char| !is_word(next)).unwrap_or(after.len());
            let name = &after[..end];
            let member = holder.properties.iter().find(|(known, _)| known.as_str() == name);
            let (_, member) = member?;
            read = format!("{read}.{name}");
            rest = &after[end..];
            let may_be_absent = !requires(holder, name) && member.default.is_none();
            if may_be_absent && !asks(rule, &read) {
                return Some(read);
            }
            holder = member;
        }
        None
    })
}

/// True if an object without the field is rejected by its schema, after which no rule runs.
fn requires(holder: &Props, name: &str) -> bool {
    holder.required.iter().any(|known| known == name) || holder.all_of.iter().any(|all| requires(all, name))
}

/// A rule with its string literals emptied.
fn without_strings(rule: &str) -> String {
    let mut text = String::with_capacity(rule.len());
    let mut open: Option<char> = None;
    let mut letters = rule.chars();
    while let Some(letter) = letters.next() {
        match open {
            None => {
                open = matches!(letter, '\'' | '"').then_some(letter);
                text.push(letter);
            }
            Some(_) if letter == '\\' => _ = letters.next(),
            Some(quote) if letter == quote => {
                open = None;
                text.push(letter);
            }
            Some(_) => {}
        }
    }
    text
}

/// True if a rule asks whether a field is there.
fn asks(rule: &str, field: &str) -> bool {
    rule.match_indices("has(").any(|(at, asked)| {
        let asked = rule[at + asked.len()..].trim_start();
        asked.strip_prefix(field).is_some_and(|rest| !rest.starts_with(is_word) && !rest.starts_with('.'))
    })
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
