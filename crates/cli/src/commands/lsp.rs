//! `sprag lsp`: the language server, over standard input and output.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use clap::Args;
use sprag_analysis::files::{Boundary, Discovery, Found, IgnorePatterns, Place};
use sprag_analysis::{BuiltIn, Choices, NewPolicyEngine};
use sprag_language_server::{Connection, Host, Problem, Settings, serve};
use sprag_rest::{FeatureGates, Release, Releases};

use super::Outcome;
use super::crds::Folder;
use super::lint::of_file;
use super::types::{declared_types, module_cache};
use crate::config::{API_VERSION, Config, FILE_NAME};
use crate::policies;

/// Arguments of `sprag lsp`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct LspArgs {
    /// Talk over standard input and output, which is the only way there is; some editors pass it
    #[arg(long, hide = true)]
    stdio: bool,
}

const AFTER_HELP: &str = "\
An editor starts it and talks the Language Server Protocol with it; docs/editor.md has configurations. Settings are read from .sprag.yaml.
Nothing is fetched, and no command is run but git, which reads the last commit.

Examples:
  sprag lsp";

pub(super) fn run() -> anyhow::Result<Outcome> {
    let (connection, threads) = Connection::stdio();
    serve(&connection, Arc::new(SettingsFiles::default()))?;
    // The threads end with the connection.
    drop(connection);
    threads.join().context("standard output")?;
    Ok(Outcome::Clean)
}

/// Settings from `.sprag.yaml`.
#[derive(Default)]
struct SettingsFiles {
    /// The built-in kinds that were made so far, by what they depend on.
    built_in: Mutex<Vec<(String, Arc<BuiltIn>)>>,
}

impl SettingsFiles {
    /// Folders with the same release and gates share their kinds.
    fn built_in(&self, release: Release, gates: FeatureGates, set: &str) -> Arc<BuiltIn> {
        let key = format!("{release} {set}");
        let mut made = self.built_in.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = made.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let built_in = Arc::new(BuiltIn::new(gates));
        made.push((key, built_in.clone()));
        built_in
    }

    fn read(&self, folder: &Path) -> anyhow::Result<Settings> {
        let file = Config::near(folder)?;
        let lint = of_file(&file.lint, &file.validate.tags).context("lint")?;
        let config = file.validate;
        let release = match &config.kubernetes_version {
            Some(text) => {
                let releases: Releases =
                    text.parse().map_err(anyhow::Error::msg).context("validate.kubernetesVersion")?;
                // An editor shows one verdict.
                releases.newest().unwrap_or_default()
            }
            None => Release::default(),
        };
        let gates = config.switches.kubernetes(release, !config.types.is_empty()).context("validate.featureGates")?;
        let ignored = IgnorePatterns::new(&config.ignore_filename_patterns)
            .context("validate.ignoreFilenamePatterns")?
            .reading_all(config.no_ignore);
        let find = |places: &[Place]| -> anyhow::Result<Vec<Found>> {
            let discovery = Discovery { recursive: true, ignored: &ignored, allow_empty: true, follow_links: false };
            Ok(discovery.find(places)?)
        };
        let mut definitions = find(&config.crds).context("validate.crds")?;
        definitions.extend(Folder::around(folder).definitions()?);
        let registry = sprag_build::registry(&config.tags)?;
        let kinds = |names: &[String]| names.iter().map(|name| name.trim().to_owned()).collect();
        Ok(Settings {
            built_in: self.built_in(release, gates, &format!("{:?}", config.switches)),
            definitions,
            types: declared_types(&config.types, true, false, &registry, &config.switches).context("validate.types")?,
            policies: find(&config.policies).context("validate.policies")?,
            choices: Choices {
                strict: config.strict,
                require_schemas: config.require_schemas && !config.ignore_missing_schemas,
                allow_empty: true,
                skip: kinds(&config.skip),
                reject: kinds(&config.reject),
                ..Choices::default()
            },
            base: config.base.as_deref().map(str::parse).transpose().map_err(anyhow::Error::msg)?,
            ignored,
            lint,
            module_cache: module_cache(),
        })
    }
}

impl Host for SettingsFiles {
    fn settings(&self, folder: &Path) -> Result<Settings, Problem> {
        self.read(folder).map_err(|error| problem(None, &error))
    }

    fn check(&self, path: &Path, text: &str) -> Option<Problem> {
        let folder = path.parent()?;
        let (line, error) = if path.file_name().is_some_and(|name| name == FILE_NAME) {
            let boundary = Boundary::around(folder).ok()?;
            Config::of_text(text.as_bytes(), folder, Some(&boundary)).err()?
        } else if !text.contains(API_VERSION) {
            return None;
        } else {
            super::test::mistake(text.as_bytes(), folder)?
        };
        Some(problem(line, &error))
    }

    fn policy_engine(&self) -> Option<NewPolicyEngine> {
        Some(policies::engine)
    }
}

fn problem(line: Option<usize>, error: &anyhow::Error) -> Problem {
    Problem { line, message: format!("{error:#}") }
}
