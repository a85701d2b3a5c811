//! Validators: one function per type, in the order of the plan.
//!
//! Inside a validator four names are always what they say: `at`, `new`, `old` and `errors`. `new` is `&T` where a
//! value is sure to be there and `Option<&T>` otherwise; `old` is `Option<&T>`.

mod across;
mod cohort;
mod collection;
mod scalar;
mod update;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use sprag_field::Stage;
use sprag_program::{Check, DefId, FieldPlan, FieldRef, PathStep, Rule, TypeId, TypePlan};
use syn::Lifetime;

use self::cohort::Checks;
pub(crate) use self::scalar::{bound_function, hook_arg, number};
use crate::access::{Access, Spot, mentions, mentions_path};
use crate::code::{BlockStep, Code, block};
use crate::cx::{Cx, type_ident};
use crate::names::{RESERVED_TYPES, ident};
use crate::repr::Base;

/// Prints the validators of one package.
pub(crate) struct Printer<'c, 'a> {
    pub(crate) cx: &'c Cx<'a>,
    pub(crate) package: usize,
    /// Own types that are imported by name.
    types: RefCell<BTreeSet<String>>,
    /// Other modules that are imported by name.
    modules: RefCell<BTreeSet<String>>,
    /// Names and definitions of list identities.
    identities: RefCell<BTreeMap<String, TokenStream>>,
    patterns: RefCell<Vec<String>>,
}

/// A place in a validator.
#[derive(Clone, Copy)]
struct Here {
    /// The type of the value, with all that is around it.
    ty: TypeId,
    /// The type that `new` and `old` refer to.
    view: TypeId,
    /// True if `new` is `&T`.
    sure: bool,
}

impl Here {
    /// The new value.
    fn value(&self) -> Access {
        if self.sure { Access::sure("new") } else { Access::maybe("new") }
    }

    /// The old value.
    fn old() -> Access {
        Access::maybe("old")
    }
}

impl<'c, 'a> Printer<'c, 'a> {
    pub(crate) fn new(cx: &'c Cx<'a>, package: usize) -> Self {
        Printer {
            cx,
            package,
            types: RefCell::default(),
            modules: RefCell::default(),
            identities: RefCell::default(),
            patterns: RefCell::default(),
        }
    }

    /// The validators of all types of the package that have one.
    pub(crate) fn functions(&self) -> Vec<TokenStream> {
        let defs = self.cx.universe.defs().filter(|(_, def)| def.package == self.package);
        defs.filter_map(|(id, _)| Some(self.function(id, self.cx.plan.of(id)?))).collect()
    }

    fn function(&self, def: DefId, plan: &TypePlan) -> TokenStream {
        let here = Here { ty: self.type_of(def), view: self.type_of(def), sure: true };
        let name = self.cx.function(def);
        let ty = self.type_path(def);
        let fields: Vec<TokenStream> = plan.fields.iter().map(|field| self.field(here, field)).collect();
        let whole = self.whole(here, plan);
        let body = quote!(#whole #(#fields)*);
        let doc = format!(" Checks a [`{}`].", self.cx.universe.def(def).name);
        let at = used(&body, "at");
        let new = used(&body, "new");
        let old = used(&body, "old");
        quote! {
            #[doc = #doc]
            pub fn #name(#at: &At<'_>, #new: &#ty, #old: Option<&#ty>, errors: &mut Errors) -> bool {
                let mark = errors.len();
                #body
                errors.len() > mark
            }
        }
    }

