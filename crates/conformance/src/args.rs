//! The command line.

use std::fmt::Write as _;
use std::path::PathBuf;

use sprag_rest::Release;

use crate::declarations::DeclarationsArgs;
use crate::suite::{self, Suite};

/// The engine that runs the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Interpreted,
    Generated,
}

/// A whole command line.
pub(crate) enum Command {
    Run(Box<Args>),
    Pack { recordings: PathBuf, into: PathBuf },
    Declarations(DeclarationsArgs),
}

pub(crate) struct Args {
    pub(crate) suite: &'static Suite,
    /// The recorded answers; empty if the suite needs none.
    pub(crate) path: PathBuf,
    pub(crate) backend: Backend,
    pub(crate) most_diffs: usize,
    /// Folder in which generated code is written and built.
    pub(crate) work_dir: Option<PathBuf>,
    /// Only tests whose name contains this text.
    pub(crate) filter: Option<String>,
    /// The only release of `versions` that is run.
    pub(crate) release: Option<Release>,
    /// The kinds of `native` and `versions`: `Pod,apps/v1/Deployment`.
    pub(crate) kinds: Option<String>,
    /// One of so many cases of `native` is run.
    pub(crate) every: usize,
    /// A file with cases of `access`, `admission` and `native` that may fail.
    pub(crate) known: Option<PathBuf>,
    /// File to which `access`, `admission` and `native` write all failures.
    pub(crate) failures: Option<PathBuf>,
    /// Only say which of the recorded rules of `native` tags yield.
    pub(crate) tags: bool,
    pub(crate) http: Http,
}

/// The store of a server that is started here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreKind {
    Memory,
    Embedded,
    Etcd,
}

/// Arguments of the `http` suite.
pub(crate) struct Http {
    /// A server that runs already.
    pub(crate) url: Option<String>,
    /// The certificates of its authority.
    pub(crate) ca: Option<PathBuf>,
    pub(crate) token: String,
    /// Store of a server that is started here.
    pub(crate) store: StoreKind,
    /// Only code, reason, causes and warnings of refusals are compared.
    pub(crate) lenient: bool,
    /// Number of tests that run side by side.
    pub(crate) jobs: usize,
}

impl Default for Http {
    fn default() -> Self {
        Self { url: None, ca: None, token: String::new(), store: StoreKind::Memory, lenient: false, jobs: 8 }
    }
}

const OPTIONS: &str = "\
Options:
  --backend interpreted|generated   what runs the rules of shadowed and validation-gen (default: interpreted)
  --work-dir DIR                    where generated code is built (default: a folder below the target directory)
  --diffs N                         how many failures to show in full (default: 20)
  --filter TEXT                     only tests of access, admission and http whose name contains this text
  --url https://HOST:PORT           the server that http asks (default: one that it starts for each file)
  --ca FILE, --token TOKEN          how to trust the server at --url, and how to be trusted
  --store memory|embedded|etcd      what is below a server that http starts (default: memory)
  --lenient                         http compares code, reason, causes and warnings of refusals only
  --jobs N                          how many tests of access, admission and http run side by side (default: 8)
  --release VERSION                 the only release that versions runs
  --kind KIND,KIND                  only these kinds of native and versions: Pod, apps/v1/Deployment
  --every N                         only every Nth case of native; all of groups whose cases follow each other (default: 1)
  --failures FILE                   where access, admission and native write all their failures
  --tags                            only print the share of native's rules that tags yield, and rules that could be tags
  --known FILE                      cases of access, admission and native that may fail, one on a line; one that passes is a failure

The last line is `N passed, M failed, K skipped`. Exit codes: 0 all passed, 1 failures, 2 usage or I/O.";

fn help() -> String {
    let mut text = "Runs a recorded suite and compares every answer.\n\n\
                    Usage: sprag-conformance <SUITE> [FILE-OR-DIR-OR-PACKED-FILE] [OPTIONS]\n       \
                    sprag-conformance native DIR [KIND,KIND]   only these kinds: Pod, apps/v1/Deployment\n       \
                    sprag-conformance pack RECORDINGS INTO   packs what the repository carries of them\n       \
                    sprag-conformance declarations --since VERSION …   what a new release needs, from OpenAPI and gates\n\nSuites:\n"
        .to_owned();
    for suite in suite::ALL {
        let _ = writeln!(text, "  {:<16} {}", suite.name, suite.about);
    }
    text.push_str("\nExamples:\n");
    for suite in suite::ALL {
        let _ = match suite.recorded {
            "" => writeln!(text, "  sprag-conformance {}", suite.name),
            recorded => writeln!(text, "  sprag-conformance {} ../shared/conformance/{recorded}", suite.name),
        };
    }
    text.push_str("  sprag-conformance http crates/conformance/recorded/http.json.gz\n");
    text + "\n" + OPTIONS
}

