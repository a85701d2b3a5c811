//! Takes objects of a definition through the steps of the API server and compares each with the recorded one.

use std::fmt::{Debug, Write as _};

use sprag_decode::{Format, object};
use sprag_field::Error;
use sprag_schema::crd::{Crd, prepare};
use sprag_schema::{CustomResource, accept};
use sprag_value::Value;

use crate::report::Report;
use crate::wire::custom_resource::{CrdFile, FieldError, ObjectCase};

/// Judges a definition, then all objects of it.
pub(crate) fn run(file: &CrdFile, mut definition: Value, report: &mut Report) -> Result<(), String> {
    prepare::set_defaults(&mut definition);
    prepare::for_create(&mut definition);
    let crd = Crd::read(&definition).map_err(|error| format!("{}: {error}", file.name))?;
    let verdict = accept::create(&crd);
    let mut diff = Diff::default();
    diff.errors("crdErrors", &file.crd_errors, &verdict.errors.into_vec());
    diff.list("crdWarnings", &file.crd_warnings, sorted(verdict.warnings));
    diff.report(&format!("{} definition", file.name), report);

    let stored = crd.storage_version().map(|version| version.name.to_string());
    let version = file.version.clone().or(stored).ok_or_else(|| format!("{}: no version", file.name))?;
    let api_version = format!("{}/{version}", crd.group);
    let resource = CustomResource::versions(&crd).into_iter().find(|resource| resource.api_version() == api_version);
    let resource = resource.ok_or_else(|| format!("{}: no version {version}", file.name))?;
    for case in &file.cases {
        let mut diff = Diff::default();
        run_case(&resource, case, &mut diff);
        diff.report(&format!("{} {}", file.name, case.name), report);
    }
    Ok(())
}

fn run_case(resource: &CustomResource, case: &ObjectCase, diff: &mut Diff) {
    match objects(resource, case, diff) {
        Err(error) => diff.same("decodeError", case.decode_error.as_deref(), Some(error.as_str())),
        Ok((object, old)) => {
            diff.same("decodeError", case.decode_error.as_deref(), None);
            verdict(resource, case, object, old, diff);
        }
    }
}

/// The object and the one it replaces, decoded and defaulted.
fn objects(resource: &CustomResource, case: &ObjectCase, diff: &mut Diff) -> Result<(Value, Option<Value>), String> {
    let text = case.obj.as_ref().map(|object| object.get()).or(case.raw.as_deref()).unwrap_or_default();
    let decoded = object::decode(Format::Json, text.as_bytes()).map_err(|error| error.to_string())?;
    diff.list("strictErrors", &case.strict_errors, decoded.findings.iter().map(ToString::to_string).collect());
    let body = decoded.value;
    let decoded = resource.decode(body.clone()).map_err(|error| error.to_string())?;
    diff.list("unknownFields", &case.unknown_fields, decoded.unknown_fields);
    let mut object = decoded.object;
    let pruned = case.pruned.as_ref().unwrap_or(&body);
    diff.object("pruned", pruned, &object);
    resource.default(&mut object).map_err(|error| error.to_string())?;
    diff.object("defaulted", case.defaulted.as_ref().unwrap_or(pruned), &object);
    let Some(old) = &case.old else { return Ok((object, None)) };
    let mut stored = resource.decode_stored(old.clone()).map_err(|error| format!("old: {error}"))?.object;
    resource.default(&mut stored).map_err(|error| error.to_string())?;
    diff.object("oldDefaulted", case.old_defaulted.as_ref().unwrap_or(old), &stored);
    Ok((object, Some(stored)))
}

fn verdict(resource: &CustomResource, case: &ObjectCase, mut object: Value, old: Option<Value>, diff: &mut Diff) {
    let Some(mut old) = old else {
        let verdict = resource.create(object);
        diff.same("valid", case.valid, verdict.is_accepted());
        return diff.errors("errors", &case.errors, &verdict.errors);
    };
    for object in [&mut object, &mut old] {
        if let Some(object) = object.as_object_mut() {
            object.get_or_insert("metadata").insert("resourceVersion", "1");
        }
    }
    let verdict = resource.update(object.clone(), &old);
    diff.same("valid", case.valid, verdict.is_accepted());
    diff.errors("errors", &case.errors, &verdict.errors);
    let warnings = verdict.forgiven_rules.iter().map(ToString::to_string).collect();
    diff.list("celWarnings", &case.cel_warnings, sorted(warnings));
    if verdict.is_accepted() {
        diff.errors("errorsAsCreate", &case.errors_as_create, &resource.create(object).errors);
    }
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts
}

/// What differs from the recording.
#[derive(Default)]
pub(crate) struct Diff(String);

impl Diff {
    pub(crate) fn report(self, case: &str, report: &mut Report) {
        if self.0.is_empty() { report.pass() } else { report.fail(case, &self.0) }
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers have values, and the texts of two are what is kept")]
    pub(crate) fn same<T: PartialEq + Debug>(&mut self, what: &str, want: T, got: T) {
        if want != got {
            let _ = writeln!(self.0, "  - {what}: {want:?}\n  + {what}: {got:?}");
        }
    }

    pub(crate) fn list(&mut self, what: &str, want: &[String], got: Vec<String>) {
        self.same(what, want.to_vec(), got);
    }

    fn object(&mut self, what: &str, want: &Value, got: &Value) {
        if !is_same(want, got) {
            self.same(what, want, got);
        }
    }

    pub(crate) fn errors(&mut self, what: &str, want: &[FieldError], got: &[Error]) {
        let mut want = want.to_vec();
        let mut got: Vec<FieldError> = got.iter().map(recorded).collect();
        want.sort_unstable();
        got.sort_unstable();
        let (missing, extra) = (without(&want, &got), without(&got, &want));
        for (sign, errors) in [('-', missing), ('+', extra)] {
            for FieldError { string, kind, .. } in errors {
                let _ = writeln!(self.0, "  {sign} {what}: {string} [{kind}]");
            }
        }
    }
}

impl Diff {
    /// Compares kinds and fields only.
    pub(crate) fn places(&mut self, what: &str, want: &[FieldError], got: &[Error]) {
        let place = |error: &FieldError| format!("{} [{}]", error.field, error.kind);
        let want = want.iter().map(place).collect();
        let got = got.iter().map(recorded).map(|error| place(&error)).collect();
        self.same(what, sorted(want), sorted(got));
    }
}

/// Those of `list` that `other` does not have, counting.
fn without<'e>(list: &'e [FieldError], other: &[FieldError]) -> Vec<&'e FieldError> {
    let mut other = other.to_vec();
    let mut is_new = |error: &&FieldError| match other.iter().position(|known| known == *error) {
        Some(at) => {
            other.swap_remove(at);
            false
        }
        None => true,
    };
    list.iter().filter(|error| is_new(error)).collect()
}

fn recorded(error: &Error) -> FieldError {
    FieldError {
        string: error.to_string(),
        kind: error.kind.reason().to_owned(),
        field: error.field.clone(),
        detail: error.detail.clone().into_owned(),
    }
}

/// Equality in which the recording does not tell `1.0` from `1`.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((ka, va), (kb, vb))| ka == kb && is_same(va, vb))
        }
        _ => a == b,
    }
}
