//! Patches of a deployment of three containers, value to value, and texts through JSON Patch and merge patch.

mod deployment;

use divan::{AllocProfiler, Bencher, black_box};
use sprag_patch::apply::{ConvertError, Resource, Versions};
use sprag_patch::{json_patch, merge_patch, strategic};
use sprag_shape::{Shapes, TypeId};
use sprag_value::{Time, Value, json};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

const JSON_PATCH: &[u8] = br#"[
    {"op":"test","path":"/spec/replicas","value":3},
    {"op":"replace","path":"/spec/replicas","value":5},
    {"op":"add","path":"/metadata/labels/version","value":"2"},
    {"op":"replace","path":"/spec/template/spec/containers/0/image","value":"registry.example/app:2"}
]"#;

struct Deployments(Shapes);

impl Versions for Deployments {
    fn shape(&self, _: &str) -> Option<(&Shapes, TypeId)> {
        Some((&self.0, deployment::DEPLOYMENT))
    }

    fn convert(&self, _: &Value, _: &str) -> Result<Value, ConvertError> {
        Err(ConvertError::UnknownVersion)
    }
}

fn resource(versions: &Deployments) -> Resource<'_> {
    Resource {
        versions,
        api_version: "apps/v1",
        kind: "Deployment",
        subresource: "",
        writes_zero_values: true,
        empty_managed_fields_reset: true,
        keeps_unsettled_owners: true,
    }
}

#[divan::bench]
fn strategic_merge(bencher: Bencher<'_, '_>) {
    let shapes = deployment::shapes();
    let object = deployment::object("1");
    let patch = deployment::patch();
    bencher.with_inputs(|| json::parse(patch.as_bytes()).expect("the patch is JSON")).bench_refs(|patch| {
        strategic::merge(&shapes, deployment::DEPLOYMENT, black_box(&object), patch).expect("the patch fits")
    });
}

/// A deployment with an applier, a second applier and an updater; the first applies a new image.
#[divan::bench]
fn apply_with_three_managers(bencher: Bencher<'_, '_>) {
    let versions = Deployments(deployment::shapes());
    let live = owned(&versions);
    let applied = deployment::object("2");
    let now = Time::from_unix(1_700_000_100, 0);
    bencher.bench_local(|| {
        let applied = resource(&versions).apply(Some(black_box(&live)), &applied, "deployer", false, now);
        applied.expect("there are no conflicts")
    });
}

#[divan::bench]
fn apply_that_changes_nothing(bencher: Bencher<'_, '_>) {
    let versions = Deployments(deployment::shapes());
    let live = owned(&versions);
    let applied = deployment::object("1");
    let now = Time::from_unix(1_700_000_100, 0);
    bencher.bench_local(|| {
        let applied = resource(&versions).apply(Some(black_box(&live)), &applied, "deployer", false, now);
        applied.expect("there are no conflicts")
    });
}

#[divan::bench]
fn update_with_three_managers(bencher: Bencher<'_, '_>) {
    let versions = Deployments(deployment::shapes());
    let live = owned(&versions);
    let mut new = live.clone();
    new.get_mut("spec").expect("a deployment has a spec").insert("replicas", 7);
    let now = Time::from_unix(1_700_000_100, 0);
    bencher.bench_local(|| resource(&versions).update(Some(black_box(&live)), new.clone(), "scaler", now));
}

#[divan::bench]
fn json_patch_of_text(bencher: Bencher<'_, '_>) {
    let text = json::to_string(&deployment::object("1"));
    bencher.bench_local(|| json_patch::apply(black_box(&text), JSON_PATCH).expect("the patch fits"));
}

#[divan::bench]
fn merge_patch_of_text(bencher: Bencher<'_, '_>) {
    let text = json::to_string(&deployment::object("1"));
    let patch = deployment::patch();
    bencher.bench_local(|| merge_patch::apply(black_box(&text), patch.as_bytes()).expect("the patch fits"));
}

/// The deployment with its three managers.
fn owned(versions: &Deployments) -> Value {
    let now = Time::from_unix(1_700_000_000, 0);
    let resource = resource(versions);
    let apply = |live: Option<&Value>, object: &Value, manager: &str| {
        resource.apply(live, object, manager, false, now).expect("there are no conflicts")
    };
    let mut live = apply(None, &deployment::object("1"), "deployer");
    live = apply(Some(&live), &deployment::labels(), "labeller");
    let mut changed = live.clone();
    let metadata = changed.get_mut("metadata").expect("a deployment has metadata");
    metadata.insert("uid", "2f1c9a3e-6d1b-4a8c-9a53-0c9f6a7d1e55");
    metadata.insert("annotations", [("deployment.kubernetes.io/revision", "1")].into_iter().collect::<Value>());
    resource.update(Some(&live), changed, "controller", now)
}
