//! Fields as sets of paths: which a value has, which differ between two, and how they are stored.

pub(in crate::apply) mod compare;
pub(in crate::apply) mod fields_v1;
pub(in crate::apply) mod named;
pub(in crate::apply) mod of_value;
pub(in crate::apply) mod path;
pub(in crate::apply) mod reconcile;
pub(in crate::apply) mod set;
pub(in crate::apply) mod skipped;
pub(in crate::apply) mod strip;
