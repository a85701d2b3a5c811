//! The forms of `-o json` and `-o sarif`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use sprag_analysis::{Effect, Finding, Severity, Status};
use sprag_rest::{Release, Releases};

use super::Totals;

/// One object, as kubeconform names its parts, and its findings.
#[derive(Debug, Serialize)]
pub(crate) struct Resource<'r> {
    filename: &'r str,
    /// The template that standard input was rendered from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'r str>,
    kind: &'r str,
    name: &'r str,
    namespace: &'r str,
    version: &'r str,
    status: &'static str,
    msg: String,
    #[serde(rename = "validationErrors", skip_serializing_if = "Vec::is_empty")]
    validation_errors: Vec<ValidationError<'r>>,
    findings: Vec<FindingParts<'r>>,
}

/// A field and what is wrong with it, as kubeconform has it.
#[derive(Debug, Serialize)]
struct ValidationError<'r> {
    path: &'r str,
    msg: &'r str,
}

/// One finding.
#[derive(Debug, Serialize)]
pub(crate) struct FindingParts<'r> {
    severity: &'static str,
    source: &'static str,
    message: &'r str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleParts<'r>>,
    /// The releases that have it, if several were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    releases: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<&'static str>,
}

/// The releases that have a finding, if several were asked.
pub(super) fn releases(finding: &Finding, asked: Releases) -> Option<Vec<String>> {
    let is_one = asked.oldest() == asked.newest();
    (!is_one).then(|| finding.releases.and(asked).iter().map(|release| release.to_string()).collect())
}

/// The source position of a finding's rule.
#[derive(Debug, Serialize)]
struct RuleParts<'r> {
    filename: &'r str,
    line: usize,
    column: usize,
}

impl<'r> Resource<'r> {
    pub(crate) fn new(file: &'r str, resource: &'r sprag_analysis::Resource, asked: Releases) -> Resource<'r> {
        let identity = &resource.identity;
        let cause = |finding: &'r Finding| finding.cause.as_ref();
        let errors = resource.of(Severity::Error).filter_map(cause);
        Resource {
            filename: file,
            source: resource.source.as_deref(),
            kind: &identity.kind,
            name: &identity.name,
            namespace: &identity.namespace,
            version: &identity.api_version,
            status: match resource.status {
                Status::Valid => "statusValid",
                Status::Invalid => "statusInvalid",
                Status::Error => "statusError",
                Status::Skipped => "statusSkipped",
            },
            msg: resource.message(),
            validation_errors: errors.map(|cause| ValidationError { path: &cause.field, msg: &cause.detail }).collect(),
            findings: resource.findings.iter().map(|finding| FindingParts::new(finding, asked)).collect(),
        }
    }
}

impl<'r> FindingParts<'r> {
    fn new(finding: &'r Finding, asked: Releases) -> Self {
        let cause = finding.cause.as_ref();
        let place = finding.place.as_ref();
        FindingParts {
            severity: finding.severity.name(),
            source: finding.origin.name(),
            message: &finding.message,
            kind: cause.map(|cause| cause.kind),
            field: cause.map(|cause| cause.field.as_str()),
            value: cause.and_then(|cause| RawValue::from_string(cause.value.clone()?).ok()),
            detail: cause.map(|cause| cause.detail.as_str()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            rule: finding.rule.as_ref().map(|rule| RuleParts {
                filename: &rule.file,
                line: rule.place.line,
                column: rule.place.column,
            }),
            releases: releases(finding, asked),
            effect: finding.effect.map(Effect::name),
        }
    }
}

/// The number of objects by status.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    valid: usize,
    invalid: usize,
    errors: usize,
    skipped: usize,
    warnings: usize,
    ratcheted: usize,
    /// Files and objects that were passed over, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    passed: BTreeMap<&'static str, usize>,
    /// The patch releases of Kubernetes whose answers these are, if they were chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kubernetes: Vec<&'static str>,
}

impl Summary {
    pub(super) fn new(totals: &Totals, asked: Releases) -> Self {
        let is_default = asked == Releases::only(Release::NEWEST);
        Summary {
            valid: totals.valid,
            invalid: totals.invalid,
            errors: totals.errors,
            skipped: totals.skipped,
            warnings: totals.warnings,
            ratcheted: totals.ratcheted,
            passed: totals.passed.iter().map(|(passed, count)| (passed.name(), *count)).collect(),
            kubernetes: asked.iter().filter(|_| !is_default).map(Release::recorded).collect(),
        }
    }
}
