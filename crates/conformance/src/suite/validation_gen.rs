//! `validation-gen`: recorded validation calls, run on either backend.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sprag_field::{BadValue, Error, Errors};
use sprag_idl::model::Package;
use sprag_idl::{Finding, Severity, raw_value, tag_name};
use sprag_program::{DefId, HookCall, HookTable, Program};
use sprag_tags::types::Universe;
use sprag_tags::{Hooks, LowerOptions, Registry, lower, program_parts};
use sprag_checks::{At, Op, Options, Request};
use sprag_value::Value;

use crate::args::{Args, Backend};
use crate::compare;
use crate::generated::{self, Call};
use crate::model;
use crate::report::Report;
use crate::suite::Suite;
use crate::wire::{self, Case, PackageFile};

pub(crate) const SUITE: Suite = Suite {
    name: "validation-gen",
    about: "type models and validation calls, one file per package",
    recorded: "validation-gen",
    run,
};

/// The recorded packages and what our rules make of them.
pub(crate) struct Corpus {
    pub(crate) files: Vec<PackageFile>,
    pub(crate) universe: Universe,
    pub(crate) program: Program,
    findings: Vec<Finding>,
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let corpus = Corpus::load(&args.path)?;
    for finding in corpus.findings.iter().filter(|finding| finding.severity == Severity::Error) {
        report.fail("lowering", &format!("  + {}\n", finding.message));
    }
    let wanted = wanted(&args.path, &corpus);
    for file in &wanted {
        check_registered(file, &corpus, report);
    }
    match args.backend {
        Backend::Interpreted => run_interpreted(&corpus, &wanted, report),
        Backend::Generated => run_generated(&corpus, &wanted, args, report)?,
    }
    Ok(())
}

fn run_generated(corpus: &Corpus, wanted: &[&PackageFile], args: &Args, report: &mut Report) -> Result<(), String> {
    let cases: Vec<(&PackageFile, &Case)> =
        wanted.iter().flat_map(|file| file.cases.iter().flatten().map(|case| (*file, case))).collect();
    let parts: Vec<(String, String)> =
        cases.iter().map(|(file, case)| (Corpus::case_package(file, case), subresource(case))).collect();
    let calls = cases.iter().zip(&parts).map(|((_, case), (package, subresource))| Call {
        package,
        ty: &case.ty,
        op: &case.op,
        options: case.options.iter().flatten().map(|(name, on)| (name.as_str(), *on)).collect(),
        beta: true,
        subresource,
        obj: &case.obj,
        old: &case.old,
    });
    let calls: Vec<Call<'_>> = calls.collect();
    let answers = generated::answers(&corpus.universe, corpus.program.plan(), &calls, args.work_dir.as_deref())?;
    let mut other_texts = 0;
    for ((file, case), answer) in cases.into_iter().zip(answers) {
        let name = format!("{}#{}", file.package, case.id);
        let got = match answer {
            Ok(got) => got,
            Err(failure) => {
                report.fail(&name, &format!("  + {failure}\n"));
                continue;
            }
        };
        let want = case.errors.clone().unwrap_or_default();
        if compare::diff(&want, &got, case.order_unstable).is_none() {
            report.pass();
            continue;
        }
        let want = compare::empty_as_null(want);
        let got = compare::empty_as_null(got);
        let Some(diff) = compare::diff(&want, &got, case.order_unstable) else {
            report.pass();
            other_texts += 1;
            continue;
        };
        let obj = without_empty(&case.obj);
        let old = without_empty(&case.old);
        let expected = compare::recorded(&interpret(corpus, file, case, &obj, &old));
        let expected = compare::empty_as_null(expected);
        if compare::diff(&expected, &got, case.order_unstable).is_none() {
            report.diverge("nil-versus-empty");
        } else {
            report.fail(&name, &diff);
        }
    }
    Report::note(&format!("{other_texts} texts show null for an empty list or map: a Vec cannot tell them apart"));
    Ok(())
}

/// The same object with every empty list and map unset: what a `Vec` makes of it.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Array(items) if items.is_empty() => Value::Null,
        Value::Object(members) if members.is_empty() => Value::Null,
        Value::Array(items) => items.iter().map(without_empty).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), without_empty(value))).collect(),
        scalar => scalar.clone(),
    }
}

fn run_interpreted(corpus: &Corpus, wanted: &[&PackageFile], report: &mut Report) {
    for file in wanted {
        for case in file.cases.iter().flatten() {
            let got = interpret(corpus, file, case, &case.obj, &case.old);
            let want = case.errors.clone().unwrap_or_default();
            match compare::diff(&want, &compare::recorded(&got), case.order_unstable) {
                None => report.pass(),
                Some(diff) => report.fail(&format!("{}#{}", file.package, case.id), &diff),
            }
        }
    }
}

