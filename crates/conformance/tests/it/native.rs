//! The suite `native` for the kinds that are served, against the list of its known failures, which only shrinks.

use std::path::Path;

use sprag_conformance::run_suite;

use crate::packed::folder;

/// The number of passing cases; it only grows.
const MIN_PASSED: usize = 44_557;
/// The number of passing cases among those that the repository carries.
const MIN_PACKED: usize = 38_792;
/// One of so many cases is run, unless `SPRAG_FULL` is set. `.ci/run` runs all of `../shared`.
const EVERY: &str = "8";
/// The number of passing cases of that sample among those that the repository carries.
const MIN_SAMPLE: usize = 8_417;

/// With `UPDATE_EXPECT` set, writes the list instead of comparing it: causes stay, new failures are added at the end.
#[test]
fn native() {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/native");
    let (recorded, least) =
        if whole.exists() { (whole, MIN_PASSED) } else { (folder().join("native.json.gz"), MIN_PACKED) };
    let known = folder().join("native-known-failures.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return update("native", &recorded, &known);
    }
    let known = known.to_str().expect("the path is text");
    let (every, least) = if std::env::var_os("SPRAG_FULL").is_some() { ("1", least) } else { (EVERY, MIN_SAMPLE) };
    let totals = run_suite("native", &recorded, &["--known", known, "--every", every]).expect("the suite can be run");
    assert_eq!(totals.failed, totals.known, "failures that are not listed, or listed cases that pass, are above");
    assert!(totals.passed >= least, "{totals:?}, {least} passed before");
}

/// The most cases of the sample that older releases answer in another way than their servers did; it only shrinks.
const MOST_OTHER_ANSWERS: usize = 60;

/// A sample of the answers of two older releases.
#[test]
fn older_releases() {
    let totals = run_suite("versions", &folder().join("versions.json.gz"), &["--every", EVERY, "--diffs", "0"]);
    let totals = totals.expect("the suite can be run");
    assert!(totals.failed <= MOST_OTHER_ANSWERS, "{totals:?}: run `sprag-conformance versions` to see the differences");
    assert!(totals.passed > MIN_SAMPLE, "{totals:?}");
}

/// Writes the list of a suite's known failures.
pub(crate) fn update(suite: &str, recorded: &Path, known: &Path) {
    let failures = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{suite}-failures.txt"));
    let path = failures.to_str().expect("the path is text");
    run_suite(suite, recorded, &["--failures", path, "--diffs", "0"]).expect("the suite can be run");
    let failures = std::fs::read_to_string(&failures).expect("it was written");
    let failed: Vec<&str> = failures.lines().filter_map(|line| line.strip_prefix("FAIL ")).collect();
    let listed = std::fs::read_to_string(known).expect("there is a list");
    let kept = listed.lines().filter(|line| line.starts_with('#') || failed.contains(line));
    let new = failed.iter().copied().filter(|name| !listed.lines().any(|line| line == *name));
    let lines: Vec<&str> = kept.chain(new).collect();
    std::fs::write(known, lines.join("\n") + "\n").expect("the list can be written");
}
