//! The Common Expression Language as Kubernetes runs it: parser, type checker, cost estimate, compiled evaluation with
//! a budget, and the Kubernetes function libraries.
//!
//! Text and values in, values out. Behaviour, messages and costs are those of cel-go 0.29 inside the Kubernetes API
//! server. Does not know: custom resources, schemas (object types come as [`DeclType`] through [`TypeProvider`]), HTTP.
//!
//! Reading order: [`syntax`] turns text into an [`Ast`](syntax::Ast); [`library`] is the table of functions.

mod check;
pub mod cost;
mod cx;
mod decl;
mod env;
mod eval;
pub mod library;
mod overload;
mod program;
pub mod syntax;
mod types;
pub mod value;

pub use crate::check::{Checked, Declarations, Variable};
pub use crate::cx::{Cx, MEMORY_LIMIT, Outcome, Scratch, Trap};
pub use crate::decl::{DeclField, DeclType, Encoding, ListKind, NoTypes, TypeProvider};
pub use crate::env::Env;
pub use crate::eval::{Evaluation, Limits};
pub use crate::overload::{Binding, Charge, ChargeFunc, Estimate, EstimateFunc, Func, Overload, Scope};
pub use crate::program::{Program, ProgramError};
pub use crate::types::{Name, Sig, Type};
pub use crate::value::Val;
