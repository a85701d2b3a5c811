//! The fields of a manager as they are stored; most writes are settled without reading them.

use std::cell::OnceCell;
use std::ops::Deref;

use sprag_value::{Object, Value};

use crate::apply::fields::fields_v1::{KEY_ROOM, is_canonical, write_element};
use crate::apply::fields::set::FieldSet;

/// The fields of a manager.
#[derive(Clone, Debug)]
pub(in crate::apply) struct OwnedSet {
    /// The set in its stored form, written as it would be written here.
    stored: Option<Value>,
    /// The set once it has been read, and always when it is not stored.
    set: OnceCell<FieldSet>,
}

impl OwnedSet {
    /// The set that `fieldsV1` stores; an error when it cannot be read.
    pub(in crate::apply) fn read(fields: &Value) -> Result<Self, String> {
        if is_canonical(fields) {
            return Ok(Self::stored(fields.clone()));
        }
        FieldSet::from_fields_v1(fields).map(Self::from)
    }

    /// The set of fields that are written as they would be written here.
    pub(in crate::apply) fn stored(fields: Value) -> Self {
        Self { stored: Some(fields), set: OnceCell::new() }
    }

    /// The set in its stored form, as long as it is not known to be another.
    pub(in crate::apply) fn as_stored(&self) -> Option<&Object> {
        self.stored.as_ref().and_then(Value::as_object)
    }

    pub(in crate::apply) fn to_fields_v1(&self) -> Value {
        self.stored.clone().unwrap_or_else(|| self.deref().to_fields_v1())
    }

    pub(in crate::apply) fn is_empty(&self) -> bool {
        self.as_stored().map_or_else(|| self.deref().is_empty(), Object::is_empty)
    }

    /// True if any of these paths is a member.
    pub(in crate::apply) fn touches(&self, paths: &FieldSet) -> bool {
        match self.as_stored() {
            Some(fields) => touches(fields, paths, &mut String::with_capacity(KEY_ROOM)),
            None => !self.intersection(paths).is_empty(),
        }
    }

    /// True if all of these paths are members.
    pub(in crate::apply) fn covers(&self, paths: &FieldSet) -> bool {
        match self.as_stored() {
            Some(fields) => covers(fields, paths, &mut String::with_capacity(KEY_ROOM)),
            None => paths.is_subset(self),
        }
    }

    /// Takes paths away.
    pub(in crate::apply) fn subtract(&mut self, paths: &FieldSet) {
        if !self.touches(paths) {
            return;
        }
        match self.stored.take() {
            Some(Value::Object(mut fields)) => {
                subtract(&mut fields, paths, &mut String::with_capacity(KEY_ROOM));
                *self = Self::stored(Value::Object(fields));
            }
            _ => *self = self.difference(paths).into(),
        }
    }

    /// Puts paths in.
    pub(in crate::apply) fn add(&mut self, paths: &FieldSet) {
        if self.covers(paths) {
            return;
        }
        match self.stored.take() {
            Some(Value::Object(mut fields)) => {
                add(&mut fields, paths, &mut String::with_capacity(KEY_ROOM));
                *self = Self::stored(Value::Object(fields));
            }
            _ => *self = self.union(paths).into(),
        }
    }

    /// True if all members surely are members of a set.
    pub(in crate::apply) fn is_subset(&self, set: &FieldSet) -> bool {
        match self.as_stored() {
            Some(fields) => is_subset(fields, set, &mut String::with_capacity(KEY_ROOM)),
            None => self.deref().is_subset(set),
        }
    }

    /// True if the members are those of a set.
    pub(in crate::apply) fn is(&self, set: &FieldSet) -> bool {
        match self.as_stored() {
            Some(fields) => is(fields, set, &mut String::with_capacity(KEY_ROOM)),
            None => **self == *set,
        }
    }
}

impl From<FieldSet> for OwnedSet {
    fn from(set: FieldSet) -> Self {
        Self { stored: None, set: set.into() }
    }
}

impl Deref for OwnedSet {
    type Target = FieldSet;

    fn deref(&self) -> &FieldSet {
        self.set.get_or_init(|| {
            let fields = self.stored.as_ref().unwrap_or(&Value::Null);
            FieldSet::from_fields_v1(fields).expect("what is stored is canonical, which can be read")
        })
    }
}

fn touches(fields: &Object, paths: &FieldSet, key: &mut String) -> bool {
    paths.nodes().iter().any(|node| {
        let Some(below) = child(fields, node, key) else { return false };
        (node.member && is_member(below)) || touches(below, &node.children, key)
    })
}

fn covers(fields: &Object, paths: &FieldSet, key: &mut String) -> bool {
    paths.nodes().iter().all(|node| {
        child(fields, node, key)
            .is_some_and(|below| (is_member(below) || !node.member) && covers(below, &node.children, key))
    })
}

/// The number of children of the node with these fields.
pub(in crate::apply) fn count(fields: &Object) -> usize {
    fields.len() - usize::from(fields.get(".").is_some())
}

fn is_subset(fields: &Object, set: &FieldSet, key: &mut String) -> bool {
    let mut found = 0;
    for node in set.nodes() {
        let Some(below) = child(fields, node, key) else { continue };
        if (is_member(below) && !node.member) || !is_subset(below, &node.children, key) {
            return false;
        }
        found += 1;
    }
    found == count(fields)
}

