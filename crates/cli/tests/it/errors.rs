//! Wrong input: each error names the file or flag, the line if there is one, and the next step.

use std::net::TcpListener;

use expect_test::{Expect, expect};

use crate::definitions::definition;
use crate::run;
use crate::scratch::Scratch;

const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

const TYPES: &str = "pub struct SizeSpec {\n    /// +k8s:maxLength=3\n    pub name: String,\n}\n";

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(&format!("errors-{name}"));
    scratch.write("object.yaml", OBJECT);
    scratch.write("types.rs", TYPES);
    scratch.write("crd.yaml", &definition("{type: object}"));
    scratch
}

/// Runs commands, and shows each with its output.
#[track_caller]
fn check(scratch: &Scratch, commands: &[&str], expect: &Expect) {
    let show = |command: &&str| {
        let args: Vec<&str> = command.split(' ').collect();
        let run = run::sprag_in(scratch.dir(), &args, "");
        format!("$ sprag {command}\n{}{}--- exit {}\n", run.stdout, run.stderr, run.code.unwrap())
    };
    expect.assert_eq(&commands.iter().map(show).collect::<Vec<_>>().concat());
}

#[test]
fn errors_of_validate_name_the_flag() {
    check(
        &scratch("validate"),
        &[
            "validate missing.yaml",
            "validate object.yaml --types missing.rs",
            "validate object.yaml --old missing.yaml",
            "validate object.yaml --policies object.yaml",
            "validate object.yaml --ignore-filename-pattern [",
            "validate object.yaml --feature-gates DeclarativeValidatonBeta=true",
            "validate object.yaml --feature-gates Qqq=true",
            "validate object.yaml --feature-gates ShardedListAndWatch=true",
        ],
        &expect![[r#"
            $ sprag validate missing.yaml
            error: missing.yaml: No such file or directory (os error 2)
            --- exit 2
            $ sprag validate object.yaml --types missing.rs
            error: --types: missing.rs: No such file or directory (os error 2)
            --- exit 2
            $ sprag validate object.yaml --old missing.yaml
            error: --old: missing.yaml: No such file or directory (os error 2)
            --- exit 2
            $ sprag validate object.yaml --policies object.yaml
            error: no ValidatingAdmissionPolicy or MutatingAdmissionPolicy in the files of --policies
            --- exit 2
            $ sprag validate object.yaml --ignore-filename-pattern [
            error: --ignore-filename-pattern: pattern "[": error parsing regexp: missing closing ]: `[`
            --- exit 2
            $ sprag validate object.yaml --feature-gates DeclarativeValidatonBeta=true
            error: --feature-gates: unrecognized feature gate: DeclarativeValidatonBeta; did you mean DeclarativeValidationBeta?
            --- exit 2
            $ sprag validate object.yaml --feature-gates Qqq=true
            error: --feature-gates: unrecognized feature gate: Qqq
            --- exit 2
            $ sprag validate object.yaml --feature-gates ShardedListAndWatch=true
            error: --feature-gates: cannot set feature gate ShardedListAndWatch to true: this server does not support it, leave it at false
            --- exit 2
        "#]],
    );
}

#[test]
fn settings_and_tests_have_lines() {
    let scratch = scratch("settings");
    scratch.write("key.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  stict: true\n");
    scratch.write("kind.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  strict: maybe\n");
    scratch.write("format.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {output: xml}\n");
    let test = "apiVersion: sprag.dev/v1alpha1\nkind: Test\ncrds: [crd.yaml]\ntests:\n- name: a\n  given: {}\n";
    scratch.write("nothing-expected.yaml", test);
    scratch.write("unknown-key.yaml", &format!("{test}  vaild: true\n"));
    scratch.write("second.yaml", &format!("# Two documents.\n---\n{test}  valid: 1\n"));
    check(
        &scratch,
        &[
            "validate object.yaml --config key.yaml",
            "validate object.yaml --config kind.yaml",
            "validate object.yaml --config format.yaml",
            "test nothing-expected.yaml",
            "test unknown-key.yaml",
            "test second.yaml",
            "test object.yaml",
        ],
        &expect![[r#"
            $ sprag validate object.yaml --config key.yaml
            error: key.yaml:4: validate: there is no key "stict"; did you mean "strict"?
            --- exit 2
            $ sprag validate object.yaml --config kind.yaml
            error: kind.yaml:4: validate.strict must be true or false
            --- exit 2
            $ sprag validate object.yaml --config format.yaml
            error: .sprag.yaml: validate.output: there is no format "xml"; write text, json, junit, tap, sarif, github
            --- exit 2
            $ sprag test nothing-expected.yaml
            error: nothing-expected.yaml:5: tests[0] needs `valid: true` or `errors`
            --- exit 2
            $ sprag test unknown-key.yaml
            error: unknown-key.yaml:7: tests[0]: there is no key "vaild"; did you mean "valid"?
            --- exit 2
            $ sprag test second.yaml
            error: second.yaml:9: tests[0].valid must be true or false
            --- exit 2
            $ sprag test object.yaml
            error: no tests in object.yaml: a test file has apiVersion sprag.dev/v1alpha1 and kind Test
            --- exit 2
        "#]],
    );
}

#[test]
fn errors_about_types_say_which_there_are() {
    check(
        &scratch("types"),
        &[
            "check --types types.rs -f object.yaml",
            "check --types types.rs --type SiseSpec -f object.yaml",
            "gen types.rs --out out",
            "gen crd types.rs",
            "coverage --types types.rs object.yaml",
            "lint types.rs --rule no-bools",
            "lint --explain no-bool",
        ],
        &expect![[r#"
            $ sprag check --types types.rs -f object.yaml
            error: there is no type ConfigMap (the object's kind; --type names another) in types; the types here are SizeSpec
            --- exit 2
            $ sprag check --types types.rs --type SiseSpec -f object.yaml
            error: there is no type SiseSpec in types; did you mean SizeSpec?
            --- exit 2
            $ sprag gen types.rs --out out
            error: gen types.rs: types are named with a flag: sprag gen --types types.rs --out DIR
            --- exit 2
            $ sprag gen crd types.rs
            error: no kinds: a Go struct that embeds metav1.TypeMeta, or a Rust struct with metadata: ObjectMeta, is one
            --- exit 2
            $ sprag coverage --types types.rs object.yaml
            error: the types declare no kind that has rules: a kind is a Go struct that embeds metav1.TypeMeta, or a Rust struct with metadata: ObjectMeta, and +k8s: tags are its rules
            --- exit 2
            $ sprag lint types.rs --rule no-bools
            error: --rule no-bools: write RULE=LEVEL, such as no-bools=error; the levels are off, warning and error
            --- exit 2
            $ sprag lint --explain no-bool
            error: there is no rule "no-bool"; did you mean "no-bools"? `sprag docs lint` lists all
            --- exit 2
        "#]],
    );
}

#[test]
fn an_object_in_place_of_a_definition_is_named() {
    check(
        &scratch("definitions"),
        &[
            "crd check object.yaml object.yaml",
            "crd check object.yaml crd.yaml",
            "crd check crd.yaml crd.yaml --objects object.yaml",
            "crd check crd.yaml crd.yaml --objects missing.yaml",
            "crd lint object.yaml",
            "cel cost --crd object.yaml",
            "cel eval --crd object.yaml --self object.yaml",
            "cel eval --crd crd.yaml --path spec.size self",
        ],
        &expect![[r#"
            $ sprag crd check object.yaml object.yaml
            error: no definitions of custom resources in object.yaml and object.yaml
            --- exit 2
            $ sprag crd check object.yaml crd.yaml
            safe: widgets.example.com: added: the definition is new
            1 change: 1 safe
            warning: no definitions of custom resources in object.yaml: all of crd.yaml count as new
            --- exit 0
            $ sprag crd check crd.yaml crd.yaml --objects object.yaml
            nothing changed in 1 definition
            warning: no object in the files of --objects is of these definitions
            --- exit 0
            $ sprag crd check crd.yaml crd.yaml --objects missing.yaml
            error: --objects: missing.yaml: No such file or directory (os error 2)
            --- exit 2
            $ sprag crd lint object.yaml
            Summary: 0 resource found in 1 file - Valid: 0, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            error: no definitions of custom resources in object.yaml; --allow-empty accepts that
            --- exit 2
            $ sprag cel cost --crd object.yaml
            error: --crd object.yaml: no definitions of custom resources here
            --- exit 2
            $ sprag cel eval --crd object.yaml --self object.yaml
            error: --crd object.yaml: no definitions of custom resources here
            --- exit 2
            $ sprag cel eval --crd crd.yaml --path spec.size self
            error: --path spec.size: the schema has no member "size" there; it has none
            --- exit 2
        "#]],
    );
}

#[test]
fn errors_of_a_server_name_the_flag() {
    let scratch = scratch("serve");
    scratch.write("tokens.csv", "secret\n");
    check(
        &scratch,
        &[
            "serve --listen 127.0.0.1",
            "serve --data-dir object.yaml",
            "serve --storage disk",
            "serve --storage memory --crds missing.yaml",
            "serve --storage memory --crds object.yaml",
            "serve --storage memory --feature-gates DeclarativeValidatio=true",
            "serve --storage memory --token-auth-file missing.csv",
            "serve --storage memory --token-auth-file tokens.csv",
            "serve --storage memory --token-file missing",
            "serve --storage memory --client-ca-file missing.crt",
            "serve --storage memory --client-ca-file object.yaml",
            "serve --storage memory --tls-cert-file object.yaml --tls-private-key-file object.yaml",
            "serve --storage memory --history 5",
            "backup missing copy",
            "restore new object.yaml",
            "kubeconfig --user ann --data-dir missing",
        ],
        &expect![[r#"
            $ sprag serve --listen 127.0.0.1
            error: invalid value '127.0.0.1' for '--listen <ADDRESS>': write an IP address and a port, such as 127.0.0.1:6443 or [::1]:0

            For more information, try '--help'.
            --- exit 2
            $ sprag serve --data-dir object.yaml
            error: --data-dir: cannot make object.yaml: File exists (os error 17)
            --- exit 2
            $ sprag serve --storage disk
            error: --storage: "disk" is not one of embedded, memory and etcd://host:port,host:port
            --- exit 2
            $ sprag serve --storage memory --crds missing.yaml
            error: --crds: cannot read missing.yaml: No such file or directory (os error 2)
            --- exit 2
            $ sprag serve --storage memory --crds object.yaml
            error: --crds: object.yaml: no CustomResourceDefinition found
            --- exit 2
            $ sprag serve --storage memory --feature-gates DeclarativeValidatio=true
            error: --feature-gates: unrecognized feature gate: DeclarativeValidatio; did you mean DeclarativeValidation?
            --- exit 2
            $ sprag serve --storage memory --token-auth-file missing.csv
            error: --token-auth-file: cannot read missing.csv: No such file or directory (os error 2)
            --- exit 2
            $ sprag serve --storage memory --token-auth-file tokens.csv
            error: --token-auth-file: token file 'tokens.csv' must have at least 3 columns (token, user name, user uid), found 1
            --- exit 2
            $ sprag serve --storage memory --token-file missing
            error: --token-file: cannot read missing: No such file or directory (os error 2)
            --- exit 2
            $ sprag serve --storage memory --client-ca-file missing.crt
            error: --client-ca-file: cannot read missing.crt: No such file or directory (os error 2)
            --- exit 2
            $ sprag serve --storage memory --client-ca-file object.yaml
            error: --client-ca-file: object.yaml: it has no certificates: PEM blocks CERTIFICATE are read
            --- exit 2
            $ sprag serve --storage memory --tls-cert-file object.yaml --tls-private-key-file object.yaml
            error: --tls-cert-file and --tls-private-key-file: certificates: the certificate: no PEM block CERTIFICATE found
            --- exit 2
            $ sprag serve --storage memory --history 5
            error: --history: "5" is not a time: write it like 5m or 1h30m
            --- exit 2
            $ sprag backup missing copy
            error: missing: no objects in this folder: name the --data-dir of `sprag serve`
            --- exit 2
            $ sprag restore new object.yaml
            error: object.yaml: not a file that `sprag backup` wrote
            --- exit 2
            $ sprag kubeconfig --user ann --data-dir missing
            error: missing: no certificate authority there: start `sprag serve` once, or give --data-dir
            --- exit 2
        "#]],
    );
}

#[test]
fn a_port_in_use_is_named_with_a_way_out() {
    let scratch = scratch("port");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let run = run::sprag_in(scratch.dir(), &["serve", "--storage", "memory", "--listen", &address], "");
    assert_eq!(run.code, Some(2));
    let (before, after) = run.stderr.split_once(&address).unwrap();
    assert_eq!(before, "error: cannot listen on ");
    assert!(after.starts_with(" (choose another port; port 0 takes a free one): "), "{after}");
}

#[test]
fn gates_count_for_built_in_kinds() {
    let scratch = scratch("gates");
    scratch.write(
        "autoscaler.yaml",
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  minReplicas: 0\n  \
         maxReplicas: 1\n  scaleTargetRef: {kind: Deployment, name: a, apiVersion: apps/v1}\n  metrics:\n  - type: External\n    \
         external: {metric: {name: m}, target: {type: Value, value: 1}}\n",
    );
    check(
        &scratch,
        &["validate autoscaler.yaml", "validate autoscaler.yaml --feature-gates HPAScaleToZero=false"],
        &expect![[r#"
            $ sprag validate autoscaler.yaml
            Summary: 1 resource found in 1 file - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 0
            $ sprag validate autoscaler.yaml --feature-gates HPAScaleToZero=false
            error: spec.minReplicas: Invalid value: 0: must be greater than or equal to 1
             --> autoscaler.yaml:5:16
              |
            5 |   minReplicas: 0
              |                ^
              |
              = HorizontalPodAutoscaler a (autoscaling/v2)

            Summary: 1 resource found in 1 file - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
}

#[test]
fn services_may_ask_for_any_address_of_the_cluster_they_are_meant_for() {
    let scratch = scratch("services");
    let service = |name: &str, spec: &str| {
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{{spec}, ports: [{{port: 53}}]}}\n")
    };
    let services = [
        service("dns", "clusterIP: 10.96.0.10"),
        service("six", "ipFamilies: [IPv6], clusterIP: 'fd12::1'"),
        service(
            "dual",
            "ipFamilyPolicy: RequireDualStack, clusterIP: 172.20.0.9, clusterIPs: [172.20.0.9, '2001:db8::9']",
        ),
        service("port", "type: NodePort, clusterIP: None"),
        service("mixed", "ipFamilies: [IPv6], clusterIP: 172.20.0.9"),
    ];
    scratch.write("services.yaml", &services.join("---\n"));
    check(
        &scratch,
        &["validate services.yaml"],
        &expect![[r#"
            $ sprag validate services.yaml
            error: spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services
              --> services.yaml:19:1
               |
            19 | spec: {type: NodePort, clusterIP: None, ports: [{port: 53}]}
               | ^^^^
               |
               = Service port (v1)

            error: spec.clusterIPs[0]: Invalid value: "172.20.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`
              --> services.yaml:24:1
               |
            24 | spec: {ipFamilies: [IPv6], clusterIP: 172.20.0.9, ports: [{port: 53}]}
               | ^^^^
               |
               = Service mixed (v1)

            Summary: 5 resources found in 1 file - Valid: 3, Invalid: 2, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 5
            --- exit 1
        "#]],
    );
}

#[test]
fn kinds_that_are_never_stored_are_judged() {
    let scratch = scratch("binding");
    scratch.write("binding.yaml", "apiVersion: v1\nkind: Binding\nmetadata: {name: a}\ntarget: {kind: Pod}\n");
    check(
        &scratch,
        &["validate binding.yaml"],
        &expect![[r#"
            $ sprag validate binding.yaml
            error: target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"
             --> binding.yaml:4:16
              |
            4 | target: {kind: Pod}
              |                ^^^
              |
              = Binding a (v1)

            error: target.name: Required value
             --> binding.yaml:4:1
              |
            4 | target: {kind: Pod}
              | ^^^^^^
              |
              = Binding a (v1)

            Summary: 1 resource found in 1 file - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.37: 1
            --- exit 1
        "#]],
    );
}
