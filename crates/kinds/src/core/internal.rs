//! Values as Go prints those of internal types, whose fields have Go's names and are all there.

use sprag_field::BadValue;
use sprag_value::Value;
use sprag_value::json;

/// A field: its name in Go, its name in JSON, and how it is printed.
pub(crate) type Field = (&'static str, &'static str, Form);

/// How a field of an internal type is printed.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// A text; `""` when unset.
    Text,
    /// A pointer, list or map that has the same form inside and outside; `null` when unset.
    Plain,
    /// A pointer to a struct.
    Struct(&'static [Field]),
    /// A list of structs.
    Structs(&'static [Field]),
}

/// A value as an error about it shows it.
pub(crate) fn internal_value(value: Option<&Value>, form: Form) -> BadValue {
    let mut out = String::new();
    write(value, form, &mut out);
    BadValue::Json(out)
}

fn write(value: Option<&Value>, form: Form, out: &mut String) {
    let value = value.filter(|value| !value.is_null());
    match (form, value) {
        (Form::Text, None) => out.push_str("\"\""),
        (_, None) => out.push_str("null"),
        (Form::Text | Form::Plain, Some(value)) => out.push_str(&json::to_string(value)),
        (Form::Struct(fields), Some(value)) => write_struct(value, fields, out),
        (Form::Structs(fields), Some(value)) => {
            out.push('[');
            for (index, item) in value.as_array().into_iter().flat_map(|items| items.iter()).enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_struct(item, fields, out);
            }
            out.push(']');
        }
    }
}

fn write_struct(value: &Value, fields: &[Field], out: &mut String) {
    out.push('{');
    for (index, (name, member, form)) in fields.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push('"');
        out.push_str(name);
        out.push_str("\":");
        write(value.get(member), *form, out);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_are_printed_with_their_names_in_go() {
        const INNER: &[Field] = &[("Type", "type", Form::Text), ("Values", "values", Form::Plain)];
        const OUTER: &[Field] = &[
            ("One", "one", Form::Struct(INNER)),
            ("Many", "many", Form::Structs(INNER)),
            ("No", "no", Form::Struct(INNER)),
        ];
        let value = json::parse(br#"{"one":{"type":"<"},"many":[{},{"values":["a"]}]}"#).unwrap();
        assert_eq!(
            internal_value(Some(&value), Form::Struct(OUTER)).to_string(),
            r#"{"One":{"Type":"\u003c","Values":null},"Many":[{"Type":"","Values":null},{"Type":"","Values":["a"]}],"No":null}"#
        );
        assert_eq!(internal_value(None, Form::Structs(INNER)).to_string(), "null");
    }
}
