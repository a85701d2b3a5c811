//! `sprag gen`: Rust from tagged types.

mod crd;
mod files;
mod hooks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use sprag_analysis::declared::{all_kinds, set_roots};
use sprag_codegen::{Options, Output, generate};
use sprag_idl::model::Package;
use sprag_idl::{Finding, Severity};
use sprag_program::DefId;
use sprag_rest::kubernetes_gate;
use sprag_tags::types::Universe;
use sprag_tags::{Foreign, Hooks, LowerOptions, Mistakes, Untagged, lower};

use crate::commands::Outcome;
use crate::commands::types::TypesArgs;
use crate::output::Terminal;
use crate::report::visible::visible;

/// Arguments of `sprag gen`.
#[derive(Args)]
#[command(after_help = AFTER_HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct GenArgs {
    #[command(subcommand)]
    form: Option<Form>,

    #[command(flatten)]
    types: TypesArgs,

    /// Directory to write to
    #[arg(long, value_name = "DIR", required_unless_present = "lint")]
    out: Option<PathBuf>,

    /// Write nothing, and print what the linter of upstream's validation-gen says; `sprag lint` says more
    #[arg(long)]
    lint: bool,

    /// Write nothing, and fail when a file is stale, missing or left over
    #[arg(long)]
    verify: bool,

    /// Module with the functions that validators call
    #[arg(long, value_name = "PATH", default_value = "::sprag::checks")]
    runtime_path: String,

    /// Module with dynamic values and Kubernetes' scalar types
    #[arg(long, value_name = "PATH", default_value = "::sprag::value")]
    value_path: String,

    /// Module with the hand-written checks
    #[arg(long, value_name = "PATH", default_value = "crate::hooks")]
    hooks_path: String,

    /// File to add a stub to for each hand-written check that it does not have
    #[arg(long, value_name = "FILE")]
    hook_stubs: Option<PathBuf>,

    /// Also make validators of the kinds that `+k8s:validation-gen` of their packages does not select
    #[arg(long)]
    all_kinds: bool,

    /// Path of the types of a Rust module, seen from the generated code; may be repeated
    #[arg(long = "type-path", value_name = "MODULE=PATH", value_parser = parse_type_path)]
    type_paths: Vec<(String, String)>,

    /// Imported package whose rules apply too, any other being refused; may be repeated [default: all that are found]
    #[arg(long = "readonly-pkg", value_name = "IMPORT")]
    readonly: Vec<String>,
}

/// Output formats other than Rust.
#[derive(Subcommand)]
enum Form {
    /// Generate definitions of custom resources from types, for clusters that do not run Sprag.
    Crd(crd::CrdArgs),
    /// Generate an `OpenAPI` document with the schemas of all kinds.
    #[command(name = "openapi")]
    OpenApi(crd::OpenApiArgs),
}

const AFTER_HELP: &str = "\
Of Go packages, Rust types and their validators are written; of Rust modules, validators only. Nothing is written
when a tag is wrong. Files are replaced only when they change.

Validators are made of the types that `+k8s:validation-gen` of their package selects, as upstream's validation-gen does,
and of all types of a package without that tag. Kinds that are left out are named.

`sprag gen crd` makes definitions of custom resources instead.

Examples:
  sprag gen --types ~/go/pkg/mod/k8s.io/api@v0.34.0/core/v1 --out src/generated
  sprag gen --types src/widget.rs --type-path widget=crate::widget --out src/generated
  sprag gen --types ~/go/pkg/mod/k8s.io/api@v0.34.0/resource/v1 --all-kinds --out src/generated --hook-stubs src/hooks.rs
  sprag gen --types ./api -R --out src/generated --verify";

fn parse_type_path(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((module, path)) if !module.is_empty() && !path.is_empty() => Ok((module.to_owned(), path.to_owned())),
        _ => Err(format!("{text:?} is not of the form MODULE=PATH")),
    }
}

