//! Versions as setup-envtest selects them.

use anyhow::bail;
use sprag_rest::{MinorVersion, Release};

/// A selector of versions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selector {
    /// Any.
    Any,
    /// Those of a release, from a patch on: `1.37.x` and `~1.37.2`.
    From([u32; 3]),
    /// One.
    Exactly([u32; 3]),
    /// Those of releases before this one or this one: `<1.38`.
    UpTo([u32; 2]),
}

impl Selector {
    /// Reads a selector, as setup-envtest's `versions.FromExpr`.
    pub(super) fn parse(text: &str) -> anyhow::Result<Selector> {
        let expression = text.trim().trim_end_matches('!').trim();
        if ["", "latest", "latest-on-disk", "*", "x", "x.x.x", "*.*.*"].contains(&expression) {
            return Ok(Selector::Any);
        }
        let (sign, version) = match expression.split_at_checked(1) {
            Some((sign @ ("~" | "<"), rest)) => (sign, rest.trim_start_matches('=')),
            _ => ("", expression),
        };
        let parts: Vec<&str> = version.trim_start_matches('v').split('.').collect();
        let number = |part: &str| part.parse::<u32>().ok();
        let read = match (sign, &*parts) {
            ("<", [major, minor, ..]) => {
                number(major).zip(number(minor)).map(|(major, minor)| Selector::UpTo([major, minor]))
            }
            ("" | "~", [major, minor]) | ("", [major, minor, "x" | "*"]) => {
                number(major).zip(number(minor)).map(|(major, minor)| Selector::From([major, minor, 0]))
            }
            ("" | "~", [major, minor, patch]) => {
                number(major).zip(number(minor)).zip(number(patch)).map(|((major, minor), patch)| {
                    let version = [major, minor, patch];
                    if sign == "~" { Selector::From(version) } else { Selector::Exactly(version) }
                })
            }
            _ => None,
        };
        match read {
            Some(selector) => Ok(selector),
            None => bail!("{text:?} is no version: write it like 1.37.0, 1.37.x, ~1.37.0, <1.38 or latest"),
        }
    }

    /// The release that is nearest to what is asked for.
    pub(super) fn nearest(&self) -> Release {
        let wanted = match *self {
            Selector::Any => return Release::NEWEST,
            Selector::From([major, minor, _])
            | Selector::Exactly([major, minor, _])
            | Selector::UpTo([major, minor]) => MinorVersion { major, minor },
        };
        let not_later = Release::ALL.into_iter().rev().find(|release| release.version() <= wanted);
        not_later.unwrap_or(Release::OLDEST)
    }

    pub(super) fn matches(&self, version: [u32; 3]) -> bool {
        match *self {
            Selector::Any => true,
            Selector::From(from) => version[..2] == from[..2] && version[2] >= from[2],
            Selector::Exactly(wanted) => version == wanted,
            Selector::UpTo(last) => version[..2] <= last[..],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_release_takes_the_place_of_one_that_is_not_there() {
        let check = |text: &str, expected: Release| {
            assert_eq!(Selector::parse(text).unwrap().nearest(), expected, "{text}");
        };
        check("1.34.2", Release::V1_34);
        check("1.30.x", Release::OLDEST);
        check("<1.20", Release::OLDEST);
        check("1.99", Release::NEWEST);
        check("2.1.0", Release::NEWEST);
    }

    #[test]
    fn versions_are_selected_as_setup_envtest_does() {
        let check = |text: &str, expected: bool| {
            assert_eq!(Selector::parse(text).unwrap().matches([1, 37, 2]), expected, "{text}");
        };
        for text in [
            "latest", "", "1.37", "1.37.x", "1.37.*", "1.37.x!", "~1.37.1", "~1.37", "1.37.2", "v1.37.2", "<1.38",
            "<1.37",
        ] {
            check(text, true);
        }
        for text in ["1.36", "1.36.x", "~1.37.3", "1.37.0", "<1.36", "2.37.x"] {
            check(text, false);
        }
        for text in ["new", "1", "1.x", "1.37.2.3", "~1.37.x"] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}
