//! The plan: what to check, in which order, and what stops what. Data only.
//!
//! `rules` lowers tags to a plan, `codegen` prints it, the interpreter walks it. A dialect's choices are already
//! made here: neither backend knows that dialects exist.

use sprag_field::Stage;
use sprag_validate::format::Format;
pub use sprag_validate::update::Constraint;

use crate::types::{DefId, FieldRef, TypeId};

/// The validators of a set of types.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// One entry per declared type, in the order of definitions; `None` where nothing is to be checked.
    pub types: Vec<Option<TypePlan>>,
    /// The types that are validated as whole objects.
    pub roots: Vec<Root>,
    /// The hooks that hand-written code must provide.
    pub hooks: Vec<Hook>,
}

impl Plan {
    /// The validator of a declared type, if it has one.
    pub fn of(&self, def: DefId) -> Option<&TypePlan> {
        self.types.get(def.index())?.as_ref()
    }

    /// All regular expressions of the plan.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &str> {
        let types = self.types.iter().flatten();
        let cohorts = types.flat_map(|ty| ty.cohorts.iter().chain(ty.fields.iter().flat_map(|field| &field.cohorts)));
        cohorts.flat_map(|cohort| &cohort.checks).flat_map(Check::patterns)
    }

    /// The root entry of a declared type.
    pub fn root(&self, def: DefId) -> Option<&Root> {
        self.roots.iter().find(|root| root.def == def)
    }
}

/// A type that is validated as a whole object.
#[derive(Clone, Debug)]
pub struct Root {
    /// The type.
    pub def: DefId,
    /// The type as Go prints a pointer to it: `*v1.Pod`.
    pub go_type: String,
    /// Paths of the packages that register it: its own, or those that take it as input.
    pub registered_by: Vec<String>,
    /// The subresource paths it answers for, sorted; `/` is the object itself.
    pub subresources: Vec<String>,
}

/// A hand-written check that a tag refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Its name.
    pub name: String,
    /// The type of the value it gets.
    pub ty: TypeId,
}

/// How to check one declared type.
#[derive(Clone, Debug, Default)]
pub struct TypePlan {
    /// Checks on the value as a whole.
    pub cohorts: Vec<Cohort>,
    /// Descent into keys and elements, for typedefs of maps and lists.
    pub descend: Vec<Check>,
    /// Fields with something to check, in declaration order.
    pub fields: Vec<FieldPlan>,
}

/// How to check one field.
#[derive(Clone, Debug)]
pub struct FieldPlan {
    /// Which field.
    pub field: FieldRef,
    /// Its type.
    pub ty: TypeId,
    /// How its path continues the parent's.
    pub step: Step,
    /// Checks on the field.
    pub cohorts: Vec<Cohort>,
    /// Descent into the field's type, keys and elements; skipped when the default cohort stops.
    pub descend: Vec<Check>,
    /// An unset value ends the field silently: the only stopping check is that it is optional.
    pub ends_unset: bool,
}

/// How a field's path continues its parent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// By name.
    Child(String),
    /// Not at all, except that directly under the root it is this name.
    Inline(String),
}

/// A group of checks that stop each other.
#[derive(Clone, Debug, Default)]
pub struct Cohort {
    /// Its name; empty for the default cohort, which comes first and whose stop ends the field.
    pub name: String,
    /// The checks: those that stop the group first.
    pub checks: Vec<Check>,
    /// How many of the checks stop the group.
    pub stops: usize,
}

/// One check: a rule and what its result means.
#[derive(Clone, Debug)]
pub struct Check {
    /// What to check.
    pub rule: Rule,
    /// Stops the later checks of its group when it yields anything.
    pub short_circuit: bool,
    /// Its errors are dropped; only the stop remains.
    pub non_error: bool,
    /// The life-cycle stage its errors carry.
    pub stage: Stage,
    /// Yields warnings with this text (or its own) in place of errors.
    pub warning: Option<Warning>,
}

/// What a check yields when it is only a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The author's text; the error's own text where there is none.
    pub message: Option<String>,
}

impl Check {
    /// A plain check.
    pub fn new(rule: Rule) -> Check {
        Check { rule, short_circuit: false, non_error: false, stage: Stage::Stable, warning: None }
    }

    /// A check that stops its group.
    pub fn stopping(rule: Rule) -> Check {
        Check { short_circuit: true, ..Check::new(rule) }
    }

