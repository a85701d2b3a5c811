//! Fields that belong to a feature: which objects use them, and what becomes of them while the feature is off.

use std::borrow::Cow;

use sprag_decode::typed;
use sprag_shape::{Field, Kind, Shapes, TypeId};
use sprag_value::Value;

use crate::gates::FeatureGates;

/// A field that belongs to a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gated {
    /// The feature gate.
    pub gate: Cow<'static, str>,
    /// The way to the field.
    pub path: Cow<'static, [Step]>,
}

/// A step on the way to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of this name.
    Field(Cow<'static, str>),
    /// Every element of a list or map.
    Each,
}

/// The fields of a type that belong to features.
pub(crate) struct GatedFields(Vec<Leaf>);

/// A gated field with what its shape says.
struct Leaf {
    gated: Gated,
    /// True if unset differs from zero.
    nullable: bool,
    /// The value of an unset field, if it is always written.
    zero: Option<Value>,
}

impl GatedFields {
    /// The gated fields of a type.
    pub(crate) fn new(shapes: &Shapes, root: TypeId, gated: &[Gated]) -> GatedFields {
        let leaf = |gated: &Gated| {
            let (owner, field) = field_at(shapes, root, &gated.path)?;
            let zero = typed::round_trip(shapes, owner, &Value::object()).remove(&field.json);
            Some(Leaf { gated: gated.clone(), nullable: field.ty.nullable, zero })
        };
        GatedFields(gated.iter().filter_map(leaf).collect())
    }

    /// Drops fields of features that are off, unless the old object uses them; returns whether there were any.
    pub(crate) fn drop_disabled(&self, gates: &FeatureGates, new: &mut Value, old: Option<&Value>) -> bool {
        let mut dropped = false;
        for leaf in &self.0 {
            if !gates.enabled(&leaf.gated.gate)
                && !old.is_some_and(|old| leaf.in_use(old, &leaf.gated.path))
                && leaf.in_use(new, &leaf.gated.path)
            {
                leaf.drop_from(new, &leaf.gated.path);
                dropped = true;
            }
        }
        dropped
    }
}

// The recursions go down a path that is part of the program, not of a request.
impl Leaf {
    /// Tells if the field is set anywhere below a value.
    fn in_use(&self, value: &Value, path: &[Step]) -> bool {
        let Some((step, rest)) = path.split_first() else { return self.is_set(value) };
        match (step, value) {
            (Step::Field(name), Value::Object(members)) => {
                members.get(name).is_some_and(|value| self.in_use(value, rest))
            }
            (Step::Each, Value::Object(members)) => members.values().any(|value| self.in_use(value, rest)),
            (Step::Each, Value::Array(items)) => items.iter().any(|value| self.in_use(value, rest)),
            _ => false,
        }
    }

    /// Tells if a value counts as set, as rules see it: zero only where it differs from unset.
    fn is_set(&self, value: &Value) -> bool {
        match value {
            Value::Null => false,
            _ if self.nullable => true,
            Value::Bool(value) => *value,
            Value::Int(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.as_slice().is_empty(),
            Value::Object(members) => !members.is_empty(),
        }
    }

    fn drop_from(&self, value: &mut Value, path: &[Step]) {
        let Some((step, rest)) = path.split_first() else { return };
        match (step, value) {
            (Step::Field(name), value) if rest.is_empty() => match &self.zero {
                Some(zero) if value.get(name).is_some() => drop(value.insert(name.as_ref(), zero.clone())),
                _ => drop(value.remove(name)),
            },
            (Step::Field(name), value) => {
                if let Some(member) = value.get_mut(name) {
                    self.drop_from(member, rest);
                }
            }
            (Step::Each, Value::Object(members)) => {
                members.iter_mut().for_each(|(_, value)| self.drop_from(value, rest));
            }
            (Step::Each, Value::Array(items)) => {
                items.as_mut_slice().iter_mut().for_each(|value| self.drop_from(value, rest));
            }
            _ => {}
        }
    }
}

/// The field at the end of a path, and the type that has it.
fn field_at<'s>(shapes: &'s Shapes, root: TypeId, path: &[Step]) -> Option<(TypeId, &'s Field)> {
    let (mut ty, mut found) = (root, None);
    for step in path {
        ty = match (step, &shapes.get(ty).kind) {
            (Step::Field(name), Kind::Struct { .. }) => {
                let field = shapes.field(ty, name)?;
                found = Some((ty, field));
                field.ty.id
            }
            (Step::Each, Kind::List { elem, .. }) => elem.id,
            (Step::Each, Kind::Map { value, .. }) => value.id,
            _ => return None,
        };
    }
    found
}

