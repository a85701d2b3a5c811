//! `sprag crd check`: waivers and the formats of pipelines.

use std::fs;

use expect_test::expect;

use crate::run;
use crate::scratch::Scratch;

fn definitions(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    scratch.write("old.yaml", &crd);
    scratch.write(
        "new.yaml",
        &crd.replace("minimum: 0}", "minimum: 1}")
            .replace("limit: {type: integer}", "bound: {type: integer}")
            .replace("limit", "bound"),
    );
    let object = |name: &str, spec: &str| {
        format!("---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\nspec: {spec}\n")
    };
    scratch.write("objects.yaml", &[object("fine", "{size: 1}"), object("small", "{size: 0}")].concat());
    scratch
}

fn check(scratch: &Scratch, args: &[&str]) -> String {
    let run = run::sprag_in(scratch.dir(), &[&["crd", "check", "old.yaml", "new.yaml"], args].concat(), "");
    format!("{}{}--- exit {}\n", run.stdout, run.stderr, run.code.unwrap())
}

#[test]
fn what_is_allowed_does_not_count() {
    let scratch = definitions("allow");
    let size = "widgets.example.com v1 spec.size: tightened=no widget is smaller";
    let limit = "widgets.example.com v1 spec.limit=nobody uses it";
    let rule = "widgets.example.com v1 spec: rule changed=as above";
    let object = "Widget small (example.com/v1): fails on create=will be deleted";
    expect![[r#"
        breaks: widgets.example.com v1 spec: rule changed: !has(self.limit) || self.size <= self.limit becomes !has(self.bound) || self.size <= self.bound
        breaks: widgets.example.com v1 spec.limit: loses data: is gone: stored values are dropped
        allowed: widgets.example.com v1 spec.size: tightened: minimum 0 becomes 1 (no widget is smaller)
        safe: widgets.example.com v1 spec.bound: added: is new
        objects.yaml:7: Widget small (example.com/v1)
          fails on create: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1
          ratcheted: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1 (any edit of spec.size is rejected until this is corrected; edits of other parts pass)
        4 changes: 2 can break something, 1 allowed, 1 safe; 2 objects tried: 1 ratcheted or refused on create, 1 as before
        --- exit 1
    "#]].assert_eq(&check(&scratch, &["--allow", size, "--objects", "objects.yaml"]));
    let all = ["--allow", size, "--allow", limit, "--allow", rule, "--allow", object, "--objects", "objects.yaml"];
    expect![[r#"
        allowed: widgets.example.com v1 spec: rule changed: !has(self.limit) || self.size <= self.limit becomes !has(self.bound) || self.size <= self.bound (as above)
        allowed: widgets.example.com v1 spec.limit: loses data: is gone: stored values are dropped (nobody uses it)
        allowed: widgets.example.com v1 spec.size: tightened: minimum 0 becomes 1 (no widget is smaller)
        safe: widgets.example.com v1 spec.bound: added: is new
        objects.yaml:7: Widget small (example.com/v1)
          fails on create: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1 (allowed: will be deleted)
          ratcheted: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1 (any edit of spec.size is rejected until this is corrected; edits of other parts pass)
        4 changes: 3 allowed, 1 safe; 2 objects tried: 1 allowed, 1 as before
        --- exit 0
    "#]].assert_eq(&check(&scratch, &all));
    // Waivers may be checked in.
    let config = format!(
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\ncrdCheck:\n  allow:\n  - '{size}'\n  - '{limit}'\n  - '{rule}'\n"
    );
    scratch.write(".sprag.yaml", &config);
    assert!(check(&scratch, &[]).ends_with("--- exit 0\n"));
    expect![[r#"
        TAP version 13
        ok 1 - new.yaml (apiextensions.k8s.io/v1/CustomResourceDefinition//widgets.example.com)
        1..1
        warning: allowed, but not found: nothing of the kind
        --- exit 0
    "#]]
    .assert_eq(&check(&scratch, &["--allow", "nothing of the kind=x", "-o", "tap"]));
    expect![[r#"
        error: invalid value 'no reason' for '--allow <FINDING=REASON>': say what is allowed and why: "PLACE: CLASS=REASON"

        For more information, try '--help'.
        --- exit 2
    "#]].assert_eq(&check(&scratch, &["--allow", "no reason"]));
}

#[test]
fn pipelines_get_their_formats() {
    let scratch = definitions("formats");
    let check = |format: &str| check(&scratch, &["--objects", "objects.yaml", "-o", format]);
    expect![[r#"
        ::error file=new.yaml,line=17,col=11,title=CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)::widgets.example.com v1 spec: rule changed: !has(self.limit) || self.size <= self.limit becomes !has(self.bound) || self.size <= self.bound
        ::error file=new.yaml,line=20,col=13,title=CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)::widgets.example.com v1 spec.limit: loses data: is gone: stored values are dropped
        ::error file=new.yaml,line=21,col=15,title=CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)::widgets.example.com v1 spec.size: tightened: minimum 0 becomes 1
        ::notice file=new.yaml,line=22,col=15,title=CustomResourceDefinition widgets.example.com (apiextensions.k8s.io/v1)::widgets.example.com v1 spec.bound: added: is new
        ::error file=objects.yaml,line=7,col=1,title=Widget small (example.com/v1)::fails on create: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1
        ::notice file=objects.yaml,line=7,col=1,title=ratcheted%3A Widget small (example.com/v1)::spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1 (any edit of spec.size is rejected until this is corrected; edits of other parts pass)
        --- exit 1
    "#]].assert_eq(&check("github"));
    expect![[r#"
        <testsuites name="sprag" tests="2" failures="2" disabled="0" errors="0">
          <testsuite name="new.yaml" id="1" tests="1" failures="1" errors="0" disabled="0" skipped="0">
            <testcase name="widgets.example.com" classname="CustomResourceDefinition@apiextensions.k8s.io/v1" time="0">
              <failure message="widgets.example.com v1 spec: rule changed: !has(self.limit) || self.size &lt;= self.limit becomes !has(self.bound) || self.size &lt;= self.bound" type="change"></failure>
              <failure message="widgets.example.com v1 spec.limit: loses data: is gone: stored values are dropped" type="change"></failure>
              <failure message="widgets.example.com v1 spec.size: tightened: minimum 0 becomes 1" type="change"></failure>
              <system-out>note: widgets.example.com v1 spec.bound: added: is new
        </system-out>
            </testcase>
          </testsuite>
          <testsuite name="objects.yaml" id="2" tests="1" failures="1" errors="0" disabled="0" skipped="0">
            <testcase name="small" classname="Widget@example.com/v1" time="0">
              <failure message="fails on create: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1" type="change"></failure>
              <system-out>ratcheted: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1 (any edit of spec.size is rejected until this is corrected; edits of other parts pass)
        </system-out>
            </testcase>
          </testsuite>
        </testsuites>
        --- exit 1
    "#]].assert_eq(&check("junit"));
    let sarif = check("sarif");
    let (document, _) = sarif.split_once("--- exit").unwrap();
    let document: serde_json::Value = serde_json::from_str(document).unwrap();
    let levels: Vec<&str> = document["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["error", "error", "error", "note", "error", "note"]);
}

#[test]
fn errors_that_the_old_definition_has_too_are_not_its_doing() {
    let scratch = definitions("before");
    scratch.write(
        "new.yaml",
        &fs::read_to_string(scratch.join("old.yaml")).unwrap().replace("minimum: 0}", "minimum: 0, maximum: 9}"),
    );
    scratch.write("objects.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: -1}\n");
    let said = check(&scratch, &["--allow", "widgets.example.com v1 spec.size=x", "--objects", "objects.yaml"]);
    assert!(said.contains("1 object tried: 1 as before") && said.ends_with("--- exit 0\n"), "{said}");
}

#[test]
fn new_definitions_that_a_server_refuses_are_found() {
    let scratch = definitions("new-refused");
    scratch.write("old.yaml", &fs::read_to_string(scratch.join("old.yaml")).unwrap().replace("idget", "adget"));
    let text = fs::read_to_string(scratch.join("new.yaml")).unwrap();
    scratch.write("new.yaml", &text.replace("mode: {type: string,", "mode: {"));
    let said = check(&scratch, &[]);
    assert!(said.contains("breaks: widgets.example.com: refused: spec.validation.openAPIV3Schema"), "{said}");
}

#[test]
fn releases_say_why_they_refuse_a_definition() {
    let scratch = Scratch::new("crd-releases");
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    let rule = "!has(self.limit) || self.size <= self.limit";
    scratch.write("sorted.yaml", &crd.replace(rule, "[self.size].sort() == [self.size]"));
    let check = |args: &[&str]| {
        let run = run::sprag_in(scratch.dir(), &[&["crd", "check", "sorted.yaml"], args].concat(), "");
        format!("{}{}--- exit {}\n", run.stdout, run.stderr, run.code.unwrap())
    };
    expect![[r#"
        breaks: widgets.example.com: refused: by 1.33, 1.34: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"[self.size].sort() == [self.size]","Message":"size must not be above limit","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:17: undeclared reference to 'sort' (in container '')\n | [self.size].sort() == [self.size]\n | ................^ (sort needs Kubernetes 1.35 and later)
        1 definition: 1 refusal
        --- exit 1
    "#]].assert_eq(&check(&["--kubernetes-version", "1.33..1.37"]));
    expect![[r#"
        1 definition accepted
        --- exit 0
    "#]]
    .assert_eq(&check(&["--kubernetes-version", "1.35,1.36"]));
    expect![[r#"
        error: invalid value '1.36..1.34' for '--kubernetes-version <VERSIONS>': the range 1.36..1.34 is upside down: write 1.34..1.36

        For more information, try '--help'.
        --- exit 2
    "#]].assert_eq(&check(&["--kubernetes-version", "1.36..1.34"]));
}