    /// A check that stops its group without an error.
    pub fn quiet(rule: Rule) -> Check {
        Check { non_error: true, ..Check::stopping(rule) }
    }

    /// The same flags around another rule, as wrappers need it.
    pub(crate) fn wrapped(self, rule: impl FnOnce(Box<Check>) -> Rule) -> Check {
        let (short_circuit, non_error) = (self.short_circuit, self.non_error);
        let inner = Check { short_circuit: false, non_error: false, ..self };
        Check { short_circuit, non_error, ..Check::new(rule(Box::new(inner))) }
    }

    /// The regular expressions of a check and the checks inside it.
    fn patterns(&self) -> Vec<&str> {
        match &self.rule {
            Rule::Pattern(pattern) => vec![pattern],
            Rule::EachKey(inner)
            | Rule::EachVal(_, inner)
            | Rule::Item(_, inner)
            | Rule::Subfield(_, inner)
            | Rule::IfOption { check: inner, .. }
            | Rule::IfSubresource { check: inner, .. } => inner.patterns(),
            Rule::Mode(rule) => rule.modes.iter().flat_map(|mode| &mode.checks).flat_map(Check::patterns).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the rule has arguments of its own.
    pub(crate) fn has_arguments(&self) -> bool {
        !matches!(
            self.rule,
            Rule::Required
                | Rule::Optional
                | Rule::Forbidden
                | Rule::Format(_)
                | Rule::Immutable
                | Rule::Monotonic
                | Rule::NoNilElements
                | Rule::Custom(_)
                | Rule::Type(_)
        )
    }
}

/// What a check looks at.
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
    Limit(Limit, i128),
    /// An integer bound that is read from another field.
    LimitByField(LimitByField),
    /// Must differ from a literal.
    NotEqual(Literal),
    /// Must satisfy a named format.
    Format(Format),
    /// Must match a regular expression.
    Pattern(String),
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
        /// Whether it passes.
        passes: bool,
        /// The message of a failure.
        message: String,
    },
    /// A hand-written check.
    Custom(String),
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
    /// The inner checks when an option has this value.
    IfOption {
        /// The option's name.
        option: String,
        /// The value it must have.
        enabled: bool,
        /// What to check then.
        check: Box<Check>,
    },
    /// The inner check when the request's subresource is (or is not) this path.
    IfSubresource {
        /// The path, with a leading slash.
        path: String,
        /// Whether the request must be for it.
        matches: bool,
        /// What to check then.
        check: Box<Check>,
    },
    /// Exactly one, or at most one, of several members must be set.
    Union(UnionRule),
    /// A field's rules depend on the value of another.
    Mode(ModeRule),
    /// A field may force or forbid a sibling.
    Dependent(DependentRule),
    /// A field that belongs to a feature: it may be set only while the option is on or it was set before.
    FeatureGate(String),
}

/// Which side of a bound an integer must be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Not below.
    Minimum,
    /// Not above.
    Maximum,
    /// Above.
    ExclusiveMinimum,
    /// Below.
    ExclusiveMaximum,
}

/// A bound that is the value of another field, judged at the struct that holds both.
#[derive(Clone, Debug)]
pub struct LimitByField {
    /// Which side.
    pub limit: Limit,
    /// The fields that lead to the value under check.
    pub target: Vec<FieldRef>,
    /// Whether the value is a list or map whose every element is checked.
    pub each: bool,
    /// The fields that lead to the bound.
    pub bound: Vec<FieldRef>,
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
    /// Which ones, in the order of their checks.
    pub constraints: Vec<Constraint>,
    /// How elements are told apart, for lists.
    pub identity: Option<Identity>,
    /// Without an old value nothing is refused: a new parent starts a new life.
    pub scoped_to_parent: bool,
}

/// How elements of a list are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// By their whole value.
    Value,
    /// By some of their fields.
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
    /// What is demanded of the members.
    pub demand: Demand,
    /// The members' names in texts, in order.
    pub labels: Vec<String>,
    /// The members themselves, in the order in which they are looked at.
    pub members: Members,
}

/// What a union demands.
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

/// A member of a union somewhere below the struct that judges it.
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
    /// The checks, in order.
    pub checks: Vec<Check>,
}

/// A field that forces or forbids a sibling.
#[derive(Clone, Debug)]
pub struct DependentRule {
    /// The field whose presence matters.
    pub trigger: FieldRef,
    /// The sibling.
    pub dependent: FieldRef,
    /// Whether the sibling must be set, or must not be.
    pub required: bool,
}
