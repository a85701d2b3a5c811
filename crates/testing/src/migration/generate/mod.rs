//! Random objects of a type that know its rules.

pub(crate) mod breaks;
pub(crate) mod places;
pub(crate) mod random;
mod sample;
mod wants;

use sprag_checks::{Op, Options, Request};
use sprag_field::Errors;
use sprag_program::{
    Check, DefId, Demand, FieldRef, Form, HookTable, Identity, Literal, Members, Program, Rule, TargetStep, Term,
    TypeId,
};
use sprag_value::Value;

pub(crate) use self::random::Random;
use self::wants::Wants;

/// The number of draws before an object that violates rules is accepted.
const ATTEMPTS: usize = 6;
/// Structs below this depth have required fields only.
const MAX_DEPTH: usize = 6;
/// Elements of a list or map beyond the least that its rules ask for.
const MORE_ELEMENTS: usize = 3;
/// Members of an object that the generator does not fill in by its type.
const OBJECT_MEMBERS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Makes objects of one kind in one version.
pub(crate) struct Generator<'p> {
    pub(crate) program: &'p Program,
    pub(crate) hooks: &'p dyn HookTable,
    pub(crate) root: DefId,
    pub(crate) api_version: String,
    pub(crate) kind: String,
    /// All features of the API are on.
    pub(crate) options: Options,
}

/// The part of a type that an object fills.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filling {
    /// Optional fields are there or not.
    Some,
    /// Nearly everything is there.
    Full,
}

impl<'p> Generator<'p> {
    /// An object that keeps all rules of its type, if one is found.
    pub(crate) fn valid(&self, random: &mut Random, filling: Filling) -> Value {
        let mut object = self.draw(random, filling);
        for _ in 1..ATTEMPTS {
            if self.keeps_rules(&object, None) {
                break;
            }
            object = self.draw(random, filling);
        }
        object
    }

    /// Tells if an object, or a change of one, keeps all rules.
    pub(crate) fn keeps_rules(&self, new: &Value, old: Option<&Value>) -> bool {
        let mut errors = Errors::new();
        let op = if old.is_some() { Op::Update } else { Op::Create };
        let request = Request { op, options: &self.options, subresource: "/", beta: true };
        self.program.validate_object(self.hooks, &request, self.root, new, old, &mut errors);
        errors.is_empty()
    }

    fn draw(&self, random: &mut Random, filling: Filling) -> Value {
        let mut object = self.structure(random, self.root, filling, 0);
        let mut metadata = Value::object();
        metadata.insert("name", "x");
        object.insert("apiVersion", self.api_version.as_str());
        object.insert("kind", self.kind.as_str());
        object.insert("metadata", metadata);
        object
    }

    fn structure(&self, random: &mut Random, def: DefId, filling: Filling, depth: usize) -> Value {
        let mut object = Value::object();
        for (field, ty, name) in self.program.fields(def) {
            if depth == 0 && name.is_some_and(|name| OBJECT_MEMBERS.contains(&name)) {
                continue;
            }
            match name {
                Some(name) => {
                    if let Some(value) = self.field(random, field, ty, filling, depth) {
                        object.insert(name, value);
                    }
                }
                None => {
                    if let Form::Struct(inner) = self.program.layout_of(ty).form
                        && let Value::Object(members) = self.structure(random, inner, filling, depth)
                    {
                        members.iter().for_each(|(key, value)| {
                            object.insert(key.as_str(), value.clone());
                        });
                    }
                }
            }
        }
        self.settle(random, def, &mut object, filling, depth);
        object
    }

    /// The value of a field, or nothing where it may be unset.
    fn field(&self, random: &mut Random, field: FieldRef, ty: TypeId, filling: Filling, depth: usize) -> Option<Value> {
        let wants = Wants::of_field(self.program, field);
        let layout = self.program.layout_of(ty);
        let may_be_unset =
            wants.optional || layout.pointer || matches!(layout.form, Form::List(_) | Form::Map(..) | Form::Any);
        let chance = match filling {
            _ if depth > MAX_DEPTH => 0,
            Filling::Some => 60,
            Filling::Full => 97,
        };
        let unset = may_be_unset && !wants.required && wants.min_count.unwrap_or(0) == 0 && !random.percent(chance);
        if wants.forbidden || unset {
            return None;
        }
        Some(self.value(random, ty, &wants, filling, depth))
    }

    /// A value of a field that is set.
    pub(crate) fn set_field(&self, random: &mut Random, field: FieldRef, filling: Filling, depth: usize) -> Value {
        let ty = self.type_of_field(field);
        self.value(random, ty, &Wants::of_field(self.program, field), filling, depth)
    }

    pub(crate) fn type_of_field(&self, field: FieldRef) -> TypeId {
        let found = self.program.fields(field.def).nth(field.index);
        found.map_or_else(|| self.program.type_of(field.def), |(_, ty, _)| ty)
    }

