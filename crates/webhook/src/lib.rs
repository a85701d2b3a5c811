//! Calls webhooks over HTTPS: where they are, whom to trust, how long to wait, and what their answers mean.
//!
//! - [`ClientConfig`]: the `clientConfig` of a webhook configuration or of a definition.
//! - [`Client`]: posts reviews, over connections that are kept; follows redirects and repeats calls as client-go does.
//! - [`deadline`]: the time by which the request that makes a call must be answered.
//! - [`probe`]: asks the health check of a component.
//! - [`Reply`]: what came back, and its errors in client-go's words.
//!
//! Does not know: what a review is, which requests are reviewed.

mod answer;
mod client;
mod config;
mod connection;
pub mod deadline;
mod probe;
mod trust;
mod url;

pub use crate::answer::{CallError, Reply};
pub use crate::client::{Client, MAX_ANSWER};
pub use crate::config::{ClientConfig, ResolveService};
pub use crate::probe::probe;
