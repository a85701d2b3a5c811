//! Environments: which functions, types and syntax an expression may use, by Kubernetes version.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use crate::check::FastHasher;
use crate::library;
use crate::overload::{Overload, Scope};
use crate::syntax::{self, Ast, Dialect, Issues};
use crate::types::Sig;

/// Minor versions that differ from each other; later ones are as the last.
const VERSIONS: usize = 64;

/// The functions, types and syntax an expression may use.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Env {
    functions: HashMap<&'static str, Vec<&'static Overload>, BuildHasherDefault<FastHasher>>,
    types: Vec<(&'static str, Sig)>,
    pub(crate) dialect: Dialect,
    /// Elements of a literal list or map must have one type.
    pub(crate) uniform_literals: bool,
    /// Numbers of different types may be compared by order.
    pub(crate) cross_type_numeric: bool,
    /// Literal durations, timestamps, patterns and formats are checked before anything runs.
    pub(crate) literal_checks: bool,
    /// Fields named like reserved words may be selected without escaping them.
    pub(crate) keyword_fields: bool,
    /// Everything is taken for `dyn`.
    pub(crate) untyped: bool,
    /// Conversions of constants are carried out in advance.
    pub(crate) folds_constants: bool,
}

impl Env {
    /// Returns the environment of new expressions in Kubernetes 1.`minor`.
    pub fn kubernetes(minor: u16) -> &'static Env {
        static CACHE: [OnceLock<Env>; VERSIONS] = [const { OnceLock::new() }; VERSIONS];
        let index = usize::from(minor).min(VERSIONS - 1);
        CACHE[index].get_or_init(|| Env::build(|overload| overload.available(minor), Some(minor)))
    }

    /// Returns the environment of new expressions about devices in Kubernetes 1.`minor`: the usual one and `cel.bind`.
    pub fn devices(minor: u16) -> &'static Env {
        static CACHE: [OnceLock<Env>; VERSIONS] = [const { OnceLock::new() }; VERSIONS];
        let index = usize::from(minor).min(VERSIONS - 1);
        CACHE[index].get_or_init(|| {
            let env = Env::build(|overload| overload.available(minor), Some(minor));
            Env { dialect: Dialect { bindings: true, ..env.dialect }, ..env }
        })
    }

    /// Returns the environment of stored expressions: everything that any version allows.
    pub fn stored() -> &'static Env {
        Self::kubernetes(u16::MAX - 1)
    }

    /// Returns the environment of new expressions that make patches in Kubernetes 1.`minor`.
    pub fn patches(minor: u16) -> &'static Env {
        static CACHE: [OnceLock<Env>; VERSIONS] = [const { OnceLock::new() }; VERSIONS];
        let index = usize::from(minor).min(VERSIONS - 1);
        let keep = move |overload: &Overload| overload.available(minor) || overload.scope == Scope::Patches;
        CACHE[index].get_or_init(|| Env::build(keep, Some(minor)))
    }

    /// Returns the environment of stored expressions that make patches.
    pub fn stored_patches() -> &'static Env {
        Self::patches(u16::MAX - 1)
    }

    /// The plain language with its extensions, as its own test suite expects it.
    pub fn spec() -> &'static Env {
        static CACHE: OnceLock<Env> = OnceLock::new();
        CACHE.get_or_init(|| {
            Env::build(|overload| overload.available(u16::MAX - 1) || overload.scope == Scope::Spec, None)
        })
    }

    /// The plain language without type checks: whatever does not fit shows when it runs.
    pub fn spec_unchecked() -> &'static Env {
        static CACHE: OnceLock<Env> = OnceLock::new();
        CACHE.get_or_init(|| {
            let all = |overload: &Overload| overload.available(u16::MAX - 1) || overload.scope == Scope::Spec;
            Env { untyped: true, ..Env::build(all, None) }
        })
    }

    /// The environment of the overloads that pass, with the settings of a Kubernetes version or of the plain language.
    fn build(keep: impl Fn(&Overload) -> bool, minor: Option<u16>) -> Self {
        let mut functions: HashMap<_, Vec<&'static Overload>, _> = HashMap::default();
        for overload in library::ALL.iter().copied().flatten().filter(|overload| keep(overload)) {
            functions.entry(overload.function).or_default().push(overload);
        }
        let level = minor.unwrap_or(u16::MAX);
        let types = library::TYPES.iter().filter(|(_, _, since)| *since <= level).map(|&(name, sig, _)| (name, sig));
        Self {
            functions,
            types: types.collect(),
            dialect: Dialect {
                optionals: level >= 28,
                two_variables: level >= 32,
                sort_by: level >= 34,
                bindings: false,
            },
            uniform_literals: minor.is_some(),
            cross_type_numeric: level >= 28,
            literal_checks: minor.is_some_and(|minor| minor >= 29),
            keyword_fields: level >= 31,
            untyped: false,
            folds_constants: minor.is_some(),
        }
    }

    /// Parses an expression with the syntax of this environment.
    pub fn parse(&self, source: &str) -> Result<Ast, Issues> {
        syntax::parse(source, self.dialect)
    }

    /// The overloads that can be called by name, sorted by function.
    pub fn callable(&self) -> Vec<&'static Overload> {
        let is_name = |function: &&str| function.starts_with(|first: char| first.is_ascii_alphabetic());
        let names: BTreeSet<&'static str> = self.functions.keys().copied().filter(is_name).collect();
        names.iter().flat_map(|name| self.functions[name].iter().copied()).collect()
    }

    /// The syntax of this environment.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The overloads of a function.
    pub(crate) fn function(&self, name: &str) -> Option<&[&'static Overload]> {
        self.functions.get(name).map(Vec::as_slice)
    }

    /// The type with this name, for expressions like `type(x) == int`.
    pub(crate) fn type_named(&self, name: &str) -> Option<Sig> {
        self.types.iter().find(|(known, _)| *known == name).map(|(_, sig)| *sig)
    }
}
