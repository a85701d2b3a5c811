//! Custom resources: acceptance of definitions, defaulting, pruning, validation and ratcheting.
//!
//! Values in, values and findings out; answers are those of the Kubernetes API server. Does not know: HTTP, storage,
//! bytes.
//!
//! Reading order: [`props`] is a schema as a definition spells it, [`crd`] the definition around it, [`accept`] what the
//! API server says of that. [`CustomResource`] says what the API server does with an object, by means of a compiled
//! [`Schema`].

pub mod accept;
pub mod crd;
mod default;
mod embedded;
mod enumeration;
mod field_path;
mod format;
mod keyed;
pub mod lint;
mod list_type;
mod metadata;
mod node;
mod number;
mod pattern;
mod printed;
pub mod props;
mod prune;
mod ratchet;
mod resource;
mod rules;
mod scale;
mod schema;
mod shapes;
mod trail;
mod validate;

pub use crate::default::{MAX_DEFAULTED, TooManyDefaults};
pub use crate::props::Props;
pub use crate::resource::{CustomResource, DecodeError, Decoded};
pub use crate::rules::{OBJECT_COST_LIMIT, RULE_ORIGIN};
pub use crate::schema::Schema;
