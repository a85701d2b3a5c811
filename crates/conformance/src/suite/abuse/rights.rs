//! Authorization inside of requests: who has every right that a request needs but one is refused, and with that one served.
//!
//! The role of `eve` has the rules of a case; her requests are those of a service account.

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http_body_util::Full;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair};
use serde_json::{Value, json};
use sprag_value::base64;

use super::arena::{Answer, Arena, Client};
use super::{Case, Outcome};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "all_but_one",
        arguments: &["--enable-admission-plugins=OwnerReferencesPermissionEnforcement,NodeRestriction"],
        files: None,
        attack: |arena| Box::pin(async move { all_but_one(&arena).await }),
    },
    Case {
        name: "what_kubelets_ask_for",
        arguments: &["--enable-admission-plugins=NodeRestriction"],
        files: None,
        attack: |arena| Box::pin(async move { what_kubelets_ask_for(&arena).await }),
    },
    super::case!(who_acts_for_others),
    super::case!(roles_of_many_permissions),
    super::case!(a_role_bound_a_thousand_times),
];

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const DEFAULT: &str = "/api/v1/namespaces/default";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";
const CERTIFICATES: &str = "/apis/certificates.k8s.io/v1";
const POD_CERTIFICATES: &str = "/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests";
const CLAIMS: &str = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const SIGNER: &str = "example.com/x";
const JSON: &str = "application/json";
const APPLY: &str = "application/apply-patch+yaml";

/// A request that needs two rights.
struct Right {
    name: &'static str,
    /// The rules that eve has.
    has: Vec<Value>,
    /// The rule that she also needs.
    needs: Value,
    request: (&'static str, String, &'static str, Value),
    /// The code and a part of the message without the right.
    refused: (u16, &'static str),
    /// The code with it; 0 for any but 403.
    served: u16,
}

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": resources, "verbs": verbs})
}

fn named(group: &str, resource: &str, verb: &str, name: &str) -> Value {
    json!({"apiGroups": [group], "resources": [resource], "verbs": [verb], "resourceNames": [name]})
}

/// A user with a role that is set for each request.
struct Eve {
    token: String,
    client: Client,
}

impl Eve {
    async fn new(arena: &Arena) -> Result<Eve, String> {
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "eve"}});
        arena.post(&format!("{DEFAULT}/serviceaccounts"), &account).await?.expect(201)?;
        let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        let path = format!("{DEFAULT}/serviceaccounts/eve/token");
        let answer = arena.post(&path, &request).await?.expect(201)?.json();
        let token = answer["status"]["token"].as_str().unwrap_or_default().to_owned();
        arena.post(ROLES, &role(&[])).await?.expect(201)?;
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "eve"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "eve"},
            "subjects": [
                {"kind": "ServiceAccount", "name": "eve", "namespace": "default"},
                {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "system:node:n"},
            ],
        });
        let bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
        arena.post(bindings, &binding).await?.expect(201)?;
        Ok(Eve { token, client: arena.client().await? })
    }

    /// Her answer when she may do what the rules say.
    async fn ask(
        &mut self,
        arena: &Arena,
        rules: &[Value],
        (method, path, content_type, body): &(&'static str, String, &'static str, Value),
        headers: &[(&str, &str)],
    ) -> Result<Answer, String> {
        arena.ask("PUT", &format!("{ROLES}/eve"), JSON, role(rules).to_string()).await?.expect(200)?;
        let mut request = Request::builder().method(*method).uri(path).header(HOST, "localhost");
        request = request.header(AUTHORIZATION, format!("Bearer {}", self.token));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, *content_type);
        }
        self.client.send(request.body(Full::new(body)).map_err(|error| error.to_string())?).await
    }

    /// Makes a request without a right, then with it.
    async fn check(&mut self, arena: &Arena, right: &Right, headers: &[(&str, &str)]) -> Result<(), String> {
        let Right { name, has, needs, request, refused: (code, says), served } = right;
        let answer = self.ask(arena, has, request, headers).await?;
        let answer = answer.expect(*code).map_err(|error| format!("{name}: {error}"))?;
        let message = answer.json()["message"].as_str().unwrap_or_default().to_owned();
        if !message.contains(says) {
            return Err(format!("{name}: {message:?} does not say {says:?}"));
        }
        let rules = [has.as_slice(), std::slice::from_ref(needs)].concat();
        let answer = self.ask(arena, &rules, request, headers).await?;
        match *served {
            0 if answer.code == 403 => Err(format!("{name}: refused with the right: {}", answer.text())),
            0 => Ok(()),
            served => answer.expect(served).map(drop).map_err(|error| format!("{name}, with the right: {error}")),
        }
    }
}

