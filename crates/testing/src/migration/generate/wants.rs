//! The rules of one place, as a generator reads them.

use sprag_checks::format::Format;
use sprag_program::{BoundSide, Check, EnumRule, FieldRef, Form, Identity, Literal, Program, Rule, Term};
use sprag_regexp::Regexp;

/// The rules of one place. Those under a condition count as if it held.
#[derive(Clone, Default)]
pub(crate) struct Wants<'p> {
    pub(crate) required: bool,
    pub(crate) optional: bool,
    pub(crate) forbidden: bool,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) min_count: Option<u64>,
    pub(crate) max_count: Option<u64>,
    pub(crate) minimum: Option<i128>,
    pub(crate) maximum: Option<i128>,
    pub(crate) unequal: Vec<&'p Literal>,
    pub(crate) formats: Vec<Format>,
    pub(crate) patterns: Vec<&'p Regexp>,
    pub(crate) one_of: Option<&'p EnumRule>,
    pub(crate) unique: Option<&'p Identity>,
    pub(crate) each_value: Vec<&'p Check>,
    pub(crate) each_key: Vec<&'p Check>,
    pub(crate) items: Vec<(&'p [Term], &'p Check)>,
    pub(crate) subfields: Vec<(FieldRef, &'p Check)>,
}

impl<'p> Wants<'p> {
    /// The rules of a field.
    pub(crate) fn of_field(program: &'p Program, field: FieldRef) -> Wants<'p> {
        let plan = program.plan().of(field.def).and_then(|plan| plan.fields.iter().find(|plan| plan.field == field));
        let checks = plan
            .into_iter()
            .flat_map(|plan| plan.cohorts.iter().flat_map(|cohort| &cohort.checks).chain(&plan.descend));
        Wants::of(program, checks)
    }

    /// The rules that checks are about.
    pub(crate) fn of(program: &'p Program, checks: impl IntoIterator<Item = &'p Check>) -> Wants<'p> {
        let mut wants = Wants::default();
        checks.into_iter().for_each(|check| wants.add(program, check));
        wants
    }

    fn add(&mut self, program: &'p Program, check: &'p Check) {
        if check.warning.is_some() {
            return;
        }
        match &check.rule {
            Rule::Required => self.required = true,
            Rule::Optional => self.optional = true,
            Rule::Forbidden => self.forbidden = true,
            Rule::MinLength(limit) => raise(&mut self.min_length, *limit),
            Rule::MaxLength(limit) => lower(&mut self.max_length, *limit),
            Rule::MaxBytes(limit) => lower(&mut self.max_bytes, *limit),
            Rule::MinItems(limit) | Rule::MinProperties(limit) => raise(&mut self.min_count, *limit),
            Rule::MaxItems(limit) | Rule::MaxProperties(limit) => lower(&mut self.max_count, *limit),
            Rule::IntegerBound(BoundSide::Minimum, bound) => raise(&mut self.minimum, *bound),
            Rule::IntegerBound(BoundSide::Maximum, bound) => lower(&mut self.maximum, *bound),
            Rule::IntegerBound(BoundSide::ExclusiveMinimum, bound) => raise(&mut self.minimum, bound + 1),
            Rule::IntegerBound(BoundSide::ExclusiveMaximum, bound) => lower(&mut self.maximum, bound - 1),
            Rule::NotEqual(literal) => self.unequal.push(literal),
            Rule::Format(format) => self.formats.push(*format),
            Rule::Pattern(id) => self.patterns.push(program.plan().pattern(*id)),
            Rule::Enum(rule) => self.one_of = Some(rule),
            Rule::Unique(identity) => self.unique = Some(identity),
            Rule::EachKey(inner) => self.each_key.push(inner),
            Rule::EachVal(_, inner) => self.each_value.push(inner),
            Rule::Item(terms, inner) => self.items.push((terms, inner)),
            Rule::Subfield(field, inner) => self.subfields.push((*field, inner)),
            Rule::IfSet(check)
            | Rule::IfOption { check, .. }
            | Rule::IfSubresource { check, .. }
            | Rule::IfFeature { check, .. } => {
                self.add(program, check);
            }
            Rule::Type(def) if !matches!(program.layout_of(program.type_of(*def)).form, Form::Struct(_)) => {
                if let Some(plan) = program.plan().of(*def) {
                    plan.cohorts.iter().flat_map(|cohort| &cohort.checks).for_each(|check| self.add(program, check));
                    plan.descend.iter().for_each(|check| self.add(program, check));
                }
            }
            _ => {}
        }
    }

    pub(crate) fn is_unwanted_text(&self, text: &str) -> bool {
        self.unequal.iter().any(|literal| matches!(literal, Literal::String(unwanted) if unwanted == text))
    }

    /// Tells if a text keeps the rules.
    pub(crate) fn accepts_text(&self, text: &str) -> bool {
        let characters = text.chars().count() as u64;
        !self.is_unwanted_text(text)
            && self.min_length.is_none_or(|min| characters >= min)
            && self.max_length.is_none_or(|max| characters <= max)
            && self.max_bytes.is_none_or(|max| text.len() as u64 <= max)
            && self.formats.iter().all(|format| format.is_valid(text))
            && self.patterns.iter().all(|pattern| pattern.is_match(text))
    }
}

fn raise<T: Ord + Copy>(limit: &mut Option<T>, to: T) {
    *limit = Some(limit.map_or(to, |known| known.max(to)));
}

fn lower<T: Ord + Copy>(limit: &mut Option<T>, to: T) {
    *limit = Some(limit.map_or(to, |known| known.min(to)));
}
