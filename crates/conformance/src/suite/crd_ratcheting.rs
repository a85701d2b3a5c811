//! `crd-ratcheting`: updates of objects that are invalid already.

use crate::args::Args;
use crate::custom_resource;
use crate::recorded::Recorded;
use crate::report::Report;
use crate::suite::Suite;
use crate::wire::custom_resource::RatchetingFile;

pub(crate) const SUITE: Suite = Suite {
    name: "crd-ratcheting",
    about: "custom resources: what an update may leave invalid",
    recorded: "crd-ratcheting.json",
    run,
};

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let file: RatchetingFile = Recorded::open(&args.path)?.only()?.read_json()?;
    for group in &file.groups {
        let definition = group.crd.clone().ok_or_else(|| format!("{}: no definition", group.name))?;
        custom_resource::run(group, definition, report)?;
    }
    Ok(())
}