fn role(rules: &[Value]) -> Value {
    json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "eve"}, "rules": rules})
}

async fn all_but_one(arena: &Arena) -> Outcome {
    set_up(arena).await?;
    let mut eve = Eve::new(arena).await?;
    let signing_request = signing_request(arena).await?;
    let claim = arena.get(&format!("{CLAIMS}/c")).await?.expect(200)?.json();
    let of_pod = pod_certificate("nobody", "1", "1", "1")?;
    let of_pod = arena.post(POD_CERTIFICATES, &of_pod).await?.expect(201)?.json();
    let rights = [writes(), roles(), certificates(&signing_request, &of_pod)?, policies(), below(), claims(&claim)];
    let rights: Vec<Right> = rights.into_iter().flatten().collect();
    for right in &rights {
        eve.check(arena, right, &[]).await?;
    }
    Ok(format!("{} refused without the right and served with it", rights.len()))
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

/// The objects that requests are about.
async fn set_up(arena: &Arena) -> Result<(), String> {
    for name in ["owned", "deleted", "param"] {
        arena.post(MAPS, &map(name)).await?.expect(201)?;
    }
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    arena.post(&format!("{DEFAULT}/pods"), &pod).await?.expect(201)?;
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec});
    arena.post("/apis/apps/v1/namespaces/default/deployments", &deployment).await?.expect(201)?;
    let requests = json!([{"name": "a", "exactly": {"deviceClassName": "c"}}]);
    let claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"}, "spec": {"devices": {"requests": requests}}});
    arena.post(CLAIMS, &claim).await?.expect(201)?;
    let policy = policy("ValidatingAdmissionPolicy", "bound");
    arena.post(&format!("{ADMISSION}/validatingadmissionpolicies"), &policy).await?.expect(201)?;
    Ok(())
}

