//! Finds every type below the roots and lowers its tags, children before parents.

use sprag_idl::model::{Language, TagLine};
use sprag_idl::{Finding, Span, parse_tag};
use sprag_program::{Check, DefId, FieldRef, Identity, PathStep, Rule, TypeId};

use crate::dialect::Dialect;
use crate::lower::lowered::Lowered;
use crate::lower::roots::PackageRoots;
use crate::lower::{Context, Foreign, Lowerer, Owner, Prefix, Refusal, Refusals, Step};
use crate::registry::Scope;
use crate::types::{DefKind, FieldDef, GENERIC, Kind, Type};

/// A type with its lowered tags.
#[derive(Default)]
pub(crate) struct Node {
    pub(crate) lowered: Lowered,
    pub(crate) descend: Vec<Descent>,
    pub(crate) fields: Vec<FieldNode>,
}

/// A field with its lowered tags.
pub(crate) struct FieldNode {
    pub(crate) field: FieldRef,
    pub(crate) ty: TypeId,
    pub(crate) step: PathStep,
    pub(crate) lowered: Lowered,
    /// The declared type whose validator is called.
    pub(crate) call: Option<DefId>,
    pub(crate) descend: Vec<Descent>,
}

/// A call of the validator of keys or elements.
pub(crate) struct Descent {
    pub(crate) into: Part,
    /// The declared type whose validator is called.
    pub(crate) callee: DefId,
}

/// The part of a list or map that a descent goes into.
pub(crate) enum Part {
    Keys,
    /// The elements or values, and the list type.
    Elements(Option<Identity>),
}

impl Descent {
    pub(crate) fn check(self) -> Check {
        let call = Box::new(Check::new(Rule::Type(self.callee)));
        Check::new(match self.into {
            Part::Keys => Rule::EachKey(call),
            Part::Elements(identity) => Rule::EachVal(identity, call),
        })
    }
}

