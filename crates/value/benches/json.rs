//! Reading, cloning, comparing and looking up against `serde_json`.

use std::fmt::Write as _;
use std::hash::Hash as _;

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use sprag_value::{FirstIndex, Value, json};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"default","uid":"2f1c9a3e-6d1b-4a8c-9a53-0c9f6a7d1e55","resourceVersion":"184467","creationTimestamp":"2024-05-01T10:00:00Z","labels":{"app.kubernetes.io/name":"web","tier":"frontend"},"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n"}},"spec":{"containers":[{"name":"web","image":"registry.example/web:1.25.3","imagePullPolicy":"IfNotPresent","ports":[{"containerPort":8080,"protocol":"TCP"}],"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"250m","memory":"64Mi"}},"terminationMessagePath":"/dev/termination-log"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"serviceAccountName":"default","nodeName":"node-17"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2024-05-01T10:00:05Z"}],"hostIP":"10.0.0.17","podIP":"10.1.2.3","startTime":"2024-05-01T10:00:01Z"}}"#;

fn pod_list() -> String {
    let mut text = String::from(r#"{"apiVersion":"v1","kind":"PodList","items":["#);
    for i in 0..800 {
        let pod = POD.replace("web-0", &format!("web-{i}"));
        let comma = if i == 0 { "" } else { "," };
        write!(text, "{comma}{pod}").expect("writing to a string does not fail");
    }
    text + "]}"
}

fn text(name: &str) -> String {
    if name == "pod" { POD.to_owned() } else { pod_list() }
}

const TEXTS: [&str; 2] = ["pod", "list"];

#[divan::bench_group]
mod parse {
    use super::{Bencher, BytesCount, TEXTS, black_box, json, text};

    #[divan::bench(args = TEXTS)]
    fn ours(bencher: Bencher<'_, '_>, name: &str) {
        let text = text(name);
        let text = text.as_bytes();
        bencher.counter(BytesCount::of_slice(text)).bench(|| json::parse(black_box(text)));
    }

    #[divan::bench(args = TEXTS)]
    fn serde_json(bencher: Bencher<'_, '_>, name: &str) {
        let text = text(name);
        let text = text.as_bytes();
        bencher
            .counter(BytesCount::of_slice(text))
            .bench(|| ::serde_json::from_slice::<::serde_json::Value>(black_box(text)));
    }
}

#[divan::bench_group]
mod print {
    use super::{Bencher, BytesCount, TEXTS, black_box, json, text};

    #[divan::bench(args = TEXTS)]
    fn ours(bencher: Bencher<'_, '_>, name: &str) {
        let text = text(name);
        let value = json::parse(text.as_bytes()).expect("the text is JSON");
        bencher.counter(BytesCount::of_str(&text)).bench(|| json::to_string(black_box(&value)));
    }

    #[divan::bench(args = TEXTS)]
    fn serde_json(bencher: Bencher<'_, '_>, name: &str) {
        let text = text(name);
        let value: ::serde_json::Value = ::serde_json::from_str(&text).expect("the text is JSON");
        bencher.counter(BytesCount::of_str(&text)).bench(|| black_box(&value).to_string());
    }
}

#[divan::bench_group]
mod clone_and_change {
    use super::{Bencher, TEXTS, black_box, json, text};

    #[divan::bench(args = TEXTS)]
    fn ours(bencher: Bencher<'_, '_>, name: &str) {
        let value = json::parse(text(name).as_bytes()).expect("the text is JSON");
        bencher.bench(|| {
            let mut copy = black_box(&value).clone();
            copy.insert("kind", "Changed");
            copy
        });
    }

    #[divan::bench(args = TEXTS)]
    fn serde_json(bencher: Bencher<'_, '_>, name: &str) {
        let value: ::serde_json::Value = ::serde_json::from_str(&text(name)).expect("the text is JSON");
        bencher.bench(|| {
            let mut copy = black_box(&value).clone();
            copy["kind"] = "Changed".into();
            copy
        });
    }
}

#[divan::bench_group]
mod lookup {
    use super::{Bencher, POD, Value, black_box, json};

    #[divan::bench]
    fn ours(bencher: Bencher<'_, '_>) {
        let value = json::parse(POD.as_bytes()).expect("the text is JSON");
        bencher
            .bench(|| black_box(&value).lookup(&["metadata", "labels", "tier"]).and_then(Value::as_str).map(str::len));
    }

    #[divan::bench]
    fn serde_json(bencher: Bencher<'_, '_>) {
        let value: ::serde_json::Value = ::serde_json::from_str(POD).expect("the text is JSON");
        bencher.bench(|| {
            let tier = ["metadata", "labels", "tier"].iter().try_fold(black_box(&value), |value, key| value.get(key));
            tier.and_then(|tier| tier.as_str()).map(str::len)
        });
    }
}

#[divan::bench(args = [4, 128, 256, 4096])]
fn index_of_names(bencher: Bencher<'_, '_>, len: usize) {
    let names: Vec<String> = (0..len).map(|i| format!("device-{i}")).collect();
    bencher.bench(|| {
        let names = black_box(&names);
        FirstIndex::build(len, |i, hasher| names[i].hash(hasher), |i, j| names[i] == names[j])
            .find(|hasher| "device-3".hash(hasher), |i| names[i] == "device-3")
    });
}
