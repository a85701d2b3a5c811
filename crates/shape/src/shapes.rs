//! The table of types and the questions asked of it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use sprag_value::{Key, MAX_DEPTH, Object, Value, json};

use crate::joined::{Joined, Passed};
use crate::zero::is_omitted;
use crate::{Field, Kind, ListType, Slot, TypeId, TypeRef, TypeShape};

/// The type of an id outside of the table.
static UNKNOWN_TYPE: TypeShape = TypeShape::new("", Kind::Any);

/// A closed set of types that refer to each other by position, so that types may be recursive.
///
/// ```
/// use sprag_shape::{Field, Kind, Shapes, TypeId, TypeRef, TypeShape};
/// let shapes = Shapes::new(vec![
///     TypeShape::new("", Kind::String),
///     TypeShape::new("v1.Tree", Kind::of_fields(vec![
///         Field::new("name", "Name", TypeRef::value(TypeId(0))),
///         Field::new("left", "Left", TypeRef::pointer(TypeId(1))),
///     ].into())),
/// ]);
/// let tree = shapes.by_name("v1.Tree").unwrap();
/// assert_eq!(shapes.field(tree, "left").unwrap().ty.id, tree);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    types: Cow<'static, [TypeShape]>,
    /// The places where each type has defaults, computed on first use.
    defaulted: OnceLock<Box<[Defaulted]>>,
    /// The fields of each struct as walks over objects pass them, computed on first use.
    passed: OnceLock<Passed>,
    /// True if errors do not name embedded structs.
    hides_embedded: bool,
}

impl PartialEq for Shapes {
    fn eq(&self, other: &Self) -> bool {
        self.types == other.types
    }
}

impl Shapes {
    /// A table of these types; fills in the field lookups.
    pub fn new(mut types: Vec<TypeShape>) -> Self {
        let lookups: Vec<_> = (0..types.len()).map(|at| lookup_of(&types, type_id(at))).collect();
        for (ty, slots) in types.iter_mut().zip(lookups) {
            if let Kind::Struct { lookup, .. } = &mut ty.kind {
                *lookup = Cow::Owned(slots);
            }
        }
        Self { types: Cow::Owned(types), defaulted: OnceLock::new(), passed: OnceLock::new(), hides_embedded: false }
    }

    /// A table that is part of the program, with lookups as [`Shapes::new`] made them. A test of the program should
    /// call [`Shapes::check`].
    pub const fn from_static(types: &'static [TypeShape]) -> Self {
        Self { types: Cow::Borrowed(types), defaulted: OnceLock::new(), passed: OnceLock::new(), hides_embedded: false }
    }

    /// All types; the position is the id.
    pub fn types(&self) -> &[TypeShape] {
        &self.types
    }

    /// All types, to make another table of.
    pub fn into_types(self) -> Vec<TypeShape> {
        self.types.into_owned()
    }

    /// The type of this id; an id from another table may yield a type without a name that accepts anything.
    #[inline]
    pub fn get(&self, id: TypeId) -> &TypeShape {
        self.types.get(id.0 as usize).unwrap_or(&UNKNOWN_TYPE)
    }

    /// The type of this Go name.
    pub fn by_name(&self, name: &str) -> Option<TypeId> {
        self.types.iter().position(|ty| ty.name == name).map(type_id)
    }

    /// The field of this JSON name, also when an embedded struct declares it.
    pub fn field(&self, id: TypeId, json: &str) -> Option<&Field> {
        self.slot(id, json).and_then(|slot| self.field_at(slot))
    }

    /// Changes the field of this JSON name, also when an embedded struct declares it. Its names have to stay.
    pub fn change_field(&mut self, id: TypeId, json: &str, change: impl FnOnce(&mut Field)) {
        let Some(Slot { owner, field }) = self.slot(id, json) else { return };
        (self.defaulted, self.passed) = (OnceLock::new(), OnceLock::new());
        if let Some(TypeShape { kind: Kind::Struct { fields, .. }, .. }) = self.types.to_mut().get_mut(owner.0 as usize)
            && let Some(field) = fields.to_mut().get_mut(usize::from(field))
        {
            change(field);
        }
    }

    /// All fields sorted by JSON name, those of embedded structs included and the embedded structs themselves not.
    pub fn sorted_fields(&self, id: TypeId) -> impl Iterator<Item = &Field> {
        self.lookup(id).iter().filter_map(|slot| self.field_at(*slot))
    }

