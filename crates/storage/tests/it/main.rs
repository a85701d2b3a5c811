//! The behaviour of stores: one suite for all of them, and what only some can do.
#![expect(clippy::unwrap_used, reason = "in a test an unexpected error is a failure")]
#![allow(clippy::print_stderr, reason = "tests say what they skip")]

mod copies;
mod embedded;
mod etcd;
mod expiry;
mod random;
mod stores;
mod suite;
mod watches;
