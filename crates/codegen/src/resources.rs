//! Implementations of the resource traits for types that are whole objects: facts as data, and accessors.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use sprag_idl::model::Language;
use sprag_program::{Column, DefId, GatedField, GatedStep, Plan, ResourceFacts, TypeId};
use sprag_shape::TypeId as ShapeId;
use sprag_tags::types::{Type, Universe};
use sprag_tags::{ResourceReader, is_resource};

use crate::cx::Cx;

/// The items of the module that implements the traits of resources.
pub(crate) fn items(
    cx: &Cx<'_>,
    rest: &syn::Path,
    shape: &syn::Path,
    ids: &BTreeMap<DefId, ShapeId>,
) -> Vec<TokenStream> {
    let mut items = vec![quote! {
        use std::borrow::Cow;
        use #rest::{
            Cell, Column, EmbeddedRules, Facts, Gated, GenerationAccessor, Resource, Selectable, SpecAccessor, StatusAccessor, Step,
        };
        use #shape::TypeId;
    }];
    let reader = ResourceReader::new(cx.universe);
    for def in defs(cx.universe, cx.plan) {
        items.extend(ids.get(&def).map(|id| resource(cx, def, *id, &reader.facts(def))));
        items.extend(accessors(cx, def));
        if !cx.plan.roots.iter().any(|root| root.def == def) {
            items.push(no_rules(cx, def));
        }
    }
    items
}

/// The types that are resources: roots, and Rust types that have no rule to check.
pub(crate) fn defs(universe: &Universe, plan: &Plan) -> Vec<DefId> {
    let is_root = |def: DefId| plan.roots.iter().any(|root| root.def == def);
    let is_plain = |def: DefId| {
        let package = universe.package_of(def);
        let data = universe.def(def);
        package.included && package.language == Language::Rust && data.exported && !data.alias
    };
    let all = universe.defs().map(|(def, _)| def);
    all.filter(|def| is_resource(universe, *def) && (is_root(*def) || is_plain(*def))).collect()
}

fn no_rules(cx: &Cx<'_>, def: DefId) -> TokenStream {
    let runtime = &cx.runtime;
    let ty = cx.type_path(def, NO_PACKAGE, 0);
    let go_type = format!("*{}.{}", cx.universe.package_of(def).name, cx.universe.def(def).name);
    quote! {
        impl #runtime::Validate for #ty {
            const GO_TYPE: &'static str = #go_type;
            const SUBRESOURCES: &'static [&'static str] = &["/"];

            fn validate_at(_: &#runtime::At<'_>, _: &Self, _: Option<&Self>, _: &mut #runtime::Errors) -> bool {
                false
            }
        }
    }
}

