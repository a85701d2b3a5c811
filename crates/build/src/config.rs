//! The configuration of a build script.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use sprag_codegen::{Options, generate, views};
use sprag_idl::model::Language;
use sprag_idl::{FileId, Finding, Severity};
use sprag_tags::types::Universe;
use sprag_tags::{
    CustomTag, Dialect, Foreign, Hooks, LowerOptions, Lowering, Mistakes, Untagged, lower, program_parts,
};

use crate::error::{CompileError, Findings};
use crate::load::known::PREFIX;
use crate::load::{LoadOptions, Loaded, load};
use crate::tags::registry;

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
    tag_files: Vec<PathBuf>,
    options: Options,
    module_cache: Option<PathBuf>,
    features: Option<BTreeSet<String>>,
    feature_gates: Option<Vec<String>>,
}

/// The variable of a feature that is on, as cargo names it for build scripts.
const FEATURE: &str = "CARGO_FEATURE_";

/// The files that one run wrote and read.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The generated root module, or the program.
    pub root: PathBuf,
    /// The source files that were read, so that the build runs again when one changes.
    pub sources: Vec<PathBuf>,
    /// Warnings, rendered one per line.
    pub warnings: Vec<String>,
}

/// Names below the output folder, and contents.
type Files = Vec<(String, Vec<u8>)>;

impl Compiled {
    #[expect(clippy::print_stdout, reason = "a build script talks to cargo on its standard output")]
    fn tell_cargo(&self) {
        for path in &self.sources {
            println!("cargo:rerun-if-changed={}", path.display());
        }
        for warning in &self.warnings {
            println!("cargo:warning={warning}");
        }
    }
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

    /// Adds the tags that a file declares, which `--tags` of the command line reads too; [`read_tags`] shows its form.
    ///
    /// [`read_tags`]: crate::read_tags
    #[must_use]
    pub fn tags_file(mut self, path: impl Into<PathBuf>) -> Config {
        self.tag_files.push(path.into());
        self
    }

    /// Sets the module with the functions that `+k8s:customValidation` refers to; `crate::hooks` by default.
    #[must_use]
    pub fn hooks_path(mut self, path: impl Into<String>) -> Config {
        self.options.hooks = path.into();
        self
    }

    /// Sets the crate whose modules `checks`, `value`, `shape` and `rest` generated code uses; `::sprag` by default.
    #[must_use]
    pub fn root_path(mut self, path: &str) -> Config {
        let Options { hooks, type_paths, .. } = self.options;
        self.options = Options { hooks, type_paths, ..Options::with_root(path) };
        self
    }

    /// Sets the module with the functions that validators call; `::sprag::checks` by default.
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
    pub fn compile(mut self) -> Result<(), CompileError> {
        let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        self.features = Some(names.filter_map(|name| name.strip_prefix(FEATURE).map(str::to_owned)).collect());
        let krate = env::var("CARGO_PKG_NAME").map_err(|_| CompileError::NotInBuildScript("CARGO_PKG_NAME"))?;
        self.compile_to(&out_dir()?, &krate).map(|compiled| compiled.tell_cargo())
    }

    /// Lowers the types to a program below `OUT_DIR` and tells cargo which files matter.
    ///
    /// For types that are served without being compiled: `program/program.bin` is what `program::Program::from_bytes` reads,
    /// `program/views.rs` has views over dynamic values, for hand-written rules.
    pub fn compile_program(self) -> Result<(), CompileError> {
        self.compile_program_to(&out_dir()?).map(|compiled| compiled.tell_cargo())
    }

    /// Lowers the types to a program in a folder named `program` below this one.
    pub fn compile_program_to(self, out: &Path) -> Result<Compiled, CompileError> {
        let loaded = self.load()?;
        let (files, warnings) = self.lower(&loaded, |universe, lowering| {
            let views = views(universe, &lowering.plan, &self.options)?;
            let program = program_parts(universe, lowering).to_bytes();
            Ok(vec![("program.bin".to_owned(), program), ("views.rs".to_owned(), views.into_bytes())])
        })?;
        let folder = out.join("program");
        write(&folder, &files)?;
        Ok(Compiled { root: folder.join("program.bin"), sources: self.sources(&loaded), warnings })
    }

