//! Every number, amount, time and duration at the ends of its range, in every kind: no panic, no error of the server's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use super::arena::{Answer, Arena, Client};
use super::{Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(fields_of_every_kind),
    case!(stored_and_shown),
    Case {
        name: "parameters_and_headers",
        arguments: &[],
        files: None,
        attack: |arena| Box::pin(parameters_and_headers(arena)),
    },
    case!(arithmetic_of_rules),
    case!(bounds_of_schemas),
];

const JSON: &str = "application/json";
/// Objects are made so deep, and schemas in definitions begin at most so far inside.
const MAX_DEPTH: usize = 14;
const SCHEMA_DEPTH: usize = 6;

/// One end of every range.
struct End {
    int32: i64,
    int64: i64,
    double: f64,
    time: &'static str,
    quantity: &'static str,
    duration: &'static str,
}

const ENDS: [End; 7] = [
    End {
        int32: i32::MAX as i64,
        int64: i64::MAX,
        double: f64::MAX,
        time: "9999-12-31T23:59:59Z",
        quantity: "9223372036854775807",
        duration: "2562047h47m16.854775807s",
    },
    End {
        int32: i32::MIN as i64,
        int64: i64::MIN,
        double: f64::MIN,
        time: "0001-01-01T00:00:00Z",
        quantity: "-9223372036854775808",
        duration: "-2562047h47m16.854775808s",
    },
    End { int32: 0, int64: 0, double: 0.0, time: "1970-01-01T00:00:00Z", quantity: "0", duration: "0" },
    End { int32: -1, int64: -1, double: -0.0, time: "1969-12-31T23:59:59Z", quantity: "-1n", duration: "-1ns" },
    End {
        int32: 1,
        int64: 1,
        double: f64::MIN_POSITIVE,
        time: "2024-02-29T23:59:59.999999999Z",
        quantity: "1E18",
        duration: "9223372036854775807ns",
    },
    End {
        int32: i32::MAX as i64 - 1,
        int64: i64::MAX - 1,
        double: 9.3e18,
        time: "2024-02-29T23:59:59.999999999+23:59",
        quantity: "7Ei",
        duration: "9223372036s",
    },
    End {
        int32: 65_536,
        int64: 1 << 62,
        double: -9.3e18,
        time: "0000-12-31T23:59:59-23:59",
        quantity: "99999999999999999999999999999E99",
        duration: "2562047h",
    },
];

/// Integers beyond every range, as texts of JSON.
const BEYOND: [&str; 7] = [
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1e308",
    "-1e400",
    "0.5",
    "\"9223372036854775807\"",
];

/// The schemas of one group and version.
struct Schemas(Map<String, Value>);

/// A kind that can be created.
struct Kind {
    path: String,
    schema: Value,
    gvk: Value,
    has_status: bool,
}

impl Schemas {
    /// An object with every field of a schema that has a range at this end of it.
    fn object(&self, schema: &Value, end: &End, depth: usize) -> Value {
        let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str()).unwrap_or_default();
        let name = reference.rsplit('/').next().unwrap_or_default();
        match name.rsplit('.').next().unwrap_or_default() {
            "Quantity" => return json!(end.quantity),
            "Time" | "MicroTime" => return json!(end.time),
            "Duration" => return json!(end.duration),
            "IntOrString" => return json!(end.int32),
            "ObjectMeta" => {
                return json!({
                    "name": "x", "generation": end.int64, "deletionGracePeriodSeconds": end.int64,
                    "creationTimestamp": end.time, "deletionTimestamp": end.time,
                    "resourceVersion": "",
                });
            }
            // Schemas contain themselves in many ways.
            "JSONSchemaProps" if depth + SCHEMA_DEPTH < MAX_DEPTH => return json!({}),
            _ => {}
        }
        let schema = self.0.get(name).unwrap_or(schema);
        let text = |member: &str| schema[member].as_str().unwrap_or_default();
        match (text("type"), text("format")) {
            _ if depth == 0 => Value::Null,
            ("integer", "int32") | ("string", "int-or-string") => json!(end.int32),
            ("integer", _) => json!(end.int64),
            ("number", _) => json!(end.double),
            ("boolean", _) => json!(true),
            ("string", "date-time") => json!(end.time),
            ("string", "byte") => json!("AAAA"),
            ("string", _) => schema["enum"].as_array().and_then(|values| values.first()).cloned().unwrap_or(json!("a")),
            ("array", _) => json!([self.object(&schema["items"], end, depth - 1)]),
            ("object", _) if schema["additionalProperties"].is_object() => {
                json!({"a": self.object(&schema["additionalProperties"], end, depth - 1)})
            }
            ("object", _) => {
                let properties = schema["properties"].as_object().into_iter().flatten();
                properties.map(|(name, schema)| (name.clone(), self.object(schema, end, depth - 1))).collect()
            }
            _ if schema["oneOf"].is_array() => json!(end.int32),
            _ => json!({}),
        }
    }
}

