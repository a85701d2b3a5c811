//! `.sprag.yaml`: defaults for the command line, checked in beside the manifests.
//!
//! What the command line says wins; a list given there replaces the one of the file. Paths are relative to the file.

mod section;

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use sprag_analysis::Switches;
use sprag_analysis::files::{Boundary, Place, Refusal, read_limited};
use sprag_decode::Format;
use sprag_decode::locate::Locator;
use sprag_value::Value;

pub(crate) use self::section::{Section, SettingError, wrong};
use crate::commands::Waiver;

/// The name that is looked for.
pub(crate) const FILE_NAME: &str = ".sprag.yaml";
/// The version of the form described here.
pub(crate) const API_VERSION: &str = "sprag.dev/v1alpha1";
/// The kind of the file.
pub(crate) const KIND: &str = "Config";

/// The settings file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) validate: Validate,
    pub(crate) test: Test,
    pub(crate) crd_check: CrdCheck,
    pub(crate) lint: Lint,
}

/// Defaults for `sprag validate`.
#[derive(Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Validate {
    pub(crate) filenames: Vec<Place>,
    pub(crate) recursive: bool,
    pub(crate) crds: Vec<Place>,
    pub(crate) policies: Vec<Place>,
    pub(crate) types: Vec<PathBuf>,
    pub(crate) switches: Switches,
    pub(crate) tags: Vec<PathBuf>,
    pub(crate) kubernetes_version: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) strict: bool,
    pub(crate) ignore_missing_schemas: bool,
    pub(crate) require_schemas: bool,
    pub(crate) no_ignore: bool,
    pub(crate) allow_empty: bool,
    pub(crate) ignore_filename_patterns: Vec<String>,
    pub(crate) skip: Vec<String>,
    pub(crate) reject: Vec<String>,
    pub(crate) summary: bool,
    pub(crate) verbose: bool,
    pub(crate) output: Option<String>,
}

/// Defaults for `sprag test`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) filenames: Vec<Place>,
}

/// Defaults for `sprag crd check`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CrdCheck {
    pub(crate) allow: Vec<Waiver>,
}

/// Defaults for `sprag lint`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lint {
    pub(crate) profile: Option<String>,
    /// Rules with their levels.
    pub(crate) rules: Vec<(String, String)>,
    pub(crate) allow: Vec<Waiver>,
    pub(crate) forbidden: Vec<String>,
    pub(crate) preferred: Vec<(String, String)>,
    pub(crate) naming: Vec<(String, String)>,
    pub(crate) exceptions: Option<PathBuf>,
}

impl Config {
    /// The file that was named, or else the nearest one from the working directory up to the top of the repository; outside
    /// of a repository, only that of the working directory. One that was found may come with what is validated: neither it nor
    /// its paths lead out of the repository.
    pub(crate) fn find(named: Option<&Path>) -> anyhow::Result<Config> {
        let Some(path) = Config::path(named)? else { return Ok(Config::default()) };
        if named.is_some() {
            return Config::read(&path, None);
        }
        let here = working_directory()?;
        Config::found(&path, &here)
    }

    /// The same for a folder in place of the working directory, with absolute paths.
    pub(crate) fn near(folder: &Path) -> anyhow::Result<Config> {
        let above = nearest_file(folder).and_then(|above| folder.ancestors().nth(above));
        above.map_or_else(|| Ok(Config::default()), |above| Config::found(&above.join(FILE_NAME), folder))
    }

    /// Reads a file that was found, whose paths stay in the repository around a folder.
    fn found(path: &Path, folder: &Path) -> anyhow::Result<Config> {
        let boundary = Boundary::around(folder).with_context(|| folder.display().to_string())?;
        if let Err(refusal) = boundary.check(path) {
            bail!("{}: leads to a file that {refusal}: name the file with --config", path.display());
        }
        Config::read(path, Some(&boundary))
    }

    /// The path of that file, if there is one.
    pub(crate) fn path(named: Option<&Path>) -> anyhow::Result<Option<PathBuf>> {
        if let Some(path) = named {
            return Ok(Some(path.to_owned()));
        }
        let above = nearest_file(&working_directory()?);
        // As seen from the working directory, so that paths in the output are as short as those of the user.
        Ok(above.map(|above| std::iter::repeat_n("..", above).collect::<PathBuf>().join(FILE_NAME)))
    }

