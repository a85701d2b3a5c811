//! A shape as server-side apply sees it: scalars, lists and maps, and which of them are one value.

use sprag_shape::{Field, Kind, ListType, MapType, Patch, Shapes, Str, TypeId, TypeShape, UnknownFields};
use sprag_value::{Key, Object, Value, json, key_order};

/// The use of a type at some place of an object.
#[derive(Clone, Copy)]
pub(in crate::apply) struct Ty<'s> {
    shapes: &'s Shapes,
    of: Of<'s>,
}

#[derive(Clone, Copy)]
enum Of<'s> {
    /// A declared type, with what the field around it says about it.
    Declared { id: TypeId, field: Option<&'s Field>, open: bool },
    /// Anything; objects are merged member by member, lists are one value.
    Deduced,
    /// Anything, as one value.
    Untyped,
}

/// The forms of a type's values; only types that accept anything have more than one.
#[derive(Clone, Copy)]
pub(in crate::apply) enum Form<'s> {
    Scalar(Scalar),
    List(ListForm<'s>),
    Map(MapForm<'s>),
}

/// The scalars that a type accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::apply) enum Scalar {
    Numeric,
    String,
    Boolean,
    Any,
}

impl Scalar {
    pub(in crate::apply) fn accepts(self, value: &Value) -> bool {
        match value {
            Value::Int(_) | Value::Float(_) => matches!(self, Self::Numeric | Self::Any),
            Value::String(_) => matches!(self, Self::String | Self::Any),
            Value::Bool(_) => matches!(self, Self::Boolean | Self::Any),
            Value::Null | Value::Array(_) | Value::Object(_) => false,
        }
    }
}

/// A list and its list type.
#[derive(Clone, Copy)]
pub(in crate::apply) struct ListForm<'s> {
    pub(in crate::apply) elem: Ty<'s>,
    pub(in crate::apply) keys: Keys<'s>,
}

/// The list type: atomic, set or map.
#[derive(Clone, Copy)]
pub(in crate::apply) enum Keys<'s> {
    /// The list is one value.
    Atomic,
    /// Elements are their own keys.
    Set,
    /// These members are the key.
    Fields(&'s [Str]),
}

/// An object with declared members, with members of one type, or both.
#[derive(Clone, Copy)]
pub(in crate::apply) struct MapForm<'s> {
    shapes: &'s Shapes,
    declared: Option<TypeId>,
    open: bool,
    /// The type of members that are not declared; nothing when there may be none.
    pub(in crate::apply) element: Option<Ty<'s>>,
    pub(in crate::apply) atomic: bool,
}

impl<'s> Ty<'s> {
    /// The type of a whole object.
    pub(in crate::apply) fn root(shapes: &'s Shapes, id: TypeId) -> Self {
        Self::declared(shapes, id, None, false)
    }

    fn declared(shapes: &'s Shapes, id: TypeId, field: Option<&'s Field>, open: bool) -> Self {
        let of = match shapes.get(id).kind {
            Kind::Any | Kind::IntOrString => Of::Deduced,
            Kind::RawExtension => Of::Untyped,
            _ => Of::Declared { id, field, open },
        };
        Self { shapes, of }
    }

    fn with(self, of: Of<'s>) -> Self {
        Self { of, ..self }
    }

    /// The form that fits a value; the map form when the type accepts anything and the value is null or absent.
    pub(in crate::apply) fn form(self, value: Option<&Value>) -> Form<'s> {
        let Of::Declared { id, field, open } = self.of else { return self.any_form(value) };
        let ty = self.shapes.get(id);
        match &ty.kind {
            Kind::Struct { .. } | Kind::Map { .. } => Form::Map(self.map(id, ty, field, open)),
            Kind::List { elem, list } => Form::List(ListForm {
                elem: Self::declared(self.shapes, elem.id, None, self.inherits(open, elem.id)),
                keys: keys(list, field),
            }),
            Kind::Int { .. } | Kind::Float { .. } => Form::Scalar(Scalar::Numeric),
            Kind::Bool => Form::Scalar(Scalar::Boolean),
            Kind::String | Kind::Bytes | Kind::Duration => Form::Scalar(Scalar::String),
            _ => Form::Scalar(Scalar::Any),
        }
    }

    fn any_form(self, value: Option<&Value>) -> Form<'s> {
        match value {
            None | Some(Value::Null | Value::Object(_)) => Form::Map(MapForm {
                shapes: self.shapes,
                declared: None,
                open: false,
                element: Some(self),
                atomic: matches!(self.of, Of::Untyped),
            }),
            Some(Value::Array(_)) => Form::List(ListForm { elem: self.with(Of::Untyped), keys: Keys::Atomic }),
            Some(_) => Form::Scalar(Scalar::Any),
        }
    }

    /// True if both values have the same form, where null has all of them.
    pub(in crate::apply) fn same_form(self, a: &Value, b: &Value) -> bool {
        let form = |value: &Value| match value {
            Value::Null => 0,
            Value::Object(_) => 1,
            Value::Array(_) => 2,
            _ => 3,
        };
        matches!(self.of, Of::Declared { .. }) || form(a) == form(b)
    }

    /// True if it accepts anything and merges objects member by member.
    pub(in crate::apply) fn is_deduced(self) -> bool {
        matches!(self.of, Of::Deduced)
    }

    fn map(self, id: TypeId, ty: &'s TypeShape, field: Option<&'s Field>, open: bool) -> MapForm<'s> {
        let atomic = match field.map_or(MapType::Unset, |field| field.map) {
            MapType::Unset => ty.atomic,
            map => map == MapType::Atomic,
        };
        let open = open || ty.unknown == UnknownFields::Preserve;
        let element = match &ty.kind {
            Kind::Map { value, .. } => Some(Self::declared(self.shapes, value.id, None, self.inherits(open, value.id))),
            _ if open || ty.fields().is_empty() => Some(self.with(Of::Deduced)),
            _ => None,
        };
        MapForm { shapes: self.shapes, declared: Some(id), open, element, atomic }
    }

    /// Types that are written in place keep undeclared members when the type around them does.
    fn inherits(self, open: bool, id: TypeId) -> bool {
        open && self.shapes.get(id).name.is_empty()
    }
}

