//! Rust types for a Go package. The mapping is described in `docs/go-to-rust.md`.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use sprag_idl::model::Literal;
use sprag_program::{DefId, FieldRef, TypeId};
use sprag_tags::types::{DefKind, FieldDef, Type};

use crate::cx::{Cx, type_ident};
use crate::embed::{Embedding, wire_name};
use crate::known::{self, Known};
use crate::names::{Unique, ident, serde_camel, snake};
use crate::print::docs;
use crate::repr::{Base, Layer};

/// Prints the types of one package.
pub(crate) struct TypePrinter<'c, 'a> {
    pub(crate) cx: &'c Cx<'a>,
    pub(crate) package: usize,
}

/// Types of the standard library that a package may have names for, too.
const STD: &[(&str, &str)] = &[
    ("BTreeMap", "collections"),
    ("Box", "boxed"),
    ("From", "convert"),
    ("Option", "option"),
    ("Result", "result"),
    ("String", "string"),
    ("Vec", "vec"),
];

impl TypePrinter<'_, '_> {
    /// All items of the package's module.
    pub(crate) fn items(&self) -> Vec<TokenStream> {
        let cx = self.cx;
        let mut items = vec![TokenStream::new()];
        for &def in cx.types.iter().filter(|def| cx.package(**def) == self.package) {
            match &cx.universe.def(def).kind {
                DefKind::Struct(fields) => self.structure(def, fields, &mut items),
                DefKind::Typedef(target) => self.newtype(def, *target, &mut items),
                DefKind::Enum(_) | DefKind::Opaque(_) => {}
            }
        }
        let wire = path_text(&quote!(wire::));
        if !self.declares("wire") && items.iter().any(|item| path_text(item).contains(&wire)) {
            let value = &cx.value;
            items[0] = quote!(use #value::wire;);
        }
        items
    }

    fn structure(&self, def: DefId, fields: &[FieldDef], items: &mut Vec<TokenStream>) {
        let docs = docs(&self.cx.universe.def(def).doc);
        let name = type_ident(&self.cx.universe.def(def).name);
        let embeddings = self.cx.reprs.embeddings(def);
        let exported = || fields.iter().enumerate().filter(|(_, field)| field.field.exported);
        let camel = exported().any(|(index, field)| {
            let rust = self.plain_name(FieldRef { def, index });
            !field.field.inline && rust != wire_name(field) && serde_camel(&rust) == wire_name(field)
        });
        let rename_all = camel.then(|| quote!(, rename_all = "camelCase"));
        let mut readers = Vec::new();
        let members: Vec<TokenStream> = exported()
            .map(|(index, field)| {
                let at = FieldRef { def, index };
                self.member(at, field, embeddings.get(&at), camel, &mut readers)
            })
            .collect();
        let (serde, serde_text) = self.serde();
        items.push(quote! {
            #docs
            #[derive(Clone, Debug, Default, PartialEq, #serde::Serialize, #serde::Deserialize)]
            #[serde(crate = #serde_text, default #rename_all)]
            pub struct #name { #(#members)* }
        });
        items.append(&mut readers);
    }

    fn plain_name(&self, field: FieldRef) -> String {
        let name = self.cx.field_name(field).to_string();
        name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
    }

    fn member(
        &self,
        at: FieldRef,
        field: &FieldDef,
        embedding: Option<&Embedding>,
        camel: bool,
        readers: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let docs = docs(&field.field.doc);
        let name = self.cx.field_name(at);
        let ty = self.field_type(at);
        let mut attributes = Vec::new();
        match embedding {
            _ if field.field.ignored => attributes.push(quote!(skip)),
            Some(Embedding::Flat(members)) if self.cx.reprs.is_pointer(field.ty) => {
                let reader =
                    format_ident!("read_{}_{}", snake(&self.cx.universe.def(at.def).name), self.plain_name(at));
                let wire = self.wire();
                let path = reader.to_string();
                let members = members.iter();
                let (result, (serde, _)) = (self.std("Result"), self.serde());
                readers.push(quote! {
                    fn #reader<'de, __D: #serde::Deserializer<'de>>(deserializer: __D) -> #result<#ty, __D::Error> {
                        #wire::embedded(deserializer, &[#(#members),*])
                    }
                });
                attributes.push(quote!(flatten));
                attributes.push(quote!(deserialize_with = #path));
            }
            Some(Embedding::Flat(_) | Embedding::Rest) => attributes.push(quote!(flatten)),
            Some(Embedding::Nested) | None => self.named_member(at, field, camel, &mut attributes),
        }
        let attributes = (!attributes.is_empty()).then(|| quote!(#[serde(#(#attributes),*)]));
        quote!(#docs #attributes pub #name: #ty,)
    }

    fn named_member(&self, at: FieldRef, field: &FieldDef, camel: bool, attributes: &mut Vec<TokenStream>) {
        let rust = self.plain_name(at);
        let name = wire_name(field);
        if name != if camel { serde_camel(&rust) } else { rust } {
            attributes.push(quote!(rename = #name));
        }
        let wire = path_text(&self.wire());
        let (layers, view) = self.cx.reprs.outer_of_field(at);
        let (_, base) = self.cx.reprs.inner(view);
        let by_value = !layers.contains(&Layer::Option);
        let base = self.cx.reprs.base(base);
        if by_value && !layers.contains(&Layer::NonNull) {
            let reader = format!("{wire}::null_default");
            attributes.push(quote!(deserialize_with = #reader));
        }
        let never_empty = by_value && matches!(base, Base::Struct(_) | Base::Opaque);
        let collection = by_value && matches!(base, Base::List(_) | Base::Map(..) | Base::Bytes);
        if field.field.omitzero || (field.field.omitempty && !never_empty) {
            let empty = if by_value {
                self.emptiness(view, &wire)
            } else {
                format!("{}::is_none", path_text(&self.std("Option")))
            };
            attributes.push(quote!(skip_serializing_if = #empty));
        } else if collection {
            let writer = format!("{wire}::null_if_empty");
            attributes.push(quote!(serialize_with = #writer));
        }
    }

    /// The test for a value that `omitempty` leaves out.
    fn emptiness(&self, view: TypeId, wire: &str) -> String {
        match self.cx.universe.ty(view) {
            Type::List(elem) if !self.cx.reprs.is_byte(*elem) => format!("{}::is_empty", path_text(&self.std("Vec"))),
            Type::Builtin(sprag_idl::model::Builtin::String) => format!("{}::is_empty", path_text(&self.std("String"))),
            _ => format!("{wire}::is_zero"),
        }
    }

    fn newtype(&self, def: DefId, target: TypeId, items: &mut Vec<TokenStream>) {
        let cx = self.cx;
        let docs = docs(&cx.universe.def(def).doc);
        let name = type_ident(&cx.universe.def(def).name);
        let (layers, base) = cx.reprs.inner(target);
        let ordered = layers.is_empty() && matches!(cx.reprs.base(base), Base::Text | Base::Int | Base::Bool);
        let more = ordered.then(|| quote!(Eq, PartialOrd, Ord, Hash,));
        let (ty, (serde, serde_text)) = (self.rust_type(target), self.serde());
        items.push(quote! {
            #docs
            #[derive(Clone, Debug, Default, PartialEq, #more #serde::Serialize, #serde::Deserialize)]
            #[serde(crate = #serde_text, transparent)]
            pub struct #name(pub #ty);
        });
        if layers.is_empty() && cx.reprs.base(base) == Base::Text {
            let from = self.std("From");
            items.push(quote! {
                impl #from<&str> for #name {
                    fn from(text: &str) -> Self {
                        #name(text.into())
                    }
                }
            });
        }
        items.push(self.constants(def));
    }

    /// The constants of a type, as constants of the Rust type.
    fn constants(&self, def: DefId) -> TokenStream {
        let universe = self.cx.universe;
        let name = type_ident(&self.cx.universe.def(def).name);
        let Some(ty) = universe.type_of_def(def) else { return TokenStream::new() };
        let mut unique = Unique::default();
        let mut all = BTreeMap::new();
        for (at, constant) in universe.packages().iter().flat_map(|package| &package.consts).enumerate() {
            if constant.ty != Some(ty) || constant.item.name == "_" {
                continue;
            }
            let rust_name = ident(&unique.claim(&snake(&constant.item.name).to_uppercase()));
            let prose: Vec<&str> =
                constant.item.comment.lines().filter(|line| !line.trim_start().starts_with('+')).collect();
            let docs = docs(&prose.join("\n"));
            let value = match &constant.item.value {
                Some(Literal::String(text)) => quote!(pub const #rust_name: &'static str = #text;),
                Some(Literal::Int(number)) => {
                    let number = proc_macro2::Literal::i128_unsuffixed(*number);
                    quote!(pub const #rust_name: #name = #name(#number);)
                }
                Some(Literal::Bool(value)) => quote!(pub const #rust_name: #name = #name(#value);),
                None => continue,
            };
            all.insert(at, quote!(#docs #value));
        }
        let all = all.into_values();
        if all.len() == 0 { TokenStream::new() } else { quote!(impl #name { #(#all)* }) }
    }

    /// A type of the standard library, by its short name unless the package has another type of that name.
    fn std(&self, name: &str) -> TokenStream {
        let short = ident(name);
        if name != "BTreeMap" && !self.declares(name) {
            return quote!(#short);
        }
        let module = STD.iter().find(|(known, _)| *known == name).map_or("primitive", |(_, module)| module);
        let module = ident(module);
        quote!(std::#module::#short)
    }

    fn declares(&self, name: &str) -> bool {
        let cx = self.cx;
        cx.types.iter().any(|def| cx.package(*def) == self.package && cx.universe.def(*def).name == name)
    }

    /// serde as the module with values exports it, as a path and as text: the crate around may not depend on it.
    fn serde(&self) -> (TokenStream, String) {
        let value = &self.cx.value;
        let serde = quote!(#value::serde);
        let text = path_text(&serde);
        (serde, text)
    }

    /// The module with the helpers for serde.
    fn wire(&self) -> TokenStream {
        let value = &self.cx.value;
        if self.declares("wire") { quote!(#value::wire) } else { quote!(wire) }
    }

    fn field_type(&self, at: FieldRef) -> TokenStream {
        let ty = self.cx.universe.field(at).ty;
        if !self.cx.reprs.is_boxed(at) {
            return self.rust_type(ty);
        }
        let boxed = self.std("Box");
        let option = self.std("Option");
        if let Type::Pointer(inner) = self.cx.universe.ty(ty) {
            let inner = self.rust_type(*inner);
            return quote!(#option<#boxed<#inner>>);
        }
        let inner = self.rust_type(ty);
        quote!(#boxed<#inner>)
    }

    /// The Rust type of a Go type.
    pub(crate) fn rust_type(&self, ty: TypeId) -> TokenStream {
        let cx = self.cx;
        let value = &self.cx.value;
        match cx.reprs.known(ty) {
            Some(Known::Named(name)) => {
                let name = ident(name);
                return quote!(#value::#name);
            }
            Some(Known::Plain(builtin)) => return known::builtin(builtin).unwrap_or_else(|| self.std("String")),
            Some(Known::Any) => return quote!(#value::Value),
            None => {}
        }
        match cx.universe.ty(ty) {
            Type::Builtin(sprag_idl::model::Builtin::String) => self.std("String"),
            Type::Builtin(builtin) => known::builtin(*builtin).unwrap_or_else(|| quote!(#value::Value)),
            Type::Def(def) if cx.types.contains(def) => cx.type_path(*def, self.package, 0),
            Type::Pointer(inner) | Type::Nullable(inner) => self.generic("Option", &[*inner]),
            Type::Boxed(inner) => self.generic("Box", &[*inner]),
            Type::List(elem) | Type::Array(_, elem) if cx.reprs.is_byte(*elem) => quote!(#value::ByteString),
            Type::List(elem) | Type::Array(_, elem) => self.generic("Vec", &[*elem]),
            Type::Map(_, key, elem) => self.generic("BTreeMap", &[*key, *elem]),
            Type::Def(_) | Type::Foreign(_) | Type::Interface | Type::Unsupported(..) => quote!(#value::Value),
        }
    }

    fn generic(&self, name: &str, arguments: &[TypeId]) -> TokenStream {
        let name = self.std(name);
        let arguments = arguments.iter().map(|ty| self.rust_type(*ty));
        quote!(#name<#(#arguments),*>)
    }
}

/// A path as text, as serde's attributes want it.
fn path_text(path: &TokenStream) -> String {
    path.to_string().replace(' ', "")
}
