//! Native rules: the interpreter and generated code on the three recorded kinds, and the rules of a built-in kind.
//!
//! Each row runs for a second, and its fastest sample counts: a virtual core whose sibling is busy takes up to twice as
//! long for minutes on end, whatever it runs. Allocations are counted over the allocator that the command ships with.

use std::sync::Arc;

use divan::{AllocProfiler, Bencher};
use mimalloc::MiMalloc;
use serde::de::DeserializeOwned;
use sprag_bench::{api, objects};
use sprag_checks::{Errors, Op, Options, Request, Validate};
use sprag_idl::{RustModuleInput, Sources, read_rust};
use sprag_program::NoHooks;
use sprag_rest::{Counters, Cx, Format, Offline, ResourceInfo, User, Views};
use sprag_tags::types::Universe;
use sprag_tags::{LowerOptions, Registry, Untagged, lower, program};
use sprag_value::{Time, Value, from_value};

#[global_allocator]
static ALLOC: AllocProfiler<MiMalloc> = AllocProfiler::new(MiMalloc);

/// The time the reference's generated Go takes for the same calls, on a quiet machine of the same kind.
const REFERENCE: [(&str, &str, &str); 8] = [
    ("claim_create", "33 µs", "359 allocations"),
    ("claim_unchanged", "48 µs", "196 allocations"),
    ("slice_create", "2800 µs", "31610 allocations"),
    ("slice_unchanged", "1200 µs", "3248 allocations"),
    ("slice_one_changed", "3400 µs", "31924 allocations"),
    ("controller_create", "4.2 µs", "65 allocations"),
    ("deployment_create", "40 µs", "307 allocations"),
    ("deployment_verdict", "180 µs", "598 allocations"),
];

fn main() {
    sprag_bench::print_reference("generated Go", &REFERENCE);
    divan::main();
}

/// Runs generated code on one object.
fn generated<T: Validate + DeserializeOwned>(bencher: Bencher<'_, '_>, op: Op, new: &Value, old: Option<&Value>) {
    let new: T = from_value(new).expect("the object fits its type");
    let old: Option<T> = old.map(|old| from_value(old).expect("the object fits its type"));
    let options = gates();
    let request = Request { op, options: &options, subresource: "/", beta: true };
    bencher.bench_local(|| {
        let mut errors = Errors::new();
        T::validate(&request, &new, old.as_ref(), &mut errors);
        assert!(errors.is_empty());
    });
}

