//! `default`: what is filled in must itself be accepted.

use sprag_field::{Error, Errors, Path};
use sprag_release::Release;
use sprag_value::{Array, Object, Value};

use super::{structural, unsupported, walk};
use crate::enumeration::bad_value;
use crate::metadata::Malformed;
use crate::node::{self, Node};
use crate::props::Props;
use crate::prune::{self, META_FIELDS, Mode};
use crate::ratchet::Correlated;
use crate::rules::{self, OBJECT_COST_LIMIT, Ratcheting, RuleTree};
use crate::validate::Findings;
use crate::{embedded, validate};

/// Checks all defaults of a structural schema.
pub(super) fn validate(props: &Props, require_pruned: bool, path: &Path<'_>, errors: &mut Errors) {
    if !walk::any(props, &|props| props.default.is_some()) {
        return;
    }
    let release = errors.release();
    let node = as_resource(node::compile_for_defaults(props, release));
    let mut checker = Checker { require_pruned, budget: OBJECT_COST_LIMIT, errors };
    let place = Place { props, node: &node, resource: &node, inside_meta: false, steps: None };
    let _ = checker.visit(&place, path);
}

/// True if a default of the schema has members that would be dropped when it is used.
pub(super) fn has_unpruned(props: &Props, release: Release) -> bool {
    // Upstream gives up where the whole resource has a default that is not an object.
    props.default.as_ref().is_none_or(|default| default.as_object().is_some())
        && walk::any(props, &|props| props.default.is_some())
        && unsupported::find(props).is_none()
        && !structural::is_not_structural(props)
        && loses_members(&as_resource(node::compile(props, release)), Mode::Drop)
}

/// The schema of a whole resource, which has metadata as embedded ones do.
fn as_resource(mut node: Node) -> Node {
    node.embedded = true;
    node.below.embedded = true;
    node
}

fn loses_members(node: &Node, mode: Mode) -> bool {
    if let Some(default) = &node.default {
        let mut coerced = default.value.clone();
        embedded::coerce_default(node, &mut coerced);
        if coerced != default.value || prune::has_unknown(node, &coerced, mode) {
            return true;
        }
    }
    let mode = mode.at(node);
    node.items.as_deref().is_some_and(|items| loses_members(items, mode))
        || node.additional.schema().is_some_and(|values| loses_members(values, Mode::Drop))
        || node.properties.iter().any(|(name, property)| {
            !(node.embedded && META_FIELDS.contains(&name.as_str())) && loses_members(property, Mode::Drop)
        })
}

/// The budget for expressions is used up.
struct Stop;

/// A schema with what surrounds it.
struct Place<'a> {
    props: &'a Props,
    node: &'a Node,
    /// The nearest schema of a whole resource.
    resource: &'a Node,
    /// True if this is part of what every resource has.
    inside_meta: bool,
    /// The steps that lead to it from the resource.
    steps: Option<&'a Steps<'a>>,
}

/// A chain of steps, the last one first.
struct Steps<'a> {
    before: Option<&'a Steps<'a>>,
    /// A member; an element without a name.
    name: Option<&'a str>,
}

impl Place<'_> {
    fn is_resource(&self) -> bool {
        std::ptr::eq(self.node, self.resource)
    }

    /// The smallest resource that has this value here.
    fn surround(&self, value: Value) -> Object {
        let mut value = value;
        let mut next = self.steps;
        while let Some(steps) = next {
            value = match steps.name {
                Some(name) => Value::from_iter([(name, value)]),
                None => Value::Array(Array::from_iter([value])),
            };
            next = steps.before;
        }
        let mut object = value.as_object().cloned().unwrap_or_default();
        for (name, text) in [("apiVersion", "validation/v1"), ("kind", "Validation")] {
            if !object.contains_key(name) {
                object.insert(name, text);
            }
        }
        object
    }
}

struct Checker<'e> {
    require_pruned: bool,
    /// The remaining cost budget.
    budget: u64,
    errors: &'e mut Errors,
}

