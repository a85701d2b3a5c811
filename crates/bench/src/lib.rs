//! Every speed table of the project, run by `cargo bench -p sprag-bench`.

pub mod api;
pub mod objects;
