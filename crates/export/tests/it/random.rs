//! Random objects of a program's types, of which many are valid: values come from the rules.

use sprag_checks::format::Format;
use sprag_program::{Check, Form, Literal, ProgramParts, Rule, TypeId};
use sprag_value::{Array, Value};

/// A small generator of pseudo-random numbers (xorshift), the same on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// The texts and numbers that rules of a program are about, and their neighbours.
pub(crate) struct Palette<'p> {
    parts: &'p ProgramParts,
    texts: Vec<String>,
    numbers: Vec<i64>,
}

impl<'p> Palette<'p> {
    pub(crate) fn new(parts: &'p ProgramParts) -> Palette<'p> {
        let mut palette = Palette {
            parts,
            texts: vec![String::new(), "a".into(), "a-b".into(), "A_".into()],
            numbers: vec![0, 1, -1],
        };
        for plan in parts.plan.types.iter().flatten() {
            let fields = plan
                .fields
                .iter()
                .flat_map(|field| field.cohorts.iter().flat_map(|cohort| &cohort.checks).chain(&field.descend));
            let own = plan.cohorts.iter().flat_map(|cohort| &cohort.checks).chain(&plan.descend);
            own.chain(fields).for_each(|check| palette.add(check));
        }
        palette
    }

    fn add(&mut self, check: &Check) {
        let text = |length: u64| "x".repeat(usize::try_from(length).unwrap());
        match &check.rule {
            Rule::MinLength(size) | Rule::MaxLength(size) | Rule::MaxBytes(size) => {
                self.texts.extend([
                    text(*size),
                    text(size + 1),
                    text(size.saturating_sub(1)),
                    "ü".repeat(usize::try_from(*size).unwrap()),
                ]);
            }
            Rule::IntegerBound(_, bound) => {
                let bound = i64::try_from(*bound).unwrap();
                self.numbers.extend([bound, bound.saturating_add(1), bound.saturating_sub(1)]);
            }
            Rule::Enum(rule) => self.texts.extend(rule.values.iter().cloned()),
            Rule::NotEqual(Literal::String(unwanted)) => self.texts.push(unwanted.clone()),
            Rule::NotEqual(Literal::Int(unwanted)) => self.numbers.push(i64::try_from(*unwanted).unwrap()),
            Rule::Format(format) => {
                let valid = match format {
                    Format::Ip => "10.1.2.3",
                    Format::Uuid => "123e4567-e89b-12d3-a456-426614174000",
                    Format::LabelKey => "example.com/a",
                    _ => "a-1",
                };
                self.texts.extend([valid.to_owned(), "A.b".into(), "::1".into()]);
            }
            Rule::Mode(rule) => {
                for mode in &rule.modes {
                    if let Literal::String(value) = &mode.value {
                        self.texts.push(value.clone());
                    }
                }
            }
            Rule::Item(terms, _) | Rule::ItemKept(terms) => {
                for term in terms {
                    if let Literal::String(value) = &term.value {
                        self.texts.push(value.clone());
                    }
                }
            }
            _ => {}
        }
        if let Rule::Union(rule) = &check.rule
            && let sprag_program::Demand::Discriminated { values, .. } = &rule.demand
        {
            self.texts.extend(values.iter().cloned());
        }
        check.rule.inner().into_iter().for_each(|inner| self.add(inner));
    }

    pub(crate) fn value(&self, random: &mut Random, ty: TypeId) -> Value {
        match self.parts.types[ty.index()].form {
            Form::Text | Form::NamedText => Value::from(random.pick(&self.texts).as_str()),
            Form::Int => Value::from(*random.pick(&self.numbers)),
            Form::Bool => Value::from(random.chance(50)),
            Form::Float => Value::from(0.5),
            Form::Bytes => Value::from("eA=="),
            Form::Any => Value::object(),
            Form::List(elem) => {
                let count = random.below(4);
                Value::Array((0..count).map(|_| self.value(random, elem)).collect::<Array>())
            }
            Form::Map(_, elem) => {
                let mut map = Value::object();
                for _ in 0..random.below(3) {
                    let key = random.pick(&self.texts).clone();
                    let value = self.value(random, elem);
                    map.insert(key.as_str(), value);
                }
                map
            }
            Form::Struct(def) => {
                let mut object = Value::object();
                for member in &self.parts.defs[def.index()].members {
                    let Some(name) = &member.json else { continue };
                    if random.chance(60) {
                        let value = self.value(random, member.ty);
                        object.insert(name.as_str(), value);
                    }
                }
                object
            }
        }
    }

    /// A value that differs from another one in one place or so.
    pub(crate) fn changed(&self, random: &mut Random, ty: TypeId, old: &Value) -> Value {
        if random.chance(15) {
            return self.value(random, ty);
        }
        let mut new = old.clone();
        match self.parts.types[ty.index()].form {
            Form::Struct(def) => {
                let members = &self.parts.defs[def.index()].members;
                let member = &members[random.below(members.len())];
                let Some(name) = &member.json else { return new };
                let below = old.get(name).cloned();
                let value = match below {
                    Some(below) => self.changed(random, member.ty, &below),
                    None => self.value(random, member.ty),
                };
                if random.chance(20) {
                    new.remove(name);
                } else {
                    new.insert(name.as_str(), value);
                }
                new
            }
            Form::List(elem) => {
                let items = old.as_array().map(|items| items.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
                let mut items = items;
                match random.below(3) {
                    0 => items.push(self.value(random, elem)),
                    1 if !items.is_empty() => {
                        items.remove(random.below(items.len()));
                    }
                    _ if !items.is_empty() => {
                        let at = random.below(items.len());
                        items[at] = self.changed(random, elem, &items[at].clone());
                    }
                    _ => {}
                }
                Value::Array(items.into_iter().collect())
            }
            _ => self.value(random, ty),
        }
    }
}
