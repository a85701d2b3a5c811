//! Objects with more errors than anybody can read.

use serde_json::{Value, json};

use super::{Answer, Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(enumeration_over_a_long_list),
    case!(patterns_over_a_long_text),
    case!(rules_over_a_long_list),
    case!(unknown_fields_without_number),
    case!(a_name_of_a_megabyte),
    case!(errors_in_every_form),
];

/// The largest answer with errors.
const MOST_BYTES: usize = 1 << 20;

/// Defines a resource whose objects have a `spec` of this schema.
pub(super) async fn define(arena: &Arena, plural: &str, kind: &str, spec: Value) -> Result<(), String> {
    let answer = arena.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition(plural, kind, spec)).await?;
    answer.expect(201).map(drop)
}

#[expect(clippy::needless_pass_by_value, reason = "a schema is made where it is used")]
pub(super) fn definition(plural: &str, kind: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.abuse.dev")},
        "spec": {
            "group": "abuse.dev",
            "names": {"plural": plural, "kind": kind, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    })
}

#[expect(clippy::needless_pass_by_value, reason = "a spec is made where it is used")]
pub(super) fn object(kind: &str, spec: Value) -> Value {
    json!({"apiVersion": "abuse.dev/v1", "kind": kind, "metadata": {"name": "x"}, "spec": spec})
}

fn bounded(answer: &Answer) -> Outcome {
    let size = answer.body.len();
    let message = answer.json()["message"].as_str().unwrap_or_default().to_owned();
    if size > MOST_BYTES {
        return Err(format!("an answer of {size} bytes"));
    }
    if !message.contains("left out") {
        return Err("the answer does not say how many errors were left out".into());
    }
    Ok(format!("{} with {} KiB, {} causes", answer.code, size / 1024, causes(answer)))
}

fn causes(answer: &Answer) -> usize {
    answer.json()["details"]["causes"].as_array().map_or(0, Vec::len)
}

async fn enumeration_over_a_long_list(arena: &Arena) -> Outcome {
    let values: Vec<String> = (0..1000).map(|number| format!("value-{number}")).collect();
    let spec = json!({"type": "array", "items": {"type": "string", "enum": values}});
    define(arena, "enums", "Enum", spec).await?;
    let items = vec!["x"; arena.count(3_000, 12_500)];
    let answer = arena.post("/apis/abuse.dev/v1/namespaces/default/enums", &object("Enum", json!(items))).await?;
    bounded(&answer.expect(422)?)
}

async fn patterns_over_a_long_text(arena: &Arena) -> Outcome {
    let patterns: Vec<Value> = (0..arena.count(60, 300)).map(|number| json!({"pattern": format!("^{number}$")})).collect();
    define(arena, "patterns", "Pattern", json!({"type": "string", "allOf": patterns})).await?;
    let text = "x".repeat(1_000_000);
    let answer = arena.post("/apis/abuse.dev/v1/namespaces/default/patterns", &object("Pattern", json!(text))).await?;
    let answer = answer.expect(422)?;
    if answer.body.len() > MOST_BYTES {
        return Err(format!("an answer of {} bytes", answer.body.len()));
    }
    if !answer.text().contains("bytes left out") {
        return Err("the value is not cut".into());
    }
    Ok(format!("422 with {} KiB, {} causes", answer.body.len() / 1024, causes(&answer)))
}

async fn rules_over_a_long_list(arena: &Arena) -> Outcome {
    let rule = json!({"rule": "self > 1", "message": "m".repeat(1000)});
    let items = json!({"type": "integer", "x-kubernetes-validations": [rule]});
    define(arena, "rules", "Rule", json!({"type": "array", "maxItems": 30000, "items": items})).await?;
    let items = vec![0; arena.count(20_000, 30_000)];
    let answer = arena.post("/apis/abuse.dev/v1/namespaces/default/rules", &object("Rule", json!(items))).await?;
    bounded(&answer.expect(422)?)
}

async fn unknown_fields_without_number(arena: &Arena) -> Outcome {
    let unknown: Vec<String> = (0..arena.count(20_000, 200_000)).map(|number| format!("\"u{number}\":1")).collect();
    let body = format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x"}},{}}}"#, unknown.join(","));
    let mut outcomes = Vec::new();
    for mode in ["Strict", "Warn", "Ignore"] {
        let path = format!("/api/v1/namespaces/default/configmaps?dryRun=All&fieldValidation={mode}");
        let answer = arena.ask("POST", &path, "application/json", body.clone()).await?;
        let answer = answer.expect(if mode == "Strict" { 400 } else { 201 })?;
        if answer.body.len() > MOST_BYTES {
            return Err(format!("{mode}: an answer of {} bytes", answer.body.len()));
        }
        outcomes.push(format!("{mode} {} with {} KiB", answer.code, answer.body.len() / 1024));
    }
    Ok(outcomes.join(", "))
}

async fn a_name_of_a_megabyte(arena: &Arena) -> Outcome {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A".repeat(1_000_000)}});
    let answer = arena.post("/api/v1/namespaces/default/configmaps", &object).await?.expect(422)?;
    if answer.body.len() > 200 << 10 {
        return Err(format!("an answer of {} bytes", answer.body.len()));
    }
    Ok(format!("422 with {} KiB", answer.body.len() / 1024))
}

async fn errors_in_every_form(arena: &Arena) -> Outcome {
    let data: serde_json::Map<String, Value> = (0..5000).map(|number| (format!("{number}!"), json!("x"))).collect();
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": data});
    let mut sizes = Vec::new();
    for form in ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"] {
        let mut client = arena.client().await?;
        let request = http::Request::post("/api/v1/namespaces/default/configmaps")
            .header("host", "localhost")
            .header("authorization", format!("Bearer {}", client.token))
            .header("content-type", "application/json")
            .header("accept", form)
            .body(http_body_util::Full::new(object.to_string().into()))
            .map_err(|error| error.to_string())?;
        let answer = client.send(request).await?.expect(422)?;
        if answer.body.len() > MOST_BYTES || !answer.text().contains("4000 more errors were left out") {
            return Err(format!("{form}: an answer of {} bytes", answer.body.len()));
        }
        sizes.push(format!("{} KiB", answer.body.len() / 1024));
    }
    Ok(format!("422 with {}", sizes.join(", ")))
}
