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
//! use std::task::{Context, Poll, Waker};
//!
//! use sprag_registry::{Registry, namespaces};
//! use sprag_rest::{Request, User};
//!
//! # fn wait<T>(future: impl Future<Output = T>) -> T {
//! #     match std::pin::pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
//! #         Poll::Ready(value) => value,
//! #         Poll::Pending => panic!("the memory store answers at once"),
//! #     }
//! # }
//! let registry = Registry::builder(Arc::new(sprag_storage::Memory::new())).resource(namespaces()).build();
//! wait(registry.ensure_namespace("default"))?;
//! let user = User::default();
//! let request =
//!     Request { group: "", version: "v1", resource: "namespaces", namespace: "", name: "default", subresource: "", user: &user };
//! let namespace = wait(registry.get(&request, ""))?;
//! assert_eq!(namespace.lookup(&["status", "phase"]).unwrap(), &"Active");
//! # Ok::<(), sprag_rest::ApiError>(())
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

pub use crate::admission::{AdmissionPlugin, Admitted, Attributes, Mutation, Operation, Reinvocation, kind_of};
pub use crate::allocate::AllocationRepair;
pub use crate::encoded::Line;
pub use crate::entropy::SystemEntropy;
pub use crate::follow::Follower;
pub use crate::gc::GarbageCollector;
pub use crate::namespace::{complete_namespace, namespaces};
pub use crate::pipeline::{
    HEAVY_BYTES, INITIAL_EVENTS_END, List, Listing, WatchEvent, WatchKind, WatchLine, WatchStream,
};
pub use crate::registry::{
    Answer, Aside, AuthorizeCreate, Builder, ConversionTurn, Offload, Registry, Reservation, Reserve, Reserving, Sleep,
    Work,
};
