//! The resource that a definition defines.

mod column;
mod compiled;
mod scheme;
mod strategy;

use std::sync::Arc;

use sprag_checks::object_meta;
use sprag_rest::{
    Conventions, Definition, FeatureGates, GroupResource, ScalePaths, ScaleSelector, Scope, Selectable,
    SimpleNameGenerator, Strategy, Subresource, SubresourceKind, Version, compare_versions,
};
use sprag_schema::crd::{self, Crd, Names, ReadError};
use sprag_value::Value;

pub use self::compiled::Compiled;
use self::scheme::InstanceScheme;
use self::strategy::{InstanceStrategy, StatusStrategy};
use crate::conversion::Converter;

/// Returns the resource that a stored definition defines: complete, accepted, with the accepted names.
///
/// Names, versions and columns are read at once; schemas and rules when the first object needs them.
pub fn resource(definition: &Value, gates: &FeatureGates) -> Result<Definition, ReadError> {
    let crd = Crd::read(&without_schemas(definition))?;
    Ok(resource_of(&crd, definition, gates))
}

/// The same for a definition that was read already.
pub fn resource_of(crd: &Crd, definition: &Value, gates: &FeatureGates) -> Definition {
    compiled_resource(crd, &Arc::new(Compiled::new(definition, gates)), None)
}

/// The resource of a definition with compiled schemas.
pub fn compiled_resource(crd: &Crd, compiled: &Arc<Compiled>, converter: Option<Converter>) -> Definition {
    let strategy: Arc<dyn Strategy> = Arc::new(InstanceStrategy::new(compiled.clone(), crd));
    let names = accepted_names(crd);
    let text = ToString::to_string;
    let mut versions: Vec<Version> = crd.versions.iter().map(|version| self::version(crd, version, compiled)).collect();
    versions.sort_by(|a, b| compare_versions(&a.name, &b.name));
    Definition {
        resource: GroupResource::new(crd.group.as_str(), names.plural.as_str()),
        kind: names.kind.to_string(),
        list_kind: names.list_kind.to_string(),
        singular: names.singular.to_string(),
        short_names: names.short_names.iter().map(text).collect(),
        categories: names.categories.iter().map(text).collect(),
        scope: if crd.namespaced() { Scope::Namespaced } else { Scope::Cluster },
        versions,
        storage_version: crd.storage_version().map(|version| version.name.to_string()).unwrap_or_default(),
        storage_prefix: format!("{}/{}", crd.group, names.plural),
        name_rule: Arc::new(object_meta::dns_subdomain),
        name_generator: Arc::new(SimpleNameGenerator),
        scheme: Arc::new(InstanceScheme::new(compiled.clone(), converter)),
        create: strategy.clone(),
        update: strategy.clone(),
        delete: strategy,
        returns_deleted_object: false,
        unstored: None,
        is_cached: true,
        allocator: None,
        feature_gates: Vec::new(),
        gated_fields: Vec::new(),
        has_own_strategy: false,
        conventions: &Conventions::CUSTOM,
    }
}

/// The definition with all but its schemas, which are large and not needed yet.
pub fn without_schemas(definition: &Value) -> Value {
    let mut definition = definition.clone();
    let versions = definition.get_mut("spec").and_then(|spec| spec.get_mut("versions"));
    if let Some(Value::Array(versions)) = versions {
        for version in versions.as_mut_slice() {
            version.remove("schema");
        }
    }
    definition
}

/// The names under which objects are served; those that were asked for while nothing was decided.
fn accepted_names(crd: &Crd) -> &Names {
    if crd.status.accepted_names.kind.is_empty() { &crd.names } else { &crd.status.accepted_names }
}

fn version(crd: &Crd, version: &crd::Version, compiled: &Arc<Compiled>) -> Version {
    let mut subresources = Vec::new();
    if version.has_status() {
        subresources.push(Subresource::part("status", Arc::new(StatusStrategy::new(compiled.clone()))));
    }
    if let Some(scale) = version.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref()) {
        let paths = ScalePaths {
            spec_replicas: scale.spec_replicas_path.to_string(),
            status_replicas: scale.status_replicas_path.to_string(),
            label_selector: scale.label_selector_path.as_ref().map(|path| ScaleSelector::Text(path.to_string())),
            checked: false,
        };
        subresources.push(Subresource { name: "scale".into(), kind: SubresourceKind::Scale(paths) });
    }
    let selectable = |path: &sprag_value::Text| Selectable::new(path.strip_prefix('.').unwrap_or(path));
    Version {
        served: version.served,
        deprecation_warning: deprecation_warning(crd, version),
        columns: column::columns(version.columns.as_deref().unwrap_or_default()),
        selectable: version.selectable_fields.iter().flatten().map(selectable).collect(),
        subresources,
        schema: compiled.source(&version.name).cloned().map(Arc::new),
        ..Version::new(version.name.as_str())
    }
}

/// The warning for a deprecated version: its `deprecationWarning`, or the version to use instead.
fn deprecation_warning(crd: &Crd, version: &crd::Version) -> String {
    if !version.deprecated {
        return String::new();
    }
    if let Some(warning) = &version.deprecation_warning {
        return warning.to_string();
    }
    let group = &crd.group;
    let kind = &crd.names.kind;
    let is_better = |other: &&crd::Version| {
        other.served && !other.deprecated && compare_versions(&other.name, &version.name).is_lt()
    };
    let better = crd.versions.iter().filter(is_better).min_by(|a, b| compare_versions(&a.name, &b.name));
    let deprecated = format!("{group}/{} {kind} is deprecated", version.name);
    match better {
        None => deprecated,
        Some(better) => format!("{deprecated}; use {group}/{} {kind}", better.name),
    }
}