/// Writes that are more than they say.
fn writes() -> Vec<Right> {
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "x"}, "spec": {}});
    let owner = |blocks: bool| {
        let owner = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "1", "blockOwnerDeletion": blocks});
        let mut map = map("owned");
        map["metadata"]["ownerReferences"] = json!([owner]);
        map
    };
    vec![
        Right {
            name: "a PUT that creates",
            has: vec![rule("coordination.k8s.io", &["leases"], &["get", "update"])],
            needs: rule("coordination.k8s.io", &["leases"], &["create"]),
            request: ("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/x".into(), JSON, lease),
            refused: (403, "cannot create resource \"leases\""),
            served: 201,
        },
        Right {
            name: "an apply that creates",
            has: vec![rule("", &["configmaps"], &["get", "patch"])],
            needs: rule("", &["configmaps"], &["create"]),
            request: ("PATCH", format!("{MAPS}/applied?fieldManager=m"), APPLY, map("applied")),
            refused: (403, "cannot create resource \"configmaps\""),
            served: 201,
        },
        Right {
            name: "an apply that creates a namespace",
            has: vec![rule("", &["namespaces"], &["get", "patch"])],
            needs: rule("", &["namespaces"], &["create"]),
            request: (
                "PATCH",
                "/api/v1/namespaces/applied?fieldManager=m".into(),
                APPLY,
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "applied"}}),
            ),
            refused: (403, "cannot create resource \"namespaces\""),
            served: 201,
        },
        Right {
            name: "a deletion of many",
            has: vec![rule("", &["configmaps"], &["get", "list", "delete"])],
            needs: rule("", &["configmaps"], &["deletecollection"]),
            request: ("DELETE", format!("{MAPS}?labelSelector=nobody"), JSON, Value::Null),
            refused: (403, "cannot deletecollection resource \"configmaps\""),
            served: 200,
        },
        Right {
            name: "a deletion of what cannot be read",
            has: vec![rule("", &["configmaps"], &["delete"])],
            needs: rule("", &["configmaps"], &["unsafe-delete-ignore-read-errors"]),
            request: (
                "DELETE",
                format!("{MAPS}/deleted?ignoreStoreReadErrorWithClusterBreakingPotential=true"),
                JSON,
                Value::Null,
            ),
            refused: (403, "not permitted to do \"unsafe-delete-ignore-read-errors\", reason: "),
            // It can be read.
            served: 409,
        },
        Right {
            name: "the same with options in the body",
            has: vec![rule("", &["configmaps"], &["delete"])],
            needs: rule("", &["configmaps"], &["unsafe-delete-ignore-read-errors"]),
            request: (
                "DELETE",
                format!("{MAPS}/nobody"),
                JSON,
                json!({"apiVersion": "v1", "kind": "DeleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential": true}),
            ),
            // What exists is not said either.
            refused: (403, "not permitted to do \"unsafe-delete-ignore-read-errors\", reason: "),
            served: 404,
        },
        Right {
            name: "an owner of what may not be deleted",
            has: vec![rule("", &["configmaps"], &["get", "update"])],
            needs: rule("", &["configmaps"], &["delete"]),
            request: ("PUT", format!("{MAPS}/owned?dryRun=All"), JSON, owner(false)),
            refused: (403, "cannot set an ownerRef on a resource you can't delete"),
            served: 200,
        },
        Right {
            name: "an owner that is held",
            has: vec![rule("", &["configmaps"], &["get", "update", "delete"])],
            needs: rule("apps", &["deployments/finalizers"], &["update"]),
            request: ("PUT", format!("{MAPS}/owned?dryRun=All"), JSON, owner(true)),
            refused: (403, "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"),
            served: 200,
        },
    ]
}

/// Roles and bindings that give more than their author has.
fn roles() -> Vec<Right> {
    const RBAC: &str = "rbac.authorization.k8s.io";
    let base = format!("/apis/{RBAC}/v1");
    let role = |kind: &str, rules: Value| json!({"apiVersion": format!("{RBAC}/v1"), "kind": kind, "metadata": {"name": "x"}, "rules": rules});
    let secrets = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]);
    let binding = json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": "RoleBinding", "metadata": {"name": "x"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "User", "apiGroup": RBAC, "name": "eve"}],
    });
    let mut aggregated = role("ClusterRole", json!([]));
    aggregated["metadata"]["name"] = json!("aggregated");
    aggregated["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]});
    vec![
        Right {
            name: "a binding to a role with more",
            has: vec![rule(RBAC, &["rolebindings"], &["create"])],
            needs: named(RBAC, "clusterroles", "bind", "view"),
            request: ("POST", format!("{base}/namespaces/default/rolebindings"), JSON, binding),
            refused: (403, "is attempting to grant RBAC permissions not currently held"),
            served: 201,
        },
        Right {
            name: "a cluster role with more",
            has: vec![rule(RBAC, &["clusterroles"], &["create"])],
            needs: rule(RBAC, &["clusterroles"], &["escalate"]),
            request: ("POST", format!("{base}/clusterroles"), JSON, role("ClusterRole", secrets.clone())),
            refused: (403, "is attempting to grant RBAC permissions not currently held"),
            served: 201,
        },
        Right {
            name: "a role with more, by apply",
            has: vec![rule(RBAC, &["roles"], &["create", "patch"])],
            needs: rule(RBAC, &["roles"], &["escalate"]),
            request: ("PATCH", format!("{base}/namespaces/default/roles/x?fieldManager=m"), APPLY, role("Role", secrets)),
            refused: (403, "is attempting to grant RBAC permissions not currently held"),
            served: 201,
        },
        Right {
            name: "a role that is put together",
            has: vec![rule(RBAC, &["clusterroles"], &["create"])],
            needs: rule(RBAC, &["clusterroles"], &["escalate"]),
            request: ("POST", format!("{base}/clusterroles"), JSON, aggregated),
            refused: (403, "must have cluster-admin privileges to use the aggregationRule"),
            served: 201,
        },
    ]
}

