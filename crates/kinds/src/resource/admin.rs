//! Access to devices that others use: only in namespaces that are labelled for it.

use sprag_field::{Error, Errors, Path};
use sprag_rest::Cx;
use sprag_value::Value;
use sprag_value::view::List;

use crate::views::resource_v1::{DeviceRequest, ResourceClaimStatus};

const LABEL: &str = "resource.kubernetes.io/admin-access";
const DETAIL: &str = "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the \
    containing namespace";

/// As upstream's `resource.AuthorizedForAdmin`, whose errors come first. Where labels are not known, nothing is refused.
pub(super) fn validate_requests(cx: &Cx<'_>, requests: List<'_, DeviceRequest<'_>>, errors: &mut Errors) {
    let is_admin =
        |request: DeviceRequest<'_>| request.exactly().and_then(|exactly| exactly.admin_access()) == Some(true);
    let Some(index) = requests.iter().position(is_admin).filter(|_| is_refused(cx)) else { return };
    let spec = Path::new("spec");
    let devices = spec.child("devices");
    // As upstream, which leaves `exactly` out of the path.
    let at = devices.child("requests");
    push_first(Error::forbidden(&at.index(index).child("adminAccess"), DETAIL), errors);
}

/// As upstream's `resource.AuthorizedForAdminStatus`.
pub(super) fn validate_results(
    cx: &Cx<'_>,
    new: ResourceClaimStatus<'_>,
    old: ResourceClaimStatus<'_>,
    errors: &mut Errors,
) {
    let admin = |status: ResourceClaimStatus<'_>| {
        let results = status.allocation()?.devices().results();
        results.iter().position(|result| result.admin_access() == Some(true))
    };
    let Some(index) = admin(new).filter(|_| admin(old).is_none() && is_refused(cx)) else { return };
    let status = Path::new("status");
    let allocation = status.child("allocation");
    let devices = allocation.child("devices");
    let at = devices.child("results");
    push_first(Error::forbidden(&at.index(index).child("adminAccess"), DETAIL), errors);
}

fn is_refused(cx: &Cx<'_>) -> bool {
    cx.namespace_labels.is_some_and(|labels| labels.get(LABEL).and_then(Value::as_str) != Some("true"))
}

fn push_first(error: Error, errors: &mut Errors) {
    errors.push(error);
    errors.since_mut(0).rotate_right(1);
}
