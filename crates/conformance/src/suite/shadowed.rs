//! `shadowed`: the enforced verdict is the verdict of the same types with every shadowed rule deleted.
//!
//! Random types have rules of all stages. Alpha rules are shadowed, beta rules too while their gate is off. Each type is held
//! against a copy of its source without the lines of shadowed rules: the errors that are enforced and the warnings must be the
//! same, on either backend, in both dialects; so must exported definitions. Their order may differ: groups of rules come in the
//! order in which they are mentioned, by rules of any stage, as upstream's do.

mod objects;
mod types;

use sprag_checks::{Op, Options, Request};
use sprag_export::{Settings, definitions};
use sprag_field::{Errors, Enforcement, Stage};
use sprag_idl::{GoPackageInput, Severity, Sources, read_go};
use sprag_program::{DefId, NoHooks, Program, ProgramParts};
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, Foreign, LowerOptions, Lowering, Registry, Untagged, lower, program_parts};
use sprag_value::json;

use self::objects::Case;
use super::fuzz::Source;
use crate::args::{Args, Backend};
use crate::generated::{self, Call};
use crate::report::Report;
use crate::suite::Suite;
use crate::wire::CaseError;

pub(super) const SUITE: Suite = Suite {
    name: "shadowed",
    about: "random types: rules that are only observed change no verdict (SPRAG_FULL=1: all of them; --backend generated)",
    recorded: "",
    run,
};

/// Random types and objects of each, bounded and in full.
const INTERPRETED: [(u64, u64); 2] = [(300, 10), (20_000, 10)];
const GENERATED: [(u64, u64); 2] = [(20, 100), (200, 1000)];
const DIALECTS: [Dialect; 2] = [Dialect::Kubernetes, Dialect::Kep];

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let full = usize::from(std::env::var_os("SPRAG_FULL").is_some());
    match args.backend {
        Backend::Interpreted => {
            let (types, objects) = INTERPRETED[full];
            for dialect in DIALECTS {
                run_interpreted(dialect, types, objects, report);
            }
            Ok(())
        }
        Backend::Generated => {
            let (types, objects) = GENERATED[full];
            run_generated(types, objects, args, report)
        }
    }
}

fn run_interpreted(dialect: Dialect, types: u64, objects: u64, report: &mut Report) {
    let mut refused = 0;
    let mut enforced = 0;
    let mut shadowed = 0;
    let mut found = 0;
    for seed in 0.. {
        if found == types {
            break;
        }
        let Some(trio) = Trio::random(dialect, seed) else {
            refused += 1;
            continue;
        };
        found += 1;
        let name = format!("{dialect} seed {seed}");
        let [whole, without_alpha, _] = &trio.views;
        let got = whole.definitions();
        let want = without_alpha.definitions();
        if want == got {
            report.pass();
        } else {
            report.fail(&name, &format!("  - {want:?}\n  + {got:?}\n{}\n", trio.source));
        }
        let mut source = Source::new(seed);
        for _ in 0..objects {
            let case = Case::random(&mut source, &whole.parts, whole.root);
            for (beta, stripped) in [(true, &trio.views[1]), (false, &trio.views[2])] {
                let (got, observed) = whole.verdict(&case, beta);
                let (want, _) = stripped.verdict(&case, beta);
                enforced += usize::from(!want.is_empty());
                shadowed += usize::from(observed > 0);
                if want == got {
                    report.pass();
                } else {
                    report.fail(&name, &difference(&trio.source, &case, beta, &want, &got));
                }
            }
        }
    }
    Report::note(&format!(
        "{dialect}: {found} types ({refused} more were refused), {enforced} verdicts with errors, {shadowed} with shadowed ones"
    ));
}

fn difference(source: &str, case: &Case, beta: bool, want: &[String], got: &[String]) -> String {
    let lines = |sign: char, lines: &[String]| {
        let marked: Vec<String> = lines.iter().map(|line| format!("  {sign} {line}\n")).collect();
        marked.concat()
    };
    let new = json::to_string(&case.new);
    let old = json::to_string(&case.old);
    format!("{}{}  beta {beta}, options {:?}\n  new {new}\n  old {old}\n{source}\n", lines('-', want), lines('+', got), case.options)
}