/// A request for the certificate of a pod on the node `n`.
fn pod_certificate(pod: &str, pod_uid: &str, account_uid: &str, node_uid: &str) -> Result<Value, String> {
    let key = KeyPair::generate().map_err(|error| error.to_string())?;
    let request = CertificateParams::default().serialize_request(&key).map_err(|error| error.to_string())?;
    Ok(json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "PodCertificateRequest", "metadata": {"name": "r"},
        "spec": {
            "signerName": SIGNER, "podName": pod, "podUID": pod_uid, "serviceAccountName": "default",
            "serviceAccountUID": account_uid, "nodeName": "n", "nodeUID": node_uid,
            "stubPKCS10Request": base64::encode(request.der()),
        },
    }))
}

/// A stored request for a certificate.
async fn signing_request(arena: &Arena) -> Result<Value, String> {
    let key = KeyPair::generate().map_err(|error| error.to_string())?;
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "x");
    let request = params.serialize_request(&key).and_then(|request| request.pem()).map_err(|error| error.to_string())?;
    let spec = json!({"request": base64::encode(request.as_bytes()), "signerName": SIGNER, "usages": ["client auth"]});
    let request = json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "r"}, "spec": spec});
    let path = format!("{CERTIFICATES}/certificatesigningrequests");
    Ok(arena.post(&path, &request).await?.expect(201)?.json())
}

/// What is done in the name of a signer.
fn certificates(request: &Value, of_pod: &Value) -> Result<Vec<Right>, String> {
    const GROUP: &str = "certificates.k8s.io";
    let with_condition = |kind: &str| {
        let mut request = request.clone();
        request["status"]["conditions"] = json!([{"type": kind, "status": "True", "reason": "r", "message": "m"}]);
        request
    };
    let mut denied = of_pod.clone();
    let time = "2026-01-01T00:00:00Z";
    denied["status"]["conditions"] =
        json!([{"type": "Denied", "status": "True", "reason": "r", "message": "m", "lastTransitionTime": time}]);
    let path = |sub: &str| format!("{CERTIFICATES}/certificatesigningrequests/r/{sub}?dryRun=All");
    let update = |sub: &str| rule(GROUP, &[&format!("certificatesigningrequests/{sub}")], &["update"]);
    let key = KeyPair::generate().map_err(|error| error.to_string())?;
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).map_err(|error| error.to_string())?.pem();
    let bundle = json!({
        "apiVersion": "certificates.k8s.io/v1", "kind": "ClusterTrustBundle", "metadata": {"name": "example.com:x:b"},
        "spec": {"signerName": SIGNER, "trustBundle": authority},
    });
    Ok(vec![
        Right {
            name: "an approval",
            has: vec![update("approval")],
            needs: named(GROUP, "signers", "approve", SIGNER),
            request: ("PUT", path("approval"), JSON, with_condition("Approved")),
            refused: (403, "user not permitted to approve requests with signerName \"example.com/x\""),
            served: 200,
        },
        Right {
            name: "an approval, for all signers of a domain",
            has: vec![update("approval"), named(GROUP, "signers", "approve", "example.org/*")],
            needs: named(GROUP, "signers", "approve", "example.com/*"),
            request: ("PUT", path("approval"), JSON, with_condition("Denied")),
            refused: (403, "user not permitted to approve requests with signerName \"example.com/x\""),
            served: 200,
        },
        Right {
            name: "a signature",
            has: vec![update("status"), named(GROUP, "signers", "approve", SIGNER)],
            needs: named(GROUP, "signers", "sign", SIGNER),
            request: ("PUT", path("status"), JSON, with_condition("Failed")),
            refused: (403, "user not permitted to sign requests with signerName \"example.com/x\""),
            served: 200,
        },
        Right {
            name: "a signature for a pod",
            has: vec![rule(GROUP, &["podcertificaterequests/status"], &["update"]), named(GROUP, "signers", "sign", "example.org/x")],
            needs: named(GROUP, "signers", "sign", SIGNER),
            request: ("PUT", format!("{POD_CERTIFICATES}/r/status?dryRun=All"), JSON, denied),
            refused: (422, "is not permitted to \"sign\" for signer \"example.com/x\""),
            served: 200,
        },
        Right {
            name: "a trust bundle",
            has: vec![rule(GROUP, &["clustertrustbundles"], &["create"])],
            needs: named(GROUP, "signers", "attest", SIGNER),
            request: ("POST", format!("{CERTIFICATES}/clustertrustbundles?dryRun=All"), JSON, bundle),
            refused: (403, "user not permitted to attest for signerName \"example.com/x\""),
            served: 201,
        },
    ])
}

