//! `sprag check`: what the API server would say about an object of a type.

mod choose;
mod hooks;
mod objects;
mod report;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sprag_field::{Errors, Policy, enforce};
use sprag_idl::Severity;
use sprag_rules::types::{DefId, Universe};
use sprag_rules::{Foreign, Hooks, Interpreter, LowerOptions, Lowering, Registry, Untagged, lower};
use sprag_validate::{Op, Options, Request};

use self::hooks::Recorder;
use self::objects::Objects;
use self::report::Report;
use crate::commands::Outcome;
use crate::commands::types::TypesArgs;
use crate::conform::conform;
use crate::output::Terminal;

/// What to check, and how.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    types: TypesArgs,

    /// Name of the object's type, with its package where that is needed [default: the object's kind]
    #[arg(long = "type", value_name = "TYPE")]
    ty: Option<String>,

    /// The object, as JSON; `-` reads standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: PathBuf,

    /// The object before the update; without it the object is created
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,

    /// An option (feature gate) that rules depend on; may be repeated
    #[arg(long = "option", value_name = "NAME=BOOL", value_parser = parse_option)]
    options: Vec<(String, bool)>,

    /// The subresource of the request, such as `status`
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,

    /// How to print the result: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const AFTER_HELP: &str = "\
Errors go to standard output, one per line, as Kubernetes prints them. Warnings, notes and findings about the
types go to standard error.

Examples:
  sprag check --types ./api/v1 --type Widget -f widget.json
  sprag check --types src/widget.rs -f new.json --old old.json --option WidgetPriority=true
  kubectl get deploy web -o json | sprag check --types k8s.io/api@v0.34.0/apps/v1 -f - --subresource status";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One error per line
    #[default]
    Text,
    /// One document with errors, warnings, hooks and findings
    Json,
}

fn parse_option(text: &str) -> Result<(String, bool), String> {
    let problem = || format!("{text:?} is not of the form NAME=true or NAME=false");
    let (name, value) = text.split_once('=').ok_or_else(problem)?;
    let value = value.parse().map_err(|_| problem())?;
    if name.is_empty() { Err(problem()) } else { Ok((name.to_owned(), value)) }
}

pub(crate) fn run(args: &CheckArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let Some(objects) = Objects::read(&args.file, args.old.as_deref(), terminal)? else {
        return Ok(Outcome::Findings);
    };
    let mut loaded = args.types.load()?;
    let choice = choose::find_type(&loaded, args.ty.as_deref(), &objects.new)?;
    loaded.narrow(&choice.package, &choice.name);
    choice.make_root(&mut loaded.packages);
    let universe = Universe::new(loaded.packages, |_| true);
    let def = choice.def(&universe)?;
    let options = LowerOptions {
        dialect: args.types.dialect()?,
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
    };
    let lowering = lower(&universe, &Registry::standard(), options);

    let mut report = Report::new(universe.def_name(def), objects.old.is_some());
    report.findings = loaded.findings;
    report.findings.extend(lowering.findings.iter().cloned());
    if report.findings.iter().all(|finding| finding.severity == Severity::Warning) {
        report.subresource = choose::subresource(&universe, &lowering, def, args.subresource.as_deref())?;
        judge(&universe, &lowering, def, &objects, &options_of(args), &mut report);
    }
    match args.output {
        Format::Text => report.print_text(&loaded.sources, terminal)?,
        Format::Json => report.print_json(&loaded.sources, terminal)?,
    }
    Ok(if report.is_valid() { Outcome::Clean } else { Outcome::Findings })
}

fn options_of(args: &CheckArgs) -> Options {
    args.options.iter().map(|(name, on)| (name.as_str(), *on)).collect()
}

/// An object that does not fit its type is refused before any rule sees it.
fn judge(
    universe: &Universe,
    lowering: &Lowering,
    def: DefId,
    objects: &Objects,
    options: &Options,
    report: &mut Report,
) {
    let mut errors = Errors::new();
    if let Some(old) = &objects.old {
        conform(universe, def, old, &mut errors);
        errors.warnings.clear();
        for error in errors.since_mut(0) {
            error.field = format!("old object: {}", error.field);
        }
    }
    conform(universe, def, &objects.new, &mut errors);
    if errors.is_empty() {
        let hooks = Recorder::default();
        let op = if objects.old.is_some() { Op::Update } else { Op::Create };
        let request = Request { op, options, subresource: &report.subresource };
        let interpreter = Interpreter::new(universe, &lowering.plan, &hooks);
        interpreter.validate(&request, def, &objects.new, objects.old.as_ref(), &mut errors);
        report.hooks = hooks.into_calls();
        report.notes = notes(lowering, def, &errors, &report.ty);
    }
    report.warnings = std::mem::take(&mut errors.warnings);
    let outcome = enforce(errors.into_vec(), &Policy::default());
    (report.errors, report.not_enforced) = (outcome.enforced, outcome.shadowed);
}

/// What a user can do about rules that could not be judged.
fn notes(lowering: &Lowering, def: DefId, errors: &Errors, ty: &str) -> Vec<String> {
    let undefined = errors.iter().filter_map(|error| error.detail.strip_prefix("undefined validation option "));
    let names: BTreeSet<&str> = undefined.map(|name| name.trim_matches('"')).collect();
    let mut notes: Vec<String> =
        names.iter().map(|name| format!("define the option: --option {name}=true or --option {name}=false")).collect();
    if lowering.plan.root(def).is_none() {
        notes.push(format!("type {ty} has no rules"));
    }
    notes
}
