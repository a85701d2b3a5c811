//! `policies`: the cases about admission policies of the suite `admission`, judged without a server, as `sprag validate --policies`
//! judges them.
//!
//! A step that sends a whole object counts: what it says of the object has to be what the reference said. Steps that send something
//! else, or whose answer no policy has to do with, are left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use sprag_admission::offline::OfflinePolicies;
use sprag_rest::{Definition, FeatureGates, User};
use sprag_schema::crd::{Crd, prepare};
use sprag_value::Value;

use crate::args::Args;
use crate::outcomes::{Outcome, run_files};
use crate::recorded::Document;
use crate::report::Report;
use crate::suite::Suite;
use crate::volatile::{Placeholders, fits_kind};

pub(crate) const SUITE: Suite = Suite {
    name: "policies",
    about: "admission policies, judged without a server",
    recorded: "admission",
    run,
};

const FILES: [&str; 2] = ["validating-policies", "mutating-policies"];

const PLACEHOLDERS: Placeholders =
    Placeholders { names: &["<uid>", "<time>", "<rv>", "<gen>", "<ip>"], fits: fits_kind };

#[derive(Deserialize)]
struct Setup {
    objects: Vec<Value>,
    identities: Vec<Identity>,
}

#[derive(Deserialize)]
struct Identity {
    #[serde(rename = "as")]
    name: String,
    user: String,
    uid: String,
    groups: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    id: String,
    setup: Vec<Value>,
    steps: Vec<Step>,
    #[serde(default)]
    random_order: bool,
}

#[derive(Deserialize)]
struct Step {
    #[serde(rename = "as", default)]
    identity: String,
    request: Request,
    answer: Answer,
    #[serde(default)]
    alternatives: Vec<Answer>,
}

#[derive(Deserialize)]
struct Request {
    method: String,
    path: String,
    body: Option<Value>,
}

#[derive(Deserialize)]
struct Answer {
    code: u16,
    #[serde(default)]
    warnings: Vec<String>,
    body: Option<Value>,
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let setup: Setup = Document::open(&args.path.join("setup.json"))?.read()?;
    let users: BTreeMap<&str, User> = setup.identities.iter().map(|identity| (identity.name.as_str(), identity.user())).collect();
    run_files(args, report, &FILES, async |file| {
        let mut cases: Vec<Case> = Document::open(&args.path.join(format!("{file}.json")))?.read()?;
        cases.retain(|case| args.filter.as_ref().is_none_or(|filter| format!("{file} {}", case.id).contains(filter)));
        let objects: Vec<Value> = cases.iter().flat_map(|case| case.setup.iter().cloned()).collect();
        let (policies, problems) = OfflinePolicies::new(kinds(&setup)?, &objects);
        if let Some((at, error)) = problems.first() {
            return Err(format!("{file}: object {at} of the setup is refused: {error}"));
        }
        Ok(cases.iter().map(|case| (case.id.clone(), outcome(case, &policies, &users))).collect())
    })
}

impl Identity {
    fn user(&self) -> User {
        let mut groups = self.groups.clone();
        groups.push("system:authenticated".to_owned());
        User { name: self.user.clone(), uid: self.uid.clone(), groups, ..User::default() }
    }
}

/// The built-in kinds, and those of the setup.
fn kinds(setup: &Setup) -> Result<Vec<Definition>, String> {
    let mut kinds = sprag_kinds::definitions();
    for object in &setup.objects {
        let mut complete = object.clone();
        prepare::set_defaults(&mut complete);
        let crd = Crd::read(&complete).map_err(|error| error.to_string())?;
        kinds.push(sprag_crd::resource_of(&crd, &complete, &FeatureGates::default()));
    }
    Ok(kinds)
}

