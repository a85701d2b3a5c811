//! `sprag gen`: Rust from tagged types.

mod files;

use std::path::PathBuf;

use clap::Args;
use sprag_codegen::{Options, Output, generate};
use sprag_idl::model::Package;
use sprag_idl::{Finding, Severity};
use sprag_rules::types::Universe;
use sprag_rules::{Foreign, Hooks, LowerOptions, Mistakes, Untagged, lower};

use self::files::Difference;
use crate::commands::Outcome;
use crate::commands::types::TypesArgs;
use crate::output::Terminal;

/// What to generate, and where to.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct GenArgs {
    #[command(flatten)]
    types: TypesArgs,

    /// Directory to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Write nothing, and fail when a file is stale, missing or left over
    #[arg(long)]
    verify: bool,

    /// Module with the functions that validators call
    #[arg(long, value_name = "PATH", default_value = "::sprag::validate")]
    runtime_path: String,

    /// Module with dynamic values and Kubernetes' scalar types
    #[arg(long, value_name = "PATH", default_value = "::sprag::value")]
    value_path: String,

    /// Module with the hand-written checks
    #[arg(long, value_name = "PATH", default_value = "crate::hooks")]
    hooks_path: String,

    /// Where the types of a Rust module are, seen from the generated code; may be repeated
    #[arg(long = "type-path", value_name = "MODULE=PATH", value_parser = parse_type_path)]
    type_paths: Vec<(String, String)>,

    /// Imported package whose rules apply too, any other being refused; may be repeated [default: all that are found]
    #[arg(long = "readonly-pkg", value_name = "IMPORT")]
    readonly: Vec<String>,
}

const AFTER_HELP: &str = "\
Of Go packages, Rust types and their validators are written; of Rust modules, validators only. Nothing is written
when a tag is wrong. Files are replaced only when they change.

Examples:
  sprag gen --types k8s.io/api@v0.34.0/core/v1 --out src/generated
  sprag gen --types src/widget.rs --type-path widget=crate::widget --out src/generated
  sprag gen --types ./api -R --out src/generated --verify";

fn parse_type_path(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((module, path)) if !module.is_empty() && !path.is_empty() => Ok((module.to_owned(), path.to_owned())),
        _ => Err(format!("{text:?} is not of the form MODULE=PATH")),
    }
}

pub(crate) fn run(args: &GenArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let mut loaded = args.types.load()?;
    let given: Vec<String> = loaded.given().map(str::to_owned).collect();
    let is_included = |package: &Package| {
        args.readonly.is_empty() || args.readonly.contains(&package.path) || given.contains(&package.path)
    };
    let universe = Universe::new(std::mem::take(&mut loaded.packages), is_included);
    let options = LowerOptions {
        dialect: args.types.dialect()?,
        untagged: Untagged::AllTypes,
        foreign: if args.readonly.is_empty() { Foreign::Opaque } else { Foreign::Refuse },
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
    };
    let lowering = lower(&universe, &args.types.registry()?, options);
    let mut findings = loaded.findings;
    findings.extend(lowering.findings);
    let mut output = None;
    if !has_errors(&findings) {
        match generate(&universe, &lowering.plan, &generator_options(args)) {
            Ok(files) => output = Some(files),
            Err(refusals) => findings.extend(refusals),
        }
    }
    for finding in &findings {
        terminal.finding(finding, &loaded.sources);
    }
    match output {
        Some(output) => deliver(args, &output, terminal),
        None => Ok(Outcome::Findings),
    }
}

fn has_errors(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

fn generator_options(args: &GenArgs) -> Options {
    Options {
        runtime: args.runtime_path.clone(),
        value: args.value_path.clone(),
        hooks: args.hooks_path.clone(),
        shape: None,
        rest: None,
        type_paths: args.type_paths.iter().cloned().collect(),
    }
}

fn deliver(args: &GenArgs, output: &Output, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let differences = files::compare(&args.out, &output.files)?;
    for difference in &differences {
        let place = args.out.join(difference.path());
        if args.verify {
            terminal.line(format_args!("{}: {}", place.display(), difference.state()))?;
            continue;
        }
        difference.settle(&args.out)?;
        let done = if matches!(difference, Difference::Extra { .. }) { "removed" } else { "wrote" };
        terminal.line(format_args!("{done} {}", place.display()))?;
    }
    Ok(if args.verify && !differences.is_empty() { Outcome::Findings } else { Outcome::Clean })
}
