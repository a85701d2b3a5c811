//! Command line and settings file, merged.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::{Args as _, Command, FromArgMatches as _, ValueEnum};
use sprag_analysis::files::{
    Discovery, Found, IgnorePatterns, Layout, Place,
    git::{Repository, Revision},
    glob,
};
use sprag_analysis::workers;
use sprag_analysis::{Choices, SkippedPath, Switches};
use sprag_tags::Registry;

use super::ValidateArgs;
use crate::commands::crds;
use crate::config::{self, Config};
use crate::report::Format;
use sprag_rest::{Release, Releases};

/// Settings from the command line and the settings file.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(in crate::commands) struct Settings {
    /// Folders are read with all below them.
    trees: Vec<Place>,
    filenames: Vec<Place>,
    pub(in crate::commands) recursive: bool,
    pub(in crate::commands) follow_links: bool,
    pub(in crate::commands) crds: Vec<Place>,
    policies: Vec<Place>,
    pub(in crate::commands) types: Vec<PathBuf>,
    pub(in crate::commands) switches: Switches,
    tags: Vec<PathBuf>,
    pub(in crate::commands) kubernetes: Releases,
    old: Old,
    strict: bool,
    require_schemas: bool,
    pub(in crate::commands) no_ignore: bool,
    pub(in crate::commands) allow_empty: bool,
    skip: BTreeSet<String>,
    reject: BTreeSet<String>,
    skipped_paths: Vec<SkippedPath>,
    pub(in crate::commands) ignore_filename_patterns: Vec<String>,
    pub(in crate::commands) summary: bool,
    pub(in crate::commands) verbose: bool,
    pub(in crate::commands) exit_on_error: bool,
    pub(in crate::commands) workers: usize,
    pub(in crate::commands) format: Format,
}

/// The old versions of objects.
enum Old {
    Nothing,
    Places(Vec<Place>),
    Revision(Revision),
}

impl Settings {
    /// Reports whether no path is given anywhere and standard input is a terminal, where nobody types manifests.
    pub(in crate::commands) fn has_nothing_to_read(args: &ValidateArgs) -> anyhow::Result<bool> {
        let is_bare = args.filenames.is_empty() && args.paths.is_empty() && io::stdin().is_terminal();
        Ok(is_bare && Config::find(args.config.as_deref())?.validate.filenames.is_empty())
    }

    /// The settings that `sprag validate .` has in this folder.
    pub(in crate::commands) fn of_folder(config: Option<&Path>) -> anyhow::Result<Settings> {
        let command = ValidateArgs::augment_args(Command::new("validate"));
        let mut args = ValidateArgs::from_arg_matches(&command.try_get_matches_from(["validate", "."])?)?;
        args.config = config.map(Path::to_owned);
        Settings::new(&args)
    }

    pub(in crate::commands) fn new(args: &ValidateArgs) -> anyhow::Result<Settings> {
        let config = Config::find(args.config.as_deref())?.validate;
        let require_schemas = requires_schemas(args, &config);
        let settings = Settings {
            old: old(args, config.base.as_deref())?,
            filenames: filenames(args, config.filenames),
            trees: args.paths.clone(),
            recursive: args.recursive || config.recursive,
            // Not in the settings file: it may come with what is validated.
            follow_links: args.follow_links,
            crds: first_given(&args.crds, config.crds),
            policies: first_given(&args.policies, config.policies),
            types: first_given(&args.types, config.types),
            switches: args.options.switches().or(config.switches),
            tags: first_given(&args.tags, config.tags),
            kubernetes: kubernetes(args.kubernetes_version, config.kubernetes_version.as_deref())?,
            strict: args.strict || config.strict,
            require_schemas,
            no_ignore: args.no_ignore || config.no_ignore,
            allow_empty: args.allow_empty || config.allow_empty,
            skip: kinds(&first_given(&args.skip, config.skip)),
            reject: kinds(&first_given(&args.reject, config.reject)),
            skipped_paths: args.skipped_paths.clone(),
            ignore_filename_patterns: first_given(&args.ignore_filename_patterns, config.ignore_filename_patterns),
            summary: args.summary || config.summary,
            verbose: args.verbose || config.verbose,
            exit_on_error: args.exit_on_error,
            workers: args.workers.unwrap_or_else(workers::all_cores),
            format: args.output.map_or_else(|| format(config.output.as_deref()), Ok)?,
        };
        settings.refuse_stdin_twice()?;
        Ok(settings)
    }

    /// The tags that the types may have.
    pub(in crate::commands) fn registry(&self) -> anyhow::Result<Registry> {
        Ok(sprag_build::registry(&self.tags)?)
    }

    /// The manifests, what is passed over, and the charts and kustomizations among them.
    pub(in crate::commands) fn find_files(&self, ignored: &IgnorePatterns) -> anyhow::Result<(Vec<Found>, Layout)> {
        let (mut files, mut layout) = self.discovery(true, ignored).find_all(&self.trees)?;
        let (more, more_layout) = self.discovery(self.recursive, ignored).find_all(&self.filenames)?;
        files.extend(more);
        layout.extend(more_layout);
        Ok((files, layout))
    }

