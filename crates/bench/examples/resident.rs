//! The memory that the rules of a deployment take, by the form they have.
//!
//! `cargo run --release -p sprag-bench --example resident` runs the embedded program, with `--features types` the compiled
//! structs. One form for each process: pages that one has touched would cost the other nothing.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use sprag_bench::objects;
use sprag_checks::{Errors, Request};
use sprag_value::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let object = objects::deployment();
    let before = resident()?;
    let found = judge(&object).len();
    let after = resident()?;
    println!("{before:.2} MB before, {:.2} MB more once a deployment was judged ({found} errors)", after - before);
    Ok(())
}

#[cfg(feature = "types")]
fn judge(object: &Value) -> Errors {
    use sprag_checks::Validate as _;

    let deployment: sprag_kinds::apps::v1::Deployment = sprag_value::from_value(object).expect("it is a deployment");
    let mut errors = Errors::new();
    sprag_kinds::apps::v1::Deployment::validate(&Request::create(), &deployment, None, &mut errors);
    errors
}

#[cfg(not(feature = "types"))]
fn judge(object: &Value) -> Errors {
    let program = sprag_kinds::program();
    let deployment = program.find("apps", "v1", "Deployment").expect("it is declared").def;
    let mut errors = Errors::new();
    program.validate_object(&sprag_program::NoHooks, &Request::create(), deployment, object, None, &mut errors);
    errors
}

/// The memory of this process in MB.
fn resident() -> Result<f64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kilobytes / 1024.0)
}
