//! One check of a plan, run on dynamic values.

use sprag_checks::list::{self, Uncorrelated};
use sprag_checks::union::{self, Discriminator};
use sprag_checks::{At, flow, integer_bounds, map, presence, scalar, size_limits, update};
use sprag_field::{Error, Errors, Stage};
use sprag_value::{Object, Value};

use crate::interpret::Interpreter;
use crate::interpret::equal::ByIdentity;
use crate::interpret::show::View;
use crate::layout::{Form, Present, TypeLayout, elements, len};
use crate::{
    BoundSide, Check, Demand, DependentRule, EnumRule, FieldRef, HookCall, Identity, IntegerBoundByField, Literal,
    MemberPath, Members, ModeRule, PatternId, Rule, Term, TypeId, UnionRule, UpdateRule,
};

/// The members of a union that are set; up to [`INLINE_MEMBERS`] of them without an allocation.
enum MemberSet {
    Inline([bool; INLINE_MEMBERS], usize),
    Heap(Vec<bool>),
}

const INLINE_MEMBERS: usize = 32;

impl MemberSet {
    fn as_slice(&self) -> &[bool] {
        match self {
            MemberSet::Inline(set, len) => &set[..*len],
            MemberSet::Heap(set) => set,
        }
    }
}

impl FromIterator<bool> for MemberSet {
    fn from_iter<I: IntoIterator<Item = bool>>(members: I) -> Self {
        let mut members = members.into_iter();
        let mut set = [false; INLINE_MEMBERS];
        for (at, slot) in set.iter_mut().enumerate() {
            match members.next() {
                Some(member) => *slot = member,
                None => return MemberSet::Inline(set, at),
            }
        }
        MemberSet::Heap(set.into_iter().chain(members).collect())
    }
}

/// A place with its new and old value.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) at: &'a At<'a>,
    pub(crate) ty: TypeId,
    pub(crate) new: Option<&'a Value>,
    pub(crate) old: Option<&'a Value>,
    /// True if the value's parent has an old value: without it, there is no transition to check.
    pub(crate) held: bool,
    /// The fields that the new value has, where that was found out already.
    pub(crate) present: Option<Present>,
}

