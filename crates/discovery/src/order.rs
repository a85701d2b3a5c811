//! The order in which groups are listed: what clients should prefer comes first.

use std::cmp::{Ordering, Reverse};

/// The groups of Kubernetes and their priorities there.
const PRIORITIES: [(&str, u16); 22] = [
    // As upstream's aggregator, which lists itself first.
    ("apiregistration.k8s.io", u16::MAX),
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

#[cfg(test)]
mod tests {
    use super::*;

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
