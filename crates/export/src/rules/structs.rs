//! Rules over several fields of a struct, as CEL.

use sprag_field::Stage;
use sprag_program::{
    Check, Demand, DependentRule, Form, IntegerBoundByField, Literal, Members, ModeRule, Rule, UnionRule,
};

use super::{NO_EXPRESSION, Rules, Spot, describe};
use crate::cel::{Cel, literal, operator, text};
use crate::schema::Schema;

impl Rules<'_> {
    pub(super) fn add_struct_rule(&mut self, schema: &mut Schema, check: &Check, spot: &Spot) {
        let rules = match &check.rule {
            Rule::Union(rule) => self.union(rule),
            Rule::Mode(rule) => self.mode(rule),
            Rule::Dependent(rule) => self.dependent(rule).map(|rule| vec![rule]),
            Rule::IntegerBoundByField(rule) => self.bound_by_field(rule).map(|rule| vec![rule]),
            _ => None,
        };
        let Some(rules) = rules else { return self.leave(spot, &check.rule, NO_EXPRESSION) };
        for (rule, message) in rules {
            schema.rule(&rule, &message);
        }
    }

    fn union(&self, rule: &UnionRule) -> Option<Vec<(String, String)>> {
        let set = self.members_set(&rule.members)?;
        let labels: Vec<String> = rule.labels.iter().map(|label| format!("`{label}`")).collect();
        let count = || {
            let counted: Vec<String> = set.iter().map(|set| format!("({set} ? 1 : 0)")).collect();
            counted.join(" + ")
        };
        Some(match &rule.demand {
            Demand::ExactlyOne => {
                vec![(format!("{} == 1", count()), format!("must specify exactly one of: {}", labels.join(", ")))]
            }
            Demand::AtMostOne => {
                vec![(format!("{} <= 1", count()), format!("must specify at most one of: {}", labels.join(", ")))]
            }
            Demand::Discriminated { field, name, values } => {
                let chosen = Cel { parts: self.parts }.member("self", *field)?.or_zero()?;
                let one = |((set, label), value): ((&String, &String), &String)| {
                    let rule = format!("{set} == ({chosen} == {})", text(value));
                    (rule, format!("{label} must be specified when {name} is {value}, and not otherwise"))
                };
                set.iter().zip(&labels).zip(values).map(one).collect()
            }
        })
    }

    /// For each member of a union, whether it is set.
    fn members_set(&self, members: &Members) -> Option<Vec<String>> {
        let cel = Cel { parts: self.parts };
        match members {
            Members::Fields(fields) => fields.iter().map(|field| Some(cel.member("self", *field)?.is_set())).collect(),
            Members::Items(items) => {
                items.iter().map(|terms| Some(format!("self.exists(item, {})", cel.selects("item", terms)?))).collect()
            }
            Members::Paths(_) => None,
        }
    }

    fn mode(&self, rule: &ModeRule) -> Option<Vec<(String, String)>> {
        let cel = Cel { parts: self.parts };
        let discriminator = cel.member("self", rule.discriminator)?;
        let mode = match discriminator.or_zero() {
            Some(mode) => mode,
            // Of an enum behind a pointer, no mode is chosen while it is unset.
            None if matches!(discriminator.form, Form::Text | Form::NamedText) => {
                format!("(has({0}) ? {0} : \"\")", discriminator.access())
            }
            None => return None,
        };
        let field = cel.member("self", rule.field)?;
        let mut rules = Vec::new();
        let mut chosen = Vec::new();
        for one in &rule.modes {
            let value = literal(&one.value)?;
            // While its rules are only observed, a value counts as one without rules.
            if one.stage != Stage::Alpha || rule.forbidden_stage == Stage::Alpha {
                chosen.push(format!("{mode} != {value}"));
            }
            for check in enforced(&one.checks)? {
                let is_optional = |check: &Check| matches!(check.rule, Rule::Optional) && check.stage != Stage::Alpha;
                let optional = one.checks.iter().any(is_optional);
                let holds = cel.member_holds(check, "self", rule.field)?;
                let holds = if optional { format!("!({}) || ({holds})", field.is_set()) } else { holds };
                let message = format!(
                    "{} {} when {} is {}",
                    rule.name,
                    describe(&check.rule),
                    discriminator.name,
                    show(&one.value)
                );
                rules.push((format!("{mode} != {value} || ({holds})"), message));
            }
        }
        if rule.forbidden_stage != Stage::Alpha {
            chosen.push(field.is_set());
            let rest = format!("!({})", chosen.join(" && "));
            rules.push((rest, format!("{} may not be set with this value of {}", rule.name, discriminator.name)));
        }
        Some(rules)
    }

    fn dependent(&self, rule: &DependentRule) -> Option<(String, String)> {
        let cel = Cel { parts: self.parts };
        let (trigger, dependent) = (cel.member("self", rule.trigger)?, cel.member("self", rule.dependent)?);
        let (is_set, other_set) = (trigger.is_set(), dependent.is_set());
        let (demand, text) = if rule.required { (other_set, "must") } else { (format!("!({other_set})"), "may not") };
        let message = format!("{} {text} be set when {} is set", dependent.name, trigger.name);
        Some((format!("!({is_set}) || {demand}"), message))
    }

    fn bound_by_field(&self, rule: &IntegerBoundByField) -> Option<(String, String)> {
        let ([target], [bound]) = (rule.target.as_slice(), rule.bound.as_slice()) else { return None };
        let cel = Cel { parts: self.parts };
        let (target, bound) = (cel.member("self", *target)?, cel.member("self", *bound)?);
        let (known, limit) = value_of(&bound)?;
        let compare = operator(rule.side);
        let message = format!("{} must be {compare} {}", target.name, bound.name);
        if rule.each {
            let elements = format!("{}.all(item, item {compare} {limit})", target.access());
            let elements = match target.form {
                Form::Map(..) => format!("{0}.all(key, {0}[key] {compare} {limit})", target.access()),
                _ => elements,
            };
            return Some((format!("!{} || !{known} || {elements}", target.is_set()), message));
        }
        let (there, value) = value_of(&target)?;
        Some((format!("!{there} || !{known} || {value} {compare} {limit}"), message))
    }
}

/// Returns an expression that tests whether an integer field has a value, and the expression of the value.
fn value_of(member: &crate::cel::Member<'_>) -> Option<(String, String)> {
    match member.or_zero() {
        Some(value) => Some(("true".to_owned(), value)),
        None if member.form == Form::Int => Some((format!("has({})", member.access()), member.access().to_owned())),
        None => None,
    }
}

/// The checks of a mode that are enforced; none if one of them only warns.
fn enforced(checks: &[Check]) -> Option<Vec<&Check>> {
    let enforced = || checks.iter().filter(|check| check.stage != Stage::Alpha);
    if enforced().any(|check| check.warning.is_some()) {
        return None;
    }
    Some(enforced().filter(|check| !matches!(check.rule, Rule::Optional)).collect())
}

fn show(value: &Literal) -> String {
    match value {
        Literal::String(text) => text.clone(),
        Literal::Int(number) => number.to_string(),
        Literal::Bool(value) => value.to_string(),
    }
}