/// A type with all of its rules, without alpha ones, and without alpha and beta ones.
struct Trio {
    source: String,
    views: [View; 3],
}

impl Trio {
    /// The random type of a seed, unless its rules do not go together.
    fn random(dialect: Dialect, seed: u64) -> Option<Trio> {
        let source = types::declarations(&mut Source::new(seed), dialect, "");
        let view = |source: &str| View::new(dialect, source);
        let views = [view(&source)?, view(&without(&source, &["alpha"]))?, view(&without(&source, &["alpha", "beta"]))?];
        Some(Trio { source, views })
    }
}

/// The source without the lines of rules of these stages.
fn without(source: &str, stages: &[&str]) -> String {
    let is_kept = |line: &&str| !stages.iter().any(|stage| line.contains(&format!("+k8s:{stage}=")));
    source.split_inclusive('\n').filter(is_kept).collect()
}

struct View {
    parts: ProgramParts,
    program: Program,
    root: DefId,
}

impl View {
    fn new(dialect: Dialect, declarations: &str) -> Option<View> {
        let (universe, lowering) = lowered(dialect, &[("example.com/api/v1", declarations)])?;
        let mut parts = program_parts(&universe, &lowering);
        parts.resources.retain(|resource| resource.facts.has_spec);
        let root = universe.find("example.com/api/v1", "Widget")?;
        Some(View { program: Program::new(parts.clone()), parts, root })
    }

    /// The enforced errors and the warnings of a case, and the number of errors that were only observed.
    fn verdict(&self, case: &Case, beta: bool) -> (Vec<String>, usize) {
        let options: Options = case.options.iter().copied().collect();
        let (op, old) = if case.old.is_null() { (Op::Create, None) } else { (Op::Update, Some(&case.old)) };
        let request = Request { op, options: &options, subresource: "/", beta };
        let mut errors = Errors::new();
        self.program.validate_object(&NoHooks, &request, self.root, &case.new, old, &mut errors);
        let all = errors.len();
        errors.enforce(&Enforcement { beta, ..Enforcement::default() });
        let observed = all - errors.len();
        let warnings = errors.warnings.iter().map(|warning| format!("{}: warning: {}", warning.field, warning.message));
        let mut lines: Vec<String> = warnings.collect();
        lines.extend(errors.iter().map(|error| format!("{error} ({:?}, {})", error.kind, error.origin)));
        lines.sort();
        (lines, observed)
    }

    /// The definitions that the type is exported as, with the rules of each place sorted.
    fn definitions(&self) -> Vec<String> {
        let exported = definitions(&self.parts, &Settings::default());
        let texts = exported.definitions.iter().map(|definition| {
            let mut definition = serde_json::from_str(&json::to_string(definition)).expect("a definition is JSON");
            sort_rules(&mut definition);
            definition.to_string()
        });
        texts.collect()
    }
}

/// Sorts all lists of CEL rules in a definition.
fn sort_rules(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, member) in members {
                sort_rules(member);
                if name == "x-kubernetes-validations"
                    && let Some(rules) = member.as_array_mut()
                {
                    rules.sort_by_key(ToString::to_string);
                }
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(sort_rules),
        _ => {}
    }
}

/// Packages with these declarations, or `None` where the rules are refused.
fn lowered(dialect: Dialect, packages: &[(&str, &str)]) -> Option<(Universe, Lowering)> {
    let mut sources = Sources::default();
    let mut read = Vec::new();
    for (path, declarations) in packages {
        let head = "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n";
        let file = sources.add("types.go", format!("{head}{declarations}"));
        let (package, findings) = read_go(GoPackageInput { path, files: &[file] }, &sources);
        assert!(findings.is_empty(), "{findings:?}\n{declarations}");
        read.push(package);
    }
    let universe = Universe::new(read, |_| true);
    let options = LowerOptions {
        dialect: Some(dialect),
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        ..LowerOptions::default()
    };
    let lowering = lower(&universe, &Registry::standard(), options);
    let is_accepted = lowering.findings.iter().all(|finding| finding.severity != Severity::Error);
    is_accepted.then_some((universe, lowering))
}

