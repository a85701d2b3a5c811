//! Custom resources: acceptance of definitions, defaulting, pruning, validation and ratcheting.
//!
//! Values in, values and findings out; answers are those of the Kubernetes API server. Does not know: HTTP, storage,
//! bytes.
//!
//! Reading order: [`props`] is a schema as a definition spells it.

pub mod props;

pub use crate::props::Props;
