//! Findings over types with their tags and markers, and over definitions of custom resources.
//!
//! One registry, [`ALL`]: a rule is one file with its name, code, documentation and a source that it flags and one that it does not.
//! Does not know: files, terminals, settings files. [`lint`] runs the three rules that the reference generator applies by default.
//!
//! ```
//! use sprag_idl::{GoPackageInput, Sources, read_go};
//! use sprag_lint::lint;
//! use sprag_tags::types::Universe;
//! use sprag_tags::{LowerOptions, Registry, Untagged, lower};
//!
//! let mut sources = Sources::default();
//! let text = "package v1\n\ntype Spec struct {\n\t// +k8s:minimum=0\n\tReplicas *int32 `json:\"replicas\"`\n}\n";
//! let file = sources.add("types.go", text);
//! let (package, _) = read_go(GoPackageInput { path: "example.dev/widgets/v1", files: &[file] }, &sources);
//! let (universe, registry) = (Universe::new(vec![package], |_| true), Registry::standard());
//! let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
//! let roots = lower(&universe, &registry, options).root_types;
//!
//! let findings = lint(&universe, &registry, &roots);
//! assert!(findings[0].message.ends_with("field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden"));
//! ```

mod comments;
mod coverage;
mod definition;
mod finding;
mod limits;
mod model;
mod order;
mod packages;
mod reference;
mod rule;
mod rules;
mod run;
mod stability;
mod structs;
mod walk;

pub use crate::definition::lint_definition;
pub use crate::finding::{At, Edit, Finding};
pub use crate::model::{Input, Model, Settings};
pub use crate::packages::{Chosen, Packages, lint_packages};
pub use crate::rule::{Level, LintRule, Profile};
pub use crate::rules::ALL;
pub use crate::run::{find, lint_types};
pub use crate::walk::{NOLINT_TAG, lint};
