//! Building a universe: names resolved, typedefs flattened, endless types refused.

use std::collections::{BTreeMap, BTreeSet};

use sprag_idl::model::{Language, MapKind, Package, TypeExpr, TypeKind, TypeName};
use sprag_idl::{Finding, Span};
use sprag_program::{DefId, TypeId};

use crate::types::{ConstDef, Def, DefKind, FieldDef, MapForm, PackageInfo, Type, Universe, known};

/// Longest chain of typedefs that is followed.
pub const MAX_TYPEDEF_CHAIN: usize = 256;

/// The error for generic types.
pub(crate) const GENERIC: &str = "generic types are not supported";

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
        for (at, package) in packages.iter().enumerate() {
            universe.move_alias_tags(at, package);
        }
        for (at, package) in packages.into_iter().enumerate() {
            universe.resolve_package(at, package, &index);
        }
        universe.add_known_structs(&index);
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
            unread_tags: package.unread_tags.clone(),
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
                alias: matches!(ty.kind, TypeKind::Alias(_)),
                exported: ty.exported,
                span: ty.span,
            });
        }
    }

    /// Declares the structs of Rust crates that are not read but known.
    fn add_known_structs(&mut self, index: &BTreeMap<String, usize>) {
        let foreign = |universe: &Universe, ty: TypeId| match universe.ty(ty) {
            Type::Foreign(name) => known::package(name),
            _ => None,
        };
        let found: Vec<(TypeId, Package)> =
            self.type_ids().filter_map(|ty| foreign(self, ty).map(|package| (ty, package))).collect();
        for (ty, package) in found {
            let at = self.packages.len();
            let def = DefId(index_u32(self.defs.len()));
            self.declare(at, &package, false);
            self.resolve_package(at, package, index);
            self.known_structs.insert(ty, def);
        }
    }

    /// A type without a comment of its own takes that of an alias for it, as in the reference.
    fn move_alias_tags(&mut self, at: usize, package: &Package) {
        for alias in &package.types {
            let TypeKind::Alias(TypeExpr::Named(target)) = &alias.kind else { continue };
            let Some(id) = self.by_name.get(&(at, target.name.clone())).filter(|_| target.package.is_none()) else {
                continue;
            };
            let def = &mut self.defs[id.index()];
            if def.doc.is_empty() && def.tags.is_empty() {
                def.tags.clone_from(&alias.tags);
                def.detached_tags.clone_from(&alias.detached_tags);
            }
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
            if mentions_parameter(&ty.kind, &ty.generics) {
                self.defs[id.index()].kind = DefKind::Opaque(GENERIC.into());
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
                TypeKind::Enum(declared) => DefKind::Enum(declared),
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

    fn resolve_name(&mut self, scope: &mut Scope<'_>, name: &TypeName, span: Span) -> TypeId {
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

    /// True if a type reaches a struct through embedded fields alone.
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

    /// Makes sure that every declared type has a type expression.
    fn intern_defs(&mut self) {
        for at in 0..self.defs.len() {
            self.intern(Type::Def(DefId(index_u32(at))));
        }
    }
}

struct Scope<'a> {
    package: usize,
    language: Language,
    index: &'a BTreeMap<String, usize>,
    aliases: &'a BTreeMap<String, TypeExpr>,
    depth: usize,
}

/// True if a type uses one of its own parameters.
fn mentions_parameter(kind: &TypeKind, parameters: &[String]) -> bool {
    let mut work: Vec<&TypeExpr> = match kind {
        _ if parameters.is_empty() => return false,
        TypeKind::Struct(fields) => fields.iter().map(|field| &field.ty).collect(),
        TypeKind::Typedef(target) | TypeKind::Alias(target) => vec![target],
        TypeKind::Enum(_) | TypeKind::Opaque(_) => return false,
    };
    while let Some(expr) = work.pop() {
        match expr {
            TypeExpr::Named(name) if name.package.is_none() && parameters.contains(&name.name) => return true,
            TypeExpr::Pointer(inner) | TypeExpr::Boxed(inner) | TypeExpr::List(inner) | TypeExpr::Array(_, inner) => {
                work.push(inner);
            }
            TypeExpr::Map(_, key, value) => work.extend([&**key, &**value]),
            _ => {}
        }
    }
    false
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