async fn kinds(arena: &Arena) -> Result<Vec<(Schemas, Vec<Kind>)>, String> {
    let index = arena.get("/openapi/v3").await?.expect(200)?.json();
    let mut found = Vec::new();
    for (name, place) in index["paths"].as_object().into_iter().flatten() {
        if !name.starts_with("api") || !name.contains("/v") {
            continue;
        }
        let place = place["serverRelativeURL"].as_str().unwrap_or_default();
        let mut document = arena.get(place).await?.expect(200)?.json();
        let paths = document["paths"].as_object().cloned().unwrap_or_default();
        let mut kinds = Vec::new();
        for (path, methods) in &paths {
            let gvk = &methods["post"]["x-kubernetes-group-version-kind"];
            if gvk.is_null() || path.contains("{name}") {
                continue;
            }
            let content = &methods["post"]["requestBody"]["content"];
            let schema = content.as_object().and_then(|all| all.values().next()).map(|one| one["schema"].clone());
            kinds.push(Kind {
                path: path.replace("{namespace}", "default"),
                schema: schema.unwrap_or_default(),
                gvk: gvk.clone(),
                has_status: paths.contains_key(&format!("{path}/{{name}}/status")),
            });
        }
        let Value::Object(schemas) = document["components"]["schemas"].take() else { continue };
        found.push((Schemas(schemas), kinds));
    }
    Ok(found)
}

/// The answer, which must not be an error of the server's own.
fn sound(answer: &Answer, what: &str) -> Result<(), String> {
    let text = answer.text();
    // Upstream, too, answers some mistakes of clients with 500, without a reason.
    let is_internal = answer.code == 500 && answer.json()["reason"] == "InternalError";
    if is_internal {
        let text: String = text.chars().take(300).collect();
        return Err(format!("{what}: {}: {text}", answer.code));
    }
    Ok(())
}

async fn fields_of_every_kind(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let mut count = 0;
    for (schemas, kinds) in kinds(arena).await? {
        for kind in &kinds {
            for (index, end) in ENDS.iter().enumerate() {
                let mut object = schemas.object(&kind.schema, end, MAX_DEPTH);
                let group = kind.gvk["group"].as_str().filter(|group| !group.is_empty());
                let version = kind.gvk["version"].as_str().unwrap_or_default();
                object["apiVersion"] = json!(group.map_or(version.to_owned(), |group| format!("{group}/{version}")));
                object["kind"] = kind.gvk["kind"].clone();
                let query = "dryRun=All&fieldValidation=Ignore&fieldManager=m";
                let mut asks = vec![("POST", format!("{}?{query}", kind.path), JSON)];
                let apply = "application/apply-patch+yaml";
                asks.push(("PATCH", format!("{}/x?{query}", kind.path), apply));
                if kind.has_status {
                    asks.push(("PATCH", format!("{}/x/status?{query}", kind.path), apply));
                }
                for (method, path, content_type) in asks {
                    let what = format!("end {index} by {method} {path}");
                    let answer = client.ask(method, &path, content_type, object.to_string()).await;
                    sound(&answer.map_err(|error| format!("{what}: {error}"))?, &what)?;
                    count += 1;
                }
            }
        }
    }
    Ok(format!("{count} requests answered"))
}