fn policy(kind: &str, name: &str) -> Value {
    let mut spec = json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]},
    });
    if kind == "ValidatingAdmissionPolicy" {
        spec["validations"] = json!([{"expression": "false", "messageExpression": "string(params)"}]);
    } else {
        spec["reinvocationPolicy"] = json!("Never");
        spec["mutations"] = json!([{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}]);
    }
    json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec})
}

/// Policies that show others' objects.
fn policies() -> Vec<Right> {
    const GROUP: &str = "admissionregistration.k8s.io";
    let reads = rule("", &["configmaps"], &["get"]);
    let of = |name: &'static str, kind: &str, resource: &str| Right {
        name,
        has: vec![rule(GROUP, &[resource], &["create"])],
        needs: reads.clone(),
        request: ("POST", format!("{ADMISSION}/{resource}?dryRun=All"), JSON, policy(kind, "x")),
        refused: (422, "must have \"get\" permission on all objects of the referenced paramKind"),
        served: 201,
    };
    let binding = |reference: Value| {
        let reference = [("parameterNotFoundAction", json!("Deny")), ("namespace", json!("default"))]
            .into_iter()
            .chain(reference.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value.clone())))
            .collect::<std::collections::BTreeMap<_, _>>();
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "x"},
            "spec": {"policyName": "bound", "validationActions": ["Warn"], "paramRef": reference},
        })
    };
    let bound = |name: &'static str, verb: &str, says: &'static str, reference: Value| Right {
        name,
        has: vec![rule(GROUP, &["validatingadmissionpolicybindings"], &["create"])],
        needs: rule("", &["configmaps"], &[verb]),
        request: ("POST", format!("{ADMISSION}/validatingadmissionpolicybindings?dryRun=All"), JSON, binding(reference)),
        refused: (422, says),
        served: 201,
    };
    vec![
        of("parameters of a policy", "ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
        of("parameters of a mutating policy", "MutatingAdmissionPolicy", "mutatingadmissionpolicies"),
        bound(
            "a parameter of a binding",
            "get",
            "does not have \"get\" permission on the object referenced by paramRef",
            json!({"name": "param"}),
        ),
        bound(
            "selected parameters of a binding",
            "list",
            "does not have \"list\" permission on the object referenced by paramRef",
            json!({"selector": {}}),
        ),
    ]
}

