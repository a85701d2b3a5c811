//! The tag registry: name, scopes, arguments, payload, documentation, lowering.

use std::borrow::Cow;
use std::fmt;

use sprag_idl::{Scalar, Tag, TagValue};

use crate::dialect::Dialect;
use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::tags;

/// The stability of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    /// May change.
    Alpha,
    /// Changes stay compatible.
    Beta,
    /// Fixed.
    Stable,
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stability::Alpha => "Alpha",
            Stability::Beta => "Beta",
            Stability::Stable => "Stable",
        })
    }
}

/// The position of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// On a type.
    Type,
    /// On a field of a struct.
    Field,
    /// On every element, or one element, of a list.
    ListVal,
    /// On every key of a map.
    MapKey,
    /// On every value of a map.
    MapVal,
    /// On a constant.
    Const,
}

impl Scope {
    /// All scopes of values: everything but constants.
    pub const VALUES: &'static [Scope] = &[Scope::Type, Scope::Field, Scope::ListVal, Scope::MapKey, Scope::MapVal];

    /// The short name in catalogs.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Type => "type",
            Scope::Field => "field",
            Scope::ListVal => "listVal",
            Scope::MapKey => "mapKey",
            Scope::MapVal => "mapVal",
            Scope::Const => "const",
        }
    }

    /// The name in error texts.
    pub(crate) fn place(self) -> &'static str {
        match self {
            Scope::Type => "type definitions",
            Scope::Field => "struct fields",
            Scope::ListVal => "list values",
            Scope::MapKey => "map keys",
            Scope::MapVal => "map values",
            Scope::Const => "constant values",
        }
    }
}

/// The kind of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// A string or bare word.
    String,
    /// An integer.
    Int,
    /// `true` or `false`.
    Bool,
}

impl LiteralKind {
    /// The name in error texts and catalogs.
    pub fn name(self) -> &'static str {
        match self {
            LiteralKind::String => "string",
            LiteralKind::Int => "int",
            LiteralKind::Bool => "bool",
        }
    }
}

/// An argument a tag takes.
#[derive(Clone, Copy, Debug)]
pub struct ArgSpec {
    /// Its name; `None` when positional.
    pub name: Option<&'static str>,
    /// Its kind.
    pub kind: LiteralKind,
    /// True if it must be given.
    pub required: bool,
    /// Its documentation.
    pub docs: &'static str,
}

/// The payload of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    None,
    /// A literal of this kind.
    Literal(LiteralKind),
    /// A literal of this kind, or nothing.
    OptionalLiteral(LiteralKind),
    /// Any literal.
    Raw,
    /// A JSON value: everything after `=`.
    Json,
    /// A literal of this kind, or a name, or nothing; only where the KEP spells it so.
    Loose(LiteralKind),
    /// Another tag.
    Tag,
    /// Another tag, or nothing.
    OptionalTag,
}

impl Payload {
    /// The name in error texts and catalogs.
    pub fn kind(self) -> &'static str {
        match self {
            Payload::None => "",
            Payload::Literal(kind) | Payload::OptionalLiteral(kind) | Payload::Loose(kind) => kind.name(),
            Payload::Raw => "raw",
            Payload::Json => "json",
            Payload::Tag | Payload::OptionalTag => "tag",
        }
    }

    /// True if it may not be left out.
    pub fn is_required(self) -> bool {
        matches!(self, Payload::Literal(_) | Payload::Raw | Payload::Json | Payload::Tag)
    }
}

/// The origin of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Both dialects know it.
    Everywhere,
    /// Only the `kep` dialect knows it.
    Kep,
}

/// Everything about one tag.
#[derive(Clone, Debug)]
pub struct TagRule {
    /// The full name, without the `+`.
    pub name: Cow<'static, str>,
    /// Other names that only the `kep` dialect knows it by.
    pub kep_aliases: &'static [&'static str],
    /// Its stability.
    pub stability: Stability,
    /// The scopes.
    pub scopes: Cow<'static, [Scope]>,
    /// The scopes in the `kep` dialect, if they differ.
    kep_scopes: Option<&'static [Scope]>,
    /// True if in the `kep` dialect it may also stand on one selected item of a list.
    pub kep_on_items: bool,
    /// The arguments it takes, unless it is an author's own.
    args: &'static [ArgSpec],
    /// True if it takes other named arguments too.
    pub unknown_args: bool,
    /// The payload.
    pub payload: Payload,
    /// Arguments and payload as the `kep` dialect spells them, where that differs.
    pub kep_spelling: Option<(&'static [ArgSpec], Payload)>,
    /// The dialects that know it.
    pub known: Known,
    /// A summary in one sentence.
    pub summary: Cow<'static, str>,
    /// A tag line that shows its use.
    pub example: &'static str,
    /// Its lowering.
    pub(crate) lower: Meaning,
}

