//! Applies of the fields that the manager applied before, as most are: seen without sets.
//!
//! A fast path. Skips: making the set of what is applied, reading the stored set, and comparing the two.
//! Safe: it says no at anything but the plain case, and the tests below compare it with the sets.

use sprag_value::{Object, Value};

use crate::apply::fields::fields_v1::{KEY_ROOM, write_field};
use crate::apply::fields::set::FieldSet;
use crate::apply::fields::skipped::{Skipped, SkippedField};
use crate::apply::owners::owned_set::{count, is_member};
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Ty};
use crate::apply::types::typed::write_name;

/// True if the fields of an applied value, but for those that nobody owns, surely are the stored ones.
pub(in crate::apply) fn has_same_fields(ty: Ty<'_>, value: &Value, stored: &Object, reset: Option<&FieldSet>) -> bool {
    let mut walk = Walk { key: String::with_capacity(KEY_ROOM) };
    let skipped = SkippedField { all: false, itself: false, below: Skipped::of_writer(reset) };
    walk.value(ty, value, stored, skipped).is_some()
}

struct Walk {
    key: String,
}

impl Walk {
    /// Compares what is below a value; says whether it is itself a field. Nothing where something differs.
    fn value(&mut self, ty: Ty<'_>, value: &Value, stored: &Object, skipped: SkippedField<'_>) -> Option<bool> {
        match (ty.form(Some(value)), value) {
            (Form::Map(map), Value::Object(members)) if !map.atomic => {
                self.members(map, members, stored, skipped.below)?;
                Some(members.is_empty())
            }
            (Form::List(list), Value::Array(elements)) if !matches!(list.keys, Keys::Atomic) => {
                skipped.below.is_nothing().then_some(())?;
                self.elements(list, elements, stored)?;
                Some(false)
            }
            (Form::Map(MapForm { atomic: false, .. }), _) => (count(stored) == 0).then(|| value.is_null()),
            (Form::List(list), _) if !matches!(list.keys, Keys::Atomic) => {
                (count(stored) == 0).then(|| value.is_null())
            }
            _ => (count(stored) == 0).then_some(true),
        }
    }

    fn members(&mut self, map: MapForm<'_>, members: &Object, stored: &Object, skipped: Skipped<'_>) -> Option<()> {
        const NONE: &Object = &Object::new();
        let mut found = 0;
        for (name, value, ty, is_declared) in map.typed_members(members) {
            let skipped = skipped.field(name);
            if skipped.all {
                continue;
            }
            write_field(&mut self.key, name);
            let fields = stored.get(&self.key).and_then(Value::as_object);
            let is_field = self.value(ty?, value, fields.unwrap_or(NONE), skipped)? || !is_declared;
            let is_owned = is_field && !skipped.itself;
            match fields {
                Some(fields) if is_member(fields) == is_owned => found += 1,
                None if !is_owned => {}
                _ => return None,
            }
        }
        (found == count(stored)).then_some(())
    }

    fn elements(&mut self, list: ListForm<'_>, elements: &[Value], stored: &Object) -> Option<()> {
        for element in elements {
            write_name(&mut self.key, list, element)?;
            let fields = stored.get(&self.key)?.as_object().filter(|fields| is_member(fields))?;
            self.value(list.elem, element, fields, SkippedField::NOTHING)?;
        }
        // Elements with the same name would be one.
        (elements.len() == count(stored)).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::apply::fields::of_value::fields;
    use crate::apply::fields::strip::strip;
    use crate::apply::tests::{THING, shapes};

    const PARTS: [&str; 20] = [
        r#""metadata":{"name":"x","labels":{"a":"1"}}"#,
        r#""metadata":{"name":"x","labels":{"a":"2"}}"#,
        r#""metadata":{"name":"x","labels":{}}"#,
        r#""metadata":{"name":"x","finalizers":["f"]},"status":{"a":"b"}"#,
        r#""spec":{"size":1,"name":"n"}"#,
        r#""spec":{"size":2,"name":""}"#,
        r#""spec":{"size":2}"#,
        r#""spec":{"atomic":{"a":"1"},"plain":["a","a"]}"#,
        r#""spec":{"atomic":{},"plain":[]}"#,
        r#""spec":{"labels":{"a":"1","b":"2"},"granular":{"a":"1"}}"#,
        r#""spec":{"labels":{"a":"1"},"granular":{}}"#,
        r#""spec":{"set":["b","a"]}"#,
        r#""spec":{"set":["a","b"]}"#,
        r#""spec":{"set":[]}"#,
        r#""spec":{"parts":[{"name":"b","qty":1},{"name":"a","ports":[{"port":80},{"port":9,"protocol":"UDP"}]}]}"#,
        r#""spec":{"parts":[{"name":"a","ports":[{"port":80},{"port":9,"protocol":"UDP"}]},{"name":"b","qty":2}]}"#,
        r#""spec":{"parts":[{"name":"b"},{"name":"b"}]}"#,
        r#""spec":{"parts":[{"name":"b"}]}"#,
        r#""spec":{"open":{"known":"k","x":{"y":[1,{"z":2}],"e":{}}},"size":null}"#,
        r#""spec":{"open":{"known":"k","x":{"y":[],"e":null}},"size":null}"#,
    ];

    #[test]
    fn the_short_way_leads_where_the_long_way_does() {
        let shapes = shapes();
        let ty = Ty::root(&shapes, THING);
        let reset = FieldSet::of_fields([&["status"][..]]);
        let parse = |part: &str| json::parse(format!(r#"{{"kind":"Thing",{part}}}"#).as_bytes()).unwrap();
        let owned = |part: &str| strip(&fields(ty, &parse(part)).recursive_difference(&reset));
        let mut same = 0;
        for (last, now) in PARTS.iter().flat_map(|last| PARTS.map(|now| (last, now))) {
            let last = owned(last);
            let stored = last.to_fields_v1();
            let found = has_same_fields(ty, &parse(now), stored.as_object().unwrap(), Some(&reset));
            assert!(!found || owned(now) == last, "{now} {last:?}");
            same += usize::from(found);
        }
        assert!(same >= 24, "{same}");
    }
}
