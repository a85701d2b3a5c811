//! The recorded suites that the repository carries, run and kept in order.

mod access;
mod admission;
mod declarations;
mod native;
mod packed;
mod suites;
mod supply_chain;
