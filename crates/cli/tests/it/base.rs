//! `sprag validate --base` and `git:REV:PATH`, against a real repository.

use std::fs;
use std::process::Command;

use expect_test::{Expect, expect};

use crate::run;
use crate::scratch::Scratch;

fn git(scratch: &Scratch, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    command.current_dir(scratch.dir()).args([
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "-c",
        "commit.gpgsign=false",
    ]);
    command.args(args).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.output().is_ok_and(|output| output.status.success())
}

/// A repository with one commit, whose object was changed since; `None` where there is no git.
fn repository(name: &str) -> Option<Scratch> {
    let scratch = Scratch::new(name);
    if !git(&scratch, &["init", "-q", "-b", "main"]) {
        eprintln!("skipped: the git command is missing");
        return None;
    }
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    scratch.write("crds/w.yaml", &crd);
    scratch.write("m/a.yaml", &widget("a", "size: -1"));
    scratch.write("m/deep/b.yaml", &widget("b", "size: 1"));
    assert!(git(&scratch, &["add", "-A"]) && git(&scratch, &["commit", "-q", "-m", "x"]));
    // The first object moves to another file and gets a mode.
    fs::remove_file(scratch.join("m/a.yaml")).unwrap();
    scratch.write("m/moved.yaml", &widget("a", "size: -1\n  mode: Fast"));
    Some(scratch)
}

fn widget(name: &str, spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: {name}\nspec:\n  {spec}\n")
}

#[track_caller]
fn check(scratch: &Scratch, folder: &str, args: &[&str], expect: &Expect) {
    let run = run::sprag_in(&scratch.join(folder), args, "");
    let stderr = if run.stderr.is_empty() { String::new() } else { format!("--- stderr\n{}", run.stderr) };
    expect.assert_eq(&format!("{}{stderr}--- exit {}\n", run.stdout, run.code.unwrap()));
}

#[test]
fn objects_are_paired_with_their_revision_in_git() {
    let Some(scratch) = repository("base") else { return };
    let args = ["validate", "-f", "m", "-R", "--crds", "crds"];
    check(
        &scratch,
        ".",
        &args,
        &expect![[r#"
            error: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
             --> m/moved.yaml:6:9
              |
            6 |   size: -1
              |         ^^
              |
              = Widget a (example.com/v1)

            Summary: 2 resources found in 2 files - Valid: 1, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of custom resource definitions: 2
            --- exit 1
        "#]],
    );
    let updates = [&args[..], &["--base", "HEAD", "--summary"]].concat();
    check(
        &scratch,
        ".",
        &updates,
        &expect![[r#"
            ratcheted: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
             --> m/moved.yaml:6:9
              |
            6 |   size: -1
              |         ^^
              |
              = Widget a (example.com/v1)

            Summary: 2 resources found in 2 files - Valid: 2, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 1
            Judged by the rules of custom resource definitions: 2
            --- exit 0
        "#]],
    );
    let below = ["validate", ".", "--crds", "../crds", "--base", "main", "--summary"];
    check(
        &scratch,
        "m",
        &below,
        &expect![[r#"
            ratcheted: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
             --> moved.yaml:6:9
              |
            6 |   size: -1
              |         ^^
              |
              = Widget a (example.com/v1)

            Summary: 2 resources found in 2 files - Valid: 2, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 1
            Judged by the rules of custom resource definitions: 2
            --- exit 0
        "#]],
    );
}

#[test]
fn files_of_a_revision_can_be_read() {
    let Some(scratch) = repository("revision") else { return };
    fs::remove_dir_all(scratch.join("crds")).unwrap();
    let args = ["validate", "-f", "git:HEAD:m", "-R", "--crds", "git:HEAD:crds/w.yaml"];
    check(
        &scratch,
        ".",
        &args,
        &expect![[r#"
            error: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
             --> git:HEAD:m/a.yaml:6:9
              |
            6 |   size: -1
              |         ^^
              |
              = Widget a (example.com/v1)

            Summary: 2 resources found in 2 files - Valid: 1, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of custom resource definitions: 2
            --- exit 1
        "#]],
    );
    check(
        &scratch,
        ".",
        &["validate", "-f", "git:HEAD:nowhere"],
        &expect![[r#"
        --- stderr
        error: git:HEAD:nowhere: no such file or folder in that revision
        --- exit 2
    "#]],
    );
}

#[test]
fn what_git_does_not_know_exits_with_two() {
    let Some(scratch) = repository("unknown") else { return };
    check(
        &scratch,
        ".",
        &["validate", "-f", "m", "--base", "no/such"],
        &expect![[r#"
        --- stderr
        error: --base: git knows no revision "no/such": a shallow clone has to fetch it first
        --- exit 2
    "#]],
    );
    check(
        &scratch,
        ".",
        &["validate", "-f", "m", "--base", "-x"],
        &expect![[r#"
        --- stderr
        error: unexpected argument '-x' found

          tip: to pass '-x' as a value, use '-- -x'

        Usage: sprag validate [OPTIONS] [PATH]...

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
    check(
        &scratch,
        ".",
        &["validate", "-f", "m", "--base", "HEAD:m"],
        &expect![[r#"
        --- stderr
        error: --base: git knows no revision "HEAD:m": a shallow clone has to fetch it first
        --- exit 2
    "#]],
    );
    check(
        &scratch,
        ".",
        &["validate", "-f", "-", "--base", "HEAD"],
        &expect![[r#"
            --- stderr
            error: --base needs files and folders of the repository, not standard input: --old PATH reads the old objects from files
            --- exit 2
        "#]],
    );
    check(
        &scratch,
        ".",
        &["validate", "-f", "/dev/null", "--base", "HEAD"],
        &expect![[r#"
        --- stderr
        error: /dev/null is outside of the git repository
        --- exit 2
    "#]],
    );
}

#[test]
fn outside_of_a_repository_or_without_git_nothing_is_compared() {
    let Some(scratch) = repository("outside") else { return };
    fs::remove_dir_all(scratch.join(".git")).unwrap();
    let run = |path: Option<&str>| {
        let mut command = run::command(&["validate", "-f", "m", "--base", "HEAD"]);
        command.current_dir(scratch.dir()).env("GIT_CEILING_DIRECTORIES", scratch.dir().parent().unwrap());
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = run(None);
    assert_eq!(code, Some(2));
    assert!(text.starts_with("error: --base: this needs a git repository: git: not a git repository"), "{text}");
    assert_eq!(
        run(Some("/nowhere")),
        (Some(2), "error: --base: this needs a git repository: the git command is not installed\n".to_owned())
    );
}
