//! The type universe: every type of a set of packages, resolved across packages.
//!
//! Follows the reference generator's view of types: a Go typedef is flattened to what it stands for
//! (`type B A` has A's fields, not A's tags), an alias is the type itself, and a type from a package that is
//! not known is [`Type::Foreign`].

use std::collections::{BTreeMap, BTreeSet};

use sprag_idl::model::{Builtin, Const, Field, Func, Language, MapKind, Package, TagLine, TypeExpr, TypeKind, Variant};
use sprag_idl::{Finding, Span};

/// Index of a resolved type expression in a [`Universe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// Index of a declared type in a [`Universe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(u32);

impl TypeId {
    /// The position of the type among all types of its universe.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl DefId {
    /// The position of the definition in [`Universe::defs`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A resolved type expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A type of the language itself.
    Builtin(Builtin),
    /// A declared type of a known package.
    Def(DefId),
    /// A declared type of an unknown package, as the reference prints it (`time.Duration`).
    Foreign(String),
    /// `*T`, or `Option<T>` around anything but a list or map.
    Pointer(TypeId),
    /// `Box<T>`; means `T`.
    Boxed(TypeId),
    /// `Option<Vec<T>>`, `Option<BTreeMap<K, V>>`; means the list or map, which has an unset form already.
    Nullable(TypeId),
    /// A list.
    List(TypeId),
    /// A fixed-size array.
    Array(String, TypeId),
    /// A map.
    Map(MapForm, TypeId, TypeId),
    /// Any value.
    Interface,
    /// A kind API types cannot use: Go kind name and source text.
    Unsupported(&'static str, String),
}

/// [`MapKind`] in an order, so that types can be interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MapForm {
    /// An ordered map (Go's maps become one).
    Ordered,
    /// A `HashMap`.
    Hash,
}

/// The kind of a type once typedefs are removed, named as the reference names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are Go's own kind names")]
pub enum Kind {
    Builtin,
    Struct,
    Pointer,
    Slice,
    Array,
    Map,
    Interface,
    Other(&'static str),
}

impl Kind {
    /// The name in error texts.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Builtin => "Builtin",
            Kind::Struct => "Struct",
            Kind::Pointer => "Pointer",
            Kind::Slice => "Slice",
            Kind::Array => "Array",
            Kind::Map => "Map",
            Kind::Interface => "Interface",
            Kind::Other(name) => name,
        }
    }
}

/// A type with all typedefs removed, pointers counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// How many pointers stand around it.
    pub pointers: u32,
    /// The type inside: never a pointer, typedef, box or nullable.
    pub base: TypeId,
}

