//! `--types`: the API types that several commands work on.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use sprag_analysis::Switches;
use sprag_analysis::Types;
use sprag_analysis::declared::Kinds;
use sprag_build::Findings;
use sprag_build::load::{LoadOptions, Loaded, load};
use sprag_tags::{Dialect, Registry};

/// The location of the types.
#[derive(Args)]
pub(crate) struct TypesArgs {
    /// Go package directory, Go file, Rust file or Rust source directory; may be repeated
    #[arg(long = "types", value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Options for reading types.
#[derive(Args)]
pub(crate) struct ReadingArgs {
    /// Also read the directories below
    #[arg(short = 'R', long)]
    recursive: bool,

    /// Dialect of the tags, kep or kubernetes [default: as the package says, or its language]
    #[arg(long, value_name = "DIALECT", value_parser = ["kep", "kubernetes"], hide_possible_values = true)]
    dialect: Option<String>,

    /// Read and write through links that lead out of their tree
    #[arg(long)]
    follow_links: bool,

    #[command(flatten)]
    tags: TagsArgs,
}

/// The tags beside the standard ones.
#[derive(Args)]
pub(crate) struct TagsArgs {
    /// File that declares tags of your own; may be repeated
    #[arg(long = "tags", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl TagsArgs {
    /// The standard tags and those of the files.
    pub(crate) fn registry(&self) -> anyhow::Result<Registry> {
        Ok(sprag_build::registry(&self.files)?)
    }
}

impl TypesArgs {
    pub(crate) fn load(&self) -> anyhow::Result<Loaded> {
        self.reading.load(&self.paths)
    }

    /// True if links that lead out of their tree are followed.
    pub(crate) fn follows_links(&self) -> bool {
        self.reading.follows_links()
    }

    /// The tags that the types may have.
    pub(crate) fn registry(&self) -> anyhow::Result<Registry> {
        self.reading.registry()
    }

    pub(crate) fn dialect(&self) -> anyhow::Result<Option<Dialect>> {
        self.reading.dialect()
    }
}

impl ReadingArgs {
    /// Reads the types at these paths, and what they import.
    pub(crate) fn load(&self, paths: &[PathBuf]) -> anyhow::Result<Loaded> {
        load_types(paths, self.recursive, self.follow_links)
    }

    /// True if links that lead out of their tree are followed.
    pub(crate) fn follows_links(&self) -> bool {
        self.follow_links
    }

    /// The tags that the types may have.
    pub(crate) fn registry(&self) -> anyhow::Result<Registry> {
        self.tags.registry()
    }

    pub(crate) fn dialect(&self) -> anyhow::Result<Option<Dialect>> {
        Ok(self.dialect.as_deref().map(str::parse).transpose()?)
    }
}

/// The options and feature gates of a request.
#[derive(Args)]
pub(crate) struct OptionArgs {
    /// An option that rules depend on, of any name; may be repeated
    #[arg(long = "option", value_name = "NAME=BOOL", value_parser = parse_switch)]
    options: Vec<(String, bool)>,

    /// Feature gates of Kubernetes or of the types, as kube-apiserver takes them; others have their default of v1.37
    #[arg(long, value_name = "NAME=BOOL,...", value_delimiter = ',', value_parser = parse_switch)]
    feature_gates: Vec<(String, bool)>,
}

impl OptionArgs {
    /// Returns the switches that are set.
    pub(crate) fn switches(&self) -> Switches {
        let map = |pairs: &[(String, bool)]| pairs.iter().cloned().collect();
        Switches { gates: map(&self.feature_gates), options: map(&self.options) }
    }
}

fn parse_switch(text: &str) -> Result<(String, bool), String> {
    let problem = || format!("{text:?} is not of the form NAME=true or NAME=false");
    let (name, value) = text.split_once('=').ok_or_else(problem)?;
    let value = value.trim().parse().map_err(|_| problem())?;
    let name = name.trim();
    if name.is_empty() { Err(problem()) } else { Ok((name.to_owned(), value)) }
}

/// Reads the types at these paths, and what they import.
pub(crate) fn load_types(paths: &[PathBuf], recursive: bool, follow_links: bool) -> anyhow::Result<Loaded> {
    let options = LoadOptions { recursive, follow_links, module_cache: module_cache(), ..LoadOptions::default() };
    Ok(load(paths, &options)?)
}

/// Reads declared types to validate by; no path, no types.
pub(crate) fn declared_types(
    paths: &[PathBuf],
    recursive: bool,
    follow_links: bool,
    registry: &Registry,
    switches: &Switches,
) -> anyhow::Result<Option<Arc<Types>>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let Loaded { sources, packages, mut findings, given } = load_types(paths, recursive, follow_links)?;
    let kinds = Kinds::new(packages, &given, registry, None, switches)?;
    findings.extend(kinds.declared.findings.iter().cloned());
    let errors = Findings::errors(&findings, &sources);
    if !errors.0.is_empty() {
        bail!("the declared types have errors\n{errors}");
    }
    let warnings = findings.into_iter().map(|finding| finding.message).collect();
    Ok(Some(Arc::new(Types { kinds, warnings })))
}

/// Go's module cache, found as the `go` command finds it.
pub(crate) fn module_cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(cache) = set("GOMODCACHE") {
        return Some(cache.into());
    }
    let paths = set("GOPATH").and_then(|paths| env::split_paths(&paths).next());
    let root = paths.or_else(|| Some(PathBuf::from(set("HOME")?).join("go")))?;
    Some(root.join("pkg/mod"))
}
