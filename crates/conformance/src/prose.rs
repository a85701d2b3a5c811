//! The reference's prose inside recorded answers: descriptions in `OpenAPI` documents and of table columns, and the help of
//! metrics. Packing blanks it; what is blanked is not compared.

use sprag_value::{Object, Value};

use crate::volatile::NOT_COMPARED;

/// The members that hold prose.
pub(crate) const MEMBERS: [&str; 2] = [DESCRIPTION, HELP];

const DESCRIPTION: &str = "description";
const HELP: &str = "help";

/// Blanks all prose in the answer to a request for `path`.
pub(crate) fn blank(path: &str, answer: &mut Value) {
    each_text(path, answer, &mut |text| *text = "".into());
}

/// Marks the prose that was blanked in the answer to a request for `path`.
pub(crate) fn mark_blanked(path: &str, answer: &mut Value) {
    each_text(path, answer, &mut |text| *text = NOT_COMPARED.into());
}

fn each_text(path: &str, answer: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    if path.starts_with("/openapi/") {
        each_member(answer, DESCRIPTION, visit);
    } else if path == "/metrics" {
        each_member(answer, HELP, visit);
    } else {
        each_column(answer, visit);
    }
}

/// Visits all texts of this name. A property that is called so has a schema, not a text.
fn each_member(value: &mut Value, name: &str, visit: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.as_mut_slice().iter_mut().for_each(|item| each_member(item, name, visit)),
        Value::Object(members) => {
            for (key, member) in members.iter_mut() {
                if key.as_str() == name && member.as_str().is_some() {
                    visit(member);
                } else {
                    each_member(member, name, visit);
                }
            }
        }
        _ => {}
    }
}

/// Visits the descriptions of the columns of a table, and of tables in the events of a watch.
fn each_column(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(events) => events.as_mut_slice().iter_mut().for_each(|event| each_column(event, visit)),
        Value::Object(members) if is_table(members) => {
            if let Some(columns) = members.get_mut("columnDefinitions") {
                each_member(columns, DESCRIPTION, visit);
            }
        }
        Value::Object(members) => {
            if let Some(object) = members.get_mut("object") {
                each_column(object, visit);
            }
        }
        _ => {}
    }
}

fn is_table(members: &Object) -> bool {
    members.get("kind").and_then(Value::as_str) == Some("Table")
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(path: &str, answer: &str, blanked: &str) {
        let mut value = json::parse(answer.as_bytes()).expect("valid JSON");
        blank(path, &mut value);
        assert_eq!(json::to_string_plain(&value), blanked);
    }

    #[test]
    fn descriptions_of_schemas_are_blanked_and_properties_are_not() {
        check(
            "/openapi/v3/apis/x/v1",
            r#"{"a":[{"description":"Long."}],"properties":{"description":{"description":"Longer.","type":"string"}}}"#,
            r#"{"a":[{"description":""}],"properties":{"description":{"description":"","type":"string"}}}"#,
        );
    }

    #[test]
    fn descriptions_of_columns_are_blanked() {
        check(
            "/api/v1/pods",
            r#"{"columnDefinitions":[{"description":"Long.","name":"Name"}],"kind":"Table","rows":[{"description":"kept"}]}"#,
            r#"{"columnDefinitions":[{"description":"","name":"Name"}],"kind":"Table","rows":[{"description":"kept"}]}"#,
        );
        check(
            "/api/v1/pods?watch=true",
            r#"[{"object":{"columnDefinitions":[{"description":"Long."}],"kind":"Table"},"type":"ADDED"}]"#,
            r#"[{"object":{"columnDefinitions":[{"description":""}],"kind":"Table"},"type":"ADDED"}]"#,
        );
    }

    #[test]
    fn help_of_metrics_is_blanked() {
        check(
            "/metrics",
            r#"{"a_total":{"help":"Long.","type":"counter"}}"#,
            r#"{"a_total":{"help":"","type":"counter"}}"#,
        );
    }

    #[test]
    fn other_answers_stay() {
        let object = r#"{"description":"kept","kind":"Widget","message":"kept"}"#;
        check("/apis/example.com/v1/widgets/a", object, object);
    }
}
