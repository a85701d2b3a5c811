//! `bad-tags`: type definitions that misuse tags, and the generator's verdict.

use crate::args::Args;
use crate::report::Report;

pub(crate) fn run(_: &Args, _: &mut Report) -> Result<(), String> {
    Err("not built yet".into())
}
