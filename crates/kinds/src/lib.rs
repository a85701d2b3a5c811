//! The kinds every cluster has: namespaces, config maps, secrets, events, service accounts, leases, roles and bindings.
//!
//! Types are declared one file per group and version; what a kind does beyond its declaration is in a file of its own
//! beside them. [`definitions`] is all of it.
//!
//! Does not know: HTTP, storage. The life of a namespace and of what is in it belongs to the registry.

mod columns;
pub mod coordination;
pub mod core;
pub mod events;
pub mod meta;
pub mod rbac;

/// What `build.rs` generates of the types.
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/sprag/mod.rs"));
}

use sprag_rest::Definition;

/// All kinds.
pub fn definitions() -> Vec<Definition> {
    let (core, events) = (core::definitions(), events::definitions());
    core.into_iter().chain(events).chain(coordination::definitions()).chain(rbac::definitions()).collect()
}