impl Interpreter<'_> {
    /// Runs one check; the caller decides what its result means for others.
    pub(crate) fn run_check(&self, here: Here<'_>, check: &Check, errors: &mut Errors) -> bool {
        if self.trace.is_none() && !check.native && check.warning.is_none() && check.stage == Stage::Stable {
            return self.run_rule(here, &check.rule, errors);
        }
        self.run_marked(here, check, errors)
    }

    /// The same for a check that stops others.
    pub(crate) fn run_stop(&self, here: Here<'_>, check: &Check, errors: &mut Errors) -> bool {
        if check.stage == Stage::Stable {
            return self.run_check(here, check, errors);
        }
        let run = |errors: &mut Errors| self.run_warned(here, check, errors);
        let run = |errors: &mut Errors| flow::staged_stop(here.at, errors, check.stage, run);
        if check.native { flow::native(errors, run) } else { run(errors) }
    }

    /// A check whose result is used, or whose errors are more than plain ones.
    #[inline(never)]
    fn run_marked(&self, here: Here<'_>, check: &Check, errors: &mut Errors) -> bool {
        let run = |errors: &mut Errors| self.run_warned(here, check, errors);
        let run = |errors: &mut Errors| match check.stage {
            Stage::Stable => run(errors),
            stage => flow::staged(here.at, errors, stage, run),
        };
        if check.native { flow::native(errors, run) } else { run(errors) }
    }

    /// A check without its stage.
    fn run_warned(&self, here: Here<'_>, check: &Check, errors: &mut Errors) -> bool {
        let run = |errors: &mut Errors| {
            let found = self.run_rule(here, &check.rule, errors);
            if found && let Some(trace) = self.trace {
                trace(check);
            }
            found
        };
        match &check.warning {
            None => run(errors),
            Some(warning) => flow::warning(errors, warning.message.as_deref(), run),
        }
    }

    /// The rarer rules are kept out of line: their locals would make every call of this one expensive.
    fn run_rule(&self, here: Here<'_>, rule: &Rule, errors: &mut Errors) -> bool {
        let Here { at, ty, new, old, .. } = here;
        match rule {
            Rule::Required => presence::required(at, self.layout.is_set(ty, new), errors),
            Rule::Optional => !self.layout.is_set(ty, new),
            Rule::Forbidden => presence::forbidden(at, self.layout.is_set(ty, new), errors),
            Rule::FeatureGate(option) => {
                presence::feature_gate(at, self.layout.is_set(ty, new), self.layout.is_set(ty, old), option, errors)
            }
            Rule::MinLength(min) => size_limits::min_length(at, self.view(ty, new).as_ref(), *min, errors),
            Rule::MaxLength(max) => size_limits::max_length(at, self.view(ty, new).as_ref(), *max, errors),
            Rule::MaxBytes(max) => size_limits::max_bytes(at, self.view(ty, new).as_ref(), *max, errors),
            Rule::MinItems(min) => size_limits::min_items(at, len(new), *min, errors),
            Rule::MaxItems(max) => size_limits::max_items(at, len(new), *max, errors),
            Rule::MinProperties(min) => size_limits::min_properties(at, len(new), *min, errors),
            Rule::MaxProperties(max) => size_limits::max_properties(at, len(new), *max, errors),
            Rule::IntegerBound(side, bound) => {
                run_integer_bound(at, *side, self.view(ty, new).as_ref(), *bound, errors)
            }
            Rule::IntegerBoundByField(rule) => self.run_integer_bound_by_field(here, rule, errors),
            Rule::IntegerBoundOfOwner(side) => self
                .owner_bound
                .is_some_and(|bound| run_integer_bound(at, *side, self.view(ty, new).as_ref(), bound, errors)),
            Rule::NotEqual(literal) => self.run_not_equal(here, literal, errors),
            Rule::Format(format) => scalar::format(at, self.view(ty, new).as_ref(), *format, errors),
            Rule::Pattern(pattern) => self.run_pattern(here, *pattern, errors),
            Rule::Enum(rule) => self.run_enum(here, rule, errors),
            Rule::Immutable => update::immutable(at, errors),
            Rule::Monotonic => scalar::monotonic(at, self.view(ty, new).as_ref(), self.view(ty, old).as_ref(), errors),
            Rule::Update(rule) => self.run_update(here, rule, errors),
            Rule::Unique(identity) => self.run_unique(here, identity, errors),
            Rule::NoNilElements => list::no_nil_elements(at, slots(new), Value::is_null, errors),
            Rule::Fixed { passes: true, .. } => false,
            Rule::Fixed { message, .. } => scalar::always_fails(at, self.show_json(ty, new), message, errors),
            Rule::Custom(call) => self.run_hook(here, call, errors),
            Rule::Type(def) => self.validate_type(at, *def, new, old, errors),
            Rule::EachKey(check) => self.run_each_key(here, check, errors),
            Rule::EachVal(identity, check) => self.run_each_val(here, identity.as_ref(), check, errors),
            Rule::Item(terms, check) => self.run_item(here, terms, check, errors),
            Rule::ItemKept(terms) => {
                let has = |list| slots(list).iter().any(|item| self.selects(terms, item));
                update::item_kept(at, &self.terms_label(terms), has(new), has(old), errors)
            }
            Rule::Subfield(field, check) => self.run_subfield(here, *field, check, errors),
            Rule::IfSet(check) => self.layout.is_set(ty, new) && self.run_check(here, check, errors),
            Rule::IfOption { option, enabled, check } => {
                scalar::if_option(at, option, *enabled, errors, |errors| self.run_check(here, check, errors))
            }
            Rule::IfFeature { gate, check } => presence::is_on(at, gate) && self.run_check(here, check, errors),
            Rule::IfSubresource { path, matches, check } => {
                (at.request.subresource == path) == *matches && self.run_check(here, check, errors)
            }
            Rule::Union(rule) => self.run_union(here, rule, errors),
            Rule::Mode(rule) => self.run_mode(here, rule, errors),
            Rule::Dependent(rule) => self.run_dependent(here, rule, errors),
        }
    }

    fn view<'v>(&'v self, ty: TypeId, value: Option<&'v Value>) -> Option<View<'v>> {
        value.map(|value| View { interpreter: self, ty, value })
    }

    #[inline(never)]
    fn run_not_equal(&self, here: Here<'_>, literal: &Literal, errors: &mut Errors) -> bool {
        let view = self.view(here.ty, here.new);
        match literal {
            Literal::String(text) => scalar::not_equal_text(here.at, view.as_ref(), text, errors),
            Literal::Int(number) => scalar::not_equal_number(here.at, view.as_ref(), *number, errors),
            Literal::Bool(value) => {
                let view = view.as_ref().map(|view| (view, view.value.as_bool() == Some(true)));
                scalar::not_equal_bool(here.at, view, *value, errors)
            }
        }
    }

    #[inline(never)]
    fn run_pattern(&self, here: Here<'_>, pattern: PatternId, errors: &mut Errors) -> bool {
        let pattern = self.program.plan().pattern(pattern);
        scalar::pattern(here.at, self.view(here.ty, here.new).as_ref(), pattern, errors)
    }

    #[inline(never)]
    fn run_enum(&self, here: Here<'_>, rule: &EnumRule, errors: &mut Errors) -> bool {
        let exclusions = rule.exclusions.iter();
        let exclusions: Vec<scalar::Exclusion<'_>> =
            exclusions.map(|e| scalar::Exclusion { value: &e.value, option: &e.option, when: e.when }).collect();
        scalar::one_of(here.at, self.view(here.ty, here.new).as_ref(), &rule.values, &exclusions, errors)
    }

    #[inline(never)]
    fn run_hook(&self, here: Here<'_>, call: &HookCall, errors: &mut Errors) -> bool {
        self.hooks.run(call, here.at, here.new, here.old, errors).unwrap_or_else(|| {
            errors.push(Error::internal(&here.at.path, format_args!("no hand-written check {}", call.name)));
            true
        })
    }

    #[inline(never)]
    fn run_update(&self, here: Here<'_>, rule: &UpdateRule, errors: &mut Errors) -> bool {
        let Here { at, ty, new, old, .. } = here;
        let TypeLayout { form, pointer, .. } = self.layout.of(ty);
        let nilable = pointer || matches!(form, Form::List(_) | Form::Map(..) | Form::Bytes);
        let known = if rule.scoped_to_parent { here.held } else { nilable || old.is_some() };
        match form {
            Form::List(elem) if !pointer => {
                let identity = rule.identity.as_ref().unwrap_or(&Identity::Value);
                let by = ByIdentity { interpreter: self, elem, identity };
                let old = known.then(|| slots(old));
                let new = slots(new);
                let constraints = &rule.constraints;
                if rule.labels_items {
                    let by = list::labelled(&by, |item: &Value| self.item_label(elem, identity, item));
                    return update::update_list(at, new, old, not_null, &by, constraints, errors);
                }
                update::update_list(at, new, old, not_null, &by, constraints, errors)
            }
            Form::Map(..) if !pointer => map::update(at, members(new), members(old), known, &rule.constraints, errors),
            _ => {
                let was_set = known.then(|| self.layout.is_set(ty, old));
                update::update(at, self.layout.is_set(ty, new), was_set, &rule.constraints, errors)
            }
        }
    }

    #[inline(never)]
    fn run_unique(&self, here: Here<'_>, identity: &Identity, errors: &mut Errors) -> bool {
        let Form::List(elem) = self.layout.of(here.ty).form else { return false };
        let by = ByIdentity { interpreter: self, elem, identity };
        let mark = errors.len();
        list::unique_with(here.at, slots(here.new), not_null, &by, |value| self.show_element(elem, value), errors);
        errors.len() > mark
    }

    fn show_element(&self, elem: TypeId, value: &Value) -> sprag_field::BadValue {
        use sprag_checks::Show;
        if self.layout.of(elem).pointer {
            return self.show_json(elem, Some(value));
        }
        View { interpreter: self, ty: elem, value }.show()
    }

    #[inline(never)]
    fn run_each_key(&self, here: Here<'_>, check: &Check, errors: &mut Errors) -> bool {
        let Form::Map(key_ty, _) = self.layout.of(here.ty).form else { return false };
        map::each_key(here.at, members(here.new), members(here.old), errors, |at, key, errors| {
            let key = Value::String(key.clone());
            let here = Here { at, ty: key_ty, new: Some(&key), old: None, held: false, present: None };
            self.run_check(here, check, errors)
        })
    }

    #[inline(never)]
    fn run_each_val(&self, here: Here<'_>, identity: Option<&Identity>, check: &Check, errors: &mut Errors) -> bool {
        match self.layout.of(here.ty).form {
            Form::Map(_, elem) => self.run_each_map_val(here, elem, check, errors),
            Form::List(elem) => {
                let new = slots(here.new);
                let old = slots(here.old);
                let run = |at: &At<'_>, new: &Value, old: Option<&Value>, errors: &mut Errors| {
                    let here = Here { at, ty: elem, new: Some(new), old, held: old.is_some(), present: None };
                    self.run_check(here, check, errors)
                };
                match identity {
                    None => list::each_val(here.at, new, old, not_null, &Uncorrelated, errors, run),
                    Some(identity) => {
                        let by = ByIdentity { interpreter: self, elem, identity };
                        list::each_val(here.at, new, old, not_null, &by, errors, run)
                    }
                }
            }
            _ => false,
        }
    }

    fn run_each_map_val(&self, here: Here<'_>, elem: TypeId, check: &Check, errors: &mut Errors) -> bool {
        let unchanged = |a: &Value, b: &Value| self.same_optional(elem, not_null(a), not_null(b));
        map::each_val(here.at, members(here.new), members(here.old), unchanged, errors, |at, new, old, errors| {
            let new = not_null(new);
            let was = old.and_then(not_null);
            let here = Here { at, ty: elem, new, old: was, held: old.is_some(), present: None };
            self.run_check(here, check, errors)
        })
    }

    #[inline(never)]
    fn run_item(&self, here: Here<'_>, terms: &[Term], check: &Check, errors: &mut Errors) -> bool {
        let Form::List(elem) = self.layout.of(here.ty).form else { return false };
        list::item(
            here.at,
            slots(here.new),
            slots(here.old),
            not_null,
            |item| self.selects(terms, item),
            |a, b| self.same(elem, a, b),
            errors,
            |at, new, old, errors| {
                self.run_check(
                    Here { at, ty: elem, new: Some(new), old, held: old.is_some(), present: None },
                    check,
                    errors,
                )
            },
        )
    }

    fn selects(&self, terms: &[Term], item: &Value) -> bool {
        terms.iter().all(|term| match (self.layout.get(item, term.field), &term.value) {
            (Some(Value::String(text)), Literal::String(want)) => text.as_str() == want,
            (Some(Value::Int(number)), Literal::Int(want)) => i128::from(*number) == *want,
            (Some(Value::Bool(value)), Literal::Bool(want)) => value == want,
            _ => false,
        })
    }

    fn run_subfield(&self, here: Here<'_>, field: FieldRef, check: &Check, errors: &mut Errors) -> bool {
        let Some(parent) = here.new else { return false };
        let ty = self.layout.field_type(field);
        let new = self.layout.get(parent, field);
        let old = here.old.and_then(|old| self.layout.get(old, field));
        if here.at.is_update() && here.old.is_some() && self.same_optional(ty, new, old) {
            return false;
        }
        let name = self.layout.path_name(field);
        let is_embedded = self.layout.json_name(field).is_none();
        let at = &if is_embedded { here.at.inline(name) } else { here.at.child(name) };
        self.run_check(Here { at, ty, new, old, held: here.old.is_some(), present: None }, check, errors)
    }

    #[inline(never)]
    fn run_union(&self, here: Here<'_>, rule: &UnionRule, errors: &mut Errors) -> bool {
        let set = self.members_set(here.new, &rule.members, here.present);
        let old = here.old.map(|old| self.members_set(Some(old), &rule.members, None));
        let at = here.at;
        let labels = &rule.labels;
        let set = set.as_slice();
        let old = old.as_ref().map(MemberSet::as_slice);
        match &rule.demand {
            Demand::ExactlyOne => union::union(at, labels, set, old, errors),
            Demand::AtMostOne => union::zero_or_one_of(at, labels, set, old, errors),
            Demand::Discriminated { field, name, values } => {
                let chosen = here.new.map_or("", |new| self.text(new, *field));
                let was = here.old.map(|old| self.text(old, *field));
                let discriminator = Discriminator { name, values };
                union::discriminated_union(at, labels, discriminator, chosen, was, set, old, errors)
            }
        }
    }

    /// The text of a string field; empty when it is not set.
    fn text<'v>(&self, parent: &'v Value, field: FieldRef) -> &'v str {
        self.layout.get(parent, field).and_then(Value::as_str).unwrap_or_default()
    }

    fn members_set(&self, parent: Option<&Value>, members: &Members, present: Option<Present>) -> MemberSet {
        match members {
            Members::Fields(fields) => {
                let may_have = |field: &FieldRef| present.is_none_or(|present| present.has(*field));
                let is_set = |field: &FieldRef| {
                    may_have(field) && parent.is_some_and(|parent| self.layout.is_field_set(parent, *field))
                };
                fields.iter().map(is_set).collect()
            }
            Members::Items(items) => items
                .iter()
                .map(|terms| slots(parent).iter().any(|item| !item.is_null() && self.selects(terms, item)))
                .collect(),
            Members::Paths(paths) => paths.iter().map(|path| self.path_set(parent, path)).collect(),
        }
    }

    fn path_set(&self, parent: Option<&Value>, path: &MemberPath) -> bool {
        let value = self.follow(parent, &path.fields);
        match (&path.item, path.fields.last()) {
            (Some(terms), _) => slots(value).iter().any(|item| self.selects(terms, item)),
            (None, Some(last)) => self.layout.is_set(self.layout.field_type(*last), value),
            (None, None) => false,
        }
    }

    fn follow<'v>(&self, parent: Option<&'v Value>, fields: &[FieldRef]) -> Option<&'v Value> {
        fields.iter().try_fold(parent?, |value, field| self.layout.get(value, *field))
    }

    #[inline(never)]
    fn run_mode(&self, here: Here<'_>, rule: &ModeRule, errors: &mut Errors) -> bool {
        let Some(parent) = here.new else { return false };
        let ty = self.layout.field_type(rule.field);
        let read = |parent: &'_ Value, field| self.layout.get(parent, field).cloned();
        let new = self.layout.get(parent, rule.field);
        let mode = read(parent, rule.discriminator);
        let old = here.old.and_then(|old| self.layout.get(old, rule.field));
        if let Some(before) = here.old.filter(|_| here.at.is_update())
            && mode == read(before, rule.discriminator)
            && self.same_optional(ty, new, old)
        {
            return false;
        }
        let at = &here.at.child(&rule.name);
        let chosen = rule.modes.iter().find(|candidate| match (&candidate.value, &mode) {
            (Literal::String(want), Some(Value::String(text))) => text.as_str() == want,
            (Literal::Bool(want), Some(Value::Bool(value))) => value == want,
            _ => false,
        });
        let mut found = false;
        if chosen.is_none_or(|chosen| !at.request.enforces(chosen.stage) && chosen.stage < rule.forbidden_stage) {
            found = flow::staged(at, errors, rule.forbidden_stage, |errors| {
                presence::forbidden(at, self.layout.is_set(ty, new), errors)
            });
        }
        let Some(chosen) = chosen else { return found };
        let here = Here { at, ty, new, old, held: here.old.is_some(), present: None };
        self.run_mode_checks(here, &chosen.checks, errors) || found
    }

    /// The stop is judged after the last stopping check, so plain checks before it still report.
    fn run_mode_checks(&self, here: Here<'_>, checks: &[Check], errors: &mut Errors) -> bool {
        let mark = errors.len();
        let last_stop = checks.iter().rposition(|check| check.short_circuit);
        let mut stopped = false;
        for (index, check) in checks.iter().enumerate() {
            let before = errors.len();
            let found = self.run_check(here, check, errors);
            if check.non_error {
                errors.truncate(before);
            }
            stopped |= found && check.short_circuit;
            if stopped && Some(index) == last_stop {
                break;
            }
        }
        errors.len() > mark
    }

    #[inline(never)]
    fn run_dependent(&self, here: Here<'_>, rule: &DependentRule, errors: &mut Errors) -> bool {
        let Some(new) = here.new else { return false };
        let set = |parent: &Value| {
            let is_set = |field| self.layout.is_field_set(parent, field);
            (is_set(rule.trigger), is_set(rule.dependent))
        };
        let names = (self.layout.path_name(rule.trigger), self.layout.path_name(rule.dependent));
        let check = if rule.required { union::dependent_required } else { union::dependent_forbidden };
        check(here.at, names, set(new), here.old.map(set), errors)
    }

    #[inline(never)]
    fn run_integer_bound_by_field(&self, here: Here<'_>, rule: &IntegerBoundByField, errors: &mut Errors) -> bool {
        let bound = |parent| self.follow(parent, &rule.bound);
        let (Some(limit), Some(field)) = (bound(here.new), rule.bound.last()) else { return false };
        let ty = self.layout.field_type(*field);
        let number = sprag_checks::Integer::number(&View { interpreter: self, ty, value: limit });
        // While the bound is the same, values that were there before are left alone.
        let old = here.old.filter(|old| self.same_optional(ty, Some(limit), bound(Some(old))));
        let inside = Interpreter { owner_bound: Some(number), ..*self };
        inside.run_check(Here { old, ..here }, &rule.check, errors)
    }
}

fn run_integer_bound(at: &At<'_>, side: BoundSide, view: Option<&View<'_>>, bound: i128, errors: &mut Errors) -> bool {
    match side {
        BoundSide::Minimum => integer_bounds::minimum(at, view, bound, errors),
        BoundSide::Maximum => integer_bounds::maximum(at, view, bound, errors),
        BoundSide::ExclusiveMinimum => integer_bounds::exclusive_minimum(at, view, bound, errors),
        BoundSide::ExclusiveMaximum => integer_bounds::exclusive_maximum(at, view, bound, errors),
    }
}

fn slots(value: Option<&Value>) -> &[Value] {
    value.map_or(&[], elements)
}

fn not_null(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

fn members(value: Option<&Value>) -> Option<&Object> {
    value.and_then(Value::as_object)
}