/// The lowering of a tag.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// One of the tags of this crate.
    Rule(fn(&mut Lowerer<'_>, &Context, &Tag) -> Result<Lowered, Refusal>),
    /// An author's tag: a hand-written function is called.
    Hook(CustomTag),
}

/// A tag of an API author's own: it runs a function of theirs.
///
/// The function gets the place, the new and the old value, what the tag passes, and the sink for errors; it returns whether
/// it found any. What the tag passes are its arguments in the order of [`args`](CustomTag::args), then its payload: `&str`, an
/// integer or a `bool`, in an `Option` where it may be left out.
///
/// ```
/// use sprag_tags::{ArgSpec, CustomTag, LiteralKind, PayloadSpec, Registry, Scope};
///
/// // +acme:color(palette: "warm")=3
/// // fn color(at: &At<'_>, new: Option<&String>, old: Option<&String>, palette: &str, max: i64, errors: &mut Errors) -> bool
/// let registry = Registry::standard().with(CustomTag {
///     name: "acme:color".into(),
///     scopes: vec![Scope::Field],
///     summary: "The string has to be a colour of a palette.".into(),
///     function: "crate::checks::color".into(),
///     args: vec![ArgSpec { name: Some("palette"), kind: LiteralKind::String, required: true, docs: "The palette." }],
///     payload: Some(PayloadSpec { kind: LiteralKind::Int, required: true }),
///     ..CustomTag::default()
/// });
/// assert!(registry.is_ok_and(|registry| registry.find("acme:color").is_some()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct CustomTag {
    /// The full name, without the `+`; not one of the standard ones.
    pub name: String,
    /// The scopes.
    pub scopes: Vec<Scope>,
    /// A summary in one sentence.
    pub summary: String,
    /// The rule in plain words, with `{payload}` and the names of arguments between braces for what the tag passes; empty for
    /// the name of the tag.
    pub words: String,
    /// The path of the function to call.
    pub function: String,
    /// The arguments it takes.
    pub args: Vec<ArgSpec>,
    /// The payload.
    pub payload: Option<PayloadSpec>,
    /// True if a tag without payload passes the values of the type's constants, in their order, with commas between them.
    pub constants: bool,
    /// True if the other checks of a place are skipped where the function found errors, as those of a missing value
    /// are.
    pub short_circuit: bool,
    /// True if the rule is about the change of a field. Views call the function where hand-written code asks about the field of
    /// an update; nothing else does.
    pub on_change: bool,
}

/// The payload of an author's tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadSpec {
    /// Its kind.
    pub kind: LiteralKind,
    /// True if it may not be left out.
    pub required: bool,
}

/// Errors of registering a custom tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CustomTagError {
    /// There is a tag with this name already.
    Taken(String),
    /// This cannot be the name of a tag.
    NotAName(String),
    /// The tag with this name may stand nowhere.
    NoScope(String),
}

impl fmt::Display for CustomTagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CustomTagError::Taken(name) => write!(f, "there is a tag {name:?} already"),
            CustomTagError::NotAName(name) => {
                write!(f, "{name:?} cannot be the name of a tag: use a prefix of your own, such as \"acme:color\"")
            }
            CustomTagError::NoScope(name) => write!(f, "tag {name:?} may stand nowhere: give it a scope"),
        }
    }
}

impl std::error::Error for CustomTagError {}

/// The tags a lowering knows.
#[derive(Clone, Debug)]
pub struct Registry {
    rules: Vec<TagRule>,
}

impl Registry {
    /// The tags of this crate.
    pub fn standard() -> Registry {
        Registry { rules: tags::all() }
    }

