//! A plan with everything that running it takes.

use sprag_field::{Error, Errors, Path};
use sprag_shape::Shapes;
use sprag_validate::{At, Request};
use sprag_value::Value;

use crate::interpret::Interpreter;
use crate::layout::Layout;
use crate::{DefId, DefLayout, FieldRef, HookTable, Plan, Resource, Root, TypeLayout, TypePlan, WireError};

/// A plan that is ready to run on dynamic values, with the shapes of its types.
///
/// Owned, immutable and without lifetimes, so that one is made at start and shared by all threads.
#[derive(Clone, Debug)]
pub struct Program {
    plan: Plan,
    shapes: Shapes,
    layout: Layout,
    resources: Vec<Resource>,
    /// The position in [`Plan::roots`] of each declared type that is one.
    roots: Vec<Option<usize>>,
    /// Types with so many optional fields that finding out first which are there pays.
    sparse: Vec<bool>,
}

/// The parts that a [`Program`] is made of.
#[derive(Clone, Debug, Default)]
pub struct ProgramParts {
    /// The plan.
    pub plan: Plan,
    /// The shapes of the types, for decoding, defaulting, patches and schemas.
    pub shapes: Shapes,
    /// All type expressions, by [`TypeId`](crate::TypeId).
    pub types: Vec<TypeLayout>,
    /// All declared types, by [`DefId`].
    pub defs: Vec<DefLayout>,
    /// The types whose values are whole objects.
    pub resources: Vec<Resource>,
}

/// Number of optional fields from which on one pass over the object's members beats a lookup for each field.
const SPARSE_FIELDS: usize = 4;

impl Program {
    /// Makes a program: resolves member slots and roots.
    ///
    /// # Panics
    ///
    /// If a member's type or a root is not in the tables.
    pub fn new(parts: ProgramParts) -> Program {
        let ProgramParts { plan, shapes, types, defs, resources } = parts;
        let mut roots = vec![None; defs.len()];
        for (at, root) in plan.roots.iter().enumerate() {
            roots[root.def.index()] = Some(at);
        }
        let optional = |plan: &TypePlan| plan.fields.iter().filter(|field| field.ends_unset).count();
        let sparse = plan.types.iter().map(|plan| plan.as_ref().is_some_and(|plan| optional(plan) >= SPARSE_FIELDS));
        Program { sparse: sparse.collect(), layout: Layout::new(types, defs), plan, shapes, resources, roots }
    }

    /// Reads what [`ProgramParts::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, WireError> {
        ProgramParts::from_bytes(bytes).map(Program::new)
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The shapes that [`Resource::shape`] is one of.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// All types whose values are whole objects, whether or not they have rules.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The resource of a group, version and kind.
    ///
    /// A group or version that a declaration does not name fits any; a declaration that names both is preferred.
    pub fn find(&self, group: &str, version: &str, kind: &str) -> Option<&Resource> {
        let fits = |known: &Option<String>, wanted: &str| known.as_deref().is_none_or(|known| known == wanted);
        let candidates = self
            .resources
            .iter()
            .filter(|known| known.kind == kind && fits(&known.version, version) && fits(&known.group, group));
        candidates.max_by_key(|known| (known.group.is_some(), known.version.is_some()))
    }

    /// Validates a whole object of a root type; hand-written checks are looked up in `hooks`.
    ///
    /// A type that is not a root of the plan has no rules. A request for a subresource the type does not answer for
    /// is an internal error, as in the reference.
    pub fn validate(
        &self,
        hooks: &dyn HookTable,
        request: &Request<'_>,
        root: DefId,
        new: &Value,
        old: Option<&Value>,
        errors: &mut Errors,
    ) {
        let Some(found) = self.root(root) else { return };
        if !found.subresources.iter().any(|path| path == request.subresource) {
            let (ty, path) = (&found.go_type, request.subresource);
            let failure = format_args!("no validation found for {ty}, subresource: {path}");
            errors.push(Error::internal(&Path::ROOT, failure));
            return;
        }
        self.validate_object(hooks, request, root, new, old, errors);
    }

    /// The same for any subresource: a server that serves one runs the rules of the whole object, whatever the type declares.
    pub fn validate_object(
        &self,
        hooks: &dyn HookTable,
        request: &Request<'_>,
        root: DefId,
        new: &Value,
        old: Option<&Value>,
        errors: &mut Errors,
    ) {
        if self.root(root).is_some() {
            let interpreter = Interpreter { program: self, layout: &self.layout, hooks };
            interpreter.validate_type(&At::root(request), root, Some(new), old, errors);
        }
    }

    fn root(&self, def: DefId) -> Option<&Root> {
        self.roots.get(def.index()).copied().flatten().map(|at| &self.plan.roots[at])
    }

    /// Validates one field of a new value of a declared type by the field's own rules, as if the value were an object.
    pub fn validate_field(
        &self,
        hooks: &dyn HookTable,
        request: &Request<'_>,
        field: FieldRef,
        new: &Value,
        errors: &mut Errors,
    ) {
        let plan = self.plan.of(field.def).and_then(|plan| plan.fields.iter().find(|plan| plan.field == field));
        let interpreter = Interpreter { program: self, layout: &self.layout, hooks };
        if let Some(plan) = plan {
            interpreter.validate_field(&At::root(request), plan, new, None, errors);
        }
    }

    /// The shape of a declared type.
    pub fn shape_of(&self, def: DefId) -> sprag_shape::TypeId {
        self.layout.of(self.layout.of_def(def)).shape
    }

    /// Tells if a type has so many optional fields that finding out first which are there pays.
    pub(crate) fn is_sparse(&self, def: DefId) -> bool {
        self.sparse[def.index()]
    }
}
