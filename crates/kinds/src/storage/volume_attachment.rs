//! Volume attachments: volumes that are to be attached to nodes.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, Release, Releases, StrategyConfig, SubresourceConfig, meta};
use sprag_value::Value;
use sprag_value::view::{Map, View};

use super::GROUP;
use crate::columns::{boolean, name, text};
use crate::core::persistent_volume::validate_inline_spec;
use crate::core::pod::round;
use crate::core::pod::volumes::sources::validate_csi_driver_name;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::storage_v1::{
    VolumeAttachment, VolumeAttachmentSource, VolumeAttachmentSpec, VolumeAttachmentStatus,
};

/// Maximum bytes of the metadata that the attacher returned.
const MAX_METADATA: usize = 256 * 1024;

/// The definition of `volumeattachments`.
pub(super) fn volume_attachments(release: Release) -> Definition {
    // As upstream's volumeAttachmentStatusStrategy, which runs the rules of the whole object.
    let status =
        SubresourceConfig::new().validate_update(|cx, new, old, errors| validate_update(new, old, &cx.root(), errors));
    let strategy = StrategyConfig::new()
        .metadata_as_new([Releases::ALL, Releases::until(Release::V1_34)])
        .no_metadata_as_changed()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate(attachment(new), &cx.root(), errors);
            if !errors.release().has(Fact::AttachmentsHaveOneCheck) {
                validate_new(attachment(new), &cx.root(), errors);
            }
        })
        .validate_update(|cx, new, old, errors| {
            validate_update(new, old, &cx.root(), errors);
            if errors.release().has(Fact::AttachmentsAreCheckedTwice) {
                validate_finalizers(new, errors);
                validate(attachment(new), &cx.root(), errors);
            }
        })
        .status(status)
        .allow_unconditional_update(false)
        .without_generation();
    let resource = program::resource(release, GROUP, "v1", "VolumeAttachment").complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.returns_deleted_object = true;
    definition.versions[0].columns = columns();
    definition
}

fn attachment(object: &Value) -> VolumeAttachment<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_VolumeAttachment`; constants are in the declaration.
fn complete(object: &mut Value) {
    let source = object.get_mut("spec").and_then(|spec| spec.get_mut("source"));
    let spec = source.and_then(|source| source.get_mut("inlineVolumeSpec"));
    if let Some(spec) = spec.filter(|spec| !spec.is_null()) {
        round(spec, "capacity");
    }
}

/// As upstream's `validation.ValidateVolumeAttachmentUpdate`.
fn validate_update(new: &Value, old: &Value, root: &At<'_>, errors: &mut Errors) {
    validate_generate_name(new, &dns_subdomain, errors);
    validate_finalizers(new, errors);
    validate(attachment(new), root, errors);
    attachment(new).check_spec_update(attachment(old), root, errors);
}

/// As upstream's `validation.ValidateVolumeAttachment`.
fn validate(attachment: VolumeAttachment<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = attachment.spec();
    let has_one_check = errors.release().has(Fact::AttachmentsHaveOneCheck);
    if has_one_check {
        validate_attacher(spec, &at.child("attacher"), errors);
    } else if spec.attacher().is_empty() {
        errors.push(Error::required(&at.child("attacher"), ""));
    }
    validate_source(spec.source(), &at.child("source"), errors);
    spec.check_node_name(&at, errors);
    validate_status(attachment.status(), root, errors);
    if has_one_check {
        spec.source().check_persistent_volume_name(&at.child("source"), errors);
    }
}

/// As upstream's `validation.ValidateVolumeAttachmentV1`.
fn validate_new(attachment: VolumeAttachment<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = attachment.spec();
    validate_attacher(spec, &at.child("attacher"), errors);
    spec.source().check_persistent_volume_name(&at.child("source"), errors);
}

fn validate_attacher(spec: VolumeAttachmentSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if spec.attacher().is_empty() {
        errors.push(Error::required(at, "").with_covered_by_declarative());
        if !errors.release().has(Fact::EmptyDriverNamesAreInvalidToo) {
            return;
        }
    }
    let mark = errors.len();
    validate_csi_driver_name(spec.attacher(), at, errors);
    for error in errors.since_mut(mark) {
        error.origin = if error.kind == sprag_field::ErrorKind::TooLong { "maxLength" } else { FORMAT }.into();
        error.covered_by_declarative = true;
    }
}

const FORMAT: &str = "format=k8s-long-name-caseless";

/// As upstream's `validation.validateVolumeAttachmentSource`.
fn validate_source(source: VolumeAttachmentSource<'_>, at: &At<'_>, errors: &mut Errors) {
    const ONE: &str = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    match (source.inline_volume_spec(), source.persistent_volume_name()) {
        (None, None) => errors.push(Error::required(at, ONE)),
        (Some(_), Some(_)) => errors.push(Error::forbidden(at, ONE)),
        (None, Some("")) => {
            let detail = "must specify non empty persistentVolumeName";
            errors.push(Error::required(&at.child("persistentVolumeName"), detail));
        }
        (None, Some(_)) => {}
        (Some(spec), None) => validate_inline_spec(spec, &at.child("inlineVolumeSpec"), errors),
    }
}

/// As upstream's `validation.validateVolumeAttachmentStatus`.
fn validate_status(status: VolumeAttachmentStatus<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    if bytes(status.attachment_metadata()) > MAX_METADATA {
        errors.push(Error::too_long(&at.child("attachmentMetadata"), 256 * 1024));
    }
    for (member, error) in [("attachError", status.attach_error()), ("detachError", status.detach_error())] {
        if let Some(error) = error {
            let at = at.child(member);
            error.check_message(&at, errors);
            error.check_error_code(&at, errors);
        }
    }
}

fn bytes(map: Map<'_, &str>) -> usize {
    map.iter().map(|(key, value)| key.len() + value.len()).sum()
}

/// As upstream's `printers.printVolumeAttachment`.
fn columns() -> Vec<Column> {
    let attacher =
        text("Attacher", "Name of the CSI driver that attaches.", |object| attachment(object).spec().attacher().into());
    vec![
        name(|object| meta::name(object).into()),
        // As upstream, which says that this is a name.
        Column { format: "name".into(), ..attacher },
        text("PV", "Name of the persistent volume.", |object| {
            attachment(object).spec().source().persistent_volume_name().unwrap_or_default().into()
        }),
        text("Node", "Name of the node.", |object| attachment(object).spec().node_name().into()),
        boolean("Attached", "Whether the volume was attached.", |object| attachment(object).status().attached()),
        Column::age(),
    ]
}