    /// The files with definitions.
    pub(in crate::commands) fn find_definitions(&self, ignored: &IgnorePatterns) -> anyhow::Result<Vec<Found>> {
        let mut files = self.discovery(true, ignored).find(&self.crds).context("--crds")?;
        files.extend(crds::Folder::find()?.definitions()?);
        Ok(files)
    }

    /// The files with admission policies.
    pub(in crate::commands) fn find_policies(&self, ignored: &IgnorePatterns) -> anyhow::Result<Vec<Found>> {
        self.discovery(self.recursive, ignored).find(&self.policies).context("--policies")
    }

    fn discovery<'i>(&self, recursive: bool, ignored: &'i IgnorePatterns) -> Discovery<'i> {
        Discovery { recursive, ignored, allow_empty: self.allow_empty, follow_links: self.follow_links }
    }

    /// The places of the manifests, for messages.
    pub(in crate::commands) fn shown_places(&self) -> String {
        let places = self.trees.iter().chain(&self.filenames).map(Place::to_string);
        places.collect::<Vec<_>>().join(", ")
    }

    /// The manifests as they were.
    pub(in crate::commands) fn find_old(&self, ignored: &IgnorePatterns) -> anyhow::Result<Vec<Found>> {
        let revision = match &self.old {
            Old::Nothing => return Ok(Vec::new()),
            Old::Places(places) => {
                let discovery = Discovery { allow_empty: true, ..self.discovery(self.recursive, ignored) };
                return discovery.find(places).context("--old");
            }
            Old::Revision(revision) => revision,
        };
        let repository = Repository::open().context("--base")?;
        let commit = repository.commit(revision).context("--base")?;
        let mut files = Vec::new();
        for (places, recursive) in [(&self.trees, true), (&self.filenames, self.recursive)] {
            for place in places {
                let Place::Path(path) = place else {
                    bail!(
                        "--base needs files and folders of the repository, not {place}: --old PATH reads the old objects from files"
                    );
                };
                for path in glob::expand(path)? {
                    files.extend(self.discovery(recursive, ignored).commit(&repository, &commit, &path)?);
                }
            }
        }
        Ok(files)
    }

    pub(in crate::commands) fn choices(&self) -> Choices {
        Choices {
            strict: self.strict,
            require_schemas: self.require_schemas,
            allow_empty: self.allow_empty,
            skip: self.skip.clone(),
            reject: self.reject.clone(),
            skipped_paths: self.skipped_paths.clone(),
        }
    }

    /// True if all manifests come from standard input.
    pub(in crate::commands) fn is_stdin_only(&self) -> bool {
        self.trees.iter().chain(&self.filenames).all(Place::is_stdin)
    }

    fn refuse_stdin_twice(&self) -> anyhow::Result<()> {
        let old: &[Place] = if let Old::Places(places) = &self.old { places } else { &[] };
        let all = self.trees.iter().chain(&self.filenames).chain(&self.crds).chain(&self.policies).chain(old);
        if all.filter(|place| place.is_stdin()).count() > 1 {
            bail!("only one of -f, --crds, --policies and --old can be read from standard input");
        }
        Ok(())
    }
}

/// Without any file, standard input is read.
fn filenames(args: &ValidateArgs, configured: Vec<Place>) -> Vec<Place> {
    if !args.filenames.is_empty() || !args.paths.is_empty() {
        args.filenames.clone()
    } else if configured.is_empty() {
        vec![Place::Stdin]
    } else {
        configured
    }
}

fn old(args: &ValidateArgs, configured: Option<&str>) -> anyhow::Result<Old> {
    if !args.old.is_empty() {
        return Ok(Old::Places(args.old.clone()));
    }
    match (&args.base, configured) {
        (Some(revision), _) => Ok(Old::Revision(revision.clone())),
        (None, Some(text)) => {
            Ok(Old::Revision(text.parse().map_err(anyhow::Error::msg).context(".sprag.yaml: validate.base")?))
        }
        (None, None) => Ok(Old::Nothing),
    }
}

fn kubernetes(given: Option<Releases>, configured: Option<&str>) -> anyhow::Result<Releases> {
    match (given, configured) {
        (Some(versions), _) => Ok(versions),
        (None, Some(text)) => {
            text.parse().map_err(anyhow::Error::msg).context(".sprag.yaml: validate.kubernetesVersion")
        }
        (None, None) => Ok(Releases::only(Release::NEWEST)),
    }
}

/// What the command line says counts, then the settings; missing schemas are no errors by default.
fn requires_schemas(args: &ValidateArgs, config: &config::Validate) -> bool {
    let is_ignored = args.ignore_missing_schemas || config.ignore_missing_schemas;
    args.require_schemas || (config.require_schemas && !is_ignored)
}

fn first_given<T: Clone>(given: &[T], configured: Vec<T>) -> Vec<T> {
    if given.is_empty() { configured } else { given.to_vec() }
}

fn kinds(names: &[String]) -> BTreeSet<String> {
    names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn format(configured: Option<&str>) -> anyhow::Result<Format> {
    let Some(name) = configured else { return Ok(Format::default()) };
    let names: Vec<String> = Format::value_variants()
        .iter()
        .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
        .collect();
    Format::from_str(name, false)
        .map_err(|_| anyhow!(".sprag.yaml: validate.output: there is no format {name:?}; write {}", names.join(", ")))
}
