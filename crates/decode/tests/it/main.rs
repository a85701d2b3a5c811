//! The public interface against answers recorded from upstream, and against hostile input.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]
#![expect(clippy::format_collect, reason = "texts of tests are built once")]

mod conformance;
mod fuzz;
mod hostile;
mod places;
mod protobuf;
mod random;
mod recorded;
mod sample;
