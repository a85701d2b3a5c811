//! The schema of a version, or of all versions.

use sprag_field::{Error, Errors, Path};

use super::cost::TotalCost;
use super::openapi::{self, Scope};
use super::options::Options;
use super::types::TypeContext;
use super::{cost, defaults, structural, unsupported};
use crate::crd::{VersionSchema, show};
use crate::props::Props;

/// The fields allowed at the root of a schema with a status subresource.
const ALLOWED_AT_ROOT: &str = "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum \
                               MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items \
                               Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

/// The options of validating one schema.
#[derive(Clone, Copy)]
pub(super) struct SchemaOptions<'o> {
    pub(super) options: &'o Options<'o>,
    /// It must be structural.
    pub(super) structural: bool,
    /// Single expressions may cost what they like.
    pub(super) suppress_costs: bool,
}

impl SchemaOptions<'_> {
    /// For the version with this name, whose schema may be what it was.
    pub(super) fn for_version(self, name: &str) -> Self {
        Self { suppress_costs: self.suppress_costs || self.options.unchanged_schemas.contains(name), ..self }
    }
}

pub(super) fn validate(
    schema: Option<&VersionSchema>,
    has_status: bool,
    options: &SchemaOptions<'_>,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let Some(props) = schema.and_then(|schema| schema.open_api_v3_schema.as_deref()) else { return };
    let at = path.child("openAPIV3Schema");
    let mark = errors.len();
    if has_status {
        validate_root(props, path, errors);
    }
    if props.nullable {
        let detail = "nullable cannot be true at the root";
        errors.push(Error::forbidden(&path.child("openAPIV3Schema.nullable"), detail));
    }
    let unsupported = if options.structural { unsupported::find(props) } else { None };
    let expressions = options.structural && unsupported.is_none() && is_sound(props, options, &at, errors);
    let mut total = TotalCost::default();
    let types = expressions.then(|| TypeContext::root(props, errors.release()));
    openapi::validate(props, &Scope::root(options), types.as_ref(), &mut total, &at, errors);
    if let Some(unsupported) = unsupported.filter(|_| errors.len() == mark) {
        errors.push(Error::invalid(&at, "", unsupported));
    }
    cost::validate_total(&total, &at, errors);
}

/// True if the schema is structural and its defaults are good, so that expressions can be looked at.
fn is_sound(props: &Props, options: &SchemaOptions<'_>, path: &Path<'_>, errors: &mut Errors) -> bool {
    let mark = errors.len();
    structural::validate(props, path, errors);
    if errors.len() == mark {
        defaults::validate(props, options.options.pruned_defaults, path, errors);
    }
    errors.len() == mark
}

/// Beside a status subresource the root may not say what would be lost when the schema of the status is taken out.
fn validate_root(props: &Props, path: &Path<'_>, errors: &mut Errors) {
    let identity = !props.id.is_empty() || !props.schema.is_empty() || props.reference.is_some();
    if !identity && !props.ty.is_empty() && props.ty.as_str() != "object" {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is \
                      enabled";
        let at = path.child("openAPIV3Schema.type");
        return errors.push(Error::invalid(&at, props.ty.as_str(), detail));
    }
    if identity || has_more(props) {
        let detail = format!(
            "only {ALLOWED_AT_ROOT} fields are allowed at the root of the schema if the status subresource is enabled"
        );
        errors.push(Error::invalid(
            &path.child("openAPIV3Schema"),
            show::bad_value(props, "", errors.release()),
            detail,
        ));
    }
}

fn has_more(props: &Props) -> bool {
    let empty = [
        "enum",
        "allOf",
        "oneOf",
        "anyOf",
        "patternProperties",
        "dependencies",
        "definitions",
        "x-kubernetes-list-map-keys",
    ];
    props.nullable
        || props.default.is_some()
        || !props.enumeration.is_empty()
        || props.max_properties.is_some()
        || props.min_properties.is_some()
        || !(props.all_of.is_empty() && props.one_of.is_empty() && props.any_of.is_empty())
        || props.not.is_some()
        || props.additional_properties.is_some()
        || !(props.pattern_properties.is_empty() && props.dependencies.is_empty() && props.definitions.is_empty())
        || props.additional_items.is_some()
        || props.embedded_resource
        || props.int_or_string
        || !props.list_map_keys.is_empty()
        || props.list_type.is_some()
        || props.map_type.is_some()
        || empty.iter().any(|keyword| props.empty.has(keyword))
}
