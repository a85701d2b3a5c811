//! Groups of the Kubernetes community, whose definitions say who approved them.

use sprag_field::{Error, Errors, Path, quote};
use sprag_value::Value;

use super::webhook;
use crate::crd::Crd;

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// The approval of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approval {
    /// It names where it was approved.
    Given,
    /// It says that it is not approved.
    Bypassed,
    /// It says nothing.
    Missing,
    /// It says something that means nothing.
    Invalid,
}

impl Approval {
    /// Returns the approval of a definition of a protected group, with upstream's message; `None` for other groups.
    pub fn of(crd: &Crd) -> Option<(Approval, String)> {
        if !is_protected(&crd.group) {
            return None;
        }
        let approval = approval(crd);
        Some((approval, reason(crd, approval)))
    }
}

pub(super) fn validate(new: &Crd, old: Option<&Crd>, errors: &mut Errors) {
    if !is_protected(&new.group) || old.is_some_and(|old| approval(old) == approval(new)) {
        return;
    }
    let metadata = Path::new("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(ANNOTATION);
    let approval = approval(new);
    match approval {
        Approval::Given | Approval::Bypassed => {}
        Approval::Missing => errors.push(Error::required(&path, reason(new, approval))),
        Approval::Invalid => errors.push(Error::invalid(&path, annotation(new), reason(new, approval))),
    }
}

fn reason(crd: &Crd, approval: Approval) -> String {
    let name = quote::go(ANNOTATION);
    match approval {
        Approval::Given => format!("approved in {}", annotation(crd)),
        Approval::Bypassed => format!("not approved: {}", quote::go(annotation(crd))),
        Approval::Missing => format!("protected groups must have approval annotation {name}, {SEE}"),
        Approval::Invalid => format!(
            "protected groups must have approval annotation {name} with either a URL or a reason starting with \
             \"unapproved\", {SEE}"
        ),
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
