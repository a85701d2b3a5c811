//! Checks that look at several fields of a struct, or at a field from outside of it.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use sprag_field::Stage;
use sprag_program::{
    Check, Demand, DependentRule, FieldRef, IntegerBoundByField, Literal, MemberPath, Members, Mode, ModeRule, TypeId,
    TypePlan, UnionRule, WhenMissing,
};
use syn::Lifetime;

use super::cohort::quiet;
use super::{Here, Printer, stage_name, staged};
use crate::access::{Access, mentions, mentions_label};
use crate::code::{BlockStep, Code};
use crate::repr::{Base, Layer};

/// Tells if a type's own checks can yield something for a value that is missing.
pub(super) fn is_judged_when_missing(plan: &TypePlan) -> bool {
    let judges = |check: &Check| check.rule.when_missing() != WhenMissing::Passes;
    plan.cohorts.iter().flat_map(|cohort| &cohort.checks).chain(&plan.descend).any(judges)
}

impl Printer<'_, '_> {
    /// A check on a field of the value, with the ratchet of fields.
    pub(super) fn subfield(&self, here: Here, field: FieldRef, check: &Check) -> Code {
        let inner = self.check(self.at_field(field), check);
        if inner.is_nothing() {
            return Code::Nothing;
        }
        let mut steps = Self::ensure_new(here);
        let parent = Here { sure: true, ..here };
        steps.push(BlockStep::EndIf(self.unchanged(parent, field)));
        let name = self.path_name(field);
        let body = inner.expression();
        let is_embedded = self.cx.universe.field(field).field.inline;
        let at = if is_embedded { quote!(at.inline(#name)) } else { quote!(at.child(#name)) };
        steps.push(BlockStep::Do(self.bind_field(parent, field, &at, &body)));
        Code::Block(free_label("'subfield", &body), steps, Box::new(inner))
    }

    fn at_field(&self, field: FieldRef) -> Here {
        let (layers, view) = self.cx.reprs.outer_of_field(field);
        let sure = layers.iter().all(|layer| *layer == Layer::Box);
        Here { ty: self.cx.universe.field(field).ty, view, sure }
    }

    fn path_name(&self, field: FieldRef) -> String {
        self.cx.universe.field(field).field.path_name().to_owned()
    }

    /// Ends the check when there is no value.
    fn ensure_new(here: Here) -> Vec<BlockStep> {
        if here.sure { Vec::new() } else { vec![BlockStep::Match(quote!(Some(new)), quote!(new))] }
    }

    pub(super) fn union(&self, here: Here, rule: &UnionRule) -> Code {
        let labels = &rule.labels;
        let count = proc_macro2::Literal::usize_unsuffixed(member_count(&rule.members));
        let members = |value: Access| self.members_set(here, &value, &rule.members);
        let set = members(Access::sure("new"));
        let set = if here.sure { set } else { quote!(new.map_or([false; #count], |new| #set)) };
        let was = members(Access::sure("old"));
        // An empty list stands for one that was never set.
        let old = if let Members::Items(_) = rule.members
            && let Access::Sure(list) = self.base_of(here.view, Access::sure("old")).0
        {
            let list = list.path();
            quote!(old.filter(|old| !#list.is_empty()))
        } else {
            quote!(old)
        };
        let lets = quote! {
            let set: [bool; #count] = #set;
            let was: Option<[bool; #count]> = #old.map(|old| #was);
        };
        let labels = quote!(&[#(#labels),*]);
        let was = quote!(was.as_ref().map(|was| &was[..]));
        let call = match &rule.demand {
            Demand::ExactlyOne => quote!(union::union(at, #labels, &set, #was, errors)),
            Demand::AtMostOne => quote!(union::zero_or_one_of(at, #labels, &set, #was, errors)),
            Demand::Discriminated { field, name, values } => {
                let chosen = self.text_of_field(here.value(), here.view, *field);
                let before = self.text_of_field(Access::sure("old"), here.view, *field);
                let discriminator = quote!(Discriminator { name: #name, values: &[#(#values),*] });
                quote! {
                    union::discriminated_union(
                        at, #labels, #discriminator, #chosen, old.map(|old| #before), &set, #was, errors,
                    )
                }
            }
        };
        Code::Block(label("'union"), vec![BlockStep::Do(lets)], Box::new(Code::Call(call)))
    }

    /// Returns code of an array that tells which members of a union are set.
    fn members_set(&self, here: Here, value: &Access, members: &Members) -> TokenStream {
        match members {
            Members::Fields(fields) => {
                let set = fields.iter().map(|field| self.is_field_set(value.clone(), here.view, *field));
                quote!([#(#set),*])
            }
            Members::Items(items) => {
                let Some(elem) = self.elem(here) else { return quote!([]) };
                let set = items.iter().map(|terms| self.has_item(elem, here.view, value, terms));
                quote!([#(#set),*])
            }
            Members::Paths(paths) => {
                let set = paths.iter().map(|path| self.is_path_set(value.clone(), here.view, path));
                quote!([#(#set),*])
            }
        }
    }

    fn is_field_set(&self, parent: Access, view: TypeId, field: FieldRef) -> TokenStream {
        let (_, inner) = self.cx.reprs.outer_of_field(field);
        self.is_set(self.cx.universe.field(field).ty, inner, &self.value_of(parent, view, field))
    }

    fn is_path_set(&self, parent: Access, view: TypeId, path: &MemberPath) -> TokenStream {
        let Some(last) = path.fields.last() else { return quote!(false) };
        let (value, view) = self.follow(parent, view, &path.fields);
        match (&path.item, self.base_of(view, value.clone()).1) {
            (None, _) => self.is_set(self.cx.universe.field(*last).ty, view, &value),
            (Some(terms), Base::List(elem)) => self.has_item(elem, view, &value, terms),
            (Some(_), _) => quote!(false),
        }
    }

    /// The value that fields lead to, and its view.
    fn follow(&self, parent: Access, view: TypeId, fields: &[FieldRef]) -> (Access, TypeId) {
        fields.iter().fold((parent, view), |(value, view), field| {
            (self.value_of(value, view, *field), self.cx.reprs.outer_of_field(*field).1)
        })
    }

    fn text_of_field(&self, parent: Access, view: TypeId, field: FieldRef) -> TokenStream {
        let (_, inner) = self.cx.reprs.outer_of_field(field);
        let (value, base) = self.base_of(inner, self.value_of(parent, view, field));
        match base {
            Base::Text | Base::Enum => value.map_or(&quote!(""), &|spot| {
                let text = spot.borrow();
                quote!(Text::text(#text))
            }),
            _ => quote!(""),
        }
    }

    pub(super) fn dependent(&self, here: Here, rule: &DependentRule) -> Code {
        let pair = |name: &str| {
            let set = |field| self.is_field_set(Access::sure(name), here.view, field);
            let trigger = set(rule.trigger);
            let dependent = set(rule.dependent);
            quote!((#trigger, #dependent))
        };
        let set = pair("new");
        let was = pair("old");
        let trigger = self.path_name(rule.trigger);
        let dependent = self.path_name(rule.dependent);
        let function = if rule.required { quote!(dependent_required) } else { quote!(dependent_forbidden) };
        let call = Code::Call(quote! {
            union::#function(at, (#trigger, #dependent), #set, old.map(|old| #was), errors)
        });
        match Self::ensure_new(here) {
            steps if steps.is_empty() => call,
            steps => Code::Block(label("'dependent"), steps, Box::new(call)),
        }
    }

    pub(super) fn mode(&self, here: Here, rule: &ModeRule) -> Code {
        let parent = Here { sure: true, ..here };
        let field = self.at_field(rule.field);
        let mut steps = Self::ensure_new(here);
        let same_mode = self.unchanged_part(parent, rule.discriminator);
        let same_field = self.unchanged_part(parent, rule.field);
        steps.push(BlockStep::EndIf(quote!(at.before(old).is_some_and(|old| #same_mode && #same_field))));
        let forbidden = self.forbidden(field);
        let forbidden = match rule.forbidden_stage {
            Stage::Stable => forbidden,
            stage => staged(stage, &forbidden),
        };
        let forbidden = forbidden.statement();
        let arms = rule.modes.iter().map(|mode| {
            let may_lack = mode.stage < rule.forbidden_stage;
            let shadowed = may_lack.then(|| while_shadowed(mode.stage, &forbidden));
            self.mode_arm(field, mode, shadowed.as_ref())
        });
        let arms: Vec<TokenStream> = arms.collect();
        let (_, view) = self.cx.reprs.outer_of_field(rule.discriminator);
        let (mode, base) = self.base_of(view, self.value_of(parent.value(), parent.view, rule.discriminator));
        let mode = match base {
            Base::Bool => mode.map_or(&quote!(false), &|spot| spot.value()),
            _ => self.text_of_field(parent.value(), parent.view, rule.discriminator),
        };
        let all = base == Base::Bool && rule.modes.len() > 1;
        let other = (!all).then(|| quote!(_ => { #forbidden }));
        let body = quote!(match mode { #(#arms)* #other });
        steps.push(BlockStep::Do(quote!(let mode = #mode;)));
        let name = &rule.name;
        steps.push(BlockStep::Do(self.bind_field(parent, rule.field, &quote!(at.child(#name)), &body)));
        Code::Block(label("'mode"), steps, Box::new(Code::Statements(body)))
    }

    fn unchanged_part(&self, parent: Here, field: FieldRef) -> TokenStream {
        let place = |name: &str| self.field_of(Access::sure(name), parent.view, field);
        self.cx.same(self.cx.universe.field(field).ty, &place("new"), &place("old"))
    }

    /// The rules of one mode, after what comes first. The stop is judged after the last stopping check, so plain checks before it report.
    fn mode_arm(&self, here: Here, mode: &Mode, first: Option<&TokenStream>) -> TokenStream {
        let last_stop = mode.checks.iter().rposition(|check| check.short_circuit);
        let last_stop = last_stop.filter(|index| index + 1 < mode.checks.len());
        let mut code = TokenStream::new();
        for (index, check) in mode.checks.iter().enumerate() {
            let mut checked = self.check(here, check);
            if check.non_error {
                checked = quiet(&checked);
            }
            let matters = check.short_circuit && last_stop.is_some() && !checked.is_nothing();
            code.extend(if matters {
                let expression = checked.expression();
                quote!(stopped |= #expression;)
            } else {
                checked.statement()
            });
            if last_stop == Some(index) {
                code.extend(quote!(if stopped {
                    break 'rules;
                }));
            }
        }
        let stopped = mentions(&code, "stopped").then(|| quote!(let mut stopped = false;));
        let rules = crate::code::block(&label("'rules"), &quote!(#stopped #code));
        let body = if first.is_some() { quote!({ #first #rules }) } else { rules };
        match &mode.value {
            Literal::String(text) => quote!(#text => #body),
            Literal::Bool(value) => quote!(#value => #body),
            Literal::Int(_) => TokenStream::new(),
        }
    }

    pub(super) fn integer_bound_by_field(&self, here: Here, rule: &IntegerBoundByField) -> Code {
        let read = match self.follow(here.value(), here.view, &rule.bound).0 {
            Access::Sure(spot) => {
                let bound = spot.borrow();
                BlockStep::Do(quote!(let bound = #bound;))
            }
            access => BlockStep::Match(quote!(Some(bound)), access.optional()),
        };
        let (was, view) = self.follow(Access::sure("old"), here.view, &rule.bound);
        let is_same = self.cx.same(view, &Access::sure("bound"), &Access::sure("was"));
        let is_same = match was {
            Access::Sure(spot) => {
                let was = spot.borrow();
                quote!({ let was = #was; #is_same })
            }
            access => {
                let was = access.optional();
                quote!(#was.is_some_and(|was| #is_same))
            }
        };
        // While the bound is the same, values that were there before are left alone.
        let steps = vec![
            read,
            BlockStep::Do(quote!(let old = old.filter(|old| #is_same);)),
            BlockStep::Do(quote!(let bound = Integer::number(bound);)),
        ];
        Code::Block(label("'bound"), steps, Box::new(self.check(here, &rule.check)))
    }
}

fn member_count(members: &Members) -> usize {
    match members {
        Members::Fields(fields) => fields.len(),
        Members::Items(items) => items.len(),
        Members::Paths(paths) => paths.len(),
    }
}

/// Code that runs while a stage is only observed.
fn while_shadowed(stage: Stage, code: &TokenStream) -> TokenStream {
    let stage = stage_name(stage);
    quote!(if !at.request.enforces(#stage) { #code })
}

fn label(name: &str) -> Lifetime {
    Lifetime::new(name, Span::call_site())
}

/// A label that does not occur in code.
fn free_label(name: &str, code: &TokenStream) -> Lifetime {
    let mut free = label(name);
    let mut count = 1;
    while mentions_label(code, &free) {
        count += 1;
        free = label(&format!("{name}_{count}"));
    }
    free
}