    /// Adds an author's tag.
    pub fn with(mut self, tag: CustomTag) -> Result<Registry, CustomTagError> {
        let has_prefix = tag.name.split_once(':').is_some_and(|(prefix, name)| !prefix.is_empty() && !name.is_empty());
        if sprag_idl::tag_name(&tag.name) != Some(&tag.name) || !has_prefix {
            return Err(CustomTagError::NotAName(tag.name));
        }
        if tag.scopes.is_empty() {
            return Err(CustomTagError::NoScope(tag.name));
        }
        let aliased = self.rules.iter().any(|rule| rule.kep_aliases.contains(&tag.name.as_str()));
        match self.rules.binary_search_by(|rule| rule.name.as_ref().cmp(&tag.name)) {
            Err(at) if !aliased => {
                self.rules.insert(at, TagRule::custom(tag));
                Ok(self)
            }
            _ => Err(CustomTagError::Taken(tag.name)),
        }
    }

    /// The tags that a dialect knows.
    #[must_use]
    pub fn known_to(&self, dialect: Dialect) -> Registry {
        let known = |rule: &&TagRule| dialect == Dialect::Kep || rule.known == Known::Everywhere;
        Registry { rules: self.rules.iter().filter(known).cloned().collect() }
    }

    /// All tags, sorted by name.
    pub fn rules(&self) -> &[TagRule] {
        &self.rules
    }

    /// The tag with this name.
    pub fn find(&self, name: &str) -> Option<&TagRule> {
        let at = self.rules.binary_search_by(|rule| rule.name.as_ref().cmp(name)).ok()?;
        Some(&self.rules[at])
    }

    /// The tag that a dialect knows by this name.
    pub fn resolve(&self, name: &str, dialect: Dialect) -> Option<&TagRule> {
        match dialect {
            Dialect::Kubernetes => self.find(name).filter(|rule| rule.known == Known::Everywhere),
            Dialect::Kep => self.find(name).or_else(|| self.rules.iter().find(|rule| rule.kep_aliases.contains(&name))),
        }
    }
}

impl Default for Registry {
    fn default() -> Self {
        Registry::standard()
    }
}

impl TagRule {
    fn custom(tag: CustomTag) -> TagRule {
        TagRule {
            name: tag.name.clone().into(),
            kep_aliases: &[],
            stability: Stability::Stable,
            scopes: tag.scopes.clone().into(),
            kep_scopes: None,
            kep_on_items: false,
            args: &[],
            unknown_args: false,
            payload: match tag.payload {
                None => Payload::None,
                Some(PayloadSpec { kind, required: true }) => Payload::Literal(kind),
                Some(PayloadSpec { kind, required: false }) => Payload::OptionalLiteral(kind),
            },
            kep_spelling: None,
            known: Known::Everywhere,
            summary: tag.summary.clone().into(),
            example: "",
            lower: Meaning::Hook(tag),
        }
    }

    /// The arguments it takes.
    pub fn args(&self) -> &[ArgSpec] {
        match &self.lower {
            Meaning::Rule(_) => self.args,
            Meaning::Hook(tag) => &tag.args,
        }
    }

    /// Returns the scopes in the `kep` dialect.
    pub fn kep_scopes(&self) -> &[Scope] {
        self.kep_scopes.unwrap_or(&self.scopes)
    }

    /// Tells if it is an author's own, which runs a function of theirs; the function's path.
    pub fn function(&self) -> Option<&str> {
        match &self.lower {
            Meaning::Rule(_) => None,
            Meaning::Hook(tag) => Some(&tag.function),
        }
    }

    /// Tells if the tag may stand at a place.
    pub(crate) fn may_stand(&self, cx: &Context, dialect: Dialect) -> bool {
        match dialect {
            Dialect::Kubernetes => self.scopes.contains(&cx.scope),
            Dialect::Kep => self.kep_scopes().contains(&cx.scope) || (self.kep_on_items && cx.is_item()),
        }
    }

    /// Checks a tag's arguments and payload against what the tag takes.
    pub(crate) fn check_spelling(&self, tag: &Tag, dialect: Dialect) -> Result<(), String> {
        let (args, payload) = match self.kep_spelling {
            Some(spelling) if dialect == Dialect::Kep => spelling,
            _ => (self.args(), self.payload),
        };
        for spec in args {
            let given = tag.args.iter().find(|arg| arg.name.as_deref() == spec.name);
            match given {
                Some(arg) if arg.value.kind() != spec.kind.name() => {
                    return Err(format!(
                        "argument {:?} has wrong type: got {}, want {}",
                        argument(arg.name.as_deref(), &arg.value),
                        arg.value.kind(),
                        spec.kind.name()
                    ));
                }
                None if spec.required => return Err(missing_argument(spec)),
                _ => {}
            }
        }
        if !self.unknown_args {
            for arg in &tag.args {
                if !args.iter().any(|spec| spec.name == arg.name.as_deref()) {
                    let arg = argument(arg.name.as_deref(), &arg.value);
                    return Err(format!("unrecognized named argument {arg:?}"));
                }
            }
        }
        payload.check(tag)
    }
}