/// The shapes while some features are off, if that makes a difference: their fields have no default and are not required.
pub(crate) fn without_disabled(shapes: &Shapes, root: TypeId, gated: &[Gated], gates: &FeatureGates) -> Option<Shapes> {
    let mut changed: Option<Shapes> = None;
    for gated in gated.iter().filter(|gated| !gates.enabled(&gated.gate)) {
        let Some((owner, field)) = field_at(shapes, root, &gated.path) else { continue };
        if field.required || !field.default.is_empty() {
            changed.get_or_insert_with(|| shapes.clone()).change_field(owner, &field.json, |field| {
                field.required = false;
                field.default = Cow::Borrowed("");
            });
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use sprag_shape::{TypeRef, TypeShape};
    use sprag_value::json;

    use super::*;

    const ROOT: TypeId = TypeId(5);

    /// `spec` has a number `n` that is always written, an optional one `a`, and lists and maps of such structs.
    fn shapes() -> Shapes {
        let [int, spec, list, map] = [0, 1, 2, 3].map(TypeId).map(TypeRef::value);
        let optional = |name: &'static str, ty| Field::new(name, name, ty).omit_empty();
        let fields = vec![
            optional("a", TypeRef::pointer(int.id)).default("7").required(),
            Field::new("n", "n", int),
            optional("b", TypeRef::pointer(int.id)).default("8"),
            optional("l", list),
            optional("m", map),
        ];
        Shapes::new(vec![
            TypeShape::new("", Kind::Int { bits: 32, signed: true }),
            TypeShape::new("Spec", Kind::of_fields(fields.into())),
            TypeShape::new("", Kind::List { elem: spec, list: sprag_shape::ListType::Unset }),
            TypeShape::new("", Kind::Map { key: TypeRef::value(TypeId(4)), value: spec }),
            TypeShape::new("", Kind::String),
            TypeShape::new("Root", Kind::of_fields(vec![Field::new("spec", "spec", spec)].into())),
        ])
    }

    fn gated(path: &str) -> Gated {
        let step = |part: &str| if part == "*" { Step::Each } else { Step::Field(part.to_owned().into()) };
        Gated { gate: "G".into(), path: path.split('.').map(step).collect() }
    }

    #[track_caller]
    fn check(path: &str, object: &str, expected: &str) {
        let fields = GatedFields::new(&shapes(), ROOT, &[gated(path)]);
        let old = json::parse(object.as_bytes()).unwrap();
        let mut value = old.clone();
        let dropped = fields.drop_disabled(&FeatureGates::default(), &mut value, None);
        assert_eq!((dropped, json::to_string(&value).as_str()), (object != expected, expected));
        let mut kept = old.clone();
        assert!(!fields.drop_disabled(&FeatureGates::default(), &mut kept, Some(&old)), "the old object uses it");
        assert_eq!(kept, old);
    }

    #[test]
    fn fields_are_dropped_wherever_they_are() {
        check("spec.a", r#"{"spec":{"a":0,"b":2}}"#, r#"{"spec":{"b":2}}"#);
        check("spec.l.*.a", r#"{"spec":{"l":[{"a":1,"b":2},{"b":3},7]}}"#, r#"{"spec":{"l":[{"b":2},{"b":3},7]}}"#);
        check("spec.m.*.a", r#"{"spec":{"m":{"x":{"a":1},"y":{}}}}"#, r#"{"spec":{"m":{"x":{},"y":{}}}}"#);
    }

    #[test]
    fn a_field_that_is_always_written_becomes_zero() {
        check("spec.n", r#"{"spec":{"n":5}}"#, r#"{"spec":{"n":0}}"#);
        check("spec.n", r#"{"spec":{"n":0}}"#, r#"{"spec":{"n":0}}"#);
        let fields = GatedFields::new(&shapes(), ROOT, &[gated("spec.n")]);
        let (zero, mut five) = (r#"{"spec":{"n":0}}"#, json::parse(br#"{"spec":{"n":5}}"#).unwrap());
        let zero = json::parse(zero.as_bytes()).unwrap();
        assert!(fields.drop_disabled(&FeatureGates::default(), &mut five, Some(&zero)), "zero is not in use");
        assert_eq!(five, zero);
    }

    #[test]
    fn other_fields_stay() {
        for object in ["{}", r#"{"spec":null}"#, r#"{"spec":{"a":null}}"#, r#"{"spec":7}"#, r#"{"a":1,"spec":{"b":1}}"#]
        {
            check("spec.a", object, object);
        }
    }

    #[test]
    fn fields_of_features_that_are_off_have_no_default_and_are_not_required() {
        let shapes = shapes();
        let gated = [gated("spec.l.*.a")];
        let off = without_disabled(&shapes, ROOT, &gated, &FeatureGates::default()).unwrap();
        let field = |shapes: &Shapes, name| {
            let field = shapes.field(TypeId(1), name).unwrap();
            (field.default.to_string(), field.required)
        };
        assert_eq!((field(&off, "a"), field(&off, "b")), ((String::new(), false), ("8".into(), false)));
        assert_eq!(field(&shapes, "a"), ("7".into(), true));
        let on = FeatureGates::default().with("G", crate::Stage::Beta);
        assert_eq!(without_disabled(&shapes, ROOT, &gated, &on), None);
    }
}
