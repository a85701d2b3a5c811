//! Numbers of minor releases, as feature gates count them.

use std::fmt;
use std::str::FromStr;

/// The number of a minor release, which need not be that of a known release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MinorVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl FromStr for MinorVersion {
    type Err = String;

    /// Reads `1.36`, with or without a `v` before.
    fn from_str(text: &str) -> Result<MinorVersion, String> {
        let numbers = text.strip_prefix('v').unwrap_or(text).split_once('.');
        let parsed = numbers
            .and_then(|(major, minor)| Some(MinorVersion { major: major.parse().ok()?, minor: minor.parse().ok()? }));
        parsed.ok_or_else(|| format!("{text:?} is not a version like 1.37"))
    }
}

impl fmt::Display for MinorVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
