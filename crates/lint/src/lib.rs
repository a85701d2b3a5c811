//! Findings over a type model and its tags.
//!
//! Does not know files or terminals. The three rules here are the ones the reference generator applies by default.
//!
//! ```
//! use sprag_idl::{GoPackageInput, Sources, read_go};
//! use sprag_lint::lint;
//! use sprag_rules::types::Universe;
//! use sprag_rules::{LowerOptions, Registry, Untagged, lower};
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

mod coverage;
mod rules;
mod walk;

pub use crate::walk::{NOLINT_TAG, lint};
