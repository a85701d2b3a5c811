//! Definitions of custom resources from typed kinds: how an API that is declared by types reaches a cluster that does not run Sprag.
//!
//! [`definitions`] makes a definition of each kind of a program, with one schema per version. Rules become what structural
//! schemas have (bounds, lengths, enums, patterns, list types, `required`) or CEL rules within the cost budget. What cannot be
//! said there is in [`Exported::untranslated`], never left out in silence.
//!
//! [`published`] has the same rules for documents of a server that has the types: what they add to the schema of each type.
//!
//! [`Marked`] has what markers of controller-gen add. Does not know: source languages, the meaning of `+k8s:` tags, files.

mod cel;
mod definition;
mod formats;
mod kubebuilder;
mod published;
mod rules;
mod schema;
mod structure;

pub use crate::definition::{Exported, Settings, Untranslated, definitions};
pub use crate::kubebuilder::Marked;
pub use crate::published::published;
