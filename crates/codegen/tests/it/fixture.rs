//! From source text to generated files.

use sprag_codegen::{Options, Output, generate};
use sprag_idl::{Finding, GoPackageInput, RustModuleInput, Severity, Sources, read_go, read_rust};
use sprag_rules::types::Universe;
use sprag_rules::{Foreign, Hooks, LowerOptions, Registry, Untagged, lower};

/// Generates code for Go packages, given as path and source.
pub(crate) fn go(packages: &[(&str, &str)]) -> Output {
    let mut sources = Sources::default();
    let packages = packages
        .iter()
        .map(|(path, text)| {
            let file = sources.add("types.go", *text);
            let (package, findings) = read_go(GoPackageInput { path, files: &[file] }, &sources);
            refuse(&findings);
            package
        })
        .collect();
    run(packages).unwrap()
}

/// Generates code for one Rust module.
pub(crate) fn rust(path: &str, text: &str) -> Output {
    let mut sources = Sources::default();
    let file = sources.add("api.rs", text);
    let (package, findings) = read_rust(RustModuleInput { path, file }, &sources);
    refuse(&findings);
    run(vec![package]).unwrap()
}

fn run(packages: Vec<sprag_idl::model::Package>) -> Result<Output, Vec<Finding>> {
    let universe = Universe::new(packages, |_| true);
    let options = LowerOptions {
        untagged: Untagged::AllTypes,
        hooks: Hooks::Assume,
        foreign: Foreign::Opaque,
        ..LowerOptions::default()
    };
    let lowering = lower(&universe, &Registry::standard(), options);
    refuse(&lowering.findings);
    generate(&universe, &lowering.plan, &Options::default())
}

#[track_caller]
fn refuse(findings: &[Finding]) {
    let errors: Vec<&str> =
        findings.iter().filter(|f| f.severity == Severity::Error).map(|f| f.message.as_str()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

/// One file of an output.
#[track_caller]
pub(crate) fn file<'o>(output: &'o Output, path: &str) -> &'o str {
    let names: Vec<&str> = output.files.iter().map(|(name, _)| name.as_str()).collect();
    output.files.iter().find(|(name, _)| name == path).map_or_else(|| panic!("no {path} in {names:?}"), |(_, text)| text)
}