impl Lowerer<'_> {
    /// Lowers every included type below the roots.
    pub(crate) fn discover(&mut self, roots: &[PackageRoots]) -> Vec<Option<Node>> {
        let universe = self.universe;
        let mut nodes: Vec<Option<Node>> = universe.defs().map(|_| None).collect();
        let mut entered = vec![false; nodes.len()];
        for root in roots.iter().flat_map(|package| &package.roots) {
            let mut stack = vec![(root.def, false)];
            while let Some((def, done)) = stack.pop() {
                if done {
                    nodes[def.index()] = Some(self.lower_def(def));
                    continue;
                }
                if std::mem::replace(&mut entered[def.index()], true) {
                    continue;
                }
                stack.push((def, true));
                let children = universe.defs_in(def).into_iter().rev();
                let included = children.filter(|child| universe.package_of(*child).included);
                stack.extend(included.map(|child| (child, false)));
            }
        }
        nodes
    }

    fn lower_def(&mut self, id: DefId) -> Node {
        let universe = self.universe;
        let def = universe.def(id);
        self.dialect = self.dialect_of(def.package);
        self.language = universe.package_of(id).language;
        let path = universe.def_name(id);
        let mut node = Node::default();
        let result = match &def.kind {
            DefKind::Typedef(target) => match universe.kind(*target) {
                Kind::Pointer => Err(format!("type {path}: pointer root-types are not supported").into()),
                _ => self.verify(*target, &path),
            },
            DefKind::Struct(fields) => {
                self.lower_fields(id, fields, &path, &mut node);
                Ok(())
            }
            DefKind::Opaque(reason) if reason == GENERIC && self.language == Language::Go => {
                Err(format!("type {path}: {reason}").into())
            }
            DefKind::Enum(_) | DefKind::Opaque(_) => Ok(()),
        };
        let result = result.and_then(|()| self.lower_type(id, &path, &mut node));
        if let Err(refusal) = result {
            self.refuse(refusal, def.span);
        }
        node
    }

    /// The tags on the type itself, then the descent of typedefs.
    fn lower_type(&mut self, id: DefId, path: &str, node: &mut Node) -> Result<(), Refusal> {
        let universe = self.universe;
        let def = universe.def(id);
        let Some(ty) = universe.type_of_def(id) else { return Ok(()) };
        if universe.kind(ty) == Kind::Interface {
            return Ok(());
        }
        let cx = Context {
            scope: Scope::Type,
            ty,
            path: path.to_owned(),
            member: None,
            selector: None,
            parent_path: String::new(),
            parent_ty: None,
            def: Some(id),
            prefix: Prefix::default(),
            owner: (universe.kind(ty) == Kind::Struct)
                .then(|| universe.struct_of(ty))
                .flatten()
                .map(|def| Owner { def, steps: Vec::new() }),
            list_member: None,
        };
        let mut lines = Vec::new();
        if self.dialect == Dialect::Kep && self.is_flattened(id) {
            lines.extend(def.chain.iter().rev().flat_map(|link| universe.def(*link).tags.clone()));
        }
        lines.extend(def.tags.clone());
        // serde takes nothing but the variants of an enum, whether it is tagged or not.
        if matches!(def.kind, DefKind::Enum(_)) && !lines.iter().any(|line| self.is_enum_tag(line)) {
            lines.push(TagLine { text: "k8s:enum".to_owned(), span: def.span });
        }
        let mut refusals = Refusals::default();
        let lowered = self.lower_lines(&cx, &lines, &mut refusals);
        self.refuse_all(refusals, &format!("{path}: "), def.span);
        if !lowered.is_empty() && self.is_map_of_lists(ty) {
            return Err(format!("field {path}: validation for map of slices is not supported").into());
        }
        node.lowered.add(lowered);
        if let DefKind::Typedef(target) = def.kind {
            let opacity = Opacity::of(&node.lowered);
            node.descend = self.descent(ty, target, Place { path, span: def.span }, opacity)?;
        }
        let mut lowered = std::mem::take(&mut node.lowered);
        let result = self.run_deferred(&mut lowered, None, &format!("type {path}"));
        node.lowered = lowered;
        result
    }

    /// Reports whether a line is `+k8s:enum`, at whatever stage or under whatever condition.
    fn is_enum_tag(&self, line: &TagLine) -> bool {
        let tag = parse_tag(&line.text, line.span, self.dialect.syntax());
        tag.is_ok_and(|tag| std::iter::successors(Some(&tag), |tag| tag.inner()).any(|tag| tag.name == "k8s:enum"))
    }

    /// True if a typedef stands for its target's content itself: Rust newtypes call the inner validator instead.
    fn is_flattened(&self, id: DefId) -> bool {
        self.universe.package_of(id).language == Language::Go
    }

    fn is_map_of_lists(&self, ty: TypeId) -> bool {
        self.universe.pointee_kind(ty) == Kind::Map
            && self.universe.elem(ty).is_some_and(|elem| matches!(self.universe.ty(elem), Type::List(_)))
    }

    fn lower_fields(&mut self, id: DefId, fields: &[FieldDef], path: &str, node: &mut Node) {
        for (index, field) in fields.iter().enumerate() {
            let go = self.universe.package_of(id).language == Language::Go;
            if go && field.field.name.starts_with(char::is_lowercase) {
                continue;
            }
            let child_path = format!("{path}.{}", field.field.path_name());
            match self.lower_field(FieldRef { def: id, index }, field, path, &child_path) {
                // A field that is not on the wire has no value to check, but its tags have to be right.
                Ok(_) if field.field.ignored || (go && !field.field.exported) => {}
                Ok(field) => node.fields.push(field),
                Err(refusal) => self.refuse(refusal, field.field.span),
            }
        }
        for field in &mut node.fields {
            let name = &self.universe.field(field.field).field.name;
            let place = format!("field {name} of type {path}");
            if let Err(refusal) = self.run_deferred(&mut field.lowered, Some(&mut node.lowered), &place) {
                let span = self.universe.field(field.field).field.span;
                self.refuse(refusal.prefixed(&format!("deferred validation callback failed for {place}: ")), span);
            }
        }
    }

    fn lower_field(
        &mut self,
        at: FieldRef,
        field: &FieldDef,
        parent_path: &str,
        path: &str,
    ) -> Result<FieldNode, Refusal> {
        let universe = self.universe;
        let span = field.field.span;
        if let Err(refusal) = self.verify(field.ty, path) {
            self.refuse(refusal, span);
        }
        let cx = Context {
            scope: Scope::Field,
            ty: field.ty,
            path: path.to_owned(),
            member: Some(at),
            selector: None,
            parent_path: parent_path.to_owned(),
            parent_ty: universe.type_of_def(at.def),
            def: None,
            prefix: Prefix::default(),
            owner: Some(Owner { def: at.def, steps: vec![Step::Field(at)] }),
            list_member: None,
        };
        let mut refusals = Refusals::default();
        let lowered = self.lower_lines(&cx, &field.field.tags, &mut refusals);
        self.refuse_all(refusals, &format!("field {path}: "), span);
        if !lowered.is_empty() && self.is_map_of_lists(field.ty) {
            return Err(format!("field {path}: validation for map of slices is not supported").into());
        }
        let place = Place { path, span };
        let call = self.callee(field.ty, place, lowered.opaque)?;
        let descend = match universe.ty(field.ty) {
            Type::Def(_) => Vec::new(),
            _ => self.descent(field.ty, field.ty, place, Opacity::of(&lowered))?,
        };
        let step = if field.field.inline {
            PathStep::Inline(self.inline_name(at, field.ty))
        } else {
            PathStep::Child(field.field.path_name().to_owned())
        };
        Ok(FieldNode { field: at, ty: field.ty, step, lowered, call, descend })
    }

    /// The name an embedded Go field has directly under the root, where the reference passes a nil path; none in Rust.
    fn inline_name(&self, at: FieldRef, ty: TypeId) -> String {
        let universe = self.universe;
        if self.language == Language::Rust {
            return String::new();
        }
        let mut ty = ty;
        while let Type::Pointer(inner) | Type::Boxed(inner) = universe.ty(ty) {
            ty = *inner;
        }
        match universe.ty(ty) {
            Type::Def(def) if universe.def(*def).package == universe.def(at.def).package => {
                universe.def(*def).name.clone()
            }
            Type::Def(def) => format!("{}.{}", universe.package_of(*def).name, universe.def(*def).name),
            _ => universe.type_name(ty),
        }
    }

    /// The declared type of a field whose validator is to be called.
    fn callee(&mut self, ty: TypeId, place: Place<'_>, opaque: bool) -> Result<Option<DefId>, Refusal> {
        let universe = self.universe;
        let mut inner = ty;
        while let Type::Pointer(next) | Type::Boxed(next) = universe.ty(inner) {
            inner = *next;
        }
        match universe.ty(inner) {
            Type::Def(def) if universe.package_of(*def).included => Ok((!opaque).then_some(*def)),
            Type::Def(_) | Type::Foreign(_) if !opaque => {
                self.foreign(place, "type", ty, "+k8s:opaqueType").map(|()| None)
            }
            _ => Ok(None),
        }
    }

    /// A type from a package that was not read. In Rust other crates are never read, so their types are opaque.
    fn foreign(&mut self, place: Place<'_>, what: &str, ty: TypeId, tag: &str) -> Result<(), Refusal> {
        if self.language == Language::Rust {
            return Ok(());
        }
        let path = place.path;
        let name = &self.universe.type_name(ty);
        if self.options.foreign == Foreign::Opaque {
            if !is_well_known(name) {
                let message =
                    format!("{path}: {what} {name} is in a package that was not loaded; treating it as opaque");
                self.findings.push(Finding::warning(place.span, message));
            }
            return Ok(());
        }
        Err(format!(
            "{path}: {what} {name} is in a non-included package; \
             either add this package to validation-gen's --readonly-pkg flag, \
             or add {tag} to the field to skip validation"
        )
        .into())
    }

    /// Calls of the key and element types' validators.
    fn descent(
        &mut self,
        ty: TypeId,
        shape: TypeId,
        place: Place<'_>,
        opacity: Opacity,
    ) -> Result<Vec<Descent>, Refusal> {
        let universe = self.universe;
        let mut descents = Vec::new();
        let mut shape = shape;
        while let Type::Nullable(inner) | Type::Boxed(inner) = universe.ty(shape) {
            shape = *inner;
        }
        let (key, elem) = match universe.ty(shape) {
            Type::List(elem) => (None, *elem),
            Type::Map(_, key, elem) => (Some(*key), *elem),
            _ => return Ok(descents),
        };
        if let Some(key) = key
            && !opacity.key
            && let Some(callee) = self.element(key, place, "key type", "+k8s:eachKey=+k8s:opaqueType")?
        {
            descents.push(Descent { into: Part::Keys, callee });
        }
        if !opacity.val
            && let Some(callee) = self.element(elem, place, "value type", "+k8s:eachVal=+k8s:opaqueType")?
        {
            descents.push(Descent { into: Part::Elements(self.identity(place.path, ty)), callee });
        }
        Ok(descents)
    }

    /// Returns the correlation of list elements with the old list.
    pub(crate) fn identity(&self, path: &str, ty: TypeId) -> Option<Identity> {
        let declared = self.declared_identity(path, ty);
        if self.dialect == Dialect::Kubernetes || self.universe.pointee_kind(ty) != Kind::Slice {
            return declared;
        }
        declared.or(Some(Identity::Value))
    }

    /// The identity that the list tags of a place, or of its type, give its elements.
    pub(crate) fn declared_identity(&self, path: &str, ty: TypeId) -> Option<Identity> {
        if self.universe.pointee_kind(ty) != Kind::Slice {
            return None;
        }
        self.records.list(self.universe, path, ty).and_then(super::ListMeta::identity)
    }

    fn element(&mut self, ty: TypeId, place: Place<'_>, what: &str, tag: &str) -> Result<Option<DefId>, Refusal> {
        let universe = self.universe;
        let mut inner = ty;
        while let Type::Pointer(next) | Type::Boxed(next) = universe.ty(inner) {
            inner = *next;
        }
        match universe.ty(inner) {
            Type::Def(def) if universe.package_of(*def).included => Ok(Some(*def)),
            Type::Def(_) | Type::Foreign(_) => self.foreign(place, what, ty, tag).map(|()| None),
            _ => Ok(None),
        }
    }

    /// Refuses shapes that API types cannot have.
    fn verify(&mut self, ty: TypeId, path: &str) -> Result<(), Refusal> {
        let universe = self.universe;
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let problem = match universe.ty(ty) {
                Type::Pointer(inner) => {
                    work.push(*inner);
                    match universe.kind(*inner) {
                        Kind::Pointer => Some("pointers to pointers are not supported"),
                        Kind::Slice | Kind::Array => Some("pointers to lists are not supported"),
                        Kind::Map => Some("pointers to maps are not supported"),
                        _ => None,
                    }
                }
                Type::Boxed(inner) | Type::Nullable(inner) => {
                    work.push(*inner);
                    None
                }
                Type::Array(..) => Some("fixed-size arrays are not supported"),
                Type::List(elem) => {
                    work.push(*elem);
                    self.verify_list(*elem)
                }
                Type::Map(_, key, value) => {
                    work.push(*value);
                    self.verify_map(*key, *value)
                }
                Type::Unsupported("Struct", _) => None,
                Type::Unsupported(kind, text) => {
                    return Err(format!("field {path} ({text}): kind {kind} is not supported").into());
                }
                _ => None,
            };
            if let Some(problem) = problem {
                return Err(format!("field {path} ({}): {problem}", universe.type_name(ty)).into());
            }
        }
        Ok(())
    }

    fn verify_list(&self, elem: TypeId) -> Option<&'static str> {
        let universe = self.universe;
        match universe.kind(elem) {
            Kind::Slice => {
                let bytes = universe.elem(elem).and_then(|elem| universe.builtin(elem));
                let is_bytes = bytes.is_some_and(|builtin| builtin.int_bits().is_some_and(|(bits, _)| bits == 8));
                (!is_bytes).then_some("lists of lists are not supported")
            }
            Kind::Map => Some("lists of maps are not supported"),
            _ => None,
        }
    }

    fn verify_map(&self, key: TypeId, value: TypeId) -> Option<&'static str> {
        let universe = self.universe;
        if universe.kind(key) != Kind::Builtin || !universe.is_string(key) {
            return Some("maps with non-string keys are not supported");
        }
        match universe.kind(value) {
            Kind::Pointer => Some("maps of pointers are not supported"),
            Kind::Map => Some("maps of maps are not supported"),
            _ => None,
        }
    }
}

/// Structs of apimachinery without tags of their own, by their names.
pub(crate) fn is_well_known(name: &str) -> bool {
    let name = name.trim_start_matches(['*', '[', ']']);
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    matches!(last, "Quantity" | "Time" | "MicroTime" | "Duration" | "IntOrString" | "RawExtension" | "Value")
}

/// A place in the source, for findings.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a str,
    span: Span,
}

#[derive(Clone, Copy)]
struct Opacity {
    key: bool,
    val: bool,
}

impl Opacity {
    fn of(lowered: &Lowered) -> Opacity {
        Opacity { key: lowered.opaque_key, val: lowered.opaque_val }
    }
}