fn resource(cx: &Cx<'_>, def: DefId, id: ShapeId, facts: &ResourceFacts) -> TokenStream {
    let ty = cx.type_path(def, NO_PACKAGE, 0);
    let kind = &cx.universe.def(def).name;
    let shape = Literal::u32_unsuffixed(id.0);
    let has_spec = facts.has_spec;
    let has_status = facts.has_status;
    let gates: Vec<String> = cx.plan.options(def).into_iter().map(str::to_owned).collect();
    let gates = texts(&gates);
    let gated = facts.gated.iter().map(gated);
    let selectable = facts.selectable.iter().map(|path| selectable(path));
    let columns = facts.columns.iter().map(column);
    let rules = if cx.program {
        let def = Literal::u32_unsuffixed(def.0);
        quote!(Some(EmbeddedRules { program: include_bytes!("program.bin"), def: #def }))
    } else {
        quote!(None)
    };
    quote! {
        impl Resource for #ty {
            fn facts() -> Facts {
                Facts {
                    kind: Cow::Borrowed(#kind),
                    shapes: &super::SHAPES,
                    shape: TypeId(#shape),
                    has_spec: #has_spec,
                    has_status: #has_status,
                    gated: Cow::Borrowed(const { &[#(#gated),*] }),
                    gates: #gates,
                    selectable: Cow::Borrowed(const { &[#(#selectable),*] }),
                    columns: Cow::Borrowed(const { &[#(#columns),*] }),
                    rules: #rules,
                }
            }
        }
    }
}

/// Paths are those of the file itself, which belongs to no package.
const NO_PACKAGE: usize = usize::MAX;

fn gated(field: &GatedField) -> TokenStream {
    let gate = &field.gate;
    let steps = field.path.iter().map(|step| match step {
        GatedStep::Field(name) => quote!(Step::Field(Cow::Borrowed(#name))),
        GatedStep::Each => quote!(Step::Each),
    });
    quote!(Gated { gate: Cow::Borrowed(#gate), path: Cow::Borrowed(const { &[#(#steps),*] }) })
}

fn selectable(path: &[String]) -> TokenStream {
    let name = path.join(".");
    let path = texts(path);
    quote!(Selectable { name: Cow::Borrowed(#name), path: #path, otherwise: Cow::Borrowed(&[]), default: "" })
}

fn column(column: &Column) -> TokenStream {
    let Column { name, ty, format, description, priority, path } = column;
    let kind = ty.name();
    let priority = Literal::i32_unsuffixed(*priority);
    let path = texts(path);
    quote! {
        Column {
            name: Cow::Borrowed(#name),
            kind: Cow::Borrowed(#kind),
            format: Cow::Borrowed(#format),
            description: Cow::Borrowed(#description),
            priority: #priority,
            cell: Cell::Field(#path),
        }
    }
}

fn texts(texts: &[String]) -> TokenStream {
    quote!(Cow::Borrowed(const { &[#(Cow::Borrowed(#texts)),*] }))
}

/// Accessors of the parts that have a type of their own, held by value or optional.
fn accessors(cx: &Cx<'_>, def: DefId) -> Vec<TokenStream> {
    let ty = cx.type_path(def, NO_PACKAGE, 0);
    let mut items = Vec::new();
    if let Some((field, part)) = part(cx, def, "spec") {
        items.push(quote! {
            impl SpecAccessor for #ty {
                type Spec = #part;
                fn spec(&self) -> &#part { &self.#field }
                fn set_spec(&mut self, spec: #part) { self.#field = spec; }
            }
        });
    }
    if let Some((field, part)) = part(cx, def, "status") {
        items.push(quote! {
            impl StatusAccessor for #ty {
                type Status = #part;
                fn status(&self) -> &#part { &self.#field }
                fn set_status(&mut self, status: #part) { self.#field = status; }
            }
        });
    }
    items.extend(generation(cx, def));
    items
}

fn part(cx: &Cx<'_>, def: DefId, json: &str) -> Option<(Ident, TokenStream)> {
    let at = cx.universe.member(def, json).filter(|at| at.def == def)?;
    Some((cx.field_name(at), part_type(cx, cx.universe.field(at).ty)?))
}

fn part_type(cx: &Cx<'_>, ty: TypeId) -> Option<TokenStream> {
    match cx.universe.ty(ty) {
        Type::Def(def) => Some(cx.type_path(*def, NO_PACKAGE, 0)),
        Type::Pointer(inner) => match cx.universe.ty(*inner) {
            Type::Def(def) => {
                let path = cx.type_path(*def, NO_PACKAGE, 0);
                Some(quote!(Option<#path>))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The generation, where metadata has the type of the `rest` crate. Types from Go have metadata of their own.
fn generation(cx: &Cx<'_>, def: DefId) -> Option<TokenStream> {
    cx.rust_path(cx.package(def))?;
    let at = cx.universe.member(def, "metadata").filter(|at| at.def == def)?;
    let Type::Foreign(name) = cx.universe.ty(cx.universe.field(at).ty) else { return None };
    if name.rsplit(['.', ':']).next() != Some("ObjectMeta") {
        return None;
    }
    let ty = cx.type_path(def, NO_PACKAGE, 0);
    let field = cx.field_name(at);
    Some(quote! {
        impl GenerationAccessor for #ty {
            fn generation(&self) -> i64 { GenerationAccessor::generation(&self.#field) }
            fn set_generation(&mut self, generation: i64) {
                GenerationAccessor::set_generation(&mut self.#field, generation);
            }
        }
    })
}
