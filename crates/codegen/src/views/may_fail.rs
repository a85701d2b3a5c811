//! Tests in line for values that the rules of a field could refuse.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use sprag_program::{BoundSide, Cohort, FieldPlan, HookArg, HookCall, Literal, Rule};
use sprag_shape::{Field, Kind, TypeId};

use super::ViewPrinter;
use crate::names::{ident, snake};

impl ViewPrinter<'_> {
    /// An expression that is false for values that no rule of a field refuses; nothing where it takes the rules to find out.
    ///
    /// A fast path. Skips: the call of the rules, for most texts and numbers, and for what is absent.
    /// Safe: every rule of the field has its part, and a value for which it is true is judged by the rules. Tests run both.
    pub(super) fn may_fail(&self, id: TypeId, name: &str, plan: &FieldPlan) -> Option<TokenStream> {
        let field = self.shape(id).fields().iter().find(|field| field.name == name && !field.inline)?;
        self.has_flaw(field, plan).or_else(|| {
            let json = field.json.as_ref();
            plan.ends_unset.then(|| quote!(self.0.get(#json).is_some()))
        })
    }

    /// The same for a text or number whose rules are all among the usual ones.
    fn has_flaw(&self, field: &Field, plan: &FieldPlan) -> Option<TokenStream> {
        let (kind, is_nullable) = (&self.shape(field.ty.id).kind, field.ty.nullable);
        let rules = self.rules(plan)?;
        let has = |is_wanted: fn(&Rule) -> bool| rules.iter().any(|rule| is_wanted(rule));
        let is_required = has(|rule| matches!(rule, Rule::Required));
        let is_optional = has(|rule| matches!(rule, Rule::Optional));
        // Hand-written rules may refuse a pointer that is not set.
        if is_nullable && !is_optional && has(|rule| matches!(rule, Rule::Custom(_))) {
            return None;
        }
        let name = ident(&snake(&field.name));
        let value = if is_nullable { quote!(value) } else { quote!(self.#name()) };
        // A pointer that is there is set, whatever it points to.
        let is_of_value = |rule: &&&Rule| match rule {
            Rule::Optional => false,
            Rule::Required => !is_nullable,
            _ => true,
        };
        let flaws: Vec<TokenStream> =
            rules.iter().filter(is_of_value).map(|rule| self.flaw(kind, rule, &value)).collect::<Option<_>>()?;
        if flaws.is_empty() {
            return (is_nullable && is_required).then(|| quote!(self.#name().is_none()));
        }
        let is_set = set(kind, &value);
        Some(match (is_nullable, is_required) {
            (false, _) if is_optional => quote!(#is_set && (#(#flaws)||*)),
            (false, _) => quote!(#(#flaws)||*),
            (true, true) => quote!(self.#name().is_none_or(|value| #(#flaws)||*)),
            (true, false) => quote!(self.#name().is_some_and(|value| #(#flaws)||*)),
        })
    }

    /// The rules of a field and of its type; nothing if some of them stop others or are about parts of the value.
    fn rules<'r>(&'r self, field: &'r FieldPlan) -> Option<Vec<&'r Rule>> {
        let mut rules = of_default_cohort(&field.cohorts)?;
        for check in &field.descend {
            let Rule::Type(def) = check.rule else { return None };
            let plan = self.plan.of(def)?;
            let of_type = of_default_cohort(&plan.cohorts)?;
            let is_whole = plan.fields.is_empty() && plan.descend.is_empty();
            if !is_whole || of_type.iter().any(|rule| matches!(rule, Rule::Required | Rule::Optional)) {
                return None;
            }
            rules.extend(of_type);
        }
        Some(rules)
    }

    /// An expression for a text or number that a rule may refuse, if it is one of the usual rules.
    fn flaw(&self, kind: &Kind, rule: &Rule, value: &TokenStream) -> Option<TokenStream> {
        Some(match (kind, rule) {
            (_, Rule::Required) => unset(kind, value)?,
            (Kind::String, Rule::Enum(rule)) if rule.exclusions.is_empty() => {
                let values = &rule.values;
                quote!(!matches!(#value, #(#values)|*))
            }
            (Kind::Int { .. }, Rule::IntegerBound(side, bound)) => {
                let bound = Token::i64_unsuffixed(i64::try_from(*bound).ok()?);
                match side {
                    BoundSide::Minimum => quote!(#value < #bound),
                    BoundSide::Maximum => quote!(#value > #bound),
                    BoundSide::ExclusiveMinimum => quote!(#value <= #bound),
                    BoundSide::ExclusiveMaximum => quote!(#value >= #bound),
                }
            }
            (_, Rule::Custom(call)) => self.hook_flaw(kind, call, value)?,
            _ => return None,
        })
    }

    /// The same for a hand-written rule.
    fn hook_flaw(&self, kind: &Kind, call: &HookCall, value: &TokenStream) -> Option<TokenStream> {
        let (hooks, hook) = (&self.hooks, &call.name);
        let literals = call.args.iter().filter_map(|arg| match arg {
            HookArg::Required(literal) => Some(literal),
            HookArg::Optional(literal) => literal.as_ref(),
        });
        match kind {
            Kind::String => {
                let texts = literals.filter_map(|literal| match literal {
                    Literal::String(text) => Some(text),
                    _ => None,
                });
                Some(quote!(#hooks::may_refuse_text(#hook, #value, &[#(#texts),*])))
            }
            Kind::Int { .. } => {
                let numbers = literals.filter_map(|literal| match literal {
                    Literal::Int(number) => i64::try_from(*number).ok().map(Token::i64_unsuffixed),
                    _ => None,
                });
                Some(quote!(#hooks::may_refuse_number(#hook, #value, &[#(#numbers),*])))
            }
            _ => None,
        }
    }
}

/// The rules of the default cohort, if there are no others.
fn of_default_cohort(cohorts: &[Cohort]) -> Option<Vec<&Rule>> {
    let is_only = cohorts.iter().all(|cohort| cohort.name.is_empty());
    is_only.then(|| cohorts.iter().flat_map(|cohort| &cohort.checks).map(|check| &check.rule).collect())
}

/// An expression for a text or number that is set.
fn set(kind: &Kind, value: &TokenStream) -> Option<TokenStream> {
    match kind {
        Kind::String => Some(quote!(!#value.is_empty())),
        Kind::Int { .. } => Some(quote!(#value != 0)),
        _ => None,
    }
}

/// An expression for one that is not.
fn unset(kind: &Kind, value: &TokenStream) -> Option<TokenStream> {
    match kind {
        Kind::String => Some(quote!(#value.is_empty())),
        Kind::Int { .. } => Some(quote!(#value == 0)),
        _ => None,
    }
}
