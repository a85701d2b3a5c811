//! Definitions of custom resources as objects of their own.

use std::borrow::Cow;

use sprag_field::Error;
use sprag_lint::{At, Level, LintRule, Profile, lint_definition};
use sprag_rest::{ApiError, Outcome};
use sprag_schema::crd::{self, Crd, ReadError, prepare};
use sprag_value::Value;

use crate::batch::Batch;
use crate::built_in::BuiltIn;
use crate::catalog::Definition;
use crate::choices::Choices;
use crate::document::{Documents, Object};
use crate::finding::{Finding, Origin, Severity};
use crate::groups;
use crate::known::Known;
use crate::report::{FileReport, Identity, Resource};
use crate::standing::Standing;

/// The version of definitions.
const VERSION: &str = "v1";

/// True if an object is a definition of a custom resource, of any version.
pub(crate) fn is_definition(identity: &Identity) -> bool {
    identity.kind == crd::KIND && Some(identity.group()) == crd::API_VERSION.split('/').next()
}

/// True for definitions of the version that is served.
pub(crate) fn is_served(identity: &Identity) -> bool {
    identity.version() == VERSION
}

/// Reads a definition as it is in a manifest or comes from a server.
fn read(value: &Value) -> Result<Crd, ReadError> {
    let mut value = value.clone();
    prepare::set_defaults(&mut value);
    Crd::read(&value)
}

/// Judges the definitions of a batch as new ones; other objects are passed over.
pub fn lint_definitions(batch: Batch, built_in: &BuiltIn) -> FileReport {
    let Batch { file, line, content, last, standing, .. } = batch;
    let mut report = FileReport { resources: Vec::new(), file, last, unreadable: false, passed: Vec::new() };
    let bytes = match content {
        Ok(bytes) => bytes,
        Err(reason) => {
            report.resources.push(Resource::unreadable(reason));
            report.unreadable = true;
            return report;
        }
    };
    for document in Documents::new(&bytes, line) {
        if standing == Standing::Found && document.passed().is_some() {
            continue;
        }
        match document.objects() {
            Ok(objects) => {
                report.resources.extend(objects.iter().filter_map(|object| lint_object(object, built_in)));
            }
            Err(finding) => report.resources.push(Resource::undecodable(*finding)),
        }
    }
    report
}

fn lint_object(object: &Object<'_, '_>, built_in: &BuiltIn) -> Option<Resource> {
    let identity = Identity::of(&object.value);
    is_definition(&identity).then(|| {
        let mut findings = findings(object, None, &Choices::default(), built_in, None);
        // A definition that cannot be decoded is not read as written, so advice on it would be wrong.
        if !findings.iter().any(|finding| finding.severity == Severity::Error && finding.origin == Origin::Decode) {
            let is_on = |rule: &LintRule| rule.level(Profile::Crd) != Level::Off;
            findings.extend(advice(object, &is_on).into_iter().map(|(rule, mut finding)| {
                finding.message = format!("{} ({})", finding.message, rule.name);
                finding
            }));
        }
        Resource::judged(identity, findings)
    })
}

/// A finding about a definition, with the rule of advice that has it, if any.
pub struct Advice {
    /// The rule; none where the API server would reject the definition.
    pub rule: Option<&'static LintRule>,
    /// The finding.
    pub finding: Finding,
    /// The name of the definition and the field.
    pub subject: String,
}

/// Returns findings on the definitions of a batch, and advice by the chosen rules.
pub fn advise(batch: &Batch, is_on: &dyn Fn(&LintRule) -> bool, built_in: &BuiltIn) -> Vec<Advice> {
    let mut all = Vec::new();
    let bytes = batch.content.as_deref().unwrap_or_default();
    for document in Documents::new(bytes, batch.line) {
        // Manifests hold other things, too, such as templates.
        let Ok(objects) = document.objects() else { continue };
        for object in objects.iter().filter(|object| is_definition(&Identity::of(&object.value))) {
            let name = Identity::of(&object.value).name;
            let refused = findings(object, None, &Choices::default(), built_in, None);
            let is_misread =
                |finding: &Finding| finding.severity == Severity::Error && finding.origin == Origin::Decode;
            let advice = if refused.iter().any(is_misread) { Vec::new() } else { advice(object, is_on) };
            let refused = refused.into_iter().map(|finding| (None, finding));
            for (rule, finding) in refused.chain(advice.into_iter().map(|(rule, finding)| (Some(rule), finding))) {
                let field = finding.cause.as_ref().map(|cause| cause.field.clone()).unwrap_or_default();
                let subject = if field.is_empty() { name.clone() } else { format!("{name} {field}") };
                all.push(Advice { rule, finding, subject });
            }
        }
    }
    all
}

