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
//! them ([`route`](mod@route)) instead of a router.
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

mod answer;
mod api;
mod auth;
mod body;
mod certificates;
mod connection;
mod documents;
mod eager;
mod error;
mod folder;
mod gates;
mod go;
mod guard;
mod handler;
mod health;
mod identity;
mod in_process;
mod kubeconfig;
mod limits;
mod lists;
mod message;
mod metrics;
mod negotiate;
mod payload;
mod pretty;
mod query;
mod refuse;
mod route;
mod serve;
mod server;
mod tokens;
mod upkeep;
mod view;
mod warnings;

pub use crate::auth::AuthorizationMode;
pub use crate::error::Error;
pub use crate::gates::gates;
pub use crate::in_process::InProcess;
pub use crate::limits::Limits;
pub use crate::serve::{BackupArgs, EtcdArgs, RestoreArgs, ServeArgs};
pub use crate::server::{Running, Server};
