//! Resource slices: what drivers publish about devices.

mod binding;
mod capacity;
mod device;
mod drop;
mod node_resources;
mod spec;

use sprag_rest::{Column, Definition, Release, Selectable, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use super::gates::drop_disabled;
use super::taint::stamp_taint;
use crate::columns::{string, text};
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::resource_v1::ResourceSlice;

pub(super) use self::binding::{validate_binding_conditions, validate_skipped_operations};

/// The definition of `resourceslices`.
pub(super) fn resource_slices(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .prepare_for_create(|cx, new| {
            meta::set(new, "generation", 1);
            drop_disabled(&drop::FEATURES, cx.gates, new, None);
        })
        // As upstream's resourceSliceStrategy.PrepareForUpdate: fields that are dropped count as changes.
        .prepare_for_update(|cx, new, old| {
            let ty = program::kind(GROUP, "v1", "ResourceSlice");
            let is_changed = !program::same_field(ty, "spec", new, old);
            meta::set(new, "generation", meta::generation(old).saturating_add(i64::from(is_changed)));
            drop_disabled(&drop::FEATURES, cx.gates, new, Some(old));
        })
        .without_generation()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            spec::validate(cx.gates, slice(new).spec(), None, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            spec::validate(cx.gates, slice(new).spec(), Some(slice(old).spec()), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(new))
        .warnings_on_update(|_, new, _| warnings(new));
    let resource = program::resource(release, GROUP, "v1", "ResourceSlice").stamp(|object, now| {
        let devices = object.get_mut("spec").and_then(|spec| spec.get_mut("devices"));
        let Some(devices) = devices.and_then(Value::as_array_mut) else { return };
        for device in devices.as_mut_slice() {
            let Some(taints) = device.get_mut("taints").and_then(Value::as_array_mut) else { continue };
            taints.as_mut_slice().iter_mut().for_each(|taint| stamp_taint(taint, now));
        }
    });
    let mut definition = resource.strategy(strategy).define();
    let version = &mut definition.versions[0];
    version.selectable = ["spec.nodeName", "spec.driver", "spec.pool.name"].map(Selectable::new).into();
    version.unsupported_field =
        |field| format!("field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {field}");
    version.columns = vec![
        text("Node", "Node that has the devices.", |object| string(object, &["spec", "nodeName"]).into()),
        text("Driver", "Driver of the devices.", |object| string(object, &["spec", "driver"]).into()),
        text("Pool", "Pool that the slice belongs to.", |object| string(object, &["spec", "pool", "name"]).into()),
        Column::age(),
    ];
    definition
}

fn slice(object: &Value) -> ResourceSlice<'_> {
    View::view(Some(object))
}

/// As upstream's `resourceSliceStrategy.WarningsOnCreate`.
fn warnings(object: &Value) -> Vec<String> {
    let driver = slice(object).spec().driver();
    let has_upper_case = driver.to_lowercase() != driver;
    let warning = || {
        let driver = sprag_field::quote::go(driver);
        format!("spec.driver: driver names should be lowercase; {driver} contains uppercase characters")
    };
    has_upper_case.then(warning).into_iter().collect()
}
