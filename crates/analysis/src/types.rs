//! Declared types: objects validated by the tags of their Go or Rust source.

use sprag_value::Value;

use crate::choices::Choices;
use crate::declared::Kinds;
use crate::document::Object;
use crate::finding::{Finding, Origin};
use crate::known::Known;
use crate::report::Identity;

/// The declared kinds, without errors in their sources.
pub struct Types {
    /// The kinds.
    pub kinds: Kinds,
    /// Warnings about their sources.
    pub warnings: Vec<String>,
}

impl Types {
    /// Returns the findings on the object, if its type is declared.
    pub(crate) fn findings(
        &self,
        identity: &Identity,
        object: &Object<'_, '_>,
        old: Option<&Value>,
        choices: &Choices,
    ) -> Option<Vec<Finding>> {
        let version = identity.version();
        let resource = &self.kinds.find(identity.group(), version, &identity.kind)?;
        let known = Known { offline: self.kinds.offline(), resource, version, origin: Origin::Types };
        Some(known.findings(object, old, choices))
    }
}
