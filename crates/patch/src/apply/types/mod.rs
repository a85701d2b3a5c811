//! The type of a value: its shape as apply sees it, and whether the value has it.

pub(in crate::apply) mod ty;
pub(in crate::apply) mod typed;
pub(in crate::apply) mod validate;
