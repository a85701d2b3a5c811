//! Requests against a store: writes with retries, lists, watches, deletes, namespaces and garbage collection.
//!
//! What a write means is known to `sprag-rest`; a [`Registry`] holds definitions over one store and drives writes:
//!
//! ```text
//!  look up ─► read ─► mutating plug-ins ─► judge ─► validating plug-ins ─► compare and swap ─► event ─► answer
//!     ▲                                                                        │
//!     └──────────────────────── another write got in between ◄─────────────────┘
//! ```
//!
//! Deleting what deleted objects own is up to a [`GarbageCollector`], emptying namespaces to
//! [`Registry::finish_namespaces`]; the server runs both, tests call them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use sprag_registry::Registry;
//! use sprag_rest::{Definition, Request, User, WriteOptions};
//! use sprag_value::json;
//!
//! # async fn example(widgets: Definition) -> sprag_rest::Result<()> {
//! let registry = Registry::builder(Arc::new(sprag_storage::Memory::new())).resource(widgets).build();
//! let user = User::default();
//! let (group, version, resource) = ("example.com", "v1", "widgets");
//! let request = Request { group, version, resource, namespace: "default", name: "", subresource: "", user: &user };
//! let widget = json::parse(br#"{"metadata": {"name": "blue"}}"#).expect("it is JSON");
//! let created = registry.create(&request, widget, &WriteOptions::by("example")).await?.object;
//! let stored = registry.get(&Request { name: "blue", ..request }, "").await?;
//! assert_eq!(created, stored);
//! # Ok(())
//! # }
//! ```
//!
//! Does not know: HTTP, content types, databases. Clock and randomness are arguments.

mod admission;
mod allocate;
mod cache;
mod encoded;
mod entropy;
mod follow;
mod gc;
mod namespace;
mod pipeline;
mod registry;
mod token;
mod uid;

pub use crate::admission::{AdmissionPlugin, Admitted, Attributes, Mutation, Operation, Reinvocation, kind_of};
pub use crate::allocate::AllocationRepair;
pub use crate::encoded::Line;
pub use crate::entropy::SystemEntropy;
pub use crate::follow::Follower;
pub use crate::gc::GarbageCollector;
pub use crate::pipeline::{
    HEAVY_BYTES, INITIAL_EVENTS_END, List, Listing, WatchEvent, WatchKind, WatchLine, WatchStream,
};
pub use crate::registry::{
    Answer, AuthorizeCreate, Builder, ConversionTurn, LIGHT, Offload, Registry, Reservation, Reserve, Reserving, Sleep,
    Work,
};
