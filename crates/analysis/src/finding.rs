//! One finding about one object.

use std::borrow::Cow;
use std::sync::Arc;

use sprag_field::{BadValue, Error};
use sprag_rest::Releases;

use crate::excerpt::Excerpt;
use crate::upgrade::Effect;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The API server would refuse the object.
    Error,
    /// The API server would take it and warn.
    Warning,
    /// The API server would refuse the object if it were new; the update is taken because it does not touch this.
    Ratcheted,
    /// Worth knowing, and no reason to stop.
    Note,
}

impl Severity {
    /// The name in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Ratcheted => "ratcheted",
            Severity::Note => "note",
        }
    }
}

/// The stage of a request that found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The file could not be read.
    Read,
    /// Reading the text: syntax, unknown and duplicate fields.
    Decode,
    /// Looking up the schema.
    Lookup,
    /// `metadata`.
    Metadata,
    /// The schema of a custom resource.
    Schema,
    /// Its CEL rules.
    Cel,
    /// A definition of a custom resource.
    Crd,
    /// Tags of declared types.
    Types,
    /// Comparing a definition with the one before.
    Change,
    /// An admission policy.
    Policy,
}

impl Origin {
    /// All origins, in the order of a request.
    pub const ALL: [Origin; 10] = [
        Origin::Read,
        Origin::Decode,
        Origin::Lookup,
        Origin::Metadata,
        Origin::Schema,
        Origin::Cel,
        Origin::Crd,
        Origin::Types,
        Origin::Change,
        Origin::Policy,
    ];

    /// The name in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Read => "read",
            Origin::Decode => "decode",
            Origin::Lookup => "lookup",
            Origin::Metadata => "metadata",
            Origin::Schema => "schema",
            Origin::Cel => "cel",
            Origin::Crd => "crd",
            Origin::Types => "types",
            Origin::Change => "change",
            Origin::Policy => "policy",
        }
    }

    /// A sentence about findings of this origin.
    pub const fn summary(self) -> &'static str {
        match self {
            Origin::Read => "The file cannot be read.",
            Origin::Decode => "The text is not an object, or has unknown or duplicate fields.",
            Origin::Lookup => "No schema is known for the kind, or the kind is not wanted.",
            Origin::Metadata => "The metadata breaks a rule that holds for every object.",
            Origin::Schema => "A field does not match the schema of the custom resource.",
            Origin::Cel => "A validation rule of the custom resource fails.",
            Origin::Crd => "The API server would not accept the definition as it is.",
            Origin::Types => "A field breaks a rule of its declared type.",
            Origin::Change => "A change of a definition can break clients or stored objects.",
            Origin::Policy => "An admission policy denies the object, or warns of it.",
        }
    }
}

/// One thing worth saying about an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The severity.
    pub severity: Severity,
    /// The stage that found it.
    pub origin: Origin,
    /// The text that the API server would print.
    pub message: String,
    /// The parts of a validation error.
    pub cause: Option<Cause>,
    /// The position in the text, where there is one.
    pub place: Option<Place>,
    /// The rule behind it, where that is written in a file.
    pub rule: Option<RulePlace>,
    /// The releases of Kubernetes that have it; all, if all that were asked do.
    pub releases: Releases,
    /// The effect of an upgrade that it is.
    pub effect: Option<Effect>,
}

/// The source position of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePlace {
    /// The name of the text.
    pub file: Arc<str>,
    /// The position in it.
    pub place: Place,
}

impl Finding {
    /// A finding without parts.
    pub fn new(severity: Severity, origin: Origin, message: impl Into<String>) -> Finding {
        let message = message.into();
        Finding {
            severity,
            origin,
            message,
            cause: None,
            place: None,
            rule: None,
            releases: Releases::ALL,
            effect: None,
        }
    }

    /// The message behind the releases that have it, if some that were asked do not: `rejected by 1.36 and later: …`.
    pub fn text(&self) -> Cow<'_, str> {
        self.naming_releases(Cow::Borrowed(&self.message))
    }

    /// The same with another form of the message.
    pub fn naming_releases<'t>(&self, message: Cow<'t, str>) -> Cow<'t, str> {
        match self.effect {
            Some(Effect::Accepted) => return Cow::Owned(format!("no longer rejected: {message}")),
            Some(Effect::Already) => return Cow::Owned(format!("rejected before the upgrade already: {message}")),
            _ if self.releases.is_all() => return message,
            _ => {}
        }
        let releases = self.releases.to_string();
        let by = if releases.starts_with("up to") { "" } else { "by " };
        Cow::Owned(match self.severity {
            Severity::Error => format!("rejected {by}{releases}: {message}"),
            Severity::Warning => format!("warned of {by}{releases}: {message}"),
            Severity::Ratcheted => format!("ratcheted {by}{releases}: {message}"),
            Severity::Note => format!("in {releases}: {message}"),
        })
    }

    /// A validation error.
    pub fn of_error(severity: Severity, origin: Origin, error: &Error) -> Finding {
        Finding { cause: Some(Cause::from(error)), ..Finding::new(severity, origin, error.to_string()) }
    }

    /// The bytes of its texts.
    pub fn bytes(&self) -> usize {
        let of_cause =
            |cause: &Cause| cause.field.len() + cause.value.as_ref().map_or(0, String::len) + cause.detail.len();
        self.message.len() + self.cause.as_ref().map_or(0, of_cause)
    }

    /// The finding with a position.
    #[must_use]
    pub fn at(mut self, place: Option<Place>) -> Finding {
        self.place = place;
        self
    }
}

/// The parts of a validation error, for programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The type of error as Kubernetes names it, such as `FieldValueInvalid`.
    pub kind: &'static str,
    /// The path of the field.
    pub field: String,
    /// The offending value as JSON, where there is one.
    pub value: Option<String>,
    /// The message without field and value.
    pub detail: String,
}

impl From<&Error> for Cause {
    fn from(error: &Error) -> Self {
        Cause {
            kind: error.kind.reason(),
            field: error.field.clone(),
            value: error.kind.shows_value().then(|| value_json(&error.value)).flatten(),
            detail: error.detail.to_string(),
        }
    }
}

fn value_json(value: &BadValue) -> Option<String> {
    match value {
        BadValue::Omitted => None,
        BadValue::Str(text) => serde_json::to_string(text).ok(),
        // A truncated value is not JSON any more.
        BadValue::Json(text) if !text.ends_with(" bytes left out)") => Some(text.clone()),
        other => {
            let text = other.to_string();
            // A float may print as Go prints it, which is not always JSON.
            if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                Some(text)
            } else {
                serde_json::to_string(&text).ok()
            }
        }
    }
}

/// The position of a finding in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Counted in characters, from 1.
    pub column: usize,
    /// The characters of it on that line; none if it has more lines.
    pub length: usize,
    /// The lines around it, where they may be shown.
    pub excerpt: Option<Excerpt>,
}
