//! Levels and versions of the Pod Security Standards, and the labels that choose them.

use std::fmt;

use sprag_field::{Error, Path};
use sprag_rest::meta;
use sprag_value::Value;

/// A pod security level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Privileged,
    Baseline,
    Restricted,
}

/// The release whose checks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// `v1.x`.
    Minor(u64),
    Latest,
}

/// A level as of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelVersion {
    pub(super) level: Level,
    pub(super) version: Version,
}

/// The enforce, audit and warn levels of a namespace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    pub(super) enforce: LevelVersion,
    pub(super) audit: LevelVersion,
    pub(super) warn: LevelVersion,
}

impl Levels {
    /// True if pods may do everything.
    pub(super) fn is_privileged(self) -> bool {
        [self.enforce, self.audit, self.warn].iter().all(|part| part.level == Level::Privileged)
    }
}

impl fmt::Display for LevelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Privileged => "privileged",
            Level::Baseline => "baseline",
            Level::Restricted => "restricted",
        };
        match self.version {
            Version::Latest => write!(f, "{level}:latest"),
            Version::Minor(minor) => write!(f, "{level}:v1.{minor}"),
        }
    }
}

/// The policy of a namespace's labels, and their errors.
// As upstream's api.PolicyToEvaluate with the defaults of its configuration.
pub(super) fn policy(namespace: &Value) -> (Levels, Vec<Error>) {
    let privileged = LevelVersion { level: Level::Privileged, version: Version::Latest };
    let mut policy = Levels { enforce: privileged, audit: privileged, warn: privileged };
    let mut labels = Labels { namespace, errors: Vec::new() };
    let enforced = labels.level("enforce");
    match enforced {
        Named::Nothing => {}
        Named::Level(level) => policy.enforce.level = level,
        Named::Unknown => policy.enforce.level = Level::Restricted,
    }
    if let Some(version) = labels.version("enforce-version") {
        policy.enforce.version = version;
    }
    if let Named::Level(level) = labels.level("audit") {
        policy.audit.level = level;
    }
    if let Some(version) = labels.version("audit-version") {
        policy.audit.version = version;
    }
    let warned = labels.level("warn");
    let warn_version = labels.version("warn-version");
    if let Named::Level(level) = warned {
        policy.warn.level = level;
    }
    if let Some(version) = warn_version {
        policy.warn.version = version;
    }
    let is_defaulted = warned == Named::Nothing && matches!(enforced, Named::Level(_));
    if is_defaulted && policy.enforce.level > policy.warn.level {
        policy.warn.level = policy.enforce.level;
        if warn_version.is_none() {
            policy.warn.version = policy.enforce.version;
        }
    }
    (policy, labels.errors)
}

/// A level as named by a label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// There is no such label.
    Nothing,
    Level(Level),
    /// A level that does not exist.
    Unknown,
}

struct Labels<'v> {
    namespace: &'v Value,
    errors: Vec<Error>,
}

impl Labels<'_> {
    fn get(&self, name: &str) -> Option<(String, String)> {
        let label = format!("pod-security.kubernetes.io/{name}");
        let value = meta::get(self.namespace, "labels")?.get(&label)?.as_str()?.to_owned();
        Some((label, value))
    }

    /// The level of a label.
    fn level(&mut self, name: &str) -> Named {
        let Some((label, value)) = self.get(name) else { return Named::Nothing };
        match value.as_str() {
            "privileged" => Named::Level(Level::Privileged),
            "baseline" => Named::Level(Level::Baseline),
            "restricted" => Named::Level(Level::Restricted),
            _ => {
                self.refuse(&label, value, "must be one of privileged, baseline, restricted");
                Named::Unknown
            }
        }
    }

    fn version(&mut self, name: &str) -> Option<Version> {
        let (label, value) = self.get(name)?;
        let version = match value.as_str() {
            "latest" => Some(Version::Latest),
            text => text.strip_prefix("v1.").and_then(minor).map(Version::Minor),
        };
        if version.is_none() {
            self.refuse(&label, value, "must be \"latest\" or \"v1.x\"");
        }
        Some(version.unwrap_or(Version::Latest))
    }

    fn refuse(&mut self, label: &str, value: String, why: &'static str) {
        let metadata = Path::new("metadata");
        let labels = metadata.child("labels");
        self.errors.push(Error::invalid(&labels.key(label), value, why));
    }
}

fn minor(text: &str) -> Option<u64> {
    let is_number = text == "0" || text.starts_with(|first: char| ('1'..='9').contains(&first));
    // Go's Atoi takes 64 bits with a sign.
    let number = text.parse::<u64>().ok().filter(|number| i64::try_from(*number).is_ok());
    number.filter(|_| is_number && text.bytes().all(|byte| byte.is_ascii_digit()))
}
