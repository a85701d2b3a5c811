//! `sprag validate` from start to exit: 10,000 manifests of half a kilobyte in 100 files, with a CEL rule.
//!
//! kubeconform with a plain JSON schema takes 1.7 s (3.0 s of processor time, 20 MB) for as much on two cores.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use divan::Bencher;

fn main() {
    divan::main();
}

const FILES: usize = 100;
const OBJECTS: usize = 100;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
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
            required: [size]
            x-kubernetes-validations:
            - {rule: '!has(self.limit) || self.size <= self.limit', message: size must not be above limit}
            properties:
              size: {type: integer, minimum: 0}
              limit: {type: integer}
              replicas: {type: integer}
              image: {type: string, maxLength: 200}
              mode: {type: string, enum: [Fast, Slow]}
              parts:
                type: array
                maxItems: 16
                items:
                  type: object
                  properties:
                    name: {type: string, maxLength: 63}
                    weight: {type: integer}
                    tags: {type: array, items: {type: string}}
";

/// Writes the manifests, once.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validate-bench");
    fs::create_dir_all(folder.join("manifests")).unwrap();
    fs::write(folder.join("crd.yaml"), CRD).unwrap();
    for file in 0..FILES {
        let mut text = String::new();
        for object in 0..OBJECTS {
            document(&mut text, file, file * OBJECTS + object);
        }
        fs::write(folder.join(format!("manifests/{file:03}.yaml")), text).unwrap();
    }
    folder
}

fn document(text: &mut String, file: usize, number: usize) {
    write!(
        text,
        "---\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: widget-{number:05}\n  namespace: default\n  labels:\n    \
         app.kubernetes.io/name: widget\n    app.kubernetes.io/part-of: bench-{file:02}\n  annotations:\n    example.com/owner: \
         \"team-{}@example.com\"\nspec:\n  size: {}\n  limit: 10\n  mode: Fast\n  replicas: 3\n  image: \
         registry.example.com/widgets/widget:v1.2.{}\n  parts:\n  - name: left\n    weight: 10\n    tags: [a, b]\n  - name: right\n    \
         weight: 20\n    tags: [c, d]\n",
        number % 7,
        number % 10,
        number % 100,
    )
    .unwrap();
}

fn validate(folder: &Path, more: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
    let output =
        command.current_dir(folder).args(["validate", "-f", "manifests", "--crds", "crd.yaml"]).args(more).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn all_cores(bencher: Bencher<'_, '_>) {
    let folder = folder();
    bencher.bench_local(|| validate(&folder, &[]));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn one_thread(bencher: Bencher<'_, '_>) {
    let folder = folder();
    bencher.bench_local(|| validate(&folder, &["-n", "1"]));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn updates(bencher: Bencher<'_, '_>) {
    let folder = folder();
    bencher.bench_local(|| validate(&folder, &["--old", "manifests"]));
}

/// 10,000 files with a deployment of three containers each, about which the API server has five warnings.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn deployments(bencher: Bencher<'_, '_>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validate-bench-deployments");
    fs::create_dir_all(&folder).unwrap();
    let text = deployment();
    for number in 0..FILES * OBJECTS {
        fs::write(folder.join(format!("{number:05}.yaml")), &text).unwrap();
    }
    bencher.bench_local(|| {
        let output = Command::new(env!("CARGO_BIN_EXE_sprag")).arg("validate").arg("-f").arg(&folder).output().unwrap();
        assert!(output.status.success());
    });
}

/// As `deployment.json` of the recorded bench objects.
fn deployment() -> String {
    let mut text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: default\n  labels:\n    app: web\n\
                    spec:\n  replicas: 3\n  selector:\n    matchLabels:\n      app: web\n  strategy:\n    type: RollingUpdate\n    \
                    rollingUpdate:\n      maxSurge: 25%\n      maxUnavailable: 0\n  template:\n    metadata:\n      labels:\n        \
                    app: web\n      annotations:\n        a: b\n    spec:\n      serviceAccountName: web\n      volumes:\n        - \
                    name: cfg\n          configMap:\n            name: web\n        - name: tmp\n          emptyDir: {}\n      \
                    containers:\n"
        .to_owned();
    for name in ["app", "proxy", "log"] {
        write!(
            text,
            "        - name: {name}\n          image: registry.example/{name}:1\n          args:\n            - --x\n            - --y\n          \
             ports:\n            - name: http\n              containerPort: 8080\n              protocol: TCP\n          resources:\n            \
             requests:\n              cpu: 100m\n              memory: 128Mi\n            limits:\n              memory: 256Mi\n          \
             livenessProbe:\n            httpGet:\n              path: /healthz\n              port: 8080\n            periodSeconds: 10\n          \
             volumeMounts:\n            - name: cfg\n              mountPath: /etc/cfg\n            - name: tmp\n              mountPath: \
             /tmp\n          env:\n"
        )
        .unwrap();
        for at in 0..12 {
            write!(text, "            - name: E{at}\n              value: v{at}\n").unwrap();
        }
    }
    text
}

/// Slices of 100 devices each, whose types are declared in Rust: the interpreter judges structs with many optional fields.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn declared(bencher: Bencher<'_, '_>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validate-bench-declared");
    fs::create_dir_all(&folder).unwrap();
    let slices: String = (0..OBJECTS).map(slice).collect();
    fs::write(folder.join("slices.yaml"), slices).unwrap();
    let types = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/src/api.rs");
    bencher.bench_local(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sprag"));
        command.current_dir(&folder).args(["validate", "-n", "1", "-f", "slices.yaml", "--types"]).arg(&types);
        let output = command.args(["--option", "DRAPartitionableDevicesType=false"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    });
}

fn slice(number: usize) -> String {
    let mut text = format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: slice-{number}\nspec:\n  driver: \
         gpu.example.com\n  pool:\n    name: pool-a\n    generation: 1\n    resourceSliceCount: 1\n  nodeName: node-1\n  devices:\n"
    );
    for device in 0..100 {
        write!(
            text,
            "  - name: gpu-{device}\n    attributes:\n      healthy: {{bool: true}}\n      index: {{int: {device}}}\n      model: \
             {{string: h200}}\n    capacity:\n      memory: {{value: 141Gi}}\n"
        )
        .unwrap();
    }
    text
}
