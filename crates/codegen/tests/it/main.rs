//! The generator through its public interface: source in, Rust out, and that Rust compiles.

mod fixture;
mod thin;
