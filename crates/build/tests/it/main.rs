//! A build script's view: sources in, generated files and rendered findings out.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod config;
mod example;
