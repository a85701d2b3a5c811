//! The functions that generated validators and the plan interpreter both call.
//!
//! Does not know tags, source languages or JSON schema. A valid value costs no allocation: paths are borrowed
//! chains, errors are made only when something is wrong, and list identities of up to 256 elements live on the
//! stack.
//!
//! Every check takes where it runs, the new value, the old value where it needs one, its own arguments and the
//! error sink, and returns whether it yielded anything.
//!
//! ```
//! use sprag_checks::{At, Errors, Request, integer_bounds};
//!
//! let request = Request::update();
//! let at = At::root(&request);
//! let mut errors = Errors::new();
//! let yielded = integer_bounds::minimum(&at.child("replicas"), Some(&-1_i32), 0, &mut errors);
//! assert!(yielded);
//! let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
//! assert_eq!(texts, ["replicas: Invalid value: -1: must be greater than or equal to 0"]);
//! ```

mod at;
pub mod content;
pub mod flow;
pub mod format;
pub mod integer_bounds;
pub mod list;
pub mod map;
pub mod object_meta;
pub mod presence;
mod root;
pub mod same;
pub mod scalar;
pub mod size_limits;
mod traits;
pub mod union;
pub mod update;

pub use crate::at::{At, Op, Options, Request};
pub use crate::root::{Entry, Validate};
pub use crate::traits::{Integer, NamedText, Same, Show, Text, show_json};
pub use sprag_field::{BadValue, Errors, Path, Stage};
pub use sprag_regexp::Regexp;
pub use sprag_value::KeyHasher;
