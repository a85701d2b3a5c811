//! Takes objects of a definition through the write core and compares each stage with the recorded one.

use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};
use std::sync::Arc;

use sprag_decode::{Decoded, Finding, Format, object};
use sprag_field::Error;
use sprag_rest::{Definition, Offline, Outcome, ResourceInfo};
use sprag_value::Value;

use crate::report::Report;
use crate::wire::custom_resource::{CrdFile, FieldError, ObjectCase};

/// Judges a definition, then all objects of it.
pub(crate) fn run(file: &CrdFile, definition: Value, report: &mut Report) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.name);
    let offline = Offline::default();
    let definitions = offline.resource(sprag_crd::definitions());
    let Outcome { judged, .. } = offline.judge(&definitions, "v1", definition, None).map_err(|error| failed(&error))?;
    let mut diff = Diff::default();
    diff.errors("crdErrors", &file.crd_errors, &judged.errors);
    diff.list("crdWarnings", &file.crd_warnings, sorted(judged.warnings));
    diff.report(&format!("{} definition", file.name), report);

    let resource = sprag_crd::resource(&judged.object, offline.gates()).map_err(|error| failed(&error))?;
    let version = file.version.clone().unwrap_or_else(|| resource.storage_version.clone());
    let world = World { resource: offline.resource(resource), offline, version };
    for case in &file.cases {
        let mut diff = Diff::default();
        world.run_case(case, &mut diff);
        diff.report(&format!("{} {}", file.name, case.name), report);
    }
    Ok(())
}

/// A definition and the version of its objects.
struct World {
    offline: Offline,
    resource: Arc<ResourceInfo>,
    version: String,
}

impl World {
    fn definition(&self) -> &Definition {
        &self.resource.definition
    }

    fn run_case(&self, case: &ObjectCase, diff: &mut Diff) {
        match self.stages(case, diff) {
            Err(error) => diff.same("decodeError", case.decode_error.as_deref(), Some(error.as_str())),
            Ok(object) => {
                diff.same("decodeError", case.decode_error.as_deref(), None);
                self.verdict(case, object, diff);
            }
        }
    }

    /// Compares what decoding and defaulting make of the objects; returns the body.
    fn stages(&self, case: &ObjectCase, diff: &mut Diff) -> Result<Value, String> {
        let scheme = &self.definition().scheme;
        let text = case.obj.as_ref().map(|object| object.get()).or(case.raw.as_deref()).unwrap_or_default();
        let Decoded { value: mut object, findings, .. } =
            scheme.read(&self.version, text.as_bytes(), Format::Json, true)?;
        let (pruned, strict): (Vec<&Finding>, Vec<&Finding>) =
            findings.iter().partition(|finding| matches!(finding, Finding::PrunedField { .. }));
        diff.list("strictErrors", &case.strict_errors, strict.iter().map(ToString::to_string).collect());
        let paths = pruned.iter().filter_map(|finding| finding.path().map(str::to_owned));
        diff.list("unknownFields", &case.unknown_fields, paths.collect());
        let body = object::decode(Format::Json, text.as_bytes()).map_err(|error| error.to_string())?.value;
        let pruned = case.pruned.as_ref().unwrap_or(&body);
        diff.object("pruned", pruned, &object);
        scheme.complete(&self.version, &mut object)?;
        diff.object("defaulted", case.defaulted.as_ref().unwrap_or(pruned), &object);
        if let Some(old) = &case.old {
            let mut stored = scheme.read_stored(&self.version, old.clone()).map_err(|error| format!("old: {error}"))?;
            scheme.complete(&self.version, &mut stored)?;
            diff.object("oldDefaulted", case.old_defaulted.as_ref().unwrap_or(old), &stored);
        }
        Ok(body)
    }

    fn verdict(&self, case: &ObjectCase, object: Value, diff: &mut Diff) {
        let Some(judged) = self.judge(object.clone(), case.old.as_ref(), diff) else { return };
        diff.same("valid", case.valid, judged.errors.is_empty());
        diff.errors("errors", &case.errors, &judged.errors);
        if case.old.is_none() {
            return;
        }
        let rules = judged.tolerated.forgiven.iter().filter(|error| error.origin == sprag_schema::RULE_ORIGIN);
        diff.list("celWarnings", &case.cel_warnings, sorted(rules.map(ToString::to_string).collect()));
        if judged.errors.is_empty()
            && let Some(created) = self.judge(object, None, diff)
        {
            diff.errors("errorsAsCreate", &case.errors_as_create, &created.errors);
        }
    }

    /// Returns the recorded answer of the strategy: the suite has no generic code around it.
    fn judge(&self, object: Value, old: Option<&Value>, diff: &mut Diff) -> Option<sprag_rest::Judged> {
        let mut judged = match self.offline.judge_by_strategy(&self.resource, &self.version, object.clone(), old) {
            Ok(judged) => judged,
            Err(error) => {
                diff.same("answer", String::new(), error.to_string());
                return None;
            }
        };
        // Recorded errors are those that read differently.
        let mut texts = BTreeSet::new();
        judged.errors.retain(|error| texts.insert(error.to_string()));
        // The whole write may find more in metadata, and refuse an object of another version before it is judged.
        let has_metadata_error = judged.errors.iter().any(|error| error.field.starts_with("metadata"));
        if let Ok(whole) = self.offline.judge(&self.resource, &self.version, object, old)
            && !has_metadata_error
        {
            let missing = |error: &&Error| !whole.judged.errors.contains(error);
            let missing: Vec<String> = judged.errors.iter().filter(missing).map(ToString::to_string).collect();
            diff.list("errors of the strategy alone", &[], missing);
        }
        Some(judged)
    }
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort_unstable();
    texts
}

/// The difference from the recording.
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
        let missing = without(&want, &got);
        let extra = without(&got, &want);
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
