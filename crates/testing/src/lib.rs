//! An API in one process for tests of resources: the whole pipeline over a store in memory, without HTTP and async.
//!
//! An [`Api`] serves resources as a server would. Its [`Client`]s create, get, update, patch and delete objects, given as JSON
//! text or as values of the author's types, and judge objects without storing them. Clock and randomness are fixed, so every
//! run sees the same times, uids and generated names.
//!
//! ```
//! use sprag_testing::Api;
//!
//! // In a test of your own: `Api::new(widgets())`.
//! let api = Api::new(sprag_kinds::namespaces());
//! let namespaces = api.client("v1", "namespaces");
//!
//! let created = namespaces.create(r#"{"metadata": {"name": "blue"}}"#)?;
//! assert_eq!(created.json("metadata.creationTimestamp"), r#""2000-01-01T00:00:00Z""#);
//!
//! let patched = namespaces.merge_patch("blue", r#"{"metadata": {"labels": {"a": "b"}}}"#)?;
//! assert_eq!(patched.json("metadata.labels.a"), r#""b""#);
//!
//! let verdict = namespaces.judge(r#"{"metadata": {"name": "Blue"}}"#)?;
//! assert!(verdict.errors[0].to_string().starts_with(r#"metadata.name: Invalid value: "Blue""#));
//! # Ok::<(), sprag_rest::ApiError>(())
//! ```
//!
//! A [`Migration`] compares the hand-written validation of a resource with the rules of its types.
//! [`enforce`](mod@enforce) is about whole servers: whether every resource follows the best practices of Kubernetes APIs.
//!
//! An [`Api`] does not know: HTTP, authorization, databases. Namespaces are emptied and garbage is collected only when the test does it
//! with the [`Registry`](Api::registry).

mod api;
mod body;
mod client;
pub mod enforce;
mod fixed;
mod migration;
mod wait;

pub use crate::api::{Api, Builder};
pub use crate::client::{Answer, Client, Verdict};
pub use crate::enforce::enforce;
pub use crate::fixed::Sequence;
pub use crate::migration::{Difference, Exceptions, Fixture, Fuzz, Fuzzed, Migration, Mismatch, untriggered};
pub use sprag_program::Program;
pub use sprag_rest::Patch;
