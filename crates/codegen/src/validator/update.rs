//! Transitions that are refused on update.

use proc_macro2::TokenStream;
use quote::quote;
use sprag_checks::update::Constraint;
use sprag_program::{Identity, TypeId, UpdateRule};
use sprag_tags::types::Type;

use super::{Here, Printer, closure};
use crate::access::Access;
use crate::code::Code;
use crate::names::ident;
use crate::repr::Base;

impl Printer<'_, '_> {
    pub(super) fn update(&self, here: Here, rule: &UpdateRule) -> Code {
        let constraints = rule.constraints.iter().map(|constraint| {
            let name = ident(&format!("{constraint:?}"));
            quote!(Constraint::#name)
        });
        let constraints = quote!(&[#(#constraints),*]);
        let pointer = self.cx.reprs.is_pointer(here.ty);
        let (new, base) = self.base_of(here.view, here.value());
        let (old, _) = self.base_of(here.view, Here::old());
        match base {
            Base::List(elem) if !pointer => {
                let identity = rule.identity.as_ref().unwrap_or(&Identity::Value);
                let item = self.item_of(elem);
                let mut correlation = self.correlation(elem, Some(identity));
                if rule.labels_items && rule.constraints.contains(&Constraint::NoRemoveItem) {
                    let label = self.item_label(elem, identity);
                    correlation = quote!(&list::labelled(#correlation, #label));
                }
                let new = self.slots(here.view, here.value());
                let old = self.slots(here.view, Here::old());
                let old = if rule.scoped_to_parent { quote!(held.then(|| #old)) } else { quote!(Some(#old)) };
                Code::Call(quote!(update::update_list(at, #new, #old, #item, #correlation, #constraints, errors)))
            }
            Base::Map(..) if !pointer => {
                let known = if rule.scoped_to_parent { quote!(held) } else { quote!(true) };
                let new = new.optional();
                let old = old.optional();
                Code::Call(quote!(map::update(at, #new, #old, #known, #constraints, errors)))
            }
            base => {
                let set = self.is_set(here.ty, here.view, &here.value());
                let was = self.is_set(here.ty, here.view, &Here::old());
                let was = if rule.scoped_to_parent {
                    quote!(held.then(|| #was))
                } else if pointer || base == Base::Bytes {
                    quote!(Some(#was))
                } else {
                    let was = self.is_set(here.ty, here.view, &Access::sure("old"));
                    let was = closure(&["old"], &was);
                    quote!(old.map(#was))
                };
                Code::Call(quote!(update::update(at, #set, #was, #constraints, errors)))
            }
        }
    }

    /// A function from a list element to its identity in errors about its removal.
    fn item_label(&self, elem: TypeId, identity: &Identity) -> TokenStream {
        let view = self.cx.reprs.outer(elem).1;
        let (Identity::Keys(keys), Type::Def(def)) = (identity, self.cx.universe.ty(view)) else {
            return quote!(|item| show_json(item).to_string());
        };
        let ty = self.type_path(*def);
        let keys = keys.iter().map(|key| {
            let name = self.cx.universe.field(*key).field.path_name();
            let value = match self.field_of(Access::sure("item"), view, *key) {
                Access::Sure(spot) => spot.borrow(),
                access => {
                    let value = access.optional();
                    quote!(&#value)
                }
            };
            quote!((#name, show_json(#value)))
        });
        quote!(|item: &#ty| list::keys_label(&[#(#keys),*]))
    }
}
