//! Every speed table of the project, run by `cargo bench -p sprag-bench`.

pub mod api;
pub mod objects;

/// The validators of the types in [`api`], as `build.rs` generates them.
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/sprag/mod.rs"));
}
