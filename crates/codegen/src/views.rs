//! Thin views over dynamic values: a struct per declared type, with a getter per field.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use sprag_idl::{Finding, Span};
use sprag_rules::ShapeTable;
use sprag_rules::types::Universe;
use sprag_shape::{Field, Kind, TypeId, TypeRef, TypeShape};

use crate::cx::type_ident;
use crate::names::{self, ident, snake};
use crate::print;

/// The name of the module with types that no package declares, such as object metadata.
const KNOWN: &str = "known";

/// The place of a view: its module and its type.
type Place = (String, String);

pub(crate) fn views(universe: &Universe, value: &str) -> Result<String, Vec<Finding>> {
    let refuse = |error: syn::Error| vec![Finding::error(Span::NONE, format!("views: {error}"))];
    let value: syn::Path = syn::parse_str(value).map_err(refuse)?;
    let table = ShapeTable::new(universe);
    let printer = ViewPrinter { places: places(universe, &table), table, value };
    let mut modules: BTreeMap<&str, Vec<TokenStream>> = BTreeMap::new();
    for (id, (module, name)) in &printer.places {
        modules.entry(module).or_default().push(printer.item(*id, name));
    }
    let items = modules.into_iter().map(|(module, items)| {
        let (doc, module) = (format!(" Views of the types of `{module}`."), ident(module));
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

struct ViewPrinter {
    table: ShapeTable,
    places: BTreeMap<TypeId, Place>,
    value: syn::Path,
}

impl ViewPrinter {
    fn shape(&self, id: TypeId) -> &TypeShape {
        self.table.shapes.get(id)
    }

    fn item(&self, id: TypeId, name: &str) -> TokenStream {
        let (value, docs) = (&self.value, print::docs(&self.shape(id).doc));
        let name = type_ident(name);
        let getters = self.shape(id).fields().iter().map(|field| self.getter(field));
        quote! {
            #docs
            #[derive(Clone, Copy, Debug)]
            pub struct #name<'v>(&'v #value::Value);

            impl<'v> #name<'v> {
                /// The value behind the view.
                pub fn as_value(self) -> &'v #value::Value {
                    self.0
                }

                #(#getters)*
            }

            impl<'v> #value::view::View<'v> for #name<'v> {
                fn view(value: Option<&'v #value::Value>) -> Self {
                    Self(value.unwrap_or(&#value::Value::Null))
                }
            }
        }
    }

    fn getter(&self, field: &Field) -> TokenStream {
        let (value, docs, ty) = (&self.value, print::docs(&field.doc), self.reference(field.ty));
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
                let (module, name) = (ident(module), type_ident(name));
                quote!(super::#module::#name<'v>)
            }
            Kind::Struct { .. } | Kind::Any | Kind::Scalar | Kind::RawExtension => quote!(&'v #value::Value),
        }
    }
}