/// What is below an object has rights of its own.
fn below() -> Vec<Right> {
    let mut rights = Vec::new();
    for (sub, query) in [("exec", "?command=id&container=c"), ("attach", "?container=c"), ("portforward", "?ports=80")] {
        rights.push(Right {
            name: sub,
            has: vec![rule("", &[&format!("pods/{sub}")], &["get"])],
            needs: rule("", &[&format!("pods/{sub}")], &["create"]),
            request: ("GET", format!("{DEFAULT}/pods/p/{sub}{query}"), JSON, Value::Null),
            refused: (403, "pods \"p\" is forbidden: "),
            served: 0,
        });
    }
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d", "namespace": "default"}, "spec": {"replicas": 3}});
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p", "namespace": "default"}});
    let token = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let account_of_eve = format!("{DEFAULT}/serviceaccounts/default/token");
    rights.push(Right {
        name: "a scale",
        has: vec![rule("apps", &["deployments", "deployments/status"], &["*"])],
        needs: rule("apps", &["deployments/scale"], &["update"]),
        request: ("PUT", "/apis/apps/v1/namespaces/default/deployments/d/scale?dryRun=All".into(), JSON, scale),
        refused: (403, "cannot update resource \"deployments/scale\""),
        served: 200,
    });
    rights.push(Right {
        name: "an eviction",
        has: vec![rule("", &["pods"], &["*"])],
        needs: rule("", &["pods/eviction"], &["create"]),
        request: ("POST", format!("{DEFAULT}/pods/p/eviction?dryRun=All"), JSON, eviction),
        refused: (403, "cannot create resource \"pods/eviction\""),
        served: 201,
    });
    rights.push(Right {
        name: "a token of another account",
        has: vec![rule("", &["serviceaccounts", "secrets"], &["*"])],
        needs: rule("", &["serviceaccounts/token"], &["create"]),
        request: ("POST", account_of_eve, JSON, token),
        refused: (403, "cannot create resource \"serviceaccounts/token\""),
        served: 201,
    });
    rights
}

/// The status of a resource claim: who binds it, and who speaks for a driver.
fn claims(claim: &Value) -> Vec<Right> {
    const GROUP: &str = "resource.k8s.io";
    const DRIVER: &str = "d.example.com";
    let result = json!({"request": "a", "driver": DRIVER, "pool": "p", "device": "d"});
    let mut allocated = claim.clone();
    allocated["status"] = json!({"allocation": {"devices": {"results": [result]}}});
    let mut used = allocated.clone();
    used["status"]["devices"] = json!([{"driver": DRIVER, "pool": "p", "device": "d", "data": {"a": 1}}]);
    used["metadata"].as_object_mut().map(|metadata| metadata.remove("resourceVersion"));
    let mut patch = json!({"status": {"devices": used["status"]["devices"]}});
    patch["status"]["devices"][0]["data"] = json!({"a": 2});
    let update = rule(GROUP, &["resourceclaims/status"], &["update", "patch"]);
    let path = format!("{CLAIMS}/c/status");
    vec![
        Right {
            name: "an allocation",
            has: vec![update.clone(), rule(GROUP, &["resourceclaims"], &["*"])],
            needs: rule(GROUP, &["resourceclaims/binding"], &["update"]),
            request: ("PUT", path.clone(), JSON, allocated),
            refused: (422, "requires resource=\"resourceclaims/binding\", verb=\"update\" permission"),
            served: 200,
        },
        Right {
            name: "devices of a driver",
            has: vec![
                update.clone(),
                rule(GROUP, &["resourceclaims/binding"], &["*"]),
                named(GROUP, "resourceclaims/driver", "arbitrary-node:update", "other.example.com"),
                rule(GROUP, &["resourceclaims/driver"], &["associated-node:update"]),
            ],
            needs: named(GROUP, "resourceclaims/driver", "arbitrary-node:update", DRIVER),
            request: ("PUT", path.clone(), JSON, used),
            refused: (422, "requires resource=\"resourceclaims/driver\", verb=\"[arbitrary-node:update]\" permission"),
            served: 200,
        },
        Right {
            name: "devices of a driver by patch",
            has: vec![update, rule(GROUP, &["resourceclaims/driver"], &["arbitrary-node:update"])],
            needs: named(GROUP, "resourceclaims/driver", "arbitrary-node:patch", DRIVER),
            request: ("PATCH", path, "application/merge-patch+json", patch),
            refused: (422, "requires resource=\"resourceclaims/driver\", verb=\"[arbitrary-node:patch]\" permission"),
            served: 200,
        },
    ]
}

