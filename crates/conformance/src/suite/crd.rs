//! `crd`: definitions and their objects, step by step from the body of a request to the verdict.

use std::path::Path;

use sprag_value::Value;

use crate::args::Args;
use crate::custom_resource;
use crate::recorded::Recorded;
use crate::report::Report;
use crate::suite::Suite;
use crate::wire::custom_resource::CrdFile;

pub(crate) const SUITE: Suite = Suite {
    name: "crd",
    about: "custom resources: decoding, pruning, defaults, validation, rules",
    recorded: "crd",
    run,
};

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    for document in Recorded::open(&args.path)?.cases() {
        let file: CrdFile = document.read_json()?;
        let definition = definition(&file, &args.path)?;
        custom_resource::run(&file, definition, report)?;
    }
    Ok(())
}

/// The definition in the file itself, or in the file that it names below the shared folder.
pub(super) fn definition(file: &CrdFile, directory: &Path) -> Result<Value, String> {
    match (&file.crd, &file.definition) {
        (Some(definition), _) => Ok(definition.clone()),
        (None, Some(name)) => {
            let path = directory.join("../..").join(name);
            let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            sprag_decode::yaml::decode(&text).map_err(|error| format!("{}: {error}", path.display()))
        }
        (None, None) => Err(format!("{}: no definition", file.name)),
    }
}
