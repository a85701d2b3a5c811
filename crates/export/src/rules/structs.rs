//! Rules over several fields of a struct, as CEL.

use sprag_field::Stage;
use sprag_program::{
    Check, Demand, DependentRule, FieldRef, Form, IntegerBoundByField, Literal, Members, ModeRule, Rule, UnionRule,
};

use super::{NO_EXPRESSION, Rules, Spot};
use crate::cel::{Cel, literal, text};
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
                let chosen = Cel::new(self.parts).member("self", *field)?.or_zero()?;
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
        let cel = Cel::new(self.parts);
        match members {
            Members::Fields(fields) => fields.iter().map(|field| Some(cel.member("self", *field)?.is_set())).collect(),
            Members::Items(items) => {
                items.iter().map(|terms| Some(format!("self.exists(item, {})", cel.selects("item", terms)?))).collect()
            }
            Members::Paths(_) => None,
        }
    }

    fn mode(&self, rule: &ModeRule) -> Option<Vec<(String, String)>> {
        let cel = Cel::new(self.parts);
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
                    self.program.words(&check.rule).demand,
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
        let cel = Cel::new(self.parts);
        let trigger = cel.member("self", rule.trigger)?;
        let dependent = cel.member("self", rule.dependent)?;
        let is_set = trigger.is_set();
        let other_set = dependent.is_set();
        let (demand, text) = if rule.required { (other_set, "must") } else { (format!("!({other_set})"), "may not") };
        let message = format!("{} {text} be set when {} is set", dependent.name, trigger.name);
        Some((format!("!({is_set}) || {demand}"), message))
    }

    fn bound_by_field(&self, rule: &IntegerBoundByField) -> Option<(String, String)> {
        let bound = self.bound(&rule.bound)?;
        let cel = Cel { bound: Some(&bound.value), ..Cel::new(self.parts) };
        let (holds, target) = self.way(cel, &rule.check, "self", None)?;
        let message = format!("{target} must be {} {}", rule.side.operator(), bound.name);
        Some((bound.known.map_or(holds.clone(), |known| format!("!({known}) || {holds}")), message))
    }

    /// True if the fields of a field are those of the struct itself.
    fn is_embedded(&self, field: FieldRef) -> bool {
        self.parts.defs[field.def.index()].members[field.index].json.is_none()
    }

    /// The value at the end of a path of fields.
    fn bound(&self, path: &[FieldRef]) -> Option<Bound> {
        let cel = Cel::new(self.parts);
        let mut access = "self".to_owned();
        let mut names = Vec::new();
        let mut known: Vec<String> = Vec::new();
        let mut zero_without: Vec<String> = Vec::new();
        for field in path {
            if self.is_embedded(*field) {
                continue;
            }
            let member = cel.member(&access, *field)?;
            zero_without.push(format!("has({})", member.access()));
            if member.pointer {
                known.append(&mut zero_without);
            }
            names.push(member.name);
            member.access().clone_into(&mut access);
        }
        let known = (!known.is_empty()).then(|| known.join(" && "));
        let value =
            if zero_without.is_empty() { access } else { format!("({} ? {access} : 0)", zero_without.join(" && ")) };
        Some(Bound { value, known, name: names.join(".") })
    }

    /// An expression that tests the values below the one of an expression, and a name for these values.
    fn way(&self, cel: Cel<'_>, check: &Check, value: &str, form: Option<Form>) -> Option<(String, String)> {
        match &check.rule {
            Rule::Subfield(field, inner) if self.is_embedded(*field) => self.way(cel, inner, value, form),
            Rule::Subfield(field, inner) => {
                let member = cel.member(value, *field)?;
                let is_last = matches!(inner.rule, Rule::IntegerBoundOfOwner(_));
                let (holds, rest) = self.way(cel, inner, member.access(), Some(member.form))?;
                let name = format!("{}{rest}", member.name);
                let is_set = format!("has({})", member.access());
                let holds = match member.or_zero() {
                    _ if matches!(inner.rule, Rule::IfSet(_)) => format!("(!{} || ({holds}))", member.is_set()),
                    Some(value) if is_last => cel.holds(inner, &value)?,
                    _ if !member.pointer && matches!(member.form, Form::Struct(_)) => {
                        let of_zero = of_zero(cel, inner)?;
                        if of_zero == ALWAYS {
                            format!("(!{is_set} || ({holds}))")
                        } else {
                            format!("({is_set} ? ({holds}) : {of_zero})")
                        }
                    }
                    _ => format!("(!{is_set} || ({holds}))"),
                };
                Some((holds, if form.is_some() { format!(".{name}") } else { name }))
            }
            Rule::EachVal(_, inner) => match form? {
                Form::List(elem) => {
                    let (holds, rest) = self.way(cel, inner, "item", Some(self.parts.types[elem.index()].form))?;
                    Some((format!("{value}.all(item, {holds})"), format!("[*]{rest}")))
                }
                Form::Map(_, elem) => {
                    let element = format!("{value}[key]");
                    let (holds, rest) = self.way(cel, inner, &element, Some(self.parts.types[elem.index()].form))?;
                    Some((format!("{value}.all(key, {holds})"), format!("[*]{rest}")))
                }
                _ => None,
            },
            Rule::Item(terms, inner) => {
                let Form::List(elem) = form? else { return None };
                let (holds, rest) = self.way(cel, inner, "item", Some(self.parts.types[elem.index()].form))?;
                let selects = cel.selects("item", terms)?;
                Some((format!("{value}.all(item, !({selects}) || {holds})"), format!("[*]{rest}")))
            }
            Rule::IfSet(inner) => self.way(cel, inner, value, form),
            _ => Some((cel.holds(check, value)?, String::new())),
        }
    }
}

/// An expression that tests what a struct without any field has there; `true` where it has nothing.
fn of_zero(cel: Cel<'_>, check: &Check) -> Option<String> {
    match &check.rule {
        Rule::Subfield(field, inner) => {
            let member = cel.member("self", *field)?;
            let by_value = !member.pointer && matches!(member.form, Form::Struct(_) | Form::Int);
            if by_value { of_zero(cel, inner) } else { Some(ALWAYS.to_owned()) }
        }
        Rule::IntegerBoundOfOwner(_) => cel.holds(check, "0"),
        _ => Some(ALWAYS.to_owned()),
    }
}

/// The expression that holds for all values.
const ALWAYS: &str = "true";

/// A bound that is the value of a field.
struct Bound {
    /// The expression that reads it, where it is known.
    value: String,
    /// The expression that tests whether there is a bound; `None` if there always is.
    known: Option<String>,
    name: String,
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
