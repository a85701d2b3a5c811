//! The context of all printers: names, paths, and the types that get code.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use sprag_idl::model::Language;
use sprag_idl::{Finding, Span};
use sprag_program::{DefId, FieldRef, Plan, TypeId};
use sprag_tags::types::{DefKind, Type, Universe};

use crate::cycles::boxed_fields;
use crate::names::{self, Unique, ident, snake};
use crate::repr::Reprs;
use crate::{Options, known};

/// The state of a generator run.
pub(crate) struct Cx<'a> {
    pub(crate) universe: &'a Universe,
    pub(crate) plan: &'a Plan,
    pub(crate) reprs: Reprs<'a>,
    /// Path of the run-time crate.
    pub(crate) runtime: syn::Path,
    /// Path of the value crate.
    pub(crate) value: syn::Path,
    /// Path of the module with hand-written checks.
    pub(crate) hooks: syn::Path,
    /// Path of the shape crate, where shapes are wanted.
    pub(crate) shape: Option<syn::Path>,
    /// Path of the module with the traits of resources, where resources are wanted.
    pub(crate) rest: Option<syn::Path>,
    /// True if resources refer to the rules as data.
    pub(crate) program: bool,
    /// Module name per package.
    pub(crate) modules: Vec<String>,
    /// Types that get implementations of the run-time traits.
    pub(crate) types: BTreeSet<DefId>,
    /// The module path of the types of each Rust package.
    rust_paths: Vec<Option<syn::Path>>,
    fields: BTreeMap<DefId, Vec<Ident>>,
    functions: BTreeMap<DefId, String>,
    findings: RefCell<Vec<Finding>>,
    /// Types whose validators are called without a value.
    pub(crate) called_without: RefCell<BTreeSet<DefId>>,
}

