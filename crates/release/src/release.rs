//! The releases whose answers are known.

use std::fmt;
use std::str::FromStr;

use crate::fact::Fact;
use crate::minor_version::MinorVersion;

/// A minor release of Kubernetes whose answers are known; the newest by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// Kubernetes 1.33.
    V1_33,
    /// Kubernetes 1.34.
    V1_34,
    /// Kubernetes 1.35.
    V1_35,
    /// Kubernetes 1.36.
    V1_36,
    /// Kubernetes 1.37.
    #[default]
    V1_37,
}

/// Text that names no known release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownRelease {
    /// The text is not a version number.
    #[error("{0:?} is not a version such as {newest} or v{newest}.2", newest = Release::NEWEST)]
    NotAVersion(String),
    /// The version is older than all that are known.
    #[error("Kubernetes {0} is older than the oldest known release, {oldest} (known: {known})", oldest = Release::OLDEST, known = names())]
    TooOld(MinorVersion),
    /// The version is newer than all that are known.
    #[error("Kubernetes {0} is newer than the newest known release, {newest} (known: {known})", newest = Release::NEWEST, known = names())]
    TooNew(MinorVersion),
}

impl Release {
    /// All releases, oldest first.
    pub const ALL: [Release; 5] = [Release::V1_33, Release::V1_34, Release::V1_35, Release::V1_36, Release::V1_37];
    /// The newest release.
    pub const NEWEST: Release = Release::V1_37;
    /// The oldest release.
    pub const OLDEST: Release = Release::V1_33;

    /// The version number.
    pub const fn version(self) -> MinorVersion {
        MinorVersion { major: 1, minor: 33 + self as u32 }
    }

    /// The patch release whose answers were recorded.
    pub const fn recorded(self) -> &'static str {
        match self {
            Release::V1_33 => "v1.33.13",
            Release::V1_34 => "v1.34.11",
            Release::V1_35 => "v1.35.8",
            Release::V1_36 => "v1.36.4",
            Release::V1_37 => "v1.37.0-rc.1",
        }
    }

    /// The numbers of the patch release whose answers were recorded.
    pub fn patch(self) -> [u32; 3] {
        let MinorVersion { major, minor } = self.version();
        let core = self.recorded().split('-').next().unwrap_or_default();
        let patch = core.rsplit('.').next().and_then(|patch| patch.parse().ok());
        [major, minor, patch.unwrap_or_default()]
    }

    /// The oldest version that a server of this release can emulate.
    // As upstream's compatibility.kubeEffectiveVersionFloors: three before its own, and 1.31 at least.
    pub const fn oldest_emulated(self) -> MinorVersion {
        let MinorVersion { major, minor } = self.version();
        let minor = if minor - 3 < 31 { 31 } else { minor - 3 };
        MinorVersion { major, minor }
    }

    /// True if a fact holds in this release.
    pub const fn has(self, fact: Fact) -> bool {
        fact.releases().contains(self)
    }
}

impl FromStr for Release {
    type Err = UnknownRelease;

    /// Reads `1.34`, `v1.34`, or a patch release of it (`v1.34.2`, `1.34.x`, `1.34.0-rc.1`).
    fn from_str(text: &str) -> Result<Release, UnknownRelease> {
        let malformed = || UnknownRelease::NotAVersion(text.to_owned());
        let number = |part: &str| part.parse().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()));
        let core = text.strip_prefix('v').unwrap_or(text);
        let core = core.split_once(['-', '+']).map_or(core, |(core, _)| core);
        let mut parts = core.split('.');
        let major = parts.next().and_then(number).ok_or_else(malformed)?;
        let minor = parts.next().and_then(number).ok_or_else(malformed)?;
        let patch = parts.next();
        if parts.next().is_some() || patch.is_some_and(|patch| patch != "x" && number(patch).is_none()) {
            return Err(malformed());
        }
        let version = MinorVersion { major, minor };
        let known = Release::ALL.into_iter().find(|release| release.version() == version);
        known.ok_or(if version < Release::OLDEST.version() {
            UnknownRelease::TooOld(version)
        } else {
            UnknownRelease::TooNew(version)
        })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.version().fmt(f)
    }
}

/// The known releases, for messages.
fn names() -> String {
    Release::ALL.map(|release| release.to_string()).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_releases_are_those_of_their_minor_release() {
        for text in ["1.34", "v1.34", "1.34.0", "v1.34.2", "1.34.x", "v1.34.0-rc.1", "1.34.3+k3s1"] {
            assert_eq!(text.parse(), Ok(Release::V1_34), "{text}");
        }
        assert_eq!(Release::V1_34.to_string(), "1.34");
        assert!(Release::ALL.iter().all(|release| release.recorded().starts_with(&format!("v{release}."))));
        assert_eq!(Release::V1_34.patch(), [1, 34, 11]);
        assert_eq!(Release::V1_37.patch(), [1, 37, 0]);
        assert_eq!(Release::V1_33.oldest_emulated(), MinorVersion { major: 1, minor: 31 });
    }

    #[test]
    fn unknown_releases_say_what_is_known() {
        let refused = |text: &str| text.parse::<Release>().unwrap_err().to_string();
        let known = "(known: 1.33, 1.34, 1.35, 1.36, 1.37)";
        assert_eq!(refused("1.30"), format!("Kubernetes 1.30 is older than the oldest known release, 1.33 {known}"));
        assert_eq!(refused("v2.0.1"), format!("Kubernetes 2.0 is newer than the newest known release, 1.37 {known}"));
        for text in ["", "1", "1.", "1.x", "1.37.0.1", "master", "1.+34", "1.34.y", "99999999999.1"] {
            assert_eq!(refused(text), format!("{text:?} is not a version such as 1.37 or v1.37.2"));
        }
    }
}