/// Objects that are stored with the ends of ranges wherever they are valid, changed, printed as a table and deleted.
async fn stored_and_shown(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let all = kinds(arena).await?;
    let schemas: BTreeMap<(String, String), (&Schemas, &Kind)> = all
        .iter()
        .flat_map(|(schemas, kinds)| kinds.iter().map(move |kind| (schemas, kind)))
        .map(|(schemas, kind)| ((kind.gvk["group"].as_str().unwrap_or_default().to_owned(), kind.path.clone()), (schemas, kind)))
        .collect();
    let mut count = 0;
    let mut accepted = 0;
    for (path, api_version, kind, spec) in VALID {
        let Some(((_, _), (schemas, known))) = schemas.iter().find(|((_, known), _)| known == path) else {
            return Err(format!("{path} is not served"));
        };
        let mut object: Value = serde_json::from_str(spec).map_err(|error| format!("{kind}: {error}"))?;
        object["apiVersion"] = json!(api_version);
        object["kind"] = json!(kind);
        object["metadata"]["name"] = json!("x");
        client.ask("POST", path, JSON, object.to_string()).await?.expect(201).map_err(|error| format!("{kind}: {error}"))?;
        for (index, end) in ENDS.iter().enumerate() {
            let full = schemas.object(&known.schema, end, MAX_DEPTH);
            for (member, place) in [("spec", ""), ("status", "/status")] {
                if full[member].is_null() || (member == "status" && !known.has_status) {
                    continue;
                }
                // One field after the other, so that most are stored.
                for (name, value) in full[member].as_object().into_iter().flatten() {
                    let mut part = Map::new();
                    part.insert(name.clone(), value.clone());
                    let patch = json!({member: part}).to_string();
                    let target = format!("{path}/x{place}?fieldValidation=Ignore");
                    let answer = client.ask("PATCH", &target, "application/merge-patch+json", patch).await?;
                    sound(&answer, &format!("end {index} of {member}.{name} of {kind}"))?;
                    accepted += usize::from(answer.code == 200);
                    count += 1;
                }
            }
            let answer = client.table(path).await?;
            sound(&answer, &format!("end {index} of {kind} as a table"))?;
            count += 1;
        }
        for grace in ["9223372036854775807", "-9223372036854775808", "0"] {
            let answer = client.ask("DELETE", &format!("{path}/x?gracePeriodSeconds={grace}"), "", "").await?;
            sound(&answer, &format!("DELETE of {kind} in {grace} s"))?;
            sound(&client.table(path).await?, &format!("deleted {kind} as a table"))?;
            count += 2;
        }
    }
    Ok(format!("{count} requests answered, {accepted} changes stored"))
}

impl Client {
    async fn table(&mut self, path: &str) -> Result<Answer, String> {
        let accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
        self.ask_with("GET", path, &[("accept", accept)]).await
    }
}

const CORE: &str = "/api/v1/namespaces/default";

