//! Ranges of releases.

use std::fmt;
use std::str::FromStr;

use crate::release::{Release, UnknownRelease};

/// A set of releases, as one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Releases(u8);

/// A range that holds in no release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no release is since {since} and until {until}")]
pub struct ReleasesError {
    /// The first release.
    pub since: Release,
    /// The last release.
    pub until: Release,
}

/// Text that names no set of known releases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseListError {
    /// A part of it is not a known release.
    #[error(transparent)]
    Unknown(#[from] UnknownRelease),
    /// A range ends before it begins.
    #[error("the range {0}..{1} is upside down: write {1}..{0}")]
    UpsideDown(Release, Release),
}

impl FromStr for Releases {
    type Err = ReleaseListError;

    /// Reads `1.34`, a list `1.34,1.36`, and ranges with both ends `1.34..1.37`.
    fn from_str(text: &str) -> Result<Releases, ReleaseListError> {
        let mut all = Releases::NONE;
        for part in text.split(',').map(str::trim) {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let (first, last): (Release, Release) = (first.parse()?, last.parse()?);
            let range = Releases::between(first, last).map_err(|_| ReleaseListError::UpsideDown(first, last))?;
            all = Releases(all.0 | range.0);
        }
        Ok(all)
    }
}

impl Releases {
    /// All releases.
    pub const ALL: Releases = Releases((1 << Release::ALL.len()) - 1);
    /// No release.
    pub const NONE: Releases = Releases(0);

    /// A release and those after it.
    pub const fn since(first: Release) -> Releases {
        Releases(Releases::ALL.0 & !((1 << first as u8) - 1))
    }

    /// A release and those before it.
    pub const fn until(last: Release) -> Releases {
        Releases((2 << last as u8) - 1)
    }

    /// The releases from one to another, both included.
    pub fn between(since: Release, until: Release) -> Result<Releases, ReleasesError> {
        let between = Releases::since(since).and(Releases::until(until));
        if between.is_none() { Err(ReleasesError { since, until }) } else { Ok(between) }
    }

    /// One release.
    pub const fn only(release: Release) -> Releases {
        Releases(1 << release as u8)
    }

    /// The set with these bits, those of unknown releases left out; the inverse of [`bits`](Releases::bits).
    pub const fn from_bits(bits: u8) -> Releases {
        Releases(bits & Releases::ALL.0)
    }

    /// One bit for each release, the oldest one first.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The releases of both sets.
    #[must_use]
    pub const fn and(self, other: Releases) -> Releases {
        Releases(self.0 & other.0)
    }

    /// The releases of either set.
    #[must_use]
    pub const fn or(self, other: Releases) -> Releases {
        Releases(self.0 | other.0)
    }

    /// The releases that are not in the set.
    #[must_use]
    pub const fn complement(self) -> Releases {
        Releases(!self.0 & Releases::ALL.0)
    }

    /// True if a release is one of them.
    pub const fn contains(self, release: Release) -> bool {
        self.0 & (1 << release as u8) != 0
    }

    /// True if all releases are.
    pub const fn is_all(self) -> bool {
        self.0 == Releases::ALL.0
    }

    /// True if no release is.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The oldest of them.
    pub fn oldest(self) -> Option<Release> {
        self.iter().next()
    }

    /// The newest of them.
    pub fn newest(self) -> Option<Release> {
        self.iter().last()
    }

    /// Each of them, for messages: `1.34, 1.36`.
    pub fn names(self) -> String {
        let names: Vec<String> = self.iter().map(|release| release.to_string()).collect();
        names.join(", ")
    }

    /// The releases, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Release> {
        Release::ALL.into_iter().filter(move |release| self.contains(*release))
    }
}

impl Default for Releases {
    fn default() -> Releases {
        Releases::ALL
    }
}

impl FromIterator<Release> for Releases {
    fn from_iter<I: IntoIterator<Item = Release>>(releases: I) -> Releases {
        Releases(releases.into_iter().fold(0, |bits, release| bits | 1 << release as u8))
    }
}

impl fmt::Display for Releases {
    /// Writes what a user needs to know: `1.34 and later`, `up to 1.36`, `1.34, 1.36`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.oldest() else { return f.write_str("no release") };
        let last = self.newest().unwrap_or(first);
        if self.is_all() {
            f.write_str("all releases")
        } else if *self == Releases::only(first) {
            write!(f, "{first}")
        } else if *self == Releases::since(first) {
            write!(f, "{first} and later")
        } else if *self == Releases::until(last) {
            write!(f, "up to {last}")
        } else {
            f.write_str(&self.names())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        let shown = |releases: Releases| releases.to_string();
        assert_eq!(shown(Releases::since(Release::V1_36)), "1.36 and later");
        assert_eq!(shown(Releases::until(Release::V1_34)), "up to 1.34");
        assert_eq!(shown(Releases::between(Release::V1_34, Release::V1_36).unwrap()), "1.34, 1.35, 1.36");
        assert_eq!(shown(Releases::only(Release::V1_33)), "1.33");
        assert_eq!(Releases::since(Release::OLDEST), Releases::ALL);
        assert_eq!(Releases::until(Release::NEWEST), Releases::ALL);
        let error = Releases::between(Release::V1_36, Release::V1_34).unwrap_err();
        assert_eq!(error.to_string(), "no release is since 1.36 and until 1.34");
    }

    #[test]
    fn sets_are_read_as_lists_and_ranges() {
        let read = |text: &str| text.parse::<Releases>().map(|releases| releases.iter().collect::<Vec<_>>());
        assert_eq!(read("v1.34.2"), Ok(vec![Release::V1_34]));
        assert_eq!(read("1.36, 1.34"), Ok(vec![Release::V1_34, Release::V1_36]));
        assert_eq!(read("1.33,1.35..1.36"), Ok(vec![Release::V1_33, Release::V1_35, Release::V1_36]));
        let refused = |text: &str| text.parse::<Releases>().unwrap_err().to_string();
        assert_eq!(refused("1.36..1.34"), "the range 1.36..1.34 is upside down: write 1.34..1.36");
        assert_eq!(refused("1.34,"), "\"\" is not a version such as 1.37 or v1.37.2");
        assert!(refused("1.30..1.34").starts_with("Kubernetes 1.30 is older"));
    }

    #[test]
    fn bits_come_back() {
        for bits in 0..=u8::MAX {
            let releases = Releases::from_bits(bits);
            assert_eq!(releases, releases.iter().collect());
            assert_eq!(Releases::from_bits(releases.bits()), releases);
        }
    }
}
