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
        if self.touches(paths) {
            *self = self.difference(paths).into();
        }
    }

    /// Puts paths in.
    pub(in crate::apply) fn add(&mut self, paths: &FieldSet) {
        if !self.covers(paths) {
            *self = self.union(paths).into();
        }
    }

    /// A set that this one becomes, in the stored form of this one where they are the same.
    pub(in crate::apply) fn becoming(&self, set: &FieldSet) -> Self {
        if **self == *set { self.clone() } else { set.clone().into() }
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

    /// The same answers, whether the set has been read or not.
    #[track_caller]
    fn check(paths: &str, touched: bool, covered: bool) {
        let owned = OwnedSet::read(&json::parse(FIELDS.as_bytes()).unwrap()).unwrap();
        let paths = set(paths);
        assert!(owned.as_stored().is_some());
        assert_eq!((owned.touches(&paths), owned.covers(&paths)), (touched, covered));
        let owned = OwnedSet::from(set(FIELDS));
        assert_eq!((owned.touches(&paths), owned.covers(&paths)), (touched, covered));
    }

    #[test]
    fn stored_fields_are_asked_as_they_are() {
        check(r#"{"f:a":{}}"#, true, true);
        check(r#"{"f:b":{}}"#, false, false);
        check(r#"{"f:a":{"k:{\"name\":\"x\"}":{"f:size":{}}}}"#, true, true);
        check(r#"{"f:a":{"k:{\"name\":\"x\"}":{}}}"#, false, false);
        check(r#"{"f:a":{"k:{\"name\":\"y\"}":{}},"f:b":{"f:c":{}}}"#, true, false);
        check(r#"{"f:b":{"v:7":{}}}"#, true, true);
        check(r#"{"f:z":{}}"#, false, false);
        check("{}", false, true);
    }

    #[test]
    fn only_what_is_touched_changes() {
        let mut owned = OwnedSet::read(&json::parse(FIELDS.as_bytes()).unwrap()).unwrap();
        owned.subtract(&set(r#"{"f:b":{"f:d":{}}}"#));
        assert!(owned.as_stored().is_some());
        owned.subtract(&set(r#"{"f:b":{"f:c":{}}}"#));
        assert!(owned.as_stored().is_none());
        owned.add(&set(r#"{"f:b":{"f:c":{}}}"#));
        assert_eq!(*owned, set(FIELDS));
    }
}
