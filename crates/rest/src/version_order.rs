//! The order of versions by preference.

use std::cmp::Ordering;

/// Versions from stable over beta to alpha, each from the newest to the oldest, then all others by name.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Stability, major and minor of a version like `v1`, `v1beta1` or `v1alpha1`.
fn rank(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let parts = [("alpha", 0), ("beta", 1)];
    for (name, stability) in parts {
        if let Some((major, minor)) = rest.split_once(name) {
            return Some((stability, number(major)?, number(minor)?));
        }
    }
    Some((2, number(rest)?, 0))
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
}
