//! `sprag coverage`: the rules of declared types that no test triggers.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::bail;
use clap::Args;
use sprag_analysis::Settled;
use sprag_analysis::declared::{Kinds, PassAll};
use sprag_analysis::files::{Discovery, IgnorePatterns, Place};
use sprag_build::Findings as SourceFindings;
use sprag_build::load::Loaded;
use sprag_checks::{Op, Request};
use sprag_field::Errors;
use sprag_program::{Check, Program, Resource};
use sprag_rest::{FeatureGates, Findings, Observer, Offline, ProgramConfig, split_api_version};
use sprag_value::Value;

use crate::commands::types::{OptionArgs, TypesArgs};
use crate::commands::{Outcome, test};
use crate::output::Terminal;

/// Arguments of `sprag coverage`: the rules and the tests.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CoverageArgs {
    #[command(flatten)]
    types: TypesArgs,

    /// Test files and folders with everything below them, as `sprag test` takes them
    #[arg(value_name = "PATH", required = true)]
    tests: Vec<Place>,

    #[command(flatten)]
    options: OptionArgs,

    /// Also print the rules that tests trigger, with the number of tests
    #[arg(long)]
    verbose: bool,
}

const AFTER_HELP: &str = "\
Runs the objects of all tests through the rules of the types and counts the tests in which each rule finds something.
The exit code is 1 if there is a rule that no test triggers.

Examples:
  sprag coverage --types ./api/v1 tests/
  sprag coverage --types ./api/v1 --verbose tests/widget.yaml";

pub(crate) fn run(args: &CoverageArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let loaded = args.types.load()?;
    let Loaded { sources, packages, mut findings, given } = loaded;
    let switches = args.options.switches();
    let kinds = Kinds::new(packages, &given, &args.types.registry()?, args.types.dialect()?, &switches)?;
    findings.extend(kinds.declared.findings.iter().cloned());
    let errors = SourceFindings::errors(&findings, &sources);
    if !errors.0.is_empty() {
        bail!("the declared types have errors\n{errors}");
    }
    let program = kinds.declared.program.clone();
    let used = program.resources().iter().flat_map(|resource| program.options(resource.def)).collect();
    let Settled { gates, .. } = switches.settle(&used)?;
    if program.resources().iter().all(|resource| program.rules(resource.def).is_empty()) {
        bail!(
            "the types declare no kind that has rules: a kind is a Go struct that embeds metav1.TypeMeta, or a Rust struct with \
             metadata: ObjectMeta, and +k8s: tags are its rules"
        );
    }
    let tracer = Tracer::new(program.clone(), gates);
    let ignored = IgnorePatterns::default();
    let files = Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false };
    for found in files.find(&args.tests)? {
        for (given, old) in test::objects(&found)? {
            tracer.judge(&given, old.as_ref());
        }
    }
    let counts = tracer.counts();
    let mut missed = 0;
    for resource in program.resources() {
        missed += print(&program, resource, &counts, args.verbose, terminal)?;
    }
    Ok(if missed > 0 { Outcome::Findings } else { Outcome::Clean })
}

/// Prints the rules of a kind; returns how many of them no test triggers.
fn print(
    program: &Program,
    resource: &Resource,
    counts: &BTreeMap<String, usize>,
    verbose: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<usize> {
    let rules = program.rules(resource.def);
    if rules.is_empty() {
        return Ok(0);
    }
    let missed = rules.iter().filter(|rule| !counts.contains_key(&rule.name)).count();
    let total = rules.len();
    let hit = rules.len() - missed;
    let name = program.type_name(resource.def);
    let out = terminal.out();
    writeln!(out, "{name}: {hit} of {total} rules triggered ({} %)", hit * 100 / total)?;
    for rule in &rules {
        match counts.get(&rule.name) {
            None => writeln!(out, "  never: {}", rule.name)?,
            Some(count) if verbose => writeln!(out, "  {count:5}: {}", rule.name)?,
            Some(_) => {}
        }
    }
    Ok(missed)
}

/// Judges objects and counts which rules find something.
struct Tracer {
    offline: Offline,
    config: ProgramConfig,
    counter: Arc<Counter>,
}

/// Runs rules once more on the arguments they had, and notes which find something.
struct Counter {
    program: Arc<Program>,
    gates: FeatureGates,
    counts: Mutex<BTreeMap<String, usize>>,
}

impl Observer for Counter {
    fn judged(&self, findings: &Findings<'_>) {
        let Findings { cx, new, old, .. } = *findings;
        let Some(resource) = self.program.find(cx.definition.group(), cx.version, &cx.definition.kind) else { return };
        let op = if old.is_some() { Op::Update } else { Op::Create };
        let request = Request { op, options: self.gates.options(), subresource: cx.subresource, beta: true };
        let seen = RefCell::new(BTreeSet::new());
        let trace = |check: &Check| {
            seen.borrow_mut().insert(std::ptr::from_ref(check).addr());
        };
        self.program.validate_traced((&PassAll, &trace), &request, resource.def, new, old, &mut Errors::new());
        let seen = seen.into_inner();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for rule in self.program.rules(resource.def) {
            if seen.contains(&std::ptr::from_ref(rule.check).addr()) {
                *counts.entry(rule.name).or_default() += 1;
            }
        }
    }
}

impl Tracer {
    fn new(program: Arc<Program>, gates: FeatureGates) -> Tracer {
        let counter = Counter { program: program.clone(), gates: gates.clone(), counts: Mutex::default() };
        let counter = Arc::new(counter);
        let config = ProgramConfig::new(program, Arc::new(PassAll));
        let offline = Offline::new(gates).without_managed_fields().observed_by(counter.clone());
        Tracer { offline, config, counter }
    }

    fn judge(&self, given: &Value, old: Option<&Value>) {
        let text = |key: &str| given.get(key).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = split_api_version(text("apiVersion"));
        let Some(resource) = self.counter.program.find(group, version, text("kind")) else { return };
        let info = self.offline.resource(self.config.define(group, version, resource));
        // An object that cannot be judged triggers no rule; `sprag test` says why.
        drop(self.offline.judge(&info, version, given.clone(), old));
    }

    fn counts(&self) -> BTreeMap<String, usize> {
        self.counter.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
