//! The plug-in `NodeRestriction`: kubelets write their own node, and what belongs to the pods that run there.

mod labels;
mod nodes;
mod pod_certificates;
mod pods;
mod references;
mod tokens;

use std::sync::Arc;

use sprag_authorization::{Access, Attributes as Asked, Authorizer as _, Decision, ResourceTarget, Target};
use sprag_field::quote;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation, Operation};
use sprag_rest::{ApiError, GroupResource, Result, User, meta};
use sprag_value::Value;

use super::certificates;
use super::members::spec;
use super::request::{creates, find, forbidden};

/// The namespace of the leases of nodes.
const LEASES: &str = "kube-node-lease";

/// Refuses what a kubelet has no business with: other nodes, pods of other nodes, labels that steer workloads.
// As upstream's plugin/pkg/admission/noderestriction.
pub struct NodeRestriction(pub Arc<Access>);

impl AdmissionPlugin for NodeRestriction {
    fn validates(&self) -> bool {
        false
    }

    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        !matches!(attributes.operation, Operation::Connect) && node_of(attributes.request.user).is_some()
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(async move {
            let node = node_of(attributes.request.user).unwrap_or_default();
            if node.is_empty() {
                let user = quote::go(&attributes.request.user.name);
                return Err(forbidden(&attributes, &format!("could not determine node from user {user}")));
            }
            Caller { node, access: &self.0, attributes: &attributes }.check().await?;
            Ok(Mutation::default())
        })
    }
}

/// The name of the node whose kubelet a user is.
// As upstream's nodeidentifier.defaultNodeIdentifier.
fn node_of(user: &User) -> Option<&str> {
    let node = user.name.strip_prefix("system:node:")?;
    user.groups.iter().any(|group| group == "system:nodes").then_some(node)
}

/// A kubelet with its request.
#[derive(Clone, Copy)]
struct Caller<'a> {
    node: &'a str,
    access: &'a Access,
    attributes: &'a Attributes<'a>,
}

impl<'a> Caller<'a> {
    // As upstream's Plugin.Admit.
    async fn check(self) -> Result<()> {
        let resource = &self.attributes.definition.resource;
        let subresource = self.attributes.request.subresource;
        match (resource.group.as_str(), resource.resource.as_str(), subresource) {
            ("", "pods", "") => self.check_pod().await,
            ("", "pods", "status") => self.check_pod_status(),
            ("", "pods", "eviction") => self.check_eviction().await,
            ("", "pods", other) => {
                let other = quote::go(other);
                self.refuse(&format!("unexpected pod subresource {other}, only 'status' and 'eviction' are allowed"))
            }
            ("", "nodes", _) => self.check_node(),
            ("", "persistentvolumeclaims", "status") => self.check_claim_status(),
            ("", "persistentvolumeclaims", _) => self.refuse("may only update PVC status"),
            ("", "serviceaccounts", "token") if creates(self.attributes) => self.check_token().await,
            ("certificates.k8s.io", "podcertificaterequests", _) => self.check_pod_certificate().await,
            ("coordination.k8s.io", "leases", _) => self.check_lease(),
            ("storage.k8s.io", "csinodes", _) => self.check_csi_node(),
            ("resource.k8s.io", "resourceslices", _) => self.check_slice(),
            ("certificates.k8s.io", "certificatesigningrequests", _) => self.check_signing_request(),
            _ => Ok(()),
        }
    }

    // As upstream's Plugin.admitLease.
    fn check_lease(self) -> Result<()> {
        if self.attributes.namespace() != LEASES {
            return self.refuse(&format!("can only access leases in the {} system namespace", quote::go(LEASES)));
        }
        if self.written_name() != self.node {
            return self.refuse("can only access node lease with the same name as the requesting node");
        }
        Ok(())
    }

    // As upstream's Plugin.admitCSINode.
    fn check_csi_node(self) -> Result<()> {
        if self.written_name() != self.node {
            return self.refuse("can only access CSINode with the same name as the requesting node");
        }
        if self.attributes.request.subresource != "status" {
            return Ok(());
        }
        if !self.attributes.registry.gates().enabled("CSIVolumeHealth") {
            return self.refuse("CSIVolumeHealth feature gate is disabled");
        }
        match (self.attributes.operation, self.attributes.old) {
            (Operation::Update(_), Some(old)) if !spec(old).semantic_eq(spec(self.attributes.new_object())) => {
                let node = quote::go(self.node);
                self.refuse(&format!("node {node} is not allowed to modify CSINode spec via status"))
            }
            (Operation::Update(_), _) => Ok(()),
            _ => self.refuse_operation(),
        }
    }

    // As upstream's Plugin.admitResourceSlice.
    fn check_slice(self) -> Result<()> {
        let (slice, verb) = match self.attributes.operation {
            Operation::Create(_) => (self.attributes.object, "create"),
            Operation::Delete(_) => (self.attributes.old, "delete"),
            Operation::Update(_) | Operation::Connect => return Ok(()),
        };
        if slice.is_some_and(|slice| spec(slice).text("nodeName") == self.node) {
            return Ok(());
        }
        self.refuse(&format!("can only {verb} ResourceSlice with the same NodeName as the requesting node"))
    }

    // As upstream's Plugin.admitCSR.
    fn check_signing_request(self) -> Result<()> {
        let request = self.attributes.new_object();
        let signers = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"];
        if self.attributes.registry.gates().enabled("AllowInsecureKubeletCertificateSigningRequests")
            || !creates(self.attributes)
            || !signers.contains(&spec(request).text("signerName"))
        {
            return Ok(());
        }
        let wanted = format!("system:node:{}", self.node);
        match certificates::subject(request) {
            Err(why) => self.refuse(&format!("unable to parse csr: {why}")),
            Ok(subject) if subject.common_name == wanted => Ok(()),
            Ok(_) => self.refuse(&format!("can only create a node CSR with CN={wanted}")),
        }
    }

    /// The name of the object, also of one that is created.
    fn written_name(self) -> &'a str {
        if creates(self.attributes) { meta::name(self.attributes.new_object()) } else { self.attributes.name() }
    }

    /// A stored object, or the error of upstream's lister, which names a resource in the singular.
    async fn get(self, kind: (&str, &str, &str), namespace: &str, name: &str) -> Result<Value> {
        let found = if name.is_empty() { Ok(None) } else { find(self.attributes, kind, namespace, name).await };
        let found = found.map_err(|error| forbidden(self.attributes, &error.to_string()))?;
        let (group, _, resource) = kind;
        let singular = resource.strip_suffix('s').unwrap_or(resource);
        found.ok_or_else(|| ApiError::not_found(&GroupResource::new(group, singular), name))
    }

    /// True if the kubelet has a permission that no resource stands for.
    // As upstream's buildAuthorizerAttributes.
    fn may(self, verb: &str, resource: &str, name: &str) -> bool {
        let request = self.attributes.request;
        let namespace = self.attributes.namespace();
        let target = ResourceTarget { group: request.group, resource, subresource: "", namespace, name };
        let asked = Asked { user: request.user, verb, target: Target::Resource(target) };
        matches!(self.access.authorize(&asked), Decision::Allow(_))
    }

    fn refuse<T>(self, why: &str) -> Result<T> {
        Err(forbidden(self.attributes, why))
    }

    fn refuse_operation<T>(self) -> Result<T> {
        self.refuse(&format!("unexpected operation {}", quote::go(self.attributes.operation.name())))
    }
}