/// What it is of, the rules without and with which it is tried, and the headers that ask for it.
type Impersonation = (&'static str, Vec<Value>, Value, Vec<(&'static str, &'static str)>);

/// Every part of another identity needs a right of its own.
async fn who_acts_for_others(arena: &Arena) -> Outcome {
    const AUTHENTICATION: &str = "authentication.k8s.io";
    let mut eve = Eve::new(arena).await?;
    let users = named("", "users", "impersonate", "ann");
    let reads = rule("", &["configmaps"], &["list"]);
    let name = ("impersonate-user", "ann");
    let cases: [Impersonation; 6] = [
        ("a user", vec![named("", "users", "impersonate", "bob")], users.clone(), vec![name]),
        ("a group", vec![users.clone()], named("", "groups", "impersonate", "dev"), vec![name, ("impersonate-group", "dev")]),
        (
            "system:masters",
            vec![users.clone(), named("", "groups", "impersonate", "dev")],
            named("", "groups", "impersonate", "system:masters"),
            vec![name, ("impersonate-group", "dev"), ("impersonate-group", "system:masters")],
        ),
        (
            "a uid",
            vec![users.clone()],
            rule(AUTHENTICATION, &["uids"], &["impersonate"]),
            vec![name, ("impersonate-uid", "1")],
        ),
        (
            "an extra",
            vec![users, rule(AUTHENTICATION, &["userextras/other"], &["impersonate"])],
            rule(AUTHENTICATION, &["userextras/scopes"], &["impersonate"]),
            vec![name, ("impersonate-extra-scopes", "all")],
        ),
        (
            "an account",
            vec![rule("", &["users", "groups"], &["impersonate"])],
            named("", "serviceaccounts", "impersonate", "default"),
            vec![("impersonate-user", "system:serviceaccount:default:default")],
        ),
    ];
    for (name, has, needs, headers) in &cases {
        let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews".to_owned();
        let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let request = ("POST", path, JSON, review);
        let right = Right {
            name,
            has: [has.as_slice(), std::slice::from_ref(&reads)].concat(),
            needs: needs.clone(),
            request,
            refused: (403, "cannot impersonate"),
            served: 201,
        };
        eve.check(arena, &right, headers).await?;
    }
    Ok(format!("{} refused without the right and served with it", cases.len()))
}

/// A kubelet gets tokens and certificates of the pods that it runs, for what these pods mount.
async fn what_kubelets_ask_for(arena: &Arena) -> Outcome {
    let mut kubelet = Eve::new(arena).await?;
    // The administrator acts for the kubelet, whose name is in the role binding.
    kubelet.token.clone_from(&arena.token);
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}});
    let node = arena.post("/api/v1/nodes", &node).await?.expect(201)?.json();
    let spec = json!({"nodeName": "n", "containers": [{"name": "c", "image": "i"}]});
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec});
    let pod = arena.post(&format!("{DEFAULT}/pods"), &pod).await?.expect(201)?.json();
    let account = arena.get(&format!("{DEFAULT}/serviceaccounts/default")).await?.expect(200)?.json();
    let uid = |object: &Value| object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let bound = json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid(&pod)});
    let spec = json!({"audiences": ["vault"], "boundObjectRef": bound});
    let token = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec});
    let tokens = rule("", &["serviceaccounts/token"], &["create"]);
    let rights = [
        Right {
            name: "a token for an audience",
            has: vec![tokens, named("", "vault", "request-serviceaccounts-token-audience", "other")],
            needs: named("", "vault", "request-serviceaccounts-token-audience", "default"),
            request: ("POST", format!("{DEFAULT}/serviceaccounts/default/token"), JSON, token),
            refused: (403, "system:node:n is not authorized to request tokens for audience \"vault\""),
            served: 201,
        },
        Right {
            name: "a certificate of a signer",
            has: vec![rule("certificates.k8s.io", &["podcertificaterequests"], &["create"])],
            needs: named(
                "certificates.k8s.io",
                "example.com:x",
                "request-serviceaccounts-podcertificate-signer",
                "default",
            ),
            request: ("POST", POD_CERTIFICATES.into(), JSON, pod_certificate("p", &uid(&pod), &uid(&account), &uid(&node))?),
            refused: (403, "does not mount a podCertificate projected volume for signer \"example.com/x\""),
            served: 201,
        },
    ];
    let headers = [("impersonate-user", "system:node:n"), ("impersonate-group", "system:nodes")];
    for right in &rights {
        kubelet.check(arena, right, &headers).await?;
    }
    Ok(format!("{} refused without the right and served with it", rights.len()))
}

