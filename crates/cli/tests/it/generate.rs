//! `sprag gen`.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use crate::run::{sprag, sprag_in};
use crate::scratch::Scratch;

/// An output directory of its own for each test.
struct Out(PathBuf);

impl Out {
    fn new(test: &str) -> Out {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&dir);
        Out(dir)
    }

    /// Runs the generator and compares what it says, the directory called OUT.
    #[track_caller]
    fn check(&self, args: &[&str], expect: &Expect) {
        let out = self.0.to_str().unwrap();
        let run = sprag(&[&["gen", "--out", out], args].concat(), "");
        let text = format!("{}{}--- exit {:?}\n", run.stdout, run.stderr, run.code.unwrap());
        expect.assert_eq(&text.replace(out, "OUT"));
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

const GO: &[&str] = &["--types", "go/v1"];

fn verify(args: &[&'static str]) -> Vec<&'static str> {
    [args, &["--verify"]].concat()
}

#[test]
fn files_are_written_once() {
    let out = Out::new("files_are_written_once");
    out.check(
        GO,
        &expect![[r#"
            wrote OUT/mod.rs
            wrote OUT/widgets_v1/mod.rs
            wrote OUT/widgets_v1/traits.rs
            wrote OUT/widgets_v1/validation.rs
            wrote OUT/meta_v1/mod.rs
            wrote OUT/meta_v1/traits.rs
            note: generated code calls crate::hooks::validate_custom_widget_spec_parts, the hand-written check ValidateCustom_WidgetSpec_Parts of a []example.com/widgets/v1.Part
            note: the server has to declare the feature gates WidgetPriority: Kubernetes has none of these names
            --- exit 0
        "#]],
    );
    let root = fs::metadata(out.file("mod.rs")).unwrap().modified().unwrap();
    out.check(
        GO,
        &expect![[r#"
            note: generated code calls crate::hooks::validate_custom_widget_spec_parts, the hand-written check ValidateCustom_WidgetSpec_Parts of a []example.com/widgets/v1.Part
            note: the server has to declare the feature gates WidgetPriority: Kubernetes has none of these names
            --- exit 0
        "#]],
    );
    assert_eq!(fs::metadata(out.file("mod.rs")).unwrap().modified().unwrap(), root);
    let left: Vec<_> = fs::read_dir(&out.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn verify_names_what_differs_and_writes_nothing() {
    let out = Out::new("verify_names_what_differs");
    out.check(
        &verify(GO),
        &expect![[r#"
            OUT/mod.rs: missing
            OUT/widgets_v1/mod.rs: missing
            OUT/widgets_v1/traits.rs: missing
            OUT/widgets_v1/validation.rs: missing
            OUT/meta_v1/mod.rs: missing
            OUT/meta_v1/traits.rs: missing
            --- exit 1
        "#]],
    );
    assert!(!out.0.exists());
    sprag(&["gen", "--types", "go/v1", "--out", out.0.to_str().unwrap()], "");
    out.check(
        &verify(GO),
        &expect![[r#"
            --- exit 0
        "#]],
    );
    let header = fs::read_to_string(out.file("mod.rs")).unwrap().lines().next().unwrap().to_owned();
    fs::write(out.file("mod.rs"), "changed\n").unwrap();
    fs::remove_file(out.file("widgets_v1/traits.rs")).unwrap();
    fs::create_dir_all(out.file("old")).unwrap();
    fs::write(out.file("old/mod.rs"), format!("{header}\n")).unwrap();
    fs::write(out.file("by_hand.rs"), "// Ours.\n").unwrap();
    out.check(
        &verify(GO),
        &expect![[r#"
            OUT/mod.rs: stale
            OUT/widgets_v1/traits.rs: missing
            OUT/old/mod.rs: extra
            --- exit 1
        "#]],
    );
    out.check(
        GO,
        &expect![[r#"
            wrote OUT/mod.rs
            wrote OUT/widgets_v1/traits.rs
            removed OUT/old/mod.rs
            note: generated code calls crate::hooks::validate_custom_widget_spec_parts, the hand-written check ValidateCustom_WidgetSpec_Parts of a []example.com/widgets/v1.Part
            note: the server has to declare the feature gates WidgetPriority: Kubernetes has none of these names
            --- exit 0
        "#]],
    );
    assert!(out.file("by_hand.rs").exists());
    out.check(
        &verify(GO),
        &expect![[r#"
            --- exit 0
        "#]],
    );
}

#[test]
fn nothing_is_written_when_a_tag_is_wrong() {
    let out = Out::new("nothing_is_written");
    out.check(&["--types", "go/bad"], &expect![[r#"
        error: field example.com/widgets/bad.Gizmo.replicas: tag "k8s:minimum": tag value has wrong type: got string, want int
         --> go/bad/types.go:4:6
          |
        4 |     // +k8s:minimum=zero
          |         ^^^^^^^^^^^^^^^^
        --- exit 1
    "#]]);
    assert!(!out.0.exists());
}

#[test]
fn what_was_not_found_is_opaque() {
    let out = Out::new("what_was_not_found");
    out.check(&["--types", "go/painted"], &expect![[r#"
        wrote OUT/mod.rs
        wrote OUT/painted/mod.rs
        wrote OUT/painted/traits.rs
        warning: example.com/widgets/painted.Painted.color: type *example.com/elsewhere/paint.Color is in a package that was not loaded; treating it as opaque
         --> go/painted/types.go:7:2
          |
        7 |     Color *paint.Color `json:"color,omitempty"`
          |     ^^^^^
        --- exit 0
    "#]]);
}

#[test]
fn with_readonly_packages_all_others_are_refused() {
    let out = Out::new("readonly_packages");
    let meta = ["--readonly-pkg", "k8s.io/apimachinery/pkg/apis/meta/v1"];
    out.check(&[&["-R", "--types", "go/v1", "--types", "go/painted"], &meta[..]].concat(), &expect![[r#"
        error: example.com/widgets/v1.WidgetSpec.size: type k8s.io/apimachinery/pkg/api/resource.Quantity is in a non-included package; either add this package to validation-gen's --readonly-pkg flag, or add +k8s:opaqueType to the field to skip validation
          --> go/v1/types.go:44:2
           |
        44 |     Size resource.Quantity `json:"size,omitempty"`
           |     ^^^^
        error: example.com/widgets/painted.Painted.color: type *example.com/elsewhere/paint.Color is in a non-included package; either add this package to validation-gen's --readonly-pkg flag, or add +k8s:opaqueType to the field to skip validation
         --> go/painted/types.go:7:2
          |
        7 |     Color *paint.Color `json:"color,omitempty"`
          |     ^^^^^
        --- exit 1
    "#]]);
    assert!(!out.0.exists());
}

#[test]
fn paths_in_generated_code_can_be_chosen() {
    let out = Out::new("paths_can_be_chosen");
    let paths = ["--type-path", "widget=crate::api", "--runtime-path", "acme::checks", "--value-path", "acme::value"];
    out.check(
        &[&["--types", "widget.rs"], &paths[..]].concat(),
        &expect![[r#"
            wrote OUT/mod.rs
            wrote OUT/widget/mod.rs
            wrote OUT/widget/traits.rs
            wrote OUT/widget/validation.rs
            note: the server has to declare the feature gates WidgetPriority: Kubernetes has none of these names
            --- exit 0
        "#]],
    );
    let text = fs::read_to_string(out.file("widget/validation.rs")).unwrap();
    assert!(text.contains("use acme::checks::") && text.contains("crate::api::"), "{text}");
    out.check(
        &["--types", "widget.rs", "--runtime-path", "not a path"],
        &expect![[r#"
        error: path "not a path": unexpected token
        --- exit 1
    "#]],
    );
    out.check(
        &["--types", "widget.rs", "--type-path", "widget"],
        &expect![[r#"
        error: invalid value 'widget' for '--type-path <MODULE=PATH>': "widget" is not of the form MODULE=PATH

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
}

/// Runs `sprag gen crd` on a Go file and compares what it prints.
#[track_caller]
fn check_crd(source: &str, args: &[&str], expected: &Expect) {
    let scratch = Scratch::new(&format!("gen-crd-{}", source.len() + args.len()));
    scratch.write("api/v1/types.go", source);
    let run = sprag_in(scratch.dir(), &[&["gen", "crd", "api/v1"], args].concat(), "");
    let schema = run.stdout.lines().skip_while(|line| !line.contains("spec:") || !line.starts_with("          "));
    let shown: String = schema.flat_map(|line| [line, "\n"]).collect();
    expected.assert_eq(&format!("{}{shown}exit {:?}\n", run.stderr, run.code.unwrap()));
}

const KIND: &str = "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
    type Pump struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n}\n";

#[test]
fn a_definition_lists_what_it_cannot_say() {
    let spec = "type Spec struct {\n\t// +k8s:optional\n\t// +k8s:format=k8s-path-segment-name\n\tPath string `json:\"path,omitempty\"`\n\
        \t// +k8s:optional\n\t// +k8s:listType=atomic\n\t// +k8s:unique=set\n\tTags []string `json:\"tags,omitempty\"`\n}\n";
    check_crd(
        &format!("{KIND}{spec}"),
        &["--strict"],
        &expect![[r#"
            note: Pump v1: not in the definition: spec.path: must be a text that can stand as one segment of a URL: no pattern and no expression of Kubernetes says the same as this format
            note: Pump v1: not in the definition: spec.tags: self.all(one, self.exists_one(other, one == other)): it may cost more than rules are allowed to: bound the lists, maps and texts that it reads
                      spec:
                        properties:
                          path:
                            type: string
                          tags:
                            items:
                              type: string
                            type: array
                            x-kubernetes-list-type: atomic
                        type: object
                    type: object
                served: true
                storage: true
            exit 1
        "#]],
    );
}

#[test]
fn a_definition_needs_a_group_and_kinds() {
    let without_group = KIND.replace("// +groupName=example.com\n", "") + "type Spec struct {}\n";
    check_crd(
        &without_group,
        &[],
        &expect![[r#"
        error: v1.Pump: its package names no API group: put `+groupName=example.com` above the package clause, or give a group
        exit 1
    "#]],
    );
    check_crd(
        &without_group,
        &["--group", "example.com"],
        &expect![[r#"
                  spec:
                    type: object
                type: object
            served: true
            storage: true
        exit 0
    "#]],
    );
    check_crd(
        "package v1\n\ntype Spec struct {}\n",
        &[],
        &expect![[r#"
        error: no kinds: a Go struct that embeds metav1.TypeMeta, or a Rust struct with metadata: ObjectMeta, is one
        exit 2
    "#]],
    );
}

#[test]
fn fields_of_a_feature_that_is_off_are_not_in_the_definition() {
    let spec = "type Spec struct {\n\t// +k8s:featureGate=PumpTurbo\n\t// +k8s:optional\n\tTurbo *bool `json:\"turbo,omitempty\"`\n}\n";
    let source = format!("{}{spec}", KIND.replace("// +groupName", "// +sprag:dialect=kep\n// +groupName"));
    check_crd(
        &source,
        &[],
        &expect![[r#"
        note: option PumpTurbo is not set and counts as off: set it with --option PumpTurbo=true or --option PumpTurbo=false
                  spec:
                    properties: {}
                    type: object
                type: object
            served: true
            storage: true
        exit 0
    "#]],
    );
    check_crd(
        &source,
        &["--feature-gates", "PumpTurbo=true"],
        &expect![[r#"
                  spec:
                    properties:
                      turbo:
                        type: boolean
                    type: object
                type: object
            served: true
            storage: true
        exit 0
    "#]],
    );
}
