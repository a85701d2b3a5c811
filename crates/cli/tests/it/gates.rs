//! Feature gates and options of `sprag validate` and `sprag check`.

use expect_test::expect;

use crate::real_types::{check, go};
use crate::scratch::Scratch;

/// A kind with rules that depend on two gates of Kubernetes and on an option of its own.
fn jobs(test: &str) -> Scratch {
    let folder = Scratch::new(test);
    let types = "type Job struct {\n\tTYPE_META\n\tSpec JobSpec `json:\"spec\"`\n}\n\n\
                 type JobSpec struct {\n\t// +k8s:ifDisabled(WorkloadWithJob)=+k8s:forbidden\n\tWorkload *string `json:\"workload,omitempty\"`\n\n\
                 \t// +k8s:ifEnabled(HPAScaleToZero)=+k8s:minimum=0\n\t// +k8s:ifDisabled(HPAScaleToZero)=+k8s:minimum=1\n\tMin int32 `json:\"min\"`\n\n\
                 \t// +k8s:ifEnabled(Ours)=+k8s:required\n\tOurs *string `json:\"ours,omitempty\"`\n}\n";
    folder.write("go.mod", "module example.com/api\n");
    folder.write("v1/types.go", &format!("// +groupName=batch.example.com\n{}", go("v1", types)));
    folder
}

fn job(spec: &str) -> String {
    format!("{{apiVersion: batch.example.com/v1, kind: Job, metadata: {{name: a}}, spec: {spec}}}")
}

const JOBS: &[&str] = &["validate", "--types", "v1", "-f", "-"];

#[test]
fn feature_gates_have_the_defaults_of_kubernetes() {
    let folder = jobs("gate_defaults");
    check(
        &folder,
        JOBS,
        &job("{min: 0}"),
        &expect![[r#"
            Summary: 1 resource found parsing stdin - Valid: 1, Invalid: 0, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- stderr
            note: Job (batch.example.com/v1): option Ours is not set and counts as off: set it with --option Ours=true or --option Ours=false
            --- exit 0
        "#]],
    );
    check(
        &folder,
        &["check", "--types", "v1", "-f", "-"],
        &job("{min: 0}"),
        &expect![[r#"
        --- stderr
        note: option Ours is not set and counts as off: set it with --option Ours=true or --option Ours=false
        --- exit 0
    "#]],
    );
    check(
        &folder,
        JOBS,
        &job("{min: 0, workload: w}"),
        &expect![[r#"
            error: spec.workload: Forbidden
             --> stdin:1:93
              |
            1 | {apiVersion: batch.example.com/v1, kind: Job, metadata: {name: a}, spec: {min: 0, workload: w}}
              |                                                                                             ^
              |
              = Job a (batch.example.com/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- stderr
            note: Job (batch.example.com/v1): option Ours is not set and counts as off: set it with --option Ours=true or --option Ours=false
            --- exit 1
        "#]],
    );
}

#[test]
fn feature_gates_and_options_can_be_set() {
    let folder = jobs("gates_set");
    let gates = ["--feature-gates", "WorkloadWithJob=true,HPAScaleToZero=false", "--option", "Ours=true"];
    check(
        &folder,
        &[JOBS, &gates].concat(),
        &job("{min: 0, workload: w}"),
        &expect![[r#"
            error: spec.min: Invalid value: 0: must be greater than or equal to 1
             --> stdin:1:80
              |
            1 | {apiVersion: batch.example.com/v1, kind: Job, metadata: {name: a}, spec: {min: 0, workload: w}}
              |                                                                                ^
              |
              = Job a (batch.example.com/v1)

            error: spec.ours: Required value
             --> stdin:1:68
              |
            1 | {apiVersion: batch.example.com/v1, kind: Job, metadata: {name: a}, spec: {min: 0, workload: w}}
              |                                                                    ^^^^
              |
              = Job a (batch.example.com/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- exit 1
        "#]],
    );
    folder.write(
        ".sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  types: v1\n  featureGates: {WorkloadWithJob: true, Ours: false}\n  options: {HPAScaleToZero: false}\n",
    );
    check(
        &folder,
        &["validate", "-f", "-"],
        &job("{min: 0, workload: w}"),
        &expect![[r#"
            error: spec.min: Invalid value: 0: must be greater than or equal to 1
             --> stdin:1:80
              |
            1 | {apiVersion: batch.example.com/v1, kind: Job, metadata: {name: a}, spec: {min: 0, workload: w}}
              |                                                                                ^
              |
              = Job a (batch.example.com/v1)

            Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of declared types: 1
            --- exit 1
        "#]],
    );
    check(
        &folder,
        &[JOBS, &["--feature-gates", "Worklod=true"]].concat(),
        &job("{min: 0}"),
        &expect![[r#"
            --- stderr
            error: --feature-gates: unrecognized feature gate: Worklod; did you mean WorkloadWithJob?
            --- exit 2
        "#]],
    );
    check(
        &folder,
        &[JOBS, &["--feature-gates", "WorkloadWithJob"]].concat(),
        &job("{min: 0}"),
        &expect![[r#"
            --- stderr
            error: invalid value 'WorkloadWithJob' for '--feature-gates <NAME=BOOL,...>': "WorkloadWithJob" is not of the form NAME=true or NAME=false

            For more information, try '--help'.
            --- exit 2
        "#]],
    );
}

#[test]
fn gates_that_kubernetes_does_not_have_are_named_when_code_is_generated() {
    let folder = jobs("gates_generated");
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
        note: the server has to declare the feature gates Ours: Kubernetes has none of these names
        --- exit 0
    "#]],
    );
}
