//! The plug-in `DenyServiceExternalIPs`: services get no external addresses.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_value::Value;

use super::members::spec;
use super::request::{forbidden, is, judged};

/// Refuses new external addresses of services.
// As upstream's plugin/pkg/admission/network/denyserviceexternalips.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyServiceExternalIps;

impl AdmissionPlugin for DenyServiceExternalIps {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some() && is(attributes, "", "services")
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let addresses = |service: &'a Value| spec(service).list("externalIPs");
        let known = attributes.old.map_or(&[][..], addresses);
        if addresses(attributes.new_object()).iter().all(|address| known.contains(address)) {
            return judged(Ok(()));
        }
        judged(Err(forbidden(&attributes, "Use of external IPs is denied by admission control")))
    }
}
