//! Objects of a resource: what the API server would say when the object is applied.

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_field::Error;
use sprag_rest::{Failure, Offline, Outcome, ResourceInfo, Result};
use sprag_schema::RULE_ORIGIN;
use sprag_value::Value;

use crate::choices::Choices;
use crate::document::Object;
use crate::finding::{Finding, Origin, Severity};

/// A resource with the side of a report that its findings belong to.
pub(crate) struct Known<'a> {
    pub(crate) offline: &'a Offline,
    pub(crate) resource: &'a Arc<ResourceInfo>,
    pub(crate) version: &'a str,
    /// Of errors that are neither about metadata nor from CEL rules.
    pub(crate) origin: Origin,
}

impl Known<'_> {
    /// Judges an object, as an update if there is an old one.
    pub(crate) fn findings(&self, object: &Object<'_, '_>, old: Option<&Value>, choices: &Choices) -> Vec<Finding> {
        self.judge(object, old, choices).0
    }

    /// The warning about a deprecated version.
    fn deprecation(&self, object: &Object<'_, '_>) -> Option<Finding> {
        let version = self.resource.definition.version(self.version)?;
        let text = version.deprecation_warning.as_str();
        let finding = Finding::new(Severity::Warning, self.origin, text).at(object.place("apiVersion"));
        (!text.is_empty()).then_some(finding)
    }

    /// The same, with the object as it would be stored, if it is accepted.
    pub(crate) fn judge(
        &self,
        object: &Object<'_, '_>,
        old: Option<&Value>,
        choices: &Choices,
    ) -> (Vec<Finding>, Option<Value>) {
        // The type decides which of the repeated fields count, so the text is read again if there are any.
        let text = object.text().filter(|_| !object.findings.is_empty());
        let outcome = match text {
            Some(text) => self.offline.judge_text(self.resource, self.version, text, &object.value, old),
            None => self.offline.judge(self.resource, self.version, object.value.clone(), old),
        };
        let findings = self.of(&outcome, object, choices);
        let unread = object.strict_findings(choices).filter(|_| text.is_none() && outcome.is_ok());
        let findings = findings.into_iter().chain(unread).collect();
        let stored = outcome.ok().filter(|outcome| outcome.judged.errors.is_empty());
        (findings, stored.map(|outcome| outcome.judged.object))
    }

    /// The findings that an outcome is.
    pub(crate) fn of(&self, outcome: &Result<Outcome>, object: &Object<'_, '_>, choices: &Choices) -> Vec<Finding> {
        let findings = match outcome {
            Ok(outcome) => self.of_outcome(outcome, object, choices),
            Err(error) => self.of_refusal(error.parts(), object),
        };
        // As upstream's handlers: whatever the answer is, the version's warning is sent with it, before all others.
        self.deprecation(object).into_iter().chain(findings).collect()
    }

    /// An object of the hub version in the version that was sent.
    pub(crate) fn requested(&self, object: Value) -> Option<Value> {
        let definition = &*self.resource.definition;
        definition.convert(object, definition.scheme.hub(self.version), self.version).ok()
    }

    /// An answer that does not come from validation, and the warnings that the server sends with it.
    fn of_refusal(&self, failure: &Failure, object: &Object<'_, '_>) -> Vec<Finding> {
        // Decoding errors carry a position; all others concern names, namespaces and versions.
        let place = match failure.field.as_str() {
            "" => object.place("metadata"),
            field => object.place(field),
        };
        let error = Finding::new(Severity::Error, Origin::Decode, failure.message.as_str()).at(place);
        let mut findings = vec![error];
        findings.extend(failure.warnings.iter().map(|warning| self.warning(warning, object)));
        findings
    }

    fn warning(&self, text: &str, object: &Object<'_, '_>) -> Finding {
        let (field, place) = match (field_of(text, &object.value), self.origin) {
            (Some(field), _) => (field, object.place(&self.written(field))),
            (None, Origin::Crd) => ("spec", object.name_place("spec")),
            (None, _) => ("metadata", object.place("metadata")),
        };
        Finding::new(Severity::Warning, self.origin_of_field(field), text).at(place)
    }

    fn of_outcome(&self, outcome: &Outcome, object: &Object<'_, '_>, choices: &Choices) -> Vec<Finding> {
        let mut findings = Vec::new();
        findings.extend(outcome.findings.iter().map(|finding| object.strict_finding(finding, choices)));
        let of = |severity: Severity, error: &Error| {
            Finding::of_error(severity, self.origin_of(error), error).at(object.place(&self.written(&error.field)))
        };
        let judged = &outcome.judged;
        findings.extend(once(&judged.errors).map(|error| of(Severity::Error, error)));
        findings.extend(once(&judged.tolerated.forgiven).map(|error| of(Severity::Ratcheted, error)));
        let said: Vec<String> = judged.tolerated.forgiven.iter().map(Error::to_string).collect();
        let warnings = judged.warnings.iter().filter(|warning| !said.contains(warning));
        findings.extend(warnings.map(|warning| self.warning(warning, object)));
        findings
    }

    fn origin_of(&self, error: &Error) -> Origin {
        let is_cel = error.origin == RULE_ORIGIN && self.origin != Origin::Crd;
        if is_cel { Origin::Cel } else { self.origin_of_field(&error.field) }
    }

    fn origin_of_field(&self, field: &str) -> Origin {
        let is_metadata = field == "metadata" || field.starts_with("metadata.");
        if is_metadata && self.origin != Origin::Crd { Origin::Metadata } else { self.origin }
    }

    /// Returns the position in the manifest of an error's field.
    fn written<'f>(&self, field: &'f str) -> std::borrow::Cow<'f, str> {
        match self.origin {
            Origin::Crd => crate::definition::written(field),
            _ => field.into(),
        }
    }
}

/// The field that a warning is about: upstream begins with its path, wherever there is one.
fn field_of<'t>(warning: &'t str, object: &Value) -> Option<&'t str> {
    let (begin, _) = warning.split_once(' ')?;
    let path = begin.trim_end_matches(':').trim_start_matches('.');
    object.get(path.split(['.', '[']).next()?).map(|_| path)
}

/// The errors that read differently: the API server says the same thing only once.
fn once(errors: &[Error]) -> impl Iterator<Item = &Error> {
    let mut texts = BTreeSet::new();
    errors.iter().filter(move |error| texts.insert(error.to_string()))
}