    /// A value that keeps the rules of its place.
    pub(crate) fn value(
        &self,
        random: &mut Random,
        ty: TypeId,
        wants: &Wants<'p>,
        filling: Filling,
        depth: usize,
    ) -> Value {
        match self.program.layout_of(ty).form {
            Form::Text | Form::NamedText => Value::from(sample::text(random, wants)),
            Form::Int => Value::from(sample::number(random, wants)),
            Form::Bool => {
                let unwanted = wants.unequal.iter().find_map(|literal| match literal {
                    Literal::Bool(unwanted) => Some(*unwanted),
                    _ => None,
                });
                Value::from(unwanted.map_or_else(|| random.percent(50), |unwanted| !unwanted))
            }
            Form::Float => Value::from(0.5),
            Form::Bytes => Value::from("AAAA"),
            Form::Any => Value::object(),
            Form::Struct(def) => self.structure_with(random, def, wants, filling, depth),
            Form::List(elem) => self.list(random, elem, wants, filling, depth),
            Form::Map(key, elem) => self.map(random, (key, elem), wants, filling, depth),
        }
    }

    fn structure_with(
        &self,
        random: &mut Random,
        def: DefId,
        wants: &Wants<'p>,
        filling: Filling,
        depth: usize,
    ) -> Value {
        let mut object = self.structure(random, def, filling, depth + 1);
        for (field, check) in &wants.subfields {
            let inner = Wants::of(self.program, [*check]);
            let name = self.program.field_name(*field);
            if inner.forbidden {
                object.remove(name);
            } else {
                let value = self.value(random, self.type_of_field(*field), &inner, filling, depth + 1);
                object.insert(name, value);
            }
        }
        object
    }

