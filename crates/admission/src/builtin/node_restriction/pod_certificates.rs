//! Certificates that a kubelet asks for on behalf of a pod.

use sprag_field::quote;
use sprag_rest::{ApiError, Result, meta};
use sprag_value::Value;

use super::super::members::{annotation, spec};
use super::super::request::creates;
use super::Caller;
use super::pods::{MIRROR, PODS, projected};

impl Caller<'_> {
    // As upstream's Plugin.admitPodCertificateRequest. What a cache that lags behind could explain is not a refusal there.
    pub(super) async fn check_pod_certificate(self) -> Result<()> {
        let attributes = self.attributes;
        if !attributes.registry.gates().enabled("PodCertificateRequest") {
            return self.refuse("PodCertificateRequest feature gate is disabled");
        }
        if !creates(attributes) {
            return self.refuse(&format!("unexpected operation {}", attributes.operation.name()));
        }
        if !attributes.request.subresource.is_empty() {
            return self.refuse(&format!("unexpected subresource {}", attributes.request.subresource));
        }
        let request = spec(attributes.new_object());
        self.check_named_node(request).await?;
        let namespace = attributes.namespace();
        let pod_name = quote::go(&format!("{namespace}/{}", request.text("podName"))).to_string();
        let pod = self.named(PODS, namespace, request.text("podName"), "pod", &pod_name).await?;
        self.check_named_pod(request, &pod, &pod_name)?;
        let account_name = request.text("serviceAccountName");
        let account = quote::go(&format!("{namespace}/{account_name}")).to_string();
        let kind = ("", "v1", "serviceaccounts");
        let account = self.named(kind, namespace, account_name, "service account", &account).await?;
        let given = request.text("serviceAccountUID");
        let known = meta::text(&account, "uid");
        if given != known {
            return Err(ApiError::unknown(format!(
                "PodCertificateRequest for pod {pod_name} names service account UID {}, which differs from the running service \
                 account ({})",
                quote::go(given),
                quote::go(known)
            )));
        }
        self.check_signer(request, &pod, &pod_name)
    }

    async fn check_named_node(self, request: &Value) -> Result<()> {
        let name = quote::go(request.text("nodeName")).to_string();
        let own = quote::go(self.node);
        if request.text("nodeName") != self.node {
            let why = format!("PodCertificateRequest.Spec.NodeName={name}, which is not the requesting node {own}");
            return self.refuse(&why);
        }
        let node = self.named(("", "v1", "nodes"), "", self.node, "node", &name).await?;
        let given = request.text("nodeUID");
        let known = meta::text(&node, "uid");
        if given == known {
            return Ok(());
        }
        Err(ApiError::unknown(format!(
            "PodCertificateRequest for pod {} names node UID {}, inconsistent with the running node ({})",
            quote::go(&format!("{}/{}", self.attributes.namespace(), request.text("podName"))),
            quote::go(given),
            quote::go(known)
        )))
    }

    fn check_named_pod(self, request: &Value, pod: &Value, name: &str) -> Result<()> {
        let given = request.text("podUID");
        let known = meta::text(pod, "uid");
        if given != known {
            return Err(ApiError::unknown(format!(
                "PodCertificateRequest for pod {name} contains pod UID ({}) which differs from running pod {}",
                quote::go(given),
                quote::go(known)
            )));
        }
        if !self.runs(pod) {
            let node = quote::go(self.node);
            let why = format!("pod {name} is not running on node {node} named in the PodCertificateRequest");
            return self.refuse(&why);
        }
        if annotation(pod, MIRROR).is_some() {
            return self.refuse(&format!("pod {name} is a mirror pod"));
        }
        let given = request.text("serviceAccountName");
        let known = pod.text_at(&["spec", "serviceAccountName"]);
        if given == known {
            return Ok(());
        }
        self.refuse(&format!(
            "PodCertificateRequest for pod {name} contains serviceAccountName ({}) that differs from running pod ({})",
            quote::go(given),
            quote::go(known)
        ))
    }

    // As upstream's Plugin.validateNodePodCertificateSigner.
    fn check_signer(self, request: &Value, pod: &Value, name: &str) -> Result<()> {
        let signer = request.text("signerName");
        let mounts = |source: &Value| {
            source.get("podCertificate").is_some_and(|certificate| certificate.text("signerName") == signer)
        };
        let verb = "request-serviceaccounts-podcertificate-signer";
        let account = request.text("serviceAccountName");
        if projected(pod).any(mounts) || self.may(verb, &signer.replace('/', ":"), account) {
            return Ok(());
        }
        let signer = quote::go(signer);
        self.refuse(&format!("pod {name} does not mount a podCertificate projected volume for signer {signer}"))
    }

    /// An object that the request names.
    async fn named(
        self,
        kind: (&str, &str, &str),
        namespace: &str,
        name: &str,
        what: &str,
        quoted: &str,
    ) -> Result<Value> {
        self.get(kind, namespace, name).await.map_err(|error| {
            ApiError::unknown(format!("while retrieving {what} {quoted} named in the PodCertificateRequest: {error}"))
        })
    }
}
