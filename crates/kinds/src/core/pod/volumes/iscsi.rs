//! Volumes of storage networks: iSCSI and Fibre Channel.

use std::sync::LazyLock;

use sprag_checks::At;
use sprag_checks::Regexp;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::{Value, json};

use crate::views::core_v1::{FCVolumeSource, ISCSIVolumeSource};

/// The bytes that the name of a volume, a colon and the target portal may have together if the initiator has a name.
pub(crate) const MAX_TARGET: usize = 64;

pub(crate) const TARGET_TOO_LONG: &str = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 \
    characters if iscsi.initiatorName is specified.";

const UNKNOWN_AUTHORITY: &str = "must be valid format starting with iqn, eui, or naa";

/// The naming authorities and what names of each look like. As upstream's expressions, one of which has no start.
static NAMES: LazyLock<[(&str, Regexp); 3]> = LazyLock::new(|| {
    let compile = |pattern| Regexp::new(pattern).expect("the pattern is valid");
    [
        ("iqn", compile(r"iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$")),
        ("eui", compile(r"^eui.[[:alnum:]]{16}$")),
        ("naa", compile(r"^naa.[[:alnum:]]{32}$")),
    ]
});

/// As upstream's `validation.validateISCSIVolumeSource`.
pub(super) fn validate_iscsi(source: ISCSIVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    source.check_target_portal(at, errors);
    if !source.check_iqn(at, errors) {
        validate_node_name(source.iqn(), UNKNOWN_AUTHORITY, &at.child("iqn"), errors);
    }
    source.check_lun(at, errors);
    if source.discovery_chap_auth() || source.session_chap_auth() {
        source.check_secret_ref(at, errors);
    }
    if let Some(initiator) = source.initiator_name() {
        // As upstream, which writes the field in lower case.
        validate_node_name(initiator, UNKNOWN_AUTHORITY, &at.child("initiatorname"), errors);
    }
}

/// Refuses what cannot be the name of an iSCSI node. The text about an unknown naming authority differs from kind to kind.
pub(crate) fn validate_node_name(name: &str, unknown_authority: &'static str, at: &Path<'_>, errors: &mut Errors) {
    match NAMES.iter().find(|(authority, _)| name.starts_with(authority)) {
        None => errors.push(Error::invalid(at, name, unknown_authority)),
        Some((_, pattern)) if !pattern.is_match(name) => {
            errors.push(Error::invalid(at, name, "must be valid format"));
        }
        Some(_) => {}
    }
}

/// As upstream's `validation.validateFCVolumeSource`.
pub(crate) fn validate_fibre_channel(source: FCVolumeSource<'_>, at: &At<'_>, errors: &mut Errors) {
    let names = source.target_wwns();
    let ids = source.wwids();
    let at_names = at.child("targetWWNs");
    if names.is_empty() && ids.is_empty() {
        errors.push(Error::required(&at_names, "must specify either targetWWNs or wwids, but not both"));
    }
    if !names.is_empty() && !ids.is_empty() {
        let list: Value = names.values().iter().cloned().collect();
        let detail = "targetWWNs and wwids can not be specified simultaneously";
        errors.push(Error::invalid(&at_names, BadValue::Json(json::to_string(&list)), detail));
    }
    if names.is_empty() {
        return;
    }
    if source.lun().is_none() {
        errors.push(Error::required(&at.child("lun"), "lun is required if targetWWNs is specified"));
    }
    source.check_lun(at, errors);
}
