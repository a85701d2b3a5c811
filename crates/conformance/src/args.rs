//! The command line.

use std::path::PathBuf;

/// Which recorded suite to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suite {
    ValidationGen,
    BadTags,
    Formats,
}

/// What runs the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Interpreted,
    Generated,
}

#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) suite: Suite,
    pub(crate) path: PathBuf,
    pub(crate) backend: Backend,
    pub(crate) most_diffs: usize,
    /// Where generated code is written and built.
    pub(crate) work_dir: Option<PathBuf>,
}

const HELP: &str = "\
Runs a recorded suite and compares every answer.

Usage: sprag-conformance <SUITE> <FILE-OR-DIR> [OPTIONS]

Suites:
  validation-gen   type models and validation calls, one file per package
  bad-tags         misused tags and the generator's verdicts
  formats          strings and what each format says of them

Options:
  --backend interpreted|generated   what runs the rules of validation-gen (default: interpreted)
  --work-dir DIR                    where generated code is built (default: a folder below the target directory)
  --diffs N                         how many failures to show in full (default: 20)

Examples:
  sprag-conformance validation-gen ../shared/conformance/validation-gen
  sprag-conformance formats ../shared/conformance/formats.json

The last line is `N passed, M failed, K skipped`. Exit codes: 0 all passed, 1 failures, 2 usage or I/O.";

impl Args {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut plain = Vec::new();
        let mut backend = Backend::Interpreted;
        let mut most_diffs = 20;
        let mut work_dir = None;
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = |name: &str| words.next().ok_or(format!("{name} needs a value\n\n{HELP}"));
            match word.as_str() {
                "-h" | "--help" => return Err(HELP.to_owned()),
                "--backend" => {
                    backend = match value("--backend")?.as_str() {
                        "interpreted" => Backend::Interpreted,
                        "generated" => Backend::Generated,
                        other => return Err(format!("unknown backend {other:?}\n\n{HELP}")),
                    }
                }
                "--diffs" => {
                    let text = value("--diffs")?;
                    most_diffs = text.parse().map_err(|_| format!("--diffs {text:?} is not a number"))?;
                }
                "--work-dir" => work_dir = Some(PathBuf::from(value("--work-dir")?)),
                _ if word.starts_with('-') => return Err(format!("unknown option {word}\n\n{HELP}")),
                _ => plain.push(word),
            }
        }
        let [suite, path] = <[String; 2]>::try_from(plain).map_err(|_| HELP.to_owned())?;
        let suite = match suite.as_str() {
            "validation-gen" => Suite::ValidationGen,
            "bad-tags" => Suite::BadTags,
            "formats" => Suite::Formats,
            other => return Err(format!("unknown suite {other:?}\n\n{HELP}")),
        };
        Ok(Args { suite, path: path.into(), backend, most_diffs, work_dir })
    }
}