impl Command {
    pub(crate) fn parse(words: Vec<String>) -> Result<Command, String> {
        match words.as_slice() {
            [word, recordings, into] if word == "pack" => {
                Ok(Command::Pack { recordings: recordings.into(), into: into.into() })
            }
            [word, ..] if word == "pack" => Err(help()),
            [word, rest @ ..] if word == "declarations" => Ok(Command::Declarations(DeclarationsArgs::parse(rest)?)),
            _ => Ok(Command::Run(Box::new(Args::parse(words.into_iter())?))),
        }
    }
}

impl Args {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut plain = Vec::new();
        let mut backend = Backend::Interpreted;
        let mut most_diffs = 20;
        let mut work_dir = None;
        let mut filter = None;
        let mut http = Http::default();
        let mut release = None;
        let mut named_kinds = None;
        let mut known = None;
        let mut failures = None;
        let mut tags = false;
        let mut every = 1;
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = |name: &str| words.next().ok_or(format!("{name} needs a value\n\n{}", help()));
            match word.as_str() {
                "-h" | "--help" => return Err(help()),
                "--backend" => {
                    backend = match value("--backend")?.as_str() {
                        "interpreted" => Backend::Interpreted,
                        "generated" => Backend::Generated,
                        other => return Err(format!("unknown backend {other:?}\n\n{}", help())),
                    }
                }
                "--diffs" => {
                    let text = value("--diffs")?;
                    most_diffs = text.parse().map_err(|_| format!("--diffs {text:?} is not a number"))?;
                }
                "--work-dir" => work_dir = Some(PathBuf::from(value("--work-dir")?)),
                "--every" => {
                    let text = value("--every")?;
                    let number = text.parse().ok().filter(|number| *number > 0);
                    every = number.ok_or_else(|| format!("--every {text:?} is not a number above 0"))?;
                }
                "--release" => {
                    release = Some(value("--release")?.parse::<Release>().map_err(|error| error.to_string())?);
                }
                "--kind" => named_kinds = Some(value("--kind")?),
                "--known" => known = Some(PathBuf::from(value("--known")?)),
                "--failures" => failures = Some(PathBuf::from(value("--failures")?)),
                "--filter" => filter = Some(value("--filter")?),
                "--url" => http.url = Some(value("--url")?),
                "--ca" => http.ca = Some(PathBuf::from(value("--ca")?)),
                "--token" => http.token = value("--token")?,
                "--store" => {
                    http.store = match value("--store")?.as_str() {
                        "memory" => StoreKind::Memory,
                        "embedded" => StoreKind::Embedded,
                        "etcd" => StoreKind::Etcd,
                        other => return Err(format!("unknown store {other:?}\n\n{}", help())),
                    }
                }
                "--lenient" => http.lenient = true,
                "--tags" => tags = true,
                "--jobs" => {
                    let text = value("--jobs")?;
                    http.jobs = text.parse().map_err(|_| format!("--jobs {text:?} is not a number"))?;
                }
                _ if word.starts_with('-') => return Err(format!("unknown option {word}\n\n{}", help())),
                _ => plain.push(word),
            }
        }
        let mut plain = plain.into_iter();
        let (Some(name), path, kinds, None) = (plain.next(), plain.next(), plain.next(), plain.next()) else {
            return Err(help());
        };
        let suite = suite::named(&name).ok_or_else(|| format!("unknown suite {name:?}\n\n{}", help()))?;
        let kinds = kinds.or(named_kinds);
        if kinds.is_some() && !["native", "versions"].contains(&name.as_str()) {
            return Err(help());
        }
        if release.is_some() && name != "versions" {
            return Err(help());
        }
        let path = match path {
            None if !suite.recorded.is_empty() => return Err(help()),
            path => path.unwrap_or_default().into(),
        };
        Ok(Args {
            suite,
            path,
            backend,
            most_diffs,
            work_dir,
            filter,
            release,
            kinds,
            every,
            known,
            failures,
            tags,
            http,
        })
    }
}
