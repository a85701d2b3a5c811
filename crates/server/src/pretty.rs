//! JSON for people: one member a line.

use sprag_value::json::{Escape, write_string, write_value};
use sprag_value::{MAX_DEPTH, Value};

use crate::order::Order;

/// The value as indented JSON.
pub(crate) fn to_string(value: &Value, order: &'static Order) -> String {
    let mut out = String::new();
    write(&mut out, value, order, 0);
    out
}

fn write(out: &mut String, value: &Value, order: &'static Order, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() && depth < MAX_DEPTH => {
            let mut before = '{';
            for (name, member, order) in order.members(members) {
                out.push(before);
                new_line(out, depth + 1);
                write_string(out, name, Escape::Html);
                out.push_str(": ");
                write(out, member, order, depth + 1);
                before = ',';
            }
            new_line(out, depth);
            out.push('}');
        }
        Value::Array(elements) if !elements.is_empty() && depth < MAX_DEPTH => {
            let mut before = '[';
            for element in elements {
                out.push(before);
                new_line(out, depth + 1);
                write(out, element, order, depth + 1);
                before = ',';
            }
            new_line(out, depth);
            out.push(']');
        }
        leaf => write_value(out, leaf, Escape::Html),
    }
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::SORTED;

    #[test]
    fn members_are_indented() {
        let value = sprag_value::json::parse(br#"{"a":[1,{"b":"<"}],"c":{},"d":[]}"#).unwrap();
        let pretty =
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"\\u003c\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}";
        assert_eq!(to_string(&value, &SORTED), pretty);
    }
}