impl Checker<'_> {
    /// Checks the default of a schema and those below; upstream does not look into `additionalProperties`.
    fn visit(&mut self, place: &Place<'_>, path: &Path<'_>) -> Result<(), Stop> {
        if let Some(default) = &place.props.default {
            self.check(default, place, &path.child("default"))?;
        }
        if let (Some(props), Some(node)) = (place.props.item_schema(), place.node.items.as_deref()) {
            let steps = Steps { before: place.steps, name: None };
            self.descend(place, props, node, place.inside_meta, &steps, &path.child("items"))?;
        }
        let properties = path.child("properties");
        for (name, props) in &place.props.properties {
            let Some(node) = place.node.properties.get(name) else { continue };
            let inside_meta = place.inside_meta || (place.is_resource() && META_FIELDS.contains(&name.as_str()));
            let steps = Steps { before: place.steps, name: Some(name) };
            self.descend(place, props, node, inside_meta, &steps, &properties.key(name))?;
        }
        Ok(())
    }

    fn descend(
        &mut self,
        place: &Place<'_>,
        props: &Props,
        node: &Node,
        inside_meta: bool,
        steps: &Steps<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        let inner = if node.embedded {
            Place { props, node, resource: node, inside_meta: false, steps: None }
        } else {
            Place { props, node, resource: place.resource, inside_meta, steps: Some(steps) }
        };
        self.visit(&inner, path)
    }

    fn check(&mut self, default: &Value, place: &Place<'_>, path: &Path<'_>) -> Result<(), Stop> {
        let mut value = default.clone();
        if place.inside_meta {
            if let Err(why) = metadata_flaws(default, place, self.errors.another()) {
                let detail = format!("must result in valid metadata: {why}");
                self.errors.push(Error::invalid(path, bad_value(default), detail));
                return Ok(());
            }
        } else {
            if self.require_pruned && prune::has_unknown(place.node, default, Mode::Drop) {
                self.errors.push(Error::invalid(path, bad_value(default), "must not have unknown fields"));
            }
            let before = self.errors.len();
            self.check_metadata(&mut value, place, path);
            if self.errors.len() > before {
                return Ok(());
            }
        }
        if self.check_value(&value, place, path) { self.check_rules(&value, place, path) } else { Ok(()) }
    }

    /// Brings metadata of embedded resources into form and checks it.
    fn check_metadata(&mut self, value: &mut Value, place: &Place<'_>, path: &Path<'_>) {
        if let Err(error) = embedded::coerce_value(place.node, value) {
            return self.errors.push(below(path, error));
        }
        let mut found = self.errors.another();
        embedded::validate(place.node, value, &mut found);
        self.errors.extend(found.into_iter().map(|error| below(path, error)));
    }

    /// Checks the value against the schema; tells whether it passes.
    fn check_value(&mut self, value: &Value, place: &Place<'_>, path: &Path<'_>) -> bool {
        let mut findings = Findings::default();
        validate::validate(place.node, value, None, &mut findings);
        let found = findings.errors;
        let passes = found.is_empty();
        self.errors.extend(found.into_iter().map(|error| {
            // Names of value validation are one step whatever they look like.
            let field = match error.field.as_str() {
                "<nil>" => path.to_string(),
                name => path.child(name.trim_start_matches('.')).to_string(),
            };
            Error { field, ..error }
        }));
        passes
    }

    /// Runs the rules as on an update that changes nothing, and if that passes as on a creation.
    fn check_rules(&mut self, value: &Value, place: &Place<'_>, path: &Path<'_>) -> Result<(), Stop> {
        let Some(tree) = RuleTree::of(place.props, place.is_resource(), self.errors.release()) else { return Ok(()) };
        let old = Correlated::root(place.node, value, value);
        let mark = self.errors.len();
        let mut cost = self.run(&tree, value, Some(&old), place, path)?;
        if self.errors.len() == mark {
            cost = cost.max(self.run(&tree, value, None, place, path)?);
        }
        self.budget = self.budget.saturating_sub(cost);
        Ok(())
    }

    /// Runs the rules once and returns what it cost.
    fn run<'d>(
        &mut self,
        tree: &'d RuleTree,
        value: &'d Value,
        old: Option<&Correlated<'_, 'd>>,
        place: &Place<'d>,
        path: &Path<'_>,
    ) -> Result<u64, Stop> {
        let found = rules::run_within(self.budget, tree, place.node, value, old, Ratcheting::On);
        // Nothing is forgiven here.
        let errors = found.errors.into_iter().chain(found.forgiven);
        self.errors.extend(errors.map(|error| below(path, error)));
        if found.stopped { Err(Stop) } else { Ok(found.cost) }
    }
}

/// Checks a resource that has the default as part of its metadata.
fn metadata_flaws(default: &Value, place: &Place<'_>, mut errors: Errors) -> Result<(), String> {
    let mut object = place.surround(default.clone());
    embedded::coerce(place.resource, &mut object, Malformed::Refused).map_err(|error| error.to_string())?;
    embedded::validate(place.resource, &Value::Object(object), &mut errors);
    let mut texts: Vec<String> = Vec::new();
    for error in &errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [] => Ok(()),
        [text] => Err(text.clone()),
        texts => Err(format!("[{}]", texts.join(", "))),
    }
}

/// An error about a part of the default, at its place in the definition.
fn below(path: &Path<'_>, error: Error) -> Error {
    let field = match error.field.as_str() {
        "<nil>" => path.to_string(),
        part if part.starts_with('[') => format!("{path}{part}"),
        part => format!("{path}.{part}"),
    };
    Error { field, ..error }
}