fn outcome(case: &Case, policies: &OfflinePolicies, users: &BTreeMap<&str, User>) -> Outcome {
    let mut text = String::new();
    let mut count = 0;
    for (at, step) in case.steps.iter().enumerate() {
        let Some(body) = step.object() else { continue };
        let old = if step.request.method == "PUT" {
            match case.setup.iter().find(|object| is_same(object, body)) {
                Some(old) => Some(old),
                None => continue,
            }
        } else {
            None
        };
        let user = users.get(step.identity.as_str()).or_else(|| users.get("admin"));
        let Some(verdict) = user.and_then(|user| policies.judge_as(user, body, old)) else { continue };
        count += 1;
        let message = verdict.error.as_ref().map_or("", |error| error.parts().message.as_str());
        let code = verdict.error.as_ref().map_or(200, sprag_rest::ApiError::code);
        let fits = |answer: &Answer| answer.fits(code, message, &verdict.warnings, case.random_order);
        if !std::iter::once(&step.answer).chain(&step.alternatives).any(fits) {
            let recorded = step.answer.message();
            let path = &step.request.path;
            let warnings = &verdict.warnings;
            let _ = write!(
                text,
                "  step {at}: {path}\n  {} {recorded} {:?} recorded\n  {code} {message} {warnings:?} ours\n",
                step.answer.code, step.answer.warnings
            );
        }
    }
    match (text.is_empty(), count) {
        (true, 0) => Outcome::Skipped("no step sends a whole object that policies judge"),
        (true, _) => Outcome::Passed,
        (false, _) => Outcome::Failed(text),
    }
}

impl Step {
    /// The object that the step writes as a whole.
    fn object(&self) -> Option<&Value> {
        let Request { method, path, body } = &self.request;
        let body = body.as_ref()?;
        let is_policy = path.starts_with("/apis/admissionregistration.k8s.io/");
        let name = body.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
        let is_object = match method.as_str() {
            // A POST to a subresource has a path with a name before its last part.
            "POST" => path.split('/').count() <= if path.starts_with("/api/") { 6 } else { 7 } && !path.ends_with("/scale"),
            "PUT" => path.ends_with(&format!("/{name}")),
            _ => false,
        };
        let is_other = matches!(self.answer.code, 404 | 409) || path.contains('?');
        (is_object && !is_policy && !is_other).then_some(body)
    }
}

impl Answer {
    fn message(&self) -> &str {
        let message = self.body.as_ref().and_then(|body| body.get("message")).and_then(Value::as_str);
        if self.code < 300 { "" } else { message.unwrap_or_default() }
    }

    fn fits(&self, code: u16, message: &str, warnings: &[String], random_order: bool) -> bool {
        let is_same_code = if self.code < 300 { code < 300 } else { self.code == code || random_order && code >= 300 };
        // Any of the policies that deny the request may be named.
        let is_cut = |(begin, _): (&str, &str)| message.starts_with(begin);
        let is_same_text = PLACEHOLDERS.same_text(self.message(), message)
            || self.message().split_once("<… ").is_some_and(is_cut)
            || random_order && code >= 300;
        let mut want: Vec<String> = self.warnings.iter().filter(|text| text.contains("Validation failed")).map(|text| plain(text)).collect();
        let mut ours = warnings.to_vec();
        want.sort_unstable();
        ours.sort_unstable();
        // Headers are cut where all of them are long.
        let same = |(want, ours): (&String, &String)| PLACEHOLDERS.same_text(want, ours) || ours.starts_with(want);
        is_same_code && is_same_text && want.len() == ours.len() && want.iter().zip(&ours).all(same)
    }
}

/// The text of a `Warning` header.
fn plain(header: &str) -> String {
    let quoted = header.split_once(" - \"").map_or(header, |(_, text)| text);
    quoted.strip_suffix('"').unwrap_or(quoted).replace("\\\"", "\"").replace("\\\\", "\\")
}

fn is_same(a: &Value, b: &Value) -> bool {
    let part = |value: &Value, path: &[&str]| value.lookup(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    [&["kind"][..], &["metadata", "name"], &["metadata", "namespace"]]
        .iter()
        .all(|path| part(a, path) == part(b, path))
}
