//! Controllers over a store in memory.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot be set up fails or says so")]

mod definitions;
mod service_ranges;