/// A declared type.
#[derive(Clone, Debug)]
pub struct Def {
    /// Index of its package.
    pub package: usize,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DefKind,
    /// Prose of its doc comment.
    pub doc: String,
    /// Its own tag lines.
    pub tags: Vec<TagLine>,
    /// Tag lines one blank line above.
    pub detached_tags: Vec<TagLine>,
    /// The definitions it was flattened through, nearest first (`type B A` lists A).
    pub chain: Vec<DefId>,
    /// Whether other packages can name it.
    pub exported: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What a declared type is.
#[derive(Clone, Debug)]
pub enum DefKind {
    /// A struct, or a Go typedef of one.
    Struct(Vec<FieldDef>),
    /// A typedef; under Go its target is flattened, under Rust it is the newtype's content.
    Typedef(TypeId),
    /// A Rust enum of unit variants: a string on the wire.
    Enum(Vec<Variant>),
    /// Something rules cannot look into, and why.
    Opaque(String),
}

/// A field of a struct, with its resolved type.
#[derive(Clone, Debug)]
pub struct FieldDef {
    /// The field as read.
    pub field: Field,
    /// Its resolved type.
    pub ty: TypeId,
}

/// A package of a [`Universe`].
#[derive(Clone, Debug)]
pub struct PackageInfo {
    /// Import or module path.
    pub path: String,
    /// Package name.
    pub name: String,
    /// Source language.
    pub language: Language,
    /// Whether validators may be generated for its types.
    pub included: bool,
    /// Package-level tag lines.
    pub tags: Vec<TagLine>,
    /// Constants.
    pub consts: Vec<ConstDef>,
    /// Functions.
    pub funcs: Vec<Func>,
}

/// A constant with its resolved type.
#[derive(Clone, Debug)]
pub struct ConstDef {
    /// The constant as read.
    pub item: Const,
    /// Its declared type, resolved.
    pub ty: Option<TypeId>,
}

/// All types of a set of packages.
#[derive(Clone, Debug, Default)]
pub struct Universe {
    packages: Vec<PackageInfo>,
    defs: Vec<Def>,
    types: Vec<Type>,
    interned: BTreeMap<Type, TypeId>,
    by_name: BTreeMap<(usize, String), DefId>,
    findings: Vec<Finding>,
}

/// Longest chain of typedefs that is followed.
pub const MAX_TYPEDEF_CHAIN: usize = 256;

/// Deepest nesting of a type expression that is resolved.
pub const MAX_TYPE_DEPTH: usize = 128;

impl Universe {
    /// Resolves a set of packages; `included` says which may get validators.
    pub fn new(packages: Vec<Package>, included: impl Fn(&Package) -> bool) -> Universe {
        let mut universe = Universe::default();
        let index: BTreeMap<String, usize> =
            packages.iter().enumerate().map(|(at, package)| (package.path.clone(), at)).collect();
        for (at, package) in packages.iter().enumerate() {
            universe.declare(at, package, included(package));
        }
        for (at, package) in packages.into_iter().enumerate() {
            universe.resolve_package(at, package, &index);
        }
        universe.flatten();
        universe.refuse_self_embedding();
        universe.intern_defs();
        universe
    }

    fn declare(&mut self, at: usize, package: &Package, included: bool) {
        self.packages.push(PackageInfo {
            path: package.path.clone(),
            name: package.name.clone(),
            language: package.language,
            included,
            tags: package.tags.clone(),
            consts: Vec::new(),
            funcs: package.funcs.clone(),
        });
        for ty in &package.types {
            let id = DefId(index_u32(self.defs.len()));
            if self.by_name.insert((at, ty.name.clone()), id).is_some() {
                self.findings.push(Finding::error(ty.span, format!("type {} is declared twice", ty.name)));
            }
            self.defs.push(Def {
                package: at,
                name: ty.name.clone(),
                kind: DefKind::Opaque(String::new()),
                doc: ty.doc.clone(),
                tags: ty.tags.clone(),
                detached_tags: ty.detached_tags.clone(),
                chain: Vec::new(),
                exported: ty.exported,
                span: ty.span,
            });
        }
    }

    fn resolve_package(&mut self, at: usize, package: Package, index: &BTreeMap<String, usize>) {
        let aliases: BTreeMap<String, TypeExpr> = package
            .types
            .iter()
            .filter_map(|ty| match &ty.kind {
                TypeKind::Alias(target) => Some((ty.name.clone(), target.clone())),
                _ => None,
            })
            .collect();
        let mut scope = Scope { package: at, language: package.language, index, aliases: &aliases, depth: 0 };
        for ty in package.types {
            let Some(&id) = self.by_name.get(&(at, ty.name.clone())) else { continue };
            if !ty.generics.is_empty() {
                self.defs[id.index()].kind = DefKind::Opaque("generic types have no validators of their own".into());
                continue;
            }
            let kind = match ty.kind {
                TypeKind::Struct(fields) => DefKind::Struct(
                    fields
                        .into_iter()
                        .map(|field| FieldDef { ty: self.resolve(&mut scope, &field.ty, field.span), field })
                        .collect(),
                ),
                TypeKind::Typedef(target) | TypeKind::Alias(target) => {
                    DefKind::Typedef(self.resolve(&mut scope, &target, ty.span))
                }
                TypeKind::Enum(variants) => DefKind::Enum(variants),
                TypeKind::Opaque(reason) => DefKind::Opaque(reason),
            };
            self.defs[id.index()].kind = kind;
        }
        for item in package.consts {
            let ty = item.ty.as_ref().map(|ty| self.resolve(&mut scope, ty, item.span));
            self.packages[at].consts.push(ConstDef { item, ty });
        }
    }

