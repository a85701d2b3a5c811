//! A file of tests.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use sprag_analysis::files::{Boundary, Content, Discovery, Found, IgnorePatterns, Place, Refusal};
use sprag_analysis::{
    Analysis, Batches, BuiltIn, Choices, Documents, Finding, Object, Severity, Snapshot, Switches, Types,
};
use sprag_rest::{FeatureGates, Release};
use sprag_value::Value;

use super::expect::{Expected, differences};
use super::report::Case;
use crate::commands::crds::Folder;
use crate::commands::types::declared_types;
use crate::config::{API_VERSION, Section, SettingError, wrong};
use crate::policies;

/// The keys of a test file.
const KEYS: &[&str] =
    &["apiVersion", "kind", "metadata", "crds", "policies", "types", "tags", "featureGates", "strict", "tests"];

/// The kind of a test file.
const KIND: &str = "Test";

/// Tests with the definitions they are about.
pub(super) struct TestFile {
    name: Arc<str>,
    analysis: Analysis,
    tests: Vec<Test>,
}

struct Test {
    name: String,
    given: Value,
    old: Option<Value>,
    errors: Vec<Expected>,
    /// Not compared when absent.
    warnings: Option<Vec<Expected>>,
    ratcheted: Option<Vec<Expected>>,
}

impl TestFile {
    /// Reads a file; one that was found in a folder may be something else.
    pub(super) fn read(found: &Found, release: Release) -> anyhow::Result<Option<TestFile>> {
        let mut line = String::new();
        let mut read = || {
            let mut tests = Vec::new();
            let mut subject = Subject::default();
            for batch in Batches::of(&vec![found.clone()]) {
                let bytes = batch.content.map_err(anyhow::Error::msg)?;
                for document in Documents::new(&bytes, batch.line) {
                    let Some(value) = document.value().filter(|value| is_test(value)) else { continue };
                    let mut read = || {
                        let section = Section::new("", value, KEYS)?;
                        subject.read(&section, folder(found))?;
                        tests.push((section.flag("strict")?, read_tests(&section)?));
                        Ok::<_, anyhow::Error>(())
                    };
                    if let Err(error) = read() {
                        let path = error.downcast_ref::<SettingError>().map(|wrong| wrong.path.as_str());
                        line =
                            path.and_then(|path| document.line_of(path)).map(|n| format!(":{n}")).unwrap_or_default();
                        return Err(error);
                    }
                }
            }
            Ok::<_, anyhow::Error>((tests, subject))
        };
        let read = read();
        let (tests, subject) = read.with_context(|| format!("{}{line}", found.name))?;
        if tests.is_empty() {
            return Ok(None);
        }
        let ignored = IgnorePatterns::default();
        let definitions = Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false }
            .find(&subject.definitions);
        let policies = Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false }
            .find(&subject.policies);
        let mut definitions = definitions.with_context(|| format!("{}: crds", found.name))?;
        definitions.extend(Folder::find()?.definitions()?);
        let analysis = Analysis::new(Snapshot {
            built_in: Arc::new(BuiltIn::new(FeatureGates::of(release))),
            definitions: Arc::new(definitions),
            types: subject.types().with_context(|| format!("{}: types", found.name))?,
            policies: Arc::new(policies.with_context(|| format!("{}: policies", found.name))?),
            policy_engine: Some(policies::engine),
            choices: Choices {
                strict: tests.iter().any(|(strict, _)| *strict),
                // A test of an object that nothing validates would always pass.
                require_schemas: true,
                ..Choices::default()
            },
            ..Snapshot::default()
        })
        .with_context(|| format!("{}: crds", found.name))?;
        if let Some(warning) = analysis.warnings().first() {
            bail!("{}: {warning}", found.name);
        }
        let tests = tests.into_iter().flat_map(|(_, tests)| tests).collect();
        Ok(Some(TestFile { name: found.name.as_str().into(), analysis, tests }))
    }

    /// Reads the text of a file, without what it names. An error comes with its line, where that is known.
    pub(super) fn check(bytes: &[u8], folder: &Path) -> Result<(), (Option<usize>, anyhow::Error)> {
        for document in Documents::new(bytes, 1) {
            let Some(value) = document.value().filter(|value| is_test(value)) else { continue };
            let read = || {
                let section = Section::new("", value, KEYS)?;
                Subject::default().read(&section, folder)?;
                read_tests(&section)
            };
            read().map_err(|error| {
                let path = error.downcast_ref::<SettingError>().map(|wrong| wrong.path.as_str());
                (path.and_then(|path| document.line_of(path)), error)
            })?;
        }
        Ok(())
    }

    /// The objects of its tests, each with the one that it replaces.
    pub(super) fn objects(&self) -> impl Iterator<Item = (&Value, Option<&Value>)> {
        self.tests.iter().map(|test| (&test.given, test.old.as_ref()))
    }

    /// Runs the tests whose name contains a text.
    pub(super) fn run(&self, filter: &str) -> Vec<Case> {
        let tests = self.tests.iter().filter(|test| test.name.contains(filter));
        tests
            .map(|test| Case { file: self.name.clone(), name: test.name.clone(), problems: self.problems(test) })
            .collect()
    }

    fn problems(&self, test: &Test) -> Vec<String> {
        let found = self.analysis.one(&Object::detached(test.given.clone()), test.old.as_ref());
        let of = |severity: Severity| found.of(severity).collect::<Vec<&Finding>>();
        let mut problems = differences("error", &test.errors, &of(Severity::Error));
        for (severity, expected) in [(Severity::Warning, &test.warnings), (Severity::Ratcheted, &test.ratcheted)] {
            if let Some(expected) = expected {
                problems.extend(differences(severity.name(), expected, &of(severity)));
            }
        }
        problems
    }
}