/// Kinds with arithmetic in rules, columns or deletion: path, version, kind and a valid object.
const VALID: &[(&str, &str, &str, &str)] = &[
    ("/api/v1/nodes", "v1", "Node", "{}"),
    (
        "/api/v1/namespaces/default/pods",
        "v1",
        "Pod",
        r#"{"spec": {"nodeName": "n", "terminationGracePeriodSeconds": 9223372036854775807, "containers": [{"name": "a", "image": "i"}]}}"#,
    ),
    (
        "/api/v1/namespaces/default/replicationcontrollers",
        "v1",
        "ReplicationController",
        r#"{"spec": {"selector": {"a": "b"}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}}}"#,
    ),
    ("/api/v1/namespaces/default/services", "v1", "Service", r#"{"spec": {"ports": [{"port": 80}]}}"#),
    ("/api/v1/namespaces/default/resourcequotas", "v1", "ResourceQuota", r#"{"spec": {"hard": {"pods": "1"}}}"#),
    ("/api/v1/namespaces/default/limitranges", "v1", "LimitRange", r#"{"spec": {"limits": [{"type": "Pod", "max": {"cpu": "9223372036854775807"}}]}}"#),
    (
        "/api/v1/namespaces/default/persistentvolumeclaims",
        "v1",
        "PersistentVolumeClaim",
        r#"{"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}}"#,
    ),
    (
        "/api/v1/persistentvolumes",
        "v1",
        "PersistentVolume",
        r#"{"spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1"}, "hostPath": {"path": "/a"}}}"#,
    ),
    (
        "/apis/apps/v1/namespaces/default/deployments",
        "apps/v1",
        "Deployment",
        r#"{"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}}}"#,
    ),
    (
        "/apis/apps/v1/namespaces/default/replicasets",
        "apps/v1",
        "ReplicaSet",
        r#"{"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}}}"#,
    ),
    (
        "/apis/apps/v1/namespaces/default/daemonsets",
        "apps/v1",
        "DaemonSet",
        r#"{"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}}}"#,
    ),
    (
        "/apis/apps/v1/namespaces/default/statefulsets",
        "apps/v1",
        "StatefulSet",
        r#"{"spec": {"serviceName": "a", "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}}}"#,
    ),
    (
        "/apis/apps/v1/namespaces/default/controllerrevisions",
        "apps/v1",
        "ControllerRevision",
        r#"{"revision": 9223372036854775807, "data": {}}"#,
    ),
    (
        "/apis/batch/v1/namespaces/default/jobs",
        "batch/v1",
        "Job",
        r#"{"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i"}]}}}}"#,
    ),
    (
        "/apis/batch/v1/namespaces/default/cronjobs",
        "batch/v1",
        "CronJob",
        r#"{"spec": {"schedule": "0 0 29 2 *", "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i"}]}}}}}}"#,
    ),
    (
        "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        r#"{"spec": {"maxReplicas": 2147483647, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}}"#,
    ),
    (
        "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
        "autoscaling/v1",
        "HorizontalPodAutoscaler",
        r#"{"spec": {"maxReplicas": 2147483647, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}}"#,
    ),
    (
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
        "policy/v1",
        "PodDisruptionBudget",
        r#"{"spec": {"minAvailable": 2147483647, "selector": {}}}"#,
    ),
    ("/apis/coordination.k8s.io/v1/namespaces/default/leases", "coordination.k8s.io/v1", "Lease", r#"{"spec": {}}"#),
    (
        "/apis/events.k8s.io/v1/namespaces/default/events",
        "events.k8s.io/v1",
        "Event",
        r#"{"eventTime": "9999-12-31T23:59:59.999999Z", "series": {"count": 2147483647, "lastObservedTime": "9999-12-31T23:59:59.999999Z"}, "action": "a", "reason": "r", "type": "Normal", "reportingController": "a.b/c", "reportingInstance": "i", "regarding": {"namespace": "default"}}"#,
    ),
    (
        "/api/v1/namespaces/default/events",
        "v1",
        "Event",
        r#"{"count": 2147483647, "firstTimestamp": "0001-01-01T00:00:01Z", "lastTimestamp": "9999-12-31T23:59:59Z", "involvedObject": {"namespace": "default"}}"#,
    ),
    ("/apis/scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", r#"{"value": -2147483648}"#),
    (
        "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
        "flowcontrol.apiserver.k8s.io/v1",
        "PriorityLevelConfiguration",
        r#"{"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 2147483647, "limitResponse": {"type": "Queue", "queuing": {"queues": 64, "handSize": 8, "queueLengthLimit": 2147483647}}}}}"#,
    ),
    (
        "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
        "resource.k8s.io/v1",
        "ResourceClaim",
        r#"{"spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 9223372036854775807}}]}}}"#,
    ),
    (
        "/apis/resource.k8s.io/v1/resourceslices",
        "resource.k8s.io/v1",
        "ResourceSlice",
        r#"{"spec": {"driver": "d.example.com", "pool": {"name": "p", "generation": 9223372036854775807, "resourceSliceCount": 9223372036854775807}, "nodeName": "n", "devices": [{"name": "d", "capacity": {"a": {"value": "9223372036854775807"}}}]}}"#,
    ),
    (
        "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
        "networking.k8s.io/v1",
        "Ingress",
        r#"{"spec": {"defaultBackend": {"service": {"name": "a", "port": {"number": 65535}}}}}"#,
    ),
    ("/apis/storage.k8s.io/v1/csinodes", "storage.k8s.io/v1", "CSINode", r#"{"spec": {"drivers": [{"name": "d", "nodeID": "n", "allocatable": {"count": 2147483647}}]}}"#),
    (
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
        "discovery.k8s.io/v1",
        "EndpointSlice",
        r#"{"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}], "ports": [{"name": "a", "port": 65535}]}"#,
    ),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Texts that are not valid numbers, times or durations, or not to Go.
const ODD: [&str; 17] = [
    "NaN",
    "-Infinity",
    "inf",
    "0x7fffffffffffffff",
    "-0",
    "+1",
    "1_000",
    "%2B9223372036854775807",
    "9223372036854775807ns",
    ".5s",
    "1h-1h",
    "\u{663}",
    "2024-02-29T23:59:60Z",
    "2023-02-29T00:00:00Z",
    "9223372036854775807h",
    "1e9h",
    "",
];

async fn parameters_and_headers(arena: Arc<Arena>) -> Outcome {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    arena.post(&format!("{CORE}/pods"), &pod).await?.expect(201)?;
    let mut values: Vec<String> = BEYOND.iter().map(|value| value.trim_matches('"').to_owned()).collect();
    for end in &ENDS {
        let amounts = [end.int32.to_string(), end.int64.to_string(), end.double.to_string()];
        values.extend(amounts.into_iter().chain([end.time, end.quantity, end.duration].map(str::to_owned)));
    }
    values.extend(ODD.map(str::to_owned));
    let mut tasks = JoinSet::new();
    for value in values {
        let arena = arena.clone();
        tasks.spawn(async move {
            let mut client = arena.client().await?;
            Ok::<usize, String>(parameters(&mut client, &value).await? + headers(&mut client, &value).await?)
        });
    }
    let mut count = tokens_of_lists(&mut arena.client().await?).await?;
    while let Some(done) = tasks.join_next().await {
        count += done.map_err(|error| error.to_string())??;
    }
    Ok(format!("{count} requests answered"))
}

async fn parameters(client: &mut Client, value: &str) -> Result<usize, String> {
    let value = value.replace('+', "%2B");
    let requests = [
        ("GET", format!("{MAPS}?limit={value}")),
        ("GET", format!("{MAPS}?limit=1&resourceVersionMatch=Exact&timeout=1s&resourceVersion={value}")),
        ("GET", format!("{MAPS}?resourceVersion={value}&resourceVersionMatch=Exact")),
        ("GET", format!("{MAPS}?timeoutSeconds={value}")),
        ("GET", format!("{MAPS}?timeout={value}")),
        ("GET", format!("{MAPS}?continue={value}")),
        ("GET", format!("{MAPS}/x?resourceVersion={value}&timeout=1s")),
        ("GET", format!("{MAPS}?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={value}")),
        ("POST", format!("{MAPS}?timeout={value}&dryRun=All")),
        ("DELETE", format!("{MAPS}/x?gracePeriodSeconds={value}")),
        ("DELETE", format!("{MAPS}/x?preconditions.resourceVersion={value}")),
        ("DELETE", format!("{MAPS}?timeoutSeconds={value}&labelSelector=nobody")),
        ("GET", format!("{CORE}/pods/p/log?tailLines={value}")),
        ("GET", format!("{CORE}/pods/p/log?sinceSeconds={value}")),
        ("GET", format!("{CORE}/pods/p/log?sinceTime={value}")),
        ("GET", format!("{CORE}/pods/p/log?limitBytes={value}")),
        ("POST", format!("{CORE}/pods/p/portforward?ports={value}")),
        ("GET", format!("{CORE}/services/x:{value}/proxy")),
        ("GET", format!("{CORE}/pods/x:{value}/proxy")),
        ("GET", format!("/api/v1/nodes/x:{value}/proxy")),
        ("GET", format!("/metrics?timeout={value}")),
        ("GET", format!("/openapi/v2?timeout={value}")),
    ];
    for (method, path) in &requests {
        if path.is_ascii() {
            let answer = client.ask(method, path, "", "").await.map_err(|error| format!("{method} {path}: {error}"))?;
            sound(&answer, &format!("{method} {path}"))?;
        }
    }
    Ok(requests.len())
}

async fn headers(client: &mut Client, value: &str) -> Result<usize, String> {
    let headers = [
        ("accept", format!("application/json;q={value}")),
        ("accept-encoding", format!("gzip;q={value}")),
        ("range", format!("bytes={value}-{value}")),
        ("if-none-match", format!("\"{value}\"")),
        ("max-forwards", value.to_owned()),
        ("impersonate-uid", value.to_owned()),
        ("traceparent", format!("00-{value}-{value}-{value}")),
        ("expect", value.to_owned()),
        ("retry-after", value.to_owned()),
    ];
    for (name, value) in headers.iter().filter(|(_, value)| value.is_ascii()) {
        let answer = client.ask_with("GET", MAPS, &[(name, value)]).await;
        sound(&answer.map_err(|error| format!("{name}: {value}: {error}"))?, &format!("{name}: {value}"))?;
    }
    Ok(headers.len())
}

async fn tokens_of_lists(client: &mut Client) -> Result<usize, String> {
    let tokens = [
        r#"{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a"}"#,
        r#"{"v":"meta.k8s.io/v1","rv":-9223372036854775808,"start":"a"}"#,
        r#"{"v":"meta.k8s.io/v1","rv":18446744073709551615,"start":"a"}"#,
        r#"{"v":"meta.k8s.io/v1","rv":1e308,"start":"a"}"#,
        r#"{"v":"meta.k8s.io/v1","rv":-1,"start":""}"#,
        r#"{"v":"meta.k8s.io/v1","rv":0,"start":"\u0000"}"#,
    ];
    for token in tokens {
        let token = sprag_value::base64::RAW_URL.encode(token.as_bytes());
        for method in ["GET", "DELETE"] {
            let path = format!("{MAPS}?limit=9223372036854775807&continue={token}");
            sound(&client.ask(method, &path, "", "").await?, &path)?;
        }
    }
    Ok(2 * tokens.len())
}

/// Expressions whose arithmetic leaves a range.
const EXPRESSIONS: &[&str] = &[
    "9223372036854775807 + self.one > 0",
    "(-9223372036854775807 - 1) / (self.one - 2) > 0",
    "(-9223372036854775807 - 1) % (self.one - 2) == 0",
    "-(-9223372036854775807 - self.one) > 0",
    "self.one / (self.one - 1) > 0",
    "self.one % (self.one - 1) > 0",
    "uint(self.one) - 2u > 0u",
    "18446744073709551615u * uint(self.one + 1) > 0u",
    "uint(self.one - 2) > 0u",
    "int(1e308 * double(self.one)) > 0",
    "int(-9.3e18 * double(self.one)) < 0",
    "int(0.0 / (double(self.one) - 1.0)) > 0",
    "uint(1e300 * double(self.one)) > 0u",
    "duration('9223372036854775807h') > duration('1s')",
    "duration('2562047h47m16.854775807s') + duration('1ns') > duration('0')",
    "-duration('-2562047h47m16.854775808s') > duration('0')",
    "timestamp('9999-12-31T23:59:59.999999999Z') + duration('1ns') > timestamp('0001-01-01T00:00:00Z')",
    "timestamp('0001-01-01T00:00:00Z') - duration('1ns') < timestamp('9999-12-31T23:59:59Z')",
    "timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z') > duration('0')",
    "timestamp(9223372036854775807 - self.one) > timestamp(0)",
    "timestamp(0).getHours('+99:99') > 0",
    "timestamp('9999-12-31T23:59:59Z').getDayOfYear('+23:59') > 0",
    "timestamp('0001-01-01T00:00:00Z').getFullYear('-23:59') > 0",
    "timestamp('2024-02-29T23:59:60Z').getSeconds() > 0",
    "'abc'.substring(self.one - 2) == ''",
    "'abc'.substring(9223372036854775807 - self.one) == ''",
    "'abc'.substring(1, -9223372036854775807 - self.one) == ''",
    "'abc'.charAt(-9223372036854775807 - self.one) == ''",
    "'abc'.indexOf('c', 9223372036854775807) > 0",
    "'abc'.lastIndexOf('c', -9223372036854775807) > 0",
    "'a,b'.split(',', -9223372036854775807 - self.one).size() > 0",
    "'a,b'.split(',', 9223372036854775807).size() > 0",
    "'a,b'.replace(',', '', -9223372036854775807 - self.one) == ''",
    "'a,b'.replace(',', '', 9223372036854775807) == ''",
    "'aaa'.findAll('a', -9223372036854775807 - self.one).size() > 0",
    "'aaa'.findAll('a', 9223372036854775807).size() > 0",
    "'%.9223372036854775807f'.format([1.5]) == ''",
    "'%.99999999999999999999f'.format([1.5]) == ''",
    "'%.1000000000e'.format([1.5]) == ''",
    "'%9223372036854775807d'.format([self.one]) == ''",
    "'%x %b %o %X'.format([-9223372036854775807 - self.one, self.one, self.one, 18446744073709551615u]) == ''",
    "[1, 2, 3][9223372036854775807 - self.one] > 0",
    "[1, 2, 3][-9223372036854775807 - self.one] > 0",
    "[9223372036854775807, self.one].sum() > 0",
    "[1e308, 1e308].sum() > 0.0",
    "[duration('2562047h'), duration('2562047h')].sum() > duration('0')",
    "quantity('9223372036854775807').add(quantity('9223372036854775807')).isGreaterThan(quantity('0'))",
    "quantity('-9223372036854775808').sub(self.one).isLessThan(quantity('0'))",
    "quantity('9223372036854775807E').asInteger() > 0",
    "quantity('99999999999999999999999999E').asApproximateFloat() > 0.0",
    "quantity('1n').sub(quantity('9223372036854775807Ei')).sign() < 0",
    "cidr('10.0.0.0/8').prefixLength() / (self.one - 1) > 0",
    "isCIDR('10.0.0.0/9223372036854775807')",
    "isIP('999999999999999999999.1.1.1')",
    "semver('9223372036854775807.18446744073709551615.99999999999999999999').major() > 0",
    "semver('18446744073709551615.0.0').major() > 0",
    "size(self.text) * 9223372036854775807 > 0",
    "double(9223372036854775807) == 9223372036854775807.0",
    "int('9223372036854775808') > self.one",
    "uint('-1') > 0u",
    "double('1e400') > 0.0",
    "int(timestamp('9999-12-31T23:59:59Z')) * 1000000000 > 0",
    "string(-9223372036854775807 - self.one) == ''",
    "string(1e308) == string(5e-324)",
    "int(9223372036854775807.0) > self.one",
    "int(18446744073709551615u) > self.one",
];

/// Rules that can only fail, each on an object of its own definition.
async fn arithmetic_of_rules(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let mut accepted = 0;
    for (index, expression) in EXPRESSIONS.iter().enumerate() {
        let plural = format!("r{index}s");
        let kind = format!("R{index}");
        let spec = json!({
            "type": "object",
            "properties": {"one": {"type": "integer"}, "text": {"type": "string", "maxLength": 10}},
            "x-kubernetes-validations": [{"rule": expression, "messageExpression": format!("string({expression})")}],
        });
        let definition = super::errors::definition(&plural, &kind, spec);
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let answer = client.ask("POST", path, JSON, definition.to_string()).await?;
        sound(&answer, expression)?;
        if answer.code != 201 {
            continue;
        }
        accepted += 1;
        let path = format!("/apis/abuse.dev/v1/namespaces/default/{plural}");
        for one in [1, i64::MAX, i64::MIN] {
            let object = super::errors::object(&kind, json!({"one": one, "text": "abc"}));
            let answer = client.ask("POST", &format!("{path}?dryRun=All"), JSON, object.to_string()).await?;
            sound(&answer, &format!("{expression} of {one}"))?;
        }
    }
    if accepted < EXPRESSIONS.len() / 2 {
        return Err(format!("only {accepted} of {} rules compile", EXPRESSIONS.len()));
    }
    Ok(format!("{accepted} of {} rules ran", EXPRESSIONS.len()))
}

/// Bounds that costs, ratcheting and messages are computed from.
async fn bounds_of_schemas(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let mut count = 0;
    let mut values: Vec<String> = BEYOND.iter().map(|value| (*value).to_owned()).collect();
    values.extend(ENDS.iter().flat_map(|end| [end.int64.to_string(), json!(end.double).to_string()]));
    for value in &values {
        for (index, schema) in [
            r#"{"type": "array", "maxItems": N, "minItems": N, "items": {"type": "string", "maxLength": N, "minLength": N}}"#,
            r#"{"type": "object", "maxProperties": N, "minProperties": N, "additionalProperties": {"type": "array", "maxItems": N, "items": {"type": "integer"}}}"#,
            r#"{"type": "integer", "maximum": N, "minimum": N, "multipleOf": N, "default": N}"#,
            r#"{"type": "number", "maximum": N, "minimum": N, "multipleOf": N, "enum": [N]}"#,
        ]
        .iter()
        .enumerate()
        {
            let mut part: Value = serde_json::from_str(&schema.replace('N', "0")).map_err(|error| error.to_string())?;
            let rule = match index {
                0 => "self.all(x, self.all(y, x + y != ''))",
                1 => "self.all(x, self[x].all(y, y > 0))",
                _ => "self * self > self",
            };
            part["x-kubernetes-validations"] = json!([{"rule": rule}]);
            let spec = json!({"type": "object", "properties": {"a": part}});
            let text = super::errors::definition("bounds", "Bound", spec).to_string();
            // Numbers that no value of this library holds are put in as texts.
            let bounds = ["maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties", "maximum", "minimum", "multipleOf", "default"];
            let text = bounds.iter().fold(text, |text, name| text.replace(&format!("\"{name}\":0"), &format!("\"{name}\":{value}")));
            let text = text.replace("\"enum\":[0]", &format!("\"enum\":[{value}]"));
            let answer = client.ask("POST", &format!("{path}?dryRun=All"), JSON, text.clone()).await?;
            sound(&answer, &format!("schema {index} with {value}"))?;
            count += 1;
            if answer.code != 201 {
                continue;
            }
            client.ask("POST", path, JSON, text).await?.expect(201)?;
            for given in &values {
                let spec = match index {
                    0 => format!("[{given}]"),
                    1 => format!(r#"{{"a": [{given}]}}"#),
                    _ => given.clone(),
                };
                let body = format!(r#"{{"apiVersion": "abuse.dev/v1", "kind": "Bound", "metadata": {{"name": "x"}}, "spec": {{"a": {spec}}}}}"#);
                let answer = client.ask("POST", "/apis/abuse.dev/v1/namespaces/default/bounds?dryRun=All", JSON, body).await?;
                sound(&answer, &format!("{given} in schema {index} with {value}"))?;
                count += 1;
            }
            client.ask("DELETE", &format!("{path}/bounds.abuse.dev"), "", "").await?.expect(200)?;
        }
    }
    Ok(format!("{count} requests answered"))
}
