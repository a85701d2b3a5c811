use sprag_value::json;

use super::level::{Level, LevelVersion, Version, policy};
use super::*;

#[track_caller]
fn check(level: Level, version: Version, pod: &str, expected: &str) {
    let pod = json::parse(pod.as_bytes()).unwrap();
    assert_eq!(details(&violations(LevelVersion { level, version }, &pod, Release::NEWEST)), expected);
}

#[test]
fn releases_know_no_newer_checks() {
    let pod =
        json::parse(br#"{"spec":{"containers":[{"name":"a","livenessProbe":{"httpGet":{"host":"h"}}}]}}"#).unwrap();
    for (version, release, count) in [
        (Version::Latest, Release::V1_33, 0),
        (Version::Latest, Release::V1_34, 1),
        (Version::Minor(36), Release::V1_33, 0),
        (Version::Minor(33), Release::V1_36, 0),
    ] {
        let policy = LevelVersion { level: Level::Baseline, version };
        assert_eq!(violations(policy, &pod, release).len(), count, "{policy} in {release}");
    }
}

#[test]
fn versions_choose_the_checks() {
    const PROBE: &str = r#"{"spec":{"containers":[{"name":"a","livenessProbe":{"httpGet":{"host":"h"}}}]}}"#;
    check(Level::Baseline, Version::Minor(33), PROBE, "");
    let says = "probe or lifecycle host (container \"a\" uses probe or lifecycle host \"h\")";
    check(Level::Baseline, Version::Minor(34), PROBE, says);
    check(Level::Baseline, Version::Latest, PROBE, says);
    check(Level::Privileged, Version::Latest, PROBE, "");
}

#[test]
fn restricted_checks_take_the_place_of_baseline_ones() {
    const VOLUMES: &str = r#"{"spec":{"volumes":[{"name":"v","hostPath":{}},{"name":"w","nfs":{}}]}}"#;
    check(Level::Baseline, Version::Latest, VOLUMES, "hostPath volumes (volume \"v\")");
    check(
        Level::Restricted,
        Version::Latest,
        VOLUMES,
        "restricted volume types (volumes \"v\", \"w\" use restricted volume types \"hostPath\", \"nfs\")",
    );
}

#[test]
fn users_of_the_pod_and_windows_relax_the_restricted_level() {
    const OWN_USERS: &str = r#"{"spec":{"hostUsers":false,"os":{"name":"windows"},"containers":[{"name":"a"}]}}"#;
    check(Level::Restricted, Version::Latest, OWN_USERS, "");
    check(
        Level::Restricted,
        Version::Minor(24),
        OWN_USERS,
        "allowPrivilegeEscalation != false (container \"a\" must set securityContext.allowPrivilegeEscalation=false), \
         unrestricted capabilities (container \"a\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true \
         (pod or container \"a\" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container \"a\" must set \
         securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")",
    );
}

#[test]
fn labels_that_are_wrong_enforce_the_strictest_level_and_warn_of_nothing() {
    let namespace = br#"{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"strict","pod-security.kubernetes.io/warn-version":"v1.01"}}}"#;
    let (policy, errors) = policy(&json::parse(namespace).unwrap());
    assert_eq!(policy.enforce.to_string(), "restricted:latest");
    assert_eq!(policy.warn.to_string(), "privileged:latest");
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"strict\": must be one of privileged, baseline, \
             restricted",
            "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"v1.01\": must be \"latest\" or \"v1.x\"",
        ]
    );
}

#[test]
fn warnings_follow_what_is_enforced() {
    let namespace = br#"{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"baseline","pod-security.kubernetes.io/enforce-version":"v1.20"}}}"#;
    let (policy, _) = policy(&json::parse(namespace).unwrap());
    assert_eq!(policy.warn.to_string(), "baseline:v1.20");
}

#[test]
fn pods_with_the_same_fault_are_named_once() {
    let pod = |name: &str| {
        let text = format!(r#"{{"metadata":{{"name":"{name}"}},"spec":{{"hostPID":true,"containers":[]}}}}"#);
        json::parse(text.as_bytes()).unwrap()
    };
    let enforce = LevelVersion { level: Level::Baseline, version: Version::Latest };
    assert_eq!(
        warn_of_pods(&[pod("b"), pod("a"), pod("c")], "ns", enforce, Release::NEWEST),
        [
            "existing pods in namespace \"ns\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "a (and 2 other pods): host namespaces",
        ]
    );
}