    fn resolve(&mut self, scope: &mut Scope<'_>, expr: &TypeExpr, span: Span) -> TypeId {
        scope.depth += 1;
        if scope.depth > MAX_TYPE_DEPTH {
            scope.depth -= 1;
            self.findings.push(Finding::error(span, format!("type nests deeper than {MAX_TYPE_DEPTH} levels")));
            return self.intern(Type::Unsupported("Unsupported", "…".into()));
        }
        let ty = match expr {
            TypeExpr::Builtin(builtin) => Type::Builtin(*builtin),
            TypeExpr::Named(name) => return self.resolve_name(scope, name, span),
            TypeExpr::Pointer(inner) => {
                let collection = scope.language == Language::Rust && is_collection(inner);
                let inner = self.resolve(scope, inner, span);
                if collection { Type::Nullable(inner) } else { Type::Pointer(inner) }
            }
            TypeExpr::Boxed(inner) => Type::Boxed(self.resolve(scope, inner, span)),
            TypeExpr::List(inner) => Type::List(self.resolve(scope, inner, span)),
            TypeExpr::Array(len, inner) => Type::Array(len.clone(), self.resolve(scope, inner, span)),
            TypeExpr::Map(kind, key, value) => {
                let form = if *kind == MapKind::Hash { MapForm::Hash } else { MapForm::Ordered };
                Type::Map(form, self.resolve(scope, key, span), self.resolve(scope, value, span))
            }
            TypeExpr::Interface => Type::Interface,
            TypeExpr::Unsupported(kind, text) => Type::Unsupported(kind, text.clone()),
        };
        scope.depth -= 1;
        self.intern(ty)
    }

    fn resolve_name(&mut self, scope: &mut Scope<'_>, name: &sprag_idl::model::TypeName, span: Span) -> TypeId {
        let package = match &name.package {
            None => Some(scope.package),
            Some(path) => scope.index.get(path).copied(),
        };
        let id = match package {
            None => {
                let path = name.package.as_deref().unwrap_or_default();
                self.intern(Type::Foreign(format!("{path}.{}", name.name)))
            }
            Some(package) => match self.by_name.get(&(package, name.name.clone())) {
                Some(_) if package == scope.package && scope.aliases.contains_key(&name.name) => {
                    let target = scope.aliases[&name.name].clone();
                    self.resolve(scope, &target, span)
                }
                Some(&def) => self.intern(Type::Def(def)),
                None => {
                    self.findings.push(Finding::error(span, format!("type {} is not declared", name.name)));
                    self.intern(Type::Foreign(name.name.clone()))
                }
            },
        };
        scope.depth -= 1;
        id
    }

    /// The id of a type, new or known.
    fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.interned.get(&ty) {
            return id;
        }
        let id = TypeId(index_u32(self.types.len()));
        self.types.push(ty.clone());
        self.interned.insert(ty, id);
        id
    }

