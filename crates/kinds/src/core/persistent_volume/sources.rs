//! Sources of volumes. Those that pods have too are judged as there.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_label};
use sprag_field::{Error, Errors};

use crate::core::pod::volumes::Sources;
use crate::core::pod::volumes::iscsi::{self, validate_fibre_channel};
use crate::core::pod::volumes::sources as source;
use crate::views::core_v1::{
    AWSElasticBlockStoreVolumeSource, AzureFilePersistentVolumeSource, CSIPersistentVolumeSource,
    CephFSPersistentVolumeSource, CinderPersistentVolumeSource, FlexPersistentVolumeSource,
    GCEPersistentDiskVolumeSource, GlusterfsPersistentVolumeSource, ISCSIPersistentVolumeSource, LocalVolumeSource,
    PersistentVolumeSource, PersistentVolumeSpec, PhotonPersistentDiskVolumeSource, PortworxVolumeSource,
    RBDPersistentVolumeSource, ScaleIOPersistentVolumeSource, StorageOSPersistentVolumeSource,
    VsphereVirtualDiskVolumeSource,
};

/// Part of upstream's `validation.ValidatePersistentVolumeSpec`; `at` is the path of the spec.
pub(super) fn validate_sources(
    spec: PersistentVolumeSpec<'_>,
    name: &str,
    has_affinity: bool,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let source = spec.persistent_volume_source();
    let mut sources = Sources::new(at, errors);
    judge_until_cephfs(source, &mut sources);
    sources.judge("iscsi", source.iscsi(), |source, at, errors| validate_iscsi(source, name, at, errors));
    sources.judge("cinder", source.cinder(), CinderPersistentVolumeSource::check);
    sources.judge("fc", source.fc(), validate_fibre_channel);
    // As upstream, which takes this one even where there was another.
    sources.judge_again("flexVolume", source.flex_volume(), validate_flex);
    judge_from_azure_file(source, &mut sources);
    sources.judge("local", source.local(), |source: LocalVolumeSource<'_>, field, errors| {
        source.check(field, errors);
        if !has_affinity {
            errors.push(Error::required(&at.child("nodeAffinity"), "Local volume requires node affinity"));
        }
    });
    sources.judge("storageos", source.storage_os(), StorageOSPersistentVolumeSource::check);
    sources.judge("csi", source.csi(), validate_csi);
    if !sources.found() {
        errors.push(Error::required(at, "must specify a volume type"));
    }
}

fn judge_until_cephfs(source: PersistentVolumeSource<'_>, sources: &mut Sources<'_>) {
    sources.judge("hostPath", source.host_path(), source::validate_host_path);
    // As upstream, which blames `persistentDisk`.
    sources.judge_as(
        "persistentDisk",
        "gcePersistentDisk",
        source.gce_persistent_disk(),
        GCEPersistentDiskVolumeSource::check,
    );
    sources.judge("awsElasticBlockStore", source.aws_elastic_block_store(), AWSElasticBlockStoreVolumeSource::check);
    sources.judge("glusterfs", source.glusterfs(), validate_glusterfs);
    sources.judge("flocker", source.flocker(), source::validate_flocker);
    sources.judge("nfs", source.nfs(), source::validate_nfs);
    sources.judge("rbd", source.rbd(), RBDPersistentVolumeSource::check);
    sources.judge("quobyte", source.quobyte(), source::validate_quobyte);
    sources.judge_as("cephfs", "cephFS", source.ceph_fs(), CephFSPersistentVolumeSource::check);
}

fn judge_from_azure_file(source: PersistentVolumeSource<'_>, sources: &mut Sources<'_>) {
    sources.judge("azureFile", source.azure_file(), validate_azure_file);
    sources.judge("vsphereVolume", source.vsphere_volume(), VsphereVirtualDiskVolumeSource::check);
    sources.judge("photonPersistentDisk", source.photon_persistent_disk(), PhotonPersistentDiskVolumeSource::check);
    sources.judge("portworxVolume", source.portworx_volume(), PortworxVolumeSource::check);
    sources.judge("azureDisk", source.azure_disk(), source::validate_azure_disk);
    sources.judge("scaleIO", source.scale_io(), ScaleIOPersistentVolumeSource::check);
}

/// As upstream's `validation.validateGlusterfsPersistentVolumeSource`.
fn validate_glusterfs(source: GlusterfsPersistentVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check(at, errors);
    let Some(namespace) = source.endpoints_namespace() else { return };
    let at = at.child("endpointsNamespace");
    if namespace.is_empty() {
        let detail = "if the endpointnamespace is set, it must be a valid namespace name";
        return errors.push(Error::invalid(&at, namespace, detail));
    }
    dns_label(namespace, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, namespace, detail)));
}

/// As upstream's `validation.validateISCSIPersistentVolumeSource`.
fn validate_iscsi(source: ISCSIPersistentVolumeSource<'_>, volume: &str, at: &At<'_>, errors: &mut Errors) {
    const NOT_A_NAME: &str = "must be valid format";
    let portal = source.target_portal();
    source.check_target_portal(at, errors);
    if source.initiator_name().is_some() && volume.len() + ":".len() + portal.len() > iscsi::MAX_TARGET {
        // As upstream, which writes the field in lower case, as it does below.
        errors.push(Error::invalid(&at.child("targetportal"), portal, iscsi::TARGET_TOO_LONG));
    }
    if !source.check_iqn(at, errors) {
        iscsi::validate_node_name(source.iqn(), NOT_A_NAME, &at.child("iqn"), errors);
    }
    source.check_lun(at, errors);
    if source.discovery_chap_auth() || source.session_chap_auth() || source.secret_ref().is_some() {
        source.check_secret_ref(at, errors);
    }
    if let Some(initiator) = source.initiator_name() {
        iscsi::validate_node_name(initiator, NOT_A_NAME, &at.child("initiatorname"), errors);
    }
}

/// As upstream's `validation.validateFlexPersistentVolumeSource`.
fn validate_flex(source: FlexPersistentVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check(at, errors);
    source::validate_flex_options(source.options(), &at.child("options"), errors);
}

/// As upstream's `validation.validateAzureFilePV`.
fn validate_azure_file(source: AzureFilePersistentVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check(at, errors);
    if source.secret_namespace() == Some("") {
        errors.push(Error::required(&at.child("secretNamespace"), ""));
    }
}

/// As upstream's `validation.validateCSIPersistentVolumeSource`, which leaves out the secret for staging.
fn validate_csi(source: CSIPersistentVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_driver(at, errors);
    source.check_volume_handle(at, errors);
    source.check_controller_publish_secret_ref(at, errors);
    source.check_controller_expand_secret_ref(at, errors);
    source.check_node_publish_secret_ref(at, errors);
    source.check_node_expand_secret_ref(at, errors);
}
