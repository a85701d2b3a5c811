//! The public interface, over a store in memory.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod admission;
mod api;
mod defaults;
mod delete;
mod encoded;
mod garbage;
mod hooks;
mod life_cycle;
mod list;
mod namespace_kind;
mod namespaces;
mod patch;
mod read;
mod sub;
mod update;
mod watch;
