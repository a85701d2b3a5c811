//! The public API against recorded facts, limits and random patterns.

mod facts;
mod fuzz;
mod limits;
mod template;
