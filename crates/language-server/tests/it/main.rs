//! The server as a client sees it.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod client;
mod diagnostics;
mod edits;
mod features;
mod hostile;
mod speed;
