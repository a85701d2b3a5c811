//! Thin views over dynamic values: a struct per declared type, with a getter per field and calls of its rules.

mod changes;
mod checks;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;
use sprag_idl::{Finding, Span};
use sprag_program::{Check, DefId, FieldPlan, Plan, Rule, TypePlan};
use sprag_shape::{Field, Kind, TypeId, TypeRef, TypeShape};
use sprag_tags::ShapeTable;
use sprag_tags::types::Universe;

use crate::Options;
use crate::cx::type_ident;
use crate::names::{self, ident, snake};
use crate::print;

/// The name of the module with types that no package declares, such as object metadata.
const KNOWN: &str = "known";

/// The place of a view: its module and its type.
type Place = (String, String);

pub(crate) fn views(universe: &Universe, plan: &Plan, options: &Options) -> Result<String, Vec<Finding>> {
    let refuse = |error: syn::Error| vec![Finding::error(Span::NONE, format!("views: {error}"))];
    let path = |path: &str| syn::parse_str::<syn::Path>(path).map_err(refuse);
    let twice = called_twice(universe, plan);
    if !twice.is_empty() {
        return Err(twice);
    }
    let table = ShapeTable::new(universe);
    let printer = ViewPrinter {
        universe,
        plan,
        places: places(universe, &table),
        calls: calls(universe, plan, &table),
        apart: apart(universe, plan, &table),
        table,
        value: path(&options.value)?,
        runtime: path(&options.runtime)?,
        shape: options.shape.as_deref().map(path).transpose()?,
    };
    let mut modules: BTreeMap<&str, Vec<TokenStream>> = BTreeMap::new();
    for (id, (module, name)) in &printer.places {
        modules.entry(module).or_default().push(printer.item(*id, name)?);
    }
    let items = modules.into_iter().map(|(module, items)| {
        let doc = format!(" Views of the types of `{module}`.");
        let module = ident(module);
        quote! {
            #[doc = #doc]
            pub mod #module { #(#items)* }
        }
    });
    print::file(&items.collect::<Vec<_>>()).map_err(refuse)
}

/// The places of all structs.
fn places(universe: &Universe, table: &ShapeTable) -> BTreeMap<TypeId, Place> {
    let modules = names::modules(universe.packages().iter().map(|package| package.path.as_str()));
    let is_struct = |id: TypeId| matches!(table.shapes.get(id).kind, Kind::Struct { .. });
    let declared = universe.defs().filter_map(|(id, def)| {
        let shape = table.type_ref(universe, universe.type_of_def(id)?).id;
        is_struct(shape).then(|| (shape, (modules[def.package].clone(), def.name.clone())))
    });
    let mut places: BTreeMap<TypeId, Place> = declared.collect();
    for (id, shape) in (0u32..).map(TypeId).zip(table.shapes.types()) {
        if is_struct(id) && !shape.name.is_empty() {
            let name = shape.name.rsplit('.').next().unwrap_or_default();
            places.entry(id).or_insert_with(|| (KNOWN.to_owned(), name.to_owned()));
        }
    }
    places
}

/// The types with rules that hand-written code calls.
fn calls<'p>(universe: &'p Universe, plan: &'p Plan, table: &ShapeTable) -> BTreeMap<TypeId, Calls<'p>> {
    let called = |def: DefId| plan.of(def).into_iter().flat_map(|plan| &plan.fields).filter(|field| field.called);
    let below = universe.defs().flat_map(|(def, _)| called(def)).flat_map(|field| &field.descend).filter_map(entered);
    let below: BTreeSet<DefId> = below.collect();
    let calls = universe.defs().filter_map(|(def, _)| {
        let shape = table.type_ref(universe, universe.type_of_def(def)?).id;
        let plan = plan.of(def)?;
        let calls = if plan.called {
            Calls::Type { def, plan, is_below: below.contains(&def) }
        } else {
            Calls::Fields(called(def).collect())
        };
        Some((shape, calls))
    });
    calls.collect()
}

/// The types with fields that have rules outside of the walk: about changes, or called one by one.
fn apart<'p>(universe: &'p Universe, plan: &'p Plan, table: &ShapeTable) -> BTreeMap<TypeId, &'p TypePlan> {
    let is_apart = |field: &FieldPlan| !field.changes.is_empty() || !field.calls.is_empty();
    let types = universe.defs().filter_map(|(def, _)| {
        let shape = table.type_ref(universe, universe.type_of_def(def)?).id;
        let plan = plan.of(def)?;
        plan.fields.iter().any(is_apart).then_some((shape, plan))
    });
    types.collect()
}

/// Fields whose rules are called one by one and also below another field, so that they would be checked twice.
fn called_twice(universe: &Universe, plan: &Plan) -> Vec<Finding> {
    let called = |def: DefId| plan.of(def).into_iter().flat_map(|plan| &plan.fields).filter(|field| field.called);
    let is_one_by_one = |def: &DefId| plan.of(*def).is_some_and(|plan| !plan.called) && called(*def).next().is_some();
    let fields = universe.defs().flat_map(|(def, _)| called(def));
    let below = fields.flat_map(|field| field.descend.iter().filter_map(entered).map(move |def| (field, def)));
    let twice = below.filter(|(_, def)| is_one_by_one(def)).map(|(field, def)| {
        let owner = universe.def_name(field.field.def);
        let name = &universe.field(field.field).field.name;
        let ty = universe.def_name(def);
        Finding::error(
            universe.field(field.field).field.span,
            format!("{owner}.{name}: fields of {ty} are +sprag:called one by one: mark the type, or this field with +k8s:opaqueType"),
        )
    });
    twice.collect()
}