    fn read(path: &Path, boundary: Option<&Boundary>) -> anyhow::Result<Config> {
        let bytes = File::open(path).and_then(read_limited).with_context(|| path.display().to_string())?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Config::of_text(&bytes, folder, boundary).map_err(|(line, error)| {
            error.context(format!("{}{}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default()))
        })
    }

    /// Reads the text of a file in a folder. An error comes with its line, where that is known.
    pub(crate) fn of_text(
        bytes: &[u8],
        folder: &Path,
        boundary: Option<&Boundary>,
    ) -> Result<Config, (Option<usize>, anyhow::Error)> {
        let read = || {
            let decoded = sprag_decode::yaml::decode_strict(bytes)?;
            if let Some(finding) = decoded.findings.first() {
                bail!("{finding}");
            }
            let config = parse(&decoded.value, folder)?;
            boundary.map_or(Ok(()), |boundary| config.stay_inside(boundary))?;
            Ok(config)
        };
        read().map_err(|error| {
            let line = error.downcast_ref::<SettingError>().and_then(|wrong| line_of(bytes, &wrong.path));
            (line, error)
        })
    }
}

impl Config {
    /// Rejects paths that lead out of the repository.
    fn stay_inside(&self, boundary: &Boundary) -> anyhow::Result<()> {
        let Validate { filenames, crds, policies, types, tags, base, .. } = &self.validate;
        for (setting, flag, places) in [
            ("validate.filenames", "-f", filenames),
            ("validate.crds", "--crds", crds),
            ("validate.policies", "--policies", policies),
            ("test.filenames", "sprag test", &self.test.filenames),
        ] {
            for place in places {
                boundary.check_place(place).map_err(|refusal| refused(setting, place, &refusal, flag))?;
            }
        }
        for (setting, flag, paths) in [
            ("validate.types", "--types", types.as_slice()),
            ("validate.tags", "--tags", tags.as_slice()),
            ("lint.exceptions", "--exceptions", self.lint.exceptions.as_slice()),
        ] {
            for path in paths {
                boundary.check(path).map_err(|refusal| refused(setting, &path.display(), &refusal, flag))?;
            }
        }
        match base {
            Some(base) => {
                boundary.check_revisions().map_err(|refusal| refused("validate.base", base, &refusal, "--base"))
            }
            None => Ok(()),
        }
    }
}

/// The error for a path that settings do not reach.
fn refused(setting: &str, place: &dyn fmt::Display, refusal: &Refusal, flag: &str) -> anyhow::Error {
    wrong(setting, format!("{setting}: {place} {refusal}, where settings do not reach: name it with {flag}"))
}

/// The line of a setting.
fn line_of(text: &[u8], path: &str) -> Option<usize> {
    Some(Locator::new(Format::Yaml, text)?.find(path)?.span().start.line)
}

fn working_directory() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("working directory")
}

/// The folders between a folder and the nearest file in it or above, up to the top of the repository.
fn nearest_file(here: &Path) -> Option<usize> {
    let top = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(here);
    let mut folders = here.ancestors().take_while(|folder| folder.starts_with(top));
    folders.position(|folder| fs::metadata(folder.join(FILE_NAME)).is_ok_and(|file| file.is_file()))
}

/// The settings among these files that are not used, since they are neither in the working directory nor above it.
pub(crate) fn unused<'f>(files: impl Iterator<Item = &'f str>) -> Vec<&'f str> {
    let Ok(here) = std::env::current_dir() else { return Vec::new() };
    let is_below = |file: &Path| {
        let folder = file.parent().unwrap_or(Path::new(""));
        here.join(folder).canonicalize().is_ok_and(|folder| !here.starts_with(folder))
    };
    files
        .filter(|file| file.ends_with(FILE_NAME) && Path::new(file).ends_with(FILE_NAME) && is_below(Path::new(file)))
        .collect()
}

fn parse(value: &Value, folder: &Path) -> anyhow::Result<Config> {
    let file = Section::new("", value, &["apiVersion", "kind", "validate", "test", "crdCheck", "lint"])?;
    let version = file.text("apiVersion")?;
    let kind = file.text("kind")?;
    if version.as_deref() != Some(API_VERSION) || kind.as_deref() != Some(KIND) {
        return Err(wrong("apiVersion", format!("apiVersion must be {API_VERSION} and kind {KIND}")));
    }
    let places = |section: &Section<'_>| -> anyhow::Result<Vec<Place>> { section.places("filenames", folder) };
    let validate = file.section("validate", VALIDATE_KEYS)?;
    let test = file.section("test", &["filenames"])?;
    let crd_check = file.section("crdCheck", &["allow"])?;
    Ok(Config {
        validate: Validate {
            filenames: places(&validate)?,
            recursive: validate.flag("recursive")?,
            crds: validate.places("crds", folder)?,
            policies: validate.places("policies", folder)?,
            types: validate.texts("types")?.iter().map(|path| folder.join(path)).collect(),
            switches: Switches { gates: validate.flags("featureGates")?, options: validate.flags("options")? },
            tags: validate.texts("tags")?.iter().map(|path| folder.join(path)).collect(),
            kubernetes_version: validate.text("kubernetesVersion")?,
            base: validate.text("base")?,
            strict: validate.flag("strict")?,
            ignore_missing_schemas: validate.flag("ignoreMissingSchemas")?,
            require_schemas: validate.flag("requireSchemas")?,
            no_ignore: validate.flag("noIgnore")?,
            allow_empty: validate.flag("allowEmpty")?,
            ignore_filename_patterns: validate.texts("ignoreFilenamePatterns")?,
            skip: validate.texts("skip")?,
            reject: validate.texts("reject")?,
            summary: validate.flag("summary")?,
            verbose: validate.flag("verbose")?,
            output: validate.text("output")?,
        },
        test: Test { filenames: places(&test)? },
        crd_check: CrdCheck { allow: waivers(&crd_check)? },
        lint: lint(&file, folder)?,
    })
}

