//! Writes by which no field changes hands, as most are: decided without sets.
//!
//! A fast path. Skips: validating both objects, comparing them into sets and reconciling those with every manager's.
//! Safe: it gives up (`None`) at anything but the plain case, and the tests below compare it with the sets.

use std::cell::OnceCell;

use sprag_value::{Object, Value};

use crate::apply::fields::compare::{are_pairs, is_shared, pairs};
use crate::apply::fields::fields_v1::{KEY_ROOM, write_field};
use crate::apply::fields::path::equal_values;
use crate::apply::fields::set::FieldSet;
use crate::apply::fields::skipped::{Skipped, SkippedField};
use crate::apply::owners::owned_set::is_member;
use crate::apply::types::ty::{Form, Keys, ListForm, MapForm, Ty};
use crate::apply::types::typed::write_name;
use crate::apply::types::validate::{Duplicates, fits};

/// The stored managed fields of an object.
pub(in crate::apply) struct Owners<'f> {
    /// The fields of the writer.
    pub(in crate::apply) writer: &'f Object,
    /// The fields of everybody else.
    pub(in crate::apply) others: Vec<&'f Object>,
}

/// Reports whether making `new` of `live` only writes fields that the writer owns: nothing is added, no owned field is
/// removed, and no field of others is written. Nothing when that takes a closer look, as it does when an object does
/// not have its type.
pub(in crate::apply) fn writes_own_fields(
    ty: Ty<'_>,
    live: &Value,
    new: &Value,
    owners: &Owners<'_>,
    reset: Option<&FieldSet>,
) -> Option<bool> {
    let mut walk = Walk { key: String::with_capacity(KEY_ROOM), changes: 0, has_written: false };
    let place = Place { above: None, fields: OnceCell::from(Some(owners.writer)) };
    match (ty.form(Some(new)), live, new) {
        (Form::Map(map), Value::Object(live), Value::Object(new)) if !map.atomic => {
            walk.members(map, [live, new], &place, Skipped::of_writer(reset), &owners.others)?;
        }
        _ => return None,
    }
    Some(walk.has_written)
}

/// A position in the object, and the writer's fields there, computed on demand.
struct Place<'p, 'f> {
    above: Option<(&'p Place<'p, 'f>, Name<'p>)>,
    fields: OnceCell<Option<&'f Object>>,
}

/// The name of a place in its parent.
#[derive(Clone, Copy)]
enum Name<'p> {
    Field(&'p str),
    Element(ListForm<'p>, &'p Value),
}

impl<'p, 'f> Place<'p, 'f> {
    fn below(&'p self, name: Name<'p>) -> Self {
        Self { above: Some((self, name)), fields: OnceCell::new() }
    }

    /// Returns the fields that the writer owns here or below; `key` is a buffer for a name.
    fn fields(&self, key: &mut String) -> Option<&'f Object> {
        *self.fields.get_or_init(|| {
            let (above, name) = self.above?;
            let above = above.fields(key)?;
            match name {
                Name::Field(name) => write_field(key, name),
                Name::Element(list, element) => write_name(key, list, element)?,
            }
            above.get(key)?.as_object()
        })
    }
}

/// All of its methods yield nothing when the objects have to be looked at more closely.
struct Walk {
    key: String,
    /// The number of differences found.
    changes: usize,
    /// True if any is in a field that the writer owns.
    has_written: bool,
}

impl Walk {
    fn members(
        &mut self,
        map: MapForm<'_>,
        [old, new]: [&Object; 2],
        place: &Place<'_, '_>,
        skipped: Skipped<'_>,
        others: &[&Object],
    ) -> Option<()> {
        let mut type_of = map.types_in_order();
        for (name, old, new) in pairs(old, new) {
            let ty = type_of(name).0?;
            let skipped = skipped.field(name);
            let before = self.changes;
            let place = place.below(Name::Field(name));
            match (old, new) {
                _ if skipped.all => {
                    require([old, new].into_iter().flatten().all(|value| has_type(ty, value)))?;
                }
                (Some(old), Some(new)) => self.value(ty, old, new, &place, skipped)?,
                (Some(old), None) => {
                    self.changes += 1;
                    require(has_type(ty, old) && place.fields(&mut self.key).is_none())?;
                }
                (None, _) => return None,
            }
            if self.changes > before && !others.is_empty() {
                write_field(&mut self.key, name);
                require(others.iter().all(|fields| fields.get(&self.key).is_none()))?;
            }
        }
        Some(())
    }

    fn value(
        &mut self,
        ty: Ty<'_>,
        old: &Value,
        new: &Value,
        place: &Place<'_, '_>,
        skipped: SkippedField<'_>,
    ) -> Option<()> {
        if is_shared(old, new) {
            return require(has_type(ty, new));
        }
        require(ty.same_form(old, new))?;
        match (ty.form(Some(new)), old, new) {
            (Form::Scalar(scalar), _, _) if old == new => require(new.is_null() || scalar.accepts(new)),
            (Form::Map(map), Value::Object(old), Value::Object(new)) if !map.atomic => {
                self.members(map, [old, new], place, skipped.below, &[])
            }
            (Form::List(list), Value::Array(old), Value::Array(new)) if matches!(list.keys, Keys::Fields(_)) => {
                require(skipped.below.is_nothing() && are_pairs(list, old, new))?;
                old.iter().zip(new).try_for_each(|(old, new)| {
                    self.value(list.elem, old, new, &place.below(Name::Element(list, new)), SkippedField::NOTHING)
                })
            }
            (Form::Map(MapForm { atomic: false, .. }), _, _) => None,
            (Form::List(list), _, _) if !matches!(list.keys, Keys::Atomic) => require(is_same(ty, old, new)),
            _ if is_same(ty, old, new) => Some(()),
            _ => {
                self.changes += 1;
                self.has_written = true;
                let is_owned = place.fields(&mut self.key).is_some_and(is_member);
                require(is_owned && !skipped.itself && has_type(ty, old) && has_type(ty, new))
            }
        }
    }
}