/// The type whose validator a descent calls.
fn entered(check: &Check) -> Option<DefId> {
    match &check.rule {
        Rule::Type(def) => Some(*def),
        Rule::EachKey(inner) | Rule::EachVal(_, inner) => entered(inner),
        _ => None,
    }
}

/// The rules of a type that hand-written code calls.
enum Calls<'p> {
    /// Those of all fields, in their order; they may also be called below a field of another type.
    Type { def: DefId, plan: &'p TypePlan, is_below: bool },
    /// Those of single fields.
    Fields(Vec<&'p FieldPlan>),
}

struct ViewPrinter<'p> {
    universe: &'p Universe,
    plan: &'p Plan,
    table: ShapeTable,
    places: BTreeMap<TypeId, Place>,
    calls: BTreeMap<TypeId, Calls<'p>>,
    apart: BTreeMap<TypeId, &'p TypePlan>,
    value: syn::Path,
    runtime: syn::Path,
    shape: Option<syn::Path>,
}

impl ViewPrinter<'_> {
    fn shape(&self, id: TypeId) -> &TypeShape {
        self.table.shapes.get(id)
    }

    fn item(&self, id: TypeId, name: &str) -> Result<TokenStream, Vec<Finding>> {
        let value = &self.value;
        let docs = print::docs(&self.shape(id).doc);
        let name = type_ident(name);
        let getters = self.shape(id).fields().iter().map(|field| self.getter(field));
        let calls = self.calls.get(&id).map(|calls| self.calls(calls)).transpose()?;
        let apart = self.apart.get(&id);
        let single = apart.map(|plan| self.single_calls(plan)).transpose()?;
        let changes = apart.map(|plan| self.changes(plan)).transpose()?;
        Ok(quote! {
            #docs
            #[derive(Clone, Copy, Debug)]
            pub struct #name<'v>(&'v #value::Value);

            impl<'v> #name<'v> {
                /// The value behind the view.
                pub fn as_value(self) -> &'v #value::Value {
                    self.0
                }

                #(#getters)*
                #calls
                #single
                #changes
            }

            impl<'v> #value::view::View<'v> for #name<'v> {
                fn view(value: Option<&'v #value::Value>) -> Self {
                    Self(value.unwrap_or(&#value::Value::Null))
                }

                fn is_set(&self) -> bool {
                    true
                }
            }
        })
    }

    fn getter(&self, field: &Field) -> TokenStream {
        let value = &self.value;
        let docs = print::docs(&field.doc);
        let ty = self.reference(field.ty);
        let name = ident(&snake(&field.name));
        // The fields of an embedded struct are members of this object.
        let member = if field.inline {
            quote!(Some(self.0))
        } else {
            let json = field.json.as_ref();
            quote!(self.0.get(#json))
        };
        quote! {
            #docs
            #[inline]
            pub fn #name(self) -> #ty {
                #value::view::View::view(#member)
            }
        }
    }

    /// A method that runs the rules of all fields, or methods that run those of one field. The compiler warns of one that
    /// nobody calls, whose rules would be checked nowhere.
    fn calls(&self, calls: &Calls<'_>) -> Result<TokenStream, Vec<Finding>> {
        match calls {
            Calls::Type { def, plan, is_below } => self.check_of_type(*def, plan, *is_below),
            Calls::Fields(fields) => fields.iter().map(|plan| self.check_of_field(plan, &quote!(pub(crate)))).collect(),
        }
    }

    /// The type of a getter.
    fn reference(&self, reference: TypeRef) -> TokenStream {
        let ty = self.plain(reference.id);
        if reference.nullable { quote!(Option<#ty>) } else { ty }
    }

    fn plain(&self, id: TypeId) -> TokenStream {
        let value = &self.value;
        match &self.shape(id).kind {
            Kind::String | Kind::Bytes | Kind::Time | Kind::MicroTime | Kind::Duration => quote!(&'v str),
            Kind::Bool => quote!(bool),
            Kind::Int { .. } => quote!(i64),
            Kind::Float { .. } => quote!(f64),
            Kind::Quantity => quote!(#value::Quantity),
            Kind::IntOrString => quote!(#value::view::IntOrStr<'v>),
            Kind::List { elem, .. } => {
                let elem = self.reference(*elem);
                quote!(#value::view::List<'v, #elem>)
            }
            Kind::Map { value: elem, .. } => {
                let elem = self.reference(*elem);
                quote!(#value::view::Map<'v, #elem>)
            }
            Kind::Struct { .. } if self.places.contains_key(&id) => {
                let (module, name) = &self.places[&id];
                let module = ident(module);
                let name = type_ident(name);
                quote!(super::#module::#name<'v>)
            }
            Kind::Struct { .. } | Kind::Any | Kind::Scalar | Kind::RawExtension => quote!(&'v #value::Value),
        }
    }
}
