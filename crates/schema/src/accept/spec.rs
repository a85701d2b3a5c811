//! `spec` as a whole: group, scope and what versions say together.

use std::collections::{HashMap, HashSet};

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_release::Fact;

use super::hub::{Hub, HubVersion};
use super::options::Options;
use super::schema::{self, SchemaOptions};
use super::{columns, conversion, names, selectable, subresources, walk};
use crate::crd::{Crd, show};
use crate::props::Props;

const SPEC: Path<'static> = Path::new("spec");
/// The bytes a deprecation warning may have.
const MAX_DEPRECATION_WARNING: usize = 256;

pub(super) fn validate(hub: &Hub<'_>, options: &Options<'_>, errors: &mut Errors) {
    validate_group(&hub.crd.group, errors);
    validate_scope(&hub.crd.scope, errors);
    require_schemas(hub, options, errors);
    let schema_options = schema_options(hub, options, errors);
    validate_versions(hub, &schema_options, errors);
    validate_version_list(hub, errors);
    let path = SPEC.child("names");
    names::validate_presence(&hub.crd.names, &path, errors);
    names::validate(&hub.crd.names, &path, errors);
    validate_shared(hub, &schema_options, errors);
    validate_conversion(hub, options, errors);
}

/// Members that a new definition may not have, nor an update bring in.
pub(super) fn refuse_preserve_unknown_fields(new: &Crd, old: Option<&Crd>, errors: &mut Errors) {
    if new.preserve_unknown_fields && !old.is_some_and(|old| old.preserve_unknown_fields) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                      instead";
        errors.push(Error::invalid(&SPEC.child("preserveUnknownFields"), true, detail));
    }
}

/// Members that an update leaves as they are.
pub(super) fn refuse_changes(new: &Crd, old: &Crd, errors: &mut Errors) {
    let immutable = "field is immutable";
    let names = SPEC.child("names");
    if old.status.established {
        if new.scope != old.scope {
            errors.push(Error::invalid(&SPEC.child("scope"), BadValue::json_str(&new.scope), immutable));
        }
        if new.names.kind != old.names.kind {
            errors.push(Error::invalid(&names.child("kind"), new.names.kind.as_str(), immutable));
        }
    }
    if new.group != old.group {
        errors.push(Error::invalid(&SPEC.child("group"), new.group.as_str(), immutable));
    }
    if new.names.plural != old.names.plural {
        errors.push(Error::invalid(&names.child("plural"), new.names.plural.as_str(), immutable));
    }
}

fn validate_group(group: &str, errors: &mut Errors) {
    let path = SPEC.child("group");
    if group.is_empty() {
        errors.push(Error::required(&path, ""));
    } else if let Some(flaws) = names::subdomain_flaws(group) {
        errors.push(Error::invalid(&path, group, flaws));
    } else if !group.contains('.') {
        errors.push(Error::invalid(&path, group, "should be a domain with at least one dot"));
    }
}

fn validate_scope(scope: &str, errors: &mut Errors) {
    let path = SPEC.child("scope");
    match scope {
        "" => errors.push(Error::required(&path, "")),
        "Cluster" | "Namespaced" => {}
        other => errors.push(Error::not_supported(&path, other, &["Cluster", "Namespaced"])),
    }
}

fn require_schemas(hub: &Hub<'_>, options: &Options<'_>, errors: &mut Errors) {
    if hub.props().is_some() {
        return;
    }
    let versions = SPEC.child("versions");
    for (index, version) in hub.versions().enumerate() {
        let detail = match (options.require_schema, hub.crd.preserve_unknown_fields) {
            (true, _) if !errors.release().has(Fact::DetailsLeaveFieldsOut) => "schemas are required",
            (true, _) => "",
            (false, false) if version.version.served => "because otherwise all fields are pruned",
            (false, _) => continue,
        };
        if version.props().is_none() {
            let version = versions.index(index);
            let schema = version.child("schema");
            errors.push(Error::required(&schema.child("openAPIV3Schema"), detail));
        }
    }
}

/// Returns the options of validating schemas, which depend on their content.
fn schema_options<'o>(hub: &Hub<'_>, options: &'o Options<'o>, errors: &mut Errors) -> SchemaOptions<'o> {
    let preserve = hub.crd.preserve_unknown_fields;
    let has = |found: &dyn Fn(&Props) -> bool| hub.all_props().any(|props| walk::any(props, found));
    let defaults = preserve && has(&|props| props.default.is_some());
    if defaults {
        let detail = "must be false in order to use defaults in the schema";
        errors.push(Error::invalid(&SPEC.child("preserveUnknownFields"), true, detail));
    }
    let structural = options.structural || !preserve || defaults || has(&has_extension);
    SchemaOptions { options, structural, suppress_costs: false }
}

fn has_extension(props: &Props) -> bool {
    props.embedded_resource
        || props.preserve_unknown_fields.is_some()
        || props.int_or_string
        || !props.list_map_keys.is_empty()
        || props.list_type.is_some()
        || !props.validations.is_empty()
}

