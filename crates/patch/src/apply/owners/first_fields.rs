//! The fields that the first writer of an object owns, in their stored form: what comparing with nothing, subtracting
//! and storing sets yields, without the sets.
//!
//! A fast path. Skips: validating the object, comparing it with an empty one, and writing the resulting set.
//! Safe: it gives up (`None`) where the object may not have its type, and the tests below compare it with the sets.

use sprag_value::{Entry, Object, Text, Value};

use crate::apply::fields::fields_v1::{ENTRY_ROOM, KEY_ROOM, write_field};
use crate::apply::fields::path::equal_values;
use crate::apply::fields::set::FieldSet;
use crate::apply::fields::skipped::Skipped;
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Ty};
use crate::apply::types::typed::write_name;
use crate::apply::types::validate::{Duplicates, fits};

/// Returns the fields written by making `new` of `empty`, which has little more than its type. Nothing when that takes
/// a closer look, as it does when the new object does not have its type.
pub(in crate::apply) fn first_fields(
    ty: Ty<'_>,
    empty: &Value,
    new: &Value,
    reset: Option<&FieldSet>,
) -> Option<Value> {
    let mut writer = Writer { key: String::with_capacity(KEY_ROOM), entries: Vec::with_capacity(ENTRY_ROOM) };
    let skipped = Skipped::of_writer(reset);
    match ty.form(Some(new)) {
        Form::Map(map) if fits(ty, empty, Duplicates::Allowed) => {
            writer.members(map, Some(empty.as_object()?), new.as_object()?, skipped)?;
            Some(Value::Object(writer.fields(0)))
        }
        _ => None,
    }
}

/// The entries of all levels that are not finished, and room for a key. All of its methods yield nothing when the
/// object has to be looked at more closely.
struct Writer {
    key: String,
    entries: Vec<Entry>,
}

impl Writer {
    /// The object of the fields from `start` on, whose keys are in the order of their names. A member with nothing below
    /// has no entry that says so.
    fn fields(&mut self, start: usize) -> Object {
        if self.entries.len() == start + 1 && self.entries[start].key() == "." {
            self.entries.truncate(start);
        }
        Object::from_sorted_scratch(&mut self.entries, start)
    }

    fn begin(&mut self, member: bool) -> usize {
        let start = self.entries.len();
        self.entries.extend(member.then(|| Entry::new(".", Value::object())));
        start
    }

    /// Enters the fields of `new` that `old` does not have or has otherwise.
    fn members(&mut self, map: MapForm<'_>, old: Option<&Object>, new: &Object, skipped: Skipped<'_>) -> Option<()> {
        for (name, value, ty, _) in map.typed_members(new) {
            let ty = ty?;
            let skipped = skipped.field(name);
            if skipped.all {
                fits(ty, value, Duplicates::Allowed).then_some(())?;
                continue;
            }
            let (is_member, below) = match old.and_then(|old| old.get(name)) {
                None => (!skipped.itself, self.added(ty, value, !skipped.itself, skipped.below)?),
                Some(old) => {
                    let (is_changed, below) = self.changed(ty, old, value, skipped.below)?;
                    (is_changed && !skipped.itself, below)
                }
            };
            if is_member || !below.is_empty() {
                write_field(&mut self.key, name);
                self.entries.push(Entry::new(Text::from(self.key.as_str()), below));
            }
        }
        Some(())
    }

    /// The fields of a value that was not there.
    fn added(&mut self, ty: Ty<'_>, value: &Value, member: bool, skipped: Skipped<'_>) -> Option<Object> {
        match (ty.form(Some(value)), value) {
            (Form::Map(map), Value::Object(members)) if !map.atomic && !members.is_empty() => {
                let start = self.begin(member);
                self.members(map, None, members, skipped)?;
                Some(self.fields(start))
            }
            (Form::List(list), Value::Array(elements)) if !matches!(list.keys, Keys::Atomic) => {
                skipped.is_nothing().then_some(())?;
                let start = self.begin(member && !elements.is_empty());
                self.elements(list, elements)?;
                let count = self.entries.len() - start;
                let fields = Object::from_scratch(&mut self.entries, start);
                // Elements with the same name are one.
                (elements.is_empty() || fields.len() == count).then_some(fields)
            }
            (Form::Scalar(scalar), value) if scalar.accepts(value) => Some(Object::new()),
            _ => fits(ty, value, Duplicates::Allowed).then(Object::new),
        }
    }

