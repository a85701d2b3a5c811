//! The messages of `openapi.v3`, as far as documents need them.

use sprag_value::Value;

use super::Form::{Any, Choice, Double, Each, Flag, Int, Named, Text, Within};
use super::messages::{EXTERNAL_DOCS, is_reference};
use super::{Form, Message};

const TEXTS: Form = Each(&Text);
const SCHEMA_OR_REFERENCE: Form = Choice(schema_or_reference);
const SCHEMAS: Form = Each(&SCHEMA_OR_REFERENCE);
const PARAMETERS: Form = Each(&Choice(parameter_or_reference));
const OPERATION: Form = Form::Message(&OPERATION_FIELDS);
const CONTENT: Form = Named(1, &Form::Message(&MEDIA_TYPE));

pub(super) static DOCUMENT: Message = Message {
    fields: &[
        ("openapi", 1, Text),
        ("info", 2, Form::Message(&INFO)),
        ("paths", 4, Named(1, &Form::Message(&PATH_ITEM))),
        ("components", 5, Form::Message(&COMPONENTS)),
        ("security", 6, Each(&Named(1, &Within(1, &TEXTS)))),
        ("externalDocs", 8, Form::Message(&EXTERNAL_DOCS)),
    ],
    extensions: Some(9),
};

static INFO: Message =
    Message { fields: &[("title", 1, Text), ("description", 2, Text), ("version", 6, Text)], extensions: Some(7) };

static COMPONENTS: Message = Message {
    fields: &[
        ("schemas", 1, Named(1, &SCHEMA_OR_REFERENCE)),
        ("parameters", 3, Named(1, &Choice(parameter_or_reference))),
        ("securitySchemes", 7, Named(1, &Choice(security_scheme_or_reference))),
    ],
    extensions: Some(10),
};

static PATH_ITEM: Message = Message {
    fields: &[
        ("summary", 2, Text),
        ("description", 3, Text),
        ("get", 4, OPERATION),
        ("put", 5, OPERATION),
        ("post", 6, OPERATION),
        ("delete", 7, OPERATION),
        ("options", 8, OPERATION),
        ("head", 9, OPERATION),
        ("patch", 10, OPERATION),
        ("trace", 11, OPERATION),
        ("parameters", 13, PARAMETERS),
    ],
    extensions: Some(14),
};

static OPERATION_FIELDS: Message = Message {
    fields: &[
        ("tags", 1, TEXTS),
        ("summary", 2, Text),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("parameters", 6, PARAMETERS),
        ("requestBody", 7, Choice(request_body_or_reference)),
        ("responses", 8, Named(2, &Choice(response_or_reference))),
        ("deprecated", 10, Flag),
    ],
    extensions: Some(13),
};

static REFERENCE: Message =
    Message { fields: &[("$ref", 1, Text), ("summary", 2, Text), ("description", 3, Text)], extensions: None };

static PARAMETER: Message = Message {
    fields: &[
        ("name", 1, Text),
        ("in", 2, Text),
        ("description", 3, Text),
        ("required", 4, Flag),
        ("deprecated", 5, Flag),
        ("allowEmptyValue", 6, Flag),
        ("style", 7, Text),
        ("explode", 8, Flag),
        ("allowReserved", 9, Flag),
        ("schema", 10, SCHEMA_OR_REFERENCE),
        ("content", 13, CONTENT),
    ],
    extensions: Some(14),
};

static REQUEST_BODY: Message = Message {
    fields: &[("description", 1, Text), ("content", 2, CONTENT), ("required", 3, Flag)],
    extensions: Some(4),
};

static RESPONSE: Message =
    Message { fields: &[("description", 1, Text), ("content", 3, CONTENT)], extensions: Some(5) };

static MEDIA_TYPE: Message = Message { fields: &[("schema", 1, SCHEMA_OR_REFERENCE)], extensions: Some(5) };

static SCHEMA: Message = Message {
    fields: &[
        ("nullable", 1, Flag),
        ("readOnly", 3, Flag),
        ("writeOnly", 4, Flag),
        ("externalDocs", 6, Form::Message(&EXTERNAL_DOCS)),
        ("example", 7, Any),
        ("deprecated", 8, Flag),
        ("title", 9, Text),
        ("multipleOf", 10, Double),
        ("maximum", 11, Double),
        ("exclusiveMaximum", 12, Flag),
        ("minimum", 13, Double),
        ("exclusiveMinimum", 14, Flag),
        ("maxLength", 15, Int),
        ("minLength", 16, Int),
        ("pattern", 17, Text),
        ("maxItems", 18, Int),
        ("minItems", 19, Int),
        ("uniqueItems", 20, Flag),
        ("maxProperties", 21, Int),
        ("minProperties", 22, Int),
        ("required", 23, TEXTS),
        ("enum", 24, Each(&Any)),
        ("type", 25, Text),
        ("allOf", 26, SCHEMAS),
        ("oneOf", 27, SCHEMAS),
        ("anyOf", 28, SCHEMAS),
        ("not", 29, Form::Message(&SCHEMA)),
        ("items", 30, Within(1, &SCHEMA_OR_REFERENCE)),
        ("properties", 31, Named(1, &SCHEMA_OR_REFERENCE)),
        ("additionalProperties", 32, Choice(schema_or_flag)),
        ("default", 33, Choice(default_type)),
        ("description", 34, Text),
        ("format", 35, Text),
    ],
    extensions: Some(36),
};

static SECURITY_SCHEME: Message = Message {
    fields: &[("type", 1, Text), ("description", 2, Text), ("name", 3, Text), ("in", 4, Text), ("scheme", 5, Text)],
    extensions: Some(9),
};

/// Every kind of part that may be a reference has the part as field 1 and the reference as field 2.
fn or_reference(value: &Value, message: &'static Message) -> (u32, Form) {
    if is_reference(value) { (2, Form::Message(&REFERENCE)) } else { (1, Form::Message(message)) }
}

fn schema_or_reference(value: &Value) -> (u32, Form) {
    or_reference(value, &SCHEMA)
}

fn parameter_or_reference(value: &Value) -> (u32, Form) {
    or_reference(value, &PARAMETER)
}

fn request_body_or_reference(value: &Value) -> (u32, Form) {
    or_reference(value, &REQUEST_BODY)
}

fn response_or_reference(value: &Value) -> (u32, Form) {
    or_reference(value, &RESPONSE)
}

fn security_scheme_or_reference(value: &Value) -> (u32, Form) {
    or_reference(value, &SECURITY_SCHEME)
}

fn schema_or_flag(value: &Value) -> (u32, Form) {
    if value.as_bool().is_some() { (2, Flag) } else { (1, SCHEMA_OR_REFERENCE) }
}

/// Defaults that are lists or objects are messages of nothing.
// As gnostic's openapi_v3.NewDefaultType.
fn default_type(value: &Value) -> (u32, Form) {
    match value {
        Value::Bool(_) => (2, Flag),
        Value::String(_) => (3, Text),
        _ => (1, Double),
    }
}
