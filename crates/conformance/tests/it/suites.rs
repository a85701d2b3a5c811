//! Every packed suite, run whole. One that is missing fails.

use sprag_conformance::{Totals, run_suite};

use crate::packed::folder;

/// Runs a packed suite. The number of cases is checked so that none gets lost; skipped ones may only become fewer.
#[track_caller]
fn check(suite: &str, file: &str, cases: usize, most_skipped: usize) {
    let totals = match run_suite(suite, &folder().join(file), &[]) {
        Ok(totals) => totals,
        Err(message) => panic!("{suite} cannot be run: {message}"),
    };
    let Totals { passed, failed, skipped, .. } = totals;
    assert_eq!(failed, 0, "{suite}: the differences are above");
    assert_eq!(passed + skipped, cases, "{suite}: {totals:?}");
    assert!(skipped <= most_skipped, "{suite}: {totals:?}, at most {most_skipped} may be skipped");
}

#[test]
fn cel_k8s() {
    check("cel-k8s", "cel-k8s.json.gz", 414, 0);
}

#[test]
fn crd() {
    check("crd", "crd.json.gz", 2368, 0);
}

#[test]
fn crd_accept() {
    check("crd-accept", "crd.json.gz", 90, 0);
}

#[test]
fn crd_ratcheting() {
    check("crd-ratcheting", "crd-ratcheting.json.gz", 277, 0);
}

#[test]
fn formats() {
    check("formats", "formats.json.gz", 835, 0);
}

/// Skipped are requests to kinds that are not served, and one whose answer depends on the version of etcd.
#[test]
fn http() {
    check("http", "http.json.gz", 2336, 678);
}

#[test]
fn patch() {
    check("patch", "http.json.gz", 719, 13);
}

/// Random types in bounded numbers; `SPRAG_FULL=1` runs all of them.
#[test]
fn shadowed() {
    let totals = run_suite("shadowed", std::path::Path::new(""), &[]).unwrap();
    assert_eq!(totals.failed, 0, "what was found is above");
}

/// Random input in bounded numbers; `SPRAG_FULL=1 sprag-conformance fuzz` runs a hundred times as many.
#[test]
fn fuzz() {
    let totals = run_suite("fuzz", std::path::Path::new(""), &[]).unwrap();
    assert_eq!(totals.failed, 0, "what was found is above");
}