    /// All fields of a struct, as [`Shapes::sorted_fields`] has them, with the members of an object that are their values. Both
    /// are in the order of their names, so that no member is searched for.
    pub fn joined<'s, 'm>(&'s self, id: TypeId, members: &'m Object) -> Joined<'s, 'm> {
        Joined::new(self, id, members, false)
    }

    /// The same without the absent fields that Go leaves out of JSON.
    #[inline]
    pub fn printed<'s, 'm>(&'s self, id: TypeId, members: &'m Object) -> Joined<'s, 'm> {
        Joined::new(self, id, members, true)
    }

    pub(crate) fn passed(&self) -> &Passed {
        self.passed.get_or_init(|| Passed::new(self))
    }

    /// Returns the places where a type has defaults; `None` if it has none.
    pub(crate) fn defaulted(&self, id: TypeId) -> Option<&Defaulted> {
        let table = self.defaulted.get_or_init(|| defaulted(self));
        table.get(id.0 as usize).filter(|defaulted| defaulted.is_any)
    }

    /// The list type of a field.
    pub fn list_type<'a>(&'a self, field: &'a Field) -> &'a ListType {
        match &self.get(field.ty.id).kind {
            Kind::List { list, .. } if field.list == ListType::Unset => list,
            _ => &field.list,
        }
    }

    /// The name of a field in Go, whatever it is called where it is declared.
    pub fn go_name(&self, field: &Field) -> String {
        if field.name.starts_with(|first: char| first.is_ascii_uppercase()) {
            return field.name.to_string();
        }
        if field.json == "metadata" {
            return self.get(field.ty.id).name.rsplit('.').next().unwrap_or_default().to_owned();
        }
        let mut letters = field.json.chars();
        letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    }

    /// The type as Go prints it in error texts: `int32`, `[]v1.Container`, `map[string]string`.
    pub fn go_type(&self, id: TypeId) -> String {
        self.go_type_within(id, MAX_DEPTH)
    }

    fn go_type_within(&self, id: TypeId, depth: usize) -> String {
        let ty = self.get(id);
        let Some(depth) = depth.checked_sub(1) else { return String::new() };
        if !ty.name.is_empty() {
            return ty.name.to_string();
        }
        let reference = |ty: &TypeRef| {
            let star = if ty.nullable { "*" } else { "" };
            format!("{star}{}", self.go_type_within(ty.id, depth))
        };
        match &ty.kind {
            Kind::String => "string".into(),
            Kind::Bool => "bool".into(),
            Kind::Int { bits, signed } => format!("{}int{bits}", if *signed { "" } else { "u" }),
            Kind::Float { bits } => format!("float{bits}"),
            Kind::Bytes => "[]uint8".into(),
            Kind::List { elem, .. } => format!("[]{}", reference(elem)),
            Kind::Map { key, value } => format!("map[{}]{}", reference(key), reference(value)),
            Kind::Struct { .. } => "struct {}".into(),
            Kind::Any | Kind::Scalar => "interface {}".into(),
            Kind::IntOrString => "intstr.IntOrString".into(),
            Kind::Quantity => "resource.Quantity".into(),
            Kind::Time => "v1.Time".into(),
            Kind::MicroTime => "v1.MicroTime".into(),
            Kind::Duration => "v1.Duration".into(),
            Kind::RawExtension => "runtime.RawExtension".into(),
        }
    }

    /// True if Go leaves a field with this value out of JSON.
    pub fn omits(&self, field: &Field, value: Option<&Value>) -> bool {
        is_omitted(self, field, value, MAX_DEPTH)
    }

    /// The same table for errors that do not name embedded structs.
    #[must_use]
    pub fn hiding_embedded(self) -> Self {
        Self { hides_embedded: true, ..self }
    }

    /// The names in Go of the embedded structs through which a field is declared, outermost first; none for a field of the
    /// struct itself.
    pub fn embedding(&self, id: TypeId, json: &str) -> Vec<&str> {
        let mut names = Vec::new();
        if let Some(slot) = self.slot(id, json).filter(|_| !self.hides_embedded) {
            self.embedding_of(id, slot.owner, &mut vec![], &mut names);
        }
        names
    }

