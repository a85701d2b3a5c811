//! The built binary, run as a user runs it.
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

mod check;
mod docs;
mod run;
mod usage;
