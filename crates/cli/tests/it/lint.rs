//! `sprag lint`.

use std::path::Path;

use expect_test::{expect, expect_file};
use serde_json::Value;

use crate::run::{Run, sprag_in};
use crate::scratch::Scratch;

const TYPES: &str = r#"// +groupName=example.com
package v1

type Spec struct {
	// size is the size.
	// +optional
	// +kubebuilder:validation:Minimun=1
	Size *int32 `json:"size,omitempty"`

	// mode says how.
	// +kubebuilder:validation:Optional
	// +k8s:optional
	// +k8s:optional
	Mode *string `json:"mode,omitempty"`
}
"#;

fn lint(scratch: &Scratch, args: &[&str]) -> Run {
    sprag_in(scratch.dir(), &[&["lint"], args].concat(), "")
}

fn with(name: &str, files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new(name);
    for (path, text) in files {
        scratch.write(path, text);
    }
    scratch
}

#[test]
fn findings_are_shown_with_their_lines() {
    let scratch = with("lint-text", &[("v1/types.go", TYPES)]);
    let run = lint(&scratch, &["v1"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    expect![[r#"
        error[L201]: there is no marker +kubebuilder:validation:Minimun
         --> v1/types.go:7:6
          |
        7 |     // +kubebuilder:validation:Minimun=1
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: did you mean +kubebuilder:validation:Minimum?
          = marker-unknown: v1.Spec.size

        warning[L326]: use +optional in place of +kubebuilder:validation:Optional
          --> v1/types.go:11:6
           |
        11 |     // +kubebuilder:validation:Optional
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = marker-preferred: v1.Spec.mode

        warning[L308]: +k8s:optional stands there twice
          --> v1/types.go:13:6
           |
        13 |     // +k8s:optional
           |         ^^^^^^^^^^^^
           |
           = marker-repeated: v1.Spec.mode

        1 error, 2 warnings; --fix mends 3
    "#]]
    .assert_eq(&run.stdout);
}

#[test]
fn fixed_sources_lint_clean() {
    let scratch = with("lint-fix", &[("v1/types.go", TYPES)]);
    let run = lint(&scratch, &["v1", "--fix", "--strict"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
    assert_eq!(lint(&scratch, &["v1", "--strict"]).code, Some(0));
    let text = std::fs::read_to_string(scratch.join("v1/types.go")).unwrap();
    assert!(text.contains("// +kubebuilder:validation:Minimum=1\n"), "{text}");
    assert_eq!(text.matches("optional").count(), 3, "{text}");
}

#[test]
fn documents_are_for_programs() {
    let scratch = with("lint-json", &[("v1/types.go", TYPES)]);
    let document: Value = serde_json::from_str(&lint(&scratch, &["v1", "-o", "json"]).stdout).unwrap();
    let first = &document["findings"][0];
    assert_eq!((&first["rule"], &first["line"]), (&"marker-unknown".into(), &7.into()));
    assert_eq!(document["errors"], 1);
    let github = lint(&scratch, &["v1", "-o", "github"]).stdout;
    let line = "::error file=v1/types.go,line=7,col=6,title=L201 marker-unknown::there is no marker +kubebuilder:validation:Minimun";
    assert_eq!(github.lines().next(), Some(line));
}

/// Checks the written parts against the schema of SARIF 2.1.0, and that nothing else is written.
#[test]
fn sarif_keeps_to_its_schema() {
    let scratch = with("lint-sarif", &[("v1/types.go", TYPES), ("crd.yaml", DEFINITION)]);
    let document: Value = serde_json::from_str(&lint(&scratch, &[".", "-o", "sarif"]).stdout).unwrap();
    let only = |value: &Value, keys: &[&str]| {
        let unknown: Vec<_> = value.as_object().unwrap().keys().filter(|key| !keys.contains(&key.as_str())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    };
    only(&document, &["$schema", "version", "runs"]);
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    only(run, &["tool", "results", "columnKind"]);
    assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&run["columnKind"].as_str().unwrap()));
    let driver = &run["tool"]["driver"];
    only(driver, &["name", "version", "rules"]);
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        only(rule, &["id", "name", "shortDescription", "help"]);
        assert!(
            rule["id"].is_string() && rule["shortDescription"]["text"].is_string() && rule["help"]["text"].is_string()
        );
    }
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 3, "{results:?}");
    for result in results {
        only(result, &["ruleId", "ruleIndex", "level", "message", "locations"]);
        assert_eq!(rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()]["id"], result["ruleId"]);
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0];
        only(location, &["physicalLocation", "logicalLocations"]);
        let physical = &location["physicalLocation"];
        only(physical, &["artifactLocation", "region"]);
        let file = physical["artifactLocation"]["uri"].as_str().unwrap();
        let text = std::fs::read_to_string(scratch.join(file)).unwrap();
        let line = usize::try_from(physical["region"]["startLine"].as_u64().unwrap()).unwrap();
        assert!(line >= 1 && line <= text.lines().count() && physical["region"]["startColumn"].as_u64().unwrap() >= 1);
    }
}

const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              # sprag:allow list-type-missing: written by one controller
              parts: {type: array, items: {type: object}}
              others: {type: array, items: {type: object}}
              size: {type: integer, minimum: 3, maximum: 2}
";

#[test]
fn definitions_are_looked_at_too() {
    let scratch = with("lint-crd", &[("crd.yaml", DEFINITION)]);
    let run = lint(&scratch, &["crd.yaml", "-o", "github"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    expect![[r#"
        ::warning file=crd.yaml,line=21,col=15,title=L404 list-type-missing::say x-kubernetes-list-type: map with the members that are the key, or atomic if the list is one value
        ::warning file=crd.yaml,line=22,col=37,title=L403 limits-cross::is above the upper limit, so that no value is valid
    "#]].assert_eq(&run.stdout);
    let refused = DEFINITION.replace("type: integer", "type: text");
    scratch.write("crd.yaml", &refused);
    let run = lint(&scratch, &["crd.yaml", "-o", "github"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains("title=L400 definition-refused::"), "{}", run.stdout);
}

#[test]
fn settings_choose_rules_and_allow_findings() {
    let config = "apiVersion: sprag.dev/v1alpha1\nkind: Config\nlint:\n  rules: {marker-repeated: off, L326: error}\n  allow:\n  - 'example.com/api/v1.Spec.size: marker-unknown=not ours'\n  - 'x: y=z'\n";
    let scratch =
        with("lint-config", &[("v1/types.go", TYPES), (".sprag.yaml", config), ("go.mod", "module example.com/api\n")]);
    let run = lint(&scratch, &["v1", "-o", "github"]);
    assert_eq!(run.code, Some(1));
    let expected = "::error file=v1/types.go,line=11,col=6,title=L326 marker-preferred::use +optional in place of +kubebuilder:validation:Optional\n";
    assert_eq!(run.stdout, expected);
    assert_eq!(run.stderr, "warning: allowed in .sprag.yaml, but not found: x: y\n");
    assert_eq!(lint(&scratch, &["v1", "--rule", "nosuch=off"]).code, Some(2));
}

#[test]
fn exit_codes_say_what_was_found() {
    let clean = TYPES.replace("Minimun", "Minimum").replacen("\t// +k8s:optional\n", "", 1);
    let clean = clean.replace("\t// +kubebuilder:validation:Optional\n", "");
    let scratch = with("lint-codes", &[("v1/types.go", &clean), ("empty/readme", "")]);
    let run = lint(&scratch, &["v1", "--strict"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stdout);
    assert_eq!(lint(&scratch, &["nowhere"]).code, Some(2));
    assert_eq!(lint(&scratch, &["empty"]).code, Some(2));
    assert_eq!(lint(&scratch, &["--explain", "nophase"]).code, Some(0));
    assert_eq!(lint(&scratch, &["--explain", "no-fase"]).code, Some(2));
}

#[test]
fn rust_types_are_looked_at_too() {
    let source = "//! +sprag:dialect=kep\n\npub struct Spec {\n    /// +k8s:optional\n    /// +k8s:minimum=5\n    /// +k8s:maximum=3\n    pub size: Option<i32>,\n}\n";
    let scratch = with("lint-rust", &[("v1.rs", source)]);
    let run = lint(&scratch, &["v1.rs", "-o", "github"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.starts_with("::error file=v1.rs,line=5,col=10,title=L107 limits-contradict::"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_generator_lints_too() {
    let source = TYPES.replace("\t// +optional\n\t// +kubebuilder:validation:Minimun=1", "\t// +k8s:minimum=1");
    let scratch = with("gen-lint", &[("v1/types.go", &source)]);
    let run = sprag_in(scratch.dir(), &["gen", "--types", "v1", "--lint"], "");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("field with validation must have +k8s:optional"), "{}", run.stderr);
}

#[test]
fn an_empty_folder_and_one_without_definitions_say_so() {
    let scratch = Scratch::new("lint-empty");
    std::fs::create_dir(scratch.dir().join("empty")).unwrap();
    let run = lint(&scratch, &["empty"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stderr, "error: empty: neither Go or Rust sources nor manifests\n");
    scratch.write("chart/values.yaml", "size: 1\n");
    let run = lint(&scratch, &["chart"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("nothing was looked at"), "{}", run.stderr);
    scratch.write("chart/crd.yaml", DEFINITION);
    let run = lint(&scratch, &["chart"]);
    assert!(!run.stderr.contains("nothing was looked at"), "{}", run.stderr);
}

#[test]
fn a_source_that_does_not_parse_is_shown_where_it_breaks() {
    let scratch = with("lint-broken", &[("v1/types.go", "package v1\n\ntype Spec struct {\n\tSize int32\n")]);
    let run = lint(&scratch, &["v1"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("unclosed '{'\n --> v1/types.go:3:18"), "{}", run.stdout);
}

#[test]
fn versions_of_a_definition_have_findings_of_their_own() {
    let version = |name: &str, storage: bool| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {storage}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            properties:\n              size: {{type: integer, minimum: 5, maximum: 1}}\n"
        )
    };
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  names: {kind: Widget, plural: widgets}\n  scope: Namespaced\n  versions:\n";
    let text = format!("{head}{}{}", version("v1", true), version("v1beta1", false));
    let scratch = with("lint-versions", &[("crd.yaml", &text)]);
    let document: Value = serde_json::from_str(&lint(&scratch, &["crd.yaml", "-o", "json"]).stdout).unwrap();
    let lines: Vec<&Value> = document["findings"].as_array().unwrap().iter().map(|found| &found["line"]).collect();
    assert_eq!(lines, [19, 30]);
}

#[test]
fn fixing_twice_changes_nothing_more() {
    let scratch = with("lint-fix-twice", &[("v1/types.go", TYPES)]);
    assert_eq!(lint(&scratch, &["v1", "--fix"]).code, Some(0));
    let once = std::fs::read_to_string(scratch.dir().join("v1/types.go")).unwrap();
    let run = lint(&scratch, &["v1", "--fix"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "note: mended 0 findings\n"));
    assert_eq!(std::fs::read_to_string(scratch.dir().join("v1/types.go")).unwrap(), once);
}

#[test]
fn findings_come_in_the_same_order_every_time() {
    let scratch = with("lint-order", &[("b/types.go", TYPES), ("a/types.go", TYPES), ("crd.yaml", DEFINITION)]);
    let first = lint(&scratch, &[".", "-o", "json"]).stdout;
    for _ in 0..5 {
        assert_eq!(lint(&scratch, &[".", "-o", "json"]).stdout, first);
    }
}

#[test]
fn the_checked_in_page_is_current() {
    let run = sprag_in(Path::new("."), &["docs", "lint"], "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lint.md")].assert_eq(&run.stdout);
}
