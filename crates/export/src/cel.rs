//! Rules as CEL expressions.

use sprag_program::{Check, FieldRef, Form, Literal, ProgramParts, Rule, Term};
use sprag_schema::cel_name;
use sprag_value::{Value, json};

use crate::formats::{self, Form as TextForm};

/// Writes expressions about values of a program's types.
#[derive(Clone, Copy)]
pub(crate) struct Cel<'p> {
    pub(crate) parts: &'p ProgramParts,
    /// The expression for the bound that [`Rule::IntegerBoundByField`] has read.
    pub(crate) bound: Option<&'p str>,
}

/// A field of a struct, seen from an expression for the struct.
pub(crate) struct Member<'a> {
    /// The expression that reads it. Fails where it is absent.
    access: String,
    pub(crate) form: Form,
    pub(crate) pointer: bool,
    pub(crate) name: &'a str,
}

impl<'p> Cel<'p> {
    pub(crate) fn new(parts: &'p ProgramParts) -> Cel<'p> {
        Cel { parts, bound: None }
    }

    /// A field of the struct that an expression stands for; `None` when expressions cannot reach it.
    pub(crate) fn member(self, parent: &str, field: FieldRef) -> Option<Member<'p>> {
        let member = self.parts.defs[field.def.index()].members.get(field.index)?;
        let name = member.json.as_deref()?;
        let layout = self.parts.types[member.ty.index()];
        let access = format!("{parent}.{}", cel_name(name)?);
        Some(Member { access, form: layout.form, pointer: layout.pointer, name })
    }

    /// Returns an expression that tests a check on the value of an expression, which is present.
    pub(crate) fn holds(self, check: &Check, value: &str) -> Option<String> {
        Some(match &check.rule {
            Rule::MinLength(least) | Rule::MinItems(least) | Rule::MinProperties(least) => {
                format!("size({value}) >= {least}")
            }
            Rule::MaxLength(most) | Rule::MaxItems(most) | Rule::MaxProperties(most) => {
                format!("size({value}) <= {most}")
            }
            Rule::MaxBytes(most) => format!("size(bytes({value})) <= {most}"),
            Rule::IntegerBound(side, bound) => {
                format!("{value} {} {}", side.operator(), i64::try_from(*bound).ok()?)
            }
            Rule::IntegerBoundOfOwner(side) => format!("{value} {} {}", side.operator(), self.bound?),
            Rule::NotEqual(unwanted) => format!("{value} != {}", literal(unwanted)?),
            Rule::Format(format) => match formats::form(*format)? {
                TextForm::Expression { expression, .. } => expression.replace("{}", value),
                TextForm::Pattern { pattern, max_length } => {
                    let matches = format!("{value}.matches({})", text(pattern));
                    max_length.map_or(matches.clone(), |most| format!("size({value}) <= {most} && {matches}"))
                }
            },
            Rule::Pattern(pattern) => {
                let pattern = self.parts.plan.pattern(*pattern);
                format!("{value}.matches({})", text(pattern.as_str()))
            }
            Rule::Enum(rule) if rule.exclusions.is_empty() => {
                let values: Vec<String> = rule.values.iter().map(|value| text(value)).collect();
                format!("{value} in [{}]", values.join(", "))
            }
            Rule::Subfield(field, check) => self.member_holds(check, value, *field)?,
            _ => return None,
        })
    }

    /// Returns an expression that tests a check on a field, present or not, of the struct that an expression stands
    /// for.
    pub(crate) fn member_holds(self, check: &Check, parent: &str, field: FieldRef) -> Option<String> {
        let member = self.member(parent, field)?;
        match &check.rule {
            Rule::Required => Some(member.is_set()),
            Rule::Forbidden => Some(format!("!({})", member.is_set())),
            Rule::Optional => None,
            Rule::IfSet(inner) => {
                let holds = self.holds(inner, &member.access)?;
                Some(format!("(!{} || ({holds}))", member.is_set()))
            }
            _ if member.pointer => {
                let holds = self.holds(check, &member.access)?;
                Some(format!("!has({}) || ({holds})", member.access))
            }
            _ => self.holds(check, &member.or_zero()?),
        }
    }

