//! The arguments of rules.

use sprag_checks::update::Constraint;
use sprag_field::{BadValue, Stage};

use super::{BoundSide, Rule};
use crate::{Check, FieldRef};

/// A bound that is the value of another field, checked at the struct that holds both.
#[derive(Clone, Debug)]
pub struct IntegerBoundByField {
    /// The side of the bound.
    pub side: BoundSide,
    /// The fields that lead to the bound.
    pub bound: Vec<FieldRef>,
    /// The way from the struct to the values under check: fields, elements and items, with [`Rule::IntegerBoundOfOwner`] inside.
    pub check: Box<Check>,
}

/// A step from a struct towards a value under check.
#[derive(Clone, Copy, Debug)]
pub enum TargetStep<'r> {
    /// Into a field.
    Field(FieldRef),
    /// Into every element of a list or value of a map.
    Each,
    /// Into the element with these keys.
    Item(&'r [Term]),
}

impl IntegerBoundByField {
    /// The way from the struct to the values under check.
    pub fn target(&self) -> Vec<TargetStep<'_>> {
        let mut steps = Vec::new();
        let mut at = &self.check;
        loop {
            at = match &at.rule {
                Rule::Subfield(field, inner) => {
                    steps.push(TargetStep::Field(*field));
                    inner
                }
                Rule::EachVal(_, inner) => {
                    steps.push(TargetStep::Each);
                    inner
                }
                Rule::Item(terms, inner) => {
                    steps.push(TargetStep::Item(terms));
                    inner
                }
                Rule::IfSet(inner) => inner,
                _ => return steps,
            };
        }
    }
}

/// A literal in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A string.
    String(String),
    /// An integer.
    Int(i128),
    /// A boolean.
    Bool(bool),
}

impl Literal {
    /// The literal as errors show it: as JSON.
    pub fn show(&self) -> BadValue {
        match self {
            Literal::String(text) => BadValue::json_str(text),
            Literal::Int(number) => BadValue::Json(number.to_string()),
            Literal::Bool(value) => BadValue::Bool(*value),
        }
    }
}

/// A call of a hand-written check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCall {
    /// The name of the function.
    pub name: String,
    /// The tag that calls it, as it was written, without the `+`.
    pub tag: String,
    /// The rule in plain words.
    pub words: String,
    /// The arguments from the tag, in the order of the function's parameters.
    pub args: Vec<HookArg>,
}

/// A value that a tag passes to a hand-written check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookArg {
    /// One that every such tag has.
    Required(Literal),
    /// One that a tag may leave out.
    Optional(Option<Literal>),
}

/// The values of an enum and when some of them are excluded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnumRule {
    /// The values, sorted.
    pub values: Vec<String>,
    /// Exclusions, in the order in which their options are looked up.
    pub exclusions: Vec<Exclusion>,
}

/// A value that is excluded while an option has a certain state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The value.
    pub value: String,
    /// The option.
    pub option: String,
    /// The state of the option that excludes the value.
    pub when: bool,
}

/// Transitions that are refused on update.
#[derive(Clone, Debug)]
pub struct UpdateRule {
    /// The transitions, in the order of their checks.
    pub constraints: Vec<Constraint>,
    /// The identity of elements, for lists.
    pub identity: Option<Identity>,
    /// Nothing is refused where the parent is new on update.
    pub scoped_to_parent: bool,
    /// Errors about removed list elements show their identity.
    pub labels_items: bool,
}

/// The identity of list elements: which old element a new one corresponds to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Their whole value.
    Value,
    /// Some of their fields.
    Keys(Vec<FieldRef>),
}

/// One key of an item selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The key field.
    pub field: FieldRef,
    /// Its value.
    pub value: Literal,
}

/// A union.
#[derive(Clone, Debug)]
pub struct UnionRule {
    /// The demand on the members.
    pub demand: Demand,
    /// The members' names in texts, in order.
    pub labels: Vec<String>,
    /// The members themselves, in the order in which they are looked at.
    pub members: Members,
}

/// The demand of a union on its members.
#[derive(Clone, Debug)]
pub enum Demand {
    /// Exactly one set member.
    ExactlyOne,
    /// At most one set member.
    AtMostOne,
    /// The member that a discriminator names, and no other.
    Discriminated {
        /// The discriminator field.
        field: FieldRef,
        /// Its name in texts.
        name: String,
        /// The discriminator value of each member.
        values: Vec<String>,
    },
}

/// The members of a union.
#[derive(Clone, Debug)]
pub enum Members {
    /// Fields of the struct.
    Fields(Vec<FieldRef>),
    /// Elements of the list.
    Items(Vec<Vec<Term>>),
    /// Fields anywhere below the struct, each reached through fields, or an element of a list reached so.
    Paths(Vec<MemberPath>),
}

/// A member of a union somewhere below the struct that has the union.
#[derive(Clone, Debug)]
pub struct MemberPath {
    /// The fields that lead to it.
    pub fields: Vec<FieldRef>,
    /// The keys that select an element of the list found there.
    pub item: Option<Vec<Term>>,
}

/// Rules of a field that depend on the value of a discriminator.
#[derive(Clone, Debug)]
pub struct ModeRule {
    /// The discriminator.
    pub discriminator: FieldRef,
    /// The field under check.
    pub field: FieldRef,
    /// Its name in paths.
    pub name: String,
    /// Rules by discriminator value, sorted by value.
    pub modes: Vec<Mode>,
    /// Stage of the error for a value without rules.
    pub forbidden_stage: Stage,
}

/// The checks of one mode.
#[derive(Clone, Debug)]
pub struct Mode {
    /// The discriminator value: a string or a boolean.
    pub value: Literal,
    /// The most mature stage of its rules: while that is shadowed, the value counts as one without rules.
    pub stage: Stage,
    /// The checks, in order.
    pub checks: Vec<Check>,
}

/// A field that forces or forbids a sibling.
#[derive(Clone, Debug)]
pub struct DependentRule {
    /// The field that forces or forbids the sibling when it is set.
    pub trigger: FieldRef,
    /// The sibling.
    pub dependent: FieldRef,
    /// True if the sibling must be set, false if it must not be.
    pub required: bool,
}
