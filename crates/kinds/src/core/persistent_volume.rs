//! Persistent volumes: storage that an administrator or a provisioner made available.

mod affinity;
mod sources;
mod spec;
mod update;

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Cx, Definition, FeatureGates, Release, Releases, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

pub(crate) use self::spec::validate_inline_spec;
use self::spec::{VolumeOptions, validate_spec};
use super::persistent_volume_claim::member;
use super::persistent_volume_claim::short_modes;
use super::pod::{node_selector_term_warnings, round};
use crate::columns::{string, text, wide};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::{PersistentVolume, PersistentVolumeSpec};

/// The annotation that named the class of storage before there was a field for it.
const STORAGE_CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
/// The annotation that listed mount options before there was a field for them.
const MOUNT_OPTIONS_ANNOTATION: &str = "volume.beta.kubernetes.io/mount-options";

/// The definition of `persistentvolumes`.
pub(crate) fn persistent_volumes(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .writes(["metadata", "status"])
        .prepare_for_update(prepare_status)
        .validate_update(|_, new, _, errors| validate_finalizers(new, errors));
    let strategy = StrategyConfig::new()
        .metadata_as_new([Releases::ALL, Releases::ALL])
        .no_metadata_as_changed()
        .prepare_for_create(|cx, new| {
            drop_disabled(cx.gates, new, None);
            member(new, "status", |status| {
                status.insert("phase", "Pending");
                status.insert("lastPhaseTransitionTime", cx.now.to_string());
            });
        })
        .prepare_for_update(|cx, new, old| drop_disabled(cx.gates, new, Some(old)))
        .validate(|cx, new, errors| validate(new, None, &cx.root(), errors))
        .validate_update(|cx, new, old, errors| {
            // As upstream, whose strategy calls ValidatePersistentVolume itself and ValidatePersistentVolumeUpdate does again.
            validate(new, Some(old), &cx.root(), errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            let options = VolumeOptions::new(Some(volume(old).spec()));
            validate_spec(volume(new), options, &cx.root().child("spec"), errors);
            update::validate_update(cx.gates, volume(new).spec(), volume(old).spec(), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(new))
        .warnings_on_update(|_, new, _| warnings(new))
        .status(status)
        .without_generation();
    let resource = program::resource(release, "", "v1", "PersistentVolume").complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["pv".to_owned()];
    definition.returns_deleted_object = true;
    definition.versions[0].columns = columns();
    definition
}

/// As upstream's `persistentvolume.DropDisabledSpecFields`. Who set the field still owns it.
fn drop_disabled(gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
    let was_set = old.is_some_and(|old| volume(old).spec().volume_attributes_class_name().is_some());
    if !gates.enabled("VolumeAttributesClass")
        && !was_set
        && let Some(spec) = new.get_mut("spec")
    {
        spec.remove("volumeAttributesClassName");
    }
}

fn volume(object: &Value) -> PersistentVolume<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_PersistentVolume`; constants are in the declaration.
fn complete(object: &mut Value) {
    member(object, "status", |status| {
        if string(status, &["phase"]).is_empty() {
            status.insert("phase", "Pending");
        }
    });
    member(object, "spec", |spec| {
        if string(spec, &["persistentVolumeReclaimPolicy"]).is_empty() {
            spec.insert("persistentVolumeReclaimPolicy", "Retain");
        }
        if spec.get("volumeMode").is_none_or(Value::is_null) {
            spec.insert("volumeMode", "Filesystem");
        }
        round(spec, "capacity");
    });
}

/// As upstream's `persistentvolume.persistentvolumeStatusStrategy.PrepareForUpdate`.
fn prepare_status(cx: &Cx<'_>, new: &mut Value, old: &Value) {
    const TIME: &str = "lastPhaseTransitionTime";
    let new_status = volume(new).status();
    let old_status = volume(old).status();
    let is_same_phase = new_status.phase() == old_status.phase();
    let old_time = old_status.as_value().get(TIME).filter(|time| !time.is_null()).cloned();
    let time = new_status.as_value().get(TIME).filter(|time| !time.is_null());
    let is_unset = time.is_none();
    let is_kept = is_unset || time == old_time.as_ref();
    match (is_same_phase, old_time) {
        (true, Some(time)) if is_unset => member(new, "status", |status| {
            status.insert(TIME, time);
        }),
        (false, _) if is_kept => member(new, "status", |status| {
            status.insert(TIME, cx.now.to_string());
        }),
        _ => {}
    }
}

/// As upstream's `validation.ValidatePersistentVolume` and `volumevalidation.ValidatePersistentVolume`.
fn validate(new: &Value, old: Option<&Value>, root: &At<'_>, errors: &mut Errors) {
    if old.is_some() {
        validate_generate_name(new, &dns_subdomain, errors);
    }
    validate_finalizers(new, errors);
    let options = VolumeOptions::new(old.map(|old| volume(old).spec()));
    validate_spec(volume(new), options, &root.child("spec"), errors);
    validate_mount_options(new, errors);
}

/// As upstream's `volumevalidation.checkMountOption`.
fn validate_mount_options(new: &Value, errors: &mut Errors) {
    const MOUNTED: [&str; 13] = [
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "glusterfs",
        "nfs",
        "rbd",
        "quobyte",
        "iscsi",
        "cinder",
        "cephfs",
        "azureFile",
        "vsphereVolume",
        "azureDisk",
        "photonPersistentDisk",
    ];
    let spec = volume(new).spec();
    if annotation(new, MOUNT_OPTIONS_ANNOTATION).is_none() || MOUNTED.iter().any(|source| is_set(spec, source)) {
        return;
    }
    let metadata = Path::new("metadata");
    let at = metadata.child("annotations");
    let detail = "may not specify mount options for this volume type";
    errors.push(Error::forbidden(&at.child(MOUNT_OPTIONS_ANNOTATION), detail));
}

/// Tells if a volume has a source.
fn is_set(spec: PersistentVolumeSpec<'_>, source: &str) -> bool {
    spec.as_value().get(source).is_some_and(|source| !source.is_null())
}

fn annotation<'v>(object: &'v Value, name: &str) -> Option<&'v str> {
    object.lookup(&["metadata", "annotations", name]).and_then(Value::as_str)
}

/// Annotations that are on their way out.
const ANNOTATIONS: [(&str, &str); 2] = [
    (STORAGE_CLASS_ANNOTATION, "deprecated since v1.8; use \"storageClassName\" attribute instead"),
    (MOUNT_OPTIONS_ANNOTATION, "deprecated since v1.31; use \"mountOptions\" attribute instead"),
];

/// Sources that do not work any more: their fields, as upstream's warnings spell those, and the texts.
const OLD_SOURCES: [(&str, &str, &str); 6] = [
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

const RECYCLE: &str = "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended \
    approach is to use dynamic provisioning.";

/// As upstream's `persistentvolume.GetWarningsForPersistentVolume`.
fn warnings(object: &Value) -> Vec<String> {
    let spec = volume(object).spec();
    let mut out = Vec::new();
    let annotations = ANNOTATIONS.iter().filter(|(name, _)| annotation(object, name).is_some());
    out.extend(annotations.map(|(name, message)| format!("metadata.annotations[{name}]: {message}")));
    if spec.persistent_volume_reclaim_policy() == "Recycle" {
        out.push(RECYCLE.to_owned());
    }
    if let Some(required) = spec.node_affinity().and_then(|affinity| affinity.required()) {
        let at = Path::new("spec");
        let at = at.child("nodeAffinity");
        let terms = required.node_selector_terms();
        let at = at.child("required");
        let at = at.child("nodeSelectorTerms");
        for (index, term) in terms.iter().enumerate() {
            node_selector_term_warnings(term, false, &at.index(index), &mut out);
        }
    }
    let sources = OLD_SOURCES.iter().filter(|(source, ..)| is_set(spec, source));
    out.extend(sources.map(|(_, shown, message)| format!("spec.{shown}: {message}")));
    out
}

/// As upstream's `printers.printPersistentVolume`.
fn columns() -> Vec<Column> {
    let unset = |text: Option<&str>| text.unwrap_or("<unset>").into();
    vec![
        text("Capacity", "Size of the volume.", |object| {
            volume(object).spec().capacity().get("storage").unwrap_or_default().to_string().into()
        }),
        text("Access Modes", "Ways to mount the volume.", |object| {
            short_modes(volume(object).spec().access_modes()).into()
        }),
        text("Reclaim Policy", "Fate of the volume once it is released.", |object| {
            volume(object).spec().persistent_volume_reclaim_policy().into()
        }),
        text("Status", "Phase of the volume.", |object| phase(object).into()),
        text("Claim", "Claim that is bound to the volume.", |object| {
            let claim = volume(object).spec().claim_ref();
            claim.map(|claim| format!("{}/{}", claim.namespace(), claim.name())).unwrap_or_default().into()
        }),
        // As upstream's `helper.GetPersistentVolumeClass`.
        text("StorageClass", "Class of storage of the volume.", |object| {
            annotation(object, STORAGE_CLASS_ANNOTATION)
                .unwrap_or_else(|| volume(object).spec().storage_class_name())
                .into()
        }),
        text("VolumeAttributesClass", "Class of attributes of the volume.", move |object| {
            unset(volume(object).spec().volume_attributes_class_name())
        }),
        text("Reason", "Reason of a failure.", |object| volume(object).status().reason().into()),
        Column::age(),
        wide(text("VolumeMode", "Kind of volume: a file system or a block device.", move |object| {
            unset(volume(object).spec().volume_mode())
        })),
    ]
}

fn phase(object: &Value) -> &str {
    let is_deleted = object.lookup(&["metadata", "deletionTimestamp"]).is_some_and(|time| !time.is_null());
    if is_deleted { "Terminating" } else { string(object, &["status", "phase"]) }
}
