//! The generator through its public interface: source in, Rust out, and that Rust compiles.

mod compile;
mod fixture;
mod rules;
mod thin;
mod types;
