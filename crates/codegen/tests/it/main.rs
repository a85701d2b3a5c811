//! The generator through its public interface: source in, Rust out, and that Rust compiles.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod compile;
mod fixture;
mod resources;
mod rules;
mod shapes;
mod thin;
mod types;
mod views;
