//! Sources of volumes that are judged by a few fields each.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_validate::object_meta::{Usage, dns_subdomain, lower_case};
use sprag_value::view::Map;

use super::files::{validate_local_descending_path, validate_no_backsteps};
use super::validate_label;
use crate::core::pod::PodOptions;
use crate::views::core_v1::{
    AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CSIVolumeSource,
    CephFSVolumeSource, CinderVolumeSource, FlexVolumeSource, FlockerVolumeSource, GCEPersistentDiskVolumeSource,
    GitRepoVolumeSource, GlusterfsVolumeSource, HostPathVolumeSource, ImageVolumeSource, LocalObjectReference,
    NFSVolumeSource, PersistentVolumeClaimVolumeSource, PhotonPersistentDiskVolumeSource, PortworxVolumeSource,
    QuobyteVolumeSource, RBDVolumeSource, ScaleIOVolumeSource, StorageOSVolumeSource, VsphereVirtualDiskVolumeSource,
};

/// The bytes of the longest name of a CSI driver.
const MAX_DRIVER_NAME: usize = 63;

/// The bytes of the longest tenant of Quobyte.
const MAX_TENANT: usize = 64;

const NOT_HOSTS_AND_PORTS: &str = "must be a host:port pair or multiple pairs separated by commas";

/// Supported values, sorted as upstream lists them.
const HOST_PATH_TYPES: &[&str] =
    &["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
const CACHING_MODES: &[&str] = &["None", "ReadOnly", "ReadWrite"];
const DISK_KINDS: &[&str] = &["Dedicated", "Managed", "Shared"];
const PULL_POLICIES: &[&str] = &["Always", "IfNotPresent", "Never"];

/// Forms of the URI of an Azure disk.
const MANAGED_DISK: &[&str] =
    &["/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"];
const BLOB_DISK: &[&str] = &["https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"];

/// Refuses an empty text.
pub(crate) fn require(text: &str, at: &Path<'_>, errors: &mut Errors) {
    if text.is_empty() {
        errors.push(Error::required(at, ""));
    }
}

/// Refuses a reference without a name.
fn require_name(reference: Option<LocalObjectReference<'_>>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(reference) = reference {
        require(reference.name(), &at.child("name"), errors);
    }
}

/// As upstream's `validation.validateHostPathVolumeSource`.
pub(crate) fn validate_host_path(source: HostPathVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    if source.path().is_empty() {
        return errors.push(Error::required(&at.child("path"), ""));
    }
    validate_no_backsteps(source.path(), &at.child("path"), errors);
    one_of(source.kind(), HOST_PATH_TYPES, &at.child("type"), errors);
}

/// Refuses a named text that is set and none of a few.
fn one_of(text: Option<&str>, supported: &[&str], at: &Path<'_>, errors: &mut Errors) {
    if let Some(text) = text.filter(|text| !supported.contains(text)) {
        errors.push(Error::not_supported(at, BadValue::json_str(text), supported));
    }
}

/// As upstream's `validation.validateGitRepoVolumeSource`.
pub(crate) fn validate_git_repo(source: GitRepoVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.repository(), &at.child("repository"), errors);
    validate_local_descending_path(source.directory(), &at.child("directory"), errors);
}

/// As upstream's `validation.validateGCEPersistentDiskVolumeSource`.
pub(crate) fn validate_gce_disk(source: GCEPersistentDiskVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.pd_name(), &at.child("pdName"), errors);
    validate_partition(source.partition(), &at.child("partition"), errors);
}

/// As upstream's `validation.validateAWSElasticBlockStoreVolumeSource`.
pub(crate) fn validate_aws_disk(source: AWSElasticBlockStoreVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.volume_id(), &at.child("volumeID"), errors);
    validate_partition(source.partition(), &at.child("partition"), errors);
}

/// As upstream, 0 passes though the text excludes it: it stands for the whole disk.
fn validate_partition(partition: i64, at: &Path<'_>, errors: &mut Errors) {
    if !(0..=255).contains(&partition) {
        errors.push(Error::invalid(at, partition, "must be between 1 and 255, inclusive"));
    }
}

/// As upstream's `validation.validateNFSVolumeSource`.
pub(crate) fn validate_nfs(source: NFSVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.server(), &at.child("server"), errors);
    require(source.path(), &at.child("path"), errors);
    if !source.path().starts_with('/') {
        errors.push(Error::invalid(&at.child("path"), source.path(), "must be an absolute path"));
    }
}

