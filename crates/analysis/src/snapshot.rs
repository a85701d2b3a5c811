//! A workspace at one moment: all that a verdict depends on.

use std::sync::Arc;

use crate::built_in::BuiltIn;
use crate::choices::Choices;
use crate::policies::NewPolicyEngine;
use crate::source::{Source, Texts};
use crate::types::Types;

/// Manifests with all that they are validated by.
pub struct Snapshot {
    /// The built-in kinds, under some feature gates.
    pub built_in: Arc<BuiltIn>,
    /// The same in further releases of Kubernetes, which are asked, too.
    pub further: Vec<Arc<BuiltIn>>,
    /// Definitions of custom resources.
    pub definitions: Arc<dyn Source>,
    /// Types that are declared in Go or Rust.
    pub types: Option<Arc<Types>>,
    /// The objects as they were.
    pub old: Arc<dyn Source>,
    /// The manifests, which may have definitions, namespaces and parameters of policies.
    pub manifests: Arc<dyn Source>,
    /// Admission policies and bindings.
    pub policies: Arc<dyn Source>,
    /// Runs the policies.
    pub policy_engine: Option<NewPolicyEngine>,
    /// Choices that the API server does not have.
    pub choices: Choices,
    /// Number of threads that read; with one, no thread is started.
    pub threads: usize,
}

impl Default for Snapshot {
    /// Built-in kinds alone.
    fn default() -> Self {
        let nothing = || Arc::new(Texts::default());
        Snapshot {
            built_in: Arc::default(),
            further: Vec::new(),
            definitions: nothing(),
            types: None,
            old: nothing(),
            manifests: nothing(),
            policies: nothing(),
            policy_engine: None,
            choices: Choices::default(),
            threads: 1,
        }
    }
}

/// The reason why a snapshot cannot be validated by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The files given as definitions contain no definition.
    #[error("no definitions of custom resources in the files of --crds; --allow-empty accepts that")]
    NoDefinitions,
    /// Some of the given definitions cannot be used, each for its reason.
    #[error("{}", .0.join("\n"))]
    Definitions(Vec<String>),
    /// The files given as policies contain no policy.
    #[error("no ValidatingAdmissionPolicy or MutatingAdmissionPolicy in the files of --policies")]
    NoPolicies,
    /// No policy is in force.
    #[error("no policy in the files of --policies is bound: a binding puts a policy in force")]
    NoBoundPolicy,
    /// Policies were given, and nothing that runs them.
    #[error("policies are not run here")]
    NoPolicyEngine,
    /// Some of the given policies cannot be used, each for its reason.
    #[error("{}", .0.join("\n"))]
    Policies(Vec<String>),
}
