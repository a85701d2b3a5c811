//! The HTTP server: a Kubernetes API from one small process.
//!
//! ```text
//!  connection ─► TLS ─► HTTP/1.1 or 2 ─► who asks? ─► what does the path mean?
//!      ├─ objects: verb, negotiation, options, body ─► registry ─► object, list, table or events
//!      ├─ documents: discovery, OpenAPI, version, health, metrics
//!      └─ nothing: 404 in the words of the reference
//! ```
//!
//! [`Server`] is a server before it starts, [`Running`] one that listens. What objects mean is the registry's business;
//! everything here is about requests and answers. Paths are dynamic (definitions come and go), so one function reads
//! them (`route`) instead of a router.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! # async fn run() -> Result<(), sprag_server::Error> {
//! let server = sprag_server::Server::new(Arc::new(sprag_storage::Memory::new())).start().await?;
//! println!("{} {}", server.url(), server.token());
//! server.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! Does not know: how a rule works, how objects are stored.

mod admission;
mod answer;
mod api;
mod audit;
mod authentication;
mod body;
mod certificates;
mod clock;
mod components;
mod connection;
mod conversions;
mod deadline;
mod der;
mod documents;
mod eager;
mod envtest;
mod error;
mod filter;
mod folder;
mod gates;
mod go;
mod guard;
mod handler;
mod health;
mod hold;
mod identity;
mod impersonation;
mod in_process;
mod keys;
mod kubeconfig;
mod limits;
mod lists;
mod memory;
mod message;
mod metrics;
mod negotiate;
mod order;
mod own_state;
mod payload;
mod pretty;
mod query;
mod refuse;
mod request_info;
mod reviews;
mod route;
mod runtime_config;
mod serve;
mod server;
mod shares;
mod turns;
mod unread;
mod upkeep;
mod version;
mod view;
mod warnings;

pub use crate::audit::{AuditOptions, Format as AuditLogFormat};
pub use crate::authentication::{Authentication, RequestHeader, ServiceAccounts};
pub use crate::certificates::ServingCertificate;
pub use crate::envtest::{Entry, RELEASE_FILE};
pub use crate::error::Error;
pub use crate::folder::prepare as prepare_folder;
pub use crate::gates::{gates, gates_at, gates_emulating, gates_of};
pub use crate::in_process::InProcess;
pub use crate::kubeconfig::ClientKubeconfig;
pub use crate::limits::Limits;
pub use crate::serve::{Announcement, AuditArgs, AuthenticationArgs, EtcdArgs, HandshakeArgs, ServeArgs};
pub use crate::server::{Running, Server};
pub use sprag_authorization::AuthorizationMode;
