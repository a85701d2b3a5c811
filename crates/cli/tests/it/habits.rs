//! Habits from other tools: patterns, colours, stopping at the first error, kubeconform's spellings.

use crate::run::{self, Run};
use crate::scratch::Scratch;

const GOOD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\n";
const BAD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: BAD\n";

fn project(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for (path, text) in [
        ("apps/a/one.yaml", GOOD),
        ("apps/a/two.yml", GOOD),
        ("apps/b/three.yaml", BAD),
        ("apps/b/notes.txt", "no manifest"),
        ("apps/.hidden/four.yaml", BAD),
        ("apps/b/deep/five.json", r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"five"}}"#),
    ] {
        scratch.write(path, text);
    }
    scratch
}

fn validate(scratch: &Scratch, args: &[&str]) -> Run {
    run::sprag_in(scratch.dir(), &[&["validate", "--summary"], args].concat(), "")
}

#[track_caller]
fn check_found(scratch: &Scratch, args: &[&str], resources: usize, files: usize) {
    let run = validate(scratch, args);
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let expected = format!("Summary: {} found in {} - ", plural(resources, "resource"), plural(files, "file"));
    assert!(run.stdout.contains(&expected), "{args:?}: {}{}", run.stdout, run.stderr);
}

#[test]
fn patterns_that_no_shell_expanded_are_expanded() {
    let scratch = project("patterns");
    check_found(&scratch, &["apps/*/*.yaml"], 2, 2);
    check_found(&scratch, &["apps/**/*.yaml", "apps/**/*.json"], 3, 3);
    check_found(&scratch, &["apps/**"], 4, 4);
    check_found(&scratch, &["-f", "apps/[ab]/t*"], 2, 2);
    check_found(&scratch, &["apps/a/*.y?ml", "apps/a"], 2, 2);
    let run = validate(&scratch, &["apps/*.yaml"]);
    let expected = "error: apps/*.yaml: no .yaml, .yml or .json file matches this pattern\n";
    assert_eq!((run.stderr.as_str(), run.code), (expected, Some(2)));
}

#[test]
fn a_file_whose_name_looks_like_a_pattern_is_that_file() {
    let scratch = project("pattern-names");
    scratch.write("apps/[a].yaml", GOOD);
    check_found(&scratch, &["apps/[a].yaml"], 1, 1);
}

#[test]
fn validation_stops_at_the_first_error_when_asked() {
    let scratch = project("first-error");
    scratch.write("apps/c/six.yaml", BAD);
    let all = validate(&scratch, &["apps/b", "apps/c"]);
    assert_eq!((all.stdout.matches("error: ").count(), all.code), (2, Some(1)));
    let first = validate(&scratch, &["-n", "1", "--exit-on-error", "apps/b", "apps/c"]);
    assert_eq!((first.stdout.matches("error: ").count(), first.code), (1, Some(1)), "{}", first.stdout);
    assert!(first.stdout.contains("Invalid: 1"), "{}", first.stdout);
    assert_eq!(validate(&scratch, &["--exit-on-error", "apps/a"]).code, Some(0));
}

#[test]
fn colours_follow_the_flag_and_the_environment() {
    let scratch = project("colours");
    let is_colored = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = run::command(&[&["validate", "apps/b/three.yaml"], args].concat());
        command
            .current_dir(scratch.dir())
            .env_remove("NO_COLOR")
            .env_remove("FORCE_COLOR")
            .envs(variables.iter().copied());
        Run::of(command.output().unwrap()).stdout.contains('\u{1b}')
    };
    assert!(!is_colored(&[], &[]));
    assert!(is_colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(is_colored(&[], &[("FORCE_COLOR", "1")]));
    assert!(!is_colored(&[], &[("FORCE_COLOR", "0")]));
    assert!(!is_colored(&[], &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]));
    assert!(!is_colored(&["--color=never"], &[("FORCE_COLOR", "1")]));
}

#[test]
fn a_command_of_kubeconform_is_understood() {
    let scratch = project("kubeconform");
    let run = run::sprag_in(
        scratch.dir(),
        &["validate", "-strict", "-summary", "-output=json", "-n", "2", "-schema-location", "default", "apps"],
        "",
    );
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((report["summary"]["invalid"].as_u64(), run.code), (Some(1), Some(1)), "{}", run.stdout);
    let run = run::sprag_in(scratch.dir(), &["validate", "-schema-location", "https://example.com", "apps"], "");
    assert!(run.stderr.starts_with("error: --schema-location: schemas are not downloaded"), "{}", run.stderr);
    assert_eq!(run.code, Some(2));
}
