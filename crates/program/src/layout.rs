//! Types as rules see them: member slots, and the zero values of members that are absent.

use std::sync::LazyLock;

use sprag_shape::TypeId as ShapeId;
use sprag_value::{Array, Key, Object, Value, base64, same_text};

use crate::{DefId, FieldRef, TypeId};

/// The form of a type's values, as rules distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A string of the language itself.
    Text,
    /// A string of a declared type.
    NamedText,
    /// An integer.
    Int,
    /// A boolean.
    Bool,
    /// A floating-point number.
    Float,
    /// Bytes, base64 text in JSON.
    Bytes,
    /// A struct.
    Struct(DefId),
    /// A list of elements of this type.
    List(TypeId),
    /// A map with keys and values of these types.
    Map(TypeId, TypeId),
    /// Anything.
    Any,
}

/// A type expression as rules see it.
#[derive(Clone, Copy, Debug)]
pub struct TypeLayout {
    /// The form of its values.
    pub form: Form,
    /// True if a pointer is around the value, so that unset differs from zero.
    pub pointer: bool,
    /// The shape of its values.
    pub shape: ShapeId,
}

/// A declared type as rules see it.
#[derive(Clone, Debug)]
pub struct DefLayout {
    /// The type expression that names it.
    pub ty: TypeId,
    /// The fields of a struct in declared order, so that [`FieldRef::index`] counts them; none for other types.
    pub members: Vec<Member>,
}

/// A field of a struct as rules see it.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its type.
    pub ty: TypeId,
    /// Its JSON name; `None` when the fields inside it are members of the parent.
    pub json: Option<Key>,
    /// Its name in the source.
    pub name: Key,
}

/// The layouts of all types, resolved so that a member is found without another lookup.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    types: Vec<TypeLayout>,
    /// The fields of all structs, one struct after the other.
    slots: Vec<Slot>,
    /// The position in `slots` of each definition's first field, and the number of slots at the end.
    starts: Vec<usize>,
    /// The names of each definition's fields, to find out which of them an object has.
    names: Vec<Names>,
    /// The type expression of each definition.
    defs: Vec<TypeId>,
}

/// A member with the form of its type.
#[derive(Clone, Debug)]
struct Slot {
    ty: TypeId,
    form: Form,
    pointer: bool,
    json: Option<Key>,
    name: Key,
}

/// The names of a struct's fields.
#[derive(Clone, Debug)]
struct Names {
    /// Names and positions, sorted by name.
    sorted: Box<[(Key, u8)]>,
    /// Fields that count as present whatever the object has: those that are inlined, or past the mask.
    always: Present,
}

/// The fields of a struct that an object may have a value for: a bit for each of the first 64.
///
/// A fast path. Skips: looking for each optional field of a struct in an object that has few of them.
/// Safe: a field without a bit is absent from the object, and rules on optional fields say nothing about absent ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present(u64);

impl Present {
    pub(crate) fn has(self, field: FieldRef) -> bool {
        field.index >= u64::BITS as usize || self.0 >> field.index & 1 == 1
    }
}

struct Zeros {
    text: Value,
    int: Value,
    float: Value,
    bool: Value,
    object: Value,
}

static ZEROS: LazyLock<Zeros> = LazyLock::new(|| Zeros {
    text: Value::from(""),
    int: Value::from(0i64),
    float: Value::from(0.0),
    bool: Value::from(false),
    object: Value::from(Object::default()),
});

impl Layout {
    pub(crate) fn new(types: Vec<TypeLayout>, defs: Vec<DefLayout>) -> Layout {
        let mut starts = Vec::with_capacity(defs.len() + 1);
        let mut slots = Vec::with_capacity(defs.iter().map(|def| def.members.len()).sum());
        let mut names = Vec::with_capacity(defs.len());
        let mut ids = Vec::with_capacity(defs.len());
        for def in defs {
            starts.push(slots.len());
            names.push(Names::of(&def.members));
            ids.push(def.ty);
            slots.extend(def.members.into_iter().map(|Member { ty, json, name }| {
                let TypeLayout { form, pointer, .. } = types[ty.index()];
                Slot { ty, form, pointer, json, name }
            }));
        }
        starts.push(slots.len());
        Layout { types, slots, starts, names, defs: ids }
    }

    /// Returns the parts that the layout was made of.
    pub(crate) fn parts(&self) -> (Vec<TypeLayout>, Vec<DefLayout>) {
        let member = |slot: &Slot| Member { ty: slot.ty, json: slot.json.clone(), name: slot.name.clone() };
        let defs = self.defs.iter().enumerate().map(|(at, ty)| {
            let slots = &self.slots[self.starts[at]..self.starts[at + 1]];
            DefLayout { ty: *ty, members: slots.iter().map(member).collect() }
        });
        (self.types.clone(), defs.collect())
    }

    /// The layouts of all type expressions.
    pub(crate) fn types(&self) -> &[TypeLayout] {
        &self.types
    }

    #[inline]
    fn slot(&self, field: FieldRef) -> &Slot {
        &self.slots[self.starts[field.def.index()] + field.index]
    }

    fn slots(&self, def: DefId) -> &[Slot] {
        &self.slots[self.starts[def.index()]..self.starts[def.index() + 1]]
    }

    #[inline]
    pub(crate) fn of(&self, ty: TypeId) -> TypeLayout {
        self.types[ty.index()]
    }

