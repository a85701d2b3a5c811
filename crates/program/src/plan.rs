//! The plan: checks in order, grouped by what stops what. Data only.
//!
//! Crate `tags` lowers tags to a plan, `codegen` prints it, the interpreter walks it. A dialect's choices are already
//! made here: neither backend knows that dialects exist.

use sprag_field::Stage;
use sprag_regexp::Regexp;
use sprag_release::Releases;

use crate::walk::without_called;
use crate::{DefId, FieldRef, PatternId, Rule, TypeId};

/// The validators of a set of types.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// One entry per declared type, in the order of definitions; `None` where nothing is to be checked.
    pub types: Vec<Option<TypePlan>>,
    /// The types that are validated as whole objects.
    pub roots: Vec<Root>,
    /// The hooks that hand-written code must provide.
    pub hooks: Vec<Hook>,
    /// The regular expressions of the rules, each once.
    pub patterns: Vec<Regexp>,
}

impl Plan {
    /// The validator of a declared type, if it has one.
    pub fn of(&self, def: DefId) -> Option<&TypePlan> {
        self.types.get(def.index())?.as_ref()
    }

    /// The regular expression with this id.
    pub fn pattern(&self, id: PatternId) -> &Regexp {
        &self.patterns[id.index()]
    }

    /// The plan without entry points for hand-written code.
    #[must_use]
    pub fn without_called(&self) -> Plan {
        let types = without_called(&self.types);
        let has_checks = |root: &&Root| types[root.def.index()].is_some();
        let roots = self.roots.iter().filter(has_checks).cloned().collect();
        Plan { types, roots, ..self.clone() }
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

/// The checks of one declared type.
#[derive(Clone, Debug, Default)]
pub struct TypePlan {
    /// Checks on the value as a whole.
    pub cohorts: Vec<Cohort>,
    /// Descent into keys and elements, for typedefs of maps and lists.
    pub descend: Vec<Check>,
    /// Fields with something to check, in declaration order.
    pub fields: Vec<FieldPlan>,
    /// Checks on the value run only below a field that is called, see [`FieldPlan::called`].
    pub called: bool,
}

/// The checks of one field.
#[derive(Clone, Debug)]
pub struct FieldPlan {
    /// The field.
    pub field: FieldRef,
    /// Its type.
    pub ty: TypeId,
    /// Its part of the path.
    pub step: PathStep,
    /// Checks on the field.
    pub cohorts: Vec<Cohort>,
    /// Descent into the field's type, keys and elements; skipped when the default cohort stops.
    pub descend: Vec<Check>,
    /// Checks of the change of an update, where hand-written code calls them: no walk runs them, and a new object has none.
    pub changes: Vec<Check>,
    /// Checks that hand-written code calls one by one, and no walk over the object.
    pub calls: Vec<Check>,
    /// An unset value ends the field silently: the only stopping check is that it is optional.
    pub ends_unset: bool,
    /// The field is judged where hand-written code calls its checks, and by no walk over the object.
    pub called: bool,
}

/// A field's part of the path, after its parent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// The field's name.
    Child(String),
    /// Nothing, or this name directly under the root; empty where the path is that of the wire form there too.
    Inline(String),
}

/// A group of checks that stop each other.
#[derive(Clone, Debug, Default)]
pub struct Cohort {
    /// Its name; empty for the default cohort, which comes first and whose stop ends the field.
    pub name: String,
    /// The checks: those that stop the group first.
    pub checks: Vec<Check>,
    /// The number of checks that stop the group.
    pub stops: usize,
}

/// One check: a rule and what its result means.
#[derive(Clone, Debug)]
pub struct Check {
    /// The rule to check.
    pub rule: Rule,
    /// Stops the later checks of its group when it yields anything.
    pub short_circuit: bool,
    /// Its errors are dropped; only the stop remains.
    pub non_error: bool,
    /// The life-cycle stage its errors carry.
    pub stage: Stage,
    /// Its errors are marked as those of a rule without a hand-written counterpart.
    pub native: bool,
    /// Yields warnings with this text (or its own) in place of errors.
    pub warning: Option<Warning>,
    /// The releases of Kubernetes in which it is run.
    pub releases: Releases,
}

/// A warning that a check yields in place of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The author's text. Without one, the text of the error is used.
    pub message: Option<String>,
}

impl Check {
    /// A plain check.
    pub fn new(rule: Rule) -> Check {
        Check {
            rule,
            short_circuit: false,
            non_error: false,
            stage: Stage::Stable,
            native: false,
            warning: None,
            releases: Releases::ALL,
        }
    }

    /// A check that stops its group.
    pub fn stopping(rule: Rule) -> Check {
        Check { short_circuit: true, ..Check::new(rule) }
    }

    /// A check that stops its group without an error.
    pub fn quiet(rule: Rule) -> Check {
        Check { non_error: true, ..Check::stopping(rule) }
    }

    /// Wraps the check in another rule, which takes over its stage and whether it stops its group.
    #[must_use]
    pub fn wrapped(self, rule: impl FnOnce(Box<Check>) -> Rule) -> Check {
        let Check { short_circuit, non_error, stage, releases, .. } = self;
        let inner =
            Check { short_circuit: false, non_error: false, stage: Stage::Stable, releases: Releases::ALL, ..self };
        Check { short_circuit, non_error, stage, releases, ..Check::new(rule(Box::new(inner))) }
    }
}
