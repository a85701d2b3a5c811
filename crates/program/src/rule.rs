//! The rules that a check can be about, with their arguments.

use sprag_checks::format::Format;
use sprag_checks::update::Constraint;
use sprag_field::{BadValue, Stage};

use crate::{Check, DefId, FieldRef, PatternId};

/// A rule, with its arguments.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Must be set.
    Required,
    /// Yields (without an error) when unset.
    Optional,
    /// Must be unset.
    Forbidden,
    /// At least this many characters.
    MinLength(u64),
    /// At most this many characters.
    MaxLength(u64),
    /// At most this many bytes.
    MaxBytes(u64),
    /// At least this many elements.
    MinItems(u64),
    /// At most this many elements.
    MaxItems(u64),
    /// At least this many entries.
    MinProperties(u64),
    /// At most this many entries.
    MaxProperties(u64),
    /// An integer bound.
    IntegerBound(BoundSide, i128),
    /// An integer bound that is read from another field.
    IntegerBoundByField(IntegerBoundByField),
    /// The bound that the [`Rule::IntegerBoundByField`] around this check has read.
    IntegerBoundOfOwner(BoundSide),
    /// Must differ from a literal.
    NotEqual(Literal),
    /// Must satisfy a named format.
    Format(Format),
    /// Must match a regular expression.
    Pattern(PatternId),
    /// Must be one of the declared constants.
    Enum(EnumRule),
    /// Must not change on update.
    Immutable,
    /// Must not get smaller on update.
    Monotonic,
    /// Must not make these transitions on update.
    Update(UpdateRule),
    /// Elements must differ in their identity.
    Unique(Identity),
    /// No element may be null.
    NoNilElements,
    /// Always passes, or always fails with this message.
    Fixed {
        /// True if it passes.
        passes: bool,
        /// The message of a failure.
        message: String,
    },
    /// A hand-written check.
    Custom(HookCall),
    /// The validator of a declared type.
    Type(DefId),
    /// The inner check on every key of a map.
    EachKey(Box<Check>),
    /// The inner check on every value of a map or element of a list.
    EachVal(Option<Identity>, Box<Check>),
    /// The inner check on the element with these keys.
    Item(Vec<Term>, Box<Check>),
    /// The element with these keys may not disappear on update.
    ItemKept(Vec<Term>),
    /// The inner check on a field of this struct.
    Subfield(FieldRef, Box<Check>),
    /// The inner check where the value is set.
    IfSet(Box<Check>),
    /// The inner checks when an option has this value.
    IfOption {
        /// The option's name.
        option: String,
        /// The value it must have.
        enabled: bool,
        /// The check to run then.
        check: Box<Check>,
    },
    /// The inner check when the request's subresource is (or is not) this path.
    IfSubresource {
        /// The path, with a leading slash.
        path: String,
        /// True if the request must be for it, false if it must not be.
        matches: bool,
        /// The check to run then.
        check: Box<Check>,
    },
    /// Exactly one, or at most one, of several members must be set.
    Union(Box<UnionRule>),
    /// A field's rules depend on the value of another.
    Mode(Box<ModeRule>),
    /// A field may force or forbid a sibling.
    Dependent(DependentRule),
    /// A field that belongs to a feature: while the option is off, it may only be set if it was set before, and nothing is
    /// demanded of it when it is unset.
    FeatureGate(String),
    /// The inner check while a feature is on. Unlike an option that rules depend on, one that is not known is off.
    IfFeature {
        /// The feature gate.
        gate: String,
        /// The check to run then.
        check: Box<Check>,
    },
}

/// The result of a rule for a value that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenMissing {
    /// It never yields anything.
    Passes,
    /// It may yield something.
    MayYield,
    /// It yields something, as it does for every value that counts as unset and for no other.
    Yields,
}

impl Rule {
    /// The checks inside of the rule.
    pub fn inner(&self) -> Vec<&Check> {
        self.parts().0
    }

    /// The options, feature gates mostly, that the rule itself depends on.
    pub fn options(&self) -> Vec<&str> {
        self.parts().1
    }

