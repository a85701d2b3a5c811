//! Rules about updates, as transition rules of CEL.

use sprag_checks::update::Constraint;
use sprag_program::{Check, FieldRef, Form, Identity, Rule, Term, UpdateRule};

use super::{NO_EXPRESSION, Rules, Spot};
use crate::cel::{Cel, Member};
use crate::schema::{Below, Schema};

const UNCORRELATED: &str = "no old value is found for items of a list without keys";

impl Rules<'_> {
    /// Adds a rule about the change of a member to the schema of the struct, since it may come and go.
    pub(super) fn add_transition(&mut self, parent: &mut Schema, field: FieldRef, check: &Check, spot: &Spot) {
        if spot.uncorrelated {
            return self.leave(spot, &check.rule, UNCORRELATED);
        }
        let cel = Cel::new(self.parts);
        let members = cel.member("self", field).zip(cel.member("oldSelf", field));
        let Some((new, old)) = members else { return self.leave(spot, &check.rule, NO_EXPRESSION) };
        match &check.rule {
            Rule::Immutable => {
                // A field that is always there has the rule itself, as controller-gen's Immutable has it.
                let has_own = parent.requires(new.name)
                    && parent.edit(&Below::Property(new.name), |own| own.rule("self == oldSelf", "field is immutable"));
                if !has_own {
                    parent.rule(&new.equals(&old), &format!("{}: field is immutable", new.name));
                }
            }
            Rule::Monotonic => {
                let rule = match (new.or_zero(), old.or_zero()) {
                    (Some(new), Some(old)) => format!("{new} >= {old}"),
                    _ => format!("!has({0}) || !has({1}) || {0} >= {1}", new.access(), old.access()),
                };
                parent.rule(&rule, &format!("{} {}", new.name, self.program.words(&check.rule).demand));
            }
            Rule::Update(rule) => self.add_constraints(parent, &new, &old, rule, spot),
            _ => {}
        }
    }

    fn add_constraints(
        &mut self,
        parent: &mut Schema,
        new: &Member<'_>,
        old: &Member<'_>,
        rule: &UpdateRule,
        spot: &Spot,
    ) {
        for constraint in &rule.constraints {
            let is_set = new.is_set();
            let was_set = old.is_set();
            let (expression, text) = match constraint {
                Constraint::NoSet => (Some(format!("{was_set} || !({is_set})")), "cannot be set once created"),
                Constraint::NoUnset => (Some(format!("!({was_set}) || {is_set}")), "cannot be cleared once set"),
                Constraint::NoModify => {
                    let same = format!("{} == {}", new.access(), old.access());
                    (Some(format!("!({was_set} && {is_set}) || {same}")), "cannot be modified once set")
                }
                Constraint::NoAddItem => (self.contained(new, old, rule), "item may not be added"),
                Constraint::NoRemoveItem => (self.contained(old, new, rule), "item may not be removed"),
            };
            match expression {
                Some(expression) => parent.rule(&expression, &format!("{}: {text}", new.name)),
                None => self.leave(spot, &Rule::Update(rule.clone()), NO_EXPRESSION),
            }
        }
    }

    /// Returns an expression that tests whether every item or entry of one list or map is in another one.
    fn contained(&self, part: &Member<'_>, whole: &Member<'_>, rule: &UpdateRule) -> Option<String> {
        let part_set = part.is_set();
        let whole_set = whole.is_set();
        let part_access = part.access();
        let whole_access = whole.access();
        let inside = match part.form {
            Form::Map(..) => format!("key in {whole_access}"),
            Form::List(_) => {
                let same = match &rule.identity {
                    Some(Identity::Keys(keys)) => Cel::new(self.parts).same_keys(keys, ["known", "key"])?,
                    Some(Identity::Value) | None => "known == key".to_owned(),
                };
                format!("{whole_access}.exists(known, {same})")
            }
            _ => return None,
        };
        Some(format!("!{part_set} || {part_access}.all(key, {whole_set} && {inside})"))
    }

    pub(super) fn add_item_kept(&mut self, schema: &mut Schema, terms: &[Term], check: &Check, spot: &Spot) {
        if spot.uncorrelated {
            return self.leave(spot, &check.rule, UNCORRELATED);
        }
        let selects = Cel::new(self.parts).selects("item", terms);
        let rule = selects.map(|selects| format!("!oldSelf.exists(item, {selects}) || self.exists(item, {selects})"));
        self.add_expression(schema, spot, &check.rule, rule);
    }
}
