//! From source text to generated files.

use sprag_codegen::{Options, Output, generate};
use sprag_idl::model::Package;
use sprag_idl::{Finding, GoPackageInput, RustModuleInput, Severity, Sources, read_go, read_rust};
use sprag_tags::types::Universe;
use sprag_tags::{Foreign, Hooks, LowerOptions, Registry, Untagged, lower};

/// Generates code for a Go package, given as path and source.
pub(crate) fn go(path: &str, text: &str) -> Output {
    run(vec![read_go_text(path, text)]).unwrap()
}

/// Generates code for a Rust module, given as path and source.
pub(crate) fn rust(path: &str, text: &str) -> Output {
    run(vec![read_rust_text(path, text)]).unwrap()
}

/// Generates code for a Go package and some Rust modules at once.
pub(crate) fn all(go: (&str, &str), rust: &[(&str, &str)]) -> Output {
    let rust = rust.iter().map(|(path, text)| read_rust_text(path, text));
    run(std::iter::once(read_go_text(go.0, go.1)).chain(rust).collect()).unwrap()
}

fn read_go_text(path: &str, text: &str) -> Package {
    let mut sources = Sources::default();
    let file = sources.add("types.go", text);
    let (package, findings) = read_go(GoPackageInput { path, files: &[file] }, &sources);
    refuse(&findings);
    package
}

fn read_rust_text(path: &str, text: &str) -> Package {
    let mut sources = Sources::default();
    let file = sources.add("api.rs", text);
    let (package, findings) = read_rust(RustModuleInput { path, files: &[file] }, &sources);
    refuse(&findings);
    package
}

/// Generates the resources of a Rust module; the texts of what is wrong otherwise.
pub(crate) fn resources(path: &str, text: &str) -> Result<Output, Vec<String>> {
    run_with(vec![read_rust_text(path, text)], &with_resources())
        .map_err(|findings| findings.into_iter().map(|finding| finding.message).collect())
}

/// Generates the resources of a Go package.
pub(crate) fn go_resources(path: &str, text: &str) -> Output {
    run_with(vec![read_go_text(path, text)], &with_resources()).unwrap()
}

fn with_resources() -> Options {
    Options {
        shape: Some("sprag_shape".to_owned()),
        rest: Some("sprag_rest".to_owned()),
        ..Options::validators_of_crates()
    }
}

fn run(packages: Vec<Package>) -> Result<Output, Vec<Finding>> {
    run_with(packages, &Options { shape: Some("sprag_shape".to_owned()), ..Options::validators_of_crates() })
}

fn run_with(packages: Vec<Package>, options: &Options) -> Result<Output, Vec<Finding>> {
    let universe = Universe::new(packages, |_| true);
    let lower_options = LowerOptions {
        untagged: Untagged::AllTypes,
        hooks: Hooks::Assume,
        foreign: Foreign::Opaque,
        ..LowerOptions::default()
    };
    let lowering = lower(&universe, &Registry::standard(), lower_options);
    refuse(&lowering.findings);
    generate(&universe, &lowering.plan, options)
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
    output
        .files
        .iter()
        .find(|(name, _)| name == path)
        .map_or_else(|| panic!("no {path} in {names:?}"), |(_, text)| text)
}