fn lint(file: &Section<'_>, folder: &Path) -> anyhow::Result<Lint> {
    let lint = file.section("lint", LINT_KEYS)?;
    Ok(Lint {
        profile: lint.text("profile")?,
        rules: lint.pairs("rules")?,
        allow: waivers(&lint)?,
        forbidden: lint.texts("forbiddenMarkers")?,
        preferred: lint.pairs("preferredMarkers")?,
        naming: lint.pairs("naming")?,
        exceptions: lint.text("exceptions")?.map(|path| folder.join(path)),
    })
}

fn waivers(section: &Section<'_>) -> anyhow::Result<Vec<Waiver>> {
    let waiver = |text: String| {
        text.parse::<Waiver>().map_err(|why| {
            let path = section.path("allow");
            let text = format!("{path}: {text:?}: {why}");
            wrong(path, text)
        })
    };
    section.texts("allow")?.into_iter().map(waiver).collect()
}

const LINT_KEYS: &[&str] =
    &["profile", "rules", "allow", "forbiddenMarkers", "preferredMarkers", "naming", "exceptions"];

const VALIDATE_KEYS: &[&str] = &[
    "filenames",
    "recursive",
    "crds",
    "policies",
    "types",
    "featureGates",
    "options",
    "tags",
    "kubernetesVersion",
    "base",
    "strict",
    "ignoreMissingSchemas",
    "ignoreMissingSchemas",
    "requireSchemas",
    "noIgnore",
    "allowEmpty",
    "ignoreFilenamePatterns",
    "skip",
    "reject",
    "summary",
    "verbose",
    "output",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<Config, String> {
        let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Config\n{text}");
        let value = sprag_decode::yaml::decode(text.as_bytes()).unwrap();
        parse(&value, Path::new("top")).map_err(|error| format!("{error:#}"))
    }

    #[track_caller]
    fn refuses(text: &str, expected: &str) {
        assert_eq!(config(text), Err(expected.to_owned()));
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let config = config("validate:\n  filenames: [a, git:HEAD:b]\n  crds: c\n  strict: true\n").unwrap();
        let shown: Vec<String> = config.validate.filenames.iter().map(Place::to_string).collect();
        assert_eq!(shown, ["top/a", "git:HEAD:top/b"]);
        assert_eq!(config.validate.crds, [Place::Path("top/c".into())]);
        assert!(config.validate.strict);
    }

    #[test]
    fn unknown_keys_are_errors() {
        refuses("validat: {}", "there is no key \"validat\"; did you mean \"validate\"?");
        refuses("validate:\n  Strict: true", "validate: there is no key \"Strict\"; did you mean \"strict\"?");
        refuses("validate:\n  zzz: true", "validate: there is no key \"zzz\"");
    }

    #[test]
    fn values_have_one_kind() {
        refuses("validate:\n  strict: maybe", "validate.strict must be true or false");
        refuses("validate:\n  skip: [1]", "validate.skip must be text or a list of texts");
        refuses("validate: []", "validate must be a map");
        refuses("validate:\n  options: [A]", "validate.options must be a map of names to true or false");
        refuses("validate:\n  featureGates: {A: 1}", "validate.featureGates must be a map of names to true or false");
        refuses("validate:\n  crds: ['git:-x:y']", "validate.crds: revision \"-x\" begins with a dash");
    }

    #[test]
    fn other_versions_are_refused() {
        let value = sprag_decode::yaml::decode(b"apiVersion: sprag.dev/v9\nkind: Config").unwrap();
        let error = parse(&value, Path::new("")).unwrap_err();
        assert_eq!(error.to_string(), "apiVersion must be sprag.dev/v1alpha1 and kind Config");
    }
}
