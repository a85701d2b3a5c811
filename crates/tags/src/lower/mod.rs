//! From tags to a [`Plan`]: which checks a set of types asks for, in which order.
//!
//! Tags of one place are lowered in the order of their names. A tag that depends on others of the same place, or on
//! other fields, defers its work; deferred work runs in rounds until nothing is left.

mod assemble;
mod defaults;
mod discover;
mod hook;
mod lowered;
mod numbers;
mod prefix;
mod refusal;
mod roots;
mod strays;
mod tag_records;

use std::collections::{BTreeMap, BTreeSet};

use sprag_checks::Regexp;
use sprag_idl::model::{Language, TagLine};
use sprag_idl::{Finding, Scalar, Span, Tag, TagValue, parse_tag, raw_value, tag_name};
use sprag_program::{DefId, FieldRef, Hook, Literal, Plan, TypeId};

pub(crate) use self::discover::{Node, is_well_known};
pub(crate) use self::lowered::{DeferTo, Deferred, Lowered, PlacedCheck, Wrap};
pub(crate) use self::prefix::{Condition, Prefix};
pub(crate) use self::refusal::{Refusal, Refusals};
pub(crate) use self::roots::go_type;
pub(crate) use self::tag_records::{
    Discriminator, ListMeta, ModeGroup, ModeMember, ModeValue, Semantic, TagRecords, UnionMember, UnionRecord,
};
use crate::dialect::Dialect;
use crate::registry::{Meaning, Payload, Registry, Scope};
use crate::resource::{ResourceReader, is_resource};
use crate::tags::item::Selection;
use crate::types::{ConstDef, Universe};

/// Choices of a lowering that are not in the source.
#[derive(Clone, Copy, Debug, Default)]
pub struct LowerOptions {
    /// The dialect of all packages, whatever they say themselves.
    pub dialect: Option<Dialect>,
    /// Treatment of packages that do not declare their root types.
    pub untagged: Untagged,
    /// Treatment of types of packages that are not included.
    pub foreign: Foreign,
    /// The requirement that hooks are found among the functions that were read.
    pub hooks: Hooks,
    /// Treatment of mistakes that the reference ignores.
    pub mistakes: Mistakes,
}

/// Mistakes that the reference passes over: tags without effect (of an unknown name, on an alias, in a comment that belongs
/// to nothing), and defaults that do not fit their own field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mistakes {
    /// Are passed over, as the reference does; in the `kep` dialect, tags without effect only.
    #[default]
    Ignore,
    /// Are errors.
    Refuse,
}

/// Packages without a `+k8s:validation-gen` tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Untagged {
    /// Have no roots.
    #[default]
    Skip,
    /// All their exported types are roots.
    AllTypes,
}

/// Types of packages that are not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Foreign {
    /// Must be marked opaque where they are used, as the reference demands.
    #[default]
    Refuse,
    /// Are opaque, with a warning.
    Opaque,
}

/// Functions that `+k8s:customValidation` refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hooks {
    /// Must be among the functions that were read.
    #[default]
    Verify,
    /// Are taken to exist.
    Assume,
}

/// The outcome of a lowering.
#[derive(Clone, Debug)]
pub struct Lowering {
    /// The plan; complete only when no finding is an error.
    pub plan: Plan,
    /// Errors and warnings, in the order in which they were found.
    pub findings: Vec<Finding>,
    /// Every type that was chosen as a root, whether or not it has anything to check.
    pub root_types: Vec<DefId>,
    /// The feature gates that tags name, and the first tag that names each.
    pub gates: BTreeMap<String, Span>,
}

impl Lowering {
    /// An error for each feature gate that a tag names and that is not among these: no server could ever switch it on.
    pub fn undeclared_gates(&self, declared: &[String]) -> Vec<Finding> {
        let undeclared = self.gates.iter().filter(|(gate, _)| !declared.contains(gate));
        undeclared
            .map(|(gate, span)| {
                let message = format!("feature gate {gate} is not declared (declared: {})", declared.join(", "));
                Finding::error(*span, message)
            })
            .collect()
    }
}

/// Lowers all tags of a universe.
pub fn lower(universe: &Universe, registry: &Registry, options: LowerOptions) -> Lowering {
    let mut lowerer = Lowerer {
        universe,
        registry,
        options,
        dialect: options.dialect.unwrap_or(Dialect::Kubernetes),
        language: Language::Go,
        records: TagRecords::default(),
        hooks: Vec::new(),
        patterns: Vec::new(),
        findings: universe.findings().to_vec(),
        consts: BTreeMap::new(),
        claimed: BTreeSet::new(),
        gates: BTreeMap::new(),
    };
    lowerer.lower_consts();
    let roots = lowerer.find_roots();
    let mut nodes = lowerer.discover(&roots);
    lowerer.resolve_groups(&mut nodes);
    lowerer.check_unclaimed_hooks();
    let root_types = roots.iter().flat_map(|package| &package.roots).map(|root| root.def).collect();
    lowerer.check_resources();
    lowerer.check_strays();
    let hooks = std::mem::take(&mut lowerer.hooks);
    let patterns = std::mem::take(&mut lowerer.patterns);
    let plan = Plan { hooks, patterns, ..assemble::assemble(universe, roots, nodes) };
    let mut lowering = Lowering { plan, findings: lowerer.findings, root_types, gates: lowerer.gates };
    numbers::check(universe, &mut lowering);
    defaults::check(universe, options, &mut lowering);
    lowering
}

