//! Definitions of custom resources as objects of their own.

use std::borrow::Cow;

use sprag_schema::accept::{self, Verdict};
use sprag_schema::crd::{self, Crd, ReadError, prepare, shapes};
use sprag_schema::lint;
use sprag_value::Value;

use super::stored::{keep, store};
use super::{Documents, Object, Policy};
use crate::input::Batch;
use crate::report::{FileReport, Finding, Identity, Origin, Resource, Severity};

/// Whether an object is a definition of a custom resource, of any version.
pub(super) fn is_definition(identity: &Identity) -> bool {
    identity.kind == crd::KIND && Some(identity.group()) == crd::API_VERSION.split('/').next()
}

/// Reads a definition as it is in a manifest or comes from a server.
pub(crate) fn read(value: &Value) -> Result<Crd, ReadError> {
    let mut value = value.clone();
    prepare::set_defaults(&mut value);
    Crd::read(&value)
}

/// Judges the definitions of a batch as new ones; other objects are passed over.
pub(crate) fn lint_batch(batch: Batch) -> FileReport {
    let Batch { file, line, content, last } = batch;
    let bytes = match content {
        Ok(bytes) => bytes,
        Err(reason) => {
            return FileReport { resources: vec![Resource::unreadable(reason)], file, last, unreadable: true };
        }
    };
    let mut resources = Vec::new();
    for document in Documents::new(&bytes, line) {
        match document.objects() {
            Ok(objects) => resources.extend(objects.iter().filter_map(lint_object)),
            Err(finding) => resources.push(Resource::undecodable(*finding)),
        }
    }
    FileReport { file, resources, last, unreadable: false }
}

fn lint_object(object: &Object<'_, '_>) -> Option<Resource> {
    let identity = Identity::of(&object.value);
    is_definition(&identity).then(|| {
        let mut findings = findings(object, None, &Policy::default());
        findings.extend(advice(object));
        Resource::judged(identity, findings)
    })
}

/// What an author may want to change.
fn advice(object: &Object<'_, '_>) -> Vec<Finding> {
    let Ok(crd) = read(&object.value) else { return Vec::new() };
    let found = lint::lint(&crd);
    found
        .iter()
        .map(|advice| {
            let message = format!("{} ({})", advice.message, advice.rule);
            Finding::new(Severity::Warning, Origin::Crd, message).at(object.name_place(&advice.path))
        })
        .collect()
}

/// What the API server would say of the definition when it is applied.
pub(super) fn findings(object: &Object<'_, '_>, old: Option<&Value>, policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    match shapes::check(&object.value) {
        Ok(unknown) => findings.extend(unknown.iter().map(|finding| {
            let place = object.name_place(finding.path().unwrap_or_default());
            Finding::new(policy.field_severity(), Origin::Decode, finding.to_string()).at(place)
        })),
        Err(misfit) => {
            return vec![Finding::new(Severity::Error, Origin::Decode, misfit.to_string()).at(object.place(""))];
        }
    }
    let verdict = match judge(&object.value, old) {
        Ok(verdict) => verdict,
        Err(error) => {
            return vec![Finding::new(Severity::Error, Origin::Crd, error.to_string()).at(object.place("apiVersion"))];
        }
    };
    findings.extend(
        verdict.errors.iter().map(|error| {
            Finding::of_error(Severity::Error, Origin::Crd, error).at(object.place(&written(&error.field)))
        }),
    );
    findings.extend(
        verdict.warnings.iter().map(|warning| {
            Finding::new(Severity::Warning, Origin::Crd, warning.as_str()).at(object.name_place("spec"))
        }),
    );
    findings
}

/// Where a field of `v1beta1` is in a manifest. What all versions have in common is reported under the members that were
/// common to them then.
fn written(field: &str) -> Cow<'_, str> {
    const COMMON: [(&str, &str); 4] = [
        ("spec.validation.", "spec.versions[0].schema."),
        ("spec.subresources", "spec.versions[0].subresources"),
        ("spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"),
        ("spec.selectableFields", "spec.versions[0].selectableFields"),
    ];
    let found = COMMON.iter().find_map(|(common, place)| Some((place, field.strip_prefix(common)?)));
    found.map_or(Cow::Borrowed(field), |(place, rest)| Cow::Owned(format!("{place}{rest}")))
}

/// Judges a definition, as an update if there is an old one.
pub(crate) fn judge(new: &Value, old: Option<&Value>) -> Result<Verdict, ReadError> {
    let mut new = new.clone();
    prepare::set_defaults(&mut new);
    let Some(old) = old else {
        prepare::for_create(&mut new);
        return Ok(accept::create(&Crd::read(&new)?));
    };
    let mut old = old.clone();
    prepare::set_defaults(&mut old);
    prepare::for_create(&mut old);
    store(&mut old);
    keep(&mut new, &old);
    prepare::for_update(&mut new, &old);
    Ok(accept::update(&Crd::read(&new)?, &Crd::read(&old)?))
}
