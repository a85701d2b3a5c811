//! Moving hand-written validation to tags: tests that both say the same, for every version of a kind.
//!
//! A [`Migration`] has a resource as it is served, hooks and all, and the [`Program`] of its types: `sprag-build`'s `compile_program` makes it,
//! `sprag::include_program!()` reads it.
//!
//! Does not know: source files. The guide to all of it is `docs/migration.md`.

mod compare;
mod coverage;
mod equivalence;
mod exceptions;
mod fixtures;
mod fuzz;
mod gated;
mod generate;
mod http;
mod judge;

use std::sync::Arc;

use sprag_field::NormalizationRule;
use sprag_program::{NoHooks, Program, Resource};
use sprag_rest::{Definition, SharedHooks, Stage};

pub use self::compare::Difference;
pub use self::coverage::untriggered;
pub use self::exceptions::Exceptions;
pub use self::fixtures::Fixture;
pub use self::fuzz::{Fuzz, Fuzzed, Mismatch};
use self::generate::Generator;
use self::judge::Setting;

/// A kind whose hand-written validation moves to tags.
pub struct Migration {
    definition: Definition,
    reference: Option<Definition>,
    program: Arc<Program>,
    hooks: SharedHooks,
    gates: Vec<(String, Stage)>,
    normalization: Vec<NormalizationRule>,
    exceptions: Exceptions,
    /// There is no hand-written code to compare rules with.
    rules_alone: bool,
}

impl Migration {
    /// A resource and the rules of its types.
    pub fn new(resource: impl Into<Definition>, program: impl Into<Arc<Program>>) -> Migration {
        Migration {
            definition: resource.into(),
            reference: None,
            program: program.into(),
            hooks: Arc::new(NoHooks),
            gates: Vec::new(),
            normalization: Vec::new(),
            exceptions: Exceptions::default(),
            rules_alone: false,
        }
    }

    /// Compares rules with the hooks of another form of the resource, for one whose own hooks are gone already.
    #[must_use]
    pub fn reference(self, resource: impl Into<Definition>) -> Migration {
        Migration { reference: Some(resource.into()), ..self }
    }

    /// For a kind that never had hand-written validation: only versions, settings of gates and ways to run the rules are compared.
    #[must_use]
    pub fn rules_alone(self) -> Migration {
        Migration { rules_alone: true, ..self }
    }

    /// Sets the functions that `+k8s:customValidation` refers to.
    #[must_use]
    pub fn hooks(self, hooks: SharedHooks) -> Migration {
        Migration { hooks, ..self }
    }

    /// Declares a feature gate of the API; tests run with all of them on and all of them off.
    #[must_use]
    pub fn feature_gate(mut self, name: impl Into<String>, stage: Stage) -> Migration {
        self.gates.push((name.into(), stage));
        self
    }

    /// Says where a field of another version is in the version that hooks are written for: `spec.size` and `spec.replicas`. `[*]`
    /// stands for any subscript.
    ///
    /// # Panics
    ///
    /// If a template is malformed.
    #[must_use]
    #[track_caller]
    pub fn normalize(mut self, pattern: &str, replacement: &str) -> Migration {
        let rule = NormalizationRule::new(pattern, replacement);
        self.normalization.push(rule.unwrap_or_else(|error| panic!("{pattern}: {error}")));
        self
    }

    /// Sets the accepted differences.
    #[must_use]
    pub fn exceptions(self, exceptions: Exceptions) -> Migration {
        Migration { exceptions, ..self }
    }

    /// The names of all rules of all served versions.
    pub fn rules(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (_, resource) in self.versions() {
            names.extend(self.program.rules(resource.def).into_iter().map(|rule| rule.name));
        }
        names.sort();
        names.dedup();
        names
    }

    /// The same with a program without one rule.
    #[must_use]
    pub fn without_rule(&self, name: &str) -> Arc<Program> {
        let without = |program: Program, resource: &Resource| program.without_rule(resource.def, name);
        let versions = self.versions();
        Arc::new(
            versions.into_iter().fold((*self.program).clone(), |program, (_, resource)| without(program, resource)),
        )
    }

    /// The served versions with what the program knows of them.
    ///
    /// # Panics
    ///
    /// If the program does not know one.
    fn versions(&self) -> Vec<(&str, &Resource)> {
        let served = self.definition.versions.iter().filter(|version| version.served);
        served
            .map(|version| {
                let found = self.program.find(self.definition.group(), &version.name, &self.definition.kind);
                let kind = &self.definition.kind;
                (version.name.as_str(), found.unwrap_or_else(|| panic!("the program has no {} {kind}", version.name)))
            })
            .collect()
    }

    fn generator(&self, version: &str, resource: &Resource) -> Generator<'_> {
        Generator {
            program: &self.program,
            hooks: &*self.hooks,
            root: resource.def,
            api_version: sprag_rest::api_version(self.definition.group(), version),
            kind: self.definition.kind.clone(),
            options: Setting::On.gates(&self.gates, true).options().clone(),
        }
    }

    /// The states of the API's own feature gates to test with.
    fn features(&self) -> &'static [bool] {
        if self.gates.is_empty() { &[false] } else { &[false, true] }
    }
}
