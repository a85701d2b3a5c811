//! Custom resources through a registry over a store in memory.

mod api;
mod instances;
mod recorded;
mod served;