fn is(fields: &Object, set: &FieldSet, key: &mut String) -> bool {
    count(fields) == set.nodes().len()
        && set.nodes().iter().all(|node| {
            child(fields, node, key)
                .is_some_and(|below| is_member(below) == node.member && is(below, &node.children, key))
        })
}

fn subtract(fields: &mut Object, paths: &FieldSet, key: &mut String) {
    for node in paths.nodes() {
        let Some(below) = child(fields, node, key) else { continue };
        let loses_itself = node.member && is_member(below);
        if !loses_itself && !touches(below, &node.children, key) {
            continue;
        }
        write_element(key, &node.element);
        let Some(below) = fields.get_mut(key).and_then(Value::as_object_mut) else { continue };
        let is_member = is_member(below) && !node.member;
        below.remove(".");
        subtract(below, &node.children, key);
        if !below.is_empty() && is_member {
            below.insert(".", Value::object());
        } else if below.is_empty() && !is_member {
            write_element(key, &node.element);
            fields.remove(key);
        }
    }
}

fn add(fields: &mut Object, paths: &FieldSet, key: &mut String) {
    for node in paths.nodes() {
        write_element(key, &node.element);
        let mut below = Object::new();
        let mut is_member = node.member;
        if let Some(found) = fields.get_mut(key).and_then(Value::as_object_mut) {
            is_member |= self::is_member(found);
            below = std::mem::take(found);
        }
        add(&mut below, &node.children, key);
        if !below.is_empty() && is_member {
            below.insert(".", Value::object());
        }
        write_element(key, &node.element);
        fields.insert(key.as_str(), below);
    }
}

fn child<'f>(fields: &'f Object, node: &crate::apply::fields::set::Node, key: &mut String) -> Option<&'f Object> {
    write_element(key, &node.element);
    fields.get(key).and_then(Value::as_object)
}

/// True if the node with these fields is itself a member.
pub(in crate::apply) fn is_member(fields: &Object) -> bool {
    fields.is_empty() || fields.get(".").is_some()
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    const FIELDS: &str = r#"{"f:a":{".":{},"k:{\"name\":\"x\"}":{"f:size":{}}},"f:b":{"f:c":{},"v:7":{}}}"#;

    fn set(fields: &str) -> FieldSet {
        FieldSet::from_fields_v1(&json::parse(fields.as_bytes()).unwrap()).unwrap()
    }

    fn owned() -> OwnedSet {
        OwnedSet::read(&json::parse(FIELDS.as_bytes()).unwrap()).unwrap()
    }

    /// The same answers and changes, whether the set has been read or not.
    #[track_caller]
    fn check(paths: &str, touched: bool, covered: bool) {
        let paths = set(paths);
        let stored = owned();
        assert!(stored.as_stored().is_some());
        let read = OwnedSet::from(set(FIELDS));
        for owned in [&stored, &read] {
            assert_eq!((owned.touches(&paths), owned.covers(&paths)), (touched, covered));
            assert_eq!(owned.is(&paths), *read == paths);
            assert_eq!(owned.is_subset(&paths), read.deref().is_subset(&paths));
        }
        let changes: [fn(&mut OwnedSet, &FieldSet); 2] = [OwnedSet::subtract, OwnedSet::add];
        for change in changes {
            let mut stored = stored.clone();
            let mut read = read.clone();
            change(&mut stored, &paths);
            change(&mut read, &paths);
            assert!(stored.as_stored().is_some());
            assert_eq!(json::to_string(&stored.to_fields_v1()), json::to_string(&read.to_fields_v1()));
            assert_eq!(*stored, *read);
        }
    }

    #[test]
    fn stored_fields_are_asked_and_changed_as_they_are() {
        check(r#"{"f:a":{}}"#, true, true);
        check(r#"{"f:b":{}}"#, false, false);
        check(r#"{"f:a":{"k:{\"name\":\"x\"}":{"f:size":{}}}}"#, true, true);
        check(r#"{"f:a":{"k:{\"name\":\"x\"}":{}}}"#, false, false);
        check(r#"{"f:a":{".":{},"k:{\"name\":\"x\"}":{}}}"#, true, false);
        check(r#"{"f:a":{"k:{\"name\":\"y\"}":{}},"f:b":{"f:c":{}}}"#, true, false);
        check(r#"{"f:a":{".":{},"k:{\"name\":\"x\"}":{".":{},"f:size":{".":{},"f:x":{}}}}}"#, true, false);
        check(r#"{"f:b":{"v:7":{}}}"#, true, true);
        check(r#"{"f:b":{"f:c":{},"v:7":{}}}"#, true, true);
        check(r#"{"f:z":{}}"#, false, false);
        check(r#"{"f:0":{"f:x":{},"f:y":{".":{},"i:1":{}}},"f:z":{}}"#, false, false);
        check("{}", false, true);
        check(FIELDS, true, true);
        check(&FIELDS.replace(r#""f:b""#, r#""f:0":{},"f:b""#), true, false);
    }

    #[test]
    fn only_what_is_touched_changes() {
        let mut owned = owned();
        let before = owned.to_fields_v1();
        owned.subtract(&set(r#"{"f:b":{"f:d":{}}}"#));
        owned.add(&set(r#"{"f:b":{"f:c":{}}}"#));
        assert_eq!(owned.to_fields_v1(), before);
        owned.subtract(&set(r#"{"f:b":{"f:c":{}}}"#));
        assert_ne!(owned.to_fields_v1(), before);
        owned.add(&set(r#"{"f:b":{"f:c":{}}}"#));
        assert_eq!(owned.to_fields_v1(), before);
    }
}
