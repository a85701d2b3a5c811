//! What a build script asks for.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use sprag_codegen::{Options, Output, generate};
use sprag_idl::model::Language;
use sprag_idl::{FileId, Finding, Severity, Sources};
use sprag_rules::types::Universe;
use sprag_rules::{CustomTag, Dialect, Foreign, Hooks, LowerOptions, Registry, Untagged, lower};

use crate::error::{CompileError, Findings};
use crate::load::{LoadOptions, Loaded, load};

/// Generates validators from a build script, as prost-build does for protocol buffers.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), sprag_build::CompileError> {
///     sprag_build::Config::new().file("src/api.rs").compile()
/// }
/// ```
///
/// The code is put below `OUT_DIR` and becomes part of the crate with
/// `mod generated { include!(concat!(env!("OUT_DIR"), "/sprag/mod.rs")); }`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    paths: Vec<PathBuf>,
    dialect: Option<Dialect>,
    tags: Vec<CustomTag>,
    options: Options,
    module_cache: Option<PathBuf>,
    feature_gates: Option<Vec<String>>,
}

/// What one run wrote and read.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The generated root module.
    pub root: PathBuf,
    /// The source files that were read, so that the build runs again when one changes.
    pub sources: Vec<PathBuf>,
    /// What is doubtful, rendered one per line.
    pub warnings: Vec<String>,
}

impl Config {
    /// Nothing to generate yet.
    pub fn new() -> Config {
        Config::default()
    }

