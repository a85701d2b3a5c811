//! Schemas of definitions, with what surrounds them.

use sprag_field::Path;
use sprag_schema::Props;
use sprag_schema::crd::{Crd, Version};

use crate::finding::{Finding, Report};
use crate::rule::{Check, LintRule};
use crate::rules::ALL;

/// Looks for everything that the chosen rules know about a definition, version by version.
pub fn lint_definition(crd: &Crd, is_on: &dyn Fn(&LintRule) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in ALL.iter().filter(|rule| rule.is_about_definitions() && is_on(rule)) {
        for (index, version) in crd.versions.iter().enumerate() {
            let spec = Path::new("spec");
            let versions = spec.child("versions");
            let path = versions.index(index);
            run(&rule.check, version, &path, &mut Report { rule, findings: &mut findings });
        }
    }
    findings
}

fn run(check: &Check, version: &Version, path: &Path<'_>, report: &mut Report<'_>) {
    match check {
        Check::Version(check) => check(version, path, report),
        Check::Schema(check) => {
            let Some(props) = version.props() else { return };
            let schema = path.child("schema");
            let path = schema.child("openAPIV3Schema");
            let place = Place { props, path, name: None, parent: None, in_atomic: false };
            place.visit(&mut |place| check(place, report));
        }
        _ => {}
    }
}

/// A schema that describes values, with what surrounds it.
pub(crate) struct Place<'a> {
    pub(crate) props: &'a Props,
    pub(crate) path: Path<'a>,
    /// The name of the property, if it is one.
    pub(crate) name: Option<&'a str>,
    pub(crate) parent: Option<&'a Props>,
    /// True if it is inside of a value that changes as a whole: an atomic map, or a list that is not a map.
    pub(crate) in_atomic: bool,
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
