//! From tags to a [`Plan`]: which checks a set of types asks for, in which order.
//!
//! Tags of one place are lowered in the order of their names. A tag that depends on others of the same place, or on
//! other fields, defers its work; deferred work runs in rounds until nothing is left.

mod assemble;
mod discover;
mod lowered;
mod roots;
mod tag_records;

use std::collections::{BTreeMap, BTreeSet};

use sprag_field::Stage;
use sprag_idl::model::{Language, TagLine};
use sprag_idl::{Finding, Span, Tag, parse_tag, tag_name};
use sprag_plan::{DefId, FieldRef, Hook, Literal, Plan, TypeId};
use sprag_validate::Regexp;

pub(crate) use self::discover::Node;
pub(crate) use self::lowered::{DeferTo, Deferred, Lowered, PlacedCheck, Refusal, Wrap};
pub(crate) use self::roots::go_type;
pub(crate) use self::tag_records::{
    ListMeta, ModeGroup, ModeMember, ModeValue, Semantic, TagRecords, UnionMember, UnionRecord,
};
use crate::dialect::Dialect;
use crate::registry::{Meaning, Registry, Scope};
use crate::resource::{ResourceReader, is_resource};
use crate::types::{ConstDef, Universe};

/// Choices of a lowering that are not in the source.
#[derive(Clone, Copy, Debug, Default)]
pub struct LowerOptions {
    /// The dialect of all packages, whatever they say themselves.
    pub dialect: Option<Dialect>,
    /// What to do with packages that do not say which of their types are roots.
    pub untagged: Untagged,
    /// What to do with types of packages that are not included.
    pub foreign: Foreign,
    /// Whether hooks must be found among the functions that were read.
    pub hooks: Hooks,
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
    /// What is wrong or doubtful, in the order in which it was found.
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
    let (hooks, patterns) = (std::mem::take(&mut lowerer.hooks), std::mem::take(&mut lowerer.patterns));
    let plan = Plan { hooks, patterns, ..assemble::assemble(universe, roots, nodes) };
    Lowering { plan, findings: lowerer.findings, root_types, gates: lowerer.gates }
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
    /// What tags of other places said.
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

/// Where a tag stands.
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
    /// The life-cycle stage that wrappers around this place ask for.
    pub(crate) stage: Stage,
    /// The field of a struct that this place belongs to, for rules that are judged at the struct.
    pub(crate) owner: Option<Owner>,
    /// The list field whose item this place is.
    pub(crate) list_member: Option<FieldRef>,
}

impl Context {
    /// Tells if the place is one selected item of a list.
    pub(crate) fn is_item(&self) -> bool {
        self.selector.as_ref().is_some_and(|keys| !keys.is_empty())
    }
}

/// The field of a struct that a place belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) field: FieldRef,
    /// Whether the place is every element of that field.
    pub(crate) each: bool,
}

/// Deepest chain of tags inside tags that is lowered.
const MAX_ROUNDS: usize = 10;

impl<'a> Lowerer<'a> {
    /// The tags of a comment that this lowering knows, parsed; the first unreadable one is an error.
    pub(crate) fn parse_tags(&self, lines: &[TagLine]) -> Result<Vec<Tag>, Refusal> {
        let mut tags = Vec::new();
        for line in lines {
            let Some(name) = tag_name(&line.text) else { continue };
            if self.rule_name(name).is_none() {
                continue;
            }
            let tag = parse_tag(&line.text, line.span, self.dialect.syntax()).map_err(|error| {
                let same: Vec<&str> = lines
                    .iter()
                    .filter(|other| tag_name(&other.text) == Some(name))
                    .map(|other| other.text.as_str())
                    .collect();
                Refusal::at(error.span, format!("failed to parse tags: {}: [{}]", error.message, same.join(" ")))
            })?;
            tags.push(tag);
        }
        Ok(tags)
    }

    /// The registered name behind a spelling that the dialect at hand accepts.
    pub(crate) fn rule_name(&self, name: &str) -> Option<&'a str> {
        let registry: &'a Registry = self.registry;
        registry.resolve(name, self.dialect).map(|rule| rule.name.as_ref())
    }

    /// Lowers the tags of one place.
    pub(crate) fn lower_tags(&mut self, cx: &Context, tags: &[Tag]) -> Result<Lowered, Refusal> {
        let mut sorted: Vec<(&str, &Tag)> = Vec::with_capacity(tags.len());
        for tag in tags {
            let Some(name) = self.rule_name(&tag.name) else {
                return Err(Refusal::at(tag.span, format!("unknown tag {:?}", tag.name)));
            };
            sorted.push((name, tag));
        }
        sorted.sort_by_key(|(name, _)| *name);
        let mut all = Lowered::default();
        for (name, tag) in sorted {
            all.add(self.lower_tag(cx, name, tag)?);
        }
        Ok(all)
    }

    fn lower_tag(&mut self, cx: &Context, name: &str, tag: &Tag) -> Result<Lowered, Refusal> {
        let registry = self.registry;
        let rule = registry.find(name).expect("rule_name returns registered names");
        if !rule.may_stand(cx, self.dialect) {
            let message = format!("tag {name:?} cannot be specified on {}", cx.scope.place());
            return Err(Refusal::at(tag.span, message));
        }
        let lowered = rule.check_spelling(tag, self.dialect).map_err(Refusal::from).and_then(|()| match &rule.lower {
            Meaning::Rule(lower) => lower(self, cx, tag),
            Meaning::Hook(function) => Ok(self.lower_hook(cx, function)),
        });
        lowered.map_err(|refusal| refusal.inside(name, tag.span))
    }

    fn lower_hook(&mut self, cx: &Context, function: &str) -> Lowered {
        self.hooks.push(Hook { name: function.to_owned(), ty: cx.ty });
        Lowered::check(sprag_plan::Check::new(sprag_plan::Rule::Custom(function.to_owned())))
    }

    /// Runs deferred work in rounds; `here` and `parent` take what it yields.
    pub(crate) fn run_deferred(
        &mut self,
        here: &mut Lowered,
        mut parent: Option<&mut Lowered>,
        place: &str,
    ) -> Result<(), Refusal> {
        let mut deferred = std::mem::take(&mut here.deferred);
        let mut rounds = 0;
        while !deferred.is_empty() {
            rounds += 1;
            if rounds > MAX_ROUNDS {
                return Err(format!("deferred validation recursion depth exceeded {MAX_ROUNDS} for {place}").into());
            }
            let mut next = Vec::new();
            for work in deferred {
                let to = work.to;
                let mut result = (work.run)(self)?;
                next.append(&mut result.deferred);
                match (&mut parent, to) {
                    (Some(parent), DeferTo::Parent) => parent.add(result),
                    _ => here.add(result),
                }
            }
            deferred = next;
        }
        Ok(())
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
                    self.refuse(&refusal, &format!("constant {path}: "), item.item.span);
                }
            }
        }
    }

    fn lower_const(&mut self, item: &ConstDef, path: &str) -> Result<(), Refusal> {
        let tags = self.parse_tags(&item.item.tags)?;
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
            stage: Stage::Stable,
            owner: None,
            list_member: None,
        };
        self.lower_tags(&cx, &tags).map(|_| ())
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

    /// Records why something was refused.
    pub(crate) fn refuse(&mut self, refusal: &Refusal, prefix: &str, fallback: Span) {
        let span = refusal.span.filter(|span| span.is_some()).unwrap_or(fallback);
        self.findings.push(Finding::error(span, format!("{prefix}{}", refusal.message)));
    }
}
