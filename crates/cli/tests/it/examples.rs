//! Every example of every help page, run as it is written.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::run::{self, sprag};
use crate::scratch::Scratch;

/// The help pages from a command down.
fn pages(command: &[&str], pages: &mut Vec<(Vec<String>, String)>) {
    let help = sprag(&[command, &["--help"]].concat(), "").stdout;
    let listed = help.split_once("\nCommands:\n").map(|(_, rest)| rest.split("\n\n").next().unwrap().to_owned());
    for line in listed.unwrap_or_default().lines() {
        let name = line.split_whitespace().next().unwrap();
        if name != "help" {
            self::pages(&[command, &[name]].concat(), pages);
        }
    }
    pages.push((command.iter().map(|&part| part.to_owned()).collect(), help));
}

/// The lines below `Examples:`.
fn examples(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| !matches!(*line, "Example:" | "Examples:")).skip(1);
    lines.map_while(|line| line.strip_prefix("  ")).collect()
}

const WIDGET: &str = r#"{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "default"},
  "replicas": 1, "maxReplicas": 3, "class": "fast", "spec": {"size": 1, "replicas": 1, "class": "fast"}}"#;
const DEPLOYMENT: &str = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
  "spec": {"template": {"spec": {"containers": [{"image": "a"}]}}}}"#;
const MANIFEST: &str =
    "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\n  namespace: default\nspec:\n  size: 1\n";
const GO: &str = "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
    // +k8s:supportsSubresource=\"/status\"\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\
    \tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\n\
    type WidgetSpec struct {\n\t// +k8s:optional\n\t// +k8s:minimum=0\n\tSize int32 `json:\"size,omitempty\"`\n}\n";
const RUST: &str = "pub struct Widget {\n    pub spec: WidgetSpec,\n}\n\npub struct WidgetSpec {\n    \
    /// +k8s:optional\n    /// +k8s:minimum=0\n    pub size: Option<i32>,\n}\n";
const TAGS: &str = "apiVersion: sprag.dev/v1alpha1\nkind: Tags\ntags:\n- name: acme:color\n  function: crate::checks::color\n  \
    scopes: [field]\n  summary: The string has to be a colour.\n";
const TEST: &str = "apiVersion: sprag.dev/v1alpha1\nkind: Test\ncrds: [../crds/widgets.yaml]\ntests:\n- name: size is fine\n  \
    given: {apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 1}}\n  valid: true\n";

const POLICY: &str = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: small}\nspec:\n  \
    matchConstraints:\n    resourceRules:\n    - {apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [widgets]}\n  \
    validations:\n  - expression: object.spec.size < 10\n---\n\
    apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: small}\n\
    spec: {policyName: small, validationActions: [Deny]}\n";

