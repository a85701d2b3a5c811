//! Checks on one value: whether it is set, its text, its number.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use sprag_checks::format::Format;
use sprag_idl::model::Enum;
use sprag_program::{BoundSide, Check, DefId, EnumRule, HookArg, HookCall, Literal, PatternId, TypeId};
use sprag_tags::types::{DefKind, Type};

use super::{Here, Printer, Test, closure, pattern_name};
use crate::access::Access;
use crate::code::Code;
use crate::names::{ident, snake};
use crate::repr::{Base, Layer};

impl Printer<'_, '_> {
    /// Returns code that tests whether a value counts as set.
    pub(super) fn is_set(&self, ty: TypeId, view: TypeId, access: &Access) -> TokenStream {
        let (access, base) = self.base_of(view, access.clone());
        let there = || access.is_there().unwrap_or_else(|| quote!(true));
        if self.cx.reprs.is_pointer(ty) {
            return there();
        }
        let test = |test: Test<'_>| access.is_and(test);
        match base {
            Base::Text | Base::Bytes | Base::List(_) | Base::Map(..) => test(&|spot| {
                let path = spot.path();
                quote!(!#path.is_empty())
            }),
            Base::Enum => test(&|spot| {
                let value = spot.borrow();
                quote!(!Text::text(#value).is_empty())
            }),
            Base::Int => test(&|spot| {
                let value = spot.value();
                quote!(#value != 0)
            }),
            Base::Float => test(&|spot| {
                let value = spot.value();
                quote!(#value != 0.0)
            }),
            Base::Bool => test(&|spot| spot.value()),
            Base::Struct(_) | Base::Any | Base::Opaque => there(),
        }
    }

    /// Returns code that tests whether a value counts as unset.
    pub(super) fn is_unset(&self, ty: TypeId, view: TypeId, access: &Access) -> TokenStream {
        let (inner, base) = self.base_of(view, access.clone());
        let missing = || inner.is_missing().unwrap_or_else(|| quote!(false));
        if self.cx.reprs.is_pointer(ty) {
            return missing();
        }
        match base {
            Base::Text | Base::Bytes | Base::List(_) | Base::Map(..) => inner.is_none_or(&|spot| {
                let path = spot.path();
                quote!(#path.is_empty())
            }),
            Base::Int => inner.is_none_or(&|spot| {
                let value = spot.value();
                quote!(#value == 0)
            }),
            Base::Struct(_) | Base::Any | Base::Opaque => missing(),
            Base::Enum | Base::Float | Base::Bool => {
                let set = self.is_set(ty, view, access);
                if matches!(inner, Access::Sure(_)) && base == Base::Bool { quote!(!#set) } else { quote!(!(#set)) }
            }
        }
    }

    pub(super) fn required(&self, here: Here) -> Code {
        let set = self.is_set(here.ty, here.view, &here.value());
        Code::Call(quote!(presence::required(at, #set, errors)))
    }

    pub(super) fn forbidden(&self, here: Here) -> Code {
        let set = self.is_set(here.ty, here.view, &here.value());
        Code::Call(quote!(presence::forbidden(at, #set, errors)))
    }

    pub(super) fn feature_gate(&self, here: Here, option: &str) -> Code {
        let set = self.is_set(here.ty, here.view, &here.value());
        let was = self.is_set(here.ty, here.view, &Here::old());
        Code::Call(quote!(presence::feature_gate(at, #set, #was, #option, errors)))
    }

    /// `Option<&T>` of a scalar that shows itself; options inside of newtypes are looked through.
    fn scalar(&self, here: Here, access: Access) -> TokenStream {
        let (layers, _) = self.cx.reprs.inner(here.view);
        if layers.contains(&Layer::Option) { access.through(&layers).optional() } else { access.optional() }
    }

    fn value(&self, here: Here) -> TokenStream {
        self.scalar(here, here.value())
    }

    pub(super) fn text_limit(&self, here: Here, function: &str, limit: u64) -> Code {
        limit_call(function, &self.value(here), limit)
    }

    pub(super) fn count_limit(&self, here: Here, function: &str, limit: u64) -> Code {
        let (access, _) = self.base_of(here.view, here.value());
        let len = access.map_or(&quote!(0), &|spot| {
            let path = spot.path();
            quote!(#path.len())
        });
        limit_call(function, &len, limit)
    }

    pub(super) fn integer_bound(&self, here: Here, side: BoundSide, bound: i128) -> Code {
        let function = bound_function(side);
        let value = self.value(here);
        let bound = number(bound);
        Code::Call(quote!(integer_bounds::#function(at, #value, #bound, errors)))
    }

    /// The comparison with the bound that [`Self::integer_bound_by_field`] has read.
    pub(super) fn integer_bound_of_owner(&self, here: Here, side: BoundSide) -> Code {
        let function = bound_function(side);
        let value = self.value(here);
        Code::Call(quote!(integer_bounds::#function(at, #value, bound, errors)))
    }

    pub(super) fn not_equal(&self, here: Here, literal: &Literal) -> Code {
        let value = self.value(here);
        Code::Call(match literal {
            Literal::String(text) => quote!(scalar::not_equal_text(at, #value, #text, errors)),
            Literal::Int(refused) => {
                let refused = number(*refused);
                quote!(scalar::not_equal_number(at, #value, #refused, errors))
            }
            Literal::Bool(refused) => {
                let (access, _) = self.base_of(here.view, here.value());
                let pair = match access {
                    Access::Sure(spot) => {
                        let value = spot.value();
                        let shown = spot.borrow();
                        quote!(Some((#shown, #value)))
                    }
                    access => {
                        let value = access.optional();
                        quote!(#value.map(|value| (value, *value)))
                    }
                };
                quote!(scalar::not_equal_bool(at, #pair, #refused, errors))
            }
        })
    }

    pub(super) fn format(&self, here: Here, format: Format) -> Code {
        let value = self.value(here);
        let format = ident(&format!("{format:?}"));
        Code::Call(quote!(scalar::format(at, #value, Format::#format, errors)))
    }

    pub(super) fn pattern(&self, here: Here, pattern: PatternId) -> Code {
        let value = self.value(here);
        let pattern = self.cx.plan.pattern(pattern).as_str();
        let mut patterns = self.patterns.borrow_mut();
        let at = patterns.iter().position(|known| known == pattern).unwrap_or_else(|| {
            patterns.push(pattern.to_owned());
            patterns.len() - 1
        });
        let name = pattern_name(at);
        Code::Call(quote!(scalar::pattern(at, #value, &#name, errors)))
    }

    pub(super) fn one_of(&self, here: Here, rule: &EnumRule) -> Code {
        if rule.exclusions.is_empty() && self.admits_only(here.ty, &rule.values) {
            return Code::Nothing;
        }
        let value = self.value(here);
        let values = &rule.values;
        let values = if values.is_empty() { quote!(&[] as &[&str]) } else { quote!(&[#(#values),*]) };
        let exclusions = rule.exclusions.iter().map(|exclusion| {
            let value = &exclusion.value;
            let option = &exclusion.option;
            let when = exclusion.when;
            quote!(Exclusion { value: #value, option: #option, when: #when })
        });
        Code::Call(quote!(scalar::one_of(at, #value, #values, &[#(#exclusions),*], errors)))
    }

    /// True if a type is a Rust enum whose every variant is one of the values: then it holds nothing else.
    fn admits_only(&self, ty: TypeId, values: &[String]) -> bool {
        let universe = self.cx.universe;
        let Type::Def(def) = universe.ty(universe.native(ty).base) else { return false };
        match &universe.def(*def).kind {
            DefKind::Enum(Enum { variants, other }) => {
                other.is_none() && variants.iter().all(|variant| values.contains(&variant.json))
            }
            _ => false,
        }
    }

    pub(super) fn monotonic(&self, here: Here) -> Code {
        let new = self.value(here);
        let old = self.scalar(here, Here::old());
        Code::Call(quote!(scalar::monotonic(at, #new, #old, errors)))
    }

    pub(super) fn always_fails(&self, here: Here, message: &str) -> Code {
        let (access, base) = self.base_of(here.view, here.value());
        let collection = matches!(base, Base::List(_) | Base::Map(..) | Base::Bytes);
        let shown = match (here.value(), access) {
            // An empty list is shown like one that was never set: a vector cannot tell them apart.
            (Access::Sure(whole), Access::Sure(inner)) if collection => {
                let whole = whole.borrow();
                let inner = inner.path().clone();
                quote!(&(!#inner.is_empty()).then_some(#whole))
            }
            (Access::Sure(whole), _) => whole.borrow(),
            (access, _) => {
                let access = access.optional();
                quote!(&#access)
            }
        };
        Code::Call(quote!(scalar::always_fails(at, show_json(#shown), #message, errors)))
    }

    pub(super) fn hook(&self, here: Here, call: &HookCall) -> Code {
        let new = here.value().optional();
        let hooks = &self.cx.hooks;
        let name = &call.name;
        let function = if name.contains("::") {
            match syn::parse_str::<syn::Path>(name) {
                Ok(path) => quote!(#path),
                Err(error) => {
                    self.cx.refuse(format!("function {name:?}: {error}"));
                    return Code::Nothing;
                }
            }
        } else {
            let name = ident(&snake(name));
            quote!(#hooks::#name)
        };
        let args = call.args.iter().map(hook_arg);
        Code::Call(quote!(#function(at, #new, old, #(#args,)* errors)))
    }

    /// The validator of a declared type.
    pub(super) fn call(&self, here: Here, def: DefId) -> Code {
        let Some(layers) = self.cx.reprs.down_to(here.view, def) else {
            self.cx.refuse(format!(
                "{} is not a {}",
                self.cx.universe.type_name(here.ty),
                self.cx.universe.def_name(def)
            ));
            return Code::Nothing;
        };
        let new = here.value().through(&layers);
        let old = Here::old().through(&layers).optional();
        let function = self.function_path(def, &quote::format_ident!("{}", self.cx.function(def)));
        if let Access::Sure(spot) = &new {
            let new = spot.borrow();
            return Code::Call(quote!(#function(at, #new, #old, errors)));
        }
        let new = new.optional();
        if !self.cx.plan.of(def).is_some_and(super::across::is_judged_when_missing) {
            let call = Code::Call(quote!(#function(at, new, #old, errors)));
            return optional_call(&new, &call);
        }
        self.cx.called_without.borrow_mut().insert(def);
        let missing = self.function_path(def, &self.cx.nil_function(def));
        Code::Call(quote! {
            match #new {
                Some(new) => #function(at, new, #old, errors),
                None => #missing(at, #old, errors),
            }
        })
    }

    fn function_path(&self, def: DefId, name: &proc_macro2::Ident) -> TokenStream {
        let package = self.cx.package(def);
        if package == self.package {
            return quote!(#name);
        }
        let module = self.module(package);
        quote!(#module::validation::#name)
    }

    pub(super) fn if_option(&self, here: Here, option: &str, enabled: bool, check: &Check) -> Code {
        let then = closure(&["errors"], &self.check(here, check).expression());
        Code::Call(quote!(scalar::if_option(at, #option, #enabled, errors, #then)))
    }

    pub(super) fn if_subresource(&self, here: Here, path: &str, matches: bool, check: &Check) -> Code {
        let condition =
            if matches { quote!(at.request.subresource == #path) } else { quote!(at.request.subresource != #path) };
        self.guarded(here, &condition, check)
    }

    /// A check that runs when a condition holds.
    pub(super) fn guarded(&self, here: Here, condition: &TokenStream, check: &Check) -> Code {
        match self.check(here, check) {
            Code::Nothing => Code::Nothing,
            Code::Test(test) => Code::Test(quote!(#condition && #test)),
            code => Code::Guard(condition.clone(), Box::new(code)),
        }
    }
}

/// A call for a value that may be missing.
fn optional_call(new: &TokenStream, call: &Code) -> Code {
    let label = syn::Lifetime::new("'missing", proc_macro2::Span::call_site());
    let unwrap = crate::code::BlockStep::Match(quote!(Some(new)), new.clone());
    Code::Block(label, vec![unwrap], Box::new(call.clone()))
}

fn limit_call(function: &str, value: &TokenStream, limit: u64) -> Code {
    let function = ident(function);
    let limit = Token::u64_unsuffixed(limit);
    Code::Call(quote!(size_limits::#function(at, #value, #limit, errors)))
}

pub(crate) fn bound_function(side: BoundSide) -> proc_macro2::Ident {
    ident(match side {
        BoundSide::Minimum => "minimum",
        BoundSide::Maximum => "maximum",
        BoundSide::ExclusiveMinimum => "exclusive_minimum",
        BoundSide::ExclusiveMaximum => "exclusive_maximum",
    })
}

/// A value that a tag passes to a hand-written check.
pub(crate) fn hook_arg(arg: &HookArg) -> TokenStream {
    let value = |literal: &Literal| match literal {
        Literal::String(text) => quote!(#text),
        Literal::Int(value) => number(*value),
        Literal::Bool(value) => quote!(#value),
    };
    match arg {
        HookArg::Required(literal) => value(literal),
        HookArg::Optional(None) => quote!(None),
        HookArg::Optional(Some(literal)) => {
            let value = value(literal);
            quote!(Some(#value))
        }
    }
}

/// An integer literal, negative ones included.
pub(crate) fn number(number: i128) -> TokenStream {
    let digits = Token::u128_unsuffixed(number.unsigned_abs());
    if number < 0 { quote!(-#digits) } else { quote!(#digits) }
}