impl<'a> Cx<'a> {
    pub(crate) fn new(universe: &'a Universe, plan: &'a Plan, options: &Options) -> Result<Cx<'a>, Vec<Finding>> {
        let types = wanted(universe, plan);
        let go: BTreeSet<DefId> =
            types.iter().copied().filter(|def| universe.package_of(*def).language == Language::Go).collect();
        let mut findings = Vec::new();
        let mut path = |text: &str| {
            syn::parse_str::<syn::Path>(text)
                .map_err(|error| findings.push(Finding::error(Span::NONE, format!("path {text:?}: {error}"))))
                .ok()
        };
        let shape = options.shape.as_deref().and_then(&mut path);
        let rest = options.rest.as_deref().and_then(&mut path);
        let paths = (path(&options.runtime), path(&options.value), path(&options.hooks));
        let rust_paths = universe
            .packages()
            .iter()
            .map(|package| match package.language {
                Language::Go => None,
                Language::Rust => path(options.type_paths.get(&package.path).unwrap_or(&package.path)),
            })
            .collect();
        let (Some(runtime), Some(value), Some(hooks)) = paths else { return Err(findings) };
        Ok(Cx {
            universe,
            plan,
            reprs: Reprs::new(universe, boxed_fields(universe, &go)),
            runtime,
            value,
            hooks,
            shape,
            rest,
            program: options.program,
            modules: names::modules(universe.packages().iter().map(|package| package.path.as_str())),
            fields: types.iter().map(|def| (*def, field_names(universe, *def))).collect(),
            functions: function_names(universe, plan),
            types,
            rust_paths,
            findings: RefCell::new(findings),
            called_without: RefCell::default(),
        })
    }

    /// Records something that cannot be generated, once.
    pub(crate) fn refuse(&self, message: impl Into<String>) {
        self.record(Finding::error(Span::NONE, message));
    }

    /// The same with the place of a declaration, and how to mend it.
    pub(crate) fn refuse_at(&self, span: Span, message: impl Into<String>, help: &str) {
        self.record(Finding::error(span, message).with_help(help));
    }

    fn record(&self, finding: Finding) {
        let mut findings = self.findings.borrow_mut();
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }

    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings.into_inner()
    }

    /// The Rust name of a field.
    pub(crate) fn field_name(&self, field: FieldRef) -> Ident {
        match self.fields.get(&field.def).and_then(|fields| fields.get(field.index)) {
            Some(name) => name.clone(),
            None => field_names(self.universe, field.def).swap_remove(field.index),
        }
    }

    /// The name of a type's validator.
    pub(crate) fn function(&self, def: DefId) -> Ident {
        let name = self.functions.get(&def).map_or("", String::as_str);
        ident(&format!("validate_{name}"))
    }

    /// The name of a type's validator for a value that is missing.
    pub(crate) fn nil_function(&self, def: DefId) -> Ident {
        let name = self.functions.get(&def).map_or("", String::as_str);
        ident(&format!("validate_missing_{name}"))
    }

    pub(crate) fn package(&self, def: DefId) -> usize {
        self.universe.def(def).package
    }

    /// The path of a type from a place this many modules below the package's own.
    pub(crate) fn type_path(&self, def: DefId, from: usize, depth: usize) -> TokenStream {
        let package = self.package(def);
        let name = type_ident(&self.universe.def(def).name);
        if let Some(path) = &self.rust_paths[package] {
            return quote!(#path::#name);
        }
        let up = (0..depth).map(|_| quote!(super::));
        if package == from {
            return quote!(#(#up)* #name);
        }
        let module = ident(&self.modules[package]);
        quote!(#(#up)* super::#module::#name)
    }

    /// The module a Rust package's types are imported from; `None` for Go.
    pub(crate) fn rust_path(&self, package: usize) -> Option<&syn::Path> {
        self.rust_paths[package].as_ref()
    }

    /// Reports whether a package gets a module: it has types or validators.
    pub(crate) fn is_printed(&self, package: usize) -> bool {
        self.types.iter().any(|def| self.package(*def) == package)
    }
}

/// The Rust name of a type.
pub(crate) fn type_ident(name: &str) -> Ident {
    const PRIMITIVES: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    if PRIMITIVES.contains(&name) { ident(&format!("{name}_")) } else { ident(name) }
}

/// Go types of included packages and everything below them; of Rust only what validators need.
fn wanted(universe: &Universe, plan: &Plan) -> BTreeSet<DefId> {
    let mut work: Vec<DefId> = Vec::new();
    for (id, def) in universe.defs() {
        let package = universe.package_of(id);
        let go = package.language == Language::Go && package.included && def.exported;
        if go || plan.of(id).is_some() {
            work.push(id);
        }
    }
    let mut all = BTreeSet::new();
    while let Some(def) = work.pop() {
        let package = universe.package_of(def);
        let go = package.language == Language::Go;
        let foreign = if go { known::go(&package.path, &universe.def(def).name).is_some() } else { !package.included };
        let opaque = matches!(universe.def(def).kind, DefKind::Opaque(_));
        if foreign || opaque || !all.insert(def) {
            continue;
        }
        match &universe.def(def).kind {
            DefKind::Struct(fields) => {
                let seen = fields.iter().filter(|field| !go || field.field.exported);
                seen.for_each(|field| named(universe, field.ty, &mut work));
            }
            DefKind::Typedef(target) => named(universe, *target, &mut work),
            _ => {}
        }
    }
    all
}

/// The declared types in a type expression.
fn named(universe: &Universe, ty: TypeId, out: &mut Vec<DefId>) {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match universe.ty(ty) {
            Type::Def(def) => out.push(*def),
            Type::Pointer(inner)
            | Type::Boxed(inner)
            | Type::Nullable(inner)
            | Type::List(inner)
            | Type::Array(_, inner) => work.push(*inner),
            Type::Map(_, key, value) => work.extend([*key, *value]),
            _ => {}
        }
    }
}

fn field_names(universe: &Universe, def: DefId) -> Vec<Ident> {
    let go = universe.package_of(def).language == Language::Go;
    let mut unique = Unique::default();
    universe
        .fields(def)
        .iter()
        .map(|field| {
            let name = &field.field.name;
            if go { ident(&unique.claim(&snake(name))) } else { ident(name) }
        })
        .collect()
}

fn function_names(universe: &Universe, plan: &Plan) -> BTreeMap<DefId, String> {
    let mut unique: BTreeMap<usize, Unique> = BTreeMap::new();
    universe
        .defs()
        .filter(|(id, _)| plan.of(*id).is_some())
        .map(|(id, def)| (id, unique.entry(def.package).or_default().claim(&snake(&def.name))))
        .collect()
}
