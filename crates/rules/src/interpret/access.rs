//! How to find fields in dynamic values, and what is there when nothing is.

use std::sync::LazyLock;

use sprag_idl::model::Builtin;
use sprag_plan::{DefId, FieldRef, TypeId};
use sprag_value::{Array, Key, Object, Value, same_text};

use crate::types::{DefKind, FieldDef, Kind, Type, Universe};

/// What a type is to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A string of the language itself.
    Text,
    /// A string of a declared type.
    NamedText,
    Int,
    Bool,
    Float,
    Bytes,
    Struct(DefId),
    List(TypeId),
    Map(TypeId, TypeId),
    Any,
}

/// A type's shape and whether it can be null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) shape: Shape,
    pub(crate) pointer: bool,
}

struct Access {
    ty: TypeId,
    form: Form,
    /// The key; `None` when the fields inside stand in the parent itself.
    json: Option<Key>,
    name: Key,
}

/// Shapes of all types, and names of all fields.
pub(crate) struct Forms {
    by_type: Vec<Form>,
    /// The fields of all structs, one struct after the other.
    fields: Vec<Access>,
    /// Where the fields of each definition begin, and at the end, where they all end.
    starts: Vec<usize>,
    /// The names of each definition's fields, to tell from an object which of them it has.
    names: Vec<Names>,
    defs: Vec<TypeId>,
}

/// The names of a struct's fields.
struct Names {
    /// Names and positions, sorted by name.
    sorted: Vec<(Key, u8)>,
    /// Fields that count as present whatever the object has: those that are inlined, or past the mask.
    always: Present,
}

/// Which fields of a struct an object may have a value for: a bit for each of the first 64.
#[derive(Clone, Copy)]
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

impl Forms {
    pub(crate) fn new(universe: &Universe) -> Forms {
        let by_type: Vec<Form> = universe.type_ids().map(|ty| form(universe, ty)).collect();
        let (mut fields, mut starts, mut names, mut defs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (id, def) in universe.defs() {
            defs.push(universe.type_of_def(id).expect("every definition has a type"));
            starts.push(fields.len());
            names.push(Names::of(universe.fields(id)));
            if let DefKind::Struct(members) = &def.kind {
                fields.extend(members.iter().map(|f| Access {
                    ty: f.ty,
                    form: by_type[f.ty.index()],
                    json: wire_name(f),
                    name: f.field.name.as_str().into(),
                }));
            }
        }
        starts.push(fields.len());
        Forms { by_type, fields, starts, names, defs }
    }

    #[inline]
    fn access(&self, field: FieldRef) -> &Access {
        &self.fields[self.starts[field.def.index()] + field.index]
    }

    fn accesses(&self, def: DefId) -> &[Access] {
        &self.fields[self.starts[def.index()]..self.starts[def.index() + 1]]
    }

    #[inline]
    pub(crate) fn of(&self, ty: TypeId) -> Form {
        self.by_type[ty.index()]
    }

    pub(crate) fn of_def(&self, def: DefId) -> TypeId {
        self.defs[def.index()]
    }

    #[inline]
    pub(crate) fn field_type(&self, field: FieldRef) -> TypeId {
        self.access(field).ty
    }

    /// The name of a field in paths.
    pub(crate) fn path_name(&self, field: FieldRef) -> &str {
        let access = self.access(field);
        access.json.as_deref().unwrap_or(&access.name)
    }

    pub(crate) fn field_count(&self, def: DefId) -> usize {
        self.accesses(def).len()
    }

    /// The value of a field: `None` for a null pointer, list or map; the zero value of what is held by value.
    #[inline]
    pub(crate) fn get<'v>(&self, parent: &'v Value, field: FieldRef) -> Option<&'v Value> {
        let access = self.access(field);
        let form = access.form;
        let found = match &access.json {
            Some(json) => parent.get(json),
            None => match parent.get(&access.name) {
                Some(nested) => Some(nested),
                None if form.pointer => self.has_any_field(parent, form.shape).then_some(parent),
                None => Some(parent),
            },
        };
        match found {
            Some(value) if !value.is_null() => Some(value),
            _ => zero(form),
        }
    }

    /// Whether an inlined pointer is set: any of its fields is there.
    fn has_any_field(&self, parent: &Value, shape: Shape) -> bool {
        let Shape::Struct(def) = shape else { return false };
        self.accesses(def).iter().any(|access| match &access.json {
            Some(json) => parent.get(json).is_some(),
            None => parent.get(&access.name).is_some(),
        })
    }

    /// Whether a value counts as set.
    #[inline]
    pub(crate) fn is_set(&self, ty: TypeId, value: Option<&Value>) -> bool {
        value.is_some_and(|value| self.of(ty).is_set(value))
    }

    /// Which fields of a struct an object may have a value for.
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

    /// Whether a field counts as set; faster than getting its value first.
    pub(crate) fn is_field_set(&self, parent: &Value, field: FieldRef) -> bool {
        let access = self.access(field);
        let found = match &access.json {
            Some(json) => parent.get(json).filter(|value| !value.is_null()),
            None => self.get(parent, field),
        };
        match found {
            Some(value) => access.form.is_set(value),
            None => !access.form.pointer && matches!(access.form.shape, Shape::Struct(_)),
        }
    }
}

