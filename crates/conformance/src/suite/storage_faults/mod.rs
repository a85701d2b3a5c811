//! `storage-faults`: stores under load whose process, disk or servers fail.
//!
//! With a folder as argument this is the process that gets killed: see [`writer`].

mod cluster;
mod crash;
mod disk;
mod plan;
mod writer;

use crate::args::Args;
use crate::report::Report;
use crate::suite::Suite;

pub(super) const SUITE: Suite = Suite {
    name: "storage-faults",
    about: "processes killed, disks torn and full, clusters that lose members (SPRAG_FULL=1: longer)",
    recorded: "",
    run,
};

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    if !args.path.as_os_str().is_empty() {
        return writer::run(&args.path);
    }
    let full = std::env::var_os("SPRAG_FULL").is_some();
    crash::run(if full { 50 } else { 5 }, report)?;
    disk::torn(report)?;
    disk::full(report)?;
    cluster::run(if full { 20 } else { 3 }, report)
}

/// Counts one case: what went wrong, or that nothing did.
fn settle(report: &mut Report, case: &str, outcome: Result<(), String>) {
    match outcome {
        Ok(()) => report.pass(),
        Err(problem) => report.fail(case, &format!("  {problem}\n")),
    }
}
