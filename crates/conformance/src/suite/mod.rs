//! The recorded suites: one file each, one line in the list below.

use crate::args::Args;
use crate::report::Report;

/// A recorded suite and what runs it.
pub(crate) struct Suite {
    /// The word on the command line.
    pub(crate) name: &'static str,
    /// One line for the help.
    pub(crate) about: &'static str,
    /// The file or directory below `shared/conformance` that holds its answers; empty if it needs none.
    pub(crate) recorded: &'static str,
    /// Runs it; `Err` is about the suite's files, differences go to the report.
    pub(crate) run: fn(&Args, &mut Report) -> Result<(), String>,
}

/// Declares the modules and the table of their suites.
macro_rules! suites {
    ($($module:ident,)*) => {
        $(mod $module;)*

        /// All suites, sorted by name.
        pub(crate) static ALL: &[Suite] = &[$($module::SUITE),*];
    };
}

suites! {
    abuse,
    access,
    admission,
    bad_tags,
    cel_k8s,
    cel_spec,
    cluster_soak,
    crd,
    crd_accept,
    crd_ratcheting,
    formats,
    fuzz,
    http,
    native,
    patch,
    policies,
    scaling,
    shadowed,
    soak,
    storage_faults,
    validation_gen,
    versions,
}

mod stream;

pub use self::http::{OfflineAnswer, OfflineCase, replay_offline};

/// The suite with this name.
pub(crate) fn named(name: &str) -> Option<&'static Suite> {
    ALL.iter().find(|suite| suite.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_sorted_and_described() {
        assert!(ALL.is_sorted_by_key(|suite| suite.name));
        for suite in ALL {
            assert!(!suite.about.is_empty(), "{}", suite.name);
        }
    }
}
