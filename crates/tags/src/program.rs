//! Makes a [`Program`] of lowered types: layouts, shapes and resources beside the plan.

use std::collections::BTreeSet;

use sprag_idl::model::{Builtin, Const, Literal, Package, TagLine};
use sprag_idl::{raw_value, tag_name};
use sprag_program::{
    DefId, DefLayout, FieldRef, Form, Member, Program, ProgramParts, Ranged, RangedItem, Resource, ResourceFacts,
    TypeId, TypeLayout,
};
use sprag_release::{Release, Releases};
use sprag_shape::Field as ShapeField;

use crate::ShapeTable;
use crate::lower::{Lowering, go_type};
use crate::resource::ResourceReader;
use crate::shapes::is_enum;
use crate::tags::{is_called, releases_of};
use crate::types::{DefKind, FieldDef, Kind, Type, Universe};

/// Makes a program of lowered types; every type that was chosen as a root is a resource of it.
pub fn program(universe: &Universe, lowering: &Lowering) -> Program {
    Program::new(program_parts(universe, lowering))
}

/// The parts of [`program`], to be written as bytes.
pub fn program_parts(universe: &Universe, lowering: &Lowering) -> ProgramParts {
    let table = ShapeTable::new(universe);
    let types = universe.type_ids().map(|ty| type_layout(universe, &table, ty)).collect();
    let defs = universe.defs().map(|(def, _)| def_layout(universe, def)).collect();
    let resources = resources(universe, &table, &lowering.root_types);
    let ranges = ranges(universe, &table);
    ProgramParts { plan: lowering.plan.clone(), shapes: table.shapes, types, defs, resources, ranges }
}

/// The kinds, fields and values that hold in some releases only.
fn ranges(universe: &Universe, table: &ShapeTable) -> Vec<Ranged> {
    let mut ranges = Vec::new();
    let mut add = |releases: Releases, item: RangedItem| {
        if !releases.is_all() {
            ranges.push(Ranged { releases, item });
        }
    };
    for (def, data) in universe.defs() {
        let ty = universe.type_of_def(def).expect("every definition has a type");
        let shape = table.type_ref(universe, ty).id;
        for (index, field) in universe.fields(def).iter().enumerate() {
            let json = field.field.path_name().to_owned();
            add(releases_of(&field.field.tags), RangedItem::Field { field: FieldRef { def, index }, shape, json });
            for (releases, field) in marked(universe, table, field, is_called(&data.tags)) {
                add(releases, RangedItem::Marked { shape, field });
            }
        }
        let lists_values: Releases = Release::ALL.into_iter().filter(|release| is_enum(&data.tags, *release)).collect();
        if let DefKind::Enum(declared) = &data.kind {
            for variant in &declared.variants {
                add(releases_of(&variant.tags), RangedItem::EnumValue { shape, value: variant.json.clone() });
            }
        }
        for item in universe.packages().iter().flat_map(|package| &package.consts).filter(|item| item.ty == Some(ty)) {
            if let Some(Literal::String(value)) = &item.item.value {
                let releases = releases_of(&item.item.tags).and(lists_values);
                add(releases, RangedItem::EnumValue { shape, value: value.clone() });
            }
        }
    }
    ranges
}

/// A field as it is in releases in which markers make it another than in the newest one.
fn marked(universe: &Universe, table: &ShapeTable, field: &FieldDef, called: bool) -> Vec<(Releases, Box<ShapeField>)> {
    let newest = table.field(universe, field, called, Release::NEWEST);
    let mut found: Vec<(Releases, Box<ShapeField>)> = Vec::new();
    for release in Release::ALL {
        let shape = table.field(universe, field, called, release);
        match found.iter_mut().find(|(_, known)| **known == shape) {
            _ if shape == newest => {}
            Some((releases, _)) => *releases = releases.iter().chain([release]).collect(),
            None => found.push((Releases::only(release), Box::new(shape))),
        }
    }
    found
}

