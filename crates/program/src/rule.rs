//! The rules that a check can be about, with their arguments.

mod arguments;

use std::fmt::Display;

use sprag_checks::format::Format;

pub use self::arguments::{
    Demand, DependentRule, EnumRule, Exclusion, HookArg, HookCall, Identity, IntegerBoundByField, Literal, MemberPath,
    Members, Mode, ModeRule, TargetStep, Term, UnionRule, UpdateRule,
};
use crate::{Check, DefId, FieldRef, PatternId, Program};

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
        match self {
            Rule::EachKey(check)
            | Rule::EachVal(_, check)
            | Rule::Item(_, check)
            | Rule::Subfield(_, check)
            | Rule::IfSet(check)
            | Rule::IfSubresource { check, .. }
            | Rule::IfOption { check, .. }
            | Rule::IfFeature { check, .. } => vec![check],
            Rule::Mode(rule) => rule.modes.iter().flat_map(|mode| &mode.checks).collect(),
            _ => Vec::new(),
        }
    }

    /// The options, feature gates mostly, that the rule itself depends on.
    pub fn options(&self) -> Vec<&str> {
        match self {
            Rule::IfOption { option: name, .. } | Rule::IfFeature { gate: name, .. } | Rule::FeatureGate(name) => {
                vec![name]
            }
            Rule::Enum(rule) => rule.exclusions.iter().map(|exclusion| exclusion.option.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// True if the rule, or one that it wraps, compares a value with the one before an update.
    pub fn judges_transitions(&self) -> bool {
        self.row().is_transition || self.inner().into_iter().any(|check| check.rule.judges_transitions())
    }

    /// The result of the rule for a value that is missing.
    pub fn when_missing(&self) -> WhenMissing {
        match self {
            Rule::IfSubresource { check, .. } | Rule::IfFeature { check, .. } => match check.rule.when_missing() {
                WhenMissing::Passes => WhenMissing::Passes,
                WhenMissing::MayYield | WhenMissing::Yields => WhenMissing::MayYield,
            },
            _ => self.row().when_missing,
        }
    }

    /// True if the rule finds nothing in null, whatever the old value.
    pub(crate) fn passes_null(&self) -> bool {
        self.row().passes_null
    }

    /// True if the rule only decides about others or leads to them, and finds nothing by itself.
    pub(crate) fn leads(&self) -> bool {
        self.row().leads
    }

    /// The row of the table of rules: what others ask of a rule, with its words. A new rule has one, too.
    fn row(&self) -> Row {
        use WhenMissing::{MayYield, Passes, Yields};
        let row = |when_missing| Row { when_missing, passes_null: false, leads: false, is_transition: false };
        let of_value = Row { passes_null: true, ..row(Passes) };
        let transition = |when_missing| Row { is_transition: true, ..row(when_missing) };
        let leads = |when_missing| Row { leads: true, ..row(when_missing) };
        match self {
            Rule::MinLength(_)
            | Rule::MaxLength(_)
            | Rule::MaxBytes(_)
            | Rule::IntegerBound(..)
            | Rule::NotEqual(_)
            | Rule::Format(_)
            | Rule::Pattern(_)
            | Rule::Enum(_) => of_value,
            Rule::Immutable | Rule::Update(_) | Rule::ItemKept(_) => transition(MayYield),
            Rule::Monotonic => transition(Passes),
            Rule::EachKey(_) | Rule::EachVal(..) => Row { passes_null: true, ..leads(Passes) },
            Rule::Item(..) | Rule::Subfield(..) | Rule::IfSet(_) | Rule::Fixed { passes: true, .. } => leads(Passes),
            Rule::IfOption { .. }
            | Rule::IfSubresource { .. }
            | Rule::IfFeature { .. }
            | Rule::FeatureGate(_)
            | Rule::Type(_) => leads(MayYield),
            Rule::Optional => leads(Yields),
            Rule::Required => row(Yields),
            Rule::MinItems(_)
            | Rule::MinProperties(_)
            | Rule::Custom(_)
            | Rule::Union(_)
            | Rule::Fixed { passes: false, .. } => row(MayYield),
            Rule::Forbidden
            | Rule::MaxItems(_)
            | Rule::MaxProperties(_)
            | Rule::IntegerBoundByField(_)
            | Rule::IntegerBoundOfOwner(_)
            | Rule::Unique(_)
            | Rule::NoNilElements
            | Rule::Mode(_)
            | Rule::Dependent(_) => row(Passes),
        }
    }

    /// The rule in words, of which a program knows the names of fields.
    #[expect(clippy::too_many_lines, reason = "a table: one row per rule")]
    pub(crate) fn words(&self, program: &Program) -> Words {
        let of = |tag: &str, value: &dyn Display, phrase: String, demand: String| Words {
            name: format!("{tag}={value}"),
            phrase,
            demand,
        };
        let size = |tag: &str, limit: &u64, least: &str, what: &str, demanded: &str| {
            of(tag, limit, format!("{least} {limit} {what}"), format!("must have {least} {limit} {demanded}"))
        };
        let plain = |name: &str, phrase: &str, demand: &str| Words {
            name: name.to_owned(),
            phrase: phrase.to_owned(),
            demand: demand.to_owned(),
        };
        // A rule around others: its phrase is its name, and it demands what they demand.
        let around = |name: String, demand: String| Words { phrase: name.clone(), name, demand };
        let within = |check: &Check| check.rule.words(program).demand;
        let field = |field: FieldRef| program.field_name(field);
        match self {
            Rule::Required => plain("required", "must be set", "is required"),
            Rule::Optional => plain("optional", "may be left out", "is optional"),
            Rule::Forbidden => plain("forbidden", "must not be set", "may not be set"),
            Rule::MinLength(limit) => size("minLength", limit, "at least", "characters", "characters"),
            Rule::MaxLength(limit) => size("maxLength", limit, "at most", "characters", "characters"),
            Rule::MaxBytes(limit) => size("maxBytes", limit, "at most", "bytes", "bytes"),
            Rule::MinItems(limit) => size("minItems", limit, "at least", "elements", "items"),
            Rule::MaxItems(limit) => size("maxItems", limit, "at most", "elements", "items"),
            Rule::MinProperties(limit) => size("minProperties", limit, "at least", "entries", "entries"),
            Rule::MaxProperties(limit) => size("maxProperties", limit, "at most", "entries", "entries"),
            Rule::IntegerBound(side, bound) => of(
                side.name(),
                bound,
                format!("{} {bound}", side.words()),
                format!("must be {} {bound}", side.operator()),
            ),
            Rule::IntegerBoundByField(rule) => {
                let bound: Vec<&str> = rule.bound.iter().map(|at| field(*at)).collect();
                let target = program.target(rule);
                let bound = bound.join(".");
                let side = rule.side;
                Words {
                    name: format!("{target} {}={bound}", side.name()),
                    phrase: format!("{target} {} {bound}", side.words()),
                    demand: format!("must be {} the value of another field", side.operator()),
                }
            }
            Rule::IntegerBoundOfOwner(side) => Words {
                name: side.name().to_owned(),
                phrase: format!("{} another field", side.words()),
                demand: format!("must be {} the value of another field", side.operator()),
            },
            Rule::NotEqual(unwanted) => {
                let unwanted = unwanted.show();
                of("neq", &unwanted, format!("is not {unwanted}"), format!("must not be {unwanted}"))
            }
            Rule::Format(format) => {
                let name = format.name();
                of("format", &name, format!("has the form {name}"), format!("must be {}", format.summary()))
            }
            Rule::Pattern(id) => {
                let pattern = program.plan().pattern(*id).as_str();
                of("pattern", &pattern, format!("matches {pattern}"), "must match a pattern".to_owned())
            }
            Rule::Enum(rule) => {
                let values = rule.values.join(", ");
                plain("enum", &format!("one of {values}"), &format!("must be one of {values}"))
            }
            Rule::Immutable => plain("immutable", "cannot be changed", "field is immutable"),
            Rule::Monotonic => plain("monotonic", "cannot decrease", "must not decrease"),
            Rule::Update(rule) => {
                let names: Vec<String> = rule.constraints.iter().map(|constraint| format!("{constraint:?}")).collect();
                let phrases: Vec<&str> = rule.constraints.iter().map(|constraint| constraint.words()).collect();
                of("update", &names.join(","), phrases.join(", "), "must not change in this way".to_owned())
            }
            Rule::Unique(Identity::Value) => plain("unique", "no element twice", "must not have an item twice"),
            Rule::Unique(Identity::Keys(keys)) => {
                let keys: Vec<&str> = keys.iter().map(|key| field(*key)).collect();
                let phrase = format!("no two elements with the same {}", keys.join(", "));
                plain("unique", &phrase, "must not have an item twice")
            }
            Rule::NoNilElements => plain("no null elements", "no null elements", "must not have null items"),
            Rule::Fixed { message, .. } => {
                of("validateFalse", message, format!("is refused: {message}"), message.clone())
            }
            Rule::Custom(call) => {
                let demand = format!("customValidation {}", call.name);
                Words { name: call.tag.clone(), phrase: call.words.clone(), demand }
            }
            Rule::Type(_) => plain("type", "type", "rules of the type"),
            Rule::EachKey(inner) => around("eachKey".to_owned(), format!("each key {}", within(inner))),
            Rule::EachVal(_, inner) => around("eachVal".to_owned(), format!("each value {}", within(inner))),
            Rule::Item(terms, inner) => {
                around(format!("item({})", program.terms(terms)), format!("an item {}", within(inner)))
            }
            Rule::ItemKept(terms) => {
                let name = format!("item({})", program.terms(terms));
                let phrase = format!("{name} cannot be removed");
                Words { name, phrase, demand: "an item must not be removed".to_owned() }
            }
            Rule::Subfield(at, inner) => around(format!("subfield({})", field(*at)), within(inner)),
            Rule::IfSet(inner) => around("when set".to_owned(), within(inner)),
            Rule::IfOption { option, enabled, check } => {
                let name = if *enabled { "ifEnabled" } else { "ifDisabled" };
                around(format!("{name}({option})"), within(check))
            }
            Rule::IfFeature { gate, check } => around(format!("ifEnabled({gate})"), within(check)),
            Rule::IfSubresource { path, matches, check } => {
                let name = if *matches { "ifSubresource" } else { "ifNotSubresource" };
                around(format!("{name}({path})"), within(check))
            }
            Rule::Union(rule) => {
                let members = rule.labels.join(", ");
                let phrase = match &rule.demand {
                    Demand::ExactlyOne => format!("exactly one of {members}"),
                    Demand::AtMostOne => format!("at most one of {members}"),
                    Demand::Discriminated { name, .. } => {
                        format!("the one of {members} that {name} names, and no other")
                    }
                };
                plain(&format!("union({members})"), &phrase, "members of a union")
            }
            Rule::Mode(rule) => {
                around(format!("mode({})", rule.name), format!("{} depends on another field", rule.name))
            }
            Rule::Dependent(rule) => {
                let (tag, demand) = if rule.required {
                    ("dependentRequired", "must be set")
                } else {
                    ("dependentForbidden", "must not be set")
                };
                let dependent = field(rule.dependent);
                let trigger = field(rule.trigger);
                plain(
                    &format!("{trigger} {tag}({dependent})"),
                    &format!("{dependent} {demand} where {trigger} is"),
                    "a field depends on another one",
                )
            }
            Rule::FeatureGate(gate) => {
                let phrase = format!("belongs to the feature {gate}");
                of("featureGate", gate, phrase.clone(), phrase)
            }
        }
    }
}

/// What others ask of a rule.
#[derive(Clone, Copy)]
struct Row {
    when_missing: WhenMissing,
    passes_null: bool,
    leads: bool,
    /// It compares a value with the one before an update.
    is_transition: bool,
}

/// A rule in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Its tag, without the prefix and the rules inside it: `minimum=1`, `subfield(size)`.
    pub name: String,
    /// What is to be said of a field: `at least 1`.
    pub phrase: String,
    /// The message to a value that breaks it: `must be >= 1`.
    pub demand: String,
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

    /// The operator that holds between a value and the bound, as in CEL.
    pub fn operator(self) -> &'static str {
        match self {
            BoundSide::Minimum => ">=",
            BoundSide::Maximum => "<=",
            BoundSide::ExclusiveMinimum => ">",
            BoundSide::ExclusiveMaximum => "<",
        }
    }

    fn words(self) -> &'static str {
        match self {
            BoundSide::Minimum => "at least",
            BoundSide::Maximum => "at most",
            BoundSide::ExclusiveMinimum => "more than",
            BoundSide::ExclusiveMaximum => "less than",
        }
    }
}
