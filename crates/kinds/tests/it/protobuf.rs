//! Objects in protobuf against upstream's fixtures and recorded answers: every kind that is declared and has one is compared.

use std::path::PathBuf;

use sprag_decode::{protobuf, typed};
use sprag_rest::Definition;
use sprag_shape::{Kind, Shapes, TypeId};
use sprag_value::{Value, base64, json};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/native");

fn recorded(path: &str) -> Option<Vec<u8>> {
    std::fs::read(PathBuf::from(RECORDED).join(path)).ok()
}

/// All kinds in all their versions.
fn each_version(mut check: impl FnMut(&Definition, &str)) {
    for definition in sprag_kinds::definitions() {
        for version in &definition.versions {
            check(&definition, &version.name);
        }
    }
}

/// The object as far as protobuf has it: a type that is said in a part of an object is not there.
fn carried(shapes: &Shapes, id: TypeId, value: &Value) -> Value {
    match (&shapes.get(id).kind, value) {
        (Kind::Struct { .. }, Value::Object(members)) => {
            let is_carried = |json: &str| shapes.field(id, json).is_some_and(|field| field.protobuf != 0);
            let kept = members.iter().filter(|(key, _)| is_carried(key) && shapes.embedding(id, key) != ["TypeMeta"]);
            let ty = |key: &str| shapes.field(id, key).map_or(id, |field| field.ty.id);
            kept.map(|(key, member)| (key, carried(shapes, ty(key), member))).collect()
        }
        (Kind::List { elem, .. }, Value::Array(elements)) => {
            elements.iter().map(|element| carried(shapes, elem.id, element)).collect()
        }
        (Kind::Map { value: ty, .. }, Value::Object(members)) => {
            members.iter().map(|(key, member)| (key, carried(shapes, ty.id, member))).collect()
        }
        (_, value) => value.clone(),
    }
}

/// True if a type has parts that are JSON text in protobuf, in which upstream keeps the client's blanks.
fn has_json(shapes: &Shapes, id: TypeId, seen: &mut Vec<TypeId>) -> bool {
    if seen.contains(&id) {
        return false;
    }
    seen.push(id);
    match &shapes.get(id).kind {
        Kind::RawExtension | Kind::Any => shapes.get(id).name != "v1.FieldsV1",
        Kind::List { elem: inner, .. } | Kind::Map { value: inner, .. } => has_json(shapes, inner.id, seen),
        Kind::Struct { fields, .. } => fields.iter().any(|field| has_json(shapes, field.ty.id, seen)),
        _ => false,
    }
}

#[track_caller]
fn check(definition: &Definition, version: &str, object: &Value, bytes: &[u8]) {
    let what = format!("{} {version} {}", definition.group(), definition.kind);
    let (shapes, id) = definition.message(version).unwrap_or_else(|| panic!("{what} has no numbers"));
    let object = typed::decode_parsed(shapes, id, object).expect("an object").value;
    let encoded = protobuf::encode(shapes, id, &object).expect("a message");
    let sealed = protobuf::seal(&definition.api_version(version), &definition.kind, &encoded);
    let envelope = protobuf::open(bytes).expect("an envelope");
    let decoded = protobuf::decode(shapes, id, envelope.message).expect("an object");
    assert_eq!(decoded, carried(shapes, id, &object), "{what}");
    let again = protobuf::encode(shapes, id, &decoded).expect("a message");
    if again == envelope.message || !has_json(shapes, id, &mut Vec::new()) {
        assert!(sealed == bytes && again == envelope.message, "{what}: other bytes than upstream's");
    } else {
        assert_eq!(protobuf::decode(shapes, id, &encoded), Ok(decoded), "{what}");
    }
}

#[test]
fn fixtures_of_upstream_are_read_and_written() {
    if recorded("README.md").is_none() {
        eprintln!("skipped: shared/conformance/native is missing");
        return;
    }
    let mut compared = 0;
    let mut missing = Vec::new();
    each_version(|definition, version| {
        let group = if definition.group().is_empty() { "core" } else { definition.group() };
        let name = format!("codec-fixtures/{group}.{version}.{}", definition.kind);
        match (recorded(&format!("{name}.json")), recorded(&format!("{name}.pb"))) {
            (Some(object), Some(bytes)) => {
                check(definition, version, &json::parse(&object).unwrap(), &bytes);
                compared += 1;
            }
            _ => missing.push(name),
        }
    });
    // Upstream has none of the aggregator.
    assert_eq!(missing, ["codec-fixtures/apiregistration.k8s.io.v1.APIService"], "fixtures of declared kinds");
    assert!(compared >= 11, "{compared} kinds");
    eprintln!("{compared} kinds compared");
}

#[test]
fn recorded_objects_are_read_and_written() {
    let Some(text) = recorded("protobuf.json") else {
        eprintln!("skipped: shared/conformance/native/protobuf.json is missing");
        return;
    };
    let rows = json::parse(&text).unwrap();
    let mut compared = 0;
    each_version(|definition, version| {
        let api_version = definition.api_version(version);
        let said = |row: &Value, member: &str| row.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
        let own = |row: &&Value| said(row, "apiVersion") == api_version && said(row, "kind") == definition.kind;
        for row in rows.as_array().unwrap().iter().filter(own) {
            let bytes = base64::decode(&said(row, "protobuf")).unwrap();
            check(definition, version, row.get("json").unwrap(), &bytes);
            compared += 1;
        }
    });
    assert!(compared >= 9, "{compared} objects");
    eprintln!("{compared} objects compared");
}

/// A field without a number would be lost in protobuf without a word.
#[test]
fn every_field_of_every_kind_has_a_number() {
    let mut without = Vec::new();
    each_version(|definition, version| {
        let (shapes, id) = definition.scheme.shape(version).unwrap();
        assert_eq!(shapes.check(), [], "{}", definition.kind);
        let mut seen = Vec::new();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            let shape = shapes.get(id);
            let is_object = shape.fields().iter().any(|field| field.json == "metadata");
            for field in shape.fields() {
                let is_type = is_object && matches!(field.json.as_ref(), "apiVersion" | "kind");
                if field.protobuf == 0 && !is_type {
                    without.push(format!("{}.{}", shape.name, field.json));
                }
                work.push(field.ty.id);
            }
            if let Kind::List { elem: inner, .. } | Kind::Map { value: inner, .. } = &shape.kind {
                work.push(inner.id);
            }
        }
    });
    without.sort();
    without.dedup();
    assert_eq!(without, [""; 0]);
}