    /// Generates into a folder named `sprag` below this one, for the crate with this name.
    pub fn compile_to(mut self, out: &Path, krate: &str) -> Result<Compiled, CompileError> {
        let loaded = self.load()?;
        let (files, warnings) = self.generate(&loaded, krate)?;
        let folder = out.join("sprag");
        write(&folder, &files)?;
        Ok(Compiled { root: folder.join("mod.rs"), sources: self.sources(&loaded), warnings })
    }

    /// Looks whether the folder named `sprag` below this one has what [`compile_to`](Config::compile_to) would write: for code that
    /// is checked in. `sprag::testing::enforce::Enforce::generated` takes it.
    pub fn verify(mut self, out: &Path, krate: &str) -> Result<(), CompileError> {
        let loaded = self.load()?;
        let (files, _) = self.generate(&loaded, krate)?;
        let folder = out.join("sprag");
        let differs = |(name, text): &&(String, Vec<u8>)| fs::read(folder.join(name)).ok().as_ref() != Some(text);
        match files.iter().find(differs) {
            Some((name, _)) => Err(CompileError::Stale(folder.join(name))),
            None => Ok(()),
        }
    }

    fn generate(&mut self, loaded: &Loaded, krate: &str) -> Result<(Files, Vec<String>), CompileError> {
        self.place_rust_types(loaded, krate);
        self.lower(loaded, |universe, lowering| {
            let has_resources = self.options.shape.is_some() && self.options.rest.is_some();
            let options = Options { program: has_resources, ..self.options.clone() };
            let output = generate(universe, &lowering.plan, &options)?;
            let texts = output.files.into_iter().map(|(name, text)| (name, text.into_bytes()));
            let program =
                has_resources.then(|| ("program.bin".to_owned(), program_parts(universe, lowering).to_bytes()));
            Ok(texts.chain(program).collect())
        })
    }

    fn load(&self) -> Result<Loaded, CompileError> {
        let options = LoadOptions {
            module_cache: self.module_cache.clone(),
            features: self.features.clone(),
            // A build script reads what its author has put there.
            follow_links: true,
            ..LoadOptions::default()
        };
        Ok(load(&self.paths, &options)?)
    }

    /// The files that were read, and the paths they were looked for at.
    fn sources(&self, loaded: &Loaded) -> Vec<PathBuf> {
        let files = (0..).map_while(|id| loaded.sources.get(FileId(id)));
        let files = files.filter(|file| !file.name.starts_with(PREFIX)).map(|file| PathBuf::from(&file.name));
        files.chain(self.paths.iter().chain(&self.tag_files).cloned()).collect()
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

    /// Lowers the types and makes files of them; with the warnings.
    fn lower(
        &self,
        loaded: &Loaded,
        make: impl FnOnce(&Universe, &Lowering) -> Result<Files, Vec<Finding>>,
    ) -> Result<(Files, Vec<String>), CompileError> {
        let mut findings = loaded.findings.clone();
        let mut registry = registry(&self.tag_files)?;
        for tag in &self.tags {
            registry = registry.with(tag.clone())?;
        }
        let universe = Universe::new(loaded.packages.clone(), |package| loaded.is_given(package));
        let options = LowerOptions {
            dialect: self.dialect,
            untagged: Untagged::AllTypes,
            foreign: Foreign::Opaque,
            hooks: Hooks::Assume,
            mistakes: Mistakes::Refuse,
        };
        let lowering = lower(&universe, &registry, options);
        findings.extend(self.feature_gates.iter().flat_map(|declared| lowering.undeclared_gates(declared)));
        findings.extend(lowering.findings.iter().cloned());
        if findings.iter().all(|finding| finding.severity != Severity::Error) {
            match make(&universe, &lowering) {
                Ok(files) => return Ok((files, Findings::all(&findings, &loaded.sources).0)),
                Err(more) => findings.extend(more),
            }
        }
        Err(CompileError::Findings(Findings::errors(&findings, &loaded.sources)))
    }
}

fn out_dir() -> Result<PathBuf, CompileError> {
    env::var_os("OUT_DIR").map(PathBuf::from).ok_or(CompileError::NotInBuildScript("OUT_DIR"))
}

/// Puts files into a folder that holds nothing else.
fn write(folder: &Path, files: &Files) -> Result<(), CompileError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| CompileError::Write { path, error }
    };
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed(folder))?;
    }
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed(parent))?;
        }
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}
