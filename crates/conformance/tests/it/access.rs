//! The suite `access`, against the list of its known failures, which only shrinks.

use std::path::Path;

use sprag_conformance::run_suite;

use crate::packed::folder;

/// The number of cases that pass on a machine without kubectl, where its 191 are skipped. It only grows.
const MIN_PASSED: usize = 2_591;

/// With `UPDATE_EXPECT` set, writes the list instead of comparing it: causes stay, new failures are added at the end.
#[test]
fn access() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/access");
    if !recorded.exists() {
        eprintln!("skipped: access (../shared/conformance/access is missing)");
        return;
    }
    let known = folder().join("access-known-failures.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return crate::native::update("access", &recorded, &known);
    }
    let known = known.to_str().expect("the path is text");
    let totals = run_suite("access", &recorded, &["--known", known]).expect("the suite can be run");
    assert_eq!(totals.failed, totals.known, "failures that are not listed, or listed cases that pass, are above");
    assert!(totals.passed >= MIN_PASSED, "{totals:?}, {MIN_PASSED} passed before");
}
