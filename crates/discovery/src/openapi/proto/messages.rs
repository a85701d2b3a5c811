//! The messages of `openapi.v2`, as far as documents need them.

use sprag_value::Value;

use super::Form::{Any, Choice, Double, Each, Flag, Int, Named, Text, Within};
use super::{Form, Message};

const TEXTS: Form = Each(&Text);
/// A message for a list of texts.
const TEXT_LIST: Form = Within(1, &TEXTS);
const PARAMETERS: Form = Each(&Choice(parameter_or_reference));
const OPERATION: Form = Form::Message(&OPERATION_FIELDS);

pub(super) static DOCUMENT: Message = Message {
    fields: &[
        ("swagger", 1, Text),
        ("info", 2, Form::Message(&INFO)),
        ("paths", 8, Named(2, &Form::Message(&PATH_ITEM))),
        ("definitions", 9, Named(1, &Form::Message(&SCHEMA))),
        ("parameters", 10, Named(1, &Choice(parameter))),
        ("security", 12, Each(&Named(1, &TEXT_LIST))),
        ("securityDefinitions", 13, Named(1, &Choice(security_definition))),
    ],
    extensions: Some(16),
};

static INFO: Message = Message { fields: &[("title", 1, Text), ("version", 2, Text)], extensions: Some(7) };

static PATH_ITEM: Message = Message {
    fields: &[
        ("get", 2, OPERATION),
        ("put", 3, OPERATION),
        ("post", 4, OPERATION),
        ("delete", 5, OPERATION),
        ("options", 6, OPERATION),
        ("head", 7, OPERATION),
        ("patch", 8, OPERATION),
        ("parameters", 9, PARAMETERS),
    ],
    extensions: Some(10),
};

static OPERATION_FIELDS: Message = Message {
    fields: &[
        ("tags", 1, TEXTS),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("produces", 6, TEXTS),
        ("consumes", 7, TEXTS),
        ("parameters", 8, PARAMETERS),
        ("responses", 9, Named(1, &Choice(response_or_reference))),
        ("schemes", 10, TEXTS),
    ],
    extensions: Some(13),
};

static REFERENCE: Message = Message { fields: &[("$ref", 1, Text)], extensions: None };

static BODY_PARAMETER: Message = Message {
    fields: &[
        ("description", 1, Text),
        ("name", 2, Text),
        ("in", 3, Text),
        ("required", 4, Flag),
        ("schema", 5, Form::Message(&SCHEMA)),
    ],
    extensions: Some(6),
};

/// Parameters in headers and in paths.
static PLAIN_PARAMETER: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 5, Text),
        ("format", 6, Text),
        ("default", 9, Any),
        ("uniqueItems", 19, Flag),
        ("enum", 20, Each(&Any)),
    ],
    extensions: Some(22),
};

/// Parameters in queries and in forms.
static EMPTIABLE_PARAMETER: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("allowEmptyValue", 5, Flag),
        ("type", 6, Text),
        ("format", 7, Text),
        ("default", 10, Any),
        ("uniqueItems", 20, Flag),
        ("enum", 21, Each(&Any)),
    ],
    extensions: Some(23),
};

static RESPONSE: Message = Message {
    fields: &[("description", 1, Text), ("schema", 2, Within(1, &Form::Message(&SCHEMA)))],
    extensions: Some(5),
};

static SCHEMA: Message = Message {
    fields: &[
        ("$ref", 1, Text),
        ("format", 2, Text),
        ("title", 3, Text),
        ("description", 4, Text),
        ("default", 5, Any),
        ("multipleOf", 6, Double),
        ("maximum", 7, Double),
        ("exclusiveMaximum", 8, Flag),
        ("minimum", 9, Double),
        ("exclusiveMinimum", 10, Flag),
        ("maxLength", 11, Int),
        ("minLength", 12, Int),
        ("pattern", 13, Text),
        ("maxItems", 14, Int),
        ("minItems", 15, Int),
        ("uniqueItems", 16, Flag),
        ("maxProperties", 17, Int),
        ("minProperties", 18, Int),
        ("required", 19, TEXTS),
        ("enum", 20, Each(&Any)),
        ("additionalProperties", 21, Choice(schema_or_flag)),
        ("type", 22, TEXT_LIST),
        ("items", 23, Within(1, &Form::Message(&SCHEMA))),
        ("allOf", 24, Each(&Form::Message(&SCHEMA))),
        ("properties", 25, Named(1, &Form::Message(&SCHEMA))),
        ("externalDocs", 29, Form::Message(&EXTERNAL_DOCS)),
        ("example", 30, Any),
    ],
    extensions: Some(31),
};

pub(super) static EXTERNAL_DOCS: Message =
    Message { fields: &[("description", 1, Text), ("url", 2, Text)], extensions: Some(3) };

static BASIC_SECURITY: Message =
    Message { fields: &[("type", 1, Text), ("description", 2, Text)], extensions: Some(3) };

static API_KEY_SECURITY: Message = Message {
    fields: &[("type", 1, Text), ("name", 2, Text), ("in", 3, Text), ("description", 4, Text)],
    extensions: Some(5),
};

fn parameter_or_reference(value: &Value) -> (u32, Form) {
    if is_reference(value) { (2, Form::Message(&REFERENCE)) } else { (1, Choice(parameter)) }
}

fn parameter(value: &Value) -> (u32, Form) {
    if is(value, "in", "body") { (1, Form::Message(&BODY_PARAMETER)) } else { (2, Choice(non_body_parameter)) }
}

fn non_body_parameter(value: &Value) -> (u32, Form) {
    match value.get("in").and_then(Value::as_str) {
        Some("header") => (1, Form::Message(&PLAIN_PARAMETER)),
        Some("formData") => (2, Form::Message(&EMPTIABLE_PARAMETER)),
        Some("path") => (4, Form::Message(&PLAIN_PARAMETER)),
        _ => (3, Form::Message(&EMPTIABLE_PARAMETER)),
    }
}

fn response_or_reference(value: &Value) -> (u32, Form) {
    if is_reference(value) { (2, Form::Message(&REFERENCE)) } else { (1, Form::Message(&RESPONSE)) }
}

fn schema_or_flag(value: &Value) -> (u32, Form) {
    if value.as_bool().is_some() { (2, Flag) } else { (1, Form::Message(&SCHEMA)) }
}

fn security_definition(value: &Value) -> (u32, Form) {
    if is(value, "type", "basic") { (1, Form::Message(&BASIC_SECURITY)) } else { (2, Form::Message(&API_KEY_SECURITY)) }
}

pub(super) fn is_reference(value: &Value) -> bool {
    value.get("$ref").is_some()
}

fn is(value: &Value, member: &str, text: &str) -> bool {
    value.get(member).is_some_and(|member| *member == text)
}
