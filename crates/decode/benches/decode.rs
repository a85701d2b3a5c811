//! Reading and printing; the objects of the shared corpus are used when they are there.
#![expect(clippy::disallowed_methods, reason = "the corpus is in files")]

use std::path::PathBuf;

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use sprag_decode::{Format, json, locate, stream, typed, yaml};
use sprag_shape::meta;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

const MANIFEST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-0001
  namespace: default
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: web-0001
    tier: frontend
  annotations:
    description: \"a small manifest\"
data:
  mode: fast
  replicas: \"3\"
  config.yaml: |
    server:
      port: 8080
      hosts:
      - a.example.com
      - b.example.com
    log: info
  key1: some value that is a bit longer
";

fn corpus(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus")).join(path)
}

/// A large object: one of the corpus, or many generated members without a corpus.
fn large_json() -> Vec<u8> {
    std::fs::read(corpus("bench-objects/fleet-1mb.json")).unwrap_or_else(|_| {
        let members: Vec<String> =
            (0..20_000).map(|at| format!("{{\"name\":\"node-{at}\",\"weight\":{at}}}")).collect();
        format!("{{\"kind\":\"Fleet\",\"spec\":{{\"nodes\":[{}]}}}}", members.join(",")).into_bytes()
    })
}

fn large_yaml() -> String {
    yaml::to_string(&json::decode(&large_json()).expect("the corpus is JSON"))
}

fn crds() -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(corpus("crds")).into_iter().flatten();
    files.filter_map(|file| std::fs::read(file.ok()?.path()).ok()).collect()
}

mod read {
    use super::{
        Bencher, BytesCount, MANIFEST, black_box, crds, json, large_json, large_yaml, meta, stream, typed, yaml,
    };

    #[divan::bench]
    fn json_lenient(bencher: Bencher<'_, '_>) {
        let text = large_json();
        bencher.counter(BytesCount::of_slice(&text)).bench(|| json::decode(black_box(&text)));
    }

    #[divan::bench]
    fn json_strict(bencher: Bencher<'_, '_>) {
        let text = large_json();
        bencher.counter(BytesCount::of_slice(&text)).bench(|| json::decode_strict(black_box(&text)));
    }

    #[divan::bench]
    fn yaml_strict(bencher: Bencher<'_, '_>) {
        let text = large_yaml();
        bencher.counter(BytesCount::of_str(&text)).bench(|| yaml::decode_strict(black_box(text.as_bytes())));
    }

    #[divan::bench]
    fn yaml_manifests(bencher: Bencher<'_, '_>) {
        let text = vec![MANIFEST; 100].join("---\n");
        bencher
            .counter(BytesCount::of_str(&text))
            .bench(|| stream::documents(black_box(text.as_bytes())).flatten().count());
    }

    #[divan::bench]
    fn yaml_crds(bencher: Bencher<'_, '_>) {
        let texts = crds();
        let bytes: usize = texts.iter().map(Vec::len).sum();
        bencher.counter(BytesCount::new(bytes)).bench(|| {
            let documents = texts.iter().flat_map(|text| stream::documents(black_box(text)));
            documents.flatten().count()
        });
    }

    #[divan::bench]
    fn metadata(bencher: Bencher<'_, '_>) {
        let text = br#"{"name":"a","namespace":"default","labels":{"app":"web","tier":"frontend"},"uid":"2f1c9a3e","generation":3}"#;
        bencher
            .counter(BytesCount::of_slice(text))
            .bench(|| typed::decode_json(meta::shapes(), meta::OBJECT_META, black_box(text)));
    }
}

mod print {
    use super::{Bencher, black_box, json, large_json};

    #[divan::bench]
    fn yaml(bencher: Bencher<'_, '_>) {
        let value = json::decode(&large_json()).expect("the corpus is JSON");
        bencher.bench(|| super::yaml::to_string(black_box(&value)));
    }
}

#[divan::bench]
fn place_of_a_field(bencher: Bencher<'_, '_>) {
    bencher.bench(|| locate::locate(Format::Yaml, black_box(MANIFEST.as_bytes()), "metadata.labels[tier]"));
}
