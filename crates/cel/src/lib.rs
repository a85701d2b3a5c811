//! The Common Expression Language as Kubernetes runs it: parser, type checker, cost estimate, compiled evaluation with
//! a budget, and the Kubernetes function libraries.
//!
//! Text and values in, values out. Behaviour, messages and costs are those of cel-go 0.29 inside the Kubernetes API
//! server. Does not know: custom resources, schemas (object types come as [`DeclType`] through [`TypeProvider`]), HTTP.
//!
//! Reading order: [`syntax`] turns text into an [`Ast`](syntax::Ast); [`Env`] knows what an expression may use and
//! checks it into a [`Checked`]; [`cost`] estimates before anything runs; [`Program`] runs, with [`value`] as what it
//! runs on; [`library`] is the table of functions.
//!
//! ```
//! use sprag_cel::{Declarations, Env, Limits, NoTypes, Program, Scratch, Type, Val, Variable};
//!
//! let variables = [Variable::new("replicas", Type::Int)];
//! let declarations = Declarations { variables: &variables, types: &NoTypes, container: "" };
//! let env = Env::kubernetes(37);
//!
//! let issues = env.compile("replicas < 'x'", declarations).err().unwrap();
//! assert!(issues.to_string().contains("found no matching overload for '_<_' applied to '(int, string)'"));
//!
//! let checked = env.compile("replicas <= 5", declarations)?;
//! assert_eq!(checked.cost(&NoTypes).max, 2);
//! let program = Program::new(&checked)?;
//! let scratch = Scratch::default();
//! let evaluation = program.eval(&[Val::Int(3)], &scratch, Limits::PER_CALL);
//! assert!(matches!(evaluation.outcome, Ok(Val::Bool(true))));
//! assert_eq!(evaluation.cost, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod complete;
pub mod cost;
mod cx;
mod decl;
mod env;
mod eval;
pub mod library;
mod overload;
mod program;
mod since;
pub mod syntax;
mod types;
pub mod value;

pub use crate::check::{Checked, Declarations, Variable};
pub use crate::complete::Completion;
pub use crate::cx::{Cx, MEMORY_LIMIT, Outcome, Scratch, Trap};
pub use crate::decl::{DeclField, DeclType, Encoding, ListKind, NoTypes, TypeProvider};
pub use crate::env::Env;
pub use crate::eval::{Evaluation, Limits};
pub use crate::library::UrlParts;
pub use crate::overload::{Binding, Charge, ChargeFunc, Estimate, EstimateFunc, Func, Overload, Scope};
pub use crate::program::{Program, ProgramError};
pub use crate::since::known_elsewhere;
pub use crate::types::{Name, Sig, Type};
pub use crate::value::Val;