/// As upstream's `validation.validateGlusterfsVolumeSource`.
pub(crate) fn validate_glusterfs(source: GlusterfsVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.endpoints_name(), &at.child("endpoints"), errors);
    require(source.path(), &at.child("path"), errors);
}

/// As upstream's `validation.validateFlockerVolumeSource`.
pub(crate) fn validate_flocker(source: FlockerVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    let (name, uuid) = (source.dataset_name(), source.dataset_uuid());
    if name.is_empty() && uuid.is_empty() {
        errors.push(Error::required(at, "one of datasetName and datasetUUID is required"));
    }
    if !name.is_empty() && !uuid.is_empty() {
        let detail = "datasetName and datasetUUID can not be specified simultaneously";
        errors.push(Error::invalid(at, "resource", detail));
    }
    if name.contains('/') {
        errors.push(Error::invalid(&at.child("datasetName"), name, "must not contain '/'"));
    }
}

/// As upstream's `validation.validatePersistentClaimVolumeSource`.
pub(crate) fn validate_claim(source: PersistentVolumeClaimVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.claim_name(), &at.child("claimName"), errors);
}

/// As upstream's `validation.validateRBDVolumeSource`.
pub(crate) fn validate_rbd(source: RBDVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    if source.ceph_monitors().is_empty() {
        errors.push(Error::required(&at.child("monitors"), ""));
    }
    require(source.rbd_image(), &at.child("image"), errors);
}

/// As upstream's `validation.validateCinderVolumeSource`.
pub(crate) fn validate_cinder(source: CinderVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.volume_id(), &at.child("volumeID"), errors);
    require_name(source.secret_ref(), &at.child("secretRef"), errors);
}

/// As upstream's `validation.validateCephFSVolumeSource`.
pub(crate) fn validate_ceph_fs(source: CephFSVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    if source.monitors().is_empty() {
        errors.push(Error::required(&at.child("monitors"), ""));
    }
}

/// As upstream's `validation.validateQuobyteVolumeSource`.
pub(crate) fn validate_quobyte(source: QuobyteVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    let registry = source.registry();
    if registry.is_empty() {
        errors.push(Error::required(&at.child("registry"), NOT_HOSTS_AND_PORTS));
    } else if source.tenant().len() > MAX_TENANT {
        let detail = "must be a UUID and may not exceed a length of 64 characters";
        errors.push(Error::required(&at.child("tenant"), detail));
    } else {
        for _ in registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            errors.push(Error::invalid(&at.child("registry"), registry, NOT_HOSTS_AND_PORTS));
        }
    }
    require(source.volume(), &at.child("volume"), errors);
}

/// Tells if Go's `net.SplitHostPort` takes the text: one colon, or a host in brackets before the last one.
fn is_host_and_port(text: &str) -> bool {
    let Some((before, port)) = text.rsplit_once(':') else { return false };
    let host = match before.strip_prefix('[') {
        // The bracket that closes first must be the one before the port.
        Some(rest) => match rest.split_once(']') {
            Some((host, "")) => host,
            _ => return false,
        },
        None if before.contains([':', ']']) => return false,
        None => before,
    };
    !host.contains('[') && !port.contains(['[', ']'])
}

/// As upstream's `validation.validateFlexVolumeSource`.
pub(crate) fn validate_flex(source: FlexVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.driver(), &at.child("driver"), errors);
    validate_flex_options(source.options(), &at.child("options"), errors);
}

/// Refuses options in domains that are Kubernetes' own.
pub(crate) fn validate_flex_options(options: Map<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    for key in options.keys() {
        let domain = lower_case(key.split_once('/').map_or(key, |(domain, _)| domain));
        let is_in =
            |parent: &str| domain.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        if is_in("kubernetes.io") || is_in("k8s.io") {
            let detail = "kubernetes.io and k8s.io namespaces are reserved";
            errors.push(Error::invalid(&at.key(key), key, detail));
        }
    }
}

/// As upstream's `validation.validateAzureFile`.
pub(crate) fn validate_azure_file(source: AzureFileVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.secret_name(), &at.child("secretName"), errors);
    require(source.share_name(), &at.child("shareName"), errors);
}