    /// Adds a Rust source file with tagged types.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Config {
        self.paths.push(path.into());
        self
    }

    /// Adds the directory of a Go package; its types are generated, too.
    #[must_use]
    pub fn go_package(mut self, dir: impl Into<PathBuf>) -> Config {
        self.paths.push(dir.into());
        self
    }

    /// Reads all tags in one dialect, whatever the language or the package says.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Config {
        self.dialect = Some(dialect);
        self
    }

    /// Adds a tag of the author's own, which runs a function of theirs.
    #[must_use]
    pub fn tag(mut self, tag: CustomTag) -> Config {
        self.tags.push(tag);
        self
    }

    /// Sets the module with the functions that `+k8s:customValidation` refers to; `crate::hooks` by default.
    #[must_use]
    pub fn hooks_path(mut self, path: impl Into<String>) -> Config {
        self.options.hooks = path.into();
        self
    }

    /// Sets the crate whose modules `validate`, `value`, `shape` and `rest` generated code uses; `::sprag` by default.
    #[must_use]
    pub fn root_path(mut self, path: &str) -> Config {
        let Options { hooks, type_paths, .. } = self.options;
        self.options = Options { hooks, type_paths, ..Options::with_root(path) };
        self
    }

    /// Sets the module with the functions that validators call; `::sprag::validate` by default.
    #[must_use]
    pub fn runtime_path(mut self, path: impl Into<String>) -> Config {
        self.options.runtime = path.into();
        self
    }

    /// Sets the module with dynamic values and Kubernetes' scalar types; `::sprag::value` by default.
    #[must_use]
    pub fn value_path(mut self, path: impl Into<String>) -> Config {
        self.options.value = path.into();
        self
    }

    /// Sets the module that describes types at run time; `::sprag::shape` by default.
    #[must_use]
    pub fn shape_path(mut self, path: impl Into<String>) -> Config {
        self.options.shape = Some(path.into());
        self
    }

    /// Sets the module with the traits of resources; `::sprag::rest` by default.
    #[must_use]
    pub fn rest_path(mut self, path: impl Into<String>) -> Config {
        self.options.rest = Some(path.into());
        self
    }

    /// Prints neither shapes nor resources, for types that are checked and never served.
    #[must_use]
    pub fn validators_only(mut self) -> Config {
        (self.options.shape, self.options.rest) = (None, None);
        self
    }

    /// Says which feature gates the server declares. A tag that names another is an error; without this call, any is accepted
    /// here, and a server that does not declare it does not start.
    #[must_use]
    pub fn feature_gates(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Config {
        self.feature_gates = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets a Go module cache to look for imported packages in.
    #[must_use]
    pub fn module_cache(mut self, dir: impl Into<PathBuf>) -> Config {
        self.module_cache = Some(dir.into());
        self
    }

    /// Generates into `OUT_DIR` and tells cargo which files matter.
    #[expect(clippy::print_stdout, reason = "a build script talks to cargo on its standard output")]
    pub fn compile(self) -> Result<(), CompileError> {
        let out = env::var_os("OUT_DIR").ok_or(CompileError::NotInBuildScript("OUT_DIR"))?;
        let krate = env::var("CARGO_PKG_NAME").map_err(|_| CompileError::NotInBuildScript("CARGO_PKG_NAME"))?;
        let compiled = self.compile_to(Path::new(&out), &krate)?;
        for path in &compiled.sources {
            println!("cargo:rerun-if-changed={}", path.display());
        }
        for warning in &compiled.warnings {
            println!("cargo:warning={warning}");
        }
        Ok(())
    }

    /// Generates into a folder named `sprag` below this one, for the crate with this name.
    pub fn compile_to(mut self, out: &Path, krate: &str) -> Result<Compiled, CompileError> {
        let options = LoadOptions { recursive: false, module_cache: self.module_cache.clone() };
        let loaded = load(&self.paths, &options)?;
        self.place_rust_types(&loaded, krate);
        let (output, warnings) = self.generate(&loaded)?;
        let folder = out.join("sprag");
        write(&folder, &output)?;
        let mut sources = source_files(&loaded.sources);
        sources.extend(self.paths);
        Ok(Compiled { root: folder.join("mod.rs"), sources, warnings })
    }

    /// Module paths begin with the crate's name; inside of the crate that is `crate`.
    fn place_rust_types(&mut self, loaded: &Loaded, krate: &str) {
        let krate = krate.replace('-', "_");
        for package in loaded.packages.iter().filter(|package| package.language == Language::Rust) {
            let path = match package.path.strip_prefix(&krate) {
                Some(rest) if rest.is_empty() || rest.starts_with("::") => format!("crate{rest}"),
                _ => format!("crate::{}", package.path),
            };
            self.options.type_paths.insert(package.path.clone(), path);
        }
    }

    fn generate(&self, loaded: &Loaded) -> Result<(Output, Vec<String>), CompileError> {
        let mut findings = loaded.findings.clone();
        let mut registry = Registry::standard();
        for tag in &self.tags {
            registry = registry.with(tag.clone()).map_err(|tag| CompileError::TagTaken(tag.name))?;
        }
        let universe = Universe::new(loaded.packages.clone(), |package| loaded.is_given(package));
        let options = LowerOptions {
            dialect: self.dialect,
            untagged: Untagged::AllTypes,
            foreign: Foreign::Opaque,
            hooks: Hooks::Assume,
        };
        let lowering = lower(&universe, &registry, options);
        findings.extend(self.feature_gates.iter().flat_map(|declared| lowering.undeclared_gates(declared)));
        findings.extend(lowering.findings);
        if findings.iter().all(|finding| finding.severity != Severity::Error) {
            match generate(&universe, &lowering.plan, &self.options) {
                Ok(output) => return Ok((output, render(&findings, &loaded.sources))),
                Err(more) => findings.extend(more),
            }
        }
        findings.retain(|finding| finding.severity == Severity::Error);
        Err(CompileError::Findings(Findings(render(&findings, &loaded.sources))))
    }
}

/// Findings as lines: place, severity, message, and how to mend it.
fn render(findings: &[Finding], sources: &Sources) -> Vec<String> {
    findings
        .iter()
        .map(|finding| {
            let place = sources.locate(finding.span).map(|at| format!("{at}: ")).unwrap_or_default();
            let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
            let help = finding.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            format!("{place}{severity}: {}{help}", finding.message)
        })
        .collect()
}

fn source_files(sources: &Sources) -> Vec<PathBuf> {
    (0..).map_while(|id| sources.get(FileId(id))).map(|file| PathBuf::from(&file.name)).collect()
}

/// Puts the files of an output into a folder that holds nothing else.
fn write(folder: &Path, output: &Output) -> Result<(), CompileError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| CompileError::Write { path, error }
    };
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed(folder))?;
    }
    for (name, text) in &output.files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed(parent))?;
        }
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}