fn require(condition: bool) -> Option<()> {
    condition.then_some(())
}

fn is_same(ty: Ty<'_>, old: &Value, new: &Value) -> bool {
    equal_values(old, new) && has_type(ty, new)
}

fn has_type(ty: Ty<'_>, value: &Value) -> bool {
    fits(ty, value, Duplicates::Allowed)
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::apply::fields::compare::compare;
    use crate::apply::fields::of_value::fields;
    use crate::apply::fields::strip::strip;
    use crate::apply::tests::{THING, shapes};

    const PARTS: [&str; 18] = [
        r#""metadata":{"name":"x","uid":"u","labels":{"a":"1"}}"#,
        r#""metadata":{"name":"x","labels":{"a":"2"}}"#,
        r#""metadata":{"name":"y"},"status":{"a":"b"}"#,
        r#""metadata":{"name":"x","finalizers":["f"]},"status":{"a":"c"}"#,
        r#""spec":{"size":1,"name":"n","labels":{"a":"1","b":"2"}}"#,
        r#""spec":{"size":2,"name":"n","labels":{"a":"1","b":"3"}}"#,
        r#""spec":{"size":2,"labels":{}}"#,
        r#""spec":{"size":null,"name":"m","labels":null}"#,
        r#""spec":{"atomic":{"a":"1"},"plain":["a","a"],"set":["b","a"],"open":{"known":"k","x":{"y":[1,{"z":2}]}}}"#,
        r#""spec":{"atomic":{"a":"2"},"plain":["a"],"set":["b","a"],"open":{"known":"k","x":{"y":[1,{"z":3}]}}}"#,
        r#""spec":{"atomic":{"a":"2"},"plain":["a"],"set":["a","b"],"open":{"known":"k","x":7}}"#,
        r#""spec":{"parts":[{"name":"b","qty":1},{"name":"a","ports":[{"port":80,"protocol":"TCP"}]}]}"#,
        r#""spec":{"parts":[{"name":"b","qty":2},{"name":"a","ports":[{"port":80,"protocol":"TCP","host":"h"}]}]}"#,
        r#""spec":{"parts":[{"name":"b","qty":2},{"name":"a","ports":[{"port":80,"protocol":"TCP"}]}]}"#,
        r#""spec":{"parts":[{"name":"a","qty":2},{"name":"b","qty":2}]}"#,
        r#""spec":{"parts":[{"name":"b"},{"name":"b"}],"set":["b","b"]}"#,
        r#""spec":{"parts":[{"qty":1}],"set":[]}"#,
        r#""spec":{"size":"one"}"#,
    ];
    /// Fields owned by other managers than the writer.
    const OF_OTHERS: [&[&str]; 5] = [&["nothing"], &["spec", "size"], &["spec", "open"], &["metadata"], &["spec"]];

    #[test]
    fn the_short_way_leads_where_the_long_way_does() {
        let shapes = shapes();
        let ty = Ty::root(&shapes, THING);
        let reset = FieldSet::of_fields([&["status"][..]]);
        let parse = |part: &str| json::parse(format!(r#"{{"kind":"Thing",{part}}}"#).as_bytes()).unwrap();
        let mut short = [0, 0];
        for (live, new) in PARTS.iter().flat_map(|live| PARTS.map(|new| (parse(live), parse(new)))) {
            let all = strip(&fields(ty, &live));
            for of_others in OF_OTHERS {
                let own = all.recursive_difference(&FieldSet::of_fields([of_others]));
                let other = all.difference(&own);
                let stored = [&own, &other].map(FieldSet::to_fields_v1);
                let [writer, others] = stored.each_ref().map(|fields| fields.as_object().unwrap());
                let owners = Owners { writer, others: vec![others] };
                let Some(has_written) = writes_own_fields(ty, &live, &new, &owners, Some(&reset)) else { continue };
                assert!(has_type(ty, &live) && has_type(ty, &new), "{live:?} {new:?}");
                let compared = compare(ty, &live, &new).without(Some(&reset));
                let written = compared.modified.union(&compared.added);
                let gained = strip(&written);
                assert_eq!(has_written, !gained.is_empty(), "{live:?} {new:?}");
                let lost = written.difference(&gained).union(&compared.removed);
                assert_eq!(own.difference(&lost).union(&gained), own, "{live:?} {new:?}");
                assert!(other.intersection(&written.union(&compared.removed)).is_empty(), "{live:?} {new:?}");
                short[usize::from(has_written)] += 1;
            }
        }
        assert!(short[0] > 20 && short[1] > 10, "{short:?}");
    }
}
