//! `sprag validate --render`: charts and kustomizations rendered by stand-ins and, where it is there, by kubectl.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::run::{self, Run};
use crate::scratch::Scratch;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n";

/// Writes a program for the folder that stands for the PATH.
fn program(scratch: &Scratch, name: &str, text: &str) {
    let path = format!("bin/{name}");
    scratch.write(&path, text);
    fs::set_permissions(scratch.join(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs with the stand-ins as the only programs, beside those of the system.
fn rendered(scratch: &Scratch, folder: &str, args: &[&str]) -> Run {
    let mut command = run::command(&[&["validate"], args].concat());
    let path = format!("{}:/usr/bin:/bin", scratch.path("bin"));
    Run::of(command.current_dir(scratch.join(folder)).env("PATH", path).output().unwrap())
}

#[test]
fn charts_and_kustomizations_are_rendered_when_the_command_line_asks() {
    let scratch = Scratch::new("repository-render");
    // Stand-ins, which note how they were called.
    program(
        &scratch,
        "helm",
        "#!/bin/sh\necho \"helm $* $HELM_NO_PLUGINS $HTTPS_PROXY\" >> called\nprintf -- '---\\n# Source: web/templates/pod.yaml\\napiVersion: v1\\nkind: Pod\\nmetadata: {name: A}\\nspec: {containers: [{name: c, image: i}]}\\n'\n",
    );
    program(
        &scratch,
        "kustomize",
        "#!/bin/sh\necho \"kustomize $* $GIT_ALLOW_PROTOCOL\" >> called\nprintf 'apiVersion: v1\\nkind: Pod\\nmetadata: {name: a}\\nspec: {containers: [{name: c, image: i}]}\\n'\n",
    );
    let top = "repo";
    scratch.write("repo/chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    scratch.write("repo/chart/templates/pod.yaml", "{{ include \"pod\" . }}\n");
    scratch.write("repo/chart/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n");
    scratch.write("repo/chart/post-renderer.sh", "#!/bin/sh\ntouch ran\n");
    scratch.write("repo/base/kustomization.yaml", "kind: Kustomization\nresources: [pod.yaml]\n");
    scratch.write("repo/base/pod.yaml", POD);
    scratch.write("repo/prod/kustomization.yaml", "resources: [../base]\n");
    scratch.write("repo/exec/kustomization.yaml", "resources: []\ntransformers: [plugin.yaml]\n");
    scratch.write(
        "repo/exec/plugin.yaml",
        "apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a, annotations: {config.kubernetes.io/function: \"exec: {path: ./run.sh}\"}}\n",
    );
    scratch.write("repo/remote/kustomization.yaml", "resources: [../far]\n");
    scratch.write("repo/far/kustomization.yaml", "resources: [https://example.com/a.yaml]\n");
    scratch.write(
        "repo/.sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {filenames: [.], recursive: true}\n",
    );
    assert_eq!(rendered(&scratch, top, &["."]).code, Some(0));
    assert!(!scratch.join("repo/called").exists(), "nothing is run without the flag");
    let run = rendered(&scratch, top, &["--render", "."]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("Pod A (v1) from chart/templates/pod.yaml"), "{}", run.stdout);
    let called = fs::read_to_string(scratch.join("repo/called")).unwrap();
    let mut calls: Vec<&str> = called.lines().collect();
    calls.sort_unstable();
    assert_eq!(
        calls,
        [
            "helm template release-name ./chart 1 http://127.0.0.1:9",
            "kustomize build ./exec none",
            "kustomize build ./prod none",
        ]
    );
    assert!(run.stderr.contains("--render: remote: names something on another machine"), "{}", run.stderr);
    scratch.write("repo/.sprag.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {render: true}\n");
    let run = rendered(&scratch, top, &["."]);
    assert!(run.stderr.contains("there is no key \"render\""), "{}", run.stderr);
}

/// Runs with kubectl as the only program that renders.
fn by_kubectl(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = run::command(&[&["validate", "--render"], args].concat());
    Run::of(command.current_dir(scratch.dir()).env("PATH", "/usr/bin:/bin").output().unwrap())
}

/// True, with a line, where only stand-ins could render.
fn has_no_kubectl() -> bool {
    let is_absent = !Path::new("/usr/bin/kubectl").is_file() || Path::new("/usr/bin/kustomize").exists();
    if is_absent {
        eprintln!("skipped: there is no /usr/bin/kubectl, or a kustomize beside it");
    }
    is_absent
}

#[test]
fn kubectl_renders_kustomizations_with_components() {
    if has_no_kubectl() {
        return;
    }
    let scratch = Scratch::new("rendering-kubectl");
    // Neither whole without the overlay: the labels of selectors and an image come from there.
    scratch.write("base/kustomization.yaml", "resources: [web.yaml]\ncommonLabels: {app: web}\n");
    scratch.write(
        "base/web.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: c, image: i}]}}}\n",
    );
    scratch.write(
        "parts/wide/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: wide.yaml}]\n",
    );
    scratch.write(
        "parts/wide/wide.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: -3}\n",
    );
    scratch.write("prod/kustomization.yaml", "resources: [../base]\ncomponents: [../parts/wide]\n");
    let run = by_kubectl(&scratch, &["prod"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("error: spec.replicas: Invalid value: -3"), "{}", run.stdout);
    assert!(run.stdout.contains("kustomize build prod:"), "{}", run.stdout);
    scratch.write(
        "parts/wide/wide.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n",
    );
    assert_eq!(by_kubectl(&scratch, &["prod"]).code, Some(0));
}

#[test]
fn hostile_kustomizations_run_and_fetch_nothing() {
    if has_no_kubectl() {
        return;
    }
    let scratch = Scratch::new("rendering-hostile");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/x.yaml", listener.local_addr().unwrap());
    let exec = "apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a, annotations: {config.kubernetes.io/function: \"exec: {path: ./run.sh}\"}}\n";
    // Proxies are not asked for this machine, so that each of these would be fetched.
    for (name, text) in [
        ("resource", format!("resources: [pod.yaml, {address}]\n")),
        ("patch", format!("resources: [pod.yaml]\npatches: [{{path: {address}}}]\n")),
        ("plugin", format!("resources: [pod.yaml]\ntransformers: ['{address}']\n")),
        ("file", format!("resources: [pod.yaml]\nconfigMapGenerator: [{{name: a, files: ['x={address}']}}]\n")),
        ("openapi", format!("resources: [pod.yaml]\nopenapi: {{path: '{address}'}}\n")),
        ("hidden", "resources: [pod.yaml, ../.hidden]\n".to_owned()),
        ("function", "resources: [pod.yaml]\ntransformers: [function.yaml]\n".to_owned()),
    ] {
        scratch.write(&format!("repo/{name}/kustomization.yaml"), &text);
        scratch.write(&format!("repo/{name}/pod.yaml"), POD);
        scratch.write(&format!("repo/{name}/function.yaml"), exec);
        scratch.write(&format!("repo/{name}/run.sh"), "#!/bin/sh\ntouch ran\n");
        fs::set_permissions(scratch.join(&format!("repo/{name}/run.sh")), fs::Permissions::from_mode(0o755)).unwrap();
    }
    scratch.write("repo/.hidden/kustomization.yaml", &format!("resources: [{address}]\n"));
    let run = by_kubectl(&scratch, &["repo"]);
    let refused: Vec<&str> = run.stderr.lines().filter(|line| line.contains("on another machine")).collect();
    assert_eq!(refused.len(), 6, "{}", run.stderr);
    assert!(run.stdout.contains("error: external plugins disabled"), "{}", run.stdout);
    assert!(!scratch.join("ran").exists() && !scratch.join("repo/function/ran").exists());
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "something was fetched");
}

#[test]
fn charts_whose_schema_reaches_out_are_not_rendered() {
    let scratch = Scratch::new("rendering-schemas");
    program(&scratch, "helm", "#!/bin/sh\necho \"$*\" >> called\n");
    let schema = |text: &str| {
        format!(
            "{{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"properties\": {{\"a\": {{\"$ref\": \"{text}\"}}}}}}"
        )
    };
    for (name, reference) in
        [("own", "#/definitions/a"), ("file", "file:///etc/passwd"), ("web", "http://127.0.0.1/a"), ("outer", "")]
    {
        scratch.write(&format!("repo/{name}/Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n");
        if !reference.is_empty() {
            scratch.write(&format!("repo/{name}/values.schema.json"), &schema(reference));
        }
    }
    scratch.write("repo/outer/charts/inner/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n");
    scratch.write("repo/outer/charts/inner/values.schema.json", &schema("https://example.com/a"));
    scratch.write("repo/packed/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    scratch.write("repo/packed/charts/db-1.0.0.tgz", "");
    let run = rendered(&scratch, "repo", &["--render", "."]);
    for name in ["file", "web", "outer"] {
        let warning =
            format!("--render: {name}: the schema of its values refers to other files, and it is not rendered");
        assert!(run.stderr.contains(&warning), "{}", run.stderr);
    }
    assert_eq!(
        fs::read_to_string(scratch.join("repo/called")).unwrap(),
        "template release-name ./own\ntemplate release-name ./packed --skip-schema-validation\n"
    );
}

#[test]
fn helm_itself_renders_charts() {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&folders).any(|folder| folder.join("helm").is_file()) {
        eprintln!("skipped: there is no helm");
        return;
    }
    let scratch = Scratch::new("rendering-helm");
    scratch.write("chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    scratch.write("chart/values.yaml", "name: A\n");
    scratch.write("chart/values.schema.json", "{\"properties\": {\"name\": {\"$ref\": \"#/definitions/name\"}}, \"definitions\": {\"name\": {\"type\": \"string\"}}}");
    scratch.write(
        "chart/templates/pod.yaml",
        &POD.replace("{name: a}", "{name: {{ .Values.name }}{{ getHostByName \"a.example\" }}}"),
    );
    scratch
        .write("chart/templates/secret.yaml", "{{ if lookup \"v1\" \"Secret\" \"a\" \"b\" }}kind: Secret{{ end }}\n");
    scratch.write("chart/templates/NOTES.txt", "Hello\n");
    let run = |args: &[&str]| {
        let mut command = run::command(&[&["validate", "--render"], args].concat());
        command.env("HOME", scratch.dir()).env_remove("KUBECONFIG");
        Run::of(command.current_dir(scratch.dir()).output().unwrap())
    };
    let found = run(&["chart"]);
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains("Pod A (v1) from chart/templates/pod.yaml"), "{}", found.stdout);
    scratch.write("chart/values.yaml", "name: a\n");
    let clean = run(&["chart"]);
    assert!(clean.code == Some(0) && clean.stdout.contains("Valid: 1,"), "{}{}", clean.stdout, clean.stderr);
}
