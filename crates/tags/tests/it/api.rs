//! Types read from Go source, ready to validate JSON objects.

use sprag_checks::{Op, Options, Request};
use sprag_field::{Enforcement, Errors};
use sprag_idl::model::Language;
use sprag_idl::{Finding, GoPackageInput, RustModuleInput, Severity, Sources, read_go, read_rust};
use sprag_program::{DefId, HookTable, NoHooks, Program, ProgramParts};
use sprag_release::Release;
use sprag_tags::types::Universe;
use sprag_tags::{
    Dialect, Foreign, LowerOptions, Lowering, Mistakes, Registry, Untagged, lower, program, program_parts,
};
use sprag_value::{Value, json};

pub(crate) struct Api {
    universe: Universe,
    lowering: Lowering,
    program: Program,
    options: Options,
    subresource: String,
}

pub(crate) const PACKAGE: &str = "example.dev/api/v1";

impl Api {
    /// The types of a Go source in a dialect; tag errors fail the test.
    #[track_caller]
    pub(crate) fn new(dialect: Dialect, source: &str) -> Api {
        let (api, findings) = Api::read(dialect, source, &Registry::standard());
        assert!(findings.is_empty(), "{findings:#?}");
        api
    }

    /// The errors that types of a source are refused with when tags without effect are errors, with their advice.
    pub(crate) fn strays(language: Language, dialect: Dialect, source: &str) -> Vec<String> {
        let mut sources = Sources::default();
        let (package, findings) = match language {
            Language::Go => {
                let file = sources.add("types.go", format!("package v1\n{source}"));
                read_go(GoPackageInput { path: PACKAGE, files: &[file] }, &sources)
            }
            Language::Rust => {
                let file = sources.add("v1.rs", source);
                read_rust(RustModuleInput { path: "widgets::v1", files: &[file] }, &sources)
            }
        };
        assert!(findings.is_empty(), "{findings:#?}");
        let universe = Universe::new(vec![package], |_| true);
        let options = LowerOptions {
            dialect: Some(dialect),
            untagged: Untagged::AllTypes,
            foreign: Foreign::Opaque,
            mistakes: Mistakes::Refuse,
            ..LowerOptions::default()
        };
        let findings = lower(&universe, &Registry::standard(), options).findings;
        let text = |finding: &Finding| match &finding.help {
            Some(help) => format!("{} ({help})", finding.message),
            None => finding.message.clone(),
        };
        findings.iter().filter(|finding| finding.severity == Severity::Error).map(text).collect()
    }

    /// The errors that a Go source is refused with.
    pub(crate) fn refusals(dialect: Dialect, source: &str) -> Vec<String> {
        Api::read(dialect, source, &Registry::standard()).1
    }

    /// The same with the source from the place of each error on, and its advice.
    pub(crate) fn places(dialect: Dialect, source: &str) -> Vec<(String, String, String)> {
        let text = format!("package v1\n{source}");
        let mut sources = Sources::default();
        let file = sources.add("types.go", text.clone());
        let (package, _) = read_go(GoPackageInput { path: PACKAGE, files: &[file] }, &sources);
        let universe = Universe::new(vec![package], |_| true);
        let options = LowerOptions { dialect: Some(dialect), untagged: Untagged::AllTypes, ..LowerOptions::default() };
        let findings = lower(&universe, &Registry::standard(), options).findings;
        let of = |finding: &Finding| {
            let start = usize::try_from(finding.span.start).unwrap_or_default();
            (finding.message.clone(), text[start..].to_owned(), finding.help.clone().unwrap_or_default())
        };
        findings.iter().map(of).collect()
    }

    pub(crate) fn read(dialect: Dialect, source: &str, registry: &Registry) -> (Api, Vec<String>) {
        let mut sources = Sources::default();
        let file = sources.add("types.go", format!("package v1\n{source}"));
        let (package, mut findings) = read_go(GoPackageInput { path: PACKAGE, files: &[file] }, &sources);
        let universe = Universe::new(vec![package], |_| true);
        let options = LowerOptions { dialect: Some(dialect), untagged: Untagged::AllTypes, ..LowerOptions::default() };
        let lowering = lower(&universe, registry, options);
        findings.extend(lowering.findings.clone());
        let errors = errors_only(&findings);
        let make = if errors.is_empty() { through_bytes } else { program };
        let program = make(&universe, &lowering);
        (Api { universe, lowering, program, options: Options::default(), subresource: "/".into() }, errors)
    }

    /// The parts of the program.
    pub(crate) fn parts(&self) -> ProgramParts {
        program_parts(&self.universe, &self.lowering)
    }