    fn list(&self, random: &mut Random, elem: TypeId, wants: &Wants<'p>, filling: Filling, depth: usize) -> Value {
        let least = usize::try_from(wants.min_count.unwrap_or(u64::from(filling == Filling::Full))).unwrap_or(0);
        let most = usize::try_from(wants.max_count.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let count = (least + random.below(MORE_ELEMENTS + 1)).min(most.max(least));
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..count {
            if let Some(item) = self.another(random, elem, wants, &items, filling, depth) {
                items.push(item);
            }
        }
        for (terms, check) in &wants.items {
            if let Some(item) = items.iter_mut().find(|item| self.is_item(terms, item)) {
                let inner = Wants::of(self.program, [*check]);
                for (field, check) in &inner.subfields {
                    let wants = Wants::of(self.program, [*check]);
                    let value = self.value(random, self.type_of_field(*field), &wants, filling, depth + 1);
                    item.insert(self.program.field_name(*field), value);
                }
            } else if items.len() < most
                && random.percent(50)
                && let Some(mut item) = self.another(random, elem, wants, &items, filling, depth)
            {
                self.make_item(terms, &mut item);
                items.push(item);
            }
        }
        items.into_iter().collect()
    }

    /// An element that a list does not have yet, if one is found.
    pub(crate) fn another(
        &self,
        random: &mut Random,
        elem: TypeId,
        wants: &Wants<'p>,
        items: &[Value],
        filling: Filling,
        depth: usize,
    ) -> Option<Value> {
        let each = Wants::of(self.program, wants.each_value.iter().copied());
        (0..ATTEMPTS * 2).find_map(|_| {
            let item = self.value(random, elem, &each, filling, depth + 1);
            let taken =
                wants.unique.is_some_and(|identity| items.iter().any(|known| self.same(identity, known, &item)));
            (!taken).then_some(item)
        })
    }

    /// Tells if two elements are the same by their identity.
    fn same(&self, identity: &Identity, a: &Value, b: &Value) -> bool {
        match identity {
            Identity::Value => a == b,
            Identity::Keys(keys) => keys.iter().all(|key| {
                let name = self.program.field_name(*key);
                a.get(name) == b.get(name)
            }),
        }
    }

    pub(crate) fn is_item(&self, terms: &[Term], item: &Value) -> bool {
        terms.iter().all(|term| item.get(self.program.field_name(term.field)) == Some(&literal(&term.value)))
    }

    pub(crate) fn make_item(&self, terms: &[Term], item: &mut Value) {
        for term in terms {
            item.insert(self.program.field_name(term.field), literal(&term.value));
        }
    }

    fn map(
        &self,
        random: &mut Random,
        (key, elem): (TypeId, TypeId),
        wants: &Wants<'p>,
        filling: Filling,
        depth: usize,
    ) -> Value {
        let least = usize::try_from(wants.min_count.unwrap_or(u64::from(filling == Filling::Full))).unwrap_or(0);
        let most = usize::try_from(wants.max_count.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let count = (least + random.below(MORE_ELEMENTS + 1)).min(most.max(least));
        let mut object = Value::object();
        for _ in 0..count * 2 {
            if object.as_object().map_or(0, sprag_value::Object::len) == count {
                break;
            }
            let (key, value) = self.entry(random, (key, elem), wants, filling, depth);
            object.insert(key, value);
        }
        object
    }

    /// An entry of a map.
    pub(crate) fn entry(
        &self,
        random: &mut Random,
        (key, elem): (TypeId, TypeId),
        wants: &Wants<'p>,
        filling: Filling,
        depth: usize,
    ) -> (String, Value) {
        let keys = Wants::of(self.program, wants.each_key.iter().copied());
        let values = Wants::of(self.program, wants.each_value.iter().copied());
        let key = self.value(random, key, &keys, filling, depth + 1);
        (key.as_str().unwrap_or_default().to_owned(), self.value(random, elem, &values, filling, depth + 1))
    }

    /// Makes the fields of a struct fit together.
    fn settle(&self, random: &mut Random, def: DefId, object: &mut Value, filling: Filling, depth: usize) {
        let Some(plan) = self.program.plan().of(def) else { return };
        for check in plan.cohorts.iter().flat_map(|cohort| &cohort.checks) {
            self.settle_check(random, check, object, filling, depth);
        }
    }

    fn settle_check(&self, random: &mut Random, check: &Check, object: &mut Value, filling: Filling, depth: usize) {
        match &check.rule {
            Rule::IfOption { check, .. } | Rule::IfSubresource { check, .. } | Rule::IfFeature { check, .. } => {
                self.settle_check(random, check, object, filling, depth);
            }
            Rule::Union(rule) => {
                let Members::Fields(fields) = &rule.members else { return };
                let none = matches!(rule.demand, Demand::AtMostOne) && random.percent(30);
                let chosen = random.below(fields.len());
                for (at, field) in fields.iter().enumerate() {
                    let name = self.program.field_name(*field);
                    if at != chosen || none {
                        object.remove(name);
                    } else if object.get(name).is_none() {
                        object.insert(name, self.set_field(random, *field, filling, depth + 1));
                    }
                }
                if let Demand::Discriminated { field, values, .. } = &rule.demand {
                    object.insert(self.program.field_name(*field), values[chosen].as_str());
                }
            }
            Rule::Mode(rule) => {
                let mode = object.get(self.program.field_name(rule.discriminator)).cloned().unwrap_or_default();
                let chosen = rule.modes.iter().find(|candidate| literal(&candidate.value) == mode);
                let wants = Wants::of(self.program, chosen.into_iter().flat_map(|mode| &mode.checks));
                if chosen.is_none() || wants.forbidden || (!wants.required && random.percent(30)) {
                    object.remove(&rule.name);
                } else {
                    let ty = self.type_of_field(rule.field);
                    object.insert(rule.name.as_str(), self.value(random, ty, &wants, filling, depth + 1));
                }
            }
            Rule::Dependent(rule) => {
                let [trigger, dependent] = [rule.trigger, rule.dependent].map(|field| self.program.field_name(field));
                if object.get(trigger).is_none() || object.get(dependent).is_some() == rule.required {
                } else if rule.required {
                    object.insert(dependent, self.set_field(random, rule.dependent, filling, depth + 1));
                } else {
                    object.remove(dependent);
                }
            }
            Rule::IntegerBoundByField(rule) => {
                let names: Vec<&str> = rule.bound.iter().map(|field| self.program.field_name(*field)).collect();
                let Some(limit) = object.lookup(&names).and_then(Value::as_i64) else { return };
                let room = i64::try_from(random.below(3)).unwrap_or_default() + 1;
                let within = if is_lower(rule.side) { limit.saturating_add(room) } else { limit.saturating_sub(room) };
                self.set_bounded(object, &rule.target(), within);
            }
            _ => {}
        }
    }

    /// Sets the numbers at the end of these steps; false if the steps lead to no number.
    fn set_bounded(&self, value: &mut Value, steps: &[TargetStep<'_>], number: i64) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            *value = Value::from(number);
            return true;
        };
        match step {
            TargetStep::Field(field) => {
                let inner = value.get_mut(self.program.field_name(*field));
                inner.is_some_and(|inner| self.set_bounded(inner, rest, number))
            }
            TargetStep::Each => {
                let mut any = false;
                if let Some(items) = value.as_array_mut() {
                    for item in items.as_mut_slice() {
                        any |= self.set_bounded(item, rest, number);
                    }
                } else if let Value::Object(members) = value {
                    for (_, member) in members.iter_mut() {
                        any |= self.set_bounded(member, rest, number);
                    }
                }
                any
            }
            TargetStep::Item(terms) => {
                let Some(items) = value.as_array_mut() else { return false };
                let item = items.as_mut_slice().iter_mut().find(|item| self.is_item(terms, item));
                item.is_some_and(|item| self.set_bounded(item, rest, number))
            }
        }
    }
}

fn is_lower(side: sprag_program::BoundSide) -> bool {
    matches!(side, sprag_program::BoundSide::Minimum | sprag_program::BoundSide::ExclusiveMinimum)
}

/// A literal of a rule as a value.
pub(crate) fn literal(literal: &Literal) -> Value {
    match literal {
        Literal::String(text) => Value::from(text.as_str()),
        Literal::Int(number) => Value::from(i64::try_from(*number).unwrap_or_default()),
        Literal::Bool(truth) => Value::from(*truth),
    }
}