    fn elements(&mut self, list: ListForm<'_>, elements: &[Value]) -> Option<()> {
        for element in elements {
            let below = self.added(list.elem, element, true, Skipped::NOTHING)?;
            write_name(&mut self.key, list, element)?;
            self.entries.push(Entry::new(Text::from(self.key.as_str()), below));
        }
        Some(())
    }

    /// Compares two values; also returns the changed fields below.
    fn changed(&mut self, ty: Ty<'_>, old: &Value, new: &Value, skipped: Skipped<'_>) -> Option<(bool, Object)> {
        if !ty.same_form(old, new) {
            return None;
        }
        match (ty.form(Some(new)), old, new) {
            (Form::Map(map), Value::Object(old), Value::Object(new)) if !map.atomic => {
                let start = self.entries.len();
                self.members(map, Some(old), new, skipped)?;
                Some((false, self.fields(start)))
            }
            (form, _, _) if is_one_value(form) || (is_empty(old) && is_empty(new)) => {
                fits(ty, new, Duplicates::Allowed).then(|| (!equal_values(old, new), Object::new()))
            }
            _ if is_empty(old) => Some((false, self.added(ty, new, false, skipped)?)),
            _ => None,
        }
    }
}

fn is_one_value(form: Form<'_>) -> bool {
    match form {
        Form::Scalar(_) => true,
        Form::Map(map) => map.atomic,
        Form::List(list) => matches!(list.keys, Keys::Atomic),
    }
}

/// True if there is nothing below a value that could be owned.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::apply::fields::compare::compare;
    use crate::apply::fields::strip;
    use crate::apply::tests::{THING, shapes};

    /// Parts of objects, some of which take a closer look.
    const PARTS: [&str; 15] = [
        r#""metadata":{"name":"x","uid":"u"}"#,
        r#""metadata":{"name":"x","labels":{"a":"1"},"annotations":{},"finalizers":["f"]}"#,
        r#""status":{"a":"b"}"#,
        r#""spec":{"size":1,"name":"","labels":{"a":"1","b":null}}"#,
        r#""spec":{"atomic":{"a":"1"},"plain":["a","a"],"open":{"known":"k","x":{"y":[1,{"z":2}],"e":{}}}}"#,
        r#""spec":{"set":["b","a"],"parts":[]}"#,
        r#""spec":{"set":["b","b"]}"#,
        r#""spec":{"parts":[{"name":"b","qty":1},{"name":"a","ports":[{"port":80},{"port":9,"protocol":"UDP","host":"h"}]}]}"#,
        r#""spec":{"parts":[{"name":"b"},{"name":"b"}]}"#,
        r#""spec":{"parts":[{"qty":1}]}"#,
        r#""spec":null"#,
        r#""spec":{}"#,
        r#""spec":{"set":null,"parts":null,"labels":null,"atomic":null,"plain":null,"size":null,"open":null}"#,
        r#""spec":{"set":[],"parts":[],"labels":{},"atomic":{},"plain":[],"open":{}}"#,
        r#""spec":{"size":"one"}"#,
    ];

    #[test]
    fn the_short_way_leads_where_the_long_way_does() {
        let shapes = shapes();
        let ty = Ty::root(&shapes, THING);
        let reset = FieldSet::of_fields([&["status"][..], &["metadata", "finalizers"]]);
        let parse = |part: &str| json::parse(format!(r#"{{"kind":"Thing",{part}}}"#).as_bytes()).unwrap();
        let mut short = 0;
        let empty = [
            r#""apiVersion":"v1""#,
            r#""spec":{},"metadata":{"name":""}"#,
            r#""spec":null,"metadata":{}"#,
            r#""spec":{"set":null,"parts":null,"labels":null,"atomic":null,"plain":null,"size":0,"open":null}"#,
            r#""spec":{"set":[],"parts":[],"labels":{},"atomic":{},"plain":[],"open":{}}"#,
            PARTS[3],
            PARTS[5],
        ];
        for old in empty {
            for new in PARTS {
                let old = parse(old);
                let new = parse(new);
                let Some(fields) = first_fields(ty, &old, &new, Some(&reset)) else { continue };
                let compared = compare(ty, &old, &new).without(Some(&reset));
                let set = strip::strip(&compared.modified.union(&compared.added));
                assert_eq!(json::to_string(&fields), json::to_string(&set.to_fields_v1()), "{new:?}");
                short += 1;
            }
        }
        assert!(short > 60, "{short}");
    }
}
