//! Semantic equality of values of a type, as upstream's `equality.Semantic.DeepEqual` of the Go values.

use sprag_value::{MAX_DEPTH, Object, Quantity, Value, from_value};

use crate::zero::is_zero;
use crate::{Kind, Shapes, TypeId, TypeRef, UnknownFields};

impl Shapes {
    /// Tells if two values mean the same: unset and empty lists do, quantities that are equal do, a pointer to nothing and
    /// no pointer do not.
    pub fn same(&self, ty: TypeRef, a: Option<&Value>, b: Option<&Value>) -> bool {
        same(self, ty, a, b, MAX_DEPTH)
    }
}

fn same(shapes: &Shapes, ty: TypeRef, a: Option<&Value>, b: Option<&Value>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let (a, b) = (a.filter(|value| !value.is_null()), b.filter(|value| !value.is_null()));
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a == b || same_kind(shapes, ty.id, a, b, depth),
        (Some(value), None) | (None, Some(value)) => match shapes.get(ty.id).kind {
            Kind::List { .. } => value.as_array().is_some_and(|items| items.is_empty()),
            Kind::Map { .. } => value.as_object().is_some_and(Object::is_empty),
            _ if ty.nullable => false,
            Kind::Struct { .. } => same_kind(shapes, ty.id, value, &Value::object(), depth),
            Kind::Bytes => value.as_str() == Some(""),
            _ => is_zero(shapes, ty, Some(value), depth),
        },
    }
}

fn same_kind(shapes: &Shapes, id: TypeId, a: &Value, b: &Value, depth: usize) -> bool {
    let shape = shapes.get(id);
    match (&shape.kind, a, b) {
        (Kind::Struct { .. }, Value::Object(_), Value::Object(_)) if shape.unknown == UnknownFields::Preserve => {
            a.semantic_eq(b)
        }
        (Kind::Struct { .. }, Value::Object(a), Value::Object(b)) => {
            shapes.sorted_fields(id).all(|field| same(shapes, field.ty, a.get(&field.json), b.get(&field.json), depth))
        }
        (Kind::List { elem, .. }, Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(shapes, *elem, Some(a), Some(b), depth))
        }
        (Kind::Map { value, .. }, Value::Object(a), Value::Object(b)) => {
            let mut pairs = a.iter().zip(b.iter());
            a.len() == b.len()
                && pairs.all(|((key, a), (other, b))| key == other && same(shapes, *value, Some(a), Some(b), depth))
        }
        (Kind::Quantity, ..) => match (from_value::<Quantity>(a), from_value::<Quantity>(b)) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        },
        (Kind::Any | Kind::RawExtension, ..) => a.semantic_eq(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;
    use crate::{Field, ListType, TypeShape};

    /// A struct with a list, a pointer to a struct, a struct and a map of quantities.
    fn shapes() -> Shapes {
        let value = |id: u32| TypeRef::value(TypeId(id));
        let field = |name: &'static str, ty: TypeRef| Field { omit_empty: true, ..Field::new(name, name, ty) };
        let inner = Kind::of_fields(vec![field("text", value(0))].into());
        let outer = vec![
            field("list", value(3)),
            field("pointer", TypeRef { nullable: true, ..value(2) }),
            field("plain", value(2)),
            field("amounts", value(5)),
        ];
        Shapes::new(vec![
            TypeShape::new("string", Kind::String),
            TypeShape::new("Quantity", Kind::Quantity),
            TypeShape::new("Inner", inner),
            TypeShape::new("", Kind::List { elem: value(2), list: ListType::default() }),
            TypeShape::new("Outer", Kind::of_fields(outer.into())),
            TypeShape::new("", Kind::Map { key: value(0), value: value(1) }),
        ])
    }

    #[test]
    fn values_are_compared_as_go_compares_them() {
        let shapes = shapes();
        let check = |a: &str, b: &str, expected: bool| {
            let (left, right) = (json::parse(a.as_bytes()).unwrap(), json::parse(b.as_bytes()).unwrap());
            let ty = TypeRef::value(TypeId(4));
            assert_eq!(shapes.same(ty, Some(&left), Some(&right)), expected, "{a} {b}");
            assert_eq!(shapes.same(ty, Some(&right), Some(&left)), expected, "{b} {a}");
        };
        check("{}", r#"{"list":[],"amounts":{},"pointer":null,"plain":{}}"#, true);
        check("{}", r#"{"pointer":{}}"#, false);
        check("{}", r#"{"plain":{"text":""}}"#, true);
        check("{}", r#"{"plain":{"text":"x"}}"#, false);
        check("{}", r#"{"list":[{}]}"#, false);
        check(r#"{"list":[{}]}"#, r#"{"list":[{"text":""}]}"#, true);
        check(r#"{"amounts":{"a":"1"}}"#, r#"{"amounts":{"a":"1000m"}}"#, true);
        check(r#"{"amounts":{"a":"1"}}"#, r#"{"amounts":{"b":"1"}}"#, false);
    }
}
