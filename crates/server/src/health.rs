//! Health checks: `healthz`, `livez` and `readyz`, all of their checks or one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use http::StatusCode;
use tokio::time::timeout;

use crate::answer::{self, Answer};
use crate::query::Query;
use crate::server::State;

/// Checks of `/livez` that precede the post-start hooks.
const ALIVE: [&str; 4] = ["ping", "log", "loopback-serving-certificate", "etcd"];
/// Checks of `/readyz` that precede and follow the post-start hooks.
const READY: [&str; 5] = ["ping", "log", "etcd", "etcd-readiness", "informer-sync"];
const READY_LAST: &str = "shutdown";
/// Hooks of upstream's server that run when it starts, by the names of their checks and in their order. This server listens when
/// all that it does at its start is done, so the checks pass whenever they are asked for; what only upstream starts has nothing
/// to wait for.
const HOOKS: [&str; 30] = [
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/peer-endpoint-reconciler-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/storage-readiness",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
];
/// The checks of the store, whatever it is. A server that answers passes the others: it listens once all is loaded.
const STORE: [&str; 2] = ["etcd", "etcd-readiness"];
/// The check that a store passes which can be written.
const WRITABLE: [&str; 1] = ["etcd-readiness"];
/// Timeout of health checks of the store.
const PATIENCE: Duration = Duration::from_secs(2);

/// Answers for a path like `livez` or `readyz/ping`.
pub(crate) async fn answer(state: &State, path: &str, query: &Query<'_>) -> Answer {
    let (name, check) = path.split_once('/').unwrap_or((path, ""));
    let checks = &checks_of(name)[..];
    if !check.is_empty() && !checks.contains(&check) {
        return answer::page_not_found();
    }
    let is_asked = check.is_empty() || STORE.contains(&check);
    let failure = if is_asked { store_failure(state).await } else { None };
    let failure = failure.map(|why| Failure { why, checks: &STORE }).or_else(|| unwritable(state, check));
    match (check, failure) {
        ("", failure) => {
            let failing = failure.as_ref().map(|failure| failure.checks).unwrap_or_default();
            let report = Report::new(name, checks, query, failing);
            for (check, passed) in &report.made {
                state.metrics.count_check(name, check, *passed);
            }
            let is_silent = report.passed && query.get("verbose").is_none();
            let code = if report.passed { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR };
            answer::unsniffed(answer::text(code, if is_silent { "ok".into() } else { report.text }))
        }
        (_, None) => answer::text(StatusCode::OK, "ok"),
        (_, Some(Failure { why, .. })) => {
            let text = format!("internal server error: {why}\n");
            answer::unsniffed(answer::text(StatusCode::INTERNAL_SERVER_ERROR, text))
        }
    }
}

/// The checks of `healthz`, `livez` or `readyz`.
fn checks_of(name: &str) -> Vec<&'static str> {
    let (first, last) = if name == "readyz" { (&READY[..], Some(READY_LAST)) } else { (&ALIVE[..], None) };
    first.iter().copied().chain(HOOKS).chain(last).collect()
}

/// A failed check of the store.
struct Failure {
    why: String,
    checks: &'static [&'static str],
}

/// A store that cannot be written, for instance because the disk is full. The server is not ready then; it lives, and another
/// start would not help.
fn unwritable(state: &State, check: &str) -> Option<Failure> {
    if !(check.is_empty() || WRITABLE.contains(&check)) {
        return None;
    }
    let problem = state.registry.store_health().problem?;
    Some(Failure { why: problem.for_clients(), checks: &WRITABLE })
}

/// The error of the store; `None` if it is healthy.
pub(crate) async fn store_failure(state: &State) -> Option<String> {
    match timeout(PATIENCE, state.registry.check_store()).await {
        Ok(outcome) => outcome.err().map(|error| error.to_string()),
        Err(_) => Some("the store does not answer".into()),
    }
}

/// The results of all checks that are not excluded.
struct Report<'c> {
    text: String,
    /// The checks that were made, and whether the server passed.
    made: Vec<(&'c str, bool)>,
    passed: bool,
}

impl<'c> Report<'c> {
    fn new(name: &str, checks: &[&'c str], query: &Query<'_>, failing: &[&str]) -> Report<'c> {
        let mut excluded: BTreeSet<&str> = query.all("exclude").collect();
        let mut text = String::new();
        let mut made = Vec::new();
        for &check in checks {
            if excluded.remove(check) {
                let _ = writeln!(text, "[+]{check} excluded: ok");
                continue;
            }
            let passed = !failing.contains(&check);
            made.push((check, passed));
            let _ = if passed {
                writeln!(text, "[+]{check} ok")
            } else {
                writeln!(text, "[-]{check} failed: reason withheld")
            };
        }
        let passed = made.iter().all(|(_, passed)| *passed);
        if !excluded.is_empty() {
            let unknown: Vec<String> = excluded.iter().map(|check| sprag_field::quote::go(check).to_string()).collect();
            let unknown = unknown.join(",");
            let _ = writeln!(text, "warn: some health checks cannot be excluded: no matches for {unknown}");
        }
        let _ = writeln!(text, "{name} check {}", if passed { "passed" } else { "failed" });
        Report { text, made, passed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, store_fails: bool, expected: &str) {
        let failing = if store_fails { &STORE[..] } else { &[] };
        let report = Report::new("livez", &["ping", "log", "etcd"], &Query::parse(Some(query)), failing);
        assert_eq!(report.text, expected);
        assert_eq!(report.passed, expected.ends_with("passed\n"));
    }

    #[test]
    fn every_check_is_reported() {
        check("verbose", false, "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n");
        check("", true, "[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\nlivez check failed\n");
    }

    #[test]
    fn checks_have_the_names_of_upstream() {
        let live = checks_of("livez");
        let ready = checks_of("readyz");
        assert_eq!((live.len(), ready.len()), (34, 36));
        assert_eq!(live, checks_of("healthz"));
        assert_eq!(ready.last(), Some(&"shutdown"));
        assert!(live.contains(&"poststarthook/rbac/bootstrap-roles") && ready.contains(&"autoregister-completion"));
    }

    #[test]
    fn a_store_that_cannot_be_written_makes_the_server_unready_only() {
        let report = |name| {
            let checks = checks_of(name);
            let report = Report::new(name, &checks, &Query::parse(None), &WRITABLE);
            (report.passed, report.text)
        };
        assert!(report("livez").0);
        let (passed, text) = report("readyz");
        assert!(!passed && text.contains("[-]etcd-readiness failed: reason withheld\n"), "{text}");
    }

    #[test]
    fn checks_can_be_excluded_if_they_exist() {
        check("exclude=log", false, "[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\nlivez check passed\n");
        check("exclude=etcd", true, "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\nlivez check passed\n");
        check(
            "exclude=y&exclude=x",
            false,
            "[+]ping ok\n[+]log ok\n[+]etcd ok\n\
             warn: some health checks cannot be excluded: no matches for \"x\",\"y\"\nlivez check passed\n",
        );
    }
}