    fn embedding_of<'a>(
        &'a self,
        from: TypeId,
        owner: TypeId,
        seen: &mut Vec<TypeId>,
        names: &mut Vec<&'a str>,
    ) -> bool {
        if from == owner || seen.contains(&from) {
            return from == owner;
        }
        seen.push(from);
        self.get(from).fields().iter().filter(|field| field.inline).any(|field| {
            names.push(self.embedded_name(field));
            let found = self.embedding_of(field.ty.id, owner, seen, names);
            if !found {
                names.pop();
            }
            found
        })
    }

    /// The name of an embedded field: that of its type, as Go has it; a field of a Rust struct has another.
    fn embedded_name<'a>(&'a self, field: &'a Field) -> &'a str {
        if field.name.starts_with(|first: char| first.is_uppercase()) {
            return &field.name;
        }
        self.get(field.ty.id).name.rsplit(['.', ':']).next().unwrap_or(&field.name)
    }

    pub(crate) fn slot(&self, id: TypeId, json: &str) -> Option<Slot> {
        let lookup = self.lookup(id);
        let name = |slot: &Slot| self.field_at(*slot).map_or("", |field| &field.json);
        lookup.binary_search_by(|slot| name(slot).cmp(json)).ok().map(|at| lookup[at])
    }

    pub(crate) fn lookup(&self, id: TypeId) -> &[Slot] {
        if let Kind::Struct { lookup, .. } = &self.get(id).kind { lookup } else { &[] }
    }

    #[inline]
    pub(crate) fn field_at(&self, slot: Slot) -> Option<&Field> {
        self.get(slot.owner).fields().get(usize::from(slot.field))
    }
}

pub(crate) fn type_id(at: usize) -> TypeId {
    TypeId(u32::try_from(at).unwrap_or(u32::MAX))
}

/// The places where a type has defaults.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaulted {
    /// True if there is one somewhere inside.
    is_any: bool,
    /// The fields of a struct that have one, or a type with one, sorted by JSON name.
    pub(crate) fields: Box<[DefaultedField]>,
}

/// A field that has a default, or a type with one.
#[derive(Clone, Debug)]
pub(crate) struct DefaultedField {
    pub(crate) slot: Slot,
    /// The JSON name, as objects share it.
    pub(crate) name: Key,
    pub(crate) default: Option<Value>,
}

/// Returns the places where all types of a table have defaults.
fn defaulted(shapes: &Shapes) -> Box<[Defaulted]> {
    let mut found = vec![Defaulted::default(); shapes.types.len()];
    let mut has_changed = true;
    // Types may contain themselves, so what is known of others is asked for until nothing is new.
    while has_changed {
        has_changed = false;
        for at in 0..found.len() {
            let has = |ty: TypeRef| found.get(ty.id.0 as usize).is_some_and(|found| found.is_any);
            let has_any = |field: &Field| !field.default.is_empty() || has(field.ty);
            let is_any = match &shapes.types[at].kind {
                Kind::List { elem, .. } => has(*elem),
                Kind::Map { value, .. } => has(*value),
                Kind::Struct { .. } => shapes.sorted_fields(type_id(at)).any(has_any),
                _ => false,
            };
            has_changed |= is_any && !found[at].is_any;
            found[at].is_any |= is_any;
        }
    }
    for at in 0..found.len() {
        let defaulted = |slot: &Slot| {
            let has = |ty: TypeRef| found.get(ty.id.0 as usize).is_some_and(|found| found.is_any);
            let field = shapes.field_at(*slot).filter(|field| !field.default.is_empty() || has(field.ty))?;
            let default = if field.default.is_empty() { None } else { json::parse(field.default.as_bytes()).ok() };
            Some(DefaultedField { slot: *slot, name: field.json.as_ref().into(), default })
        };
        found[at].fields = shapes.lookup(type_id(at)).iter().filter_map(defaulted).collect();
    }
    found.into()
}

