//! Findings that were looked at and are fine, each with the reason.

use std::cell::Cell;
use std::str::FromStr;

/// A finding that does not count: `PLACE=REASON` or `PLACE: CLASS=REASON`, with place and class as they are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiver {
    finding: String,
    reason: String,
}

impl FromStr for Waiver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (finding, reason) = text.split_once('=').unwrap_or((text, ""));
        let finding = finding.trim();
        let reason = reason.trim();
        if finding.is_empty() || reason.is_empty() {
            return Err("say what is allowed and why: \"PLACE: CLASS=REASON\"".to_owned());
        }
        Ok(Waiver { finding: finding.to_owned(), reason: reason.to_owned() })
    }
}

/// All waivers, with those that were needed.
pub(crate) struct Waivers {
    all: Vec<(Waiver, Cell<bool>)>,
}

impl Waivers {
    pub(crate) fn new(waivers: Vec<Waiver>) -> Waivers {
        Waivers { all: waivers.into_iter().map(|waiver| (waiver, Cell::new(false))).collect() }
    }

    /// Returns the reason given for waiving a finding.
    pub(crate) fn reason(&self, place: &str, class: &str) -> Option<String> {
        let full = format!("{place}: {class}");
        let (waiver, used) = self.all.iter().find(|(waiver, _)| waiver.finding == full || waiver.finding == place)?;
        used.set(true);
        Some(waiver.reason.clone())
    }

    /// Waivers that matched nothing.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter(|(_, used)| !used.get()).map(|(waiver, _)| waiver.finding.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_names_a_place_and_a_reason() {
        let waivers =
            Waivers::new(vec!["a v1 spec.x: tightened = why = not".parse().unwrap(), "b=gone".parse().unwrap()]);
        assert_eq!(waivers.reason("a v1 spec.x", "tightened").as_deref(), Some("why = not"));
        assert_eq!(waivers.reason("a v1 spec.x", "unsafe"), None);
        assert_eq!(waivers.unused().collect::<Vec<_>>(), ["b"]);
        assert_eq!(waivers.reason("b", "unsafe").as_deref(), Some("gone"));
        assert_eq!(waivers.unused().count(), 0);
        for text in ["a", "a=", "=b", " = "] {
            assert!(text.parse::<Waiver>().is_err(), "{text}");
        }
    }
}
