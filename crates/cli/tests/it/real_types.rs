//! Types as Kubernetes and its users write them: constants of other packages, packages that say what to generate, groups,
//! hand-written checks.

use std::fs;

use expect_test::{Expect, expect};

use crate::run::sprag_in;
use crate::scratch::Scratch;

const TYPE_META: &str = "metav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`";

/// A Go file of a package that imports object metadata, which is nowhere on disk.
pub(crate) fn go(package: &str, body: &str) -> String {
    let body = body.replace("TYPE_META", TYPE_META);
    format!("package {package}\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{body}")
}

#[track_caller]
pub(crate) fn check(folder: &Scratch, args: &[&str], stdin: &str, expect: &Expect) {
    let run = sprag_in(folder.dir(), args, stdin);
    let stderr = if run.stderr.is_empty() { String::new() } else { format!("--- stderr\n{}", run.stderr) };
    expect.assert_eq(&format!("{}{stderr}--- exit {}\n", run.stdout, run.code.unwrap()));
}

#[test]
fn constants_of_other_packages_are_values_of_an_enum() {
    let folder = Scratch::new("constants_of_other_packages");
    let slice = "// +k8s:enum\ntype AddressType string\n\nconst (\n\tIPv4 = AddressType(core.IPv4Protocol)\n\tFQDN = AddressType(\"FQDN\")\n)\n\n\
                 type Slice struct {\n\tTYPE_META\n\tAddressType AddressType `json:\"addressType\"`\n}\n";
    let imports = "import core \"example.com/api/core/v1\"\n\n";
    folder.write("go.mod", "module example.com/api\n");
    folder.write("discovery/v1/doc.go", "// +groupName=discovery.example.com\npackage v1\n");
    folder.write("discovery/v1/types.go", &go("v1", &format!("{imports}{slice}")));
    let slices = "apiVersion: discovery.example.com/v1\nkind: Slice\nmetadata: {name: a}\naddressType: IPv4\n---\n\
                  apiVersion: discovery.example.com/v1\nkind: Slice\nmetadata: {name: b}\naddressType: IPv5\n";
    let args = ["validate", "--types", "discovery/v1", "-f", "-", "--verbose"];
    check(
        &folder,
        &args,
        slices,
        &expect![[r#"
            --- stderr
            error: --types: the declared types have errors
                     | discovery/v1/types.go:11:2: error: example.com/api/discovery/v1.AddressType: tag "k8s:enum": the value of constant IPv4 is not known: constant IPv4Protocol of package example.com/api/core/v1 was not found
            --- exit 2
        "#]],
    );
    folder.write("core/v1/types.go", "package v1\n\ntype Protocol string\n\nconst IPv4Protocol Protocol = \"IPv4\"\n");
    check(
        &folder,
        &args,
        slices,
        &expect![[r#"
            stdin: Slice a (discovery.example.com/v1): valid
            error: addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4"
             --> stdin:9:14
              |
            9 | addressType: IPv5
              |              ^^^^
              |
              = Slice b (discovery.example.com/v1)

            stdin: Slice b (discovery.example.com/v1): invalid
            Summary: 2 resources found parsing stdin - Valid: 1, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 2
            --- exit 1
        "#]],
    );
}

/// A package that selects one of its types, two kinds, and what goes with them.
fn claims(folder: &Scratch) {
    let doc = "// +groupName=claims.example.com\n// +k8s:validation-gen=TypesWithSuffix=Attribute\n\
               // +k8s:validation-gen-scheme-registry=nil\npackage v1\n";
    let types = "type Claim struct {\n\tTYPE_META\n\tSpec ClaimSpec `json:\"spec\"`\n}\n\n\
                 type ClaimList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata\"`\n\tItems []Claim `json:\"items\"`\n}\n\n\
                 type ClaimSpec struct {\n\t// +k8s:required\n\t// +k8s:customValidation\n\tClass string `json:\"class\"`\n}\n\n\
                 type Review struct {\n\tTYPE_META\n}\n\n\
                 type Attribute struct {\n\t// +k8s:minimum=0\n\tCount int32 `json:\"count\"`\n}\n\n\
                 // Template looks like an object and is only ever part of one.\n\
                 type Template struct {\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSpec ClaimSpec `json:\"spec\"`\n}\n";
    folder.write("go.mod", "module example.com/api\n");
    folder.write("v1/doc.go", doc);
    folder.write("v1/types.go", &go("v1", types));
    folder.write(
        "rules/v1/doc.go",
        "// +k8s:validation-gen=TypesWithField=TypeMeta\n// +k8s:validation-gen-input=example.com/api/v1\npackage v1\n",
    );
}

fn validators(folder: &Scratch, out: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(out)).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.strip_prefix("pub fn "));
    lines.filter_map(|line| Some(line.split_once('(')?.0.to_owned())).collect()
}

#[test]
fn kinds_that_a_package_does_not_select_are_named_and_can_be_asked_for() {
    let folder = Scratch::new("kinds_not_selected");
    claims(&folder);
    check(
        &folder,
        &["gen", "--types", "v1", "--out", "out"],
        "",
        &expect![[r#"
        wrote out/mod.rs
        wrote out/api_v1/mod.rs
        wrote out/api_v1/traits.rs
        wrote out/api_v1/validation.rs
        wrote out/meta_v1/mod.rs
        wrote out/meta_v1/traits.rs
        --- stderr
        note: no validator of Claim, Review: +k8s:validation-gen of example.com/api/v1 does not select them; --all-kinds does
        --- exit 0
    "#]],
    );
    assert_eq!(validators(&folder, "out/api_v1/validation.rs"), ["validate_attribute"]);
    check(
        &folder,
        &["gen", "--types", "v1", "--out", "all", "--all-kinds"],
        "",
        &expect![[r#"
        wrote all/mod.rs
        wrote all/api_v1/mod.rs
        wrote all/api_v1/traits.rs
        wrote all/api_v1/validation.rs
        wrote all/meta_v1/mod.rs
        wrote all/meta_v1/traits.rs
        --- stderr
        note: generated code calls crate::hooks::validate_custom_claim_spec_class, the hand-written check ValidateCustom_ClaimSpec_Class of a string
        --- exit 0
    "#]],
    );
    assert_eq!(validators(&folder, "all/api_v1/validation.rs"), ["validate_claim", "validate_claim_spec"]);
    let claim = "{apiVersion: claims.example.com/v1, kind: Claim, metadata: {name: a}, spec: {}}";
    check(
        &folder,
        &["check", "--types", "v1", "-f", "-"],
        claim,
        &expect![[r#"
        spec.class: Required value
        --- stderr
        note: +k8s:validation-gen of example.com/api/v1 does not select Claim: sprag gen makes no validator of it without --all-kinds
        --- exit 1
    "#]],
    );
}

#[test]
fn a_package_that_names_its_input_is_generated_alone() {
    let folder = Scratch::new("input_alone");
    claims(&folder);
    check(
        &folder,
        &["gen", "--types", "rules/v1", "--out", "out"],
        "",
        &expect![[r#"
        wrote out/mod.rs
        wrote out/api_v1/mod.rs
        wrote out/api_v1/traits.rs
        wrote out/api_v1/validation.rs
        wrote out/meta_v1/mod.rs
        wrote out/meta_v1/traits.rs
        --- stderr
        note: generated code calls crate::hooks::validate_custom_claim_spec_class, the hand-written check ValidateCustom_ClaimSpec_Class of a string
        --- exit 0
    "#]],
    );
    let all = ["validate_claim", "validate_claim_spec", "validate_attribute"];
    assert_eq!(validators(&folder, "out/api_v1/validation.rs"), all);
    let claim = "{apiVersion: claims.example.com/v1, kind: Claim, metadata: {name: a}, spec: {}}";
    check(
        &folder,
        &["check", "--types", "rules/v1", "-f", "-"],
        claim,
        &expect![[r#"
        spec.class: Required value
        --- exit 1
    "#]],
    );
}

#[test]
fn hand_written_checks_get_stubs_that_fail() {
    let folder = Scratch::new("hand_written_stubs");
    claims(&folder);
    let args = ["gen", "--types", "rules/v1", "--out", "out", "--hook-stubs", "src/hooks.rs"];
    let run = sprag_in(folder.dir(), &args, "");
    assert!(run.stdout.ends_with("added validate_custom_claim_spec_class to src/hooks.rs\n"), "{}", run.stdout);
    expect![[r#"
        //! Hand-written checks.

        use ::sprag::field::Error;
        use ::sprag::checks::{At, Errors};

        /// Judges a `string`, as upstream's `ValidateCustom_ClaimSpec_Class` does. Put the Rust type of the value in place of `T`.
        pub fn validate_custom_claim_spec_class<T: ?Sized>(at: &At<'_>, _new: Option<&T>, _old: Option<&T>, errors: &mut Errors) -> bool {
            errors.push(Error::internal(&at.path, "hand-written check ValidateCustom_ClaimSpec_Class is not written yet"));
            true
        }
    "#]].assert_eq(&fs::read_to_string(folder.join("src/hooks.rs")).unwrap());
    let written = "pub fn validate_custom_claim_spec_class(at: &At<'_>) -> bool { false }\n";
    folder.write("src/hooks.rs", written);
    assert!(!sprag_in(folder.dir(), &args, "").stdout.contains("added"));
    assert_eq!(fs::read_to_string(folder.join("src/hooks.rs")).unwrap(), written);
}

#[test]
fn kinds_are_what_is_declared_as_one() {
    let folder = Scratch::new("declared_kinds");
    claims(&folder);
    folder.write("part.rs", "pub struct Gauge { pub spec: Spec }\npub struct Spec { pub size: i32 }\n");
    folder.write(
        "kind.rs",
        "//! +groupName=example.com\nuse sprag::ObjectMeta;\npub struct Gauge {\n    pub metadata: ObjectMeta,\n\
         /// +k8s:minimum=1\n    pub size: i32,\n}\n",
    );
    let object = |api: &str, kind: &str, rest: &str| {
        format!("{{apiVersion: {api}, kind: {kind}, metadata: {{name: a}}{rest}}}\n---\n")
    };
    let go =
        ["Review", "Claim", "Template", "ClaimSpec", "ClaimList"].map(|kind| object("claims.example.com/v1", kind, ""));
    let args = ["--strict", "--verbose", "-f", "-", "--types"];
    check(
        &folder,
        &[&["validate"], &args[..], &["v1"]].concat(),
        &go.concat(),
        &expect![[r#"
            stdin: Review a (claims.example.com/v1): valid
            error: spec.class: Required value
             --> stdin:3:1
              |
            3 | {apiVersion: claims.example.com/v1, kind: Claim, metadata: {name: a}}
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = Claim a (claims.example.com/v1)

            stdin: Claim a (claims.example.com/v1): invalid
            stdin: Template a (claims.example.com/v1): skipped
            stdin: ClaimSpec a (claims.example.com/v1): skipped
            stdin: ClaimList a (claims.example.com/v1): skipped
            Summary: 5 resources found parsing stdin - Valid: 1, Invalid: 1, Errors: 0, Skipped: 3, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 2
            Not validated:
              3 objects whose kinds have no definition here (--require-schemas makes this an error)
                  1 ClaimList (claims.example.com/v1): kubectl get crd claimlists.claims.example.com -o yaml | sprag crds add -
                  1 ClaimSpec (claims.example.com/v1): kubectl get crd claimspecs.claims.example.com -o yaml | sprag crds add -
                  1 Template (claims.example.com/v1): kubectl get crd templates.claims.example.com -o yaml | sprag crds add -
            --- stderr
            note: Claim (claims.example.com/v1): not run: hand-written check ValidateCustom_ClaimSpec_Class
            note: Review (claims.example.com/v1): type example.com/api/v1.Review has no rules
            --- exit 1
        "#]],
    );
    let gauge = object("example.com/v1", "Gauge", ", size: 0");
    check(
        &folder,
        &[&["validate"], &args[..], &["part.rs"]].concat(),
        &gauge,
        &expect![[r#"
            stdin: Gauge a (example.com/v1): skipped
            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 0, Errors: 0, Skipped: 1, Warnings: 0, Ratcheted: 0
            Not validated:
              1 object whose kind has no definition here (--require-schemas makes this an error)
                  1 Gauge (example.com/v1): kubectl get crd gauges.example.com -o yaml | sprag crds add -
            --- exit 0
        "#]],
    );
    check(
        &folder,
        &[&["validate"], &args[..], &["kind.rs"]].concat(),
        &gauge,
        &expect![[r#"
            error: size: Invalid value: 0: must be greater than or equal to 1
             --> stdin:1:70
              |
            1 | {apiVersion: example.com/v1, kind: Gauge, metadata: {name: a}, size: 0}
              |                                                                      ^
              |
              = Gauge a (example.com/v1)

            stdin: Gauge a (example.com/v1): invalid
            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- exit 1
        "#]],
    );
}

#[test]
fn a_kind_of_another_group_is_not_ours() {
    let folder = Scratch::new("another_group");
    let types = go(
        "v1",
        "type Deployment struct {\n\tTYPE_META\n\t// +k8s:minimum=0\n\tReplicas int32 `json:\"replicas\"`\n}\n",
    );
    folder.write("k8s.io/api/apps/v1/types.go", &types);
    folder.write("k8s.io/api/apps/v1/register.go", "package v1\n\nconst GroupName = \"apps\"\n");
    let object =
        |group: &str| format!("{{apiVersion: {group}/v1, kind: Deployment, metadata: {{name: a}}, replicas: -1}}");
    let args = ["--types", "k8s.io/api/apps/v1", "-f", "-"];
    check(
        &folder,
        &[&["validate"], &args[..]].concat(),
        &object("apps"),
        &expect![[r#"
            error: replicas: Invalid value: -1: must be greater than or equal to 0
             --> stdin:1:72
              |
            1 | {apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, replicas: -1}
              |                                                                        ^^
              |
              = Deployment a (apps/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- stderr
            note: Deployment (apps/v1): rules that Kubernetes has for k8s.io/api/apps/v1.Deployment in Go code (k8s.io/kubernetes/pkg/apis/apps/validation) were not run
            --- exit 1
        "#]],
    );
    check(
        &folder,
        &[&["validate"], &args[..]].concat(),
        &object("example.com"),
        &expect![[r#"
            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 0, Errors: 0, Skipped: 1, Warnings: 0, Ratcheted: 0
            Not validated:
              1 object whose kind has no definition here (--require-schemas makes this an error)
                  1 Deployment (example.com/v1): kubectl get crd deployments.example.com -o yaml | sprag crds add -
            --- exit 0
        "#]],
    );
    check(
        &folder,
        &[&["check"], &args[..]].concat(),
        &object("example.com"),
        &expect![[r#"
        --- stderr
        error: no type here is Deployment of example.com/v1: k8s.io/api/apps/v1.Deployment is of another group or version
        --- exit 2
    "#]],
    );
    folder.write("k8s.io/api/apps/v1beta1/types.go", &types.replace("package v1", "package v1beta1"));
    let both = ["check", "--types", "k8s.io/api/apps/v1beta1", "--types", "k8s.io/api/apps/v1", "-f", "-"];
    check(
        &folder,
        &both,
        &object("apps"),
        &expect![[r#"
        replicas: Invalid value: -1: must be greater than or equal to 0
        --- stderr
        note: rules that Kubernetes has for k8s.io/api/apps/v1.Deployment in Go code (k8s.io/kubernetes/pkg/apis/apps/validation) were not run
        --- exit 1
    "#]],
    );
}

#[test]
fn a_kind_without_rules_is_not_valid_without_a_word() {
    let folder = Scratch::new("no_rules");
    folder.write(
        "k8s.io/api/apps/v1/types.go",
        &go("v1", "type Deployment struct {\n\tTYPE_META\n\tReplicas int32 `json:\"replicas\"`\n}\n"),
    );
    folder.write("k8s.io/api/apps/v1/register.go", "package v1\n\nconst GroupName = \"apps\"\n");
    let object = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, replicas: -1}";
    let args = ["--types", "k8s.io/api/apps/v1", "-f", "-"];
    check(
        &folder,
        &[&["validate", "--verbose"], &args[..]].concat(),
        object,
        &expect![[r#"
            stdin: Deployment a (apps/v1): valid
            Summary: 1 resource found parsing stdin - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- stderr
            note: Deployment (apps/v1): rules that Kubernetes has for k8s.io/api/apps/v1.Deployment in Go code (k8s.io/kubernetes/pkg/apis/apps/validation) were not run
            note: Deployment (apps/v1): type k8s.io/api/apps/v1.Deployment has no rules
            --- exit 0
        "#]],
    );
    check(
        &folder,
        &[&["check"], &args[..]].concat(),
        object,
        &expect![[r#"
        --- stderr
        note: type k8s.io/api/apps/v1.Deployment has no rules
        note: rules that Kubernetes has for k8s.io/api/apps/v1.Deployment in Go code (k8s.io/kubernetes/pkg/apis/apps/validation) were not run
        --- exit 0
    "#]],
    );
    let several = format!("{object}\n---\n{object}\n---\n{object}");
    let run = sprag_in(folder.dir(), &[&["validate"], &args[..]].concat(), several);
    assert_eq!(run.stderr.lines().count(), 2, "said once for each kind: {}", run.stderr);
}

#[test]
fn a_kubebuilder_project_is_understood_without_its_dependencies() {
    let folder = Scratch::new("kubebuilder");
    let types = "import corev1 \"k8s.io/api/core/v1\"\n\n\
                 type Guestbook struct {\n\tTYPE_META\n\tSpec GuestbookSpec `json:\"spec\"`\n}\n\n\
                 type GuestbookSpec struct {\n\t// +k8s:minimum=1\n\tSize int32 `json:\"size\"`\n\
                 \tSelector *metav1.LabelSelector `json:\"selector,omitempty\"`\n\tRef *corev1.ObjectReference `json:\"ref,omitempty\"`\n}\n";
    folder.write("go.mod", "module example.com/guestbook\n");
    folder.write("api/v1/guestbook_types.go", &go("v1", types));
    folder.write("api/v1/groupversion_info.go", "// +groupName=webapp.my.domain\npackage v1\n");
    let object = "apiVersion: webapp.my.domain/v1\nkind: Guestbook\nmetadata: {name: a}\n\
                  spec: {size: 0, selector: {matchLabels: {a: b}, matchlabels: 1}, ref: {name: x}}\n";
    let args = ["validate", "--types", "api/v1", "-f", "-", "--strict"];
    check(
        &folder,
        &args,
        object,
        &expect![[r#"
            error: unknown field "spec.selector.matchlabels"
             --> stdin:4:49
              |
            4 | spec: {size: 0, selector: {matchLabels: {a: b}, matchlabels: 1}, ref: {name: x}}
              |                                                 ^^^^^^^^^^^
              |
              = Guestbook a (webapp.my.domain/v1)

            error: spec.size: Invalid value: 0: must be greater than or equal to 1
             --> stdin:4:14
              |
            4 | spec: {size: 0, selector: {matchLabels: {a: b}, matchlabels: 1}, ref: {name: x}}
              |              ^
              |
              = Guestbook a (webapp.my.domain/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- stderr
            warning: types: example.com/guestbook/api/v1.GuestbookSpec.ref: type *k8s.io/api/core/v1.ObjectReference is in a package that was not loaded; treating it as opaque
            --- exit 1
        "#]],
    );
    check(
        &folder,
        &args,
        &object.replace("webapp", "other"),
        &expect![[r#"
            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 0, Errors: 0, Skipped: 1, Warnings: 0, Ratcheted: 0
            Not validated:
              1 object whose kind has no definition here (--require-schemas makes this an error)
                  1 Guestbook (other.my.domain/v1): kubectl get crd guestbooks.other.my.domain -o yaml | sprag crds add -
            --- stderr
            warning: types: example.com/guestbook/api/v1.GuestbookSpec.ref: type *k8s.io/api/core/v1.ObjectReference is in a package that was not loaded; treating it as opaque
            --- exit 0
        "#]],
    );
}
