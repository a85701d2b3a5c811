//! Methods of views that judge a value by its declared rules, where hand-written code calls them.
//!
//! Inside of a method three names are always what they say: `self`, `at` (the place of the value) and `errors`. Values are judged
//! as new ones: a rule that compares with the old object is not printed.

use std::collections::BTreeSet;

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use sprag_field::Stage;
use sprag_idl::Finding;
use sprag_program::{
    Check, Cohort, DefId, EnumRule, FieldPlan, FieldRef, HookCall, Identity, PathStep, Rule, TypeId, TypePlan,
};
use sprag_release::Releases;
use sprag_shape::Kind;
use sprag_tags::releases_of;
use sprag_tags::types::Type;

use super::ViewPrinter;
use crate::names::{ident, snake};
use crate::validator::{bound_function, hook_arg, number};

/// A value under check.
struct Here {
    ty: TypeId,
    /// An expression of its type in views; an `Option` of it where the value is a pointer.
    value: TokenStream,
    is_pointer: bool,
}

impl Here {
    /// The value as an optional number.
    fn number(&self) -> TokenStream {
        let value = &self.value;
        if self.is_pointer { quote!(#value.as_ref()) } else { quote!(Some(&#value)) }
    }

    /// A call of a function that a tag names, with the value and the arguments of the tag.
    fn hook(&self, call: &HookCall) -> Result<TokenStream, Refused> {
        let function: syn::Path =
            syn::parse_str(&call.name).map_err(|error| format!("call of {:?}: {error}", call.name))?;
        let args = call.args.iter().map(hook_arg);
        let value = &self.value;
        Ok(quote!(#function(at, #value, #(#args,)* errors)))
    }
}

/// What views cannot print.
type Refused = String;

/// A check that is printed.
enum Run {
    /// An expression that tells if it found anything.
    Always(TokenStream),
    /// The same about `value`, if a pointer is set.
    IfSet(TokenStream, TokenStream),
}

impl Run {
    fn expression(&self) -> TokenStream {
        match self {
            Run::Always(run) => run.clone(),
            Run::IfSet(pointer, run) => quote!(#pointer.is_some_and(|value| #run)),
        }
    }

    fn statement(&self) -> TokenStream {
        match self {
            Run::Always(run) => quote!(#run;),
            Run::IfSet(pointer, run) => quote! {
                if let Some(value) = #pointer {
                    #run;
                }
            },
        }
    }
}

fn refusal(place: &str, what: &str) -> String {
    format!("{place}: +sprag:called: views print no {what}")
}

/// The name of the variant.
fn form(rule: &Rule) -> String {
    let text = format!("{rule:?}");
    text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// The name of a rule in those of methods: that of its tag.
fn rule_name(rule: &Rule) -> String {
    match rule {
        Rule::Custom(call) => call.name.rsplit("::").next().unwrap_or_default().to_owned(),
        Rule::IntegerBound(side, _) => side.name().to_owned(),
        rule => snake(&form(rule)),
    }
}

fn expressions(checks: &[Run]) -> TokenStream {
    let checks = checks.iter().map(Run::expression);
    quote!(#(#checks)|*)
}

fn statements(checks: &[Run]) -> TokenStream {
    checks.iter().map(Run::statement).collect()
}

impl ViewPrinter<'_> {
    /// A method that judges all of a type: the value as a whole, then its fields in their order.
    pub(super) fn check_of_type(
        &self,
        def: DefId,
        plan: &TypePlan,
        is_below: bool,
    ) -> Result<TokenStream, Vec<Finding>> {
        let runtime = &self.runtime;
        let ty = self.universe.type_of_def(def).expect("every definition has a type");
        let here = Here { ty, value: quote!(self), is_pointer: false };
        let whole = self.cohorts(&here, &plan.cohorts, true).map_err(|what| {
            vec![Finding::error(self.universe.def(def).span, refusal(&self.universe.def_name(def), &what))]
        })?;
        let mut names = Vec::new();
        let mut methods = Vec::new();
        for field in plan.fields.iter().filter(|field| field.called) {
            let method = self.check_of_field(field, &quote!())?;
            if !method.is_empty() {
                names.push(self.method_of(field));
                methods.push(method);
            }
        }
        let allowed = is_below.then(|| quote!(#[allow(dead_code, reason = "called below a field")]));
        Ok(quote! {
            /// Judges the value by its declared rules; returns whether they found anything.
            #allowed
            pub(crate) fn check(self, at: &#runtime::At<'_>, errors: &mut #runtime::Errors) -> bool {
                let mark = errors.len();
                #whole
                #(self.#names(at, errors);)*
                errors.called_since(mark)
            }
            #(#methods)*
        })
    }

    /// A method that judges a field; nothing if no rule is left to print.
    pub(super) fn check_of_field(
        &self,
        plan: &FieldPlan,
        visibility: &TokenStream,
    ) -> Result<TokenStream, Vec<Finding>> {
        let field = &self.universe.field(plan.field).field;
        let body = self.body_of_field(plan).map_err(|what| {
            let place = format!("{}.{}", self.universe.def_name(plan.field.def), field.name);
            vec![Finding::error(field.span, refusal(&place, &what))]
        })?;
        if body.is_empty() {
            return Ok(body);
        }
        let runtime = &self.runtime;
        let releases = releases_of(&field.tags);
        let body = if releases.is_all() {
            body
        } else {
            let releases = Token::u8_unsuffixed(releases.bits());
            quote! {
                if !#runtime::flow::holds_in(#releases, errors) {
                    return false;
                }
                #body
            }
        };
        let name = snake(&field.name);
        let step = Self::step_of(plan);
        let doc = format!(" Judges `{name}` by its declared rules; returns whether they found anything.");
        let method = self.method_of(plan);
        Ok(quote! {
            #[doc = #doc]
            #visibility fn #method(self, at: &#runtime::At<'_>, errors: &mut #runtime::Errors) -> bool {
                let mark = errors.len();
                let at = &#step;
                #body
                errors.called_since(mark)
            }
        })
    }

    /// A method for each rule that is called by itself, named after field and rule.
    pub(super) fn single_calls(&self, plan: &TypePlan) -> Result<TokenStream, Vec<Finding>> {
        let mut names = BTreeSet::new();
        let mut methods = TokenStream::new();
        for (field, check) in plan.fields.iter().flat_map(|field| field.calls.iter().map(move |check| (field, check))) {
            let known = &self.universe.field(field.field).field;
            let refused = |what: &str| {
                let place = format!("{}.{}", self.universe.def_name(field.field.def), known.name);
                vec![Finding::error(known.span, refusal(&place, what))]
            };
            let name = format!("{}_{}", self.method_of(field), rule_name(&check.rule));
            if !names.insert(name.clone()) {
                return Err(refused("two rules of one kind that are called one by one"));
            }
            let here = self.member(&quote!(self), field.field);
            let run = self.check(&here, check).map_err(|what| refused(&what))?;
            let run = run.map(|run| run.statement());
            let mut walked = field.cohorts.iter().flat_map(|cohort| &cohort.checks);
            let is_covered = walked.any(|walked| rule_name(&walked.rule) == rule_name(&check.rule));
            let end = if is_covered { quote!(called_and_covered_since) } else { quote!(called_since) };
            let step = Self::step_of(field);
            let method = ident(&name);
            let doc = format!(
                " Judges `{}` by one of its declared rules; returns whether it found anything.",
                snake(&known.name)
            );
            let runtime = &self.runtime;
            methods.extend(quote! {
                #[doc = #doc]
                pub(crate) fn #method(self, at: &#runtime::At<'_>, errors: &mut #runtime::Errors) -> bool {
                    let mark = errors.len();
                    let at = &#step;
                    #run
                    errors.#end(mark)
                }
            });
        }
        Ok(methods)
    }

    /// Statements that judge a field.
    fn body_of_field(&self, plan: &FieldPlan) -> Result<TokenStream, Refused> {
        let here = self.member(&quote!(self), plan.field);
        let below = statements(&self.all(&here, &plan.descend)?);
        let cohorts = self.cohorts(&here, &plan.cohorts, !below.is_empty())?;
        Ok(quote!(#cohorts #below))
    }

    /// The place of a field below that of its value.
    pub(super) fn step_of(plan: &FieldPlan) -> TokenStream {
        match &plan.step {
            PathStep::Child(name) => quote!(at.child(#name)),
            PathStep::Inline(name) => quote!(at.inline(#name)),
        }
    }

    fn method_of(&self, plan: &FieldPlan) -> proc_macro2::Ident {
        ident(&format!("check_{}", snake(&self.universe.field(plan.field).field.name)))
    }

    /// A field of a value.
    fn member(&self, parent: &TokenStream, field: FieldRef) -> Here {
        let known = self.universe.field(field);
        let getter = ident(&snake(&known.field.name));
        let is_pointer = self.table.type_ref(self.universe, known.ty).nullable;
        Here { ty: known.ty, value: quote!(#parent.#getter()), is_pointer }
    }

    /// Statements that run groups of checks; a stop of the default one ends the method, if more is to come.
    fn cohorts(&self, here: &Here, cohorts: &[Cohort], is_followed: bool) -> Result<TokenStream, Refused> {
        let is_followed = is_followed || cohorts.len() > 1;
        let cohorts = cohorts.iter().map(|cohort| {
            let (stops, rest) = cohort.checks.split_at(cohort.stops);
            let stops = self.all(here, stops)?;
            let rest = self.all(here, rest)?;
            let stop = expressions(&stops);
            let rest = statements(&rest);
            let ends_field = cohort.name.is_empty() && is_followed;
            Ok(if stops.is_empty() {
                rest
            } else if rest.is_empty() && !ends_field {
                statements(&stops)
            } else if ends_field {
                quote! {
                    if #stop {
                        return errors.called_since(mark);
                    }
                    #rest
                }
            } else {
                quote! {
                    let is_stopped = #stop;
                    if !is_stopped {
                        #rest
                    }
                }
            })
        });
        cohorts.collect()
    }

    fn all(&self, here: &Here, checks: &[Check]) -> Result<Vec<Run>, Refused> {
        let printed = checks.iter().map(|check| self.check(here, check));
        printed.filter_map(Result::transpose).collect()
    }

    /// A check; nothing where it never finds anything.
    fn check(&self, here: &Here, check: &Check) -> Result<Option<Run>, Refused> {
        let runtime = &self.runtime;
        let Some(run) = self.rule(here, &check.rule)? else { return Ok(None) };
        if check.warning.is_some() || check.native {
            return Err("warnings and rules that are native".to_owned());
        }
        let is_test = matches!(check.rule, Rule::Optional);
        if check.non_error && !is_test {
            return Err("rules without errors but +k8s:optional".to_owned());
        }
        if !check.releases.is_all() {
            let releases = Token::u8_unsuffixed(check.releases.bits());
            let inner = Check { releases: Releases::ALL, ..check.clone() };
            let run = self.check(here, &inner)?.map(|run| run.expression());
            return Ok(
                run.map(|run| Run::Always(quote!(#runtime::flow::in_releases(#releases, errors, |errors| #run))))
            );
        }
        let staged = if check.short_circuit { quote!(staged_stop) } else { quote!(staged) };
        let stage = match check.stage {
            Stage::Stable => return Ok(Some(run)),
            Stage::Beta => quote!(Beta),
            Stage::Alpha => quote!(Alpha),
        };
        let run = run.expression();
        let errors = if is_test { quote!(_) } else { quote!(errors) };
        Ok(Some(Run::Always(quote!(#runtime::flow::#staged(at, errors, #runtime::Stage::#stage, |#errors| #run)))))
    }

    fn rule(&self, here: &Here, rule: &Rule) -> Result<Option<Run>, Refused> {
        let runtime = &self.runtime;
        let value = &here.value;
        let limit = |function: &str, value: TokenStream, limit: u64| {
            let function = ident(function);
            let limit = Token::u64_unsuffixed(limit);
            quote!(#runtime::size_limits::#function(at, #value, #limit, errors))
        };
        Ok(Some(Run::Always(match rule {
            Rule::Required => {
                let is_set = self.is_set(value);
                quote!(#runtime::presence::required(at, #is_set, errors))
            }
            Rule::Optional => {
                let is_set = self.is_set(value);
                quote!(!#is_set)
            }
            Rule::MinLength(min) => limit("min_length", self.text(here), *min),
            Rule::MaxLength(max) => limit("max_length", self.text(here), *max),
            Rule::MaxBytes(max) => limit("max_bytes", self.text(here), *max),
            Rule::MinItems(min) => limit("min_items", quote!(#value.len()), *min),
            Rule::MaxItems(max) => limit("max_items", quote!(#value.len()), *max),
            Rule::IntegerBound(side, bound) => {
                let function = bound_function(*side);
                let value = here.number();
                let bound = number(*bound);
                quote!(#runtime::integer_bounds::#function(at, #value, #bound, errors))
            }
            Rule::Format(format) => {
                let text = self.text(here);
                let format = ident(&format!("{format:?}"));
                quote!(#runtime::scalar::format(at, #text, #runtime::format::Format::#format, errors))
            }
            Rule::Enum(EnumRule { values, exclusions }) if exclusions.is_empty() => {
                let text = self.text(here);
                quote!(#runtime::scalar::one_of(at, #text, &[#(#values),*], &[], errors))
            }
            Rule::Unique(Identity::Value) => {
                let values = &self.value;
                quote!(#runtime::list::unique(at, #value.values(), #values::Value::as_str, &#runtime::list::ByValue, errors))
            }
            Rule::Custom(call) => here.hook(call)?,
            Rule::Type(def) => return self.below(here, *def),
            Rule::EachVal(None | Some(Identity::Value), check) => return self.each_val(here, check),
            Rule::Subfield(field, check) => return self.subfield(here, *field, check),
            rule => return Err(format!("rules of the form {}", form(rule))),
        })))
    }

    /// An expression that tells if a value counts as set.
    fn is_set(&self, value: &TokenStream) -> TokenStream {
        let values = &self.value;
        quote!(#values::view::View::is_set(&#value))
    }

    /// The value as an optional text.
    fn text(&self, here: &Here) -> TokenStream {
        let runtime = &self.runtime;
        let value = &here.value;
        let is_named = self.is_named(here.ty);
        match (is_named, here.is_pointer) {
            (false, false) => quote!(Some(#value)),
            (false, true) => value.clone(),
            (true, false) => quote!(Some(&#runtime::NamedText(#value))),
            (true, true) => quote!(#value.map(#runtime::NamedText).as_ref()),
        }
    }

    /// True for a string type that has a name, whose values errors show as JSON.
    pub(super) fn is_named(&self, mut ty: TypeId) -> bool {
        loop {
            match self.universe.ty(ty) {
                Type::Builtin(_) => return false,
                Type::Pointer(inner) | Type::Boxed(inner) => ty = *inner,
                _ => return true,
            }
        }
    }

    /// What is below a value of a declared type.
    fn below(&self, here: &Here, def: DefId) -> Result<Option<Run>, Refused> {
        let Some(plan) = self.plan.of(def) else { return Ok(None) };
        let shape = self.table.type_ref(self.universe, here.ty).id;
        if !matches!(self.shape(shape).kind, Kind::Struct { .. }) {
            // A named text or number: its rules are those of a value of it.
            let checks = match plan.cohorts.as_slice() {
                [] => Vec::new(),
                [cohort] if cohort.stops == 0 && plan.descend.is_empty() => self.all(here, &cohort.checks)?,
                _ => return Err("stops among the rules of a named type".to_owned()),
            };
            return Ok((!checks.is_empty()).then(|| Run::Always(expressions(&checks))));
        }
        if !plan.called {
            let is_empty = plan.cohorts.is_empty() && plan.fields.iter().all(|field| !field.called);
            return if is_empty { Ok(None) } else { Err("rules of a type that is not +sprag:called".to_owned()) };
        }
        let value = &here.value;
        Ok(Some(if here.is_pointer {
            Run::IfSet(value.clone(), quote!(value.check(at, errors)))
        } else {
            Run::Always(quote!(#value.check(at, errors)))
        }))
    }

    /// A check of each element of a list; null ones are passed over.
    fn each_val(&self, here: &Here, check: &Check) -> Result<Option<Run>, Refused> {
        let runtime = &self.runtime;
        let values = &self.value;
        let value = &here.value;
        let Some(elem) = self.universe.elem(here.ty).filter(|_| !here.is_pointer) else {
            return Err("checks of the values of maps".to_owned());
        };
        let ty = self.plain(self.table.type_ref(self.universe, elem).id);
        let element = Here { ty: elem, value: quote!(value), is_pointer: false };
        let Some(run) = self.check(&element, check)? else { return Ok(None) };
        let run = run.expression();
        Ok(Some(Run::Always(quote! {
            #runtime::list::each_new(at, #value.values(), errors, |at, value, errors| {
                let value: #ty = #values::view::View::view(Some(value));
                #run
            })
        })))
    }

    /// A check of a field of a value.
    fn subfield(&self, here: &Here, field: FieldRef, check: &Check) -> Result<Option<Run>, Refused> {
        let known = &self.universe.field(field).field;
        let name = known.path_name();
        let step = if known.inline { quote!(at.inline(#name)) } else { quote!(at.child(#name)) };
        let value = &here.value;
        let parent = if here.is_pointer { quote!(value) } else { value.clone() };
        let Some(run) = self.check(&self.member(&parent, field), check)? else { return Ok(None) };
        let run = run.expression();
        let run = quote!({
            let at = &#step;
            #run
        });
        Ok(Some(if here.is_pointer { Run::IfSet(value.clone(), run) } else { Run::Always(run) }))
    }
}
