//! Groups of the Kubernetes community, whose definitions say who approved them.

use sprag_field::{Error, Errors, Path, quote};
use sprag_value::Value;

use super::webhook;
use crate::crd::Crd;

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Given,
    Bypassed,
    Missing,
    Invalid,
}

pub(super) fn validate(new: &Crd, old: Option<&Crd>, errors: &mut Errors) {
    if !is_protected(&new.group) || old.is_some_and(|old| approval(old) == approval(new)) {
        return;
    }
    let metadata = Path::new("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(ANNOTATION);
    match approval(new) {
        Approval::Given | Approval::Bypassed => {}
        Approval::Missing => errors.push(Error::required(
            &path,
            format!("protected groups must have approval annotation {}, {SEE}", quote::go(ANNOTATION)),
        )),
        Approval::Invalid => errors.push(Error::invalid(
            &path,
            annotation(new),
            format!(
                "protected groups must have approval annotation {} with either a URL or a reason starting with \
                 \"unapproved\", {SEE}",
                quote::go(ANNOTATION)
            ),
        )),
    }
}

fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

fn annotation(crd: &Crd) -> &str {
    crd.metadata.lookup(&["annotations", ANNOTATION]).and_then(Value::as_str).unwrap_or_default()
}

fn approval(crd: &Crd) -> Approval {
    match annotation(crd) {
        "" => Approval::Missing,
        text if text.starts_with("unapproved") => Approval::Bypassed,
        text if webhook::is_absolute_url(text) => Approval::Given,
        _ => Approval::Invalid,
    }
}