/// The state of a lowering.
pub(crate) struct Lowerer<'a> {
    pub(crate) universe: &'a Universe,
    pub(crate) registry: &'a Registry,
    pub(crate) options: LowerOptions,
    /// The dialect of the type at hand.
    pub(crate) dialect: Dialect,
    /// The language of the type at hand.
    pub(crate) language: Language,
    /// Records of tags of other places.
    pub(crate) records: TagRecords,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) patterns: Vec<Regexp>,
    pub(crate) findings: Vec<Finding>,
    /// Constants by their type: package and position.
    pub(crate) consts: BTreeMap<TypeId, Vec<(usize, usize)>>,
    /// Hand-written functions that a tag refers to.
    pub(crate) claimed: BTreeSet<String>,
    /// The feature gates that tags name.
    pub(crate) gates: BTreeMap<String, Span>,
}

/// The position of a tag.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) scope: Scope,
    /// The type of the value.
    pub(crate) ty: TypeId,
    /// A name for the place: `package.Type`, `package.Type.field`, `….field[(vals)]`.
    pub(crate) path: String,
    /// The field, in field scope.
    pub(crate) member: Option<FieldRef>,
    /// The keys that select a list element; empty for all of them.
    pub(crate) selector: Option<Vec<(String, Literal)>>,
    /// The place that holds this one.
    pub(crate) parent_path: String,
    /// The type of that place.
    pub(crate) parent_ty: Option<TypeId>,
    /// The type definition, in type scope.
    pub(crate) def: Option<DefId>,
    /// The stage and the conditions that wrappers around this place ask for.
    pub(crate) prefix: Prefix,
    /// The struct that rules about several of its fields are judged at.
    pub(crate) owner: Option<Owner>,
    /// The list field whose item this place is.
    pub(crate) list_member: Option<FieldRef>,
}

impl Context {
    /// Tells if the place is one selected item of a list.
    pub(crate) fn is_item(&self) -> bool {
        self.selector.as_ref().is_some_and(|keys| !keys.is_empty())
    }

    /// True for a field with the tag on itself, not on something around it.
    pub(crate) fn is_own_field(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| matches!(owner.steps[..], [Step::Field(_)]))
    }
}

/// The struct whose fields a tag can name, and the way from there to the tag's place.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) def: DefId,
    pub(crate) steps: Vec<Step>,
}

/// A step from a struct to a place below it.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Field(FieldRef),
    /// Every element of the list or map at this path.
    Each {
        path: String,
        ty: TypeId,
    },
    Item(Selection),
}

impl Owner {
    /// The same for a place one step further down.
    pub(crate) fn then(&self, step: Step) -> Owner {
        let mut steps = self.steps.clone();
        steps.push(step);
        Owner { def: self.def, steps }
    }
}

/// A tag whose payload is everything after `=`.
fn json_tag(name: &str, line: &TagLine) -> Tag {
    let value = raw_value(&line.text).map(str::trim).filter(|text| !text.is_empty());
    let value = value.map_or(TagValue::None, |text| TagValue::Scalar(Scalar::String(text.to_owned())));
    Tag { name: name.to_owned(), args: Vec::new(), value, span: line.span }
}

/// Deepest chain of tags inside tags that is lowered.
const MAX_ROUNDS: usize = 10;

impl<'a> Lowerer<'a> {
    /// The tags of a comment that this lowering knows, parsed; those that cannot be read are errors.
    pub(crate) fn parse_tags(&self, lines: &[TagLine], refusals: &mut Refusals) -> Vec<Tag> {
        let mut tags = Vec::new();
        for line in lines {
            let Some(name) = tag_name(&line.text).filter(|name| self.rule_name(name).is_some()) else { continue };
            if self.registry.resolve(name, self.dialect).is_some_and(|rule| rule.payload == Payload::Json) {
                tags.push(json_tag(name, line));
                continue;
            }
            let tag = parse_tag(&line.text, line.span, self.dialect.syntax()).map_err(|error| {
                let same = lines.iter().filter(|other| tag_name(&other.text) == Some(name));
                let same: Vec<&str> = same.map(|other| other.text.as_str()).collect();
                Refusal::at(error.span, format!("failed to parse tags: {}: [{}]", error.message, same.join(" ")))
            });
            tags.extend(refusals.take(tag));
        }
        tags
    }