fn validate_versions(hub: &Hub<'_>, options: &SchemaOptions<'_>, errors: &mut Errors) {
    let versions = SPEC.child("versions");
    // The first version with a name decides, should there be several.
    let mut own_subresources = HashMap::new();
    if hub.versions().any(|version| version.subresources.is_some()) {
        for version in hub.versions() {
            own_subresources.entry(version.version.name.as_str()).or_insert(version.subresources);
        }
    }
    for (index, version) in hub.versions().enumerate() {
        let path = versions.index(index);
        names::label(&version.version.name, &path.child("name"), errors);
        let own = own_subresources.get(version.version.name.as_str()).copied();
        let subresources = own.unwrap_or(hub.subresources);
        let has_status = subresources.is_some_and(|subresources| subresources.status);
        validate_version(&version, has_status, &options.for_version(&version.version.name), &path, errors);
    }
}

fn validate_version(
    version: &HubVersion<'_>,
    has_status: bool,
    options: &SchemaOptions<'_>,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    validate_deprecation(version, &path.child("deprecationWarning"), errors);
    schema::validate(version.schema, has_status, options, &path.child("schema"), errors);
    subresources::validate(version.subresources, &path.child("subresources"), errors);
    columns::validate(version.columns, &path.child("additionalPrinterColumns"), errors);
    if version.selectable_fields.is_empty() {
        return;
    }
    let at = path.child("selectableFields");
    match version.props() {
        None => {
            let detail = if errors.release().has(Fact::DetailsLeaveFieldsOut) {
                "may only be set when `version.schema.openAPIV3Schema` is not included"
            } else {
                "selectableFields may only be set when version.schema.openAPIV3Schema is not included"
            };
            errors.push(Error::invalid(&at, "", detail));
        }
        Some(props) => {
            let many = options.options.many_selectable_fields.contains(version.version.name.as_str());
            selectable::validate(version.selectable_fields, props, many, path, &at, errors);
        }
    }
}

fn validate_deprecation(version: &HubVersion<'_>, path: &Path<'_>, errors: &mut Errors) {
    let Some(warning) = version.version.deprecation_warning.as_deref() else { return };
    let mut flaw = |detail: String| errors.push(Error::invalid(path, BadValue::json_str(warning), detail));
    if !version.version.deprecated {
        return flaw("can only be set for deprecated versions".to_owned());
    }
    if warning.len() > MAX_DEPRECATION_WARNING {
        flaw(format!("must be <= {MAX_DEPRECATION_WARNING} characters long"));
    }
    if warning.is_empty() {
        flaw("must not be an empty string".to_owned());
    }
    let unprintable = warning.char_indices().find(|(_, c)| !sprag_checks::object_meta::is_printable(*c));
    if let Some((index, _)) = unprintable {
        flaw(format!("must only contain printable UTF-8 characters; non-printable character found at index {index}"));
    }
}

/// Validates the list of versions.
fn validate_version_list(hub: &Hub<'_>, errors: &mut Errors) {
    let path = SPEC.child("versions");
    let ty = "[]apiextensions.CustomResourceDefinitionVersion";
    let release = errors.release();
    let shown = || show::bad_value(&hub.crd.has_versions.then(|| hub.printed_versions()), ty, release);
    let mut refuse = |detail| errors.push(Error::invalid(&path, shown(), detail));
    let mut names = HashSet::new();
    if !hub.crd.versions.iter().all(|version| names.insert(version.name.as_str())) {
        refuse("must contain unique version names");
    }
    if hub.crd.versions.iter().filter(|version| version.storage).count() != 1 {
        refuse("must have exactly one version marked as storage version");
    }
    if !hub.version.is_empty() {
        names::label(hub.version, &SPEC.child("version"), errors);
    }
}

/// Validates the parts shared by all versions.
fn validate_shared(hub: &Hub<'_>, options: &SchemaOptions<'_>, errors: &mut Errors) {
    let has_status = hub.subresources.is_some_and(|subresources| subresources.status)
        || hub.versions().any(|version| version.subresources.is_some_and(|subresources| subresources.status));
    let for_version = options.for_version(hub.version);
    schema::validate(hub.validation, has_status, &for_version, &SPEC.child("validation"), errors);
    subresources::validate(hub.subresources, &SPEC.child("subresources"), errors);
    columns::validate(hub.columns, &SPEC.child("additionalPrinterColumns"), errors);
    if hub.selectable_fields.is_empty() {
        return;
    }
    let at = SPEC.child("selectableFields");
    match hub.validation {
        None => {
            let detail = if errors.release().has(Fact::DetailsLeaveFieldsOut) {
                "may only be set when validations.schema is included"
            } else {
                "selectableFields may only be set when validations.schema is included"
            };
            errors.push(Error::invalid(&at, "", detail));
        }
        Some(validation) => {
            let many = options.options.many_selectable_fields.contains("");
            let nothing = Props::default();
            let props = validation.open_api_v3_schema.as_deref().unwrap_or(&nothing);
            selectable::validate(hub.selectable_fields, props, many, &SPEC, &at, errors);
        }
    }
}

fn validate_conversion(hub: &Hub<'_>, options: &Options<'_>, errors: &mut Errors) {
    let Some(conversion) = &hub.crd.conversion else { return };
    let path = SPEC.child("conversion");
    if conversion.strategy.as_str() != "None" && hub.crd.preserve_unknown_fields {
        let detail = "must be None if spec.preserveUnknownFields is true";
        errors.push(Error::invalid(&path.child("strategy"), BadValue::json_str(&conversion.strategy), detail));
    }
    conversion::validate(conversion, options, &path, errors);
}
