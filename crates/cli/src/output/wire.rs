//! The forms of `-o json` and `--format json`.

use serde::Serialize;
use sprag_idl::{Severity, Sources};
use sprag_tags::{ArgSpec, Dialect, Known, Payload, Registry, Scope, TagRule};

/// The result of a check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckReport {
    /// Full name of the type.
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) operation: &'static str,
    pub(crate) subresource: String,
    pub(crate) valid: bool,
    pub(crate) errors: Vec<FieldError>,
    /// Errors of rules that are not enforced yet.
    pub(crate) not_enforced: Vec<FieldError>,
    pub(crate) warnings: Vec<FieldWarning>,
    /// Hand-written checks that would run as well.
    pub(crate) hooks: Vec<Hook>,
    /// Errors and warnings about the types.
    pub(crate) findings: Vec<SourceFinding>,
    pub(crate) notes: Vec<String>,
}

/// One error about a field.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FieldError {
    pub(crate) field: String,
    /// The kind of error, as the cause of a status carries it.
    pub(crate) reason: &'static str,
    /// The text after the field.
    pub(crate) message: String,
    /// The rule that found it; left out if unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) origin: String,
    /// The life-cycle stage of that rule.
    pub(crate) stage: &'static str,
}

impl FieldError {
    /// A refusal that is not about a field: the object cannot be decoded.
    pub(crate) fn refusal(message: &str) -> FieldError {
        let field = String::new();
        let origin = String::new();
        FieldError { field, reason: "BadRequest", message: message.to_owned(), origin, stage: "stable" }
    }
}

impl From<&sprag_field::Error> for FieldError {
    fn from(error: &sprag_field::Error) -> Self {
        FieldError {
            field: error.field.clone(),
            reason: error.kind.reason(),
            message: error.body().to_string(),
            origin: error.origin.to_string(),
            stage: match error.stage {
                sprag_field::Stage::Stable => "stable",
                stage => stage.name(),
            },
        }
    }
}

/// A warning about a field.
#[derive(Debug, Serialize)]
pub(crate) struct FieldWarning {
    pub(crate) field: String,
    pub(crate) message: String,
}

impl From<&sprag_field::Warning> for FieldWarning {
    fn from(warning: &sprag_field::Warning) -> Self {
        FieldWarning { field: warning.field.clone(), message: warning.message.to_string() }
    }
}

/// A hand-written check.
#[derive(Debug, Serialize)]
pub(crate) struct Hook {
    pub(crate) name: String,
    pub(crate) field: String,
}

/// A finding about a source file.
#[derive(Debug, Serialize)]
pub(crate) struct SourceFinding {
    pub(crate) severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<usize>,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

impl SourceFinding {
    pub(crate) fn new(finding: &sprag_idl::Finding, sources: &Sources) -> SourceFinding {
        let place = sources.locate(finding.span);
        SourceFinding {
            severity: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            file: place.map(|place| place.file.to_owned()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            message: finding.message.clone(),
            help: finding.help.clone(),
        }
    }
}

/// The tag reference.
#[derive(Debug, Serialize)]
pub(crate) struct TagReference {
    pub(crate) tags: Vec<Tag>,
    /// Tags that are not rules.
    pub(crate) markers: Vec<Marker>,
    /// The names that `+k8s:format` takes.
    pub(crate) formats: Vec<Format>,
}

/// A tag that is not a rule.
#[derive(Debug, Serialize)]
pub(crate) struct Marker {
    pub(crate) name: &'static str,
    pub(crate) place: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) example: &'static str,
}

/// A name that `+k8s:format` takes.
#[derive(Debug, Serialize)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) dialects: Vec<String>,
    pub(crate) summary: &'static str,
}

/// One tag.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tag {
    pub(crate) name: String,
    /// Other names that only the `kep` dialect knows it by.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) kep_aliases: &'static [&'static str],
    pub(crate) stability: String,
    pub(crate) dialects: Vec<String>,
    pub(crate) scopes: Vec<&'static str>,
    /// The scopes in the `kep` dialect, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kep_scopes: Option<Vec<&'static str>>,
    /// The function that a tag of the author's own calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) function: Option<String>,
    /// True if in the `kep` dialect it may also stand on one selected item of a list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) kep_on_items: bool,
    #[serde(flatten)]
    pub(crate) spelling: Spelling,
    /// Arguments and payload in the `kep` dialect, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kep_spelling: Option<Spelling>,
    pub(crate) accepts_unknown_args: bool,
    pub(crate) summary: String,
    pub(crate) example: &'static str,
}

/// The spelling of a tag's arguments.
#[derive(Debug, Serialize)]
pub(crate) struct Spelling {
    pub(crate) args: Vec<TagArg>,
    pub(crate) payload: TagPayload,
}

/// An argument of a tag.
#[derive(Debug, Serialize)]
pub(crate) struct TagArg {
    pub(crate) name: Option<&'static str>,
    #[serde(rename = "type")]
    pub(crate) ty: &'static str,
    pub(crate) required: bool,
    pub(crate) docs: &'static str,
}

/// The payload of a tag.
#[derive(Debug, Serialize)]
pub(crate) struct TagPayload {
    pub(crate) kind: &'static str,
    pub(crate) required: bool,
}

impl From<&Registry> for TagReference {
    fn from(registry: &Registry) -> Self {
        let marker = |marker: &sprag_tags::Marker| Marker {
            name: marker.name,
            place: marker.place,
            summary: marker.summary,
            example: marker.example,
        };
        let format = |name: sprag_tags::FormatName| Format {
            name: name.name,
            dialects: dialects(name.dialects),
            summary: name.format.summary(),
        };
        TagReference {
            tags: registry.rules().iter().map(Tag::from).collect(),
            markers: sprag_tags::MARKERS.iter().map(marker).collect(),
            formats: sprag_tags::formats().map(format).collect(),
        }
    }
}

impl From<&TagRule> for Tag {
    fn from(rule: &TagRule) -> Self {
        Tag {
            name: rule.name.to_string(),
            kep_aliases: rule.kep_aliases,
            stability: rule.stability.to_string(),
            dialects: dialects(rule.known),
            scopes: names(&rule.scopes),
            kep_scopes: Some(names(rule.kep_scopes())).filter(|_| rule.kep_scopes() != &*rule.scopes),
            function: rule.function().map(str::to_owned),
            kep_on_items: rule.kep_on_items,
            spelling: Spelling::new(rule.args(), rule.payload),
            kep_spelling: rule.kep_spelling.map(|(args, payload)| Spelling::new(args, payload)),
            accepts_unknown_args: rule.unknown_args,
            summary: rule.summary.to_string(),
            example: rule.example,
        }
    }
}

impl Spelling {
    fn new(args: &[ArgSpec], payload: Payload) -> Spelling {
        let arg =
            |arg: &ArgSpec| TagArg { name: arg.name, ty: arg.kind.name(), required: arg.required, docs: arg.docs };
        let kind = match payload {
            Payload::None => "none",
            payload => payload.kind(),
        };
        Spelling { args: args.iter().map(arg).collect(), payload: TagPayload { kind, required: payload.is_required() } }
    }
}

fn dialects(known: Known) -> Vec<String> {
    let dialects: &[Dialect] = match known {
        Known::Everywhere => &[Dialect::Kubernetes, Dialect::Kep],
        Known::Kep => &[Dialect::Kep],
    };
    dialects.iter().map(Dialect::to_string).collect()
}

fn names(scopes: &[Scope]) -> Vec<&'static str> {
    scopes.iter().map(|scope| scope.name()).collect()
}
