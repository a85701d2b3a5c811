//! The prefix of a rule: its stage and the conditions under which it runs.

use std::fmt;

use sprag_field::{Stage, quote};
use sprag_program::{Check, Rule, Warning};
use sprag_release::Releases;

/// The wrappers around a tag that decide whether it counts.
///
/// Most rules are wrapped one by one. A rule that several tags make together, a union above all, has to know their prefixes:
/// one of them cannot speak for the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefix {
    pub(crate) stage: Stage,
    releases: Releases,
    conditions: Vec<Condition>,
}

/// A condition under which a rule runs, or counts as an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Option { name: String, enabled: bool },
    Subresource { path: String, matches: bool },
    Mode(String),
    Warn(Option<String>),
}

impl Prefix {
    /// The prefix with a stage inside of it; the least mature one counts.
    pub(crate) fn at(&self, stage: Stage) -> Prefix {
        Prefix { stage: self.stage.min(stage), ..self.clone() }
    }

    /// The prefix with a range of releases inside of it.
    pub(crate) fn within(&self, releases: Releases) -> Prefix {
        Prefix { releases: self.releases.and(releases), ..self.clone() }
    }

    /// The same conditions at this stage.
    pub(crate) fn at_stage(&self, stage: Stage) -> Prefix {
        Prefix { stage, ..self.clone() }
    }

    /// The prefix with a condition inside of it.
    pub(crate) fn when(&self, condition: Condition) -> Prefix {
        let mut prefix = self.clone();
        prefix.conditions.push(condition);
        prefix
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Prefix::default()
    }

    /// True if a mode of the struct decides: a rule about several fields has no mode.
    pub(crate) fn has_mode(&self) -> bool {
        self.conditions.iter().any(|condition| matches!(condition, Condition::Mode(_)))
    }

    /// A check under the prefix.
    pub(crate) fn apply(&self, check: Check) -> Check {
        let wrapped = self.conditions.iter().rev().cloned().fold(check, |check, condition| match condition {
            Condition::Option { name: option, enabled } => {
                check.wrapped(|check| Rule::IfOption { option, enabled, check })
            }
            Condition::Subresource { path, matches } => {
                check.wrapped(|check| Rule::IfSubresource { path, matches, check })
            }
            Condition::Warn(message) => Check { warning: Some(Warning { message }), ..check },
            Condition::Mode(_) => check,
        });
        Check { stage: self.stage, releases: self.releases, ..wrapped }
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no prefix");
        }
        let stage = match self.stage {
            Stage::Stable => "",
            Stage::Beta => "+k8s:beta=",
            Stage::Alpha => "+k8s:alpha=",
        };
        f.write_str(stage)?;
        if !self.releases.is_all() {
            write!(f, "+sprag:since or +sprag:until ({})=", self.releases)?;
        }
        for condition in &self.conditions {
            match condition {
                Condition::Option { name, enabled: true } => write!(f, "+k8s:ifEnabled({name})=")?,
                Condition::Option { name, enabled: false } => write!(f, "+k8s:ifDisabled({name})=")?,
                Condition::Subresource { path, matches: true } => {
                    write!(f, "+k8s:ifSubresource({})=", quote::go(path))?;
                }
                Condition::Subresource { path, matches: false } => {
                    write!(f, "+k8s:ifNotSubresource({})=", quote::go(path))?;
                }
                Condition::Mode(value) => write!(f, "+k8s:ifMode({})=", quote::go(value))?,
                Condition::Warn(_) => f.write_str("+k8s:warn=")?,
            }
        }
        Ok(())
    }
}
