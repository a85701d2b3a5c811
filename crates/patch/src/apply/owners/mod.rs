//! Managed fields: who owns what before and after a write, and who is in the way.

pub(in crate::apply) mod cap;
pub(in crate::apply) mod conflict;
pub(in crate::apply) mod disown;
pub(in crate::apply) mod first_fields;
pub(in crate::apply) mod last_applied;
pub(in crate::apply) mod managed;
pub(in crate::apply) mod own_fields;
pub(in crate::apply) mod owned_set;
pub(in crate::apply) mod same_fields;
pub(in crate::apply) mod scale;
pub(in crate::apply) mod sorted;
pub(in crate::apply) mod updater;