/// The subject of the tests of a file.
#[derive(Default)]
struct Subject {
    definitions: Vec<Place>,
    policies: Vec<Place>,
    types: Vec<PathBuf>,
    tags: Vec<PathBuf>,
    switches: Switches,
}

impl Subject {
    fn read(&mut self, section: &Section<'_>, folder: &Path) -> anyhow::Result<()> {
        let boundary = Boundary::around(folder).with_context(|| folder.display().to_string())?;
        let refused = |key: &str, place: &dyn fmt::Display, refusal: Refusal| {
            wrong(key, format!("{key}: {place} {refusal}, where test files do not reach"))
        };
        let places = |key: &str| {
            let places = section.places(key, folder)?;
            for place in &places {
                boundary.check_place(place).map_err(|refusal| refused(key, place, refusal))?;
            }
            Ok::<_, anyhow::Error>(places)
        };
        let paths = |key: &str| {
            let paths: Vec<PathBuf> = section.texts(key)?.into_iter().map(|text| folder.join(text)).collect();
            for path in &paths {
                boundary.check(path).map_err(|refusal| refused(key, &path.display(), refusal))?;
            }
            Ok::<_, anyhow::Error>(paths)
        };
        self.definitions.extend(places("crds")?);
        self.policies.extend(places("policies")?);
        self.types.extend(paths("types")?);
        self.tags.extend(paths("tags")?);
        self.switches.gates.extend(section.flags("featureGates")?);
        Ok(())
    }

    fn types(&self) -> anyhow::Result<Option<Arc<Types>>> {
        declared_types(&self.types, false, false, &sprag_build::registry(&self.tags)?, &self.switches)
    }
}

/// Returns the folder that paths of a file are relative to.
fn folder(found: &Found) -> &Path {
    match &found.content {
        Content::File(path) => path.parent().unwrap_or(Path::new("")),
        _ => Path::new(""),
    }
}

fn is_test(value: &Value) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    text("apiVersion") == Some(API_VERSION) && text("kind") == Some(KIND)
}

fn read_tests(section: &Section<'_>) -> anyhow::Result<Vec<Test>> {
    let Some(tests) = section.get("tests").and_then(Value::as_array) else {
        return Err(wrong("tests", "tests must be a list"));
    };
    tests.as_slice().iter().enumerate().map(|(index, test)| read_test(&format!("tests[{index}]"), test)).collect()
}

fn read_test(place: &str, value: &Value) -> anyhow::Result<Test> {
    const KEYS: &[&str] = &["name", "given", "old", "valid", "errors", "warnings", "ratcheted"];
    let test = Section::new(place, value, KEYS)?;
    let object = |key: &str| match test.get(key) {
        Some(value @ Value::Object(_)) => Ok(Some(value.clone())),
        Some(_) => Err(wrong(test.path(key), format!("{} must be an object", test.path(key)))),
        None => Ok(None),
    };
    let expected = |key: &str| {
        let Some(value) = test.get(key) else { return Ok(None) };
        let Some(list) = value.as_array() else {
            return Err(wrong(test.path(key), format!("{} must be a list", test.path(key))));
        };
        let read = |(index, value)| Expected::read(&format!("{}[{index}]", test.path(key)), value);
        Ok(Some(list.as_slice().iter().enumerate().map(read).collect::<anyhow::Result<Vec<_>>>()?))
    };
    let errors = expected("errors")?;
    match (test.get("valid").is_some(), test.flag("valid")?, &errors) {
        (false, _, None) => return Err(wrong(place, format!("{place} needs `valid: true` or `errors`"))),
        (true, true, Some(errors)) if !errors.is_empty() => {
            return Err(wrong(test.path("errors"), format!("{place} cannot be valid and have errors")));
        }
        (true, false, None) => {
            return Err(wrong(test.path("valid"), format!("{place} needs the errors that make it invalid")));
        }
        _ => {}
    }
    Ok(Test {
        name: test.text("name")?.ok_or_else(|| wrong(place, format!("{place} has no name")))?,
        given: object("given")?.ok_or_else(|| wrong(place, format!("{place} has no given object")))?,
        old: object("old")?,
        errors: errors.unwrap_or_default(),
        warnings: expected("warnings")?,
        ratcheted: expected("ratcheted")?,
    })
}