    /// The same for a value that is missing: only what is judged on the value as a whole.
    pub(crate) fn function_for_missing(&self, def: DefId) -> TokenStream {
        let Some(plan) = self.cx.plan.of(def) else { return TokenStream::new() };
        let here = Here { ty: self.type_of(def), view: self.type_of(def), sure: false };
        let name = self.cx.nil_function(def);
        let ty = self.type_path(def);
        let body = self.whole(here, plan);
        let at = used(&body, "at");
        let old = used(&body, "old");
        let new = mentions(&body, "new").then(|| quote!(let new: Option<&#ty> = None;));
        let doc = format!(" Checks a [`{}`] that is missing.", self.cx.universe.def(def).name);
        quote! {
            #[doc = #doc]
            pub fn #name(#at: &At<'_>, #old: Option<&#ty>, errors: &mut Errors) -> bool {
                let mark = errors.len();
                #new
                #body
                errors.len() > mark
            }
        }
    }

    /// Checks on a value as a whole, and the descent into its keys and elements.
    fn whole(&self, here: Here, plan: &TypePlan) -> TokenStream {
        let end = quote!(return errors.len() > mark;);
        let cohorts = &plan.cohorts;
        let descend = &plan.descend;
        let followed = here.sure && !plan.fields.is_empty();
        let body = self.checks(here, &Checks { cohorts, descend, followed, end });
        let held = mentions(&body, "held").then(|| quote!(let held = old.is_some();));
        quote!(#held #body)
    }

    fn type_of(&self, def: DefId) -> TypeId {
        self.cx.universe.type_of_def(def).expect("every definition has a type")
    }

    /// One field: the ratchet, then its checks, then what is below it.
    fn field(&self, parent: Here, plan: &FieldPlan) -> TokenStream {
        let label = self.label(plan.field);
        let (layers, view) = self.cx.reprs.outer_of_field(plan.field);
        let sure = layers.iter().all(|layer| *layer == crate::repr::Layer::Box);
        let here = Here { ty: plan.ty, view, sure };
        let end = quote!(break #label;);
        let cohorts = &plan.cohorts;
        let descend = &plan.descend;
        let body = self.checks(here, &Checks { cohorts, descend, followed: false, end: end.clone() });
        if body.is_empty() {
            return body;
        }
        let ratchet = BlockStep::EndIf(self.unchanged(parent, plan.field)).code(&end);
        let at = match &plan.step {
            PathStep::Child(name) => quote!(at.child(#name)),
            PathStep::Inline(name) => quote!(at.inline(#name)),
        };
        let bindings = self.bind_field(parent, plan.field, &at, &body);
        block(&label, &quote!(#ratchet #bindings #body))
    }

    /// Returns code that tests for an update that leaves a field as it was.
    fn unchanged(&self, parent: Here, field: FieldRef) -> TokenStream {
        let ty = self.cx.universe.field(field).ty;
        let new = self.field_of(parent.value(), parent.view, field);
        let old = self.field_of(Access::sure("old"), parent.view, field);
        let same = self.cx.same(ty, &new, &old);
        quote!(at.before(old).is_some_and(|old| #same))
    }

    /// The place of a field, with all layers around its value.
    fn field_of(&self, parent: Access, view: TypeId, field: FieldRef) -> Access {
        let (layers, _) = self.cx.reprs.inner(view);
        parent.through(&layers).field(&self.cx.field_name(field))
    }

    /// The value of a field.
    fn value_of(&self, parent: Access, view: TypeId, field: FieldRef) -> Access {
        let (layers, _) = self.cx.reprs.outer_of_field(field);
        self.field_of(parent, view, field).through(&layers)
    }

    /// Steps from a struct to one of its fields, as far as the code after them needs.
    fn bind_field(&self, parent: Here, field: FieldRef, at: &TokenStream, body: &TokenStream) -> TokenStream {
        let at = mentions(body, "at").then(|| quote!(let at = &#at;));
        let held = mentions(body, "held").then(|| quote!(let held = old.is_some();));
        let new = mentions(body, "new").then(|| {
            let (new, _) = self.value_of(parent.value(), parent.view, field).bind();
            quote!(let new = #new;)
        });
        let old = mentions(body, "old").then(|| {
            let old = self.value_of(Here::old(), parent.view, field).optional();
            quote!(let old = #old;)
        });
        quote!(#at #held #new #old)
    }

    fn label(&self, field: FieldRef) -> Lifetime {
        let name = self.cx.field_name(field).to_string();
        let name = name.strip_prefix("r#").map_or(name.clone(), |keyword| format!("{keyword}_"));
        Lifetime::new(&format!("'{name}"), Span::call_site())
    }

    /// A check with its stage or warning.
    fn check(&self, here: Here, check: &Check) -> Code {
        match (check.stage, self.warned(here, check)) {
            (_, Code::Nothing) => Code::Nothing,
            (Stage::Stable, code) => marked(check, code),
            (stage, Code::Test(test)) => enforced_test(stage, &test),
            (stage, code) => marked(check, staged(stage, &code)),
        }
    }

    /// The same for a check that stops others.
    fn stopping_check(&self, here: Here, check: &Check) -> Code {
        match (check.stage, self.warned(here, check)) {
            (_, Code::Nothing) => Code::Nothing,
            (Stage::Stable, code) => marked(check, code),
            (stage, code) => marked(check, staged_stop(stage, &code)),
        }
    }

    /// A check without its stage.
    fn warned(&self, here: Here, check: &Check) -> Code {
        match (&check.warning, self.rule(here, &check.rule)) {
            (None, code) => code,
            (Some(_), Code::Nothing | Code::Test(_)) => Code::Nothing,
            (Some(warning), code) => {
                let expression = code.expression();
                let message = warning.message.as_ref().map_or(quote!(None), |message| quote!(Some(#message)));
                Code::Call(quote!(flow::warning(errors, #message, |errors| #expression)))
            }
        }
    }

    fn rule(&self, here: Here, rule: &Rule) -> Code {
        match rule {
            Rule::Required => self.required(here),
            Rule::Optional => Code::Test(self.is_unset(here.ty, here.view, &here.value())),
            Rule::Forbidden => self.forbidden(here),
            Rule::FeatureGate(option) => self.feature_gate(here, option),
            Rule::MinLength(min) => self.text_limit(here, "min_length", *min),
            Rule::MaxLength(max) => self.text_limit(here, "max_length", *max),
            Rule::MaxBytes(max) => self.text_limit(here, "max_bytes", *max),
            Rule::MinItems(min) => self.count_limit(here, "min_items", *min),
            Rule::MaxItems(max) => self.count_limit(here, "max_items", *max),
            Rule::MinProperties(min) => self.count_limit(here, "min_properties", *min),
            Rule::MaxProperties(max) => self.count_limit(here, "max_properties", *max),
            Rule::IntegerBound(side, bound) => self.integer_bound(here, *side, *bound),
            Rule::IntegerBoundByField(rule) => self.integer_bound_by_field(here, rule),
            Rule::IntegerBoundOfOwner(side) => self.integer_bound_of_owner(here, *side),
            Rule::NotEqual(literal) => self.not_equal(here, literal),
            Rule::Format(format) => self.format(here, *format),
            Rule::Pattern(pattern) => self.pattern(here, *pattern),
            Rule::Enum(rule) => self.one_of(here, rule),
            Rule::Immutable => Code::Call(quote!(update::immutable(at, errors))),
            Rule::Monotonic => self.monotonic(here),
            Rule::Update(rule) => self.update(here, rule),
            Rule::Unique(identity) => self.unique(here, identity),
            Rule::NoNilElements => self.no_nil_elements(here),
            Rule::Fixed { passes: true, .. } => Code::Nothing,
            Rule::Fixed { message, .. } => self.always_fails(here, message),
            Rule::Custom(call) => self.hook(here, call),
            Rule::Type(def) => self.call(here, *def),
            Rule::EachKey(check) => self.each_key(here, check),
            Rule::EachVal(identity, check) => self.each_val(here, identity.as_ref(), check),
            Rule::Item(terms, check) => self.item(here, terms, check),
            Rule::ItemKept(terms) => self.item_kept(here, terms),
            Rule::Subfield(field, check) => self.subfield(here, *field, check),
            Rule::IfOption { option, enabled, check } => self.if_option(here, option, *enabled, check),
            Rule::IfSet(check) => {
                let is_unset = self.is_unset(here.ty, here.view, &here.value());
                self.guarded(here, &quote!(!(#is_unset)), check)
            }
            Rule::IfFeature { gate, check } => self.guarded(here, &quote!(presence::is_on(at, #gate)), check),
            Rule::IfSubresource { path, matches, check } => self.if_subresource(here, path, *matches, check),
            Rule::Union(rule) => self.union(here, rule),
            Rule::Mode(rule) => self.mode(here, rule),
            Rule::Dependent(rule) => self.dependent(here, rule),
        }
    }

    /// The value inside all layers.
    fn base_of(&self, view: TypeId, access: Access) -> (Access, Base) {
        let (layers, base) = self.cx.reprs.inner(view);
        (access.through(&layers), self.cx.reprs.base(base))
    }

    /// The path of a type, imported where its name is free.
    fn type_path(&self, def: DefId) -> TokenStream {
        let package = self.cx.package(def);
        let name = &self.cx.universe.def(def).name;
        if package == self.package {
            if RESERVED_TYPES.contains(&name.as_str()) {
                return self.cx.type_path(def, self.package, 1);
            }
            self.types.borrow_mut().insert(name.clone());
            let name = type_ident(name);
            return quote!(#name);
        }
        if self.cx.rust_path(package).is_some() {
            return self.cx.type_path(def, self.package, 1);
        }
        let module = self.module(package);
        let name = type_ident(name);
        quote!(#module::#name)
    }

    fn module(&self, package: usize) -> Ident {
        let name = &self.cx.modules[package];
        self.modules.borrow_mut().insert(name.clone());
        ident(name)
    }

    /// The imports, regular expressions and list identities that the functions refer to.
    pub(crate) fn preamble(&self, functions: &[TokenStream]) -> Vec<TokenStream> {
        let mut items: Vec<TokenStream> = self.pattern_items();
        items.extend(self.identities.borrow().values().cloned());
        items.insert(0, self.imports(&quote!(#(#functions)* #(#items)*)));
        items
    }

    fn pattern_items(&self) -> Vec<TokenStream> {
        let patterns = self.patterns.borrow();
        let statics = patterns.iter().enumerate().map(|(at, pattern)| {
            let name = pattern_name(at);
            quote! {
                static #name: LazyLock<Regexp> =
                    LazyLock::new(|| Regexp::new(#pattern).expect("checked when this was generated"));
            }
        });
        statics.collect()
    }

    fn imports(&self, body: &TokenStream) -> TokenStream {
        let runtime = &self.cx.runtime;
        let items = ITEMS.iter().filter(|name| mentions(body, name));
        let names = items.chain(MODULES.iter().filter(|name| mentions_path(body, name))).map(|name| ident(name));
        let mut uses = TokenStream::new();
        if mentions(body, "LazyLock") {
            uses.extend(quote!(
                use std::sync::LazyLock;
            ));
        }
        uses.extend(quote!(use #runtime::{#(#names),*};));
        for (module, item) in INNER_ITEMS.iter().filter(|(_, item)| mentions(body, item)) {
            let module = ident(module);
            let item = ident(item);
            uses.extend(quote!(use #runtime::#module::#item;));
        }
        let types: Vec<Ident> = self.types.borrow().iter().map(|name| type_ident(name)).collect();
        if !types.is_empty() {
            let path = self.cx.rust_path(self.package).map_or(quote!(super), |path| quote!(#path));
            uses.extend(quote!(use #path::{#(#types),*};));
        }
        let modules: Vec<Ident> = self.modules.borrow().iter().map(|name| ident(name)).collect();
        if !modules.is_empty() {
            uses.extend(quote!(use super::super::{#(#modules),*};));
        }
        uses
    }
}

/// The items of the run-time crate that validators use.
const ITEMS: &[&str] = &["At", "Errors", "Integer", "KeyHasher", "Regexp", "Same", "Stage", "Text", "show_json"];

/// Modules of the run-time crate that validators use.
const MODULES: &[&str] =
    &["flow", "integer_bounds", "list", "map", "presence", "same", "scalar", "size_limits", "union", "update"];

/// Items of those modules that validators use by their own name.
const INNER_ITEMS: &[(&str, &str)] =
    &[("format", "Format"), ("scalar", "Exclusion"), ("union", "Discriminator"), ("update", "Constraint")];

fn pattern_name(at: usize) -> Ident {
    ident(&format!("PATTERN_{}", at + 1))
}

/// A check whose errors carry a stage.
fn staged(stage: Stage, code: &Code) -> Code {
    let stage = stage_name(stage);
    let expression = code.expression();
    Code::Call(quote!(flow::staged(at, errors, #stage, |errors| #expression)))
}

/// A check that stops others and whose errors carry a stage.
fn staged_stop(stage: Stage, code: &Code) -> Code {
    let stage = stage_name(stage);
    let expression = code.expression();
    let errors = if matches!(code, Code::Test(_)) { quote!(_) } else { quote!(errors) };
    Code::Call(quote!(flow::staged_stop(at, errors, #stage, |#errors| #expression)))
}

/// A silent stop of a stage, which stops only while that is enforced.
fn enforced_test(stage: Stage, test: &TokenStream) -> Code {
    if stage == Stage::Alpha {
        return Code::Nothing;
    }
    let stage = stage_name(stage);
    Code::Test(quote!(at.request.enforces(#stage) && #test))
}

fn stage_name(stage: Stage) -> TokenStream {
    let stage = ident(&format!("{stage:?}"));
    quote!(Stage::#stage)
}

/// A check whose errors are marked as native if the plan says so.
fn marked(check: &Check, code: Code) -> Code {
    match code {
        code if !check.native || matches!(code, Code::Test(_)) => code,
        code => {
            let expression = code.expression();
            Code::Call(quote!(flow::native(errors, |errors| #expression)))
        }
    }
}

/// A parameter's name, or `_` where the body does not use it.
fn used(body: &TokenStream, name: &str) -> TokenStream {
    let name = ident(if mentions(body, name) { name } else { return quote!(_) });
    quote!(#name)
}

/// A closure over the four names; those that are not used are left out.
fn closure(names: &[&str], body: &TokenStream) -> TokenStream {
    let names = names.iter().map(|name| used(body, name));
    quote!(|#(#names),*| #body)
}

/// A value by its spot, as a test needs it.
type Test<'t> = &'t dyn Fn(&Spot) -> TokenStream;
