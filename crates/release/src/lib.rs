//! The releases of Kubernetes whose answers are known, and the facts in which they differ.
//!
//! A [`Release`] is chosen once, by a command, a server or a library call, and passed along. Declarations say by [`Releases`] in which
//! releases they hold; code asks for a [`Fact`].
//!
//! Does not know: any kind, any rule, feature gates.
//!
//! ```
//! use sprag_release::{Release, Releases};
//!
//! let release: Release = "v1.34.2".parse()?;
//! assert_eq!(release, Release::V1_34);
//! assert_eq!(release.recorded(), "v1.34.11");
//! assert!(!Releases::since(Release::V1_36).contains(release));
//! # Ok::<(), sprag_release::UnknownRelease>(())
//! ```
mod fact;
mod minor_version;
mod release;
mod releases;

pub use crate::fact::Fact;
pub use crate::minor_version::MinorVersion;
pub use crate::release::{Release, UnknownRelease};
pub use crate::releases::{ReleaseListError, Releases, ReleasesError};