pub(crate) fn run(args: &GenArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match (&args.form, &args.out) {
        (Some(Form::Crd(args)), _) => crd::run(args, terminal),
        (Some(Form::OpenApi(args)), _) => crd::run_openapi(args, terminal),
        (None, _) if args.lint => lint_only(args, terminal),
        (None, Some(out)) => generate_rust(args, out, terminal),
        (None, None) => anyhow::bail!("nothing says where to write to: --out DIR"),
    }
}

fn generate_rust(args: &GenArgs, out: &Path, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let mut loaded = args.types.load()?;
    let kinds = all_kinds(&loaded.packages, &loaded.given);
    if args.all_kinds {
        set_roots(&mut loaded.packages, |package, name| kinds.contains(&(package.path.clone(), name.to_owned())));
    }
    let given: Vec<String> = loaded.given.iter().cloned().collect();
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
    let Some(output) = output else { return Ok(Outcome::Findings) };
    let outcome = deliver(args, out, &output, terminal)?;
    if args.verify {
        return Ok(outcome);
    }
    let hooks = hooks::hooks(&universe, &lowering.plan);
    if let Some(file) = &args.hook_stubs {
        for function in hooks::add_stubs(file, &hooks, &args.runtime_path)? {
            terminal.line(visible(&format!("added {function} to {}", file.display())))?;
        }
    }
    let notes = hooks.iter().map(|hook| hook.note(&args.hooks_path)).chain(own_gates(lowering.gates.keys()));
    for note in left_out(&universe, &lowering.root_types, &kinds).into_iter().chain(notes) {
        terminal.note(&note);
    }
    Ok(outcome)
}

/// Prints what is wrong with the tags, and what upstream's linter says of them.
fn lint_only(args: &GenArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let mut loaded = args.types.load()?;
    let universe = Universe::new(std::mem::take(&mut loaded.packages), |_| true);
    let options = LowerOptions {
        dialect: args.types.dialect()?,
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
    };
    let registry = args.types.registry()?;
    let lowering = lower(&universe, &registry, options);
    let mut findings = loaded.findings;
    findings.extend(lowering.findings);
    findings.extend(sprag_lint::lint(&universe, &registry, &lowering.root_types));
    for finding in &findings {
        terminal.finding(finding, &loaded.sources);
    }
    Ok(if has_errors(&findings) { Outcome::Findings } else { Outcome::Clean })
}

/// Returns a warning about feature gates that tags name and Kubernetes does not have.
fn own_gates<'g>(named: impl Iterator<Item = &'g String>) -> Option<String> {
    let own: Vec<&str> = named.map(String::as_str).filter(|name| kubernetes_gate(name).is_none()).collect();
    let names = own.join(", ");
    (!own.is_empty())
        .then(|| format!("the server has to declare the feature gates {names}: Kubernetes has none of these names"))
}

/// Returns warnings about kinds without a validator, one line for each package.
fn left_out(universe: &Universe, roots: &[DefId], kinds: &BTreeSet<(String, String)>) -> Vec<String> {
    let mut by_package: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (package, name) in kinds {
        let is_root = universe.find(package, name).is_some_and(|def| roots.contains(&def));
        if !is_root {
            by_package.entry(package).or_default().push(name);
        }
    }
    let note = |(package, names): (&str, Vec<&str>)| {
        let names = names.join(", ");
        format!("no validator of {names}: +k8s:validation-gen of {package} does not select them; --all-kinds does")
    };
    by_package.into_iter().map(note).collect()
}

fn has_errors(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

fn generator_options(args: &GenArgs) -> Options {
    Options {
        program: false,
        runtime: args.runtime_path.clone(),
        value: args.value_path.clone(),
        hooks: args.hooks_path.clone(),
        shape: None,
        rest: None,
        type_paths: args.type_paths.iter().cloned().collect(),
    }
}

fn deliver(args: &GenArgs, out: &Path, output: &Output, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let differences = files::compare(out, &output.files)?;
    files::deliver(&differences, out, args.verify, args.types.follows_links(), terminal)
}
