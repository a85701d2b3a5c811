//! Implementations of the run-time traits: sameness, and how values read and show.

use proc_macro2::TokenStream;
use quote::quote;
use sprag_idl::model::Enum;
use sprag_program::{DefId, FieldRef, TypeId};
use sprag_tags::types::{DefKind, FieldDef};

use crate::access::{Access, mentions, mentions_path};
use crate::cx::Cx;
use crate::names::ident;
use crate::repr::{Base, Layer, Sameness};

impl Cx<'_> {
    /// The implementations for all types of a package.
    pub(crate) fn trait_items(&self, package: usize) -> Vec<TokenStream> {
        let runtime = &self.runtime;
        let mut items = Vec::new();
        for &def in self.types.iter().filter(|def| self.package(**def) == package) {
            match &self.universe.def(def).kind {
                DefKind::Struct(fields) => {
                    items.push(self.same_struct(def, fields));
                    items.push(self.show_as_json(def));
                }
                DefKind::Typedef(target) => self.newtype_traits(def, *target, &mut items),
                DefKind::Enum(declared) => self.enum_traits(def, declared, &mut items),
                DefKind::Opaque(_) => {}
            }
        }
        let body = quote!(#(#items)*);
        let traits = ["BadValue", "Integer", "KeyHasher", "Same", "Show", "Text", "show_json"];
        let names = traits.iter().filter(|name| mentions(&body, name));
        let names = names.chain(["same"].iter().filter(|name| mentions_path(&body, name))).map(|name| ident(name));
        items.insert(0, quote!(use #runtime::{#(#names),*};));
        items
    }

    fn impl_path(&self, def: DefId) -> TokenStream {
        self.type_path(def, self.package(def), 1)
    }

    fn same_struct(&self, def: DefId, fields: &[FieldDef]) -> TokenStream {
        let go = self.reprs.is_go(def);
        let compared: Vec<FieldRef> = fields
            .iter()
            .enumerate()
            .filter(|(_, field)| if go { field.field.exported } else { !field.field.ignored })
            .map(|(index, _)| FieldRef { def, index })
            .collect();
        let place = |name: &str, field: FieldRef| Access::sure(name).field(&self.field_name(field));
        let same: Vec<TokenStream> = compared
            .iter()
            .map(|field| self.same(self.universe.field(*field).ty, &place("self", *field), &place("other", *field)))
            .collect();
        let feeds = compared.iter().map(|field| self.feed(self.universe.field(*field).ty, &place("self", *field)));
        let path = self.impl_path(def);
        let (other, hasher, same) = match same.as_slice() {
            [] => (quote!(_), quote!(_), quote!(true)),
            same => (quote!(other), quote!(hasher), quote!(#(#same)&&*)),
        };
        quote! {
            impl Same for #path {
                fn same(&self, #other: &Self) -> bool { #same }
                fn feed(&self, #hasher: &mut KeyHasher) { #(#feeds)* }
            }
        }
    }

    /// Returns code that tests whether two values of a type mean the same.
    pub(crate) fn same(&self, ty: TypeId, a: &Access, b: &Access) -> TokenStream {
        match self.reprs.sameness(ty) {
            Sameness::Trait => {
                let ((a, _), (b, _)) = (a.bind(), b.bind());
                quote!(Same::same(#a, #b))
            }
            Sameness::Nullable => {
                let inside = |access: &Access| access.clone().through(&[Layer::Option]).optional();
                let a = inside(a);
                let b = inside(b);
                quote!(same::nullable(#a, #b))
            }
            Sameness::Serialized => {
                let ((a, _), (b, _)) = (a.bind(), b.bind());
                quote!(same::serialized(#a, #b))
            }
        }
    }

    /// Feeds a hasher with a value.
    pub(crate) fn feed(&self, ty: TypeId, access: &Access) -> TokenStream {
        let (value, _) = access.bind();
        match self.reprs.sameness(ty) {
            Sameness::Trait => quote!(Same::feed(#value, hasher);),
            Sameness::Nullable => {
                let value = access.clone().through(&[Layer::Option]).optional();
                quote!(same::feed_nullable(#value, hasher);)
            }
            Sameness::Serialized => quote!(same::feed_serialized(#value, hasher);),
        }
    }

    fn show_as_json(&self, def: DefId) -> TokenStream {
        let path = self.impl_path(def);
        quote! {
            impl Show for #path {
                fn show(&self) -> BadValue { show_json(self) }
            }
        }
    }

    fn newtype_traits(&self, def: DefId, target: TypeId, items: &mut Vec<TokenStream>) {
        let path = self.impl_path(def);
        let inside = |name: &str| Access::sure(name).through(&[Layer::Newtype]);
        let same = self.same(target, &inside("self"), &inside("other"));
        let feed = self.feed(target, &inside("self"));
        items.push(quote! {
            impl Same for #path {
                fn same(&self, other: &Self) -> bool { #same }
                fn feed(&self, hasher: &mut KeyHasher) { #feed }
            }
        });
        let (layers, base) = self.reprs.inner(target);
        let base = self.reprs.base(base);
        let plain = layers.iter().all(|layer| matches!(layer, Layer::Box | Layer::Newtype));
        let outer: Vec<Layer> = layers.iter().copied().take_while(|layer| *layer == Layer::Box).collect();
        let (content, _) = inside("self").through(&outer).bind();
        items.push(match base {
            Base::Int | Base::Bool | Base::Float if plain => quote! {
                impl Show for #path {
                    fn show(&self) -> BadValue { Show::show(#content) }
                }
            },
            _ => self.show_as_json(def),
        });
        match base {
            Base::Text | Base::Enum if plain => items.push(quote! {
                impl Text for #path {
                    fn text(&self) -> &str { Text::text(#content) }
                }
            }),
            Base::Int if plain => items.push(quote! {
                impl Integer for #path {
                    fn number(&self) -> i128 { Integer::number(#content) }
                }
            }),
            _ => {}
        }
    }

    fn enum_traits(&self, def: DefId, declared: &Enum, items: &mut Vec<TokenStream>) {
        let path = self.impl_path(def);
        if declared.other.is_none() && self.rest.is_some() {
            self.refuse_closed_enum(def);
        }
        let arms = declared.variants.iter().map(|variant| {
            let name = ident(&variant.name);
            let json = &variant.json;
            quote!(#path::#name => #json,)
        });
        let other = declared.other.as_ref().map(|name| {
            let name = ident(name);
            quote!(#path::#name(text) => text,)
        });
        items.push(quote! {
            impl Same for #path {
                fn same(&self, other: &Self) -> bool { Text::text(self) == Text::text(other) }
                fn feed(&self, hasher: &mut KeyHasher) { Same::feed(Text::text(self), hasher); }
            }
        });
        items.push(self.show_as_json(def));
        items.push(quote! {
            impl Text for #path {
                fn text(&self) -> &str {
                    match self {
                        #(#arms)*
                        #other
                        #[allow(unreachable_patterns, reason = "variants that are never written have no name")]
                        _ => "",
                    }
                }
            }
        });
    }

    /// Refuses an enum of a served type that cannot hold every value: stored objects may have values that were removed since.
    fn refuse_closed_enum(&self, def: DefId) {
        let data = self.universe.def(def);
        let message = format!("enum {} has no variant for values that it does not know", data.name);
        let help = "objects may have such values, which are judged beside everything else; add a last variant: \
                    #[serde(untagged)] Unknown(String)";
        self.refuse_at(data.span, message, help);
    }
}
