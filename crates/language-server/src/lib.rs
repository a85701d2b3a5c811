//! The verdict of the API server while you type: the Language Server Protocol over crate `analysis`.
//!
//! ```text
//!  messages ─► Server: open texts ─► Worker: Workspace (files, definitions) ─► Scope: Analysis ─► diagnostics
//!                     └─► requests: hover, completion, definition, answered from the last scope
//! ```
//!
//! Two threads: one answers messages in their order, the other checks texts, of which the latest wins.
//!
//! Does not know: the terminal, settings files, which come through [`Host`].

mod actions;
mod base;
mod completion;
mod cursor;
mod definition;
mod diagnostics;
mod expressions;
mod fields;
mod host;
mod hover;
mod scope;
mod server;
mod sources;
mod text;
mod uri;
mod worker;
mod workspace;

pub use crate::host::{Host, Problem, Settings};
pub use crate::server::{ServerError, serve};
pub use lsp_server::Connection;
