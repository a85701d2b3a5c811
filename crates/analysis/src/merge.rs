//! The verdicts of several releases on one object, as one verdict.

use std::collections::HashMap;

use sprag_rest::{Release, Releases};

use crate::finding::{Finding, Origin, Severity};
use crate::report::{Resource, Status};

/// Puts the verdicts of different releases together, the first of which says what the object is and in which order findings come.
/// Each finding names the releases that have it; it is that of all where all that were asked have it.
pub(crate) fn merge(verdicts: Vec<(Release, Resource)>) -> Resource {
    let asked: Releases = verdicts.iter().map(|(release, _)| *release).collect();
    let mut merged = Merged::default();
    let mut all = Resource::default();
    for (index, (release, mut verdict)) in verdicts.into_iter().enumerate() {
        merged.add(release, std::mem::take(&mut verdict.findings));
        all = if index == 0 { verdict } else { worse(all, &verdict) };
    }
    Resource { findings: merged.findings(asked), ..all }
}

/// The two verdicts on one object as one: it is valid only where both say so.
fn worse(all: Resource, other: &Resource) -> Resource {
    let rank = |status: Status| match status {
        Status::Skipped => 0,
        Status::Valid => 1,
        Status::Error => 2,
        Status::Invalid => 3,
    };
    let status = if rank(other.status) > rank(all.status) { other.status } else { all.status };
    // What one release knows is not passed over.
    let passed = all.passed.filter(|_| other.passed.is_some());
    Resource { status, passed, rules: all.rules.or(other.rules), ..all }
}

/// Findings with the releases that have each.
#[derive(Default)]
struct Merged {
    findings: Vec<(Finding, Releases)>,
    /// The findings that say the same, in their order.
    same: HashMap<Key, Vec<usize>>,
}

impl Merged {
    fn add(&mut self, release: Release, findings: Vec<Finding>) {
        // A release may say the same thing several times, with other values.
        let mut met: HashMap<Key, usize> = HashMap::new();
        for finding in findings {
            let key = Key::of(&finding, release);
            let count = met.entry(key.clone()).or_default();
            let same = self.same.entry(key).or_default();
            if let Some(index) = same.get(*count) {
                let releases = &mut self.findings[*index].1;
                *releases = releases.or(Releases::only(release));
            } else {
                same.push(self.findings.len());
                self.findings.push((finding, Releases::only(release)));
            }
            *count += 1;
        }
    }

    fn findings(self, asked: Releases) -> Vec<Finding> {
        let of = |(finding, releases)| Finding {
            releases: if releases == asked { Releases::ALL } else { releases },
            ..finding
        };
        self.findings.into_iter().map(of).collect()
    }
}

/// A finding without what releases write in different ways: values, and their own number.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    severity: Severity,
    origin: Origin,
    kind: &'static str,
    field: String,
    text: String,
}

impl Key {
    fn of(finding: &Finding, release: Release) -> Key {
        let Finding { severity, origin, .. } = *finding;
        if let Some(cause) = &finding.cause {
            return Key { severity, origin, kind: cause.kind, field: cause.field.clone(), text: cause.detail.clone() };
        }
        let text = match origin {
            Origin::Lookup => finding.message.replace(&format!("Kubernetes {release}"), "Kubernetes"),
            _ => finding.message.clone(),
        };
        Key { severity, origin, kind: "", field: String::new(), text }
    }
}

#[cfg(test)]
mod tests {
    use sprag_field::{Error, Path};
    use sprag_rest::Release::{V1_34, V1_36, V1_37};

    use super::*;
    use crate::report::{Identity, Rules};

    fn verdict(status: Status, findings: Vec<Finding>) -> Resource {
        let identity = Identity { kind: "Pod".to_owned(), ..Identity::default() };
        Resource { identity, status, rules: Some(Rules::BuiltIn), findings, ..Resource::default() }
    }

    fn invalid(value: &str, detail: &'static str) -> Finding {
        let error = Error::invalid(&Path::new("spec"), value, detail);
        Finding::of_error(Severity::Error, Origin::Types, &error)
    }

    #[track_caller]
    fn check(verdicts: Vec<(Release, Resource)>, status: Status, expected: &[&str]) {
        let merged = merge(verdicts);
        let texts: Vec<_> = merged.findings.iter().map(Finding::text).collect();
        assert_eq!((merged.status, texts), (status, expected.iter().map(|text| (*text).into()).collect()));
    }

    #[test]
    fn a_finding_of_all_releases_names_none() {
        let of = |release| (release, verdict(Status::Invalid, vec![invalid("a", "no")]));
        check(vec![of(V1_36), of(V1_34)], Status::Invalid, &["spec: Invalid value: \"a\": no"]);
    }

    #[test]
    fn findings_of_some_releases_name_them() {
        let newest = verdict(Status::Valid, Vec::new());
        let warned = verdict(Status::Valid, vec![Finding::new(Severity::Warning, Origin::Types, "old")]);
        let oldest = verdict(Status::Invalid, vec![invalid("a", "no")]);
        check(
            vec![(V1_37, newest), (V1_36, warned), (V1_34, oldest)],
            Status::Invalid,
            &["warned of by 1.36: old", "rejected by 1.34: spec: Invalid value: \"a\": no"],
        );
    }

    #[test]
    fn values_may_be_written_differently() {
        let newest = verdict(Status::Invalid, vec![invalid("{}", "no"), invalid("{}", "never")]);
        let oldest = verdict(Status::Invalid, vec![invalid("core.Pod{}", "no"), invalid("core.Pod{}", "no")]);
        check(
            vec![(V1_37, newest), (V1_34, oldest)],
            Status::Invalid,
            &[
                "spec: Invalid value: \"{}\": no",
                "rejected by 1.37: spec: Invalid value: \"{}\": never",
                "rejected by 1.34: spec: Invalid value: \"core.Pod{}\": no",
            ],
        );
    }

    #[test]
    fn an_object_that_one_release_does_not_serve_is_an_error() {
        let lookup = |text: &str| {
            let finding = Finding::new(Severity::Error, Origin::Lookup, text);
            Resource { rules: None, ..verdict(Status::Error, vec![finding]) }
        };
        let served = || verdict(Status::Valid, Vec::new());
        let merged = merge(vec![(V1_37, served()), (V1_34, lookup("Kubernetes 1.34 does not"))]);
        assert_eq!((merged.status, merged.rules), (Status::Error, Some(Rules::BuiltIn)));
        check(
            vec![(V1_37, lookup("Kubernetes 1.37 does not")), (V1_34, lookup("Kubernetes 1.34 does not"))],
            Status::Error,
            &["Kubernetes 1.37 does not"],
        );
    }
}
