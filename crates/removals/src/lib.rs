//! Versions of APIs that Kubernetes has stopped serving: until when each was served, what took its place, what changes, and
//! manifests rewritten as text, with comments and order kept.
//!
//! Does not know: files, validation, which release a user runs.
//!
//! ```
//! use sprag_removals::{removal, rewrite};
//!
//! let gone = removal("batch", "v1beta1", "CronJob").unwrap();
//! assert_eq!((gone.removed, gone.replacement), (25, Some("batch/v1")));
//!
//! let rewritten = rewrite(b"apiVersion: batch/v1beta1 # old\nkind: CronJob\n", 37);
//! assert_eq!(rewritten.text, b"apiVersion: batch/v1 # old\nkind: CronJob\n");
//! ```

mod convert;
mod op;
mod rewrite;
mod table;
mod text;

pub use crate::rewrite::{Change, Left, Rewritten, rewrite};
pub use crate::table::{Removal, all, is_converted, removal};
