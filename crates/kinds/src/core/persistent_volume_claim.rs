//! Persistent volume claims: requests for storage.

mod prepare;
mod spec;
mod status;
mod update;

use sprag_checks::object_meta::dns_subdomain;
use sprag_field::Path;
use sprag_rest::{Column, Definition, Release, Releases, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::pod::{fraction_warning, round, round_resources};
use crate::columns::{string, text, wide};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::{PersistentVolumeClaim, PersistentVolumeClaimSpec};

pub(crate) use self::spec::{ClaimOptions, validate_access_modes, validate_claim_spec};
pub(crate) use self::status::validate_volume_health_conditions;

/// The annotation that named the class of storage before there was a field for it.
const STORAGE_CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// The definition of `persistentvolumeclaims`.
pub(crate) fn persistent_volume_claims(release: Release) -> Definition {
    let status = SubresourceConfig::new().writes(["metadata", "status"]).validate_update(|_, new, _, errors| {
        validate_finalizers(new, errors);
        status::validate_status(claim(new), errors);
    });
    let strategy = StrategyConfig::new()
        .metadata_as_new([Releases::ALL, Releases::until(Release::V1_34)])
        .drop_disabled_fields(prepare::drop_disabled)
        .prepare_for_create(|_, new| {
            prepare::prepare(new, None);
            // The status was emptied, and stored claims have a phase.
            set_claim_defaults(new);
        })
        .prepare_for_update(|_, new, old| prepare::prepare(new, Some(old)))
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_claim_spec(claim(new).spec(), &cx.root().child("spec"), ClaimOptions::default(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            let options = ClaimOptions::update(claim(old).spec(), &cx.root());
            validate_claim_spec(claim(new).spec(), &cx.root().child("spec"), options, errors);
            // As upstream, whose strategy calls ValidatePersistentVolumeClaim itself, too.
            if Releases::until(Release::V1_34).contains(cx.gates.release()) {
                validate_finalizers(new, errors);
                validate_claim_spec(claim(new).spec(), &cx.root().child("spec"), options, errors);
            }
            update::validate_update(claim(new), claim(old), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(claim(new)))
        .warnings_on_update(|_, new, _| warnings(claim(new)))
        .status(status)
        .without_generation();
    let resource = program::resource(release, "", "v1", "PersistentVolumeClaim").complete(set_claim_defaults);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["pvc".to_owned()];
    definition.returns_deleted_object = true;
    definition.versions[0].columns = columns();
    definition
}

fn claim(object: &Value) -> PersistentVolumeClaim<'_> {
    View::view(Some(object))
}

/// As upstream's `SetDefaults_PersistentVolumeClaim` and what generated code calls for its parts.
pub(crate) fn set_claim_defaults(object: &mut Value) {
    member(object, "status", |status| {
        if string(status, &["phase"]).is_empty() {
            status.insert("phase", "Pending");
        }
        round(status, "capacity");
        round(status, "allocatedResources");
    });
    member(object, "spec", round_resources);
}

/// Changes a member that is an object, which Go has even where it was not written.
pub(crate) fn member(object: &mut Value, name: &str, change: impl FnOnce(&mut Value)) {
    let mut value = object.remove(name).filter(|value| !value.is_null()).unwrap_or_else(Value::object);
    change(&mut value);
    object.insert(name, value);
}

/// As upstream's `persistentvolumeclaim.GetWarningsForPersistentVolumeClaim`.
fn warnings(claim: PersistentVolumeClaim<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    if annotation(claim.as_value()).is_some() {
        warnings.push(format!(
            "metadata.annotations[{STORAGE_CLASS_ANNOTATION}]: deprecated since v1.8; use \"storageClassName\" attribute \
             instead"
        ));
    }
    claim_spec_warnings(claim.spec(), &Path::new("spec"), &mut warnings);
    warnings
}

/// As upstream's `persistentvolumeclaim.GetWarningsForPersistentVolumeClaimSpec`.
pub(crate) fn claim_spec_warnings(spec: PersistentVolumeClaimSpec<'_>, at: &Path<'_>, warnings: &mut Vec<String>) {
    let resources = spec.resources();
    let at = at.child("resources");
    fraction_warning(resources.requests(), "storage", &at.child("requests"), warnings);
    fraction_warning(resources.limits(), "storage", &at.child("limits"), warnings);
}

/// The class of storage that the annotation names.
fn annotation(object: &Value) -> Option<&str> {
    object.lookup(&["metadata", "annotations", STORAGE_CLASS_ANNOTATION]).and_then(Value::as_str)
}

/// As upstream's `printers.printPersistentVolumeClaim`.
fn columns() -> Vec<Column> {
    let is_bound = |object: &Value| !string(object, &["spec", "volumeName"]).is_empty();
    let unset = |text: Option<&str>| text.unwrap_or("<unset>").into();
    vec![
        text("Status", "Phase of the claim.", |object| phase(object).into()),
        text("Volume", "Volume that is bound to the claim.", |object| string(object, &["spec", "volumeName"]).into()),
        text("Capacity", "Size of the bound volume.", move |object| {
            let capacity = claim(object).status().capacity().get("storage").unwrap_or_default();
            if is_bound(object) { capacity.to_string().into() } else { "".into() }
        }),
        text("Access Modes", "Ways to mount the bound volume.", move |object| {
            if is_bound(object) { short_modes(claim(object).status().access_modes()).into() } else { "".into() }
        }),
        text("StorageClass", "Class of storage of the claim.", |object| {
            let class = claim(object).spec().storage_class_name();
            annotation(object).or(class).unwrap_or_default().into()
        }),
        text("VolumeAttributesClass", "Class of attributes of the volume.", move |object| {
            unset(claim(object).spec().volume_attributes_class_name())
        }),
        Column::age(),
        wide(text("VolumeMode", "Kind of volume: a file system or a block device.", move |object| {
            unset(claim(object).spec().volume_mode())
        })),
    ]
}

fn phase(object: &Value) -> &str {
    let is_deleted = object.lookup(&["metadata", "deletionTimestamp"]).is_some_and(|time| !time.is_null());
    if is_deleted { "Terminating" } else { string(object, &["status", "phase"]) }
}

/// As upstream's `helper.GetAccessModesAsString`.
pub(crate) fn short_modes(modes: List<'_, &str>) -> String {
    let short =
        [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let present = short.iter().filter(|(mode, _)| modes.iter().any(|other| other == *mode));
    present.map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}
