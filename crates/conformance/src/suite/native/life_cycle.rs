//! Kinds whose rules are tags and hooks at once: whichever of them counts, the recorded objects are refused for the same
//! reasons, and neither finds what the other misses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sprag_field::{Error, Enforcement, Source, discrepancies, enforce};
use sprag_rest::{Findings, Observer, Offline};
use sprag_value::Value;

use super::answer::parse;
use super::tags::{is_kind, objects};
use super::wire::KindFile;
use crate::recorded::{Document, Recorded};

/// The kinds, as the names of their files end.
const KINDS: [&str; 3] = ["ReplicationController", "CertificateSigningRequest", "HorizontalPodAutoscaler"];

/// The folders of the suite with creates and updates.
const GROUPS: [&str; 3] = ["mutation", "upstream", "targeted"];

/// Keeps what hand-written code and rules found last.
#[derive(Default)]
struct Last(Mutex<Option<Vec<Error>>>);

impl Observer for Last {
    fn judged(&self, findings: &Findings<'_>) {
        *self.0.lock().expect("nobody panics with it") = Some(findings.errors.to_vec());
    }
}

/// Returns the forms of enforcement: hooks alone, hooks until a gate is on, tags of beta and stable rules, tags of all
/// rules.
fn forms() -> [(&'static str, Enforcement); 4] {
    let usual = Enforcement::default();
    [
        ("shadow", Enforcement { legacy_shadow: true, ..usual.clone() }),
        ("gated", Enforcement { beta: false, ..usual.clone() }),
        ("usual", usual.clone()),
        ("enforced", Enforcement { enforce_all: true, ..usual }),
    ]
}

/// The fields that are refused, each with the type of its error.
fn refused(errors: &[Error], policy: &Enforcement) -> BTreeSet<(String, String)> {
    let enforced = enforce(errors.to_vec(), policy).enforced;
    enforced.into_iter().map(|error| (error.field.clone(), format!("{:?}", error.kind))).collect()
}

/// Returns the differences between the forms for an object.
fn differences(errors: &[Error]) -> Vec<String> {
    let expected = refused(errors, &Enforcement { legacy_shadow: true, ..Enforcement::default() });
    let mut found = Vec::new();
    for (form, policy) in forms() {
        let texts = discrepancies(errors, &policy).into_iter().map(|discrepancy| discrepancy.text);
        found.extend(texts.map(|text| format!("{form}: only one side has {text}")));
        let refused = refused(errors, &policy);
        if refused != expected {
            found.push(format!("{form}: {refused:?} instead of {expected:?}"));
        }
    }
    found
}

/// The recorded files, the ones of the repository where there are no others.
fn recorded() -> Vec<Document> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let whole: PathBuf = root.join("../../../shared/conformance/native");
    let recorded = if whole.is_dir() {
        Recorded::open_tree(&whole, &["codec-fixtures", "patch", "tables"])
    } else {
        Recorded::open(&root.join("recorded/native.json.gz"))
    };
    let is_wanted = |document: &Document| {
        let group = document.name.split('/').next().unwrap_or_default();
        GROUPS.contains(&group) && KINDS.iter().any(|kind| document.stem().ends_with(&format!(".{kind}")))
    };
    recorded.expect("it can be read").documents.into_iter().filter(is_wanted).collect()
}

/// Both decisions about a request: no recorded case has them, and they are what its tags are about.
const UNDECIDED: &str = r#"{"conditions":[{"type":"Approved","status":"True"},{"type":"Denied","status":"True"}]}"#;

/// The requests and the objects of a file: the subresource, the new object, the old one, and a name.
fn requests(file: &KindFile<'_>) -> Vec<(String, Value, Option<Value>, String)> {
    let mut requests = Vec::new();
    for case in &file.cases {
        let (new, old) = objects(file, case).expect("well formed");
        let subresource = if ["create", "update"].contains(&case.op.as_str()) { "" } else { case.op.as_str() };
        requests.push((subresource.to_owned(), new, old, case.id.clone()));
    }
    for (name, base) in file.bases.iter().filter(|_| file.kind == "CertificateSigningRequest") {
        let old = parse(base.stored.expect("it can be updated").get()).expect("well formed");
        let mut new = old.clone();
        new.insert("status", parse(UNDECIDED).expect("well formed"));
        requests.push(("approval".to_owned(), new, Some(old), format!("{name} approved and denied")));
    }
    requests
}

#[test]
fn tags_and_hooks_agree_in_every_form() {
    let last = Arc::new(Last::default());
    let offline = Offline::default().without_managed_fields().observed_by(last.clone());
    let definitions = sprag_kinds::definitions();
    let mut found = BTreeMap::from(KINDS.map(|kind| (kind.to_owned(), 0)));
    let mut failures = Vec::new();
    for document in recorded() {
        let file: KindFile<'_> = document.read_json().expect("well formed");
        let definition = definitions.iter().find(|definition| is_kind(definition, &file)).expect("it is served");
        let resource = offline.resource(definition.clone());
        let version = file.api_version.rsplit('/').next().unwrap_or_default();
        for (subresource, new, old, name) in requests(&file) {
            *last.0.lock().expect("nobody panics with it") = None;
            // An answer that does not come from validation says nothing of rules.
            let _ = offline.judge_subresource(&resource, version, &subresource, new, old.as_ref());
            let Some(errors) = last.0.lock().expect("nobody panics with it").take() else { continue };
            if errors.iter().any(|error| error.source == Source::Declarative) {
                found.entry(file.kind.clone()).and_modify(|count| *count += 1);
            }
            let differences = differences(&errors).into_iter();
            failures.extend(differences.map(|text| format!("{} {name}: {text}", document.name)));
        }
    }
    assert!(failures.is_empty(), "{} differences\n{}", failures.len(), failures.join("\n"));
    assert!(found.values().all(|count| *count > 0), "{found:?}");
}
