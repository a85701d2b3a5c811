//! Every speed table of the project, run by `cargo bench -p sprag-bench`.
//!
//! Does not keep results: to compare two versions, run both on one machine.

pub mod api;
pub mod objects;

/// The validators of the types in [`api`], as `build.rs` generates them.
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/sprag/mod.rs"));
}

/// Prints what the reference takes for the calls that are about to be measured: call, time, allocations.
#[expect(clippy::print_stdout, reason = "a benchmark prints its table")]
pub fn print_reference(title: &str, rows: &[(&str, &str, &str)]) {
    println!("reference ({title})");
    for (call, time, allocations) in rows {
        println!("   {call:<20} {time:>8}   {allocations}");
    }
}