fn type_layout(universe: &Universe, table: &ShapeTable, ty: TypeId) -> TypeLayout {
    let native = universe.native(ty);
    let form = match universe.ty(native.base) {
        Type::Builtin(Builtin::String) if is_plain(universe, ty) => Form::Text,
        Type::Builtin(Builtin::String) => Form::NamedText,
        Type::Builtin(Builtin::Bool) => Form::Bool,
        Type::Builtin(builtin) if builtin.is_integer() => Form::Int,
        Type::Builtin(_) => Form::Float,
        Type::Def(def) => match &universe.def(*def).kind {
            DefKind::Struct(_) => Form::Struct(*def),
            DefKind::Enum(_) => Form::NamedText,
            DefKind::Typedef(_) | DefKind::Opaque(_) => Form::Any,
        },
        Type::List(elem) | Type::Array(_, elem) => {
            let byte = universe.kind(*elem) == Kind::Builtin
                && universe.builtin(*elem).and_then(Builtin::int_bits) == Some((8, false));
            if byte { Form::Bytes } else { Form::List(*elem) }
        }
        Type::Map(_, key, value) => Form::Map(*key, *value),
        _ => Form::Any,
    };
    TypeLayout { form, pointer: native.pointers > 0, shape: table.type_ref(universe, ty).id }
}

/// Tells if a string type is the language's own, behind pointers at most.
fn is_plain(universe: &Universe, mut ty: TypeId) -> bool {
    loop {
        match universe.ty(ty) {
            Type::Builtin(_) => return true,
            Type::Pointer(inner) | Type::Boxed(inner) => ty = *inner,
            _ => return false,
        }
    }
}

fn def_layout(universe: &Universe, def: DefId) -> DefLayout {
    let member = |field: &FieldDef| Member {
        ty: field.ty,
        json: (!field.field.inline).then(|| field.field.path_name().into()),
        name: field.field.name.as_str().into(),
    };
    DefLayout {
        ty: universe.type_of_def(def).expect("every definition has a type"),
        members: universe.fields(def).iter().map(member).collect(),
    }
}

fn resources(universe: &Universe, table: &ShapeTable, roots: &[DefId]) -> Vec<Resource> {
    let reader = ResourceReader::new(universe);
    let mut seen = BTreeSet::new();
    let distinct = roots.iter().copied().filter(|def| seen.insert(*def));
    distinct.map(|def| resource(universe, table, def, reader.facts(def))).collect()
}

fn resource(universe: &Universe, table: &ShapeTable, def: DefId, facts: ResourceFacts) -> Resource {
    let package = universe.package_of(def);
    let ty = universe.type_of_def(def).expect("every definition has a type");
    Resource {
        def,
        group: group(&package.tags, package.consts.iter().map(|known| &known.item)),
        version: version(&package.path),
        kind: universe.def(def).name.clone(),
        go_type: go_type(universe, def),
        shape: table.type_ref(universe, ty).id,
        releases: releases_of(&universe.def(def).tags),
        facts,
    }
}

/// The API group and version that a package declares, as far as it does.
pub fn group_version(package: &Package) -> (Option<String>, Option<String>) {
    (group(&package.tags, package.consts.iter()), version(&package.path))
}

/// The group that a package's `+groupName` tag names, or else the constant `GroupName` that upstream's `register.go` has; the
/// core group is the empty one.
fn group<'c>(tags: &[TagLine], mut consts: impl Iterator<Item = &'c Const>) -> Option<String> {
    if let Some(line) = tags.iter().find(|line| tag_name(&line.text) == Some("groupName")) {
        return Some(raw_value(&line.text).unwrap_or_default().trim().to_owned());
    }
    match &consts.find(|item| item.name == "GroupName")?.value {
        Some(Literal::String(group)) => Some(group.clone()),
        _ => None,
    }
}

/// The last part of a package's path, if it looks like `v1` or `v2beta3`.
fn version(path: &str) -> Option<String> {
    let last = path.rsplit(['/', ':']).next()?;
    let is_version = last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    is_version.then(|| last.to_owned())
}
