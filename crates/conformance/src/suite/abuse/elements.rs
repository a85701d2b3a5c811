//! Bodies of many small elements: a few bytes each to send, and many times as many in memory.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::errors::definition;
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(one_at_a_time), case!(many_at_once)];

const PODS: &str = "/api/v1/namespaces/default/pods";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const FREE: &str = "/apis/abuse.dev/v1/namespaces/default/frees";
const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
pub(super) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const APPLY: &str = "application/apply-patch+yaml";
/// About as many containers as the server takes in one object: each has an object of resources, too.
const MOST: usize = 65_000;
/// Memory that may be left a moment after, in MB.
const LEFT: f64 = 100.0;

/// A request with a body of many elements.
struct Bomb {
    name: &'static str,
    method: &'static str,
    path: String,
    content_type: &'static str,
    body: Vec<u8>,
}

/// A length in protobuf.
pub(super) fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 128 {
        bytes.push(u8::try_from(number % 128).unwrap_or(0) | 128);
        number /= 128;
    }
    bytes.push(u8::try_from(number).unwrap_or(0));
    bytes
}

/// A field of bytes in protobuf.
pub(super) fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&varint(usize::from(number) << 3 | 2)[..], &varint(bytes.len()), bytes].concat()
}

/// An object of the core group in protobuf.
fn message(kind: &str, raw: &[u8]) -> Vec<u8> {
    message_of("v1", kind, raw)
}

/// An object in protobuf.
pub(super) fn message_of(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let type_meta = field(1, &[field(1, api_version.as_bytes()), field(2, kind.as_bytes())].concat());
    [b"k8s\0".to_vec(), type_meta, field(2, raw)].concat()
}

/// A text with as many elements as fit.
fn text(size: usize, before: &str, element: &str, after: &str) -> Vec<u8> {
    let count = (size - before.len() - after.len()) / element.len();
    let elements = element.repeat(count);
    format!("{before}{}{after}", elements.trim_end_matches(',')).into_bytes()
}

/// A text with as many different members as fit.
fn members(size: usize, before: &str, value: &str, after: &str) -> Vec<u8> {
    let mut body = before.to_owned();
    let mut number = 0;
    while body.len() + after.len() + 20 < size {
        if number > 0 {
            body.push(',');
        }
        let _ = write!(body, "\"{number:x}\":{value}");
        number += 1;
    }
    body.push_str(after);
    body.into_bytes()
}

fn bombs(size: usize) -> Vec<Bomb> {
    let post = |name, path: &str, content_type, body| Bomb { name, method: "POST", path: path.to_owned(), content_type, body };
    let patch = |name, path: &str, content_type, body| Bomb { name, method: "PATCH", path: path.to_owned(), content_type, body };
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"containers":["#;
    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"#;
    let free = r#"{"apiVersion":"abuse.dev/v1","kind":"Free","metadata":{"name":"x"},"spec":"#;
    let containers = field(2, &[0x12, 0].repeat(size / 2));
    let volumes = field(2, &[0x0a, 0].repeat(size / 2));
    let owners = field(1, &[0x6a, 0].repeat(size / 2));
    let finalizers = field(1, &[0x72, 0].repeat(size / 2));
    let fields = field(1, &[0x8a, 1, 0].repeat(size / 3));
    let item = &format!("{MAPS}/known");
    vec![
        post("containers in protobuf", PODS, PROTOBUF, message("Pod", &containers)),
        post("volumes in protobuf", PODS, PROTOBUF, message("Pod", &volumes)),
        post("owners in protobuf", MAPS, PROTOBUF, message("ConfigMap", &owners)),
        post("finalizers in protobuf", MAPS, PROTOBUF, message("ConfigMap", &finalizers)),
        post("managed fields in protobuf", MAPS, PROTOBUF, message("ConfigMap", &fields)),
        post("entries in protobuf", MAPS, PROTOBUF, message("ConfigMap", &[0x12, 0].repeat(size / 2))),
        post("most containers", PODS, PROTOBUF, message("Pod", &field(2, &[0x12, 0].repeat(MOST)))),
        post("containers in JSON", PODS, JSON, text(size, pod, "{},", "]}}")),
        post("containers in YAML", PODS, YAML, text(size, pod, "{},", "]}}")),
        post("unknown members in JSON", PODS, JSON, text(size, &format!("{pod}]}},\"x\":["), "[],", "]}")),
        post("owners in JSON", MAPS, JSON, text(size, &format!("{map}\",\"ownerReferences\":["), "{},", "]}}")),
        post("managed fields in JSON", MAPS, JSON, text(size, &format!("{map}\",\"managedFields\":["), "{},", "]}}")),
        post("owned fields in JSON", MAPS, JSON, members(size, &format!("{map}\",\"managedFields\":[{{\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{{"), "{}", "}}]}}")),
        post("data in JSON", MAPS, JSON, members(size, &format!("{map}\"}},\"data\":{{"), "\"\"", "}}")),
        post("data in YAML", MAPS, YAML, members(size, &format!("{map}\"}},\"data\":{{"), "\"\"", "}}")),
        post("labels in JSON", MAPS, JSON, members(size, &format!("{map}\",\"labels\":{{"), "\"\"", "}}}")),
        post("free objects", FREE, JSON, text(size, &format!("{free}["), "{},", "]}")),
        post("free numbers", FREE, JSON, text(size, &format!("{free}["), "1,", "]}")),
        post("free members", FREE, JSON, members(size, &format!("{free}{{"), "1", "}}")),
        post("free objects in YAML", FREE, YAML, text(size, &format!("{free}["), "{},", "]}")),
        patch("JSON patch of containers", item, "application/json-patch+json", text(size, "[{\"op\":\"add\",\"path\":\"/data\",\"value\":[", "{},", "]}]")),
        patch("JSON patch of operations", item, "application/json-patch+json", text(size, "[", "{},", "]")),
        patch("merge patch of data", item, "application/merge-patch+json", members(size, "{\"data\":{", "\"\"", "}}")),
        patch("strategic patch of data", item, "application/strategic-merge-patch+json", members(size, "{\"data\":{", "\"\"", "}}")),
        patch("strategic patch of owners", item, "application/strategic-merge-patch+json", text(size, "{\"metadata\":{\"ownerReferences\":[", "{\"uid\":\"1\"},", "]}}")),
        patch("apply of data", &format!("{item}?fieldManager=m&force=true"), APPLY, members(size, &map.replace("\"x", "\"known\"},\"data\":{"), "\"\"", "}}")),
        patch("apply of free members", &format!("{FREE}/known?fieldManager=m"), APPLY, members(size, &free.replace("\"x\"", "\"known\"").replace("\"spec\":", "\"spec\":{"), "1", "}}")),
        patch("apply of free objects", &format!("{FREE}/known?fieldManager=m"), APPLY, text(size, &free.replace("\"x\"", "\"known\"").replace("\"spec\":", "\"spec\":["), "{},", "]}")),
        Bomb { name: "options of a delete", method: "DELETE", path: item.clone(), content_type: JSON, body: text(size, "{\"dryRun\":[", "\"\",", "]}") },
    ]
}

async fn prepare(arena: &Arena) -> Result<(), String> {
    let spec = json!({"x-kubernetes-preserve-unknown-fields": true});
    arena.post(DEFINITIONS, &definition("frees", "Free", spec)).await?.expect(201)?;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "known"}});
    arena.post(MAPS, &map).await?.expect(201)?;
    Ok(())
}

