//! Volumes of pods: names and sources.

pub(crate) mod claim;
mod files;
pub(crate) mod iscsi;
mod mounts;
mod projected;
pub(crate) mod sources;
#[cfg(test)]
mod tests;

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{Error, Errors, quote};
use sprag_value::Value;
use sprag_value::view::List;

use self::claim::validate_ephemeral;
use self::files::{validate_config_map, validate_downward_api, validate_secret};
use self::iscsi::{validate_fibre_channel, validate_iscsi};
use self::projected::validate_projected;
use self::sources as source;
use super::PodOptions;
use super::seen::Seen;
use crate::views::core_v1::{
    AWSElasticBlockStoreVolumeSource, AzureFileVolumeSource, CephFSVolumeSource, CinderVolumeSource,
    EmptyDirVolumeSource, EphemeralVolumeSource, GCEPersistentDiskVolumeSource, GitRepoVolumeSource,
    GlusterfsVolumeSource, ISCSIVolumeSource, PersistentVolumeClaimVolumeSource, PhotonPersistentDiskVolumeSource,
    PortworxVolumeSource, RBDVolumeSource, ScaleIOVolumeSource, StorageOSVolumeSource, Volume, VolumeSource,
    VsphereVirtualDiskVolumeSource,
};

pub(crate) use self::files::{descending_path, local_path, no_backsteps, validate_local_path};
pub(crate) use self::mounts::{validate_volume_devices, validate_volume_mounts};
pub(crate) use self::projected::validate_user_annotations;

/// The names of the volumes that passed their rules, which containers may mount.
#[derive(Debug)]
pub(crate) struct VolumeNames<'v> {
    all: Seen<&'v str>,
    claims: Seen<&'v str>,
    images: Seen<&'v str>,
}

impl<'v> VolumeNames<'v> {
    fn new() -> VolumeNames<'v> {
        VolumeNames { all: Seen::new(), claims: Seen::new(), images: Seen::new() }
    }

    fn insert(&mut self, volume: Volume<'v>) {
        let name = volume.name();
        let source = volume.volume_source();
        self.all.insert(name);
        if source.persistent_volume_claim().is_some() || source.ephemeral().is_some() {
            self.claims.insert(name);
        }
        if source.image().is_some() {
            self.images.insert(name);
        }
    }

    /// Tells if there is such a volume, as upstream's `validation.IsMatchedVolume`.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.all.contains(name)
    }

    /// Tells if a persistent volume claim is behind the volume, as upstream's `validation.isMatchedDevice`.
    pub(crate) fn is_claim(&self, name: &str) -> bool {
        self.claims.contains(name)
    }

    /// Tells if the volume is an image.
    pub(crate) fn is_image(&self, name: &str) -> bool {
        self.images.contains(name)
    }
}

/// As upstream's `validation.ValidateVolumes`; templates have no metadata.
pub(crate) fn validate_volumes<'v>(
    volumes: List<'v, Volume<'v>>,
    metadata: Option<&Value>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) -> VolumeNames<'v> {
    let pod = metadata.and_then(|metadata| metadata.get("name")).and_then(Value::as_str).unwrap_or_default();
    let ephemeral = |volume: &Volume<'v>| volume.volume_source().ephemeral().is_some();
    // Without the name of the pod those of the claims that are made for it are unknown.
    let created: Seen<&str> =
        volumes.iter().filter(|volume| !pod.is_empty() && ephemeral(volume)).map(Volume::name).collect();
    let mut names = VolumeNames::new();
    for (index, volume) in volumes.iter().enumerate() {
        let at = at.index(index);
        let mark = errors.len();
        validate_volume_source(volume, pod, &at, options, errors);
        validate_name(volume, &names, &at, errors);
        if errors.len() == mark {
            names.insert(volume);
        }
        let claim = volume.volume_source().persistent_volume_claim().map_or("", |claim| claim.claim_name());
        let volume_of_claim = claim.strip_prefix(pod).and_then(|rest| rest.strip_prefix('-'));
        if volume_of_claim.is_some_and(|name| created.contains(name)) {
            let detail = "must not reference a PVC that gets created for an ephemeral volume";
            errors.push(Error::invalid(&at.child("persistentVolumeClaim").child("claimName"), claim, detail));
        }
    }
    names
}

