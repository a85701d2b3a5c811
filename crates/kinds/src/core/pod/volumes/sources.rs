//! Sources of volumes that are judged by a few fields each.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain, lower_case};
use sprag_field::{Error, Errors, Path};
use sprag_value::view::Map;

use crate::core::pod::PodOptions;
use crate::views::core_v1::{
    AzureDiskVolumeSource, CSIVolumeSource, FlexVolumeSource, FlockerVolumeSource, HostPathVolumeSource,
    ImageVolumeSource, NFSVolumeSource, QuobyteVolumeSource,
};

/// The bytes of the longest name of a CSI driver.
const MAX_DRIVER_NAME: usize = 63;

/// The bytes of the longest tenant of Quobyte.
const MAX_TENANT: usize = 64;

const NOT_HOSTS_AND_PORTS: &str = "must be a host:port pair or multiple pairs separated by commas";

/// Forms of the URI of an Azure disk.
const MANAGED_DISK: &[&str] =
    &["/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"];
const BLOB_DISK: &[&str] = &["https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"];

/// As upstream's `validation.validateHostPathVolumeSource`.
pub(crate) fn validate_host_path(source: HostPathVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_path(at, errors);
    if !source.path().is_empty() {
        source.check_kind(at, errors);
    }
}

/// As upstream's `validation.validateNFSVolumeSource`.
pub(crate) fn validate_nfs(source: NFSVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check(at, errors);
    if !source.path().starts_with('/') {
        errors.push(Error::invalid(&at.child("path"), source.path(), "must be an absolute path"));
    }
}

/// As upstream's `validation.validateFlockerVolumeSource`.
pub(crate) fn validate_flocker(source: FlockerVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    let name = source.dataset_name();
    let uuid = source.dataset_uuid();
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

/// As upstream's `validation.validateQuobyteVolumeSource`.
pub(crate) fn validate_quobyte(source: QuobyteVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
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
    source.check_volume(at, errors);
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
pub(crate) fn validate_flex(source: FlexVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check(at, errors);
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

/// As upstream's `validation.validateAzureDisk`.
pub(crate) fn validate_azure_disk(source: AzureDiskVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check(at, errors);
    let (start, form) = match source.kind() {
        None => return,
        Some("Managed") => ("/subscriptions/", MANAGED_DISK),
        Some(_) => ("https://", BLOB_DISK),
    };
    let uri = source.data_disk_uri();
    if !uri.starts_with(start) {
        errors.push(Error::not_supported(&at.child("diskURI"), uri, form));
    }
}

/// As upstream's `validation.validateCSIVolumeSource`.
pub(crate) fn validate_csi(source: CSIVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_driver(at, errors);
    let Some(secret) = source.node_publish_secret_ref() else { return };
    if source.check_node_publish_secret_ref(at, errors) {
        return;
    }
    dns_subdomain(secret.name(), Usage::Name, &mut |detail| {
        // As upstream, which leaves the reference out of the path.
        errors.push(Error::invalid(&at.child("name"), secret.name(), detail));
    });
}

/// As upstream's `validation.ValidateCSIDriverName`, of a name that is set.
pub(crate) fn validate_csi_driver_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
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
pub(crate) fn validate_image(source: ImageVolumeSource<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    if !options.allow_empty_image_volume_reference {
        source.check_reference(at, errors);
    }
    source.check_pull_policy(at, errors);
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