/// As upstream's `validation.validateAzureDisk`.
pub(crate) fn validate_azure_disk(source: AzureDiskVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    let (uri, at_uri) = (source.data_disk_uri(), at.child("diskURI"));
    require(source.disk_name(), &at.child("diskName"), errors);
    require(uri, &at_uri, errors);
    one_of(source.caching_mode(), CACHING_MODES, &at.child("cachingMode"), errors);
    one_of(source.kind(), DISK_KINDS, &at.child("kind"), errors);
    let (start, form) = match source.kind() {
        None => return,
        Some("Managed") => ("/subscriptions/", MANAGED_DISK),
        Some(_) => ("https://", BLOB_DISK),
    };
    if !uri.starts_with(start) {
        errors.push(Error::not_supported(&at_uri, uri, form));
    }
}

/// As upstream's `validation.validateVsphereVolumeSource`.
pub(crate) fn validate_vsphere(source: VsphereVirtualDiskVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.volume_path(), &at.child("volumePath"), errors);
}

/// As upstream's `validation.validatePhotonPersistentDiskVolumeSource`.
pub(crate) fn validate_photon(source: PhotonPersistentDiskVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.pd_id(), &at.child("pdID"), errors);
}

/// As upstream's `validation.validatePortworxVolumeSource`.
pub(crate) fn validate_portworx(source: PortworxVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.volume_id(), &at.child("volumeID"), errors);
}

/// As upstream's `validation.validateScaleIOVolumeSource`.
pub(crate) fn validate_scale_io(source: ScaleIOVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    require(source.gateway(), &at.child("gateway"), errors);
    require(source.system(), &at.child("system"), errors);
    require(source.volume_name(), &at.child("volumeName"), errors);
}

/// As upstream's `validation.validateStorageOSVolumeSource`.
pub(crate) fn validate_storage_os(source: StorageOSVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    if source.volume_name().is_empty() {
        errors.push(Error::required(&at.child("volumeName"), ""));
    } else {
        validate_label(source.volume_name(), &at.child("volumeName"), errors);
    }
    if !source.volume_namespace().is_empty() {
        validate_label(source.volume_namespace(), &at.child("volumeNamespace"), errors);
    }
    require_name(source.secret_ref(), &at.child("secretRef"), errors);
}

/// As upstream's `validation.validateCSIVolumeSource`.
pub(crate) fn validate_csi(source: CSIVolumeSource<'_>, at: &Path<'_>, errors: &mut Errors) {
    validate_csi_driver_name(source.driver(), &at.child("driver"), errors);
    let Some(secret) = source.node_publish_secret_ref() else { return };
    if secret.name().is_empty() {
        return errors.push(Error::required(&at.child("nodePublishSecretRef").child("name"), ""));
    }
    dns_subdomain(secret.name(), Usage::Name, &mut |detail| {
        // As upstream, which leaves the reference out of the path.
        errors.push(Error::invalid(&at.child("name"), secret.name(), detail));
    });
}

/// As upstream's `validation.ValidateCSIDriverName`.
pub(crate) fn validate_csi_driver_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if name.is_empty() {
        return errors.push(Error::required(at, ""));
    }
    if name.len() > MAX_DRIVER_NAME {
        errors.push(Error::too_long(at, 63));
    }
    let mut is_valid = true;
    dns_subdomain(name, Usage::Name, &mut |_| is_valid = false);
    // Case does not matter, and a name that is valid as it stands is so in lower case.
    if !is_valid {
        dns_subdomain(&lower_case(name), Usage::Name, &mut |detail| errors.push(Error::invalid(at, name, detail)));
    }
}

/// As upstream's `validation.validateImageVolumeSource`.
pub(crate) fn validate_image(source: ImageVolumeSource<'_>, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    if !options.allow_empty_image_volume_reference {
        require(source.reference(), &at.child("reference"), errors);
    }
    let (policy, at) = (source.pull_policy(), at.child("pullPolicy"));
    require(policy, &at, errors);
    one_of(Some(policy).filter(|policy| !policy.is_empty()), PULL_POLICIES, &at, errors);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_are_split_as_go_does() {
        for text in ["a:1", ":1", "a:", ":", "[::1]:80", "[]:1", "[a]:"] {
            assert!(is_host_and_port(text), "{text:?}");
        }
        for text in [
            "", "a", "a:b:1", "::1", "[::1]", "[::1]80", "[::1:80", "[a]b:1", "[[a]:1", "[a]]:1", "a]:1", "a[:1",
            "a:[", "[a]:]",
        ] {
            assert!(!is_host_and_port(text), "{text:?}");
        }
    }
}