    /// The types of a Rust source in the KEP's dialect; tag errors fail the test.
    #[track_caller]
    pub(crate) fn rust(source: &str) -> Api {
        let mut sources = Sources::default();
        let file = sources.add("v1.rs", source);
        let (package, mut findings) = read_rust(RustModuleInput { path: PACKAGE, files: &[file] }, &sources);
        let universe = Universe::new(vec![package], |_| true);
        let options =
            LowerOptions { untagged: Untagged::AllTypes, mistakes: Mistakes::Refuse, ..LowerOptions::default() };
        let lowering = lower(&universe, &Registry::standard(), options);
        findings.extend(lowering.findings.clone());
        assert!(findings.is_empty(), "{findings:#?}");
        let program = program(&universe, &lowering);
        Api { universe, lowering, program, options: Options::default(), subresource: "/".into() }
    }

    /// The same types in a release of Kubernetes.
    pub(crate) fn in_release(mut self, release: Release) -> Api {
        self.program = Program::of_release(self.parts(), release);
        self
    }

    pub(crate) fn with_option(mut self, name: &str, on: bool) -> Api {
        self.options.set(name, on);
        self
    }

    pub(crate) fn with_subresource(mut self, path: &str) -> Api {
        path.clone_into(&mut self.subresource);
        self.lowering.plan.roots.iter_mut().for_each(|root| root.subresources.push(path.to_owned()));
        self.program = through_bytes(&self.universe, &self.lowering);
        self
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// The type `T`.
    pub(crate) fn root(&self) -> DefId {
        self.universe.find(PACKAGE, "T").expect("the source declares T")
    }

    /// The messages of creating an object of the type `T`.
    #[track_caller]
    pub(crate) fn create(&self, new: &str) -> Vec<String> {
        self.run(Op::Create, new, None).0
    }

    /// The same with hand-written checks.
    #[track_caller]
    pub(crate) fn create_with(&self, hooks: &dyn HookTable, new: &str) -> Vec<String> {
        let request = Request { op: Op::Create, options: &self.options, subresource: &self.subresource, beta: true };
        let root = self.universe.find(PACKAGE, "T").expect("the source declares T");
        let new = json::parse(new.as_bytes()).expect("tests hold valid JSON");
        let mut errors = Errors::new();
        self.program.validate(hooks, &request, root, &new, None, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    /// The messages that are enforced, with beta rules on or off, for a create or an update.
    #[track_caller]
    pub(crate) fn enforced(&self, beta: bool, new: &str, old: Option<&str>) -> Vec<String> {
        let parse = |text: &str| -> Value { json::parse(text.as_bytes()).expect("tests hold valid JSON") };
        let op = if old.is_some() { Op::Update } else { Op::Create };
        let request = Request { op, options: &self.options, subresource: &self.subresource, beta };
        let mut errors = Errors::new();
        let new = parse(new);
        let old = old.map(parse);
        self.program.validate(&NoHooks, &request, self.root(), &new, old.as_ref(), &mut errors);
        errors.enforce(&Enforcement { beta, ..Enforcement::default() });
        errors.iter().map(ToString::to_string).collect()
    }

    /// The messages of a create that are only observed, with beta rules on or off.
    #[track_caller]
    pub(crate) fn observed(&self, beta: bool, new: &str) -> Vec<String> {
        let new: Value = json::parse(new.as_bytes()).expect("tests hold valid JSON");
        let request = Request { op: Op::Create, options: &self.options, subresource: &self.subresource, beta };
        let mut errors = Errors::new();
        self.program.validate(&NoHooks, &request, self.root(), &new, None, &mut errors);
        errors.iter().filter(|error| !request.enforces(error.stage)).map(ToString::to_string).collect()
    }

    /// The messages of replacing an object of the type `T`.
    #[track_caller]
    pub(crate) fn update(&self, old: &str, new: &str) -> Vec<String> {
        self.run(Op::Update, new, Some(old)).0
    }

    /// Errors and warnings of a request.
    #[track_caller]
    pub(crate) fn run(&self, op: Op, new: &str, old: Option<&str>) -> (Vec<String>, Vec<String>) {
        let parse = |text: &str| -> Value { json::parse(text.as_bytes()).expect("tests hold valid JSON") };
        let request = Request { op, options: &self.options, subresource: &self.subresource, beta: true };
        let mut errors = Errors::new();
        self.program.validate(&NoHooks, &request, self.root(), &parse(new), old.map(parse).as_ref(), &mut errors);
        let warnings =
            errors.warnings.iter().map(|warning| format!("{}: {}", warning.field, warning.message)).collect();
        (errors.iter().map(ToString::to_string).collect(), warnings)
    }
}

fn errors_only(findings: &[Finding]) -> Vec<String> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.message.clone()).collect()
}

/// The program as a server has it, which reads it from bytes.
fn through_bytes(universe: &Universe, lowering: &Lowering) -> Program {
    Program::from_bytes(&program_parts(universe, lowering).to_bytes()).expect("what was written can be read")
}
