//! From a type universe to run-time shapes: what decoding, defaulting, patches and schemas read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sprag_idl::model::{Builtin, Field as SourceField, Literal, TagLine};
use sprag_idl::{Span, raw_value, tag_name};
use sprag_program::{DefId, TypeId};
use sprag_release::Release;
use sprag_shape::{Field, Kind, ListType, MapType, Message, Patch, Shapes, Str, TypeRef, TypeShape};

use crate::markers::{HIDDEN_DEFAULT, VALIDATED_BY, WRITTEN};
use crate::tags::{is_called, tags_in};
use crate::types::{DefKind, FieldDef, Type, Universe};

/// The shapes of all types of a universe, and where each type's shape is.
#[derive(Clone, Debug)]
pub struct ShapeTable {
    /// The shapes.
    pub shapes: Shapes,
    ids: BTreeMap<TypeId, sprag_shape::TypeId>,
}

impl ShapeTable {
    /// Describes all types of a universe, as the newest release has them.
    pub fn new(universe: &Universe) -> ShapeTable {
        let listed: Vec<TypeId> = universe.type_ids().filter(|ty| !is_wrapper(universe.ty(*ty))).collect();
        let ids = listed.iter().zip(0u32..).map(|(ty, at)| (*ty, sprag_shape::TypeId(at))).collect();
        let mut table = ShapeTable { shapes: Shapes::new(Vec::new()), ids };
        let shapes = listed.iter().map(|ty| table.shape(universe, *ty)).collect();
        table.shapes = Shapes::new(shapes);
        table
    }

    /// Returns the shape reference of a type.
    pub fn type_ref(&self, universe: &Universe, mut ty: TypeId) -> TypeRef {
        let mut nullable = false;
        while let Type::Pointer(inner) | Type::Boxed(inner) | Type::Nullable(inner) = universe.ty(ty) {
            nullable |= matches!(universe.ty(ty), Type::Pointer(_));
            ty = *inner;
        }
        TypeRef { id: self.ids[&ty], nullable }
    }

    fn shape(&self, universe: &Universe, ty: TypeId) -> TypeShape {
        let name = match universe.ty(ty) {
            Type::Def(def) => format!("{}.{}", universe.package_of(*def).name, universe.def(*def).name),
            _ => String::new(),
        };
        let mut shape = TypeShape::new("", self.kind(universe, ty));
        shape.name = name.into();
        if let Type::Def(def) = universe.ty(ty) {
            let def_data = universe.def(*def);
            shape.doc = def_data.doc.clone().into();
            shape.atomic = marker(&def_data.tags, "structType") == Some("atomic");
            shape.enum_values = enum_values(universe, *def, ty);
            shape.union = has_tag(&def_data.tags, "union").then(|| discriminator(universe, *def));
            shape.validated_by = marker(&def_data.tags, VALIDATED_BY).unwrap_or_default().to_owned().into();
            if marker(&def_data.tags, "protobuf.nullable") == Some("true") && matches!(shape.kind, Kind::List { .. }) {
                shape.message = Message::Items;
            }
        }
        shape
    }

    fn kind(&self, universe: &Universe, ty: TypeId) -> Kind {
        match universe.ty(ty) {
            Type::Builtin(builtin) => builtin_kind(*builtin),
            Type::Foreign(name) => well_known(name).unwrap_or(Kind::Any),
            Type::List(elem) | Type::Array(_, elem) => {
                let byte = universe.builtin(*elem) == Some(Builtin::Uint8) && universe.native(*elem).pointers == 0;
                if byte {
                    return Kind::Bytes;
                }
                Kind::List { elem: self.type_ref(universe, *elem), list: ListType::Unset }
            }
            Type::Map(_, key, value) => {
                Kind::Map { key: self.type_ref(universe, *key), value: self.type_ref(universe, *value) }
            }
            Type::Def(def) => self.def_kind(universe, *def),
            _ => Kind::Any,
        }
    }

    fn def_kind(&self, universe: &Universe, def: DefId) -> Kind {
        if let Some(kind) = well_known(&universe.def_name(def)) {
            return kind;
        }
        match &universe.def(def).kind {
            DefKind::Struct(fields) => {
                let visible = fields.iter().filter(|f| !f.field.ignored && f.field.exported);
                let called = is_called(&universe.def(def).tags);
                let fields = visible.map(|field| self.field(universe, field, called, Release::NEWEST));
                Kind::of_fields(Cow::Owned(fields.collect()))
            }
            DefKind::Typedef(target) => match self.kind(universe, universe.native(*target).base) {
                Kind::List { elem, .. } => Kind::List { elem, list: list_type(&universe.def(def).tags) },
                kind => kind,
            },
            DefKind::Enum(_) => Kind::String,
            DefKind::Opaque(_) => Kind::Any,
        }
    }