impl Names {
    fn of(fields: &[FieldDef]) -> Names {
        let mut names = Names { sorted: Vec::new(), always: Present(0) };
        for (at, field) in (0..u8::try_from(u64::BITS).unwrap_or(u8::MAX)).zip(fields) {
            match wire_name(field) {
                Some(name) => names.sorted.push((name, at)),
                None => names.always.0 |= 1 << at,
            }
        }
        names.sorted.sort();
        names
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

impl Form {
    fn is_set(self, value: &Value) -> bool {
        if self.pointer {
            return true;
        }
        match self.shape {
            Shape::Text | Shape::NamedText | Shape::Bytes => value.as_str().is_some_and(|text| !text.is_empty()),
            Shape::Int | Shape::Float => value.as_f64().is_some_and(|number| number != 0.0),
            Shape::Bool => value.as_bool() == Some(true),
            Shape::List(_) => !elements(value).is_empty(),
            Shape::Map(..) => value.as_object().is_some_and(|object| !object.is_empty()),
            Shape::Struct(_) | Shape::Any => true,
        }
    }
}

/// The elements of a list; nothing for anything else.
pub(crate) fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Array::as_slice)
}

/// How many elements a list has, or bytes a base64 text stands for.
pub(crate) fn len(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Array(array)) => array.as_slice().len(),
        Some(Value::Object(object)) => object.len(),
        Some(Value::String(text)) => {
            let text = text.trim_end_matches('=');
            text.len() / 4 * 3 + (text.len() % 4).saturating_sub(1)
        }
        _ => 0,
    }
}

fn zero(form: Form) -> Option<&'static Value> {
    if form.pointer {
        return None;
    }
    match form.shape {
        Shape::Text | Shape::NamedText => Some(&ZEROS.text),
        Shape::Int => Some(&ZEROS.int),
        Shape::Float => Some(&ZEROS.float),
        Shape::Bool => Some(&ZEROS.bool),
        Shape::Struct(_) => Some(&ZEROS.object),
        Shape::Bytes | Shape::List(_) | Shape::Map(..) | Shape::Any => None,
    }
}

fn wire_name(field: &FieldDef) -> Option<Key> {
    if field.field.inline { None } else { Some(field.field.path_name().into()) }
}

fn form(universe: &Universe, ty: TypeId) -> Form {
    let native = universe.native(ty);
    let shape = match universe.ty(native.base) {
        Type::Builtin(Builtin::String) => {
            if is_plain(universe, ty) {
                Shape::Text
            } else {
                Shape::NamedText
            }
        }
        Type::Builtin(Builtin::Bool) => Shape::Bool,
        Type::Builtin(builtin) if builtin.is_integer() => Shape::Int,
        Type::Builtin(_) => Shape::Float,
        Type::Def(def) => match &universe.def(*def).kind {
            DefKind::Struct(_) => Shape::Struct(*def),
            DefKind::Enum(_) => Shape::NamedText,
            _ => Shape::Any,
        },
        Type::List(elem) | Type::Array(_, elem) => {
            let byte = universe.kind(*elem) == Kind::Builtin
                && universe.builtin(*elem).and_then(Builtin::int_bits) == Some((8, false));
            if byte { Shape::Bytes } else { Shape::List(*elem) }
        }
        Type::Map(_, key, value) => Shape::Map(*key, *value),
        _ => Shape::Any,
    };
    Form { shape, pointer: native.pointers > 0 }
}

/// Whether a string type is the language's own, behind pointers at most.
fn is_plain(universe: &Universe, mut ty: TypeId) -> bool {
    loop {
        match universe.ty(ty) {
            Type::Builtin(_) => return true,
            Type::Pointer(inner) | Type::Boxed(inner) => ty = *inner,
            _ => return false,
        }
    }
}
