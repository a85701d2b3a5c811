//! Checks on lists and maps, and on what is in them.

use proc_macro2::TokenStream;
use quote::quote;
use sprag_checks::list::keys_label;
use sprag_program::{Check, FieldRef, Identity, Literal, Term, TypeId};
use sprag_tags::types::Type;

use super::{Here, Printer, closure};
use crate::access::{Access, mentions};
use crate::code::Code;
use crate::names::{ident, snake};
use crate::repr::{Base, Layer, Sameness};

impl Printer<'_, '_> {
    /// The element type of the list at a place.
    pub(super) fn elem(&self, here: Here) -> Option<TypeId> {
        let (_, base) = self.base_of(here.view, here.value());
        match base {
            Base::List(elem) => Some(elem),
            _ => None,
        }
    }

    /// A list as a slice; empty where it is missing.
    pub(super) fn slots(&self, view: TypeId, access: Access) -> TokenStream {
        match self.base_of(view, access).0 {
            Access::Sure(spot) => spot.borrow(),
            access => {
                let list = access.optional();
                quote!(list::slots(#list))
            }
        }
    }

    /// A function from a slot of a list to what it holds.
    pub(super) fn item_of(&self, elem: TypeId) -> TokenStream {
        let (layers, _) = self.cx.reprs.outer(elem);
        match layers.as_slice() {
            [] => quote!(list::itself),
            [Layer::Option] => quote!(Option::as_ref),
            [Layer::Option, Layer::Box] => quote!(Option::as_deref),
            layers => {
                let item = Access::sure("slot").through(layers).optional();
                quote!(|slot| #item)
            }
        }
    }

    fn element(&self, elem: TypeId) -> Here {
        Here { ty: elem, view: self.cx.reprs.outer(elem).1, sure: true }
    }

    /// The expression that tells elements of a list apart.
    pub(super) fn correlation(&self, elem: TypeId, identity: Option<&Identity>) -> TokenStream {
        match identity {
            None => quote!(&list::Uncorrelated),
            Some(Identity::Value) => {
                let view = self.cx.reprs.outer(elem).1;
                if self.cx.reprs.sameness(view) != Sameness::Trait {
                    let name = self.cx.universe.type_name(elem);
                    self.cx.refuse(format!("generated code cannot compare elements of type {name}"));
                }
                quote!(&list::ByValue)
            }
            Some(Identity::Keys(keys)) => self.by_keys(elem, keys),
        }
    }

    fn by_keys(&self, elem: TypeId, keys: &[FieldRef]) -> TokenStream {
        let view = self.cx.reprs.outer(elem).1;
        let Type::Def(def) = self.cx.universe.ty(view) else {
            self.cx.refuse(format!("elements of type {} have no keys", self.cx.universe.type_name(elem)));
            return quote!(&list::Uncorrelated);
        };
        let key = |name: &str, key: &FieldRef| self.field_of(Access::sure(name), view, *key);
        let key_type = |key: &FieldRef| self.cx.universe.field(*key).ty;
        let matches = keys.iter().map(|field| self.cx.same(key_type(field), &key("a", field), &key("b", field)));
        let feeds = keys.iter().map(|field| self.cx.feed(key_type(field), &key("item", field)));
        let unchanged = self.cx.same(view, &Access::sure("new"), &Access::sure("old"));
        let names: Vec<String> = keys.iter().map(|field| self.cx.universe.field(*field).field.name.clone()).collect();
        let base = &self.cx.universe.def(*def).name;
        let name = ident(&format!("{base}By{}", names.iter().map(|name| capital(name)).collect::<String>()));
        let ty = self.type_path(*def);
        let doc = format!(" The keys that identify a [`{base}`]: {}.", names.join(", "));
        let item = quote! {
            #[doc = #doc]
            struct #name;

            impl list::Correlate<#ty> for #name {
                fn feed(&self, item: &#ty, hasher: &mut KeyHasher) { #(#feeds)* }
                fn matches(&self, a: &#ty, b: &#ty) -> bool { #(#matches)&&* }
                fn unchanged(&self, new: &#ty, old: &#ty) -> bool { #unchanged }
            }
        };
        self.identities.borrow_mut().insert(name.to_string(), item);
        quote!(&#name)
    }

    pub(super) fn unique(&self, here: Here, identity: &Identity) -> Code {
        let Some(elem) = self.elem(here) else { return Code::Nothing };
        let slots = self.slots(here.view, here.value());
        let item = self.item_of(elem);
        let correlation = self.correlation(elem, Some(identity));
        let view = self.cx.reprs.outer(elem).1;
        let shows_itself = matches!(self.cx.universe.ty(view), Type::Def(_) | Type::Builtin(_))
            && self.cx.reprs.known(view).is_none()
            && self.cx.reprs.sameness(view) == Sameness::Trait;
        if shows_itself && !self.cx.reprs.is_pointer(elem) {
            return Code::Call(quote!(list::unique(at, #slots, #item, #correlation, errors)));
        }
        Code::Call(quote!(list::unique_with(at, #slots, #item, #correlation, show_json, errors)))
    }

    pub(super) fn no_nil_elements(&self, here: Here) -> Code {
        let Some(elem) = self.elem(here) else { return Code::Nothing };
        let is_nil = match self.cx.reprs.outer(elem).0.as_slice() {
            [Layer::Option, ..] => quote!(Option::is_none),
            [Layer::NonNull, ..] => quote!(|slot| slot.is_null()),
            _ => return Code::Nothing,
        };
        let slots = self.slots(here.view, here.value());
        Code::Call(quote!(list::no_nil_elements(at, #slots, #is_nil, errors)))
    }

    pub(super) fn each_key(&self, here: Here, check: &Check) -> Code {
        let (_, Base::Map(key, _)) = self.base_of(here.view, here.value()) else { return Code::Nothing };
        let inner = self.check(self.element(key), check);
        if inner.is_nothing() {
            return Code::Nothing;
        }
        let body = inner.expression();
        let old = mentions(&body, "old").then(|| quote!(let old = None;));
        let held = mentions(&body, "held").then(|| quote!(let held = false;));
        let body = if old.is_some() || held.is_some() { quote!({ #old #held #body }) } else { body };
        let run = closure(&["at", "new", "errors"], &body);
        let map = self.base_of(here.view, here.value()).0.optional();
        let before = self.old_base(here);
        Code::Call(quote!(map::each_key(at, #map, #before, errors, #run)))
    }

    fn old_base(&self, here: Here) -> TokenStream {
        self.base_of(here.view, Here::old()).0.optional()
    }

    pub(super) fn each_val(&self, here: Here, identity: Option<&Identity>, check: &Check) -> Code {
        match self.base_of(here.view, here.value()).1 {
            Base::Map(_, value) => self.each_map_val(here, value, check),
            Base::List(elem) => {
                let Some(run) = self.run_on(self.element(elem), check) else { return Code::Nothing };
                let new = self.slots(here.view, here.value());
                let old = self.slots(here.view, Here::old());
                let item = self.item_of(elem);
                let correlation = self.correlation(elem, identity);
                Code::Call(quote!(list::each_val(at, #new, #old, #item, #correlation, errors, #run)))
            }
            _ => Code::Nothing,
        }
    }

    fn each_map_val(&self, here: Here, value: TypeId, check: &Check) -> Code {
        let (layers, view) = self.cx.reprs.outer(value);
        let sure = layers.iter().all(|layer| *layer == Layer::Box);
        let inner = self.check(Here { ty: value, view, sure }, check);
        if inner.is_nothing() {
            return Code::Nothing;
        }
        let body = inner.expression();
        let run = if layers.is_empty() {
            closure_of(&body)
        } else {
            let held = mentions(&body, "held").then(|| quote!(let held = old.is_some();));
            let (new, _) = Access::sure("new").through(&layers).bind();
            let old = Here::old().through(&layers).optional();
            closure(&["at", "new", "old", "errors"], &quote!({ #held let new = #new; let old = #old; #body }))
        };
        let new = self.base_of(here.view, here.value()).0.optional();
        let old = self.old_base(here);
        let same = self.same_function(value);
        Code::Call(quote!(map::each_val(at, #new, #old, #same, errors, #run)))
    }

    /// A function that compares two values of a type.
    fn same_function(&self, ty: TypeId) -> TokenStream {
        if self.cx.reprs.sameness(ty) == Sameness::Trait {
            return quote!(Same::same);
        }
        let same = self.cx.same(ty, &Access::sure("a"), &Access::sure("b"));
        quote!(|a, b| #same)
    }

    /// A closure that runs a check on an element; `None` when the check never yields.
    fn run_on(&self, element: Here, check: &Check) -> Option<TokenStream> {
        let inner = self.check(element, check);
        (!inner.is_nothing()).then(|| closure_of(&inner.expression()))
    }

    pub(super) fn item(&self, here: Here, terms: &[Term], check: &Check) -> Code {
        let Some(elem) = self.elem(here) else { return Code::Nothing };
        let Some(run) = self.run_on(self.element(elem), check) else { return Code::Nothing };
        let new = self.slots(here.view, here.value());
        let old = self.slots(here.view, Here::old());
        let view = self.cx.reprs.outer(elem).1;
        let item = self.item_of(elem);
        let selects = self.selects(view, terms, "item");
        let same = self.same_function(view);
        Code::Call(quote!(list::item(at, #new, #old, #item, |item| #selects, #same, errors, #run)))
    }

    pub(super) fn item_kept(&self, here: Here, terms: &[Term]) -> Code {
        let Some(elem) = self.elem(here) else { return Code::Nothing };
        let has = |list: Access| self.has_item(elem, here.view, &list, terms);
        let exists = has(here.value());
        let existed = has(Here::old());
        let key = |term: &Term| (self.cx.universe.field(term.field).field.path_name(), term.value.show());
        let label = keys_label(&terms.iter().map(key).collect::<Vec<_>>());
        Code::Call(quote!(update::item_kept(at, #label, #exists, #existed, errors)))
    }

    /// Returns code that tests whether a list has an element with these keys.
    pub(super) fn has_item(&self, elem: TypeId, list: TypeId, access: &Access, terms: &[Term]) -> TokenStream {
        let slots = match self.base_of(list, access.clone()).0 {
            Access::Sure(spot) => spot.path().clone(),
            _ => self.slots(list, access.clone()),
        };
        let (layers, view) = self.cx.reprs.outer(elem);
        let test = Access::sure("slot").through(&layers).is_and(&|spot| {
            let access = Access::Sure(spot.clone());
            let terms = terms.iter().map(|term| self.term(access.clone(), view, term));
            quote!(#(#terms)&&*)
        });
        quote!(#slots.iter().any(|slot| #test))
    }

    fn selects(&self, view: TypeId, terms: &[Term], name: &str) -> TokenStream {
        let terms = terms.iter().map(|term| self.term(Access::sure(name), view, term));
        quote!(#(#terms)&&*)
    }

    /// Returns code that tests whether a key of an element has a value.
    fn term(&self, item: Access, view: TypeId, term: &Term) -> TokenStream {
        let key_view = self.cx.reprs.outer_of_field(term.field).1;
        let (key, base) = self.base_of(key_view, self.value_of(item, view, term.field));
        match (&term.value, base) {
            (Literal::String(want), Base::Text) => key.is_and(&|spot| {
                let value = spot.value();
                quote!(#value == *#want)
            }),
            (Literal::String(want), Base::Enum) => key.is_and(&|spot| {
                let value = spot.borrow();
                quote!(Text::text(#value) == #want)
            }),
            (Literal::Int(want), Base::Int) => key.is_and(&|spot| {
                let value = spot.value();
                let want = super::scalar::number(*want);
                quote!(#value == #want)
            }),
            (Literal::Bool(want), Base::Bool) => key.is_and(&|spot| {
                let value = spot.value();
                quote!(#value == #want)
            }),
            _ => quote!(false),
        }
    }
}

/// A closure over the usual four, or the function it would only pass them on to.
fn closure_of(body: &TokenStream) -> TokenStream {
    let text = body.to_string();
    let forwards = quote!((at, new, old, errors)).to_string();
    let function = text.strip_suffix(&forwards).map(str::trim_end);
    if let Some(function) = function.and_then(|path| syn::parse_str::<syn::Path>(path).ok()) {
        return quote!(#function);
    }
    let held = mentions(body, "held").then(|| quote!(let held = old.is_some();));
    let body = if held.is_some() { quote!({ #held #body }) } else { body.clone() };
    closure(&["at", "new", "old", "errors"], &body)
}

/// A field's name as part of a type's name.
fn capital(name: &str) -> String {
    let snake = snake(name);
    let words = snake.split('_').filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}
