//! Prints Rust: validators from a plan, and Rust types from Go ones.
//!
//! Same input, same bytes. Does not know tags, files or dialects: the plan carries their outcome. What the printed
//! code does is what the interpreter of crate `program` does, check by check and in the same order.
//!
//! ```
//! use sprag_codegen::{Options, generate};
//! use sprag_idl::{RustModuleInput, Sources, read_rust};
//! use sprag_tags::types::Universe;
//! use sprag_tags::{LowerOptions, Registry, Untagged, lower};
//!
//! let mut sources = Sources::default();
//! let file = sources.add("v1.rs", "pub struct Spec {\n    /// +k8s:minimum=0\n    pub replicas: i32,\n}\n");
//! let (package, _) = read_rust(RustModuleInput { path: "crate::v1", files: &[file] }, &sources);
//! let universe = Universe::new(vec![package], |_| true);
//! let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
//! let lowering = lower(&universe, &Registry::standard(), options);
//!
//! let output = generate(&universe, &lowering.plan, &Options::default()).unwrap();
//! let (_, text) = output.files.iter().find(|(path, _)| path.ends_with("validation.rs")).unwrap();
//! assert!(text.contains("use ::sprag::checks::{At, Errors, Same, integer_bounds};"), "{text}");
//! assert!(text.contains("integer_bounds::minimum(at, Some(new), 0, errors)"), "{text}");
//! ```

mod access;
mod code;
mod cx;
mod cycles;
mod embed;
mod known;
mod names;
mod output;
mod print;
mod repr;
mod resources;
mod shapes;
mod traits;
mod types;
mod validator;
mod views;

use std::collections::BTreeMap;

use sprag_idl::Finding;
use sprag_program::Plan;
use sprag_release::Release;
use sprag_tags::types::Universe;

/// Choices of a generator run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Path of the module with the functions that validators call.
    pub runtime: String,
    /// Path of the module with dynamic values and Kubernetes' own scalar types.
    pub value: String,
    /// Path of the module with hand-written checks.
    pub hooks: String,
    /// Path of the module that describes types at run time; without it no shapes are printed.
    pub shape: Option<String>,
    /// Path of the module with the traits of resources; without it, or without shapes, none are implemented.
    pub rest: Option<String>,
    /// True if resources refer to `program.bin` beside the root module, which the caller writes: the rules as data, for
    /// what servers publish of them.
    pub program: bool,
    /// The module paths of Rust packages, by package path; a package that is not listed is at its own path.
    pub type_paths: BTreeMap<String, String>,
}

/// Everything is printed, in terms of the facade.
impl Default for Options {
    fn default() -> Self {
        Options::with_root("::sprag")
    }
}

impl Options {
    /// Prints validators, shapes and resources in terms of the modules `checks`, `value`, `shape` and `rest` of this path.
    pub fn with_root(root: &str) -> Options {
        let below = |module: &str| format!("{root}::{module}");
        Options {
            runtime: below("checks"),
            value: below("value"),
            hooks: "crate::hooks".to_owned(),
            shape: Some(below("shape")),
            rest: Some(below("rest")),
            program: false,
            type_paths: BTreeMap::new(),
        }
    }

    /// Prints validators only, in terms of the crates behind the facade.
    pub fn validators_of_crates() -> Options {
        let runtime = "sprag_checks".to_owned();
        let value = "sprag_value".to_owned();
        Options { runtime, value, shape: None, rest: None, ..Options::default() }
    }
}

/// The files of a generator run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Path below the output folder and text, in the order of the packages; the first is the root module.
    pub files: Vec<(String, String)>,
}

/// Prints everything a plan asks for.
///
/// The root module is `mod.rs`, with `shapes.rs` beside it where shapes are wanted. Each package has a folder with
/// `mod.rs` (for Go: its types), `traits.rs` and `validation.rs`. What cannot be printed is a finding, and then there is no output.
/// Rules that hand-written code calls are left out: when they hold is known to that code alone.
pub fn generate(universe: &Universe, plan: &Plan, options: &Options) -> Result<Output, Vec<Finding>> {
    let mut plan = plan.without_called();
    plan.retain_release(Release::NEWEST);
    output::generate(universe, &plan, options)
}

/// Prints views over dynamic values: for each struct of a universe a type that borrows a value, with a getter per field.
///
/// A module per package, in terms of the modules `value` and `runtime` of the options. Hand-written rules of types that are not
/// compiled read objects through them, and call the rules that tags declare as `+sprag:called`: each such field has a method
/// `check_*`, each such type a method `check`. A tag of a project's own calls its function with the place, what the getter reads,
/// and the arguments of the tag.
pub fn views(universe: &Universe, plan: &Plan, options: &Options) -> Result<String, Vec<Finding>> {
    views::views(universe, plan, options)
}

/// The name of the function that generated code calls for a hook that is named by convention.
pub fn hook_name(hook: &str) -> String {
    names::snake(hook)
}