    /// The registered name behind a spelling that the dialect at hand accepts.
    pub(crate) fn rule_name(&self, name: &str) -> Option<&'a str> {
        let registry: &'a Registry = self.registry;
        registry.resolve(name, self.dialect).map(|rule| rule.name.as_ref())
    }

    /// Parses and lowers the tag lines of one place: each by itself, so that all that are wrong are found.
    pub(crate) fn lower_lines(&mut self, cx: &Context, lines: &[TagLine], refusals: &mut Refusals) -> Lowered {
        let mut tags = self.parse_tags(lines, refusals);
        tags.sort_by_key(|tag| self.rule_name(&tag.name));
        let mut all = Lowered::default();
        for tag in &tags {
            let lowered = self.lower_tag(cx, tag);
            refusals.take(lowered).into_iter().for_each(|lowered| all.add(lowered));
        }
        all
    }

    /// Lowers one tag.
    pub(crate) fn lower_tag(&mut self, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
        let registry = self.registry;
        let Some(rule) = registry.resolve(&tag.name, self.dialect) else {
            return Err(self.unknown_tag(&tag.name, tag.span));
        };
        let name = rule.name.as_ref();
        if !rule.may_stand(cx, self.dialect) {
            let message = format!("tag {name:?} cannot be specified on {}", cx.scope.place());
            return Err(Refusal::at(tag.span, message));
        }
        let lowered = rule.check_spelling(tag, self.dialect).map_err(Refusal::from).and_then(|()| match &rule.lower {
            Meaning::Rule(lower) => lower(self, cx, tag),
            Meaning::Hook(custom) => self.lower_hook(cx, custom, tag),
        });
        lowered.map_err(|refusal| refusal.inside(name, tag.span))
    }

    /// Runs deferred work in rounds; `here` and `parent` take what it yields.
    pub(crate) fn run_deferred(
        &mut self,
        here: &mut Lowered,
        mut parent: Option<&mut Lowered>,
        place: &str,
    ) -> Result<(), Refusal> {
        let mut deferred = std::mem::take(&mut here.deferred);
        let mut refusals = Refusals::default();
        let mut rounds = 0;
        while !deferred.is_empty() {
            rounds += 1;
            if rounds > MAX_ROUNDS {
                return Err(format!("deferred validation recursion depth exceeded {MAX_ROUNDS} for {place}").into());
            }
            let mut next = Vec::new();
            for work in deferred {
                let to = work.to;
                let Some(mut result) = refusals.take((work.run)(self)) else { continue };
                next.append(&mut result.deferred);
                match (&mut parent, to) {
                    (Some(parent), DeferTo::Parent | DeferTo::Owner) => parent.add(result),
                    _ => here.add(result),
                }
            }
            deferred = next;
        }
        refusals.or(())
    }

    fn lower_consts(&mut self) {
        let universe = self.universe;
        for (package, info) in universe.packages().iter().enumerate() {
            if !info.included {
                continue;
            }
            self.dialect = self.dialect_of(package);
            for (at, item) in info.consts.iter().enumerate().filter(|(_, item)| item.item.name != "_") {
                if let Some(ty) = item.ty {
                    self.consts.entry(ty).or_default().push((package, at));
                }
                let path = format!("{}.{}", info.path, item.item.name);
                if let Err(refusal) = self.lower_const(item, &path) {
                    self.refuse(refusal.prefixed(&format!("constant {path}: ")), item.item.span);
                }
            }
        }
    }

    fn lower_const(&mut self, item: &ConstDef, path: &str) -> Result<(), Refusal> {
        // No tag that constants can have looks at their type, so any stands for that of an untyped one.
        let Some(ty) = item.ty.or_else(|| self.universe.type_ids().next()) else { return Ok(()) };
        let cx = Context {
            scope: Scope::Const,
            ty,
            path: path.to_owned(),
            member: None,
            selector: None,
            parent_path: String::new(),
            parent_ty: None,
            def: None,
            prefix: Prefix::default(),
            owner: None,
            list_member: None,
        };
        let mut refusals = Refusals::default();
        self.lower_lines(&cx, &item.item.tags, &mut refusals);
        refusals.or(())
    }

    /// Reports tags that say something about a resource where they cannot.
    fn check_resources(&mut self) {
        let reader = ResourceReader::new(self.universe);
        for (def, data) in self.universe.defs().filter(|(_, data)| data.exported && !data.alias) {
            if self.universe.packages()[data.package].included && is_resource(self.universe, def) {
                for finding in reader.findings(def) {
                    if !self.findings.contains(&finding) {
                        self.findings.push(finding);
                    }
                }
            }
        }
    }

    /// The dialect of a package; an unknown one is a finding and reads as the language's own.
    pub(crate) fn dialect_of(&mut self, package: usize) -> Dialect {
        if let Some(dialect) = self.options.dialect {
            return dialect;
        }
        Dialect::of(&self.universe.packages()[package]).unwrap_or(Dialect::Kubernetes)
    }

    /// Records why tags of one place were refused; the others of the place hold.
    pub(crate) fn refuse_all(&mut self, refusals: Refusals, prefix: &str, fallback: Span) {
        if let Err(refusal) = refusals.or(()) {
            self.refuse(refusal.prefixed(prefix), fallback);
        }
    }

    /// Records why something was refused.
    pub(crate) fn refuse(&mut self, refusal: Refusal, fallback: Span) {
        self.findings.extend(refusal.into_findings(fallback));
    }
}
