//! `sprag check`: what the API server would say about an object of a type.

mod choose;
mod objects;
mod report;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use sprag_analysis::Settled;
use sprag_analysis::declared::{Case, Declared, set_roots};
use sprag_idl::Severity;
use sprag_rest::Release;

use self::objects::Objects;
use self::report::Report;
use crate::commands::Outcome;
use crate::commands::types::{OptionArgs, TypesArgs};
use crate::output::Terminal;

/// Arguments of `sprag check`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    types: TypesArgs,

    /// Name of the object's type, with its package where that is needed [default: the object's kind]
    #[arg(long = "type", value_name = "TYPE")]
    ty: Option<String>,

    /// The object, as JSON or YAML; `-` reads standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: PathBuf,

    /// The object before the update; without it the object is created
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,

    #[command(flatten)]
    options: OptionArgs,

    /// Release of Kubernetes, from 1.33 on, for types with `+sprag:since` or `+sprag:until` [default: 1.37]
    #[arg(long, value_name = "VERSION")]
    kubernetes_version: Option<Release>,

    /// The subresource of the request, such as `status`
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,

    /// Output format: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const AFTER_HELP: &str = "\
Errors go to standard output, one per line, as Kubernetes prints them. Warnings, notes and findings about the
types go to standard error.

Examples:
  sprag check --types ./api/v1 --type Widget -f widget.json
  sprag check --types src/widget.rs -f new.json --old old.json --option WidgetPriority=true
  kubectl get deploy web -o json | sprag check --types ~/go/pkg/mod/k8s.io/api@v0.34.0/apps/v1 -f - --subresource status";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One error per line
    #[default]
    Text,
    /// One document with errors, warnings, hooks and findings
    Json,
}

pub(crate) fn run(args: &CheckArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let Some(objects) = Objects::read(&args.file, args.old.as_deref(), terminal)? else {
        return Ok(Outcome::Findings);
    };
    let mut loaded = args.types.load()?;
    let choice = choose::find_type(&loaded, args.ty.as_deref(), &objects.new)?;
    loaded.narrow(&choice.package, &choice.name);
    let is_selected = choice.is_selected(&loaded.packages, args.types.dialect()?);
    set_roots(&mut loaded.packages, |package, name| package.path == choice.package && name == choice.name);
    let release = args.kubernetes_version.unwrap_or_default();
    let declared = Declared::of_release(loaded.packages, &args.types.registry()?, args.types.dialect()?, release);
    if release != Release::NEWEST && !declared.knows_releases {
        bail!(
            "--kubernetes-version {release}: no tag of {} names a release (+sprag:since, +sprag:until): leave it out",
            choice.name
        );
    }
    let def = choice.def(&declared.universe)?;

    let mut report = Report::new(declared.universe.def_name(def), objects.old.is_some());
    report.findings = loaded.findings;
    report.findings.extend(declared.findings.iter().cloned());
    if report.findings.iter().all(|finding| finding.severity == Severity::Warning) {
        report.subresource = choose::subresource(&declared, def, args.subresource.as_deref())?;
        let new = &objects.new;
        let old = objects.old.as_ref();
        let subresource = report.subresource.trim_start_matches('/');
        let Settled { gates, unset } = args.options.switches().settle(&declared.program.options(def))?;
        let resource = declared.program.resources().iter().find(|resource| resource.def == def);
        let resource = resource.context("the type is not a root")?;
        report.verdict = declared.judge(&Case { resource, new, old, gates: &gates, unset: &unset, subresource });
        if !is_selected {
            report.verdict.notes.push(choice.left_out());
        }
    }
    match args.output {
        Format::Text => report.print_text(&loaded.sources, terminal)?,
        Format::Json => report.print_json(&loaded.sources, terminal)?,
    }
    Ok(if report.is_valid() { Outcome::Clean } else { Outcome::Findings })
}