/// Sends a body; the answer may be anything but a failure of the server.
async fn send(arena: Arc<Arena>, bomb: Arc<Bomb>) -> Result<u16, String> {
    let path = if bomb.path.contains('?') { format!("{}&dryRun=All", bomb.path) } else { format!("{}?dryRun=All", bomb.path) };
    let answer = arena.ask(bomb.method, &path, bomb.content_type, bomb.body.clone()).await;
    let answer = answer.map_err(|error| format!("{}: {error}", bomb.name))?;
    if answer.code >= 500 {
        return Err(format!("{}: {} {:.200}", bomb.name, answer.code, answer.text()));
    }
    Ok(answer.code)
}

/// Sends each body so many times at once; the largest figures are the result.
async fn bombard(arena: &Arc<Arena>, at_once: usize) -> Outcome {
    prepare(arena).await?;
    let mut largest = (0.0_f64, "");
    let mut longest = (Duration::ZERO, "");
        // As large as a body may be, or less for every day.
    let size = arena.count(400_000, 3_000_000);
    for bomb in bombs(size).into_iter().map(Arc::new) {
        let started = Instant::now();
        let before = arena.cost();
        let mut sending = JoinSet::new();
        for _ in 0..at_once {
            sending.spawn(send(arena.clone(), bomb.clone()));
        }
        let mut peak = 0.0_f64;
        let mut codes = Vec::new();
        loop {
            peak = peak.max(arena.cost() - before);
            tokio::select! {
                sent = sending.join_next() => match sent {
                    None => break,
                    Some(sent) => codes.push(sent.map_err(|error| error.to_string())??),
                },
                () = sleep(Duration::from_millis(5)) => {}
            }
        }
        let took = started.elapsed();
        if std::env::var_os("SPRAG_FIGURES").is_some() {
            super::Report::note(&format!("  {:<32} {peak:>7.0} MB {:>6} ms {codes:?}", bomb.name, took.as_millis()));
        }
        if peak > largest.0 {
            largest = (peak, bomb.name);
        }
        if took > longest.0 {
            longest = (took, bomb.name);
        }
    }
    let ended = Instant::now();
    while arena.cost() > LEFT && ended.elapsed() < Duration::from_mins(1) {
        sleep(Duration::from_millis(50)).await;
    }
    let text = format!(
        "{at_once} at once: {:.0} MB at most ({}), {} ms at most ({}), {:.0} MB left",
        largest.0,
        largest.1,
        longest.0.as_millis(),
        longest.1,
        arena.cost()
    );
    if arena.cost() > LEFT { Err(text) } else { Ok(text) }
}

async fn one_at_a_time(arena: &Arc<Arena>) -> Outcome {
    bombard(arena, 1).await
}

async fn many_at_once(arena: &Arc<Arena>) -> Outcome {
    bombard(arena, arena.count(3, 8)).await
}
