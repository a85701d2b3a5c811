//! The kinds every cluster has, from pods and services to roles and bindings.
//!
//! Types are declared one module per group and version, that of the core group in one file for each concept; what a kind
//! does beyond its declaration is in a file of its own beside them. [`definitions`] is all that is served, from a program that
//! the build script makes of the declarations. The feature `types` compiles the same declarations as structs; tests hold
//! them against recorded facts of upstream's OpenAPI.
//!
//! Does not know: HTTP, storage. The life of a namespace and of what is in it belongs to the registry.
//!
//! ```
//! use sprag_rest::{FeatureGates, Offline};
//! use sprag_value::json;
//!
//! let offline = Offline::new(FeatureGates::default());
//! let secrets = sprag_kinds::definitions().into_iter().find(|definition| definition.kind == "Secret").unwrap();
//! let secrets = offline.resource(secrets);
//! let secret = br#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"a/b":"eA=="}}"#;
//! let judged = offline.judge(&secrets, "v1", json::parse(secret)?, None)?.judged;
//! assert!(judged.errors[0].to_string().starts_with(r#"data[a/b]: Invalid value: "a/b""#), "{}", judged.errors[0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "`|probe| probe.exec()` reads better than the path of a view's getter"
)]
#![expect(
    clippy::doc_markdown,
    reason = "clients such as `kubectl explain` show the documentation of types as plain text"
)]

pub mod admissionregistration;
pub mod apiregistration;
pub mod apps;
pub mod authentication;
pub mod authorization;
pub mod autoscaling;
pub mod batch;
pub mod certificates;
mod changes;
mod checks;
mod columns;
pub mod coordination;
pub mod core;
mod details;
pub mod discovery;
pub mod events;
pub mod flowcontrol;
mod hooks;
pub mod meta;
pub mod networking;
pub mod node;
pub mod policy;
mod program;
pub mod rbac;
mod reference;
pub mod resource;
pub mod scheduling;
pub mod storage;
pub mod storagemigration;
mod tags;

/// The code that `build.rs` generates from the types.
#[cfg(feature = "types")]
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/sprag/mod.rs"));
}

/// Views of the declared types over dynamic values, which `build.rs` prints.
#[expect(missing_docs, reason = "metadata is known without a declaration that could have docs")]
#[expect(clippy::unreadable_literal, reason = "bounds are printed as tags have them")]
pub mod views {
    include!(concat!(env!("OUT_DIR"), "/program/views.rs"));
}

use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_authorization::Access;
use sprag_program::Program;
use sprag_rest::{Definition, FeatureGates, Observe, Release, Releases, TokenIssuer};
use sprag_shape::TypeId;
use sprag_value::Value;
use sprag_value::view::View;

pub use crate::core::{ServiceCidrs, ServiceRanges, ServiceRangesError, component_status};
pub use crate::reference::{KindReference, reference};

/// The types of all kinds, with their documentation and rules.
pub fn program() -> &'static Program {
    &program::PROGRAM
}

/// The fields of these types that only some releases have, by the shape of their struct and their name.
pub fn ranges() -> BTreeMap<(TypeId, String), Releases> {
    program::ranges()
}

/// The quality of service class of a pod: what its status says, else what follows from its spec.
pub fn quality_of_service<'v>(gates: &FeatureGates, pod: &'v Value) -> &'v str {
    core::pod::qos::pod_qos(gates, View::view(Some(pod)))
}

/// The definition of `namespaces` in the newest release.
pub fn namespaces() -> Definition {
    core::namespaces(Release::default())
}

/// All kinds of the newest release, with the usual ranges of addresses and ports of services.
pub fn definitions() -> Vec<Definition> {
    definitions_with(Release::default(), ServiceRanges::default())
}

/// The kinds that are served only while a feature is on, as upstream's `StorageProvider`s of their groups.
const GATED: [(&str, &str, &str); 3] = [
    ("certificates.k8s.io", "clustertrustbundles", "ClusterTrustBundle"),
    ("certificates.k8s.io", "podcertificaterequests", "PodCertificateRequest"),
    ("storagemigration.k8s.io", "storageversionmigrations", "StorageVersionMigrator"),
];

/// Removes the kinds that the release does not have, and those whose features are off: they are not served.
pub fn remove_disabled(definitions: &mut Vec<Definition>, gates: &FeatureGates) {
    let release = gates.release();
    let program = program::of_release(gates.release());
    definitions.retain(|definition| {
        let declared = program.find(definition.group(), &definition.storage_version, &definition.kind);
        if declared.is_some_and(|resource| !resource.releases.contains(release)) {
            return false;
        }
        let place = (definition.group(), definition.resource.resource.as_str());
        let gate = GATED.iter().find(|(group, resource, _)| (*group, *resource) == place);
        gate.is_none_or(|(.., gate)| gates.enabled(gate))
    });
}

/// Lets service accounts have tokens of an issuer: adds `serviceaccounts/token`.
pub fn issue_tokens(definitions: &mut [Definition], issuer: &Arc<dyn TokenIssuer>) {
    let accounts = definitions
        .iter_mut()
        .filter(|definition| definition.resource.group.is_empty() && definition.resource.resource == "serviceaccounts");
    accounts.for_each(|definition| core::issue_tokens(definition, issuer.clone()));
}

/// The kinds that are questions about users: what they may do, and who they are. They are answered and never stored.
pub fn reviews(
    release: Release,
    access: &Arc<Access>,
    tokens: &Arc<dyn authentication::TokenReviewer>,
) -> Vec<Definition> {
    [authorization::definitions(release, access), authentication::definitions(release, tokens)].concat()
}

/// The kind `ComponentStatus`, whose objects are never stored.
pub fn component_statuses(release: Release, observer: Arc<dyn Observe>) -> Definition {
    core::component_statuses(release, observer)
}

/// All kinds, with these ranges of addresses and ports of services.
pub fn definitions_with(release: Release, ranges: ServiceRanges) -> Vec<Definition> {
    definitions_following(release, ranges, ServiceCidrs::default())
}

/// All kinds, with these ranges of ports of services, whose addresses are of ServiceCIDRs.
pub fn definitions_following(release: Release, ranges: ServiceRanges, cidrs: ServiceCidrs) -> Vec<Definition> {
    [
        core::definitions(release, ranges, cidrs),
        admissionregistration::definitions(release),
        apiregistration::definitions(release),
        apps::definitions(release),
        autoscaling::definitions(release),
        batch::definitions(release),
        certificates::definitions(release),
        coordination::definitions(release),
        discovery::definitions(release),
        events::definitions(release),
        flowcontrol::definitions(release),
        networking::definitions(release),
        node::definitions(release),
        policy::definitions(release),
        rbac::definitions(release),
        resource::definitions(release),
        scheduling::definitions(release),
        storage::definitions(release),
        storagemigration::definitions(release),
    ]
    .concat()
}
