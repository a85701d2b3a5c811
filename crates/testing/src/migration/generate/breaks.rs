//! Changes of an object that break one of its rules.

use sprag_checks::update::Constraint;
use sprag_program::{
    Check, Demand, FieldRef, Form, Literal, Members, Mode, ModeRule, Rule, TargetStep, TypeId, UpdateRule,
};
use sprag_value::Value;

use super::places::{Step, Target, Way, follow};
use super::sample;
use super::wants::Wants;
use super::{Filling, Generator, Random, literal};

/// An object and, for updates, the one that it replaces.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) new: Value,
    pub(crate) old: Option<Value>,
}

/// The value to break: a member or element of what is at the end of a way.
struct Slot {
    parent: Way,
    step: Step,
    ty: TypeId,
    /// The key of an entry is meant, not its value.
    is_key: bool,
}

impl Slot {
    fn new(parent: Way, step: Step, ty: TypeId) -> Slot {
        Slot { parent, step, ty, is_key: false }
    }
}

impl<'p> Generator<'p> {
    /// Breaks a rule somewhere in the new object; false if there is no place or no way to.
    pub(crate) fn break_rule(&self, random: &mut Random, pair: &mut Pair, targets: &[Target<'p>]) -> bool {
        let Some(target) = random.pick(targets) else { return false };
        let structs = self.structs(&pair.new, target.owner);
        let Some(way) = random.pick(&structs) else { return false };
        match target.field {
            None => match target.around.iter().find_map(|check| mode_of(check, target.rule)) {
                Some((rule, mode)) => self.break_mode(random, pair, way, (rule, mode), target.rule),
                None => self.break_struct(random, pair, way, target.rule),
            },
            Some(field) => self.break_field(random, pair, way, field, target),
        }
        .is_some()
    }

    fn break_field(
        &self,
        random: &mut Random,
        pair: &mut Pair,
        way: &Way,
        field: FieldRef,
        target: &Target<'p>,
    ) -> Option<()> {
        let mut wants = Wants::of_field(self.program, field);
        let name = self.program.field_name(field).to_owned();
        let mut slot = Slot::new(way.clone(), Step::Key(name), self.type_of_field(field));
        for check in &target.around {
            self.fill(random, pair, &slot, &wants)?;
            slot = self.enter(random, pair, slot, check, &wants)?;
            wants = Wants::of(self.program, check.rule.inner());
        }
        self.break_value(random, pair, &slot, target.rule, &wants)
    }

    /// Makes sure that there is a value.
    fn fill(&self, random: &mut Random, pair: &mut Pair, slot: &Slot, wants: &Wants<'p>) -> Option<()> {
        if read(&mut pair.new, slot).is_none() {
            let value = self.value(random, slot.ty, wants, Filling::Full, 1);
            write(&mut pair.new, slot, Some(value))?;
        }
        Some(())
    }

    /// The value that a check runs its inner check on.
    fn enter(
        &self,
        random: &mut Random,
        pair: &mut Pair,
        slot: Slot,
        check: &'p Check,
        wants: &Wants<'p>,
    ) -> Option<Slot> {
        let form = self.program.layout_of(slot.ty).form;
        let way = || slot.parent.iter().cloned().chain([slot.step.clone()]).collect::<Way>();
        match (&check.rule, form) {
            (Rule::EachVal(..), Form::List(elem)) => {
                let count = read(&mut pair.new, &slot)?.as_array()?.as_slice().len();
                if count == 0 {
                    let item = self.another(random, elem, wants, &[], Filling::Full, 2)?;
                    write(&mut pair.new, &slot, Some([item].into()))?;
                }
                Some(Slot::new(way(), Step::Index(random.below(count.max(1))), elem))
            }
            (Rule::EachVal(..) | Rule::EachKey(_), Form::Map(key, elem)) => {
                let keys: Vec<String> =
                    read(&mut pair.new, &slot)?.as_object()?.keys().map(|key| key.as_str().to_owned()).collect();
                let chosen = if let Some(key) = random.pick(&keys) {
                    key.clone()
                } else {
                    let (key, value) = self.entry(random, (key, elem), wants, Filling::Full, 2);
                    read(&mut pair.new, &slot)?.insert(key.as_str(), value);
                    key
                };
                let is_key = matches!(check.rule, Rule::EachKey(_));
                let ty = if is_key { key } else { elem };
                Some(Slot { is_key, ..Slot::new(way(), Step::Key(chosen), ty) })
            }
            (Rule::Item(terms, _), Form::List(elem)) => {
                let items = read(&mut pair.new, &slot)?.as_array()?.as_slice().to_vec();
                let at = items.iter().position(|item| self.is_item(terms, item));
                let at = if let Some(at) = at {
                    at
                } else {
                    let mut item = self.another(random, elem, wants, &items, Filling::Full, 2)?;
                    self.make_item(terms, &mut item);
                    read(&mut pair.new, &slot)?.push(item);
                    items.len()
                };
                Some(Slot::new(way(), Step::Index(at), elem))
            }
            (Rule::Subfield(field, _), _) => {
                let name = self.program.field_name(*field).to_owned();
                Some(Slot::new(way(), Step::Key(name), self.type_of_field(*field)))
            }
            _ => Some(slot),
        }
    }

    fn break_value(
        &self,
        random: &mut Random,
        pair: &mut Pair,
        slot: &Slot,
        rule: &'p Rule,
        wants: &Wants<'p>,
    ) -> Option<()> {
        let broken = match rule {
            Rule::Required => {
                let in_list = matches!(slot.step, Step::Index(_));
                return write(&mut pair.new, slot, in_list.then(|| self.zero(slot.ty)));
            }
            Rule::Immutable => return self.change(random, pair, slot, wants),
            Rule::Monotonic => {
                self.fill(random, pair, slot, wants)?;
                let old = read(pair.old.as_mut()?, slot)?.as_i64()?;
                Value::from(old.saturating_sub(1 + i64::try_from(random.below(3)).unwrap_or_default()))
            }
            Rule::Update(rule) => return self.break_update(random, pair, slot, rule, wants),
            Rule::ItemKept(terms) => {
                let items = read(pair.old.as_mut()?, slot)?.as_array()?.clone();
                items.as_slice().iter().filter(|item| !self.is_item(terms, item)).cloned().collect()
            }
            Rule::Custom(_) | Rule::Forbidden | Rule::FeatureGate(_) => {
                self.value(random, slot.ty, wants, Filling::Full, 1)
            }
            Rule::MinLength(min) => Value::from(sample::word(random, usize::try_from(min.checked_sub(1)?).ok()?)),
            Rule::MaxLength(max) | Rule::MaxBytes(max) => {
                Value::from(sample::word(random, usize::try_from(max + 1).ok()?))
            }
            Rule::IntegerBound(side, bound) => Value::from(sample::beyond(*side, *bound)),
            Rule::NotEqual(unwanted) => literal(unwanted),
            Rule::Format(format) => Value::from(sample::breaks_format(random, *format)?),
            Rule::Pattern(id) => Value::from(sample::breaks_pattern(random, self.program.plan().pattern(*id))?),
            Rule::Enum(rule) if random.percent(50) && !rule.exclusions.is_empty() => {
                Value::from(random.pick(&rule.exclusions)?.value.as_str())
            }
            Rule::Enum(_) => Value::from(format!("No{}", sample::word(random, 3))),
            Rule::MinItems(_) | Rule::MaxItems(_) | Rule::MinProperties(_) | Rule::MaxProperties(_) => {
                return self.break_count(random, pair, slot, rule, wants);
            }
            Rule::Unique(_) => {
                self.fill(random, pair, slot, wants)?;
                let mut items = read(&mut pair.new, slot)?.as_array()?.clone();
                let repeated = random.pick(items.as_slice())?.clone();
                items.push(repeated);
                items.into()
            }
            Rule::NoNilElements => {
                self.fill(random, pair, slot, wants)?;
                let mut items = read(&mut pair.new, slot)?.as_array()?.clone();
                items.push(Value::Null);
                items.into()
            }
            _ => return None,
        };
        if slot.is_key {
            return rename(&mut pair.new, slot, broken.as_str()?);
        }
        write(&mut pair.new, slot, Some(broken))
    }

    fn break_count(
        &self,
        random: &mut Random,
        pair: &mut Pair,
        slot: &Slot,
        rule: &Rule,
        wants: &Wants<'p>,
    ) -> Option<()> {
        self.fill(random, pair, slot, wants)?;
        let wanted = match rule {
            Rule::MinItems(min) | Rule::MinProperties(min) => usize::try_from(min.checked_sub(1)?).ok()?,
            Rule::MaxItems(max) | Rule::MaxProperties(max) => usize::try_from(max + 1).ok()?,
            _ => return None,
        };
        match self.program.layout_of(slot.ty).form {
            Form::List(elem) => {
                let mut items = read(&mut pair.new, slot)?.as_array()?.as_slice().to_vec();
                items.truncate(wanted);
                while items.len() < wanted {
                    items.push(self.another(random, elem, wants, &items, Filling::Some, 2)?);
                }
                write(&mut pair.new, slot, Some(items.into()))
            }
            Form::Map(key, elem) => {
                let members = read(&mut pair.new, slot)?;
                for _ in 0..wanted * 8 {
                    if members.as_object()?.len() >= wanted {
                        break;
                    }
                    let (key, value) = self.entry(random, (key, elem), wants, Filling::Some, 2);
                    members.insert(key, value);
                }
                let keys: Vec<String> = members.as_object()?.keys().map(|key| key.as_str().to_owned()).collect();
                keys.iter().skip(wanted).for_each(|key| {
                    members.remove(key);
                });
                Some(())
            }
            _ => None,
        }
    }

    /// Sets, unsets or modifies a value.
    fn change(&self, random: &mut Random, pair: &mut Pair, slot: &Slot, wants: &Wants<'p>) -> Option<()> {
        let constraint = match random.below(4) {
            0 => Constraint::NoSet,
            1 => Constraint::NoUnset,
            _ => Constraint::NoModify,
        };
        self.transition(random, pair, slot, constraint, wants)
    }

    fn break_update(
        &self,
        random: &mut Random,
        pair: &mut Pair,
        slot: &Slot,
        rule: &UpdateRule,
        wants: &Wants<'p>,
    ) -> Option<()> {
        let constraint = *random.pick(&rule.constraints)?;
        self.transition(random, pair, slot, constraint, wants)
    }

    fn transition(
        &self,
        random: &mut Random,
        pair: &mut Pair,
        slot: &Slot,
        constraint: Constraint,
        wants: &Wants<'p>,
    ) -> Option<()> {
        let old = pair.old.as_mut()?;
        match constraint {
            Constraint::NoSet => {
                write(old, slot, None)?;
                self.fill(random, pair, slot, wants)
            }
            Constraint::NoUnset => {
                if read(old, slot).is_none() {
                    let value = self.value(random, slot.ty, wants, Filling::Full, 1);
                    write(old, slot, Some(value))?;
                }
                write(&mut pair.new, slot, None)
            }
            Constraint::NoModify => {
                let other = self.value(random, slot.ty, wants, Filling::Full, 1);
                write(&mut pair.new, slot, Some(other))
            }
            Constraint::NoAddItem | Constraint::NoRemoveItem => {
                self.fill(random, pair, slot, wants)?;
                let adds = constraint == Constraint::NoAddItem;
                match self.program.layout_of(slot.ty).form {
                    Form::List(elem) => {
                        let mut items = read(&mut pair.new, slot)?.as_array()?.as_slice().to_vec();
                        if adds {
                            items.push(self.another(random, elem, wants, &items, Filling::Some, 2)?);
                        } else {
                            items.remove(random.below(items.len().checked_sub(1)? + 1));
                        }
                        write(&mut pair.new, slot, Some(items.into()))
                    }
                    Form::Map(key, elem) if adds => {
                        let (key, value) = self.entry(random, (key, elem), wants, Filling::Some, 2);
                        read(&mut pair.new, slot)?.insert(key, value);
                        Some(())
                    }
                    _ => {
                        let key = read(&mut pair.new, slot)?.as_object()?.keys().next()?.clone();
                        read(&mut pair.new, slot)?.remove(key.as_str());
                        Some(())
                    }
                }
            }
        }
    }

    /// Breaks a rule that holds in one mode.
    fn break_mode(
        &self,
        random: &mut Random,
        pair: &mut Pair,
        way: &Way,
        (mode_rule, mode): (&'p ModeRule, &'p Mode),
        rule: &'p Rule,
    ) -> Option<()> {
        let discriminator = self.program.field_name(mode_rule.discriminator);
        follow(&mut pair.new, way)?.insert(discriminator, literal(&mode.value));
        let step = Step::Key(mode_rule.name.clone());
        let slot = Slot::new(way.clone(), step, self.type_of_field(mode_rule.field));
        self.break_value(random, pair, &slot, rule, &Wants::of(self.program, &mode.checks))
    }

    /// Breaks a rule about several fields of a struct.
    fn break_struct(&self, random: &mut Random, pair: &mut Pair, way: &Way, rule: &'p Rule) -> Option<()> {
        let object = follow(&mut pair.new, way)?;
        let name = |field: FieldRef| self.program.field_name(field);
        match rule {
            Rule::Union(rule) => {
                let Members::Fields(fields) = &rule.members else { return None };
                let two = matches!(rule.demand, Demand::AtMostOne) || random.percent(50);
                for field in fields {
                    object.remove(name(*field));
                }
                if two {
                    for field in fields.iter().take(2) {
                        object.insert(name(*field), self.set_field(random, *field, Filling::Full, 1));
                    }
                }
            }
            Rule::Mode(rule) => {
                // A mode without rules forbids the field.
                let known = |value: &Literal| rule.modes.iter().any(|mode| mode.value == *value);
                let other = match rule.modes.first()?.value {
                    Literal::Bool(_) => Value::from(!known(&Literal::Bool(true))),
                    _ => self.set_field(random, rule.discriminator, Filling::Full, 1),
                };
                object.insert(name(rule.discriminator), other);
                object.insert(rule.name.as_str(), self.set_field(random, rule.field, Filling::Full, 1));
            }
            Rule::Dependent(rule) => {
                object.insert(name(rule.trigger), self.set_field(random, rule.trigger, Filling::Full, 1));
                if rule.required {
                    object.remove(name(rule.dependent));
                } else {
                    object.insert(name(rule.dependent), self.set_field(random, rule.dependent, Filling::Full, 1));
                }
            }
            Rule::IntegerBoundByField(rule) => {
                let bound: Vec<&str> = rule.bound.iter().map(|field| name(*field)).collect();
                let limit = object.lookup(&bound)?.as_i64()?;
                let beyond = sample::beyond(rule.side, limit.into());
                if let [TargetStep::Field(field)] = rule.target()[..] {
                    object.insert(name(field), beyond);
                } else if !self.set_bounded(object, &rule.target(), beyond) {
                    return None;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The value that counts as unset in a list.
    fn zero(&self, ty: TypeId) -> Value {
        match self.program.layout_of(ty).form {
            Form::Text | Form::NamedText | Form::Bytes => Value::from(""),
            Form::Int | Form::Float => Value::from(0),
            Form::Bool => Value::from(false),
            Form::List(_) => Value::array(),
            Form::Struct(_) | Form::Map(..) | Form::Any => Value::object(),
        }
    }

    /// Draws some field of some struct anew.
    pub(crate) fn disturb(&self, random: &mut Random, object: &mut Value, owners: &[Target<'p>]) {
        let Some(target) = random.pick(owners) else { return };
        let Some(field) = target.field else { return };
        let structs = self.structs(object, target.owner);
        let Some(place) = random.pick(&structs).and_then(|way| follow(object, way)) else { return };
        let name = self.program.field_name(field);
        match place.get_mut(name).and_then(Value::as_array_mut) {
            Some(items) if random.percent(40) => items.as_mut_slice().reverse(),
            _ if random.percent(20) => {
                place.remove(name);
            }
            _ => {
                place.insert(name, self.set_field(random, field, Filling::Some, 1));
            }
        }
    }
}

/// The mode that a rule belongs to.
fn mode_of<'p>(check: &'p Check, rule: &Rule) -> Option<(&'p ModeRule, &'p Mode)> {
    let Rule::Mode(modes) = &check.rule else { return None };
    let has = |mode: &&Mode| mode.checks.iter().any(|check| std::ptr::eq(&raw const check.rule, rule));
    modes.modes.iter().find(has).map(|mode| (&**modes, mode))
}

fn read<'v>(object: &'v mut Value, slot: &Slot) -> Option<&'v mut Value> {
    follow(follow(object, &slot.parent)?, std::slice::from_ref(&slot.step)).filter(|value| !value.is_null())
}

/// Sets or removes the value of a slot.
fn write(object: &mut Value, slot: &Slot, value: Option<Value>) -> Option<()> {
    let parent = follow(object, &slot.parent)?;
    match (&slot.step, value) {
        (Step::Key(key), Some(value)) => {
            parent.insert(key.as_str(), value);
        }
        (Step::Key(key), None) => {
            parent.remove(key);
        }
        (Step::Index(at), Some(value)) => *parent.as_array_mut()?.get_mut(*at)? = value,
        (Step::Index(at), None) => {
            parent.as_array_mut()?.remove(*at);
        }
    }
    Some(())
}

/// Gives an entry of a map another key.
fn rename(object: &mut Value, slot: &Slot, key: &str) -> Option<()> {
    let Step::Key(before) = &slot.step else { return None };
    let parent = follow(object, &slot.parent)?;
    let value = parent.remove(before)?;
    parent.insert(key, value);
    Some(())
}
