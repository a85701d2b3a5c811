//! The definition of a lint rule.

use crate::definition::Place;
use crate::finding::Report;
use crate::model::{Model, Spot};
use sprag_field::Path;
use sprag_schema::crd::Version;

/// The severity of a rule's findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The rule does not run.
    Off,
    /// Worth a look.
    Warning,
    /// To be mended.
    Error,
}

impl Level {
    /// The name in settings and output.
    pub fn name(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }

    /// The level of this name.
    pub fn named(name: &str) -> Option<Level> {
        [Level::Off, Level::Warning, Level::Error].into_iter().find(|level| level.name() == name)
    }
}

/// The audience of the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Types of a server, with `+k8s:` tags; conventions as Kubernetes lints its own types.
    Kubernetes,
    /// Types and definitions of custom resources.
    Crd,
}

impl Profile {
    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Kubernetes => "kubernetes",
            Profile::Crd => "crd",
        }
    }

    /// The profile of this name.
    pub fn named(name: &str) -> Option<Profile> {
        [Profile::Kubernetes, Profile::Crd].into_iter().find(|profile| profile.name() == name)
    }
}

/// A rule of the linter.
pub struct LintRule {
    /// The code, such as `L101`; never given to another rule.
    pub code: &'static str,
    /// The name: what it flags, in words joined by dashes.
    pub name: &'static str,
    /// The reason why that is wrong, in a sentence or two.
    pub summary: &'static str,
    /// The fix in words.
    pub fix: &'static str,
    /// The linter of kube-api-linter that asks for the same; empty if no linter does.
    pub kal: &'static str,
    /// The level in [`Profile::Kubernetes`].
    pub kubernetes: Level,
    /// The level in [`Profile::Crd`].
    pub crd: Level,
    /// True if some of its findings come with an edit that mends them.
    pub fixable: bool,
    /// Source that it flags: Go declarations, or properties or a version of a definition.
    pub fires: &'static str,
    /// Source that it does not flag.
    pub silent: &'static str,
    pub(crate) check: Check,
}

impl LintRule {
    /// The level in a profile.
    pub fn level(&self, profile: Profile) -> Level {
        match profile {
            Profile::Kubernetes => self.kubernetes,
            Profile::Crd => self.crd,
        }
    }

    /// True if it is about definitions of custom resources.
    pub fn is_about_definitions(&self) -> bool {
        matches!(self.check, Check::Schema(_) | Check::Version(_))
    }
}

/// The input of a rule.
pub(crate) enum Check {
    /// Findings of readers of sources and tags.
    Reader,
    /// Findings of the reference generator's own linter.
    Reference,
    /// Findings of the linter about its own settings.
    Own,
    /// Each field of a struct.
    Field(fn(&Spot<'_>, &mut Report<'_>)),
    /// Each declared type.
    Type(fn(&Spot<'_>, &mut Report<'_>)),
    /// Each of both.
    Spot(fn(&Spot<'_>, &mut Report<'_>)),
    /// All types at once.
    All(fn(&Model<'_>, &mut Report<'_>)),
    /// Each schema of a definition that describes values.
    Schema(fn(&Place<'_>, &mut Report<'_>)),
    /// A version of a definition.
    Version(fn(&Version, &Path<'_>, &mut Report<'_>)),
}
