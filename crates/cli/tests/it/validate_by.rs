//! `sprag validate` with definitions among the manifests, declared types and settings.

use std::fs;

use expect_test::expect;

use crate::run;
use crate::scratch::Scratch;
use crate::validate::GOOD;

#[test]
fn definitions_among_the_manifests_are_judged_and_used() {
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    let wrong = crd.replace("plural: widgets", "plural: gadgets");
    run::check(
        &["validate", "-f", "-", "--verbose"],
        &format!("{GOOD}---\n{crd}"),
        &expect![[r#"
            stdin: Widget good (example.com/v1): valid
            stdin: CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1): valid
            Summary: 2 resources found parsing stdin - Valid: 2, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1, custom resource definitions: 1
            --- exit 0
        "#]],
    );
    run::check(
        &["validate", "-f", "-"],
        &wrong,
        &expect![[r#"
            error: metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group
             --> stdin:4:9
              |
            4 |   name: widgets.example.com
              |         ^^^^^^^^^^^^^^^^^^^
              |
              = CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
    // Those of --crds win.
    let looser = crd.replace("minimum: 0", "minimum: -5");
    let object = GOOD.replace("size: 1", "size: -1");
    run::check(
        &["validate", "-f", "-", "--crds", "crds"],
        &format!("{looser}---\n{object}"),
        &expect![[r#"
            error: spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0
              --> stdin:31:14
               |
            31 | spec: {size: -1}
               |              ^^
               |
               = Widget good (example.com/v1)

            Summary: 2 resources found parsing stdin - Valid: 1, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1, custom resource definitions: 1
            --- exit 1
        "#]],
    );
}

#[test]
fn definitions_can_be_piped_in() {
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    run::check(
        &["validate", "-f", "manifests/good.yaml", "--crds", "-", "--summary"],
        &crd,
        &expect![[r#"
            Summary: 1 resource found in 1 file - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of custom resource definitions: 1
            --- exit 0
        "#]],
    );
    run::check(
        &["validate", "-f", "-", "--crds", "-"],
        "",
        &expect![[r#"
            --- stderr
            error: only one of -f, --crds, --policies and --old can be read from standard input
            --- exit 2
        "#]],
    );
}

#[test]
fn declared_types_are_judged_by_their_tags() {
    let text = "apiVersion: example.com/v1\nkind: Widget\nspec:\n  replicas: -1\n  class: fast\n  x: 1\n";
    run::check(
        &["validate", "-f", "-", "--types", "widget.rs"],
        text,
        &expect![[r#"
            error: metadata.name: Required value: name or generateName is required
             --> stdin:1:1
              |
            1 | apiVersion: example.com/v1
              | ^
              |
              = Widget (example.com/v1)

            warning: unknown field "spec.replicas"
             --> stdin:4:3
              |
            4 |   replicas: -1
              |   ^^^^^^^^
              |
              = Widget (example.com/v1)

            warning: unknown field "spec.x"
             --> stdin:6:3
              |
            6 |   x: 1
              |   ^
              |
              = Widget (example.com/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 2, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- stderr
            note: Widget (example.com/v1): its package names no API group (+groupName), so objects of any group are taken for it
            note: Widget (example.com/v1): option WidgetPriority is not set and counts as off: set it with --option WidgetPriority=true or --option WidgetPriority=false
            --- exit 1
        "#]],
    );
}

#[test]
fn settings_can_be_checked_in() {
    let scratch = Scratch::new("config");
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    scratch.write("api/w.yaml", &crd);
    scratch.write("m/a.yaml", &GOOD.replace("size: 1", "size: 1, x: 2"));
    scratch.write(
        ".sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  filenames: m\n  crds: [api]\n  strict: true\n  summary: true\n",
    );
    let shown = |folder: &str, args: &[&str]| {
        let run = run::sprag_in(&scratch.join(folder), args, "");
        format!("{}{}--- exit {}\n", run.stdout, run.stderr, run.code.unwrap())
    };
    expect![[r#"
        error: unknown field "spec.x"
         --> m/a.yaml:4:17
          |
        4 | spec: {size: 1, x: 2}
          |                 ^
          |
          = Widget good (example.com/v1)

        Summary: 1 resource found in 1 file - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
        Judged by the rules of custom resource definitions: 1
        --- exit 1
    "#]]
    .assert_eq(&shown(".", &["validate"]));
    scratch.write(".git/HEAD", "");
    let below = shown("api", &["validate", "--output", "tap"]);
    assert!(below.contains("not ok 1 - "), "{below}");
    scratch.write("wrong.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {srict: true}\n");
    expect![[r#"
        error: wrong.yaml:3: validate: there is no key "srict"; did you mean "strict"?
        --- exit 2
    "#]]
    .assert_eq(&shown(".", &["validate", "--config", "wrong.yaml"]));
}

/// Settings come with what is validated, a pull request from anybody: they read nothing else on the machine.
#[test]
fn settings_that_were_found_reach_nothing_outside_of_the_repository() {
    let scratch = Scratch::new("config-outside");
    let secret = r#"{"auths": {"registry.example.com": {"auth": "c2VjcmV0OnNlY3JldA=="}}}"#;
    scratch.write("home/docker.json", secret);
    scratch.write("home/settings.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {filenames: m}\n");
    scratch.write("home/repo/.git/HEAD", "");
    scratch.write("home/repo/m/a.yaml", GOOD);
    scratch.write(
        "home/repo/crds/widgets.yaml",
        &fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap(),
    );
    let repository = scratch.join("home/repo");
    std::os::unix::fs::symlink("../docker.json", repository.join("link.json")).unwrap();
    std::os::unix::fs::symlink("..", repository.join("up")).unwrap();
    let absolute = scratch.join("home/docker.json").display().to_string();
    for (settings, named) in [
        ("policies: [../docker.json]", "validate.policies"),
        ("filenames: [m, ../docker.json]", "validate.filenames"),
        ("filenames: ['m/../../*.json']", "validate.filenames"),
        ("filenames: link.json", "validate.filenames"),
        ("filenames: 'l*.json'", "validate.filenames"),
        ("crds: up/docker.json", "validate.crds"),
        ("crds: ['u*/*.json']", "validate.crds"),
        ("tags: [../docker.json]", "validate.tags"),
        ("types: up", "validate.types"),
        (&format!("crds: {absolute}"), "validate.crds"),
        ("crds: /proc/self/environ", "validate.crds"),
    ] {
        let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  {settings}\n");
        scratch.write("home/repo/.sprag.yaml", &text);
        for folder in [repository.clone(), repository.join("m")] {
            let run = run::sprag_in(&folder, &["validate", "a.yaml"], "");
            let said = format!("{}{}", run.stdout, run.stderr);
            assert_eq!(run.code, Some(2), "{settings}: {said}");
            assert!(said.contains(&format!(".sprag.yaml:4: {named}: ")), "{settings}: {said}");
            assert!(said.contains("outside of the repository"), "{settings}: {said}");
            assert!(!said.contains("c2Vj") && !said.contains("auths"), "{settings}: {said}");
        }
    }
    // What the command line names may lie anywhere, settings included.
    let run = run::sprag_in(&repository, &["validate", "--config", "../settings.yaml", "--crds", "crds", "m"], "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    fs::remove_file(repository.join(".sprag.yaml")).unwrap();
    std::os::unix::fs::symlink("../settings.yaml", repository.join(".sprag.yaml")).unwrap();
    let run = run::sprag_in(&repository, &["validate"], "");
    let why = "error: .sprag.yaml: leads to a file that is outside of the repository: name the file with --config\n";
    assert_eq!((run.code, run.stderr.as_str()), (Some(2), why));
    let inside =
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {filenames: ['./m/*.yaml', m/../m], crds: crds}\n";
    fs::remove_file(repository.join(".sprag.yaml")).unwrap();
    scratch.write("home/repo/.sprag.yaml", inside);
    let run = run::sprag_in(&repository, &["validate"], "");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}
