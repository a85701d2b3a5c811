//! The verdict of the API server on files, without a server: a snapshot of a workspace in, findings with positions out.
//!
//! ```text
//!  Snapshot: built-in kinds, definitions, types, policies, old objects ─► Analysis
//!  texts ─► Batches of whole documents ─► Document ─► Object ─► Known: the write core, offline ─► Finding with its place
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use sprag_analysis::{Analysis, Batches, Snapshot, Texts};
//!
//! let manifests = Arc::new(Texts::new([("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: Big\n")]));
//! let analysis = Analysis::new(Snapshot { manifests: manifests.clone(), ..Snapshot::default() })?;
//! let reports: Vec<_> = Batches::of(&*manifests).map(|batch| analysis.batch(batch)).collect();
//! let finding = &reports[0].resources[0].findings[0];
//! assert!(finding.message.starts_with("metadata.name: Invalid value: \"Big\""), "{}", finding.message);
//! assert_eq!(finding.place.as_ref().map(|place| (place.line, place.column)), Some((4, 9)));
//! # Ok::<(), sprag_analysis::SnapshotError>(())
//! ```
//!
//! Does not know: terminals, output formats, files but in [`files`], async.

mod analysis;
pub mod apidoc;
mod batch;
mod built_in;
mod catalog;
mod choices;
pub mod declared;
mod definition;
mod document;
mod encoding;
mod excerpt;
pub mod files;
mod finding;
mod groups;
mod identity;
mod json_schema;
mod known;
mod merge;
mod old;
mod policies;
mod report;
mod schemas;
mod skipped_path;
mod snapshot;
mod sops;
mod source;
mod standing;
mod suggest;
mod switches;
mod types;
mod upgrade;
pub mod workers;

pub use crate::analysis::{Analysis, Batched};
pub use crate::batch::{Batch, Batches, Chunks};
pub use crate::built_in::BuiltIn;
pub use crate::catalog::{Catalog, Definition, Take};
pub use crate::choices::Choices;
pub use crate::definition::{Advice, advise, is_allowed, lint_definitions, validate_definition, written};
pub use crate::document::{Document, Documents, Object};
pub use crate::excerpt::{Excerpt, excerpt, is_hostile};
pub use crate::finding::{Cause, Finding, Origin, Place, RulePlace, Severity};
pub use crate::old::{OldKey, OldObjects};
pub use crate::policies::{NewPolicyEngine, PolicyCheck, PolicyEngine, PolicyVerdict};
pub use crate::report::{FileReport, Identity, Resource, Rules, Status};
pub use crate::skipped_path::SkippedPath;
pub use crate::snapshot::{Snapshot, SnapshotError};
pub use crate::source::{Source, Text, Texts};
pub use crate::standing::{Passed, Standing};
pub use crate::suggest::{nearest, some_of};
pub use crate::switches::{Settled, Switches, gate_hint, policy, unset_note};
pub use crate::types::Types;
pub use crate::upgrade::Effect;
