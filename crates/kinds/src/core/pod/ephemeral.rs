//! `/ephemeralcontainers`: containers are added to a running pod, and neither changed nor taken away.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path, quote};

use super::PodOptions;
use super::annotations::validate_annotation_update;
use super::containers::as_container;
use super::create::{annotations, validate_metadata_and_spec};
use super::metadata::MIRROR_POD;
use crate::changes::changes;
use crate::core::internal::same_struct;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::views::core_v1::Pod;

/// As upstream's `validation.ValidatePodEphemeralContainersUpdate`.
pub(super) fn validate_ephemeral_update(
    new: Pod<'_>,
    old: Pod<'_>,
    options: &PodOptions,
    root: &At<'_>,
    errors: &mut Errors,
) {
    if annotations(old).contains_key(MIRROR_POD) {
        // As upstream, which forgets all other errors.
        return errors.push(Error::forbidden(&Path::new(""), "static pods do not support ephemeral containers"));
    }
    validate_finalizers(new.as_value(), errors);
    validate_generate_name(new.as_value(), &dns_subdomain, errors);
    validate_metadata_and_spec(new, options, root, errors);
    validate_annotation_update(new, old, options, root, errors);
    let spec = Path::new("spec");
    let at = spec.child("ephemeralContainers");
    let containers = new.spec().ephemeral_containers();
    for old in old.spec().ephemeral_containers().iter() {
        let own = as_container(old).name();
        let name = quote::go(own);
        // As upstream: of a name that occurs twice the last one counts.
        match containers.iter().rev().find(|new| as_container(*new).name() == own) {
            None => {
                let detail = format!("existing ephemeral containers {name} may not be removed\n");
                errors.push(Error::forbidden(&at, detail));
            }
            Some(new) if !same_struct("v1.EphemeralContainer", new.as_value(), old.as_value()) => {
                let diff = changes(old.as_value(), new.as_value());
                let detail = format!("existing ephemeral containers {name} may not be changed\n{diff}");
                errors.push(Error::forbidden(&at, detail));
            }
            Some(_) => {}
        }
    }
}