/// The packages of the generated crate: all rules, no alpha ones, no alpha and beta ones.
const PACKAGES: [&str; 3] = ["example.com/whole/v1", "example.com/noalpha/v1", "example.com/stable/v1"];

fn run_generated(types: u64, objects: u64, args: &Args, report: &mut Report) -> Result<(), String> {
    for dialect in DIALECTS {
        let seeds: Vec<u64> = (0..).filter(|seed| Trio::random(dialect, *seed).is_some()).take(usize::try_from(types).unwrap_or(0)).collect();
        let whole: String =
            seeds.iter().map(|seed| types::declarations(&mut Source::new(*seed), dialect, &format!("S{seed}"))).collect();
        let sources = [whole.clone(), without(&whole, &["alpha"]), without(&whole, &["alpha", "beta"])];
        let packages: Vec<(&str, &str)> = PACKAGES.into_iter().zip(sources.iter().map(String::as_str)).collect();
        let (universe, lowering) = lowered(dialect, &packages).ok_or("types that lower alone do not lower together")?;
        let parts = program_parts(&universe, &lowering);
        let mut cases: Vec<(String, Case)> = Vec::new();
        for seed in &seeds {
            let name = format!("WidgetS{seed}");
            let root = universe.find(PACKAGES[0], &name).ok_or("a type is missing")?;
            let mut source = Source::new(*seed);
            cases.extend((0..objects).map(|_| (name.clone(), Case::random(&mut source, &parts, root))));
        }
        let calls: Vec<Call<'_>> = cases.iter().flat_map(|(name, case)| calls_of(name, case)).collect();
        let answers = generated::answers(&universe, &lowering.plan, &calls, args.work_dir.as_deref())?;
        for (index, (name, case)) in cases.iter().enumerate() {
            for (pair, beta) in [(0, true), (1, false)] {
                let of = |view: usize| enforced(&answers[index * 4 + pair * 2 + view], beta);
                let got = of(0);
                let want = of(1);
                if want == got {
                    report.pass();
                } else {
                    report.fail(&format!("{dialect} {name}"), &difference(&whole_of(dialect, name), case, beta, &want, &got));
                }
            }
        }
    }
    Ok(())
}

fn whole_of(dialect: Dialect, name: &str) -> String {
    let seed = name.trim_start_matches("WidgetS").parse().unwrap_or_default();
    types::declarations(&mut Source::new(seed), dialect, "")
}

/// The calls of one case: with the gate on and off, each on the whole type and on the one that has no shadowed rules then.
fn calls_of<'c>(name: &'c str, case: &'c Case) -> Vec<Call<'c>> {
    let call = |package: usize, beta: bool| Call {
        package: PACKAGES[package],
        ty: name,
        op: if case.old.is_null() { "create" } else { "update" },
        options: case.options.iter().copied().collect(),
        beta,
        subresource: "/",
        obj: &case.new,
        old: &case.old,
    };
    vec![call(0, true), call(1, true), call(0, false), call(2, false)]
}

/// The errors of an answer that are enforced.
fn enforced(answer: &Result<Vec<CaseError>, String>, beta: bool) -> Vec<String> {
    match answer {
        Err(failure) => vec![format!("failed: {failure}")],
        Ok(errors) => {
            let shadowed = |error: &&CaseError| {
                error.level == Stage::Alpha.name() || (!beta && error.level == Stage::Beta.name())
            };
            let line = |error: &CaseError| format!("{} ({}, {})", error.message, error.kind, error.origin);
            let mut lines: Vec<String> = errors.iter().filter(|error| !shadowed(error)).map(line).collect();
            lines.sort();
            lines
        }
    }
}
