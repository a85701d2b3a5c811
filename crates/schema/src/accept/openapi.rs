//! The walk through a schema that looks at every keyword.

use sprag_field::{Error, Errors, Path};

use super::cost::TotalCost;
use super::options::TYPES;
use super::schema::SchemaOptions;
use super::types::TypeContext;
use super::{lists, rules};
use crate::props::{Dependency, Items, Props};

/// The context of a schema.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) options: &'a SchemaOptions<'a>,
    is_root: bool,
    /// The reason why a default is forbidden here; `None` if it is allowed.
    no_defaults: Option<&'a str>,
    inside_meta: bool,
    /// The outermost schema below which old and new values cannot be correlated.
    pub(super) uncorrelatable: Option<&'a Path<'a>>,
}

impl<'a> Scope<'a> {
    pub(super) fn root(options: &'a SchemaOptions<'a>) -> Self {
        Scope { options, is_root: true, no_defaults: None, inside_meta: false, uncorrelatable: None }
    }
}

/// Checks a schema and everything within. Expressions are checked where `types` says what they work on.
pub(super) fn validate(
    props: &Props,
    scope: &Scope<'_>,
    types: Option<&TypeContext<'_>>,
    total: &mut TotalCost,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let mut walk = Walk { schema: errors.another(), expressions: errors.another(), total };
    walk.visit(props, scope, types, path);
    errors.extend(walk.schema);
    errors.extend(walk.expressions);
}

struct Walk<'t> {
    schema: Errors,
    expressions: Errors,
    total: &'t mut TotalCost,
}

impl Walk<'_> {
    fn visit(&mut self, props: &Props, scope: &Scope<'_>, types: Option<&TypeContext<'_>>, path: &Path<'_>) {
        let mark = self.schema.len();
        keywords(props, scope, path, &mut self.schema);
        let inner = Scope { is_root: false, ..*scope };
        self.visit_additional(props, &inner, types, path);
        self.visit_properties(props, scope, types, path);
        self.visit_junctors(props, &inner, path);
        self.visit_items(props, &inner, types, path);
        if props.preserve_unknown_fields == Some(false) {
            let at = path.child("x-kubernetes-preserve-unknown-fields");
            self.schema.push(Error::invalid(&at, false, "must be true or undefined"));
        }
        lists::validate(props, scope.options.options, path, &mut self.schema);
        if props.validations.is_empty() {
            return;
        }
        rules::validate(props, path, &mut self.schema);
        // Expressions over a schema that is wrong here or deeper would fail for reasons that are not theirs.
        if let Some(types) = types.filter(|_| self.schema.len() == mark) {
            rules::compile(props, scope, types, self.total, path, &mut self.expressions);
        }
    }

    fn visit_additional(&mut self, props: &Props, inner: &Scope<'_>, types: Option<&TypeContext<'_>>, path: &Path<'_>) {
        let Some(schema) = props.additional_schema() else { return };
        let reason = "inside additionalProperties applying to object metadata";
        let no_defaults = if inner.inside_meta { Some(reason) } else { inner.no_defaults };
        let types = types.map(|types| types.additional(schema));
        self.visit(schema, &Scope { no_defaults, ..*inner }, types.as_ref(), &path.child("additionalProperties"));
    }

    fn visit_properties(&mut self, props: &Props, scope: &Scope<'_>, types: Option<&TypeContext<'_>>, path: &Path<'_>) {
        let properties = path.child("properties");
        let correlatable = matches!(props.map_type.as_deref(), None | Some("granular" | "atomic"));
        for (name, property) in &props.properties {
            let is_meta = (scope.is_root || props.embedded_resource) && is_meta_field(name);
            let reason = (is_meta && scope.is_root).then(|| format!("in top-level {name}"));
            let inner = Scope {
                is_root: false,
                no_defaults: reason.as_deref().or(scope.no_defaults),
                inside_meta: scope.inside_meta || is_meta,
                uncorrelatable: scope.uncorrelatable.or((!correlatable).then_some(path)),
                ..*scope
            };
            let types = types.map(|types| types.property(name, property));
            self.visit(property, &inner, types.as_ref(), &properties.key(name));
        }
    }

    fn visit_junctors(&mut self, props: &Props, inner: &Scope<'_>, path: &Path<'_>) {
        if let Some(not) = &props.not {
            self.visit(not, inner, None, &path.child("not"));
        }
        for (keyword, schemas) in [("allOf", &props.all_of), ("oneOf", &props.one_of), ("anyOf", &props.any_of)] {
            let at = path.child(keyword);
            for (index, schema) in schemas.iter().enumerate() {
                self.visit(schema, inner, None, &at.index(index));
            }
        }
        let definitions = path.child("definitions");
        for (name, schema) in &props.definitions {
            self.visit(schema, inner, None, &definitions.key(name));
        }
        let dependencies = path.child("dependencies");
        for (name, dependency) in &props.dependencies {
            if let Dependency::Props(schema) = dependency {
                self.visit(schema, inner, None, &dependencies.key(name));
            }
        }
    }

    fn visit_items(&mut self, props: &Props, inner: &Scope<'_>, types: Option<&TypeContext<'_>>, path: &Path<'_>) {
        // Elements of sets could be correlated as well, but upstream's CEL integration does not.
        let correlatable = props.list_type.as_deref() == Some("map");
        let uncorrelatable = inner.uncorrelatable.or((!correlatable).then_some(path));
        let inner = Scope { uncorrelatable, ..*inner };
        let at = path.child("items");
        match &props.items {
            None => {}
            Some(Items::One(item)) => {
                let types = types.map(|types| types.items(item));
                self.visit(item, &inner, types.as_ref(), &at);
            }
            Some(Items::Many(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let types = types.map(|types| types.items(item));
                    self.visit(item, &inner, types.as_ref(), &at.index(index));
                }
            }
        }
    }
}