    /// Returns an expression that tests whether an element has these keys.
    pub(crate) fn selects(self, element: &str, terms: &[Term]) -> Option<String> {
        let term = |term: &Term| {
            let member = self.member(element, term.field)?;
            let wanted = literal(&term.value)?;
            Some(if member.pointer {
                format!("has({0}) && {0} == {wanted}", member.access)
            } else {
                format!("{} == {wanted}", member.or_zero()?)
            })
        };
        Some(terms.iter().map(term).collect::<Option<Vec<_>>>()?.join(" && "))
    }

    /// Returns an expression that tests whether two elements have the same keys.
    pub(crate) fn same_keys(self, keys: &[FieldRef], [one, other]: [&str; 2]) -> Option<String> {
        let same = |field: &FieldRef| {
            let [one, other] = [self.member(one, *field)?, self.member(other, *field)?];
            Some(format!("{} == {}", one.or_zero_of_key()?, other.or_zero_of_key()?))
        };
        Some(keys.iter().map(same).collect::<Option<Vec<_>>>()?.join(" && "))
    }
}

impl Member<'_> {
    /// The expression that reads the field, where it is known to be there.
    pub(crate) fn access(&self) -> &str {
        &self.access
    }

    /// Returns an expression that tests whether the field counts as set.
    pub(crate) fn is_set(&self) -> String {
        let access = &self.access;
        if self.pointer {
            return format!("has({access})");
        }
        match self.form {
            Form::Text | Form::NamedText => format!("(has({access}) && {access} != \"\")"),
            Form::Int => format!("(has({access}) && {access} != 0)"),
            Form::Float => format!("(has({access}) && {access} != 0.0)"),
            Form::Bool => format!("(has({access}) && {access})"),
            Form::Bytes | Form::List(_) | Form::Map(..) => format!("(has({access}) && size({access}) > 0)"),
            Form::Struct(_) => "true".to_owned(),
            Form::Any => format!("has({access})"),
        }
    }

    /// The value of the field, or the zero value that it has when it is absent; `None` where expressions have no such value.
    pub(crate) fn or_zero(&self) -> Option<String> {
        let zero = match self.form {
            _ if self.pointer => return None,
            Form::Text | Form::NamedText => "\"\"",
            Form::Int => "0",
            Form::Float => "0.0",
            Form::Bool => "false",
            Form::List(_) => "[]",
            Form::Map(..) => "{}",
            Form::Bytes | Form::Struct(_) | Form::Any => return None,
        };
        Some(format!("(has({0}) ? {0} : {zero})", self.access))
    }

    /// The same for a key of a list, which is always there.
    fn or_zero_of_key(&self) -> Option<&str> {
        matches!(self.form, Form::Text | Form::NamedText | Form::Int | Form::Bool).then_some(self.access.as_str())
    }

    /// Returns an expression that tests whether the field has the value of another one, that of the old object.
    pub(crate) fn equals(&self, old: &Member<'_>) -> String {
        if let (Some(new), Some(old)) = (self.or_zero(), old.or_zero()) {
            return format!("{new} == {old}");
        }
        let new = &self.access;
        let old = &old.access;
        format!("has({new}) == has({old}) && (!has({new}) || {new} == {old})")
    }
}

/// A text as a literal. Those of JSON are literals of CEL.
pub(crate) fn text(text: &str) -> String {
    json::to_string(&Value::from(text))
}

pub(crate) fn literal(literal: &Literal) -> Option<String> {
    Some(match literal {
        Literal::String(value) => text(value),
        Literal::Int(number) => i64::try_from(*number).ok()?.to_string(),
        Literal::Bool(value) => value.to_string(),
    })
}