fn interpret(
    corpus: &Corpus,
    file: &PackageFile,
    case: &Case,
    obj: &Value,
    old: &Value,
) -> Vec<Error> {
    let options: Options = case.options.iter().flatten().map(|(name, on)| (name.clone(), *on)).collect();
    let subresource = subresource(case);
    let op = if case.op == "update" { Op::Update } else { Op::Create };
    let request = Request { op, options: &options, subresource: &subresource, beta: true };
    let mut errors = Errors::new();
    if let Some(def) = corpus.case_type(file, case) {
        let old = (!old.is_null()).then_some(old);
        corpus.program.validate(&StubHooks, &request, def, obj, old, &mut errors);
    }
    errors.into_vec()
}

/// The subresource path of a case.
pub(crate) fn subresource(case: &Case) -> String {
    format!("/{}", case.subresources.iter().flatten().cloned().collect::<Vec<_>>().join("/"))
}

/// The files that were asked for: all of a directory, or just the one.
fn wanted<'c>(path: &Path, corpus: &'c Corpus) -> Vec<&'c PackageFile> {
    let only = path.is_file().then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).flatten();
    corpus
        .files
        .iter()
        .filter(|file| only.as_ref().is_none_or(|stem| file.package.replace('/', ".") == *stem))
        .collect()
}

fn check_registered(file: &PackageFile, corpus: &Corpus, report: &mut Report) {
    let mut want = file.registered_types.clone().unwrap_or_default();
    let mut got: Vec<String> = corpus
        .program
        .plan()
        .roots
        .iter()
        .filter(|root| root.registered_by.contains(&file.model.import_path))
        .map(|root| {
            let package = corpus.universe.package_of(root.def);
            let name = &corpus.universe.def(root.def).name;
            if package.path == file.model.import_path {
                return name.clone();
            }
            format!("{}.{name}", package.path.trim_start_matches("output_tests/"))
        })
        .collect();
    want.sort();
    got.sort();
    if want == got {
        report.pass();
    } else {
        report.fail(&format!("{} registered types", file.package), &format!("  - {want:?}\n  + {got:?}\n"));
    }
}

impl Corpus {
    fn load(path: &Path) -> Result<Corpus, String> {
        let dir = if path.is_dir() { path.to_owned() } else { path.parent().unwrap_or(Path::new(".")).to_owned() };
        let mut names: Vec<PathBuf> = std::fs::read_dir(&dir)
            .map_err(|error| format!("{}: {error}", dir.display()))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|name| name.extension().is_some_and(|ext| ext == "json"))
            .collect();
        names.sort();
        let mut files = Vec::new();
        for name in names {
            files.push(wire::read::<PackageFile>(&name)?);
        }
        Corpus::new(files)
    }

    fn new(files: Vec<PackageFile>) -> Result<Corpus, String> {
        let mut packages = Vec::new();
        let mut included: BTreeSet<String> = BTreeSet::new();
        for file in &files {
            let package = model::package(&file.model).map_err(|error| format!("{}: {error}", file.package))?;
            if is_generated(&package) {
                included.insert(package.path.clone());
                included.extend(input_of(&package).map(str::to_owned));
            }
            packages.push(package);
        }
        let universe = Universe::new(packages, |package| included.contains(&package.path));
        let options = LowerOptions { hooks: Hooks::Assume, ..LowerOptions::default() };
        let lowering = lower(&universe, &Registry::standard(), options);
        // Through bytes, so that the suite also holds the embedded form.
        let bytes = program_parts(&universe, &lowering).to_bytes();
        let program = Program::from_bytes(&bytes).map_err(|error| error.to_string())?;
        Ok(Corpus { files, universe, program, findings: lowering.findings })
    }

    /// The package of the type that a case validates.
    pub(crate) fn case_package(file: &PackageFile, case: &Case) -> String {
        match &case.type_package {
            Some(package) => format!("output_tests/{package}"),
            None => file.model.import_path.clone(),
        }
    }

    fn case_type(&self, file: &PackageFile, case: &Case) -> Option<DefId> {
        self.universe.find(&Corpus::case_package(file, case), &case.ty)
    }
}

/// True if the generator was run on a package; Go's tools pass over folders that begin with an underscore.
fn is_generated(package: &Package) -> bool {
    let ignored = package.path.split('/').any(|element| element.starts_with('_'));
    !ignored && package.tags.iter().any(|line| tag_name(&line.text) == Some("k8s:validation-gen"))
}

/// The package whose types are meant, where it is another one.
fn input_of(package: &Package) -> Option<&str> {
    let line = package.tags.iter().find(|line| tag_name(&line.text) == Some("k8s:validation-gen-input"))?;
    raw_value(&line.text)
}

/// The stub hooks of the corpus: each yields one error that names it.
struct StubHooks;

impl HookTable for StubHooks {
    fn run(
        &self,
        call: &HookCall,
        at: &At<'_>,
        _: Option<&Value>,
        _: Option<&Value>,
        errors: &mut Errors,
    ) -> Option<bool> {
        errors.push(Error::invalid(&at.path, BadValue::Nil, call.name.clone()));
        Some(true)
    }
}