fn is_meta_field(name: &str) -> bool {
    matches!(name, "metadata" | "kind" | "apiVersion")
}

/// Keywords that are looked at one by one.
fn keywords(props: &Props, scope: &Scope<'_>, path: &Path<'_>, errors: &mut Errors) {
    let ty = props.ty.as_str();
    if scope.options.options.valid_types && !ty.is_empty() && !TYPES.contains(&ty) {
        errors.push(Error::not_supported(&path.child("type"), ty, &TYPES));
    }
    if let (Some(_), Some(reason)) = (&props.default, scope.no_defaults) {
        errors.push(Error::forbidden(&path.child("default"), format!("must not be set {reason}")));
    }
    let tuple = matches!(&props.items, Some(Items::Many(items)) if !items.is_empty());
    let dependencies = !props.dependencies.is_empty() || props.empty.has("dependencies");
    let both = !props.properties.is_empty()
        && props
            .additional_properties
            .as_ref()
            .is_some_and(|additional| *additional != crate::props::PropsOrBool::Bool(true));
    let forbidden = [
        (!props.id.is_empty(), "id", "id is not supported"),
        (props.additional_items.is_some(), "additionalItems", "additionalItems is not supported"),
        (!props.pattern_properties.is_empty(), "patternProperties", "patternProperties is not supported"),
        (!props.definitions.is_empty(), "definitions", "definitions is not supported"),
        (dependencies, "dependencies", "dependencies is not supported"),
        (props.reference.is_some(), "$ref", "$ref is not supported"),
        (ty == "null", "type", "type cannot be set to null, use nullable as an alternative"),
        (tuple, "items", "items must be a schema object and not an array"),
        (
            scope.inside_meta && props.embedded_resource,
            "x-kubernetes-embedded-resource",
            "must not be used inside of resource meta",
        ),
        (
            props.unique_items,
            "uniqueItems",
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ),
        (both, "additionalProperties", "additionalProperties and properties are mutual exclusive"),
    ];
    for (_, keyword, detail) in forbidden.into_iter().filter(|(found, _, _)| *found) {
        errors.push(Error::forbidden(&path.child(keyword), detail));
    }
}
