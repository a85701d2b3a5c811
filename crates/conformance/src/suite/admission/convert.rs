//! The converter of the suite, and all the ways in which it fails.

use sprag_value::{Value, json};

/// Returns the converter's answer to a `ConversionReview` in a mode.
pub(super) fn answer(mode: &str, review: &Value) -> Value {
    let request = review.get("request").cloned().unwrap_or_default();
    let text = |name: &str| request.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let desired = text("desiredAPIVersion");
    let objects = request.get("objects").and_then(Value::as_array).into_iter().flatten();
    let mut converted: Vec<Value> = objects.map(|object| convert(mode, object, &desired)).collect();
    match mode {
        "fewer" => {
            converted.pop();
        }
        "more" => converted.extend(converted.last().cloned()),
        "listReversed" => converted.reverse(),
        _ => {}
    }
    let result = match mode {
        "failure" => parse(r#"{"status":"Failure","message":"cannot convert this"}"#),
        "failureFull" => parse(r#"{"status":"Failure","message":"nope","reason":"Forbidden","code":403}"#),
        "failureNoMessage" => parse(r#"{"status":"Failure"}"#),
        "oddResult" => parse(r#"{"status":"Sucess"}"#),
        "emptyResult" => Value::object(),
        _ => parse(r#"{"status":"Success"}"#),
    };
    let mut response = Value::object();
    if mode != "noUid" {
        let uid = if mode == "wrongUid" { "not-the-uid".to_owned() } else { text("uid") };
        response.insert("uid", uid);
    }
    if mode != "none" {
        response.insert("convertedObjects", converted.into_iter().collect::<Value>());
    }
    if mode != "noResult" {
        response.insert("result", result);
    }
    let mut answer = Value::object();
    if mode != "noTypeMeta" {
        let version = if mode == "wrongApi" { "v1beta1" } else { "v1" };
        answer.insert("apiVersion", format!("apiextensions.k8s.io/{version}"));
        answer.insert("kind", if mode == "wrongKind" { "Review" } else { "ConversionReview" });
    }
    if mode != "noResponse" {
        answer.insert("response", response);
    }
    answer
}

fn convert(mode: &str, object: &Value, desired: &str) -> Value {
    let mut new = object.clone();
    match mode {
        "nullObject" => return Value::Null,
        "stringObject" => return Value::from("x"),
        "keepVersion" => {}
        "otherGroup" => {
            let version = desired.rsplit('/').next().unwrap_or_default();
            new.insert("apiVersion", format!("other.example.com/{version}"));
        }
        _ => {
            new.insert("apiVersion", desired);
        }
    }
    if mode == "otherKind" {
        new.insert("kind", "Other");
    }
    if let Some(spec) = new.get_mut("spec") {
        let (from, to) = if desired.ends_with("/v2") { ("host", "address") } else { ("address", "host") };
        if let Some(value) = spec.get(from).cloned() {
            spec.remove(from);
            spec.insert(to, value);
        }
        if mode == "badSpec" {
            spec.insert("count", "not-a-number");
        }
        if mode == "unknownField" {
            spec.insert("surplus", "x");
        }
    }
    if mode == "moveStatus" {
        new.insert("status", parse(r#"{"note":"set by converter"}"#));
    }
    if mode == "noMetadata" {
        new.remove("metadata");
    }
    if let Some(metadata) = new.get_mut("metadata") {
        change_metadata(mode, metadata);
    }
    new
}

fn change_metadata(mode: &str, metadata: &mut Value) {
    let change = match mode {
        "changeName" => ("name", Value::from("changed")),
        "changeNamespace" => ("namespace", Value::from("changed")),
        "changeUid" => ("uid", Value::from("11111111-2222-3333-4444-555555555555")),
        "changeRv" => ("resourceVersion", Value::from("1")),
        "changeCreation" => ("creationTimestamp", Value::from("2000-01-01T00:00:00Z")),
        "changeLabels" => ("labels", parse(r#"{"converted":"yes"}"#)),
        "badLabels" => ("labels", parse(r#"{"bad":"not ok!"}"#)),
        "changeAnnotations" => ("annotations", parse(r#"{"converted":"not restricted at all!"}"#)),
        "badAnnotationKey" => ("annotations", parse(r#"{"bad key!":"x"}"#)),
        "changeFinalizers" => ("finalizers", parse(r#"["example.com/f"]"#)),
        "changeOwners" => ("ownerReferences", parse(r#"[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]"#)),
        "changeGeneration" => ("generation", Value::from(77)),
        "changeSelfLink" => ("selfLink", Value::from("/x")),
        "dropUid" | "dropManaged" => {
            metadata.remove(if mode == "dropUid" { "uid" } else { "managedFields" });
            return;
        }
        _ => return,
    };
    metadata.insert(change.0, change.1);
}

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap_or_default()
}
