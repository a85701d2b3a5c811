//! Semantic equality of values of a type.

use sprag_value::{MAX_DEPTH, Quantity, Value, from_value};

use crate::zero::is_zero;
use crate::{Kind, Shapes, TypeRef};

impl Shapes {
    /// Tells if two values of a type mean the same, as upstream's `equality.Semantic.DeepEqual` says of the Go values: an unset
    /// list or map is an empty one, amounts are compared as numbers, and a pointer to an empty struct is not an unset one.
    ///
    /// ```
    /// use sprag_shape::{TypeRef, meta};
    /// use sprag_value::json::parse;
    ///
    /// let same = |a: &[u8], b: &[u8]| {
    ///     let (a, b) = (parse(a).unwrap(), parse(b).unwrap());
    ///     meta::shapes().same(TypeRef::value(meta::OBJECT_META), Some(&a), Some(&b))
    /// };
    /// assert!(same(br#"{"labels": {}, "name": ""}"#, b"{}"));
    /// assert!(!same(br#"{"deletionGracePeriodSeconds": 0}"#, b"{}"));
    /// ```
    pub fn same(&self, ty: TypeRef, a: Option<&Value>, b: Option<&Value>) -> bool {
        self.same_below(ty, set(a), set(b), MAX_DEPTH)
    }

    fn same_below(&self, ty: TypeRef, a: Option<&Value>, b: Option<&Value>, depth: usize) -> bool {
        if a == b {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        if ty.nullable && (a.is_none() || b.is_none()) {
            return false;
        }
        match &self.get(ty.id).kind {
            Kind::Struct { .. } => self.sorted_fields(ty.id).all(|field| {
                let a = a.and_then(|a| a.get(&field.json));
                let b = b.and_then(|b| b.get(&field.json));
                self.same_below(field.ty, set(a), set(b), depth)
            }),
            Kind::List { elem, .. } => {
                let a = items(a);
                let b = items(b);
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| self.same_below(*elem, set(Some(a)), set(Some(b)), depth))
            }
            Kind::Map { value, .. } => self.same_entries(*value, a, b, depth),
            Kind::Quantity => match (a.map(from_value::<Quantity>), b.map(from_value::<Quantity>)) {
                (Some(Ok(a)), Some(Ok(b))) => a == b,
                _ => self.is_zero(ty, a) && self.is_zero(ty, b),
            },
            Kind::Bytes => text(a) == text(b),
            _ => (a.is_none() || b.is_none()) && self.is_zero(ty, a) && self.is_zero(ty, b),
        }
    }

    fn same_entries(&self, ty: TypeRef, a: Option<&Value>, b: Option<&Value>, depth: usize) -> bool {
        let entries = |map: Option<&'_ Value>| map.and_then(Value::as_object).map_or(0, sprag_value::Object::len);
        entries(a) == entries(b)
            && a.and_then(Value::as_object).into_iter().flatten().all(|(key, value)| {
                let other = b.and_then(|b| b.get(key));
                other.is_some() && self.same_below(ty, set(Some(value)), set(other), depth)
            })
    }

    fn is_zero(&self, ty: TypeRef, value: Option<&Value>) -> bool {
        is_zero(self, ty, value, MAX_DEPTH)
    }
}

fn set(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}

fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map_or(&[], |items| items.as_slice())
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use crate::TypeRef;
    use crate::sample::{self, SPEC};

    #[track_caller]
    fn check(a: &str, b: &str, expected: bool) {
        let a = json::parse(a.as_bytes()).unwrap();
        let b = json::parse(b.as_bytes()).unwrap();
        let same = |a, b| sample::shapes().same(TypeRef::value(SPEC), Some(a), Some(b));
        assert_eq!((same(&a, &b), same(&b, &a)), (expected, expected), "{a:?} {b:?}");
    }

    #[test]
    fn what_is_unset_is_zero_but_for_pointers() {
        check(r#"{"args":[],"nodeSelector":{},"mode":"","weight":0,"limit":"0"}"#, "{}", true);
        check(r#"{"replicas":0}"#, "{}", false);
        check(r#"{"port":""}"#, "{}", false);
        check(r#"{"replicas":null}"#, "{}", true);
        check(r#"{"args":["a"]}"#, "{}", false);
        check(r#"{"mode":"a"}"#, "{}", false);
    }

    #[test]
    fn amounts_are_numbers_and_texts_are_not() {
        check(r#"{"limit":"1"}"#, r#"{"limit":"1000m"}"#, true);
        check(r#"{"limit":"1"}"#, r#"{"limit":"2"}"#, false);
        check(r#"{"mode":"1"}"#, r#"{"mode":"1000m"}"#, false);
        check(r#"{"args":["1"]}"#, r#"{"args":["1000m"]}"#, false);
        check(r#"{"byName":{"a":{}}}"#, r#"{"byName":{"b":{}}}"#, false);
        check(r#"{"byName":{"a":{}}}"#, r#"{"byName":{"a":{"name":""}}}"#, true);
    }
}
