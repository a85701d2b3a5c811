//! Follows the packages that types name, and keeps of them what is reached.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sprag_idl::model::{Package, TypeDef, TypeExpr, TypeKind};
use sprag_idl::{Finding, Span, raw_value, tag_name};

use super::find::Home;
use super::{LoadError, Loader, Read};

/// The package tag that names the package whose types are meant.
const INPUT_TAG: &str = "k8s:validation-gen-input";

/// A type of another package, or all of its types.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    package: String,
    /// `None` for all types.
    name: Option<String>,
}

/// Packages reachable from the given ones.
pub(super) struct Reached {
    /// The given packages, then the imported ones.
    pub(super) packages: Vec<Package>,
    /// The paths of the packages that tags name as input.
    pub(super) inputs: BTreeSet<String>,
    /// Warnings about types that nothing is known of.
    pub(super) unknown: Vec<Finding>,
}

/// Reads what the given packages import.
pub(super) fn follow(loader: &mut Loader, given: Vec<Read>) -> Result<Reached, LoadError> {
    let mut follower = Follower { loader, found: BTreeMap::new(), queue: VecDeque::new(), seen: BTreeSet::new() };
    let mut inputs = BTreeSet::new();
    let names: BTreeSet<String> = given.iter().map(|read| read.package.path.clone()).collect();
    for read in &given {
        for input in input_packages(&read.package).filter(|input| !names.contains(*input)) {
            inputs.insert(input.to_owned());
            follower.want(Wanted { package: input.to_owned(), name: None }, &read.home);
        }
        follower.want_names(mentioned(&read.package), &read.home);
    }
    let mut packages: Vec<Package> = given.into_iter().map(|read| read.package).collect();
    let mut unknown = Vec::new();
    let found: Vec<Package> =
        follower.run(&names)?.into_iter().map(|followed| followed.into_package(&mut unknown)).collect();
    inputs.retain(|input| found.iter().any(|package| package.path == *input));
    packages.extend(found);
    Ok(Reached { packages, inputs, unknown })
}

/// A package that was looked for.
struct Followed {
    read: Read,
    reached: BTreeSet<String>,
    all: bool,
}

struct Follower<'l> {
    loader: &'l mut Loader,
    /// By import path; `None` when it was not found.
    found: BTreeMap<String, Option<Followed>>,
    queue: VecDeque<(Wanted, Home)>,
    seen: BTreeSet<Wanted>,
}

impl Follower<'_> {
    fn run(mut self, given: &BTreeSet<String>) -> Result<Vec<Followed>, LoadError> {
        while let Some((wanted, from)) = self.queue.pop_front() {
            if given.contains(&wanted.package) {
                continue;
            }
            if !self.found.contains_key(&wanted.package) {
                // Findings about packages that were not asked for are nobody's concern.
                let read = self.loader.imported(&wanted.package, &from, 0)?.cloned();
                let followed = read.map(|read| Followed { read, reached: BTreeSet::new(), all: false });
                self.found.insert(wanted.package.clone(), followed);
            }
            self.reach(&wanted);
        }
        Ok(self.found.into_values().flatten().collect())
    }

    fn reach(&mut self, wanted: &Wanted) {
        let Some(Some(followed)) = self.found.get_mut(&wanted.package) else { return };
        let package = &followed.read.package;
        let reached: Vec<TypeExpr> = match &wanted.name {
            None => {
                followed.all = true;
                mentioned(package).cloned().collect()
            }
            Some(name) => {
                followed.reached.insert(name.clone());
                package.types.iter().filter(|ty| ty.name == *name).flat_map(expressions).cloned().collect()
            }
        };
        let home = followed.read.home.clone();
        self.want_names(&reached, &home);
    }

    fn want_names<'t>(&mut self, expressions: impl IntoIterator<Item = &'t TypeExpr>, home: &Home) {
        for (package, name) in expressions.into_iter().flat_map(names) {
            let package = package.unwrap_or(&home.path).to_owned();
            self.want(Wanted { package, name: Some(name.to_owned()) }, home);
        }
    }

    fn want(&mut self, wanted: Wanted, from: &Home) {
        if self.seen.insert(wanted.clone()) {
            self.queue.push_back((wanted, from.clone()));
        }
    }
}

