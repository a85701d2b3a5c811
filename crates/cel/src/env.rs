//! Environments: which functions, types and syntax an expression may use, by Kubernetes version.

use std::collections::{BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use sprag_release::{Fact, Release};

use crate::check::FastHasher;
use crate::library;
use crate::overload::{Overload, Scope};
use crate::syntax::{self, Ast, Dialect, Issues};
use crate::types::Sig;

/// The newest libraries of which anything is known; later versions have the same.
const NEWEST_LIBRARIES: u16 = 37;
/// The libraries of this version and all before it are the same.
const OLDEST_LIBRARIES: u16 = 26;
const VERSIONS: usize = (NEWEST_LIBRARIES - OLDEST_LIBRARIES) as usize + 1;

/// The functions, types and syntax an expression may use.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Env {
    /// The release of the server whose language it is.
    pub(crate) release: Release,
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

/// What an environment has beside the libraries of a version.
#[derive(Clone, Copy)]
enum Addition {
    Nothing,
    /// `cel.bind`.
    Bindings,
    /// The functions of expressions that make patches.
    Patches,
}

impl Env {
    /// Returns the environment with the libraries of Kubernetes 1.`minor`, in a server of the newest release.
    pub fn kubernetes(minor: u16) -> &'static Env {
        Self::cached(Addition::Nothing, Release::NEWEST, minor)
    }

    /// Returns the environment of new expressions in a release: it has the libraries of the release before, so that a server that is
    /// rolled back can run them.
    // As upstream's environment.DefaultCompatibilityVersion.
    pub fn new_expressions(release: Release) -> &'static Env {
        Self::cached(Addition::Nothing, release, minor(release) - 1)
    }

    /// Returns the environment of stored expressions in a release: it has all libraries of the release.
    pub fn stored(release: Release) -> &'static Env {
        Self::cached(Addition::Nothing, release, minor(release))
    }

    /// Returns the environment of new expressions about devices in a release: the usual one and `cel.bind`.
    pub fn new_devices(release: Release) -> &'static Env {
        Self::cached(Addition::Bindings, release, minor(release) - 1)
    }

    /// Returns the environment of stored expressions about devices in a release.
    pub fn stored_devices(release: Release) -> &'static Env {
        Self::cached(Addition::Bindings, release, minor(release))
    }

    /// Returns the environment of new expressions that make patches in a release.
    pub fn new_patches(release: Release) -> &'static Env {
        Self::cached(Addition::Patches, release, minor(release) - 1)
    }

    /// Returns the environment of stored expressions that make patches in a release.
    pub fn stored_patches(release: Release) -> &'static Env {
        Self::cached(Addition::Patches, release, minor(release))
    }

    fn cached(addition: Addition, release: Release, minor: u16) -> &'static Env {
        static CACHE: [[[OnceLock<Env>; VERSIONS]; Release::ALL.len()]; 3] =
            [const { [const { [const { OnceLock::new() }; VERSIONS] }; Release::ALL.len()] }; 3];
        let libraries = minor.clamp(OLDEST_LIBRARIES, NEWEST_LIBRARIES);
        let cell = &CACHE[addition as usize][release as usize][usize::from(libraries - OLDEST_LIBRARIES)];
        cell.get_or_init(|| {
            let keep = |overload: &Overload| match overload.scope {
                Scope::Patches => matches!(addition, Addition::Patches),
                _ => overload.available(libraries),
            };
            let env = Env::build(keep, release, Some(libraries));
            let bindings = matches!(addition, Addition::Bindings);
            Env { dialect: Dialect { bindings, ..env.dialect }, ..env }
        })
    }

    /// The plain language with its extensions, as its own test suite expects it.
    pub fn spec() -> &'static Env {
        static CACHE: OnceLock<Env> = OnceLock::new();
        CACHE.get_or_init(|| {
            Env::build(
                |overload| overload.available(u16::MAX - 1) || overload.scope == Scope::Spec,
                Release::NEWEST,
                None,
            )
        })
    }

    /// The plain language without type checks: whatever does not fit shows when it runs.
    pub fn spec_unchecked() -> &'static Env {
        static CACHE: OnceLock<Env> = OnceLock::new();
        CACHE.get_or_init(|| {
            let all = |overload: &Overload| overload.available(u16::MAX - 1) || overload.scope == Scope::Spec;
            Env { untyped: true, ..Env::build(all, Release::NEWEST, None) }
        })
    }

    /// The environment of the overloads that pass, with the settings of a Kubernetes version or of the plain language.
    fn build(keep: impl Fn(&Overload) -> bool, release: Release, minor: Option<u16>) -> Self {
        let mut functions: HashMap<_, Vec<&'static Overload>, _> = HashMap::default();
        let rows = library::ALL.iter().copied().flatten().filter(|row| row.releases.contains(release));
        for overload in rows.filter(|overload| keep(overload)) {
            functions.entry(overload.function).or_default().push(overload);
        }
        let level = minor.unwrap_or(u16::MAX);
        let types = library::TYPES.iter().filter(|(_, _, since)| *since <= level).map(|&(name, sig, _)| (name, sig));
        Self {
            release,
            functions,
            types: types.collect(),
            dialect: Dialect {
                optionals: level >= 28,
                two_variables: level >= 32,
                sort_by: level >= 34,
                bindings: false,
                backticks: release.has(Fact::CelEscapesNames),
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

    /// True if a function or macro can be called by this name, as a receiver's, or behind the name of its library.
    pub(crate) fn knows(&self, name: &str) -> bool {
        let is_last = |function: &&str| function.rsplit_once('.').is_some_and(|(_, last)| last == name);
        self.functions.contains_key(name)
            || self.dialect.receiver_macros().contains(&name)
            || self.functions.keys().any(is_last)
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

/// The second number of a release.
fn minor(release: Release) -> u16 {
    u16::try_from(release.version().minor).unwrap_or(NEWEST_LIBRARIES)
}
