//! Storage version migrations: stored and judged. Nothing migrates.

use std::borrow::Cow;

use sprag_checks::object_meta::{NameRule, Usage, dns_1035_label, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

use crate::columns::{name, text};
use crate::core::internal::{Field, Form, internal_structs, internal_value};
use crate::meta::{validate_conditions, validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::storagemigration_v1::{StorageVersionMigration, StorageVersionMigrationStatus};

/// `storagemigration.StorageVersionMigrationSpec`, whose part is a type of apimachinery.
const SPEC_FIELDS: &[Field] =
    &[("Resource", "resource", Form::Struct(&[("group", "group", Form::Text), ("resource", "resource", Form::Text)]))];

/// The definition of `storageversionmigrations`.
pub(super) fn storage_version_migrations(release: Release) -> Definition {
    let status = SubresourceConfig::new().validate_update(|_, new, old, errors| {
        validate_finalizers(new, errors);
        validate_status(migration(new).status(), migration(old).status(), errors);
    });
    let strategy = StrategyConfig::new()
        .validate(|_, new, errors| {
            validate_finalizers(new, errors);
            validate_resource(migration(new), errors);
        })
        .validate_update(|_, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate_resource(migration(new), errors);
            validate_finalizers(new, errors);
            validate_change(migration(new), migration(old), errors);
        })
        .status(status)
        .allow_unconditional_update(false)
        .without_generation();
    let resource = program::resource(release, "storagemigration.k8s.io", "v1", "StorageVersionMigration");
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = columns();
    definition
}

fn migration(object: &Value) -> StorageVersionMigration<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateStorageVersionMigration`, which joins the flaws of a name.
fn validate_resource(migration: StorageVersionMigration<'_>, errors: &mut Errors) {
    let at = Path::new("spec");
    let target = migration.spec().resource();
    let at = at.child("resource");
    let judge = |member: &str, text: &str, rule: &NameRule<'_>, errors: &mut Errors| {
        let mut flaws: Vec<Cow<'static, str>> = Vec::new();
        rule(text, Usage::Name, &mut |flaw| flaws.push(flaw));
        if !flaws.is_empty() {
            errors.push(Error::invalid(&at.child(member), text, flaws.join(",")));
        }
    };
    if target.resource().is_empty() {
        errors.push(Error::required(&at.child("resource"), "resource is required to be set"));
    } else {
        judge("resource", target.resource(), &dns_1035_label, errors);
    }
    if !target.group().is_empty() {
        judge("group", target.group(), &dns_subdomain, errors);
    }
}

/// The end of upstream's `validation.ValidateStorageVersionMigrationUpdate`.
fn validate_change(new: StorageVersionMigration<'_>, old: StorageVersionMigration<'_>, errors: &mut Errors) {
    let shown = |migration: StorageVersionMigration<'_>| {
        internal_value(Some(migration.spec().as_value()), Form::Struct(SPEC_FIELDS))
    };
    let target = new.spec().resource();
    let old = old.spec().resource();
    if (target.group(), target.resource()) != (old.group(), old.resource()) {
        errors.push(Error::invalid(&Path::new("spec"), shown(new), "field is immutable"));
    }
}

/// As upstream's `validation.ValidateStorageVersionMigrationStatusUpdate`.
fn validate_status(
    status: StorageVersionMigrationStatus<'_>,
    old: StorageVersionMigrationStatus<'_>,
    errors: &mut Errors,
) {
    let at = Path::new("status");
    let at_version = at.child("resourceVersion");
    let at_conditions = at.child("conditions");
    let version = status.resource_version();
    if !version.is_empty() && !is_well_formed(version) {
        // As upstream's resourceversion.InvalidResourceVersion.
        let detail = format!("resource version is not well formed: {version}");
        errors.push(Error::invalid(&at_version, BadValue::json_str(version), detail));
    }
    validate_conditions(status.conditions(), &at_conditions, errors);
    if !old.resource_version().is_empty() && old.resource_version() != version {
        errors.push(Error::invalid(&at_version, BadValue::json_str(version), "field is immutable"));
    }
    let mut refuse = |detail: &'static str| {
        let shown = internal_structs(errors.release(), "v1.Condition", status.as_value().get("conditions"));
        errors.push(Error::invalid(&at_conditions, shown, detail));
    };
    if is_true(status, "Succeeded") && is_true(status, "Failed") {
        refuse("Both success and failed conditions cannot be true at the same time");
    }
    if is_true(old, "Succeeded") && !is_true(status, "Succeeded") {
        refuse("Success condition cannot be set to false once it is true");
    }
    if is_true(old, "Failed") && !is_true(status, "Failed") {
        refuse("Failed condition cannot be set to false once it is true");
    }
}

/// Tells if the first condition of a type is true, as upstream's `metaconditions.FindStatusCondition` finds it.
fn is_true(status: StorageVersionMigrationStatus<'_>, kind: &str) -> bool {
    let condition = status.conditions().iter().find(|condition| condition.kind() == kind);
    condition.is_some_and(|condition| condition.status() == "True")
}

/// As upstream's `resourceversion.isWellFormed`.
fn is_well_formed(version: &str) -> bool {
    !version.is_empty() && !version.starts_with('0') && version.bytes().all(|byte| byte.is_ascii_digit())
}

/// As upstream's `printers.printStorageVersionMigration`.
fn columns() -> Vec<Column> {
    vec![
        // As upstream, whose column of names has no format.
        Column { format: "".into(), ..name(|object| sprag_rest::meta::name(object).into()) },
        text("Resource", "Resource that is migrated.", |object| resource(migration(object)).into()),
        text("Status", "State of the migration.", |object| {
            let known = |kind: &str| matches!(kind, "Running" | "Failed" | "Succeeded");
            let mut conditions = migration(object).status().conditions().iter();
            let last = conditions.rfind(|condition| condition.status() == "True" && known(condition.kind()));
            last.map_or("Unknown", |condition| condition.kind()).into()
        }),
    ]
}

/// As upstream's `metav1.GroupResource.String`.
fn resource(migration: StorageVersionMigration<'_>) -> String {
    let target = migration.spec().resource();
    match target.group() {
        "" => target.resource().to_owned(),
        group => format!("{}.{group}", target.resource()),
    }
}
