//! Custom resources of the shared corpus: compiling a version, making an object, judging it.
#![expect(clippy::disallowed_methods, reason = "the corpus is in files")]

use std::path::Path;

use sprag_field::Errors;
use sprag_release::Release;
use sprag_schema::CustomResource;
use sprag_schema::crd::Crd;
use sprag_value::Value;

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");

/// Objects, and the definitions they belong to.
const OBJECTS: &[(&str, &str)] = &[
    ("widget", "bench-objects/crd-widget.yaml"),
    ("certificate", "crds/cert-manager-cert-manager.io_certificates.yaml"),
    ("httproute", "crds/gateway-api-gateway.networking.k8s.io_httproutes.yaml"),
    ("prometheus", "crds/prometheus-operator-monitoring.coreos.com_prometheuses.yaml"),
    ("fleet-100", "bench-objects/crd-fleet.yaml"),
    ("fleet-1mb", "bench-objects/crd-fleet.yaml"),
];
const NAMES: &[&str] = &["widget", "certificate", "httproute", "prometheus", "fleet-100", "fleet-1mb"];
const GATE: &[bool] = &[true, false];

#[expect(clippy::print_stderr, reason = "says why there is nothing to measure")]
fn main() {
    if Path::new(CORPUS).exists() {
        divan::main();
    } else {
        eprintln!("skipped: the corpus is missing");
    }
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(CORPUS).join(path)).expect("the corpus has the file")
}

fn object(name: &str) -> Value {
    sprag_value::json::parse(&read(&format!("bench-objects/{name}.json"))).expect("the object is JSON")
}

fn definition(name: &str) -> Crd {
    let (_, path) = OBJECTS.iter().find(|(known, _)| *known == name).expect("the object has a definition");
    let value = sprag_decode::yaml::decode(&read(path)).expect("the definition is YAML");
    Crd::read(&value).expect("it is a definition")
}

fn resource(name: &str) -> CustomResource {
    let api_version = object(name).get("apiVersion").and_then(Value::as_str).map(str::to_owned);
    let mut versions = CustomResource::versions(&definition(name), Release::NEWEST).into_iter();
    versions.find(|version| Some(version.api_version()) == api_version.as_deref()).expect("the version is defined")
}

/// An object as it comes out of decoding.
fn decoded(resource: &CustomResource, name: &str) -> Value {
    let mut object = resource.decode(object(name)).expect("the object decodes").object;
    resource.default(&mut object).expect("defaults are few");
    object
}

fn created(resource: &CustomResource, mut object: Value) -> (Value, Errors) {
    let mut errors = Errors::new();
    resource.prepare_create(&mut object);
    resource.validate_create(&object, &mut errors);
    (object, errors)
}

fn updated(resource: &CustomResource, mut object: Value, old: &Value) -> (Value, Errors) {
    let mut errors = Errors::new();
    resource.prepare_update(&mut object, old);
    resource.validate_update(&object, old, &mut errors);
    (object, errors)
}

#[divan::bench(args = NAMES)]
fn compile(bencher: divan::Bencher<'_, '_>, name: &str) {
    let crd = definition(name);
    bencher.bench(|| CustomResource::versions(&crd, Release::NEWEST));
}

#[divan::bench(args = NAMES)]
fn prune_and_default(bencher: divan::Bencher<'_, '_>, name: &str) {
    let resource = resource(name);
    let text = read(&format!("bench-objects/{name}.json"));
    let parse = || sprag_value::json::parse(&text).expect("the object is JSON");
    bencher.with_inputs(parse).bench_values(|object| {
        let mut decoded = resource.decode(object).expect("the object decodes");
        resource.default(&mut decoded.object).expect("defaults are few");
        decoded
    });
}

#[divan::bench(args = NAMES)]
fn create(bencher: divan::Bencher<'_, '_>, name: &str) {
    let resource = resource(name);
    let object = created(&resource, decoded(&resource, name)).0;
    bencher.with_inputs(|| object.clone()).bench_values(|object| created(&resource, object));
}

#[divan::bench(args = NAMES)]
fn create_invalid(bencher: divan::Bencher<'_, '_>, name: &str) {
    let resource = resource(name);
    let object = decoded(&resource, &format!("{name}.invalid"));
    bencher.with_inputs(|| object.clone()).bench_values(|object| created(&resource, object));
}

fn update(bencher: divan::Bencher<'_, '_>, name: &str, new: &str, old: &str, ratcheting: bool) {
    let resource = resource(name).with_ratcheting(ratcheting);
    // An updated object has been stored, so both have the fields set on creation.
    let object = |suffix: &str| {
        let mut object = created(&resource, decoded(&resource, &format!("{name}{suffix}"))).0;
        object.get_mut("metadata").expect("objects have metadata").insert("resourceVersion", "1");
        object
    };
    let new = object(new);
    let old = object(old);
    bencher.with_inputs(|| new.clone()).bench_values(|object| updated(&resource, object, &old));
}

#[divan::bench(args = NAMES, consts = [0, 1])]
fn update_unchanged<const OFF: usize>(bencher: divan::Bencher<'_, '_>, name: &str) {
    update(bencher, name, "", "", GATE[OFF]);
}

#[divan::bench(args = NAMES, consts = [0, 1])]
fn update_one_field<const OFF: usize>(bencher: divan::Bencher<'_, '_>, name: &str) {
    update(bencher, name, ".changed", "", GATE[OFF]);
}

#[divan::bench(args = NAMES, consts = [0, 1])]
fn update_to_invalid<const OFF: usize>(bencher: divan::Bencher<'_, '_>, name: &str) {
    update(bencher, name, ".invalid", "", GATE[OFF]);
}

#[divan::bench(args = NAMES, consts = [0, 1])]
fn update_invalid_unchanged<const OFF: usize>(bencher: divan::Bencher<'_, '_>, name: &str) {
    update(bencher, name, ".invalid", ".invalid", GATE[OFF]);
}

/// A whole write, from the text on: what the benchmark of KEP-4008 has, less the server around it.
fn write(bencher: divan::Bencher<'_, '_>, name: &str, new: &str, old: &str, ratcheting: bool) {
    let resource = resource(name).with_ratcheting(ratcheting);
    let old = created(&resource, decoded(&resource, &format!("{name}{old}"))).0;
    let text = read(&format!("bench-objects/{name}{new}.json"));
    bencher.bench(|| {
        let object = sprag_value::json::parse(&text).expect("the object is JSON");
        let mut decoded = resource.decode(object).expect("the object decodes");
        resource.default(&mut decoded.object).expect("defaults are few");
        updated(&resource, decoded.object, &old)
    });
}

#[divan::bench(args = NAMES, consts = [0, 1])]
fn write_valid<const OFF: usize>(bencher: divan::Bencher<'_, '_>, name: &str) {
    write(bencher, name, ".changed", "", GATE[OFF]);
}

#[divan::bench(args = NAMES, consts = [0, 1])]
fn write_to_invalid<const OFF: usize>(bencher: divan::Bencher<'_, '_>, name: &str) {
    write(bencher, name, ".invalid", "", GATE[OFF]);
}

#[divan::bench(args = NAMES, consts = [0, 1])]
fn write_invalid<const OFF: usize>(bencher: divan::Bencher<'_, '_>, name: &str) {
    write(bencher, name, ".invalid", ".invalid", GATE[OFF]);
}
