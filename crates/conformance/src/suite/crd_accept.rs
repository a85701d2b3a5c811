//! `crd-accept`: definitions and what the API server says when they are created.

use serde::Deserialize;
use sprag_rest::Release;
use sprag_schema::accept::{self, Verdict};
use sprag_schema::crd::{Crd, prepare, shapes};
use sprag_value::Value;

use crate::args::Args;
use crate::custom_resource::Diff;
use crate::recorded::Recorded;
use crate::report::Report;
use crate::suite::Suite;
use crate::wire::custom_resource::FieldError;

pub(crate) const SUITE: Suite = Suite {
    name: "crd-accept",
    about: "definitions: what creating them is answered with",
    recorded: "crd/_acceptance.json",
    run,
};

/// The definitions of the suite.
#[derive(Debug, Deserialize)]
struct AcceptanceFile {
    cases: Vec<AcceptanceCase>,
}

/// The outcome of one definition.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AcceptanceCase {
    name: String,
    crd: Value,
    #[serde(default)]
    decode_error: Option<String>,
    accepted: bool,
    #[serde(default)]
    errors: Vec<FieldError>,
    #[serde(default)]
    warnings: Vec<String>,
    /// The texts contain names that differ from run to run.
    #[serde(default)]
    detail_unstable: bool,
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let recorded = Recorded::open(&args.path)?;
    let document = recorded.only().or_else(|_| recorded.document("_acceptance.json"))?;
    let file: AcceptanceFile = document.read_json()?;
    for case in file.cases {
        let mut diff = Diff::default();
        match judge(case.crd) {
            Err(error) => diff.same("decodeError", case.decode_error, Some(error)),
            Ok(verdict) => {
                diff.same("decodeError", case.decode_error, None);
                diff.same("accepted", case.accepted, verdict.errors.is_empty());
                let mut warnings = verdict.warnings;
                warnings.sort_unstable();
                diff.list("warnings", &case.warnings, warnings);
                if case.detail_unstable {
                    diff.places("errors", &case.errors, &verdict.errors.into_vec());
                } else {
                    diff.errors("errors", &case.errors, &verdict.errors.into_vec());
                }
            }
        }
        diff.report(&case.name, report);
    }
    Ok(())
}

/// Decodes, defaults and judges a manifest.
fn judge(mut manifest: Value) -> Result<Verdict, String> {
    shapes::check(&manifest).map_err(|misfit| misfit.to_string())?;
    prepare::set_defaults(&mut manifest);
    prepare::for_create(&mut manifest);
    let crd = Crd::read(&manifest).map_err(|error| error.to_string())?;
    Ok(accept::create(&crd, Release::NEWEST))
}
