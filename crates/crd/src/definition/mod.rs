//! `customresourcedefinitions.apiextensions.k8s.io`: definitions as objects.

mod column;
mod scheme;
mod strategy;

use std::sync::Arc;

use sprag_rest::{
    Conventions, Definition, GroupResource, Release, Scope, SimpleNameGenerator, Strategy, Subresource, Version,
};

use self::scheme::DefinitionScheme;
use self::strategy::{DefinitionStrategy, StatusStrategy};

/// The group of definitions.
pub const GROUP: &str = "apiextensions.k8s.io";
/// The version of definitions.
pub const VERSION: &str = "v1";
/// The plural name of definitions.
pub const PLURAL: &str = "customresourcedefinitions";
/// The finalizer that a definition has from its deletion until all objects are gone.
pub const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The resource of definitions, as the newest release has it.
pub fn definitions() -> Definition {
    definitions_of(Release::NEWEST)
}

/// The resource of definitions as a release has it.
pub fn definitions_of(release: Release) -> Definition {
    let strategy: Arc<dyn Strategy> = Arc::new(DefinitionStrategy);
    let version = Version {
        columns: column::columns(release),
        subresources: vec![Subresource::part("status", Arc::new(StatusStrategy))],
        ..Version::new(VERSION)
    };
    Definition {
        resource: GroupResource::new(GROUP, PLURAL),
        kind: sprag_schema::crd::KIND.into(),
        list_kind: "CustomResourceDefinitionList".into(),
        singular: "customresourcedefinition".into(),
        short_names: vec!["crd".into(), "crds".into()],
        categories: vec!["api-extensions".into()],
        scope: Scope::Cluster,
        versions: vec![version],
        storage_version: VERSION.into(),
        storage_prefix: format!("{GROUP}/{PLURAL}"),
        // A name has to fit the group and the plural; the strategy knows those.
        name_rule: Arc::new(|_, _, _| {}),
        name_generator: Arc::new(SimpleNameGenerator),
        scheme: Arc::new(DefinitionScheme { release }),
        create: strategy.clone(),
        update: strategy.clone(),
        delete: strategy,
        returns_deleted_object: true,
        unstored: None,
        is_cached: true,
        allocator: None,
        feature_gates: Vec::new(),
        gated_fields: Vec::new(),
        has_own_strategy: true,
        conventions: &Conventions::BUILT_IN,
    }
}