    pub(crate) fn of_def(&self, def: DefId) -> TypeId {
        self.defs[def.index()]
    }

    #[inline]
    pub(crate) fn field_type(&self, field: FieldRef) -> TypeId {
        self.slot(field).ty
    }

    /// The name of a field in paths.
    pub(crate) fn path_name(&self, field: FieldRef) -> &str {
        let slot = self.slot(field);
        slot.json.as_deref().unwrap_or(&slot.name)
    }

    /// The JSON name of a field; none if its own fields are members of the struct.
    pub(crate) fn json_name(&self, field: FieldRef) -> Option<&str> {
        self.slot(field).json.as_deref()
    }

    pub(crate) fn field_count(&self, def: DefId) -> usize {
        self.slots(def).len()
    }

    /// The value of a field: `None` for a null pointer, list or map; the zero value of what is held by value.
    #[inline]
    pub(crate) fn get<'v>(&self, parent: &'v Value, field: FieldRef) -> Option<&'v Value> {
        let slot = self.slot(field);
        let found = match &slot.json {
            Some(json) => parent.get(json),
            None => match parent.get(&slot.name) {
                Some(nested) => Some(nested),
                None if slot.pointer => self.has_any_field(parent, slot.form).then_some(parent),
                None => Some(parent),
            },
        };
        match found {
            Some(value) if !value.is_null() => Some(value),
            _ => zero(slot.form, slot.pointer),
        }
    }

    /// Tells if an inlined pointer is set: any of its fields is there.
    fn has_any_field(&self, parent: &Value, form: Form) -> bool {
        let Form::Struct(def) = form else { return false };
        self.slots(def).iter().any(|slot| match &slot.json {
            Some(json) => parent.get(json).is_some(),
            None => parent.get(&slot.name).is_some(),
        })
    }

    /// Tells if a value counts as set.
    #[inline]
    pub(crate) fn is_set(&self, ty: TypeId, value: Option<&Value>) -> bool {
        let TypeLayout { form, pointer, .. } = self.of(ty);
        value.is_some_and(|value| is_set(form, pointer, value))
    }

    /// The fields of a struct that an object may have a value for.
    pub(crate) fn present(&self, def: DefId, object: &Value) -> Present {
        let names = &self.names[def.index()];
        let mut present = names.always;
        for entry in object.as_object().map(Object::entries).unwrap_or_default() {
            if let Some(at) = names.position(entry.key()) {
                present.0 |= 1 << at;
            }
        }
        present
    }

    /// Tells if a field counts as set; faster than getting its value first.
    pub(crate) fn is_field_set(&self, parent: &Value, field: FieldRef) -> bool {
        let slot = self.slot(field);
        let found = match &slot.json {
            Some(json) => parent.get(json).filter(|value| !value.is_null()),
            None => self.get(parent, field),
        };
        match found {
            Some(value) => is_set(slot.form, slot.pointer, value),
            None => !slot.pointer && matches!(slot.form, Form::Struct(_)),
        }
    }
}

impl Names {
    fn of(members: &[Member]) -> Names {
        let masked = || (0..u8::try_from(u64::BITS).unwrap_or(u8::MAX)).zip(members);
        let mut sorted: Box<[_]> =
            masked().filter_map(|(at, member)| member.json.clone().map(|name| (name, at))).collect();
        sorted.sort();
        let always = masked().filter(|(_, member)| member.json.is_none()).fold(0, |all, (at, _)| all | 1 << at);
        Names { sorted, always: Present(always) }
    }

    fn position(&self, name: &str) -> Option<u8> {
        if self.sorted.len() > LINEAR_NAMES {
            let at = self.sorted.binary_search_by(|(known, _)| known.as_bytes().cmp(name.as_bytes())).ok()?;
            return Some(self.sorted[at].1);
        }
        self.sorted.iter().find(|(known, _)| same_text(known, name)).map(|(_, at)| *at)
    }
}

/// Up to this many names are searched one by one.
const LINEAR_NAMES: usize = 16;

#[inline]
fn is_set(form: Form, pointer: bool, value: &Value) -> bool {
    if pointer {
        return true;
    }
    match form {
        Form::Text | Form::NamedText | Form::Bytes => value.as_str().is_some_and(|text| !text.is_empty()),
        Form::Int | Form::Float => value.as_f64().is_some_and(|number| number != 0.0),
        Form::Bool => value.as_bool() == Some(true),
        Form::List(_) => !elements(value).is_empty(),
        Form::Map(..) => value.as_object().is_some_and(|object| !object.is_empty()),
        Form::Struct(_) | Form::Any => true,
    }
}

/// The elements of a list; nothing for anything else.
pub(crate) fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Array::as_slice)
}

/// The number of elements of a list or map, or of bytes that a base64 text stands for.
pub(crate) fn len(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Array(array)) => array.as_slice().len(),
        Some(Value::Object(object)) => object.len(),
        Some(Value::String(text)) => base64::decoded_len(text),
        _ => 0,
    }
}

fn zero(form: Form, pointer: bool) -> Option<&'static Value> {
    if pointer {
        return None;
    }
    match form {
        Form::Text | Form::NamedText => Some(&ZEROS.text),
        Form::Int => Some(&ZEROS.int),
        Form::Float => Some(&ZEROS.float),
        Form::Bool => Some(&ZEROS.bool),
        Form::Struct(_) => Some(&ZEROS.object),
        Form::Bytes | Form::List(_) | Form::Map(..) | Form::Any => None,
    }
}