    /// A field as a release has it, in a type that code may call.
    pub(crate) fn field(&self, universe: &Universe, field: &FieldDef, called: bool, release: Release) -> Field {
        let source = &field.field;
        let tags = tags_in(&source.tags, release);
        let json: Str = if source.inline { "".into() } else { source.path_name().to_owned().into() };
        let mut shape = Field::owned(json, go_name(universe, field), self.type_ref(universe, field.ty));
        shape.omit_empty = source.omitempty && !has_tag(&tags, WRITTEN);
        shape.omit_zero = source.omitzero;
        shape.inline = source.inline;
        // Rules see objects after defaults; clients may leave out what is optional, whatever the rules require.
        let is_optional = has_tag(&tags, "optional");
        // Code may call the rule where something else holds.
        let is_always_required = has_tag(&tags, "k8s:required") && !called && !is_called(&tags);
        shape.required = has_tag(&tags, "required") || (is_always_required && !is_optional);
        shape.map = map_type(&tags);
        shape.list = list_type(&tags);
        shape.patch = patch(source, &tags);
        let hidden = marker(&tags, HIDDEN_DEFAULT);
        let default = marker(&tags, "k8s:default").or(marker(&tags, "default")).or(hidden);
        shape.hides_default = hidden.is_some();
        shape.default = default.unwrap_or_default().to_owned().into();
        shape.doc = source.doc.clone().into();
        shape.deprecated = deprecated(&source.doc).into();
        shape.protobuf = match protobuf_number(source) {
            Number::Some { number, .. } => number,
            // Lowering has an error for what is malformed.
            Number::None | Number::Malformed { .. } => 0,
        };
        shape
    }
}

/// The field of a union that says which of the others is used, if any.
fn discriminator(universe: &Universe, def: DefId) -> Str {
    let DefKind::Struct(fields) = &universe.def(def).kind else { return Str::default() };
    let found = fields.iter().find(|field| has_tag(&field.field.tags, "unionDiscriminator"));
    found.map(|field| field.field.path_name().to_owned().into()).unwrap_or_default()
}

/// The name of a field; an embedded one has that of its type in Go, whatever it is called in Rust.
fn go_name(universe: &Universe, field: &FieldDef) -> Str {
    let mut ty = field.ty;
    while let Type::Pointer(inner) | Type::Boxed(inner) | Type::Nullable(inner) = universe.ty(ty) {
        ty = *inner;
    }
    match universe.ty(ty) {
        Type::Def(def) if field.field.inline => universe.def(*def).name.clone().into(),
        _ => field.field.name.clone().into(),
    }
}

fn is_wrapper(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(_) | Type::Boxed(_) | Type::Nullable(_))
}

fn builtin_kind(builtin: Builtin) -> Kind {
    match (builtin, builtin.int_bits()) {
        (_, Some((bits, signed))) => Kind::Int { bits: u8::try_from(bits).unwrap_or(64), signed },
        (Builtin::String, _) => Kind::String,
        (Builtin::Bool, _) => Kind::Bool,
        (Builtin::Float32, _) => Kind::Float { bits: 32 },
        _ => Kind::Float { bits: 64 },
    }
}

/// Types with a wire form of their own.
fn well_known(name: &str) -> Option<Kind> {
    let (package, name) = name.rsplit_once('.').or_else(|| name.rsplit_once("::"))?;
    let meta = package.ends_with("apis/meta/v1");
    let rust = matches!(package, "sprag" | "sprag_value" | "sprag::value");
    Some(match name {
        "Time" if meta || rust => Kind::Time,
        "MicroTime" if meta || rust => Kind::MicroTime,
        "Duration" if meta || rust => Kind::Duration,
        "ByteString" if rust => Kind::Bytes,
        "Quantity" if package.ends_with("api/resource") || rust => Kind::Quantity,
        "IntOrString" if package.ends_with("util/intstr") || rust => Kind::IntOrString,
        "RawExtension" if package.ends_with("pkg/runtime") || rust => Kind::RawExtension,
        "FieldsV1" if meta => Kind::RawExtension,
        _ => return None,
    })
}

/// The value of a marker, with or without the `k8s:` prefix where both exist.
fn marker<'t>(tags: &'t [TagLine], name: &str) -> Option<&'t str> {
    let line = tags.iter().find(|line| tag_name(&line.text) == Some(name))?;
    Some(raw_value(&line.text).unwrap_or_default().trim())
}

