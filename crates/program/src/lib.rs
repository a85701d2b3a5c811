//! The plan of a set of types' rules, and the interpreter that runs it.
//!
//! A [`Plan`] is data: the checks of every type, their order, and what stops what. crate `tags` lowers tags to a plan,
//! `codegen` prints it as Rust, and a [`Program`] runs it on dynamic values. The program owns the plan, the shapes of the
//! types, the slots of their members, and the facts of the resources among them. It is made once and shared.
//!
//! Does not know: source languages, tags. A dialect's choices are already made in the plan.
//!
//! ```
//! use sprag_field::Errors;
//! use sprag_program::*;
//! use sprag_shape::{self as shape, Field, Kind, Shapes, TypeRef, TypeShape};
//! use sprag_checks::Request;
//! use sprag_value::Value;
//!
//! // What `tags::program` makes of:
//! //     type Widget struct {
//! //         // +k8s:required
//! //         // +k8s:maxLength=5
//! //         Class string `json:"class"`
//! //     }
//! let (string, named) = (TypeId(0), TypeId(1));
//! let widget = DefId(0);
//! let class = FieldRef { def: widget, index: 0 };
//! let plan = Plan {
//!     types: vec![Some(TypePlan {
//!         fields: vec![FieldPlan {
//!             field: class,
//!             ty: string,
//!             step: PathStep::Child("class".into()),
//!             cohorts: vec![Cohort {
//!                 checks: vec![Check::stopping(Rule::Required), Check::new(Rule::MaxLength(5))],
//!                 stops: 1,
//!                 ..Cohort::default()
//!             }],
//!             descend: vec![],
//!             changes: vec![],
//!             calls: vec![],
//!             ends_unset: false,
//!             called: false,
//!         }],
//!         ..TypePlan::default()
//!     })],
//!     roots: vec![Root {
//!         def: widget,
//!         go_type: "*v1.Widget".into(),
//!         registered_by: vec![],
//!         subresources: vec!["/".into()],
//!     }],
//!     ..Plan::default()
//! };
//! let shapes = Shapes::new(vec![
//!     TypeShape::new("", Kind::String),
//!     TypeShape::new("v1.Widget", Kind::of_fields(vec![
//!         Field::new("class", "Class", TypeRef::value(shape::TypeId(0))),
//!     ].into())),
//! ]);
//! let layout = |form, shape| TypeLayout { form, pointer: false, shape: shape::TypeId(shape) };
//! let program = Program::new(ProgramParts {
//!     plan,
//!     shapes,
//!     types: vec![layout(Form::Text, 0), layout(Form::Struct(widget), 1)],
//!     defs: vec![DefLayout {
//!         ty: named,
//!         members: vec![Member { ty: string, json: Some("class".into()), name: "Class".into() }],
//!     }],
//!     ..ProgramParts::default()
//! });
//!
//! let object: Value = [("class", "enormous")].into_iter().collect();
//! let mut errors = Errors::new();
//! program.validate(&NoHooks, &Request::create(), widget, &object, None, &mut errors);
//! let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
//! assert_eq!(texts, ["class: Too long: may not be more than 5 characters"]);
//! ```

mod ids;
mod interpret;
mod layout;
mod options;
mod plan;
mod program;
mod ranged;
mod resource;
mod rule;
mod rules;
mod walk;
mod wire;

pub use crate::ids::{DefId, FieldRef, PatternId, TypeId};
pub use crate::interpret::{HookTable, NoHooks, Trace};
pub use crate::layout::{DefLayout, Form, Member, TypeLayout};
pub use crate::plan::{Check, Cohort, FieldPlan, Hook, PathStep, Plan, Root, TypePlan, Warning};
pub use crate::program::{Program, ProgramParts};
pub use crate::ranged::{Ranged, RangedItem};
pub use crate::resource::{
    Column, ColumnType, GatedField, GatedStep, NameFormat, Resource, ResourceFacts, ResourceScope,
};
pub use crate::rule::{
    BoundSide, Demand, DependentRule, EnumRule, Exclusion, HookArg, HookCall, Identity, IntegerBoundByField, Literal,
    MemberPath, Members, Mode, ModeRule, Rule, TargetStep, Term, UnionRule, UpdateRule, WhenMissing, Words,
};
pub use crate::rules::DeclaredRule;
pub use crate::wire::WireError;