fn validate_name(volume: Volume<'_>, names: &VolumeNames<'_>, at: &At<'_>, errors: &mut Errors) {
    volume.check_name(at, errors);
    if names.contains(volume.name()) {
        errors.push(Error::duplicate(&at.child("name"), volume.name()));
    }
}

/// Judges the sources of one volume in turn and refuses all but the first.
pub(crate) struct Sources<'a> {
    at: &'a At<'a>,
    errors: &'a mut Errors,
    found: bool,
}

impl<'a> Sources<'a> {
    /// No source so far; `at` is the path of what has them.
    pub(crate) fn new(at: &'a At<'a>, errors: &'a mut Errors) -> Sources<'a> {
        Sources { at, errors, found: false }
    }

    /// Tells if there was a source.
    pub(crate) fn found(&self) -> bool {
        self.found
    }

    /// Judges a source.
    pub(crate) fn judge<T, R>(
        &mut self,
        field: &str,
        source: Option<T>,
        rule: impl FnOnce(T, &At<'_>, &mut Errors) -> R,
    ) {
        self.judge_as(field, field, source, rule);
    }

    /// Judges a source whose field upstream spells differently when it is one too many.
    pub(crate) fn judge_as<T, R>(
        &mut self,
        field: &str,
        field_if_second: &str,
        source: Option<T>,
        rule: impl FnOnce(T, &At<'_>, &mut Errors) -> R,
    ) {
        let Some(source) = source else { return };
        if self.found {
            let detail = "may not specify more than 1 volume type";
            self.errors.push(Error::forbidden(&self.at.child(field_if_second), detail));
            return;
        }
        self.judge_again(field, Some(source), rule);
    }

    /// Judges a source that may be one of several.
    pub(crate) fn judge_again<T, R>(
        &mut self,
        field: &str,
        source: Option<T>,
        rule: impl FnOnce(T, &At<'_>, &mut Errors) -> R,
    ) {
        let Some(source) = source else { return };
        self.found = true;
        rule(source, &self.at.child(field), self.errors);
    }
}

/// As upstream's `validation.validateVolumeSource`, `at` is the path of the volume.
fn validate_volume_source(volume: Volume<'_>, pod: &str, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let source = volume.volume_source();
    let mut sources = Sources::new(at, errors);
    judge_until_quobyte(source, volume.name(), &mut sources);
    judge_from_downward_api(source, options, &mut sources);
    sources.judge("ephemeral", source.ephemeral(), |ephemeral: EphemeralVolumeSource<'_>, field, errors| {
        validate_ephemeral(ephemeral, field, errors);
        validate_created_claim(pod, volume.name(), &at.child("name"), errors);
    });
    sources.judge("image", source.image(), |image, at, errors| source::validate_image(image, at, options, errors));
    if !sources.found {
        errors.push(Error::required(at, "must specify a volume type"));
    }
}

fn judge_until_quobyte(source: VolumeSource<'_>, name: &str, sources: &mut Sources<'_>) {
    sources.judge("emptyDir", source.empty_dir(), validate_empty_dir);
    sources.judge("hostPath", source.host_path(), source::validate_host_path);
    sources.judge("gitRepo", source.git_repo(), GitRepoVolumeSource::check);
    // As upstream, which blames `persistentDisk`.
    sources.judge_as(
        "persistentDisk",
        "gcePersistentDisk",
        source.gce_persistent_disk(),
        GCEPersistentDiskVolumeSource::check,
    );
    sources.judge("awsElasticBlockStore", source.aws_elastic_block_store(), AWSElasticBlockStoreVolumeSource::check);
    sources.judge("secret", source.secret(), validate_secret);
    sources.judge("nfs", source.nfs(), source::validate_nfs);
    sources.judge("iscsi", source.iscsi(), validate_iscsi);
    validate_iscsi_length(source.iscsi(), name, &sources.at.child("name"), sources.errors);
    sources.judge("glusterfs", source.glusterfs(), GlusterfsVolumeSource::check);
    sources.judge("flocker", source.flocker(), source::validate_flocker);
    sources.judge("persistentVolumeClaim", source.persistent_volume_claim(), PersistentVolumeClaimVolumeSource::check);
    sources.judge("rbd", source.rbd(), RBDVolumeSource::check);
    sources.judge("cinder", source.cinder(), CinderVolumeSource::check);
    sources.judge_as("cephfs", "cephFS", source.ceph_fs(), CephFSVolumeSource::check);
    sources.judge("quobyte", source.quobyte(), source::validate_quobyte);
}

fn judge_from_downward_api(source: VolumeSource<'_>, options: &PodOptions, sources: &mut Sources<'_>) {
    // As upstream, whose second spelling lacks a letter.
    sources.judge_as("downwardAPI", "downwarAPI", source.downward_api(), validate_downward_api);
    sources.judge("fc", source.fc(), validate_fibre_channel);
    sources.judge("flexVolume", source.flex_volume(), source::validate_flex);
    sources.judge("configMap", source.config_map(), validate_config_map);
    sources.judge("azureFile", source.azure_file(), AzureFileVolumeSource::check);
    sources.judge("vsphereVolume", source.vsphere_volume(), VsphereVirtualDiskVolumeSource::check);
    sources.judge("photonPersistentDisk", source.photon_persistent_disk(), PhotonPersistentDiskVolumeSource::check);
    sources.judge("portworxVolume", source.portworx_volume(), PortworxVolumeSource::check);
    sources.judge("azureDisk", source.azure_disk(), source::validate_azure_disk);
    sources.judge("storageos", source.storage_os(), StorageOSVolumeSource::check);
    sources.judge("projected", source.projected(), |projected, at, errors| {
        validate_projected(projected, at, options, errors);
    });
    sources.judge("scaleIO", source.scale_io(), ScaleIOVolumeSource::check);
    sources.judge("csi", source.csi(), source::validate_csi);
}

fn validate_empty_dir(source: EmptyDirVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    if source.size_limit().is_some_and(|limit| limit.sign().is_lt()) {
        let detail = "SizeLimit field must be a valid resource quantity";
        errors.push(Error::forbidden(&at.child("sizeLimit"), detail));
    }
    if let Some(mode) = source.mode().filter(|mode| !(0..=0o1777).contains(mode)) {
        let detail = "must be a number between 0 and 01777 (octal), both inclusive";
        errors.push(Error::invalid(&at.child("mode"), mode, detail));
    }
}

/// Part of upstream's `validation.validateVolumeSource`: done even if the source is one too many.
fn validate_iscsi_length(source: Option<ISCSIVolumeSource<'_>>, name: &str, at: &At<'_>, errors: &mut Errors) {
    let Some(source) = source.filter(|source| source.initiator_name().is_some()) else { return };
    if name.len() + ":".len() + source.target_portal().len() > iscsi::MAX_TARGET {
        errors.push(Error::invalid(at, name, iscsi::TARGET_TOO_LONG));
    }
}

/// Refuses a volume whose claim could not be made because of its name.
fn validate_created_claim(pod: &str, volume: &str, at: &At<'_>, errors: &mut Errors) {
    if pod.is_empty() || volume.is_empty() {
        return;
    }
    // Parts that are names and short enough make a name.
    let fits = |text: &str| sprag_checks::format::Format::LongName.is_valid(text);
    if fits(pod) && fits(volume) && pod.len() + "-".len() + volume.len() <= MAX_CLAIM_NAME {
        return;
    }
    let claim = format!("{pod}-{volume}");
    dns_subdomain(&claim, Usage::Name, &mut |detail| {
        errors.push(Error::invalid(at, volume, format!("PVC name {}: {detail}", quote::go(&claim))));
    });
}

/// The bytes of the longest name of a persistent volume claim.
const MAX_CLAIM_NAME: usize = 253;