/// Reports whether a comment on the line or above it allows a rule, for a reason.
pub fn is_allowed(lines: &[&str], line: usize, rule: &str) -> bool {
    let allows = |line: &&str| {
        let Some((_, said)) = line.split_once("# sprag:allow ") else { return false };
        said.split_once(':').is_some_and(|(name, reason)| name.trim() == rule && !reason.trim().is_empty())
    };
    let above = lines.get(..line).unwrap_or_default().iter().rev();
    let comments = above.take_while(|line| line.trim_start().starts_with('#'));
    lines.get(line).is_some_and(allows) || comments.into_iter().any(allows)
}

/// Advice for the author.
fn advice(object: &Object<'_, '_>, is_on: &dyn Fn(&LintRule) -> bool) -> Vec<(&'static LintRule, Finding)> {
    let Ok(crd) = read(&object.value) else { return Vec::new() };
    let found = lint_definition(&crd, is_on);
    found
        .into_iter()
        .map(|advice| {
            let path = if let At::Field(path) = advice.at { path } else { String::new() };
            let mut finding = Finding::new(Severity::Warning, Origin::Crd, advice.message).at(object.name_place(&path));
            finding.cause = None;
            (advice.rule, finding)
        })
        .collect()
}

/// Returns the findings on the definition as the API server would report them.
pub(crate) fn findings(
    object: &Object<'_, '_>,
    old: Option<&Value>,
    choices: &Choices,
    built_in: &BuiltIn,
    found: Option<&Definition>,
) -> Vec<Finding> {
    // The verdict on a definition that is among those for objects is computed once.
    let outcome =
        found.filter(|_| old.is_none() && object.findings.is_empty()).and_then(|found| found.outcome(built_in));
    let identity = Identity::of(&object.value);
    let Some(known) = known(&identity, built_in) else {
        let message = groups::not_served(&identity, built_in);
        return vec![Finding::new(Severity::Error, Origin::Crd, message).at(object.place("apiVersion"))];
    };
    match outcome {
        Some(outcome) => known.of(outcome, object, choices),
        None => known.findings(object, old, choices),
    }
}

/// The resource of definitions of a version.
pub(crate) fn known<'a>(identity: &Identity, built_in: &'a BuiltIn) -> Option<Known<'a>> {
    let resource = built_in.definitions();
    let known = Known { offline: built_in.offline(), resource, version: VERSION, origin: Origin::Crd };
    (identity.version() == VERSION).then_some(known)
}

/// Returns the path of a `v1beta1` field in a manifest. What all versions have in common is reported under the members
/// that were common to them then.
pub fn written(field: &str) -> Cow<'_, str> {
    const COMMON: [(&str, &str); 4] = [
        ("spec.validation.", "spec.versions[0].schema."),
        ("spec.subresources", "spec.versions[0].subresources"),
        ("spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"),
        ("spec.selectableFields", "spec.versions[0].selectableFields"),
    ];
    let found = COMMON.iter().find_map(|(common, place)| Some((place, field.strip_prefix(common)?)));
    found.map_or(Cow::Borrowed(field), |(place, rest)| Cow::Owned(format!("{place}{rest}")))
}

/// Returns the errors for which the API server would reject a definition, with their fields. One that comes from a
/// server was taken by it, so that it is judged as an update of itself.
pub(crate) fn refusals(object: &Object<'_, '_>, built_in: &BuiltIn) -> Vec<(String, String)> {
    match validate_definition(&object.value, is_stored(&object.value).then_some(&object.value), built_in) {
        Ok(errors) => errors.iter().map(|error| (written(&error.field).into_owned(), error.to_string())).collect(),
        Err(error) => vec![(error.parts().field.clone(), error.to_string())],
    }
}

/// Returns the errors of a definition, as an update if there is an old one.
pub fn validate_definition(new: &Value, old: Option<&Value>, built_in: &BuiltIn) -> Result<Vec<Error>, ApiError> {
    judge(new, old, built_in).map(|outcome| outcome.judged.errors)
}

/// The verdict on a definition, as an update if there is an old one.
pub(crate) fn judge(new: &Value, old: Option<&Value>, built_in: &BuiltIn) -> Result<Outcome, ApiError> {
    built_in.offline().judge(built_in.definitions(), VERSION, new.clone(), old)
}

/// True if a definition comes from a server.
pub(crate) fn is_stored(definition: &Value) -> bool {
    definition.lookup(&["metadata", "uid"]).is_some()
}
