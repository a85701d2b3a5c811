//! The plug-ins `CertificateApproval`, `CertificateSigning`, `CertificateSubjectRestriction` and `ClusterTrustBundleAttest`: who
//! may speak for a signer.

use std::sync::Arc;

use sprag_authorization::{Access, Attributes as Asked, Authorizer as _, ResourceTarget, Target};
use sprag_field::{Error as FieldError, Path, quote};
use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, Result, User};
use sprag_value::{Value, base64};
use sprag_x509::{CertificateRequest, blocks};

use super::members::spec;
use super::request::{creates, forbidden, is, is_below, judged, updates};

const GROUP: &str = "certificates.k8s.io";
const REQUESTS: &str = "certificatesigningrequests";
/// The signer of client certificates, and the group that it never signs for.
const CLIENT_SIGNER: &str = "kubernetes.io/kube-apiserver-client";
const MASTERS: &str = "system:masters";

/// Refuses approvals by those who may not `approve` for the signer.
// As upstream's plugin/pkg/admission/certificates/approval.
pub struct CertificateApproval(pub Arc<Access>);

impl AdmissionPlugin for CertificateApproval {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        updates(attributes) && attributes.request.subresource == "approval" && is_below(attributes, GROUP, REQUESTS)
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let signer = attributes.old.map_or("", signer);
        judged(check(&self.0, &attributes, "approve", signer, "approve requests with"))
    }
}

/// Refuses certificates of those who may not `sign` for the signer.
// As upstream's plugin/pkg/admission/certificates/signing.
pub struct CertificateSigning(pub Arc<Access>);

impl AdmissionPlugin for CertificateSigning {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        updates(attributes) && attributes.request.subresource == "status" && is_below(attributes, GROUP, REQUESTS)
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let (new, Some(old)) = (attributes.new_object(), attributes.old) else { return judged(Ok(())) };
        let status = |object: &Value, member: &str| object.lookup(&["status", member]).cloned().unwrap_or_default();
        let is_same = |member: &str| status(new, member).semantic_eq(&status(old, member));
        if is_same("certificate") && is_same("conditions") {
            return judged(Ok(()));
        }
        judged(check(&self.0, &attributes, "sign", signer(old), "sign requests with"))
    }
}

/// Refuses a status of a pod's request for a certificate by those who may not `sign` for the signer.
///
/// Upstream does so in the strategy, once the status is valid: as the first validating plug-in it runs at the same moment.
// As upstream's podcertificaterequest.StatusStrategy.ValidateUpdate.
pub struct PodCertificateSigning(pub Arc<Access>);

impl AdmissionPlugin for PodCertificateSigning {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        updates(attributes)
            && attributes.request.subresource == "status"
            && is_below(attributes, GROUP, "podcertificaterequests")
    }

    fn mutates(&self) -> bool {
        false
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let (new, Some(old)) = (attributes.new_object(), attributes.old) else { return judged(Ok(())) };
        let status = |object: &Value| object.get("status").cloned().unwrap_or_else(Value::object);
        let user = attributes.request.user;
        if status(new).semantic_eq(&status(old)) || may(&self.0, user, "sign", signer(old)) {
            return judged(Ok(()));
        }
        let spec = Path::new("spec");
        let name = quote::go(&user.name);
        let signer = quote::go(signer(old));
        let why = format!("User {name} is not permitted to \"sign\" for signer {signer}");
        let error = FieldError::forbidden(&spec.child("signerName"), why);
        judged(Err(ApiError::invalid(&attributes.definition.kind, GROUP, attributes.name(), &[error])))
    }
}

/// Refuses trust bundles of those who may not `attest` for the signer.
// As upstream's plugin/pkg/admission/certificates/ctbattest.
pub struct ClusterTrustBundleAttest(pub Arc<Access>);

impl AdmissionPlugin for ClusterTrustBundleAttest {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some()
            && is_below(attributes, GROUP, "clustertrustbundles")
            && attributes.registry.gates().enabled("ClusterTrustBundle")
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let new = attributes.new_object();
        let signer = signer(attributes.new_object());
        if signer.is_empty() || attributes.old.is_some_and(|old| sprag_authorization::changes_ownership_only(new, old))
        {
            return judged(Ok(()));
        }
        judged(check(&self.0, &attributes, "attest", signer, "attest for"))
    }
}

/// Rejects certificate requests for the group `system:masters`.
// As upstream's plugin/pkg/admission/certificates/subjectrestriction.
#[derive(Clone, Copy, Debug, Default)]
pub struct CertificateSubjectRestriction;

impl AdmissionPlugin for CertificateSubjectRestriction {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        creates(attributes) && is(attributes, GROUP, REQUESTS) && signer(attributes.new_object()) == CLIENT_SIGNER
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        judged(match subject(attributes.new_object()) {
            Err(why) => Err(forbidden(&attributes, &format!("failed to parse CSR: {why}"))),
            Ok(subject) if subject.organizations.iter().any(|group| group == MASTERS) => {
                let why = format!("use of {CLIENT_SIGNER} signer with {MASTERS} group is not allowed");
                Err(forbidden(&attributes, &why))
            }
            Ok(_) => Ok(()),
        })
    }
}

fn signer(object: &Value) -> &str {
    spec(object).text("signerName")
}

fn check(access: &Access, attributes: &Attributes<'_>, verb: &str, signer: &str, what: &str) -> Result<()> {
    if may(access, attributes.request.user, verb, signer) {
        return Ok(());
    }
    Err(forbidden(attributes, &format!("user not permitted to {what} signerName {}", quote::go(signer))))
}

/// As upstream's `certauthorization.IsAuthorizedForSignerName`.
fn may(access: &Access, user: &User, verb: &str, signer: &str) -> bool {
    let all = format!("{}/*", signer.split('/').next().unwrap_or_default());
    [signer, &all].into_iter().any(|name| {
        let target = ResourceTarget { group: GROUP, resource: "signers", name, ..ResourceTarget::default() };
        access.allows(&Asked { user, verb, target: Target::Resource(target) })
    })
}

/// The subject that a certificate is asked for.
pub(super) struct Subject {
    pub(super) common_name: String,
    pub(super) organizations: Vec<String>,
}

/// Reads the subject of a `CertificateSigningRequest`.
// As upstream's certificates.ParseCSR.
pub(super) fn subject(object: &Value) -> std::result::Result<Subject, String> {
    let bytes = base64::decode(object.text_at(&["spec", "request"])).unwrap_or_default();
    let block = blocks(&bytes).next().filter(|block| block.label == "CERTIFICATE REQUEST");
    let block = block.ok_or("PEM block type must be CERTIFICATE REQUEST")?;
    let request = CertificateRequest::parse(&block.bytes).map_err(|error| error.to_string())?;
    Ok(Subject { common_name: request.common_name, organizations: request.organizations })
}
