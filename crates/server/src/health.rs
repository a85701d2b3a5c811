//! Whether the server works: `healthz`, `livez` and `readyz`, all of their checks or one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use http::StatusCode;

use crate::answer::{self, Answer};
use crate::query::Query;

/// What is checked of a server that lives.
const ALIVE: [&str; 3] = ["ping", "log", "etcd"];
/// What is checked of a server that is ready.
const READY: [&str; 6] = ["ping", "log", "etcd", "etcd-readiness", "informer-sync", "shutdown"];

/// Answers for a path like `livez` or `readyz/ping`. A server that answers is well: it listens only once everything is
/// loaded.
pub(crate) fn answer(path: &str, query: &Query<'_>) -> Answer {
    let (name, check) = path.split_once('/').unwrap_or((path, ""));
    let checks = if name == "readyz" { &READY[..] } else { &ALIVE };
    match check {
        "" if query.get("verbose").is_some() => {
            answer::unsniffed(answer::text(StatusCode::OK, report(name, checks, query)))
        }
        "" => answer::unsniffed(answer::text(StatusCode::OK, "ok")),
        check if checks.contains(&check) => answer::text(StatusCode::OK, "ok"),
        _ => answer::page_not_found(),
    }
}

/// What every check found, but for those that nobody wants to know of.
fn report(name: &str, checks: &[&str], query: &Query<'_>) -> String {
    let mut excluded: BTreeSet<&str> = query.all("exclude").collect();
    let mut report = String::new();
    for check in checks {
        let note = if excluded.remove(check) { " excluded:" } else { "" };
        let _ = writeln!(report, "[+]{check}{note} ok");
    }
    if !excluded.is_empty() {
        let unknown: Vec<String> = excluded.iter().map(|check| sprag_field::quote::go(check).to_string()).collect();
        let unknown = unknown.join(",");
        let _ = writeln!(report, "warn: some health checks cannot be excluded: no matches for {unknown}");
    }
    let _ = writeln!(report, "{name} check passed");
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &str) {
        assert_eq!(report("livez", &ALIVE, &Query::parse(Some(query))), expected);
    }

    #[test]
    fn every_check_is_reported() {
        check("verbose", "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n");
    }

    #[test]
    fn checks_can_be_excluded_if_they_exist() {
        check("exclude=log", "[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\nlivez check passed\n");
        check(
            "exclude=y&exclude=x",
            "[+]ping ok\n[+]log ok\n[+]etcd ok\n\
             warn: some health checks cannot be excluded: no matches for \"x\",\"y\"\nlivez check passed\n",
        );
    }

    #[test]
    fn each_path_has_its_checks() {
        let code = |path: &str| answer(path, &Query::default()).status().as_u16();
        assert_eq!([code("healthz"), code("livez/ping"), code("readyz/shutdown")], [200; 3]);
        assert_eq!([code("livez/shutdown"), code("healthz/nope")], [404; 2]);
    }
}