impl Payload {
    fn check(self, tag: &Tag) -> Result<(), String> {
        let got = match &tag.value {
            TagValue::None if self.is_required() => {
                return Err(format!("missing required tag value of type {}", self.kind()));
            }
            TagValue::None => return Ok(()),
            TagValue::Tag(_) => "tag",
            TagValue::Scalar(scalar) => scalar.kind(),
        };
        let fits = match self {
            Payload::Raw | Payload::Json | Payload::Loose(_) => true,
            payload => payload.kind() == got,
        };
        if fits { Ok(()) } else { Err(format!("tag value has wrong type: got {got}, want {}", self.kind())) }
    }
}

fn missing_argument(spec: &ArgSpec) -> String {
    match spec.name {
        None => format!("missing required positional argument of type {}", spec.kind.name()),
        Some(name) => format!("missing named argument {name:?} of type {}", spec.kind.name()),
    }
}

/// An argument as the reference prints it.
fn argument(name: Option<&str>, value: &Scalar) -> String {
    let value = match value {
        Scalar::String(text) => format!("{text:?}"),
        other => other.text(),
    };
    match name {
        Some(name) => format!("{name}: {value}"),
        None => value,
    }
}

impl TagRule {
    /// A tag that both dialects know, without arguments or payload.
    pub(crate) const fn new(
        name: &'static str,
        stability: Stability,
        scopes: &'static [Scope],
        summary: &'static str,
        example: &'static str,
        lower: fn(&mut Lowerer<'_>, &Context, &Tag) -> Result<Lowered, Refusal>,
    ) -> TagRule {
        TagRule {
            name: Cow::Borrowed(name),
            kep_aliases: &[],
            stability,
            scopes: Cow::Borrowed(scopes),
            kep_scopes: None,
            kep_on_items: false,
            args: &[],
            unknown_args: false,
            payload: Payload::None,
            kep_spelling: None,
            known: Known::Everywhere,
            summary: Cow::Borrowed(summary),
            example,
            lower: Meaning::Rule(lower),
        }
    }

    /// The same tag with a payload.
    pub(crate) const fn takes(mut self, payload: Payload) -> TagRule {
        self.payload = payload;
        self
    }

    /// The same tag with arguments.
    pub(crate) const fn with_args(mut self, args: &'static [ArgSpec]) -> TagRule {
        self.args = args;
        self
    }

    /// The same tag with another spelling in the `kep` dialect.
    pub(crate) const fn kep_spells(mut self, args: &'static [ArgSpec], payload: Payload) -> TagRule {
        self.kep_spelling = Some((args, payload));
        self
    }

    /// The same tag with other names in the `kep` dialect.
    pub(crate) const fn kep_calls(mut self, aliases: &'static [&'static str]) -> TagRule {
        self.kep_aliases = aliases;
        self
    }

    /// The same tag, in the `kep` dialect for other places.
    pub(crate) const fn kep_stands(mut self, scopes: &'static [Scope]) -> TagRule {
        self.kep_scopes = Some(scopes);
        self
    }

    /// The same tag, in the `kep` dialect also for one selected item of a list.
    pub(crate) const fn kep_on_items(mut self) -> TagRule {
        self.kep_on_items = true;
        self
    }

    /// The same tag, known to the `kep` dialect only.
    pub(crate) const fn kep_only(mut self) -> TagRule {
        self.known = Known::Kep;
        self
    }
}

impl ArgSpec {
    /// A positional string that must be given.
    pub(crate) const fn positional(docs: &'static str) -> ArgSpec {
        ArgSpec { name: None, kind: LiteralKind::String, required: true, docs }
    }

    /// A named string that may be left out.
    pub(crate) const fn named(name: &'static str, docs: &'static str) -> ArgSpec {
        ArgSpec { name: Some(name), kind: LiteralKind::String, required: false, docs }
    }
}
