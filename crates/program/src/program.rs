//! A plan with everything that running it takes.

use std::sync::Arc;

use sprag_checks::{At, Request};
use sprag_field::{Error, Errors, Path};
use sprag_release::Release;
use sprag_shape::Shapes;
use sprag_value::Value;

use crate::interpret::{Interpreter, Trace};
use crate::layout::Layout;
use crate::walk::{Declared, Walk};
use crate::{
    DefId, DefLayout, FieldRef, HookTable, Plan, Ranged, Resource, Root, TypeId, TypeLayout, TypePlan, WireError,
};

/// A plan that is ready to run on dynamic values, with the shapes of its types.
///
/// Owned, immutable and without lifetimes, so that one is made at start and shared by all threads.
#[derive(Clone, Debug)]
pub struct Program {
    plan: Plan,
    shapes: Arc<Shapes>,
    layout: Layout,
    resources: Vec<Resource>,
    /// The position in [`Plan::roots`] of each declared type that is one.
    roots: Vec<Option<usize>>,
    /// The checks of a walk over whole objects.
    walked: Walk,
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
    /// The declarations that hold in some releases of Kubernetes only.
    pub ranges: Vec<Ranged>,
}

impl Program {
    /// Makes a program for the newest release: resolves member slots and roots.
    ///
    /// # Panics
    ///
    /// If a member's type or a root is not in the tables.
    pub fn new(parts: ProgramParts) -> Program {
        Program::of_release(parts, Release::NEWEST)
    }

    /// The same for a release: declarations and rules that do not hold in it are left out, so that nothing asks for it later.
    ///
    /// # Panics
    ///
    /// If a member's type or a root is not in the tables.
    pub fn of_release(parts: ProgramParts, release: Release) -> Program {
        let ProgramParts { plan, shapes, types, defs, resources, .. } = parts.of_release(release);
        let mut roots = vec![None; defs.len()];
        for (at, root) in plan.roots.iter().enumerate() {
            roots[root.def.index()] = Some(at);
        }
        let walked = Walk::new(&plan.types);
        Program { layout: Layout::new(types, defs), plan, shapes: Arc::new(shapes), resources, roots, walked }
    }

    /// Reads what [`ProgramParts::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Program, WireError> {
        ProgramParts::from_bytes(bytes).map(Program::new)
    }

    /// Returns the parts that the program was made of.
    pub fn to_parts(&self) -> ProgramParts {
        let (types, defs) = self.layout.parts();
        ProgramParts {
            plan: self.plan.clone(),
            shapes: Shapes::clone(&self.shapes),
            types,
            defs,
            resources: self.resources.clone(),
            ranges: Vec::new(),
        }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The shapes that [`Resource::shape`] is one of.
    pub fn shapes(&self) -> &Arc<Shapes> {
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
            let ty = &found.go_type;
            let path = request.subresource;
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
            let interpreter = self.interpreter(&self.walked, hooks);
            interpreter.validate_type(&At::root(request), root, Some(new), old, errors);
        }
    }

    /// The same, with a function that learns of every check that found something: those of [`Program::rules`], and those around
    /// them.
    pub fn validate_traced(
        &self,
        (hooks, trace): (&dyn HookTable, Trace<'_>),
        request: &Request<'_>,
        root: DefId,
        new: &Value,
        old: Option<&Value>,
        errors: &mut Errors,
    ) {
        if self.root(root).is_some() {
            let interpreter = Interpreter { trace: Some(trace), ..self.interpreter(&self.walked, hooks) };
            interpreter.validate_type(&At::root(request), root, Some(new), old, errors);
        }
    }

    /// The checks of a type in a walk over whole objects.
    pub(crate) fn walked(&self, def: DefId) -> Option<&TypePlan> {
        self.walked.of(self.source(), def).map(|walked| &walked.plan)
    }

    /// The same program with other checks of a type.
    pub(crate) fn with_walked(&self, def: DefId, edit: impl FnOnce(&mut TypePlan)) -> Program {
        Program { walked: self.walked.edited(self.source(), def, edit), ..self.clone() }
    }

    /// Returns the parts from which the checks of walks are assembled.
    #[inline]
    pub(crate) fn source(&self) -> Declared<'_> {
        (&self.plan.types, self.layout.types())
    }

    /// The layout of a type expression.
    pub fn layout_of(&self, ty: TypeId) -> TypeLayout {
        self.layout.of(ty)
    }

    /// The type expression of a declared type.
    pub fn type_of(&self, def: DefId) -> TypeId {
        self.layout.of_def(def)
    }

    /// The fields of a struct: their types and their names in paths; no name for those whose fields are members of the struct.
    pub fn fields(&self, def: DefId) -> impl Iterator<Item = (FieldRef, TypeId, Option<&str>)> {
        (0..self.layout.field_count(def)).map(move |index| {
            let field = FieldRef { def, index };
            (field, self.layout.field_type(field), self.layout.json_name(field))
        })
    }

    /// The name of a field in paths.
    pub fn field_name(&self, field: FieldRef) -> &str {
        self.layout.path_name(field)
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
        let interpreter = self.interpreter(&self.walked, hooks);
        if let Some(plan) = self.walked.field(self.source(), field) {
            interpreter.validate_field(&At::root(request), plan, new, None, errors);
        }
    }

    fn interpreter<'p>(&'p self, walk: &'p Walk, hooks: &'p dyn HookTable) -> Interpreter<'p> {
        Interpreter { program: self, walk, layout: &self.layout, hooks, trace: None, owner_bound: None }
    }

    /// The shape of a declared type.
    pub fn shape_of(&self, def: DefId) -> sprag_shape::TypeId {
        self.layout.of(self.layout.of_def(def)).shape
    }
}