fn gates() -> Options {
    [("DRAPartitionableDevicesType", false)].into_iter().collect()
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn generated_claim_create(bencher: Bencher<'_, '_>) {
    generated::<api::ResourceClaim>(bencher, Op::Create, &objects::resource_claim(), None);
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn generated_claim_unchanged(bencher: Bencher<'_, '_>) {
    let object = objects::resource_claim();
    generated::<api::ResourceClaim>(bencher, Op::Update, &object, Some(&object));
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn generated_slice_create(bencher: Bencher<'_, '_>) {
    generated::<api::ResourceSlice>(bencher, Op::Create, &objects::resource_slice(), None);
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn generated_slice_unchanged(bencher: Bencher<'_, '_>) {
    let object = objects::resource_slice();
    generated::<api::ResourceSlice>(bencher, Op::Update, &object, Some(&object));
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn generated_slice_one_changed(bencher: Bencher<'_, '_>) {
    let (old, new) = objects::resource_slice_changed();
    generated::<api::ResourceSlice>(bencher, Op::Update, &new, Some(&old));
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn generated_controller_create(bencher: Bencher<'_, '_>) {
    generated::<api::ReplicationController>(bencher, Op::Create, &objects::replication_controller(), None);
}

/// Runs the interpreter on one object.
fn interpret(bencher: Bencher<'_, '_>, name: &str, op: Op, new: &Value, old: Option<&Value>) {
    let mut sources = Sources::default();
    let file = sources.add("api.rs", include_str!("../src/api.rs"));
    let (package, findings) = read_rust(RustModuleInput { path: "api", files: &[file] }, &sources);
    assert!(findings.is_empty(), "{findings:?}");
    let universe = Universe::new(vec![package], |_| true);
    let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
    let lowering = lower(&universe, &Registry::standard(), options);
    assert!(lowering.findings.is_empty(), "{:?}", lowering.findings);
    let program = program(&universe, &lowering);
    let root = universe.find("api", name).expect("the type is declared");
    let options = gates();
    let request = Request { op, options: &options, subresource: "/", beta: true };
    bencher.bench_local(|| {
        let mut errors = Errors::new();
        program.validate(&NoHooks, &request, root, new, old, &mut errors);
        assert!(errors.is_empty());
    });
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn interpreted_claim_create(bencher: Bencher<'_, '_>) {
    interpret(bencher, "ResourceClaim", Op::Create, &objects::resource_claim(), None);
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn interpreted_claim_unchanged(bencher: Bencher<'_, '_>) {
    let object = objects::resource_claim();
    interpret(bencher, "ResourceClaim", Op::Update, &object, Some(&objects::resource_claim()));
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn interpreted_slice_create(bencher: Bencher<'_, '_>) {
    interpret(bencher, "ResourceSlice", Op::Create, &objects::resource_slice(), None);
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn interpreted_slice_unchanged(bencher: Bencher<'_, '_>) {
    let object = objects::resource_slice();
    interpret(bencher, "ResourceSlice", Op::Update, &object, Some(&objects::resource_slice()));
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn interpreted_controller_create(bencher: Bencher<'_, '_>) {
    interpret(bencher, "ReplicationController", Op::Create, &objects::replication_controller(), None);
}

#[divan::bench(sample_size = 500, min_time = 1)]
fn interpreted_slice_one_changed(bencher: Bencher<'_, '_>) {
    let (old, new) = objects::resource_slice_changed();
    interpret(bencher, "ResourceSlice", Op::Update, &new, Some(&old));
}

/// The rules of tags alone, as compiled code on structs: what embedders of the feature `types` run.
#[cfg(feature = "types")]
#[divan::bench(sample_size = 500, min_time = 1)]
fn compiled_deployment_create(bencher: Bencher<'_, '_>) {
    let (offline, resource) = deployments();
    let outcome = offline.judge(&resource, "v1", objects::deployment(), None).expect("the object is read");
    generated::<sprag_kinds::apps::v1::Deployment>(bencher, Op::Create, &outcome.judged.object, None);
}

fn deployments() -> (Offline, Arc<ResourceInfo>) {
    let offline = Offline::default().without_managed_fields();
    let deployments = sprag_kinds::definitions().into_iter().find(|definition| definition.kind == "Deployment");
    let resource = offline.resource(deployments.expect("deployments are served"));
    (offline, resource)
}

/// From bytes to all that a server would say: decoding, defaults, rules and warnings.
#[divan::bench(sample_size = 100, min_time = 1)]
fn built_in_deployment_verdict(bencher: Bencher<'_, '_>) {
    let (offline, resource) = deployments();
    let object = objects::deployment();
    let text = sprag_value::json::to_string(&object);
    bencher.bench_local(|| {
        let text = (text.as_bytes(), Format::Json);
        let outcome = offline.judge_text(&resource, "v1", text, &object, None).expect("the object is read");
        assert!(outcome.judged.errors.is_empty());
    });
}

/// All rules of a built-in kind, hand-written ones and those of tags, on a complete object.
#[divan::bench(sample_size = 500, min_time = 1)]
fn built_in_deployment_create(bencher: Bencher<'_, '_>) {
    let user = User::default();
    let counters = Counters::default();
    let (offline, resource) = deployments();
    let outcome = offline.judge(&resource, "v1", objects::deployment(), None).expect("the object is read");
    let object = &outcome.judged.object;
    let cx = Cx {
        definition: &resource.definition,
        version: "v1",
        subresource: "/",
        namespace: "default",
        namespace_labels: None,
        name: "web",
        user: &user,
        gates: offline.gates(),
        now: Time::from_unix(0, 0),
        counters: &counters,
        observer: None,
        called: Request::create().with_options(offline.gates().options()),
    };
    bencher.bench_local(|| {
        let mut errors = Errors::new();
        let views = Views { hub: object, requested: object };
        resource.definition.create.validate(&cx, views, &mut errors);
        assert!(errors.is_empty());
    });
}