impl Followed {
    fn into_package(self, unknown: &mut Vec<Finding>) -> Package {
        let mut package = self.read.package;
        if self.read.is_known {
            let declared: BTreeSet<String> = package.types.iter().map(|ty| ty.name.clone()).collect();
            for name in self.reached.difference(&declared) {
                let message =
                    format!("type {}.{name} is in a package that was not loaded; treating it as opaque", package.path);
                unknown.push(Finding::warning(Span::NONE, message));
                package.types.push(opaque(name));
            }
        }
        if !self.all {
            keep(&mut package, |name| self.reached.contains(name));
            package.unread_tags.clear();
        }
        package
    }
}

/// A type of which only the name is known.
fn opaque(name: &str) -> TypeDef {
    TypeDef {
        name: name.to_owned(),
        kind: TypeKind::Opaque("its package was not loaded".to_owned()),
        doc: String::new(),
        tags: Vec::new(),
        detached_tags: Vec::new(),
        generics: Vec::new(),
        exported: true,
        span: Span::NONE,
    }
}

/// Reduces packages to what a type of one of them reaches.
pub(super) fn narrow(packages: &mut [Package], package: &str, name: &str) {
    let mut reached: BTreeSet<(String, String)> = BTreeSet::new();
    let mut work = vec![(package.to_owned(), name.to_owned())];
    while let Some((package, name)) = work.pop() {
        let home = packages.iter().find(|candidate| candidate.path == package);
        let types = home.into_iter().flat_map(|home| &home.types).filter(|ty| ty.name == name);
        if reached.insert((package.clone(), name.clone())) {
            let mentioned = types.flat_map(expressions).flat_map(names);
            work.extend(mentioned.map(|(other, name)| (other.unwrap_or(&package).to_owned(), name.to_owned())));
        }
    }
    for package in packages {
        let path = package.path.clone();
        keep(package, |name| reached.contains(&(path.clone(), name.to_owned())));
    }
}

/// Keeps some types of a package and the constants of those types.
fn keep(package: &mut Package, is_kept: impl Fn(&str) -> bool) {
    package.types.retain(|ty| is_kept(&ty.name));
    package.consts.retain(|item| match &item.ty {
        Some(TypeExpr::Named(name)) => name.package.is_none() && is_kept(&name.name),
        _ => false,
    });
}

fn input_packages(package: &Package) -> impl Iterator<Item = &str> {
    let lines = package.tags.iter().filter(|line| tag_name(&line.text) == Some(INPUT_TAG));
    lines.filter_map(|line| raw_value(&line.text)).map(str::trim).filter(|path| !path.is_empty())
}

/// The types that a whole package mentions, those of its constants included.
fn mentioned(package: &Package) -> impl Iterator<Item = &TypeExpr> {
    package.types.iter().flat_map(expressions).chain(package.consts.iter().filter_map(|item| item.ty.as_ref()))
}

fn expressions(ty: &TypeDef) -> Vec<&TypeExpr> {
    match &ty.kind {
        TypeKind::Struct(fields) => fields.iter().map(|field| &field.ty).collect(),
        TypeKind::Typedef(target) | TypeKind::Alias(target) => vec![target],
        TypeKind::Enum(_) | TypeKind::Opaque(_) => Vec::new(),
    }
}

/// The names in a type expression, with their packages.
fn names(expr: &TypeExpr) -> Vec<(Option<&str>, &str)> {
    let mut names = Vec::new();
    let mut work = vec![expr];
    while let Some(expr) = work.pop() {
        match expr {
            TypeExpr::Named(name) => names.push((name.package.as_deref(), name.name.as_str())),
            TypeExpr::Pointer(inner) | TypeExpr::Boxed(inner) | TypeExpr::List(inner) | TypeExpr::Array(_, inner) => {
                work.push(inner);
            }
            TypeExpr::Map(_, key, value) => work.extend([value.as_ref(), key]),
            TypeExpr::Builtin(_) | TypeExpr::Interface | TypeExpr::Unsupported(..) => {}
        }
    }
    names
}
