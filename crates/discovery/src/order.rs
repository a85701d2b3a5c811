//! The order in which groups and versions are listed: what clients should prefer comes first.

use std::cmp::{Ordering, Reverse};

/// The groups of Kubernetes and their priorities there.
const PRIORITIES: [(&str, u16); 21] = [
    ("apps", 17800),
    ("events.k8s.io", 17750),
    ("authentication.k8s.io", 17700),
    ("authorization.k8s.io", 17600),
    ("autoscaling", 17500),
    ("batch", 17400),
    ("certificates.k8s.io", 17300),
    ("networking.k8s.io", 17200),
    ("policy", 17100),
    ("rbac.authorization.k8s.io", 17000),
    ("storage.k8s.io", 16800),
    ("admissionregistration.k8s.io", 16700),
    ("apiextensions.k8s.io", 16700),
    ("scheduling.k8s.io", 16600),
    ("coordination.k8s.io", 16500),
    ("node.k8s.io", 16300),
    ("discovery.k8s.io", 16200),
    ("resource.k8s.io", 16200),
    ("flowcontrol.apiserver.k8s.io", 16100),
    ("internal.apiserver.k8s.io", 16000),
    ("storagemigration.k8s.io", 15800),
];
/// The priority of all other groups.
const CUSTOM_PRIORITY: u16 = 1000;

/// Groups of Kubernetes in its order, then all others by name.
pub fn compare_groups(a: &str, b: &str) -> Ordering {
    let key = |group| (Reverse(priority(group)), group);
    key(a).cmp(&key(b))
}

fn priority(group: &str) -> u16 {
    PRIORITIES.iter().find(|(name, _)| *name == group).map_or(CUSTOM_PRIORITY, |(_, priority)| *priority)
}

/// Versions from stable over beta to alpha, each from the newest to the oldest, then all others by name.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    match (KubeVersion::parse(a), KubeVersion::parse(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// A version of the form `v1`, `v1beta1` or `v1alpha1`; later ones are preferred.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct KubeVersion {
    stability: Stability,
    major: u64,
    minor: u64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Alpha,
    Beta,
    Stable,
}

impl KubeVersion {
    fn parse(text: &str) -> Option<KubeVersion> {
        let rest = text.strip_prefix('v')?;
        let (major, stability, minor) = if let Some((major, minor)) = rest.split_once("alpha") {
            (major, Stability::Alpha, number(minor)?)
        } else if let Some((major, minor)) = rest.split_once("beta") {
            (major, Stability::Beta, number(minor)?)
        } else {
            (rest, Stability::Stable, 0)
        };
        Some(KubeVersion { stability, major: number(major)?, minor })
    }
}

fn number(digits: &str) -> Option<u64> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_come_first_and_new_before_old() {
        let mut versions = [
            "foo10",
            "v1alpha1",
            "v11alpha2",
            "v3beta1",
            "foo1",
            "v12alpha1",
            "v2",
            "v10",
            "v11beta2",
            "v10beta3",
            "v1",
        ];
        versions.sort_by(|a, b| compare_versions(a, b));
        assert_eq!(
            versions,
            [
                "v10",
                "v2",
                "v1",
                "v11beta2",
                "v10beta3",
                "v3beta1",
                "v12alpha1",
                "v11alpha2",
                "v1alpha1",
                "foo1",
                "foo10"
            ]
        );
    }

    #[test]
    fn what_only_resembles_a_version_comes_last() {
        for other in ["v", "v+1", "v1beta", "v1gamma1", "1", "v99999999999999999999"] {
            assert_eq!(compare_versions("v1alpha1", other), Ordering::Less, "{other}");
        }
    }

    #[test]
    fn groups_of_kubernetes_come_first() {
        let mut groups =
            ["b.example.com", "rbac.authorization.k8s.io", "a.example.com", "apps", "apiextensions.k8s.io"];
        groups.sort_by(|a, b| compare_groups(a, b));
        assert_eq!(
            groups,
            ["apps", "rbac.authorization.k8s.io", "apiextensions.k8s.io", "a.example.com", "b.example.com"]
        );
    }
}
