//! One row of a function table: what it is called, what it takes and gives, what it costs, and what it does.

use sprag_release::{Release, Releases};

use crate::cost::{CallEstimate, CallSite};
use crate::cx::{Cx, Outcome};
use crate::types::Sig;
use crate::value::Val;

/// The function behind an overload.
///
/// Arguments are values, never errors, and have the declared types: the evaluator checks that before the call unless
/// the overload is [`unguarded`](Overload::unguarded). A receiver is the first argument.
pub type Func = for<'a> fn(&Cx<'a>, &[Val<'a>]) -> Outcome<'a>;

/// The run-time cost of a call, from its arguments (which may be errors) and its result.
pub type ChargeFunc = for<'a> fn(&Cx<'a>, &[Outcome<'a>], &Outcome<'a>) -> u64;

/// The estimated cost of a call, from the known properties of its arguments. `None` means the default: 1.
pub type EstimateFunc = fn(&CallSite<'_>) -> Option<CallEstimate>;

/// The run-time cost rule of an overload.
#[derive(Clone, Copy)]
pub enum Charge {
    /// One.
    One,
    /// A rule that upstream looks up by function name: it applies even if the checker found several overloads.
    ByName(ChargeFunc),
    /// A rule that upstream looks up by overload id: without a single overload the call costs one.
    ByOverload(ChargeFunc),
}

/// The static cost rule of an overload, arguments excluded.
#[derive(Clone, Copy)]
pub enum Estimate {
    /// One.
    One,
    /// As computed.
    By(EstimateFunc),
}

/// The scope in which an overload is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In Kubernetes 1.`since` and later, but no more from 1.`until` on.
    Kubernetes {
        /// First minor version; 0 for always.
        since: u16,
        /// First minor version without it; `u16::MAX` for none.
        until: u16,
    },
    /// Only outside Kubernetes, in the environment of the language's own test suite.
    Spec,
    /// Only in expressions that make patches, in every version of Kubernetes.
    Patches,
}

/// The evaluation strategy of arguments: it is visible in costs and in which of several errors is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// One function for all overloads of the name (upstream's singleton binding); arguments as in `ByArity`.
    Singleton,
    /// Up to two arguments: all are evaluated even if the first fails. More: evaluation stops at the first error, and
    /// then the call itself costs nothing.
    ByArity,
    /// Evaluation stops at the first error whatever the number of arguments (upstream's `FunctionBinding`).
    Early,
}

/// One overload of a function. Tables of these are `static`; see [`crate::library`].
#[derive(Clone, Copy)]
pub struct Overload {
    /// The name in expressions; qualified names contain dots.
    pub function: &'static str,
    /// Upstream's overload id.
    pub id: &'static str,
    /// True if it is called as `receiver.name(args)`.
    pub member: bool,
    /// Argument types, the receiver first.
    pub args: &'static [Sig],
    /// Result type.
    pub result: Sig,
    /// The scope in which it is available.
    pub scope: Scope,
    /// The releases whose servers have it, whatever version they take new expressions of.
    pub releases: Releases,
    /// The evaluation strategy of arguments.
    pub binding: Binding,
    /// True if run-time argument types are checked before the call.
    pub guarded: bool,
    /// The argument that is a regular expression, compiled in advance when it is a constant.
    pub regex: Option<usize>,
    /// Static cost.
    pub estimate: Estimate,
    /// Run-time cost.
    pub charge: Charge,
    /// The implementation.
    pub call: Func,
}

impl Overload {
    /// An overload called as `function(args)`, available everywhere, that costs one.
    pub const fn global(
        function: &'static str,
        id: &'static str,
        args: &'static [Sig],
        result: Sig,
        call: Func,
    ) -> Self {
        Self {
            function,
            id,
            member: false,
            args,
            result,
            scope: Scope::Kubernetes { since: 0, until: u16::MAX },
            releases: Releases::ALL,
            binding: Binding::ByArity,
            guarded: true,
            regex: None,
            estimate: Estimate::One,
            charge: Charge::One,
            call,
        }
    }

    /// An overload called as `args[0].function(args[1..])`, available everywhere, that costs one.
    pub const fn member(
        function: &'static str,
        id: &'static str,
        args: &'static [Sig],
        result: Sig,
        call: Func,
    ) -> Self {
        Self { member: true, ..Self::global(function, id, args, result, call) }
    }

    /// Available from Kubernetes 1.`minor` on.
    #[must_use]
    pub const fn since(self, minor: u16) -> Self {
        let until = if let Scope::Kubernetes { until, .. } = self.scope { until } else { u16::MAX };
        Self { scope: Scope::Kubernetes { since: minor, until }, ..self }
    }

    /// No more available from Kubernetes 1.`minor` on.
    #[must_use]
    pub const fn until(self, minor: u16) -> Self {
        let since = if let Scope::Kubernetes { since, .. } = self.scope { since } else { 0 };
        Self { scope: Scope::Kubernetes { since, until: minor }, ..self }
    }

    /// Not available in Kubernetes.
    #[must_use]
    pub const fn spec_only(self) -> Self {
        Self { scope: Scope::Spec, ..self }
    }

    /// Only in servers of these releases: what the language itself has in them.
    #[must_use]
    pub const fn releases(self, releases: Releases) -> Self {
        Self { releases, ..self }
    }

    /// Only in servers of this release and later ones.
    #[must_use]
    pub const fn since_release(self, first: Release) -> Self {
        self.releases(Releases::since(first))
    }

    /// Only in servers up to this release.
    #[must_use]
    pub const fn until_release(self, last: Release) -> Self {
        self.releases(Releases::until(last))
    }

    /// Only in expressions that make patches.
    #[must_use]
    pub const fn patches_only(self) -> Self {
        Self { scope: Scope::Patches, ..self }
    }

    /// With another way to evaluate arguments.
    #[must_use]
    pub const fn binding(self, binding: Binding) -> Self {
        Self { binding, ..self }
    }

    /// Without the run-time check of argument types; the function does its own.
    #[must_use]
    pub const fn unguarded(self) -> Self {
        Self { guarded: false, ..self }
    }

    /// Argument `index` is a regular expression.
    #[must_use]
    pub const fn regex(self, index: usize) -> Self {
        Self { regex: Some(index), ..self }
    }

    /// With these cost rules, both by function name.
    #[must_use]
    pub const fn costs(self, estimate: EstimateFunc, charge: ChargeFunc) -> Self {
        Self { estimate: Estimate::By(estimate), charge: Charge::ByName(charge), ..self }
    }

    /// With this static cost rule.
    #[must_use]
    pub const fn estimate(self, estimate: EstimateFunc) -> Self {
        Self { estimate: Estimate::By(estimate), ..self }
    }

    /// With this run-time cost rule.
    #[must_use]
    pub const fn charge(self, charge: Charge) -> Self {
        Self { charge, ..self }
    }

    /// True if the overload exists in Kubernetes 1.`minor`.
    pub const fn available(&self, minor: u16) -> bool {
        match self.scope {
            Scope::Kubernetes { since, until } => since <= minor && minor < until,
            Scope::Spec | Scope::Patches => false,
        }
    }
}

impl std::fmt::Debug for Overload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}
