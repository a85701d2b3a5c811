//! Documents read back by the numbers of the message types.

use super::*;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
enum Read<'b> {
    Int(u64),
    Double(f64),
    Bytes(&'b [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Read<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let read = match tag & 7 {
            0 => Read::Int(varint(&mut bytes)),
            1 => {
                let (double, rest) = bytes.split_first_chunk().unwrap();
                bytes = rest;
                Read::Double(f64::from_le_bytes(*double))
            }
            2 => {
                let length = usize::try_from(varint(&mut bytes)).unwrap();
                let (inner, rest) = bytes.split_at(length);
                bytes = rest;
                Read::Bytes(inner)
            }
            other => panic!("no layout has the number {other}"),
        };
        fields.push((tag >> 3, read));
    }
    fields
}

/// Returns the fields that these numbers lead to.
fn at<'b>(bytes: &'b [u8], path: &[u64]) -> Vec<Read<'b>> {
    let (first, rest) = path.split_first().unwrap();
    let found = fields(bytes).into_iter().filter(|(number, _)| number == first).map(|(_, read)| read);
    if rest.is_empty() {
        return found.collect();
    }
    found.flat_map(|read| if let Read::Bytes(inner) = read { at(inner, rest) } else { Vec::new() }).collect()
}

#[track_caller]
fn check(document: &str, rows: &[(&[u64], &[Read<'_>])]) {
    let bytes = encode(&json::parse(document.as_bytes()).unwrap());
    for (path, expected) in rows {
        assert_eq!(at(&bytes, path), *expected, "{path:?}");
    }
}

fn text(text: &str) -> Read<'_> {
    Read::Bytes(text.as_bytes())
}

/// The definition that [`check_schema`] looks at.
const SCHEMA: [u64; 3] = [9, 1, 2];

#[track_caller]
fn check_schema(schema: &str, rows: &[(&[u64], &[Read<'_>])]) {
    let paths: Vec<Vec<u64>> = rows.iter().map(|(path, _)| [&SCHEMA, *path].concat()).collect();
    let rows: Vec<_> = paths.iter().zip(rows).map(|(path, (_, expected))| (path.as_slice(), *expected)).collect();
    check(&format!(r#"{{"definitions": {{"a.B": {schema}}}}}"#), &rows);
}

#[test]
fn documents_tell_what_they_are() {
    check(
        r#"{"swagger": "2.0", "info": {"title": "T", "version": "v1"}, "definitions": {"a.B": {}, "a.C": {}},
            "securityDefinitions": {"Token": {"type": "apiKey", "name": "authorization", "in": "header"}},
            "security": [{"Token": []}]}"#,
        &[
            (&[1], &[text("2.0")]),
            (&[2, 1], &[text("T")]),
            (&[2, 2], &[text("v1")]),
            (&[9, 1, 1], &[text("a.B"), text("a.C")]),
            (&[9, 1, 2], &[text(""), text("")]),
            (&[13, 1, 1], &[text("Token")]),
            (&[13, 1, 2, 2, 2], &[text("authorization")]),
            (&[12, 1, 1], &[text("Token")]),
            (&[12, 1, 2], &[text("")]),
        ],
    );
}

#[test]
fn paths_have_operations_parameters_and_responses() {
    check(
        r##"{"paths": {"/a": {"post": {
                "operationId": "create", "consumes": ["*/*", "b"],
                "parameters": [{"in": "body", "name": "body", "required": true, "schema": {"$ref": "#/definitions/a.B"}},
                    {"in": "query", "name": "q", "type": "string", "uniqueItems": true}, {"$ref": "#/parameters/p"}],
                "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/a.B"}}},
                "x-kubernetes-action": "post"}}},
            "parameters": {"p": {"in": "path", "name": "p", "type": "string", "required": true}}}"##,
        &[
            (&[8, 2, 1], &[text("/a")]),
            (&[8, 2, 2, 4, 5], &[text("create")]),
            (&[8, 2, 2, 4, 7], &[text("*/*"), text("b")]),
            (&[8, 2, 2, 4, 8, 1, 1, 4], &[Read::Int(1)]),
            (&[8, 2, 2, 4, 8, 1, 1, 5, 1], &[text("#/definitions/a.B")]),
            (&[8, 2, 2, 4, 8, 1, 2, 3, 4], &[text("q")]),
            (&[8, 2, 2, 4, 8, 1, 2, 3, 20], &[Read::Int(1)]),
            (&[8, 2, 2, 4, 8, 2, 1], &[text("#/parameters/p")]),
            (&[8, 2, 2, 4, 9, 1, 1], &[text("200")]),
            (&[8, 2, 2, 4, 9, 1, 2, 1, 1], &[text("OK")]),
            (&[8, 2, 2, 4, 9, 1, 2, 1, 2, 1, 1], &[text("#/definitions/a.B")]),
            (&[8, 2, 2, 4, 13, 1], &[text("x-kubernetes-action")]),
            (&[8, 2, 2, 4, 13, 2, 2], &[text("\"post\"")]),
            (&[10, 1, 1], &[text("p")]),
            (&[10, 1, 2, 2, 4, 5], &[text("string")]),
        ],
    );
}

