//! Native rules: the interpreter and generated code on the three recorded kinds.

use divan::{AllocProfiler, Bencher};
use sprag_bench::{api, objects};
use sprag_idl::{RustModuleInput, Sources, read_rust};
use sprag_rules::types::Universe;
use sprag_rules::{Interpreter, LowerOptions, NoHooks, Registry, Untagged, lower};
use sprag_validate::{Errors, Op, Options, Request};
use sprag_value::Value;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    let _ = std::any::type_name::<api::ResourceClaim>();
    divan::main();
}

/// Runs the interpreter on one object.
fn interpret(bencher: Bencher<'_, '_>, name: &str, op: Op, new: &Value, old: Option<&Value>) {
    let mut sources = Sources::default();
    let file = sources.add("api.rs", include_str!("../src/api.rs"));
    let (package, findings) = read_rust(RustModuleInput { path: "api", file }, &sources);
    assert!(findings.is_empty(), "{findings:?}");
    let universe = Universe::new(vec![package], |_| true);
    let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
    let lowering = lower(&universe, &Registry::standard(), options);
    assert!(lowering.findings.is_empty(), "{:?}", lowering.findings);
    let interpreter = Interpreter::new(&universe, &lowering.plan, &NoHooks);
    let root = universe.find("api", name).expect("the type is declared");
    let options: Options = [("DRAPartitionableDevicesType", false)].into_iter().collect();
    let request = Request { op, options: &options, subresource: "/" };
    bencher.bench_local(|| {
        let mut errors = Errors::new();
        interpreter.validate(&request, root, new, old, &mut errors);
        assert!(errors.is_empty());
    });
}

#[divan::bench]
fn interpreted_claim_create(bencher: Bencher<'_, '_>) {
    interpret(bencher, "ResourceClaim", Op::Create, &objects::resource_claim(), None);
}

#[divan::bench]
fn interpreted_claim_unchanged(bencher: Bencher<'_, '_>) {
    let object = objects::resource_claim();
    interpret(bencher, "ResourceClaim", Op::Update, &object, Some(&objects::resource_claim()));
}

#[divan::bench]
fn interpreted_slice_create(bencher: Bencher<'_, '_>) {
    interpret(bencher, "ResourceSlice", Op::Create, &objects::resource_slice(), None);
}

#[divan::bench]
fn interpreted_slice_unchanged(bencher: Bencher<'_, '_>) {
    let object = objects::resource_slice();
    interpret(bencher, "ResourceSlice", Op::Update, &object, Some(&objects::resource_slice()));
}

#[divan::bench]
fn interpreted_controller_create(bencher: Bencher<'_, '_>) {
    interpret(bencher, "ReplicationController", Op::Create, &objects::replication_controller(), None);
}