/// Returns the keys of a list: those of the field take precedence over those of its type; a merge key counts if neither
/// has any.
fn keys<'s>(list: &'s ListType, field: Option<&'s Field>) -> Keys<'s> {
    let of = |list: &'s ListType| match list {
        ListType::Unset => None,
        ListType::Atomic => Some(Keys::Atomic),
        ListType::Set => Some(Keys::Set),
        ListType::Map(keys) => Some(Keys::Fields(keys)),
    };
    let merged = |patch: &'s Patch| match (patch.merge, patch.merge_key.is_empty()) {
        (false, _) => Keys::Atomic,
        (true, true) => Keys::Set,
        (true, false) => Keys::Fields(std::slice::from_ref(&patch.merge_key)),
    };
    let from_field = || field.map_or(Keys::Atomic, |field| merged(&field.patch));
    field.and_then(|field| of(&field.list)).or_else(|| of(list)).unwrap_or_else(from_field)
}

impl<'s> MapForm<'s> {
    /// The type of the member `name`; nothing when there may not be one.
    pub(in crate::apply) fn member(self, name: &str) -> Option<Ty<'s>> {
        self.declared_member(name).or(self.element)
    }

    /// The type of the member `name`, if it is declared.
    pub(in crate::apply) fn declared_member(self, name: &str) -> Option<Ty<'s>> {
        self.field(name).map(|field| self.type_of(field))
    }

    /// True if nothing is known about its members.
    pub(in crate::apply) fn is_deduced(self) -> bool {
        let fields = self.declared.is_some_and(|id| !self.shapes.get(id).fields().is_empty());
        !fields && self.element.is_some_and(Ty::is_deduced)
    }

    /// The default of the member `name`. A field of a Go type that is always written defaults to its zero value.
    pub(in crate::apply) fn default_of(self, name: &str) -> Option<Value> {
        let field = self.field(name)?;
        if !field.default.is_empty() {
            return json::parse(field.default.as_bytes()).ok();
        }
        let is_go = self.declared.is_some_and(|id| !self.shapes.get(id).name.is_empty());
        if !is_go || field.omit_empty || field.ty.nullable {
            return None;
        }
        match self.shapes.get(field.ty.id).kind {
            Kind::String => Some("".into()),
            Kind::Bool => Some(false.into()),
            Kind::Int { .. } => Some(0.into()),
            _ => None,
        }
    }

    /// The members of an object with their types; nothing for those that may not be there, and whether they are
    /// declared.
    pub(in crate::apply) fn typed_members<'m>(
        self,
        members: &'m Object,
    ) -> impl Iterator<Item = (&'m Key, &'m Value, Option<Ty<'s>>, bool)> {
        let mut type_of = self.types_in_order();
        members.iter().map(move |(name, value)| {
            let (ty, is_declared) = type_of(name);
            (name, value, ty, is_declared)
        })
    }

    /// The types of members that are asked for once each in the order of their names, and whether they are declared.
    /// Goes through the declared fields alongside.
    pub(in crate::apply) fn types_in_order(self) -> impl FnMut(&str) -> (Option<Ty<'s>>, bool) {
        let mut fields = self.declared.map(|id| self.shapes.sorted_fields(id));
        let mut next_field = move || fields.as_mut()?.next();
        let mut next = next_field();
        move |name| {
            while let Some(field) = next {
                let order = key_order(field.json.as_bytes(), name.as_bytes());
                if order.is_gt() {
                    break;
                }
                next = next_field();
                if order.is_eq() {
                    return (Some(self.type_of(field)), true);
                }
            }
            (self.element, false)
        }
    }

    fn field(self, name: &str) -> Option<&'s Field> {
        self.shapes.field(self.declared?, name)
    }

    fn type_of(self, field: &'s Field) -> Ty<'s> {
        let open = self.open && self.shapes.get(field.ty.id).name.is_empty();
        Ty::declared(self.shapes, field.ty.id, Some(field), open)
    }
}