/// A project as the examples speak of it.
fn project(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    let crd = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
    for place in ["crds/widgets.yaml", "config/crd/widgets.yaml", "old.yaml"] {
        scratch.write(place, &crd);
    }
    scratch.write("new.yaml", &crd.replace("minimum: 0", "minimum: 0, maximum: 9"));
    for place in ["widget.json", "widget.yaml", "new.json", "old.json"] {
        scratch.write(place, WIDGET);
    }
    scratch.write("params.yaml", "maxReplicas: 5\n");
    scratch.write("list.json", r#"{"items": [{"name": "a"}]}"#);
    scratch.write("manifests/below/widget.yaml", MANIFEST);
    scratch.write("policies/small.yaml", POLICY);
    scratch.write("audit.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n");
    scratch.write("tests/widget.yaml", TEST);
    scratch.write("api/v1/types.go", GO);
    scratch.write("src/widget.rs", RUST);
    scratch.write("src/v1.rs", &RUST.replace("pub spec", "pub metadata: sprag::ObjectMeta,\n    pub spec"));
    scratch.write("api/tags.yaml", TAGS);
    for place in ["api.json", "old-api.json"] {
        scratch.write(place, &run::sprag_in(scratch.dir(), &["api", "snapshot", "api/v1"], "").stdout);
    }
    scratch.write("api-exceptions.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: ApiExceptions\n");
    for package in ["core", "apps", "resource"] {
        let text = GO.replace("Widget", "Deployment").replace("// +groupName=example.com\n", "");
        scratch.write(&format!("go/pkg/mod/k8s.io/api@v0.34.0/{package}/v1/types.go"), &text);
    }
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}\n", crd.trim_end().replace('\n', "\n  "));
    scratch.write("answers/crds", &list);
    scratch.write("answers/widgets", &format!("{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{WIDGET}]}}"));
    scratch.write("answers/deploy", DEPLOYMENT);
    scratch.write("bin/kubectl", "#!/bin/sh\ncat answers/$2\n");
    scratch.write("bin/kustomize", &format!("#!/bin/sh\ncat <<'E'\n{MANIFEST}E\n"));
    scratch.write("bin/helm", &format!("#!/bin/sh\ncat <<'E'\n---\n# Source: chart/templates/a.yaml\n{MANIFEST}E\n"));
    scratch.write("bin/jq", "#!/bin/sh\ncat\n");
    scratch.write("bin/go", "#!/bin/sh\ntest -x \"$KUBEBUILDER_ASSETS/kube-apiserver\" || exit 2\n");
    for tool in ["kubectl", "kustomize", "helm", "jq", "go"] {
        fs::set_permissions(scratch.join(&format!("bin/{tool}")), fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_sprag"), scratch.join("bin/sprag")).unwrap();
    scratch
}

/// Runs a line of shell in the project.
fn shell(scratch: &Scratch, line: &str) -> Command {
    let path = format!("{}:{}", scratch.path("bin"), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(scratch.dir()).env("PATH", path).env("HOME", scratch.dir());
    command
        .env_remove("GOMODCACHE")
        .env_remove("GOPATH")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn every_example_of_every_help_page_works() {
    let mut found = Vec::new();
    pages(&[], &mut found);
    assert!(found.len() > 10, "{}", found.len());
    let mut count = 0;
    for (command, help) in &found {
        for example in examples(help) {
            count += 1;
            let scratch = project(&format!("example-{count}"));
            let has_git = Command::new("sh").current_dir(scratch.dir()).args(["-c", REPOSITORY]).output().unwrap();
            if example.contains("origin/main") && !has_git.status.success() {
                eprintln!("skipped: {example}: the git command is missing");
                continue;
            }
            if example.contains("--verify") {
                let made = shell(&scratch, &example.replace(" --verify", "")).output().unwrap();
                assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            }
            if example.starts_with("sprag backup") || example.starts_with("sprag restore") {
                serve(&scratch, "sprag serve");
                let copied = shell(&scratch, "sprag backup .sprag monday.backup").output().unwrap();
                assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
            }
            if example.starts_with("sprag kubeconfig") {
                serve(&scratch, "sprag serve");
            }
            let server = example.starts_with("sprag serve");
            let run = if server { serve(&scratch, example) } else { finish(&scratch, example) };
            let (code, stderr) = run;
            let is_fine = matches!(code, Some(0 | 1)) && !stderr.contains("error:");
            assert!(is_fine, "sprag {}: {example}\nexit {code:?}\n{stderr}", command.join(" "));
        }
    }
    assert!(count > 30, "{count}");
}

const REPOSITORY: &str = "git init -q -b main && git add -A && git -c user.name=a -c user.email=a@b -c commit.gpgsign=false \
    commit -q -m x && git update-ref refs/remotes/origin/main HEAD";

fn finish(scratch: &Scratch, example: &str) -> (Option<i32>, String) {
    let output = shell(scratch, example).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Starts a server, waits for its first line and ends it.
fn serve(scratch: &Scratch, example: &str) -> (Option<i32>, String) {
    // The port that is meant may be taken; any other does as well.
    let line =
        if example.contains("--listen") { example.to_owned() } else { format!("{example} --listen 127.0.0.1:0") };
    let mut child: Child = shell(scratch, &format!("exec {line}")).spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    let stderr = child.stderr.take().unwrap();
    let (lines, first) = mpsc::channel();
    for stream in [Box::new(stdout) as Box<dyn std::io::Read + Send>, Box::new(stderr)] {
        let lines = lines.clone();
        thread::spawn(move || {
            let mut text = String::new();
            let _ = BufReader::new(stream).take(4096).read_line(&mut text);
            let _ = lines.send(text);
        });
    }
    let said = first.recv_timeout(Duration::from_mins(1));
    let ended = child.try_wait().unwrap();
    let _ = child.kill();
    let _ = child.wait();
    let said = said.unwrap_or_else(|_| "error: nothing was said".to_owned());
    (ended.map_or(Some(0), |status| status.code()), said)
}