/// The administrator of a namespace writes roles whose lists multiply.
async fn roles_of_many_permissions(arena: &Arena) -> Outcome {
    let mut eve = Eve::new(arena).await?;
    let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
    let list = |count: usize| (0..count).map(|number| format!("a{number}")).collect::<Vec<_>>();
    let own = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": list(90)});
    let writes = rule("rbac.authorization.k8s.io", &["roles"], &["create"]);
    let mut bytes = 0;
    for count in [10, 100, 5000] {
        let rule = json!({"apiGroups": list(count), "resources": list(count), "verbs": list(count), "resourceNames": list(count)});
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "x"}, "rules": [rule]});
        bytes = role.to_string().len();
        for has in [vec![writes.clone()], vec![writes.clone(), own.clone()]] {
            let request = ("POST", format!("{roles}?dryRun=All"), JSON, role.clone());
            let answer = eve.ask(arena, &has, &request, &[]).await?;
            // A few permissions that she has may be given.
            let answer = if count == 10 && has.len() == 2 { answer.expect(201)? } else { answer.expect(403)? };
            if answer.body.len() > 1 << 20 {
                return Err(format!("{} bytes of errors", answer.body.len()));
            }
        }
    }
    Ok(format!("up to 5000^4 permissions in {} KB refused", bytes >> 10))
}

/// The rules of a role count once, however often it is bound; a review says that it does not list all.
async fn a_role_bound_a_thousand_times(arena: &Arena) -> Outcome {
    const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    let mut eve = Eve::new(arena).await?;
    let names: Vec<String> = (0..20_000).map(|number| format!("object-of-a-long-name-{number}")).collect();
    let rule = json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": names});
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "x"}, "rules": [rule]});
    arena.post(&format!("{RBAC}/roles"), &role).await?.expect(201)?;
    let mut client = arena.client().await?;
    for number in 0..arena.count(300, 1000) {
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": format!("x{number}")},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x"},
            "subjects": [{"kind": "ServiceAccount", "name": "eve", "namespace": "default"}],
        });
        client.ask("POST", &format!("{RBAC}/rolebindings"), JSON, binding.to_string()).await?.expect(201)?;
    }
    let review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": "default"}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews".to_owned();
    let answer = eve.ask(arena, &[], &("POST", path, JSON, review), &[]).await?.expect(201)?;
    if answer.json()["status"]["incomplete"] != true {
        return Err("the review does not say that it is incomplete".into());
    }
    let bytes = answer.body.len();
    for number in 0..20 {
        let request = ("GET", format!("{MAPS}/nobody-{number}"), JSON, Value::Null);
        eve.ask(arena, &[], &request, &[]).await?.expect(403)?;
    }
    Ok(format!("a review of {} MB, requests are refused at once", bytes >> 20))
}
