//! Custom resources through a registry.

mod api;
mod instances;
mod recorded;
mod served;
