//! Advice for authors of definitions: what the API server accepts and users regret.
//!
//! One rule, one file, one line in [`ALL`]. Nothing here refuses a definition; that is [`accept`](crate::accept).

mod enum_repeats;
mod keyword_without_effect;
mod limits_cross;
mod list_type_missing;
mod message_missing;
mod preserve_unknown;
mod required_defaulted;
mod required_undeclared;
mod rule_near_budget;
mod status_not_subresource;
mod unbounded_in_rule;
mod unknown_format;

#[cfg(test)]
mod tests;

use sprag_field::Path;

use crate::crd::{Crd, Version};
use crate::props::Props;

/// A rule of advice.
pub struct LintRule {
    /// What it flags, in words joined by dashes.
    pub name: &'static str,
    /// Why that is regretted.
    pub summary: &'static str,
    check: Check,
}

/// What a rule looks at.
enum Check {
    /// Each schema that describes values.
    Schema(fn(&Place<'_>, &mut Report<'_>)),
    /// A version as a whole.
    Version(fn(&Version, &Path<'_>, &mut Report<'_>)),
}

/// All rules, sorted by name.
pub static ALL: &[LintRule] = &[
    enum_repeats::RULE,
    keyword_without_effect::RULE,
    limits_cross::RULE,
    list_type_missing::RULE,
    message_missing::RULE,
    preserve_unknown::RULE,
    required_defaulted::RULE,
    required_undeclared::RULE,
    rule_near_budget::RULE,
    status_not_subresource::RULE,
    unbounded_in_rule::RULE,
    unknown_format::RULE,
];

/// Something an author may want to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static str,
    /// Where: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`.
    pub path: String,
    /// What is wrong with it and what helps.
    pub message: String,
}

/// Looks for everything that the rules know, version by version.
pub fn lint(crd: &Crd) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in ALL {
        for (index, version) in crd.versions.iter().enumerate() {
            let spec = Path::new("spec");
            let versions = spec.child("versions");
            let path = versions.index(index);
            let mut report = Report { rule: rule.name, findings: &mut findings };
            rule.check.run(version, &path, &mut report);
        }
    }
    findings
}

impl Check {
    fn run(&self, version: &Version, path: &Path<'_>, report: &mut Report<'_>) {
        match self {
            Check::Version(check) => check(version, path, report),
            Check::Schema(check) => {
                let Some(props) = version.props() else { return };
                let schema = path.child("schema");
                let path = schema.child("openAPIV3Schema");
                let place = Place { props, path, name: None, parent: None, in_atomic: false };
                place.visit(&mut |place| check(place, report));
            }
        }
    }
}

/// Takes findings of one rule.
struct Report<'f> {
    rule: &'static str,
    findings: &'f mut Vec<Finding>,
}

impl Report<'_> {
    fn push(&mut self, path: &Path<'_>, message: impl Into<String>) {
        self.findings.push(Finding { rule: self.rule, path: path.to_string(), message: message.into() });
    }
}

/// A schema that describes values, with what surrounds it.
struct Place<'a> {
    props: &'a Props,
    path: Path<'a>,
    /// The name of the property, if it is one.
    name: Option<&'a str>,
    parent: Option<&'a Props>,
    /// Whether it is inside of a value that changes as a whole: an atomic map, or a list that is no map.
    in_atomic: bool,
}

impl Place<'_> {
    /// Visits this schema and those of all parts of its values.
    fn visit(&self, visit: &mut dyn FnMut(&Place<'_>)) {
        visit(self);
        let is_list = self.props.item_schema().is_some();
        let is_atomic = self.props.map_type.as_deref() == Some("atomic")
            || (is_list && self.props.list_type.as_deref() != Some("map"));
        let in_atomic = self.in_atomic || is_atomic;
        let properties = self.path.child("properties");
        for (name, props) in &self.props.properties {
            let path = properties.key(name);
            Place { props, path, name: Some(name), parent: Some(self.props), in_atomic }.visit(visit);
        }
        let parts = [("items", self.props.item_schema()), ("additionalProperties", self.props.additional_schema())];
        for (keyword, props) in parts {
            let Some(props) = props else { continue };
            let path = self.path.child(keyword);
            Place { props, path, name: None, parent: Some(self.props), in_atomic }.visit(visit);
        }
    }
}
