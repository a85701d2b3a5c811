//! Turbines through the whole pipeline: as compiled types and as a program that the plan interpreter runs.

#![expect(clippy::unwrap_used, reason = "tests may fail where they are")]

mod enforce;
mod enums;
mod gates;
mod openapi;
mod operate;
mod random;
mod subresources;

use std::path::Path;
use std::sync::Arc;

use sprag::Definition;
use sprag::testing::{Answer, Api, Client};
use sprag_build::load::{LoadOptions, load};
use sprag_program::{NoHooks, Program};
use sprag_rest::ProgramConfig;
use sprag_tags::types::Universe;
use sprag_tags::{LowerOptions, Registry, Untagged, lower, program};

/// The resource as each source of definitions makes it.
fn sources() -> [(&'static str, Definition); 2] {
    [("compiled", turbines::turbines()), ("program", interpreted())]
}

/// The rules of the types, read from their source.
fn rules() -> Arc<Program> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/v1.rs");
    let loaded = load(&[source], &LoadOptions::default()).expect("the source is there");
    let universe = Universe::new(loaded.packages, |_| true);
    let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
    let lowering = lower(&universe, &Registry::standard(), options);
    Arc::new(program(&universe, &lowering))
}

/// The same types as a resource that the plan interpreter runs.
fn interpreted() -> Definition {
    let program = rules();
    let turbine = program.find("example.dev", "v1", "Turbine").expect("it is declared");
    ProgramConfig::new(program.clone(), Arc::new(NoHooks)).define("example.dev", "v1", turbine)
}

/// Runs a test on an API of each source, with the blades on or off.
fn each(on: bool, test: impl Fn(&str, &Api)) {
    for (source, definition) in sources() {
        let api = Api::builder().gates(turbines::gates()).feature("TurbineBlades", on).resource(definition).build();
        test(source, &api);
    }
}

fn client(api: &Api) -> Client<'_> {
    api.client("example.dev/v1", "turbines")
}

fn turbine(rest: &str) -> String {
    format!(r#"{{"metadata":{{"name":"t"}},{rest}}}"#)
}

/// Returns the fields that managers own, as `fieldsV1` texts.
fn owned(answer: &Answer) -> String {
    answer.json("metadata.managedFields")
}

/// Returns the errors of an object, or the object itself.
#[track_caller]
fn outcome(result: sprag::rest::Result<Answer>, path: &str) -> String {
    match result {
        Ok(answer) => answer.json(path),
        Err(error) => error.to_string(),
    }
}