/// The fields of a struct sorted by JSON name. Of equal names the one with fewer embedded structs around it wins, as
/// in Go, and then the first.
pub(crate) fn lookup_of(types: &[TypeShape], id: TypeId) -> Vec<Slot> {
    let mut named: BTreeMap<&str, Slot> = BTreeMap::new();
    let mut level = vec![id];
    let mut seen = level.clone();
    while !level.is_empty() {
        let mut below = Vec::new();
        let mut here: BTreeMap<&str, Slot> = BTreeMap::new();
        for owner in level {
            let fields = types.get(owner.0 as usize).map_or(&[][..], TypeShape::fields);
            for (at, field) in fields.iter().enumerate() {
                if field.inline {
                    below.push(field.ty.id);
                } else {
                    here.entry(&field.json).or_insert(Slot { owner, field: u16::try_from(at).unwrap_or(u16::MAX) });
                }
            }
        }
        for (name, slot) in here {
            named.entry(name).or_insert(slot);
        }
        below.retain(|id| !seen.contains(id));
        seen.extend(&below);
        level = below;
    }
    named.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn fields_are_found_by_json_name_through_embedded_structs() {
        let shapes = sample::shapes();
        let widget = shapes.by_name("v1.Widget").unwrap();
        let name = |json: &str| shapes.field(widget, json).map(|field| field.name.as_ref());
        assert_eq!(name("spec"), Some("Spec"));
        assert_eq!(name("kind"), Some("Kind"));
        assert_eq!(name("apiVersion"), Some("APIVersion"));
        assert_eq!(name(""), None);
        assert_eq!(name("nope"), None);
        let sorted: Vec<_> = shapes.sorted_fields(widget).map(|field| field.json.as_ref()).collect();
        assert_eq!(sorted, ["apiVersion", "kind", "metadata", "spec"]);
    }

    #[test]
    fn an_outer_field_hides_an_embedded_one() {
        let string = TypeRef::value(TypeId(0));
        let embedding = |outer: Vec<Field>| {
            Shapes::new(vec![
                TypeShape::new("", Kind::String),
                TypeShape::new("Inner", Kind::of_fields(vec![Field::new("a", "Inner", string)].into())),
                TypeShape::new("Outer", Kind::of_fields(outer.into())),
            ])
        };
        let embedded = Field::embedded("Inner", TypeRef::value(TypeId(1)));
        let shapes = embedding(vec![embedded.clone(), Field::new("a", "Outer", string)]);
        assert_eq!(shapes.field(TypeId(2), "a").unwrap().name, "Outer");
        let shapes = embedding(vec![embedded]);
        assert_eq!(shapes.field(TypeId(2), "a").unwrap().name, "Inner");
    }

    #[test]
    fn embedded_structs_on_the_way_to_a_field_are_named() {
        let shapes = sample::shapes();
        let widget = shapes.by_name("v1.Widget").unwrap();
        assert_eq!(shapes.embedding(widget, "kind"), ["TypeMeta"]);
        assert_eq!(shapes.embedding(widget, "spec"), [""; 0]);
        assert_eq!(shapes.embedding(widget, "nope"), [""; 0]);
    }

    #[test]
    fn a_struct_that_embeds_itself_ends() {
        let itself = Field::embedded("T", TypeRef::pointer(TypeId(0)));
        let shapes = Shapes::new(vec![TypeShape::new("T", Kind::of_fields(vec![itself].into()))]);
        assert_eq!(shapes.sorted_fields(TypeId(0)).count(), 0);
        assert_eq!(shapes.get(TypeId(9)).kind, Kind::Any);
    }

    #[test]
    fn types_are_named_as_go_names_them() {
        let shapes = sample::shapes();
        let spec = shapes.by_name("v1.WidgetSpec").unwrap();
        let go = |json: &str| shapes.go_type(shapes.field(spec, json).unwrap().ty.id);
        assert_eq!(go("replicas"), "int32");
        assert_eq!(go("ports"), "[]v1.Port");
        assert_eq!(go("nodeSelector"), "map[string]string");
        assert_eq!(go("mode"), "v1.Mode");
        assert_eq!(go("limit"), "resource.Quantity");
        assert_eq!(go("pointers"), "[]*int32");
    }

    #[test]
    fn the_field_says_more_than_the_type_about_a_list() {
        let shapes = sample::shapes();
        let spec = shapes.by_name("v1.WidgetSpec").unwrap();
        let list = |json: &str| shapes.list_type(shapes.field(spec, json).unwrap()).clone();
        assert_eq!(list("ports"), ListType::Map(vec!["name".into()].into()));
        assert_eq!(list("args"), ListType::Set);
        assert_eq!(list("replicas"), ListType::Unset);
    }
}
