//! Mounts of volumes and block devices in containers.

use std::collections::{HashMap, HashSet};

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::view::List;
use sprag_value::{Value, json};

use super::VolumeNames;
use super::files::has_backsteps;
use crate::core::pod::seen::Seen;
use crate::views::core_v1::{Container, VolumeMount};

/// Supported values, sorted as upstream lists them.
const BIND_MOUNT_OPTIONS: &[&str] = &["nodev", "noexec", "nosuid"];

/// Names and paths that the other list has: mounts and devices of a container must not meet. Few containers have both.
#[derive(Default)]
struct Taken<'v> {
    names: HashMap<&'v str, &'v str>,
    paths: HashSet<&'v str>,
}

impl<'v> Taken<'v> {
    /// As upstream's `validation.GetVolumeMountMap`: of two with the same name the path of the second counts.
    fn new(places: impl Iterator<Item = (&'v str, &'v str)>) -> Taken<'v> {
        let names: HashMap<&str, &str> = places.collect();
        Taken { paths: names.values().copied().collect(), names }
    }
}

/// As upstream's `validation.ValidateVolumeMounts`; `at` is the path of the mounts of the container.
pub(crate) fn validate_volume_mounts(
    container: Container<'_>,
    volumes: &VolumeNames<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let mounts = container.volume_mounts();
    let devices = container.volume_devices();
    let taken = if mounts.is_empty() {
        Taken::default()
    } else {
        Taken::new(devices.iter().map(|device| (device.name(), device.device_path())))
    };
    let privileged = container.security_context().and_then(|context| context.privileged()) == Some(true);
    let mut paths = Seen::new();
    for (index, mount) in mounts.iter().enumerate() {
        let item = at.index(index);
        validate_place(mount, volumes, &mut paths, &taken, &item, errors);
        validate_sub_path(mount, at, &item, errors);
        validate_propagation(mount, privileged, at, errors);
        validate_recursive_read_only(mount, at, errors);
        let at_options = item.child("bindMountOptions");
        validate_bind_mount_options(mount.bind_mount_options(), &at_options, errors);
        if !mount.bind_mount_options().is_empty() && volumes.is_image(mount.name()) {
            let list: Value = mount.bind_mount_options().values().iter().cloned().collect();
            let detail = "bindMountOptions may not be used with image volumes";
            errors.push(Error::invalid(&at_options, BadValue::Json(json::to_string(&list)), detail));
        }
    }
}

fn validate_place<'v>(
    mount: VolumeMount<'v>,
    volumes: &VolumeNames<'_>,
    paths: &mut Seen<&'v str>,
    taken: &Taken<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let name = mount.name();
    let path = mount.mount_path();
    let at_name = at.child("name");
    let at_path = at.child("mountPath");
    mount.check_name(at, errors);
    if !volumes.contains(name) {
        errors.push(Error::not_found(&at_name, name));
    }
    mount.check_mount_path(at, errors);
    if !paths.insert(path) {
        errors.push(Error::invalid(&at_path, path, "must be unique"));
    }
    if taken.names.contains_key(name) {
        errors.push(Error::invalid(&at_name, name, "must not already exist in volumeDevices"));
    }
    if taken.paths.contains(path) {
        errors.push(Error::invalid(&at_path, path, "must not already exist as a path in volumeDevices"));
    }
}

/// Part of upstream's `validation.ValidateVolumeMounts`, which for most blames the list, not its element.
fn validate_sub_path(mount: VolumeMount<'_>, list: &At<'_>, at: &At<'_>, errors: &mut Errors) {
    let path = mount.sub_path();
    let expression = mount.sub_path_expr();
    mount.check_sub_path(list, errors);
    if !expression.is_empty() && !path.is_empty() {
        let detail = "subPathExpr and subPath are mutually exclusive";
        errors.push(Error::invalid(&at.child("subPathExpr"), expression, detail));
    }
    mount.check_sub_path_expr(list, errors);
}

/// As upstream's `validation.validateMountPropagation`.
fn validate_propagation(mount: VolumeMount<'_>, privileged: bool, list: &At<'_>, errors: &mut Errors) {
    mount.check_mount_propagation(list, errors);
    if mount.mount_propagation() == Some("Bidirectional") && !privileged {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        errors.push(Error::forbidden(&list.child("mountPropagation"), detail));
    }
}

/// As upstream's `validation.validateMountRecursiveReadOnly`.
fn validate_recursive_read_only(mount: VolumeMount<'_>, list: &At<'_>, errors: &mut Errors) {
    mount.check_recursive_read_only(list, errors);
    if !matches!(mount.recursive_read_only(), Some("Enabled" | "IfPossible")) {
        return;
    }
    let at = list.child("recursiveReadOnly");
    if !mount.read_only() {
        errors.push(Error::forbidden(&at, "may only be specified when readOnly is true"));
    }
    if mount.mount_propagation().is_some_and(|mode| mode != "None") {
        let detail = "may only be specified when mountPropagation is None or not specified";
        errors.push(Error::forbidden(&at, detail));
    }
}

/// As upstream's `validation.validateBindMountOptions`.
fn validate_bind_mount_options(options: List<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    let mut seen = Seen::new();
    for (index, option) in options.iter().enumerate() {
        if !BIND_MOUNT_OPTIONS.contains(&option) {
            errors.push(Error::not_supported(&at.index(index), option, BIND_MOUNT_OPTIONS));
        }
        if !seen.insert(option) {
            errors.push(Error::duplicate(&at.index(index), option));
        }
    }
}

/// As upstream's `validation.ValidateVolumeDevices`; `at` is the path of the devices of the container.
pub(crate) fn validate_volume_devices(
    container: Container<'_>,
    volumes: &VolumeNames<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let mounts = container.volume_mounts();
    let devices = container.volume_devices();
    if devices.is_empty() {
        return;
    }
    let taken = Taken::new(mounts.iter().map(|mount| (mount.name(), mount.mount_path())));
    let mut names = Seen::new();
    let mut paths = Seen::new();
    for (index, device) in devices.iter().enumerate() {
        let at = at.index(index);
        let at_path = at.child("devicePath");
        let name = device.name();
        let path = device.device_path();
        device.check_name(&at, errors);
        validate_device_name(name, names.contains(name), volumes, &at.child("name"), errors);
        device.check_device_path(&at, errors);
        if paths.contains(path) {
            errors.push(Error::invalid(&at_path, path, "must be unique"));
        }
        if has_backsteps(path) {
            errors.push(Error::invalid(&at_path, path, "can not contain backsteps ('..')"));
        } else {
            paths.insert(path);
        }
        if taken.names.contains_key(name) {
            errors.push(Error::invalid(&at.child("name"), name, "must not already exist in volumeMounts"));
        }
        if taken.paths.contains(path) {
            errors.push(Error::invalid(&at_path, path, "must not already exist as a path in volumeMounts"));
        }
        if !name.is_empty() {
            names.insert(name);
        }
    }
}

fn validate_device_name(name: &str, is_repeated: bool, volumes: &VolumeNames<'_>, at: &Path<'_>, errors: &mut Errors) {
    if is_repeated {
        errors.push(Error::invalid(at, name, "must be unique"));
    }
    if !volumes.contains(name) {
        errors.push(Error::not_found(at, name));
    } else if !volumes.is_claim(name) {
        let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
        errors.push(Error::invalid(at, name, detail));
    }
}
