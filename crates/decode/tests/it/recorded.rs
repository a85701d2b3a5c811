//! Texts of our own with the answers of upstream's packages: `sigs.k8s.io/yaml`, `sigs.k8s.io/json`, and those of
//! apimachinery and apiextensions that stand on them.
//!
//! A line of a file has the operation, the text, and either `out` or `err`; `strict` has what strict decoding says. In
//! `out` integers are marked with `i` and floats with `f`.

use std::fmt::Write as _;

use sprag_decode::object::Unstructured;
use sprag_decode::{Decoded, Format, json, metadata, object, repeated_keys_error, stream, strict_error, typed, yaml};
use sprag_shape::meta;
use sprag_value::{Value, base64};

use crate::sample;

/// The answer of an operation: the value or the error, and the findings of strict decoding.
type Decoding = (Result<String, String>, Vec<String>);

#[test]
fn yaml_is_read_as_upstream_reads_it() {
    check(include_str!("../fixtures/yaml.jsonl"));
}

#[test]
fn json_is_read_as_upstream_reads_it() {
    check(include_str!("../fixtures/json.jsonl"));
}

#[test]
fn streams_are_split_as_upstream_splits_them() {
    check(include_str!("../fixtures/stream.jsonl"));
}

#[test]
fn types_are_read_as_upstream_reads_them() {
    check(include_str!("../fixtures/typed.jsonl"));
}

#[test]
fn metadata_is_coerced_as_upstream_coerces_it() {
    check(include_str!("../fixtures/metadata.jsonl"));
    check(include_str!("../fixtures/stored-metadata.jsonl"));
}

#[test]
fn yaml_is_printed_as_upstream_prints_it() {
    check(include_str!("../fixtures/emit.jsonl"));
}

#[track_caller]
fn check(lines: &str) {
    let cases: Vec<Value> = lines.lines().map(|line| json::decode(line.as_bytes()).unwrap()).collect();
    assert!(cases.len() > 40);
    for case in &cases {
        let field = |name: &str| case.get(name).and_then(Value::as_str);
        let text = field("text")
            .map_or_else(|| base64::decode(field("base64").unwrap()).unwrap(), |text| text.as_bytes().to_vec());
        let want = match field("err") {
            Some(error) => Err(error.to_owned()),
            None => Ok(field("out").unwrap_or_default().to_owned()),
        };
        let strict = case.get("strict").and_then(Value::as_array).cloned().unwrap_or_default();
        let strict: Vec<String> = strict.iter().map(|text| text.as_str().unwrap().to_owned()).collect();
        assert_eq!(answer(field("op").unwrap(), field("type"), &text), (want, strict), "{case:?}");
    }
}

fn answer(op: &str, ty: Option<&str>, text: &[u8]) -> Decoding {
    let findings = |decoded: &Decoded| decoded.findings.iter().map(ToString::to_string).collect();
    match op {
        "yaml" => {
            dumped(yaml::decode_strict(text), |decoded| repeated_keys_error(&decoded.findings).into_iter().collect())
        }
        "any" => dumped(json::decode_strict(text), findings),
        "object" => dumped(object::decode(Format::Json, text), strict_text),
        "objectyaml" => dumped(object::decode(Format::Yaml, text), strict_text),
        "unstructured" => (unstructured(text), vec![]),
        "stream" => (Ok(String::new()), documents(text)),
        "typed" if ty == Some("v1.ObjectMeta") => {
            dumped(typed::decode_json(meta::shapes(), meta::OBJECT_META, text), findings)
        }
        "typed" => {
            let (shapes, id) = sample::shapes();
            dumped(typed::decode_json(&shapes, id, text), findings)
        }
        "meta" => with_metadata(text, |metadata| metadata::coerce(metadata).map_err(|error| error.to_string())),
        "metadrop" => {
            with_metadata(text, |metadata| metadata::coerce_stored(metadata).map_err(|error| error.to_string()))
        }
        "emit" => (Ok(yaml::to_string(&json::decode(text).unwrap())), vec![]),
        other => panic!("no operation {other}"),
    }
}

fn dumped<E: ToString>(decoded: Result<Decoded, E>, strict: impl Fn(&Decoded) -> Vec<String>) -> Decoding {
    match decoded {
        Ok(decoded) => (Ok(dump(&decoded.value)), strict(&decoded)),
        Err(error) => (Err(error.to_string()), vec![]),
    }
}

fn strict_text(decoded: &Decoded) -> Vec<String> {
    strict_error(&decoded.findings).into_iter().collect()
}

fn unstructured(text: &[u8]) -> Result<String, String> {
    let value = json::decode(text).map_err(|error| error.to_string())?;
    match object::unstructured(value, &String::from_utf8_lossy(text)).map_err(|error| error.to_string())? {
        Unstructured::Object(object) => Ok(dump(&Value::Object(object))),
        Unstructured::List { list, items } => {
            let items: String = items.into_iter().map(|item| format!(" {}", dump(&Value::Object(item)))).collect();
            Ok(format!("LIST {}{items}", dump(&Value::Object(list))))
        }
    }
}

fn documents(text: &[u8]) -> Vec<String> {
    let mut answers = Vec::new();
    for document in stream::documents(text) {
        match document {
            Ok(document) => answers.push(format!("D {}", document.json_text())),
            Err(error) => {
                answers.push(format!("E {error}"));
                break;
            }
        }
    }
    answers
}

fn with_metadata(text: &[u8], coerce: impl Fn(&Value) -> Result<Decoded, String>) -> Decoding {
    let mut object = json::decode(text).unwrap();
    match coerce(object.get("metadata").unwrap()) {
        Err(error) => (Err(error), vec![]),
        Ok(decoded) => {
            object.insert("metadata", decoded.value);
            let paths = decoded.findings.iter().filter_map(|finding| finding.path());
            let mut paths: Vec<String> = paths.map(|path| format!("metadata.{path}")).collect();
            paths.sort();
            (Ok(dump(&object)), paths)
        }
    }
}

fn dump(value: &Value) -> String {
    let mut out = String::new();
    write_dump(&mut out, value);
    out
}

fn write_dump(out: &mut String, value: &Value) {
    match value {
        Value::Int(number) => write!(out, "i{number}").unwrap(),
        Value::Float(number) => write!(out, "f{}", go_float(*number)).unwrap(),
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_dump(out, element);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(&sprag_value::json::to_string(&Value::from(key)));
                out.push(':');
                write_dump(out, member);
            }
            out.push('}');
        }
        other => out.push_str(&sprag_value::json::to_string(other)),
    }
}

/// Go's `%g` with the shortest digits.
fn go_float(number: f64) -> String {
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    if (-4..6).contains(&exponent) || number == 0.0 {
        return number.to_string();
    }
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}