    /// Replaces every Go typedef by what it finally stands for.
    fn flatten(&mut self) {
        let next: Vec<Option<DefId>> = self
            .defs
            .iter()
            .map(|def| match def.kind {
                DefKind::Typedef(target) => match self.types[target.index()] {
                    Type::Def(next) => Some(next),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        for at in 0..self.defs.len() {
            let mut chain = Vec::new();
            let mut cursor = DefId(index_u32(at));
            let mut problem = None;
            while let Some(link) = next[cursor.index()] {
                if link.index() == at || chain.contains(&link) {
                    problem = Some("is defined by itself".to_owned());
                    break;
                }
                if chain.len() == MAX_TYPEDEF_CHAIN {
                    problem = Some(format!("is a chain of more than {MAX_TYPEDEF_CHAIN} typedefs"));
                    break;
                }
                chain.push(link);
                cursor = link;
            }
            if let Some(problem) = problem {
                let def = &self.defs[at];
                self.findings.push(Finding::error(def.span, format!("type {} {problem}", def.name)));
                self.defs[at].kind = DefKind::Opaque(problem);
            } else if !chain.is_empty() {
                if self.packages[self.defs[at].package].language == Language::Go {
                    self.defs[at].kind = self.defs[cursor.index()].kind.clone();
                }
                self.defs[at].chain = chain;
            }
        }
    }

    /// Closes fields through which a struct embeds itself: its wire form would have no end.
    fn refuse_self_embedding(&mut self) {
        for at in 0..self.defs.len() {
            let DefKind::Struct(fields) = &self.defs[at].kind else { continue };
            let inline: Vec<usize> = (0..fields.len()).filter(|index| fields[*index].field.inline).collect();
            for index in inline {
                if self.embeds(self.fields(DefId(index_u32(at)))[index].ty, at) {
                    let name = self.defs[at].name.clone();
                    let DefKind::Struct(fields) = &mut self.defs[at].kind else { continue };
                    fields[index].field.ignored = true;
                    let span = fields[index].field.span;
                    self.findings.push(Finding::error(span, format!("type {name} embeds itself")));
                }
            }
        }
    }

    /// Whether a type reaches a struct through embedded fields alone.
    fn embeds(&self, ty: TypeId, target: usize) -> bool {
        let mut work: Vec<DefId> = self.struct_of(ty).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(def) = work.pop() {
            if def.index() == target {
                return true;
            }
            if seen.insert(def) {
                let inline = self.fields(def).iter().filter(|f| f.field.inline && !f.field.ignored);
                work.extend(inline.filter_map(|f| self.struct_of(f.ty)));
            }
        }
        false
    }

    /// What was wrong with the packages.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// All packages, in the order given.
    pub fn packages(&self) -> &[PackageInfo] {
        &self.packages
    }

    /// All declared types.
    pub fn defs(&self) -> impl Iterator<Item = (DefId, &Def)> {
        (0u32..).map(DefId).zip(&self.defs)
    }

    /// One declared type.
    pub fn def(&self, id: DefId) -> &Def {
        &self.defs[id.index()]
    }

    /// The package a declared type is in.
    pub fn package_of(&self, id: DefId) -> &PackageInfo {
        &self.packages[self.def(id).package]
    }

    /// The declared type with this name in the package with this path.
    pub fn find(&self, package: &str, name: &str) -> Option<DefId> {
        let at = self.packages.iter().position(|info| info.path == package)?;
        self.by_name.get(&(at, name.to_owned())).copied()
    }

    /// All type expressions.
    pub(crate) fn type_ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..u32::try_from(self.types.len()).unwrap_or(u32::MAX)).map(TypeId)
    }

    /// One type expression.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The id of the type expression that just names a declared type.
    pub fn type_of_def(&self, def: DefId) -> Option<TypeId> {
        self.interned.get(&Type::Def(def)).copied()
    }

    /// Makes sure that every declared type has a type expression.
    fn intern_defs(&mut self) {
        for at in 0..self.defs.len() {
            self.intern(Type::Def(DefId(index_u32(at))));
        }
    }

    /// The type without typedefs, boxes and nullables; pointers are counted.
    pub fn native(&self, mut id: TypeId) -> Native {
        let mut pointers = 0;
        for _ in 0..2 * MAX_TYPEDEF_CHAIN {
            match self.ty(id) {
                Type::Pointer(inner) => {
                    pointers += 1;
                    id = *inner;
                }
                Type::Boxed(inner) | Type::Nullable(inner) => id = *inner,
                Type::Def(def) => match &self.def(*def).kind {
                    DefKind::Typedef(target) => id = *target,
                    _ => break,
                },
                _ => break,
            }
        }
        Native { pointers, base: id }
    }

    /// The kind of a type with typedefs removed; a pointer to anything is a pointer.
    pub fn kind(&self, id: TypeId) -> Kind {
        let native = self.native(id);
        if native.pointers > 0 { Kind::Pointer } else { self.base_kind(native.base) }
    }

    /// The kind of what a type finally holds, pointers removed.
    pub fn pointee_kind(&self, id: TypeId) -> Kind {
        self.base_kind(self.native(id).base)
    }

    fn base_kind(&self, base: TypeId) -> Kind {
        match self.ty(base) {
            Type::Builtin(_) => Kind::Builtin,
            Type::Def(def) => match self.def(*def).kind {
                DefKind::Struct(_) => Kind::Struct,
                DefKind::Enum(_) => Kind::Builtin,
                _ => Kind::Other("Opaque"),
            },
            Type::Foreign(_) => Kind::Other("Unknown"),
            Type::List(_) => Kind::Slice,
            Type::Array(..) => Kind::Array,
            Type::Map(..) => Kind::Map,
            Type::Interface => Kind::Interface,
            Type::Unsupported(kind, _) => Kind::Other(kind),
            Type::Pointer(_) | Type::Boxed(_) | Type::Nullable(_) => Kind::Pointer,
        }
    }

    /// The builtin a type finally holds, pointers and typedefs removed; a Rust enum is a string.
    pub fn builtin(&self, id: TypeId) -> Option<Builtin> {
        match self.ty(self.native(id).base) {
            Type::Builtin(builtin) => Some(*builtin),
            Type::Def(def) if matches!(self.def(*def).kind, DefKind::Enum(_)) => Some(Builtin::String),
            _ => None,
        }
    }

    /// Whether a type finally holds a string.
    pub fn is_string(&self, id: TypeId) -> bool {
        self.builtin(id) == Some(Builtin::String)
    }

    /// Element type of a list, or value type of a map, typedefs and pointers removed first.
    pub fn elem(&self, id: TypeId) -> Option<TypeId> {
        match self.ty(self.native(id).base) {
            Type::List(elem) | Type::Array(_, elem) => Some(*elem),
            Type::Map(_, _, value) => Some(*value),
            _ => None,
        }
    }

    /// Key type of a map, typedefs and pointers removed first.
    pub fn key(&self, id: TypeId) -> Option<TypeId> {
        match self.ty(self.native(id).base) {
            Type::Map(_, key, _) => Some(*key),
            _ => None,
        }
    }

    /// The struct a type finally holds.
    pub fn struct_of(&self, id: TypeId) -> Option<DefId> {
        match self.ty(self.native(id).base) {
            Type::Def(def) if matches!(self.def(*def).kind, DefKind::Struct(_)) => Some(*def),
            _ => None,
        }
    }

    /// Fields of a struct; empty for anything else.
    pub fn fields(&self, def: DefId) -> &[FieldDef] {
        match &self.def(def).kind {
            DefKind::Struct(fields) => fields,
            _ => &[],
        }
    }

    /// The declared types that a declared type mentions, in order.
    pub fn defs_in(&self, def: DefId) -> Vec<DefId> {
        let mut types: Vec<TypeId> = match &self.def(def).kind {
            DefKind::Struct(fields) => fields.iter().rev().map(|field| field.ty).collect(),
            DefKind::Typedef(target) => vec![*target],
            _ => Vec::new(),
        };
        let mut found = Vec::new();
        while let Some(ty) = types.pop() {
            match self.ty(ty) {
                Type::Def(def) => found.push(*def),
                Type::Pointer(inner)
                | Type::Boxed(inner)
                | Type::Nullable(inner)
                | Type::List(inner)
                | Type::Array(_, inner) => types.push(*inner),
                Type::Map(_, key, value) => types.extend([*value, *key]),
                _ => {}
            }
        }
        found
    }

    /// The direct field of a struct with this JSON name.
    pub fn member(&self, def: DefId, json: &str) -> Option<FieldRef> {
        let at = self.fields(def).iter().position(|f| f.field.json.as_deref() == Some(json) && !f.field.ignored)?;
        Some(FieldRef { def, index: at })
    }

    /// The field a reference points at.
    pub fn field(&self, at: FieldRef) -> &FieldDef {
        &self.fields(at.def)[at.index]
    }

    /// Whether a nil form exists: pointers, lists, maps and interfaces.
    pub fn is_nilable(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Kind::Pointer | Kind::Map | Kind::Slice | Kind::Interface)
    }

