//! Arguments and files that cannot be used.

use expect_test::expect;

use crate::run;
use crate::scratch::Scratch;

#[test]
fn what_cannot_be_read_exits_with_two() {
    run::check(
        &["validate", "-f", "nowhere"],
        "",
        &expect![[r#"
        --- stderr
        error: nowhere: No such file or directory (os error 2)
        --- exit 2
    "#]],
    );
    run::check(
        &["validate", "-f", "manifests", "--crds", "nowhere"],
        "",
        &expect![[r#"
            --- stderr
            error: --crds: nowhere: No such file or directory (os error 2)
            --- exit 2
        "#]],
    );
    run::check(
        &["validate", "-f", "manifests", "--ignore-filename-pattern", "("],
        "",
        &expect![[r#"
            --- stderr
            error: --ignore-filename-pattern: pattern "(": error parsing regexp: missing closing ): `(`
            --- exit 2
        "#]],
    );
    run::check(
        &["validate", "-f", "git:--help:x"],
        "",
        &expect![[r#"
        --- stderr
        error: invalid value 'git:--help:x' for '--filename <PATH>': revision "--help" begins with a dash

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
    run::check(
        &["validate", "-f", "manifests", "--base=--upload-pack=x"],
        "",
        &expect![[r#"
        --- stderr
        error: invalid value '--upload-pack=x' for '--base <REV>': revision "--upload-pack=x" begins with a dash

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_reported_and_the_rest_is_judged() {
    let scratch = Scratch::new("links");
    scratch.write("m/a.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: good}\n");
    std::os::unix::fs::symlink("nowhere", scratch.join("m/b.yaml")).unwrap();
    std::os::unix::fs::symlink(scratch.join("m"), scratch.join("m/loop")).unwrap();
    let run = run::sprag_in(scratch.dir(), &["validate", "m", "--summary"], "");
    expect![[r#"
        error: No such file or directory (os error 2)
        --> m/b.yaml

        Summary: 2 resources found in 2 files - Valid: 0, Invalid: 0, Errors: 1, Skipped: 1, Warnings: 0, Ratcheted: 0
        Not validated:
          1 object whose kind has no definition here (--require-schemas makes this an error)
              1 Widget (example.com/v1): kubectl get crd widgets.example.com -o yaml | sprag crds add -
        --- exit 2
    "#]]
    .assert_eq(&format!("{}--- exit {}\n", run.stdout, run.code.unwrap()));
}