pub(crate) fn has_tag(tags: &[TagLine], name: &str) -> bool {
    tags.iter().any(|line| tag_name(&line.text) == Some(name))
}

fn map_type(tags: &[TagLine]) -> MapType {
    match marker(tags, "mapType").or(marker(tags, "structType")) {
        Some("atomic") => MapType::Atomic,
        Some("granular") => MapType::Granular,
        _ => MapType::Unset,
    }
}

fn list_type(tags: &[TagLine]) -> ListType {
    match marker(tags, "k8s:listType").or(marker(tags, "listType")) {
        Some("atomic") => ListType::Atomic,
        Some("set") => ListType::Set,
        Some("map") => {
            let mut keys: Vec<Str> = Vec::new();
            for line in tags.iter().filter(|line| matches!(tag_name(&line.text), Some("k8s:listMapKey" | "listMapKey")))
            {
                let key = raw_value(&line.text).unwrap_or_default().trim().trim_matches('"');
                if !keys.iter().any(|known| known == key) {
                    keys.push(key.to_owned().into());
                }
            }
            ListType::Map(Cow::Owned(keys))
        }
        _ => ListType::Unset,
    }
}

fn patch(field: &SourceField, tags: &[TagLine]) -> Patch {
    let tag = |name: &str| field.struct_tags.get(name).map(String::as_str);
    let strategy = tag("patchStrategy").or(marker(tags, "patchStrategy")).unwrap_or_default();
    let words: Vec<&str> = strategy.split(',').collect();
    let key = tag("patchMergeKey").or(marker(tags, "patchMergeKey")).unwrap_or_default();
    Patch {
        merge: words.contains(&"merge"),
        retain_keys: words.contains(&"retainKeys"),
        replaces_object: words.contains(&"replace"),
        merge_key: key.to_owned().into(),
    }
}

/// The number of a field in protobuf.
pub(crate) enum Number<'f> {
    /// It has none.
    None,
    Some {
        span: Span,
        number: u32,
    },
    /// The tag holds something that is not a number.
    Malformed {
        span: Span,
        text: &'f str,
    },
}

/// The number of a field in protobuf, from `protobuf:"bytes,1,opt,name=metadata"` or `+protobuf=1`.
pub(crate) fn protobuf_number(field: &SourceField) -> Number<'_> {
    let tag = field.struct_tags.get("protobuf").and_then(|tag| tag.split(',').nth(1)).map(|text| (field.span, text));
    let line = field.tags.iter().find(|line| tag_name(&line.text) == Some("protobuf"));
    let line = line.map(|line| (line.span, raw_value(&line.text).unwrap_or_default()));
    let Some((span, text)) = tag.or(line).map(|(span, text)| (span, text.trim())) else { return Number::None };
    match text.parse() {
        // Those beyond 29 bits do not exist, and these are set aside for protobuf itself.
        Ok(number) if matches!(number, 1..=18_999 | 20_000..=0x1fff_ffff) => Number::Some { span, number },
        _ => Number::Malformed { span, text },
    }
}

/// The paragraph of a doc comment that says why a field should not be used.
fn deprecated(doc: &str) -> String {
    let start = doc.lines().position(|line| line.trim_start().to_ascii_lowercase().starts_with("deprecated:"));
    let Some(start) = start else { return String::new() };
    let paragraph: Vec<&str> =
        doc.lines().skip(start).take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let text = paragraph.join(" ");
    text.split_once(':').map_or(String::new(), |(_, why)| why.trim().to_owned())
}

/// True if a string type lists its constants in a release.
pub(crate) fn is_enum(tags: &[TagLine], release: Release) -> bool {
    let is_marked = |release| has_tag(&tags_in(tags, release), "enum");
    is_marked(release) || (has_tag(tags, "k8s:enum") && !Release::ALL.into_iter().any(is_marked))
}

fn enum_values(universe: &Universe, def: DefId, ty: TypeId) -> sprag_shape::Strs {
    let data = universe.def(def);
    let mut values: Vec<String> = Vec::new();
    if let DefKind::Enum(declared) = &data.kind {
        values.extend(declared.variants.iter().map(|variant| variant.json.clone()));
    } else if is_enum(&data.tags, Release::NEWEST) {
        let consts = universe.packages().iter().flat_map(|package| &package.consts);
        values.extend(consts.filter(|item| item.ty == Some(ty)).filter_map(|item| match &item.item.value {
            Some(Literal::String(text)) => Some(text.clone()),
            _ => None,
        }));
    }
    values.sort();
    values.dedup();
    Cow::Owned(values.into_iter().map(Str::from).collect())
}