    /// Whether a type is a pointer as written (typedefs not followed).
    pub fn is_pointer(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Pointer(_) => true,
            Type::Boxed(inner) => self.is_pointer(*inner),
            _ => false,
        }
    }

    /// Whether Go could compare values of this type with `==`: scalars and structs of scalars.
    pub fn is_directly_comparable(&self, id: TypeId) -> bool {
        let mut work = vec![id];
        let mut seen = BTreeSet::new();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.ty(id) {
                Type::Builtin(_) => {}
                Type::Boxed(inner) | Type::Array(_, inner) => work.push(*inner),
                Type::Def(def) => match &self.def(*def).kind {
                    DefKind::Struct(fields) => work.extend(fields.iter().map(|f| f.ty)),
                    DefKind::Typedef(target) => work.push(*target),
                    DefKind::Enum(_) => {}
                    DefKind::Opaque(_) => return false,
                },
                _ => return false,
            }
        }
        true
    }

    /// The full name of a declared type: `package/path.Name`.
    pub fn def_name(&self, def: DefId) -> String {
        format!("{}.{}", self.package_of(def).path, self.def(def).name)
    }

    /// A type as the reference prints it.
    pub fn type_name(&self, id: TypeId) -> String {
        match self.ty(id) {
            Type::Builtin(builtin) => builtin.go_name().to_owned(),
            Type::Def(def) => self.def_name(*def),
            Type::Foreign(name) => name.clone(),
            Type::Pointer(inner) => format!("*{}", self.type_name(*inner)),
            Type::Boxed(inner) | Type::Nullable(inner) => self.type_name(*inner),
            Type::List(inner) => format!("[]{}", self.type_name(*inner)),
            Type::Array(len, inner) => format!("[{len}]{}", self.type_name(*inner)),
            Type::Map(_, key, value) => format!("map[{}]{}", self.type_name(*key), self.type_name(*value)),
            Type::Interface => "interface{}".to_owned(),
            Type::Unsupported(_, text) => text.clone(),
        }
    }

    /// `src`, or `src -> native` where a typedef or pointer hides the native type; pointers are kept.
    pub fn native_type_name(&self, id: TypeId) -> String {
        let native = self.native(id);
        if native.base == id {
            return self.type_name(id);
        }
        let stars = "*".repeat(native.pointers as usize);
        format!("{} -> {stars}{}", self.type_name(id), self.type_name(native.base))
    }

    /// `src`, or `src -> native` where a typedef or pointer hides the native type; pointers are removed.
    pub fn root_type_name(&self, id: TypeId) -> String {
        let native = self.native(id);
        if native.base == id {
            return self.type_name(id);
        }
        format!("{} -> {}", self.type_name(id), self.type_name(native.base))
    }
}

/// A field of a struct, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldRef {
    /// The struct.
    pub def: DefId,
    /// The field's position in it.
    pub index: usize,
}

struct Scope<'a> {
    package: usize,
    language: Language,
    index: &'a BTreeMap<String, usize>,
    aliases: &'a BTreeMap<String, TypeExpr>,
    depth: usize,
}

fn index_u32(index: usize) -> u32 {
    u32::try_from(index).expect("source limits keep the number of types below 2^32")
}

fn is_collection(expr: &TypeExpr) -> bool {
    match expr {
        TypeExpr::List(_) | TypeExpr::Map(..) => true,
        TypeExpr::Boxed(inner) => is_collection(inner),
        _ => false,
    }
}