#[test]
fn schemas_have_their_keywords() {
    check_schema(
        r#"{"type": "object", "required": ["a", "b"], "minProperties": 300, "description": "D",
            "properties": {"a": {"type": "number", "maximum": 1.5, "minimum": -2, "enum": [1, "x"]},
                "b": {"type": "array", "items": {"type": "string", "format": "byte"}}},
            "x-kubernetes-group-version-kind": [{"kind": "B"}]}"#,
        &[
            (&[22, 1], &[text("object")]),
            (&[19], &[text("a"), text("b")]),
            (&[18], &[Read::Int(300)]),
            (&[4], &[text("D")]),
            (&[25, 1, 1], &[text("a"), text("b")]),
            (&[25, 1, 2, 22, 1], &[text("number"), text("array")]),
            (&[25, 1, 2, 7], &[Read::Double(1.5)]),
            (&[25, 1, 2, 9], &[Read::Double(-2.0)]),
            (&[25, 1, 2, 20, 2], &[text("1"), text("\"x\"")]),
            (&[25, 1, 2, 23, 1, 2], &[text("byte")]),
            (&[31, 1], &[text("x-kubernetes-group-version-kind")]),
            (&[31, 2, 2], &[text(r#"[{"kind":"B"}]"#)]),
        ],
    );
}

#[test]
fn additional_properties_are_a_schema_or_a_flag_that_is_always_told() {
    check_schema(r#"{"additionalProperties": {"type": "string"}}"#, &[(&[21, 1, 22, 1], &[text("string")])]);
    check_schema(r#"{"additionalProperties": true}"#, &[(&[21, 2], &[Read::Int(1)])]);
    check_schema(r#"{"additionalProperties": false}"#, &[(&[21, 2], &[Read::Int(0)])]);
}

#[test]
fn what_a_missing_field_says_is_left_out() {
    let nothing: &[(&[u64], &[Read<'_>])] = &[(&[], &[text("")])];
    check_schema(r#"{"title": "", "uniqueItems": false, "minLength": 0, "minimum": 0, "default": null}"#, nothing);
}

#[test]
fn what_a_field_cannot_hold_is_left_out() {
    let nothing: &[(&[u64], &[Read<'_>])] = &[(&[], &[text("")])];
    check_schema(r#"{"title": 1, "uniqueItems": "x", "minLength": 1.5, "minimum": "x", "unheard": {}}"#, nothing);
}

#[test]
fn schemas_below_the_limit_are_empty() {
    // The document itself is a message, too.
    let depth_of = |levels: usize| {
        let innermost = object! { "title": "T" };
        let schema = (1..levels).fold(innermost, |items, _| object! { "items": items });
        let bytes = encode(&object! { "definitions": object! { "a.B": schema } });
        let path = [&SCHEMA[..], &[23, 1].repeat(levels - 1)].concat();
        (at(&bytes, &path).len(), at(&bytes, &[&path[..], &[3]].concat()).len())
    };
    assert_eq!(depth_of(MAX_NESTING - 1), (1, 1));
    assert_eq!(depth_of(MAX_NESTING), (1, 0));
}

#[test]
fn documents_of_version_3_have_messages_of_their_own() {
    let document = r##"{"openapi": "3.0.0", "info": {"title": "T", "version": "v1"},
        "paths": {"/a": {"post": {"operationId": "create",
            "parameters": [{"in": "query", "name": "q", "schema": {"type": "string", "uniqueItems": true}}],
            "requestBody": {"required": true, "content": {"*/*": {"schema": {"$ref": "#/components/schemas/a.B"}}}},
            "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": {"type": "object"}}}}},
            "x-kubernetes-action": "post"}}},
        "components": {"schemas": {"a.B": {"type": "object", "description": "D",
            "properties": {"n": {"type": "integer", "default": 0}, "o": {"default": {}, "allOf": [{"$ref": "r"}]},
                "l": {"type": "array", "items": {"type": "string", "default": ""}},
                "m": {"additionalProperties": {"$ref": "r"}}, "f": {"additionalProperties": true}}}},
            "securitySchemes": {"Token": {"type": "apiKey", "name": "authorization", "in": "header"}}}}"##;
    let bytes = encode_v3(&json::parse(document.as_bytes()).unwrap());
    let operation = [4_u64, 1, 2, 6];
    let properties = [5_u64, 1, 1, 2, 1, 31, 1];
    let rows: [(&[u64], &[u64], &[Read<'_>]); 20] = [
        (&[], &[1], &[text("3.0.0")]),
        (&[], &[2, 6], &[text("v1")]),
        (&[], &[4, 1, 1], &[text("/a")]),
        (&operation, &[5], &[text("create")]),
        (&operation, &[6, 1, 1], &[text("q")]),
        (&operation, &[6, 1, 10, 1, 20], &[Read::Int(1)]),
        (&operation, &[7, 1, 3], &[Read::Int(1)]),
        (&operation, &[7, 1, 2, 1, 2, 1, 2, 1], &[text("#/components/schemas/a.B")]),
        (&operation, &[8, 2, 1], &[text("200")]),
        (&operation, &[8, 2, 2, 1, 3, 1, 1], &[text("application/json")]),
        (&operation, &[8, 2, 2, 1, 3, 1, 2, 1, 1, 25], &[text("object")]),
        (&operation, &[13, 1], &[text("x-kubernetes-action")]),
        (&properties, &[1], &[text("f"), text("l"), text("m"), text("n"), text("o")]),
        (&properties, &[2, 1, 32, 2], &[Read::Int(1)]),
        (&properties, &[2, 1, 32, 1, 2, 1], &[text("r")]),
        (&properties, &[2, 1, 30, 1, 1, 33, 3], &[text("")]),
        (&properties, &[2, 1, 33, 1], &[Read::Double(0.0)]),
        (&properties, &[2, 1, 33], &[Read::Bytes(b"\x09\0\0\0\0\0\0\0\0"), text("")]),
        (&properties, &[2, 1, 26, 2, 1], &[text("r")]),
        (&[5, 7, 1], &[2, 1, 3], &[text("authorization")]),
    ];
    for (start, path, expected) in rows {
        assert_eq!(at(&bytes, &[start, path].concat()), expected, "{start:?} {path:?}");
    }
}