    /// The checks inside of the rule, and the options that it depends on.
    fn parts(&self) -> (Vec<&Check>, Vec<&str>) {
        match self {
            Rule::EachKey(check)
            | Rule::EachVal(_, check)
            | Rule::Item(_, check)
            | Rule::Subfield(_, check)
            | Rule::IfSet(check)
            | Rule::IfSubresource { check, .. } => (vec![check], Vec::new()),
            Rule::IfOption { option: name, check, .. } | Rule::IfFeature { gate: name, check } => {
                (vec![check], vec![name])
            }
            Rule::Mode(rule) => (rule.modes.iter().flat_map(|mode| &mode.checks).collect(), Vec::new()),
            Rule::FeatureGate(name) => (Vec::new(), vec![name]),
            Rule::Enum(rule) => {
                (Vec::new(), rule.exclusions.iter().map(|exclusion| exclusion.option.as_str()).collect())
            }
            Rule::Required
            | Rule::Optional
            | Rule::Forbidden
            | Rule::MinLength(_)
            | Rule::MaxLength(_)
            | Rule::MaxBytes(_)
            | Rule::MinItems(_)
            | Rule::MaxItems(_)
            | Rule::MinProperties(_)
            | Rule::MaxProperties(_)
            | Rule::IntegerBound(..)
            | Rule::IntegerBoundByField(_)
            | Rule::IntegerBoundOfOwner(_)
            | Rule::NotEqual(_)
            | Rule::Format(_)
            | Rule::Pattern(_)
            | Rule::Immutable
            | Rule::Monotonic
            | Rule::Update(_)
            | Rule::Unique(_)
            | Rule::NoNilElements
            | Rule::Fixed { .. }
            | Rule::Custom(_)
            | Rule::Type(_)
            | Rule::ItemKept(_)
            | Rule::Union(_)
            | Rule::Dependent(_) => (Vec::new(), Vec::new()),
        }
    }

    /// Tells if the rule, or one that it wraps, compares a value with the one before an update.
    pub fn judges_transitions(&self) -> bool {
        matches!(self, Rule::Immutable | Rule::Monotonic | Rule::Update(_) | Rule::ItemKept(_))
            || self.inner().into_iter().any(|check| check.rule.judges_transitions())
    }

    /// The result of the rule for a value that is missing.
    pub fn when_missing(&self) -> WhenMissing {
        match self {
            Rule::Required | Rule::Optional => WhenMissing::Yields,
            Rule::MinItems(_)
            | Rule::MinProperties(_)
            | Rule::Immutable
            | Rule::Update(_)
            | Rule::Custom(_)
            | Rule::Type(_)
            | Rule::ItemKept(_)
            | Rule::IfOption { .. }
            | Rule::Union(_)
            | Rule::FeatureGate(_)
            | Rule::Fixed { passes: false, .. } => WhenMissing::MayYield,
            Rule::IfSubresource { check, .. } | Rule::IfFeature { check, .. } => match check.rule.when_missing() {
                WhenMissing::Passes => WhenMissing::Passes,
                WhenMissing::MayYield | WhenMissing::Yields => WhenMissing::MayYield,
            },
            Rule::Forbidden
            | Rule::MinLength(_)
            | Rule::MaxLength(_)
            | Rule::MaxBytes(_)
            | Rule::MaxItems(_)
            | Rule::MaxProperties(_)
            | Rule::IntegerBound(..)
            | Rule::IntegerBoundByField(_)
            | Rule::IntegerBoundOfOwner(_)
            | Rule::NotEqual(_)
            | Rule::Format(_)
            | Rule::Pattern(_)
            | Rule::Enum(_)
            | Rule::Monotonic
            | Rule::Unique(_)
            | Rule::NoNilElements
            | Rule::Fixed { passes: true, .. }
            | Rule::EachKey(_)
            | Rule::EachVal(..)
            | Rule::Item(..)
            | Rule::Subfield(..)
            | Rule::IfSet(_)
            | Rule::Mode(_)
            | Rule::Dependent(_) => WhenMissing::Passes,
        }
    }
}

/// The side of a bound that an integer must be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundSide {
    /// Not below.
    Minimum,
    /// Not above.
    Maximum,
    /// Above.
    ExclusiveMinimum,
    /// Below.
    ExclusiveMaximum,
}

impl BoundSide {
    /// The name of the tag, without its prefix.
    pub fn name(self) -> &'static str {
        match self {
            BoundSide::Minimum => "minimum",
            BoundSide::Maximum => "maximum",
            BoundSide::ExclusiveMinimum => "exclusiveMinimum",
            BoundSide::ExclusiveMaximum => "exclusiveMaximum",
        }
    }
}

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
