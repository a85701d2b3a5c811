//! `formats`: every string format on every recorded string.

use sprag_checks::format::Format;
use sprag_checks::{At, Errors, Request, scalar};

use crate::args::Args;
use crate::compare;
use crate::recorded::Recorded;
use crate::report::Report;
use crate::suite::Suite;
use crate::wire::{CaseError, FormatRow};

pub(crate) const SUITE: Suite = Suite {
    name: "formats",
    about: "strings and what each format says of them",
    recorded: "formats.json",
    run,
};

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let rows: Vec<FormatRow> = Recorded::open(&args.path)?.only()?.read()?;
    for row in rows {
        let name = format!("{} {:?}", row.format, row.value);
        let Ok(format) = row.format.parse::<Format>() else {
            report.fail(&name, "  unknown format\n");
            continue;
        };
        let request = Request::create();
        let mut errors = Errors::new();
        scalar::format(&At::root(&request).child("f"), Some(row.value.as_str()), format, &mut errors);
        let got = compare::recorded(&errors.into_vec());
        let want: Vec<_> = row.full.into_iter().map(|error| CaseError { field: "f".into(), ..error }).collect();
        match compare::diff(&want, &got, false) {
            None => report.pass(),
            Some(diff) => report.fail(&name, &diff),
        }
    }
    Ok(())
}
