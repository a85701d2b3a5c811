//! The versions of Kubernetes whose built-in kinds are known.

use std::fmt;
use std::str::FromStr;

use sprag_rest::{MinorVersion, Release};

/// All versions, oldest first.
const KNOWN: [MinorVersion; 1] = [Release::NEWEST.version()];

/// A version of Kubernetes whose built-in kinds are known; the newest by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KubernetesVersion(MinorVersion);

impl Default for KubernetesVersion {
    fn default() -> Self {
        KubernetesVersion(KNOWN[KNOWN.len() - 1])
    }
}

impl KubernetesVersion {
    /// The minor number: 37 for 1.37.
    pub(crate) fn minor(self) -> u32 {
        self.0.minor
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for KubernetesVersion {
    type Err = String;

    /// Reads `1.37`, `v1.37` or the version of a patch release, whose kinds are those of its minor release.
    fn from_str(text: &str) -> Result<Self, String> {
        let known = || KNOWN.map(|release| release.to_string()).join(", ");
        let parts: Option<Vec<u32>> =
            text.strip_prefix('v').unwrap_or(text).split('.').map(|part| part.parse().ok()).collect();
        let release = match parts.as_deref() {
            Some([major, minor] | [major, minor, _]) => MinorVersion { major: *major, minor: *minor },
            _ => return Err(format!("not a version such as {}", KNOWN[KNOWN.len() - 1])),
        };
        if !KNOWN.contains(&release) {
            return Err(format!("the built-in kinds of Kubernetes {release} are not known; known: {}", known()));
        }
        Ok(KubernetesVersion(release))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_that_are_known() {
        for text in ["1.37", "v1.37", "1.37.0", "v1.37.12"] {
            assert_eq!(text.parse(), Ok(KubernetesVersion::default()), "{text}");
        }
        let refused = |text: &str| text.parse::<KubernetesVersion>().unwrap_err();
        assert_eq!(refused("1.30"), "the built-in kinds of Kubernetes 1.30 are not known; known: 1.37");
        assert_eq!(refused("1.37.0.1"), "not a version such as 1.37");
        assert_eq!(refused("master"), "not a version such as 1.37");
    }
}
