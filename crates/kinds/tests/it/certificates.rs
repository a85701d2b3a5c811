use sprag_value::{Value, base64};

use crate::api::{Api, Kind, shown};

const REQUESTS: Kind = Kind {
    path: "certificates.k8s.io/certificatesigningrequests",
    api_version: "certificates.k8s.io/v1",
    name: "CertificateSigningRequest",
};
pub(crate) const BUNDLES: Kind = Kind {
    path: "certificates.k8s.io/clustertrustbundles",
    api_version: "certificates.k8s.io/v1",
    name: "ClusterTrustBundle",
};
const PODS: Kind = Kind {
    path: "certificates.k8s.io/podcertificaterequests",
    api_version: "certificates.k8s.io/v1",
    name: "PodCertificateRequest",
};
const CERTIFICATE: &str = include_str!("../../../x509/tests/fixtures/ec.crt");
const REQUEST: &str = include_str!("../../../x509/tests/fixtures/ec.csr");
const SECOND: &str = include_str!("../../../x509/tests/fixtures/ed.crt");

fn spec(request: &str) -> String {
    let request = base64::encode(request.as_bytes());
    format!(
        r#","spec":{{"request":"{request}","signerName":"example.com/signer","usages":["client auth"],"username":"eve","groups":["system:masters"]}}"#
    )
}

#[test]
fn a_request_says_who_made_it_whatever_it_claims() {
    let stored = Api::new().create(REQUESTS.path, &REQUESTS.body(&spec(REQUEST))).unwrap();
    assert_eq!(stored.lookup(&["spec", "username"]).and_then(Value::as_str), Some("ada"));
    assert_eq!(stored.lookup(&["spec", "groups"]), None);
}

#[test]
fn requests_are_read() {
    let flaw = |request: &str| shown(Api::new().create(REQUESTS.path, &REQUESTS.body(&spec(request))));
    assert!(flaw(CERTIFICATE).contains("PEM block type must be CERTIFICATE REQUEST"));
    assert!(flaw("-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----\n").contains("asn1: "));
}

#[test]
fn decisions_are_made_once_through_approval() {
    let api = Api::new();
    api.create(REQUESTS.path, &REQUESTS.body(&spec(REQUEST))).unwrap();
    let decide =
        |kind: &str| format!(r#"{{"status":{{"conditions":[{{"type":"{kind}","status":"True","reason":"r"}}]}}}}"#);
    let text = shown(api.merge_below(REQUESTS.path, "status", &decide("Approved")));
    assert!(text.contains(r#"updates may not add a condition of type "Approved""#), "{text}");
    let approved = api.merge_below(REQUESTS.path, "approval", &decide("Approved")).unwrap();
    let conditions = approved.lookup(&["status", "conditions"]).and_then(Value::as_array).unwrap();
    assert!(conditions[0].get("lastUpdateTime").is_some() && conditions[0].get("lastTransitionTime").is_some());
    let text = shown(api.merge_below(REQUESTS.path, "approval", &decide("Denied")));
    assert!(text.contains(r#"updates may not remove a condition of type "Approved""#), "{text}");
    let both = r#"{"status":{"conditions":[{"type":"Approved","status":"True"},{"type":"Denied","status":"True"}]}}"#;
    let text = shown(api.merge_below(REQUESTS.path, "approval", both));
    assert!(text.contains("must specify at most one of: `conditions"), "{text}");
    // The spec stays as it is, and no part of the status is written with it.
    let text = shown(api.update(REQUESTS.path, "x", &REQUESTS.body(&spec("other"))));
    assert!(text.contains(r#""type":"Approved""#) && !text.contains("invalid"), "{text}");
}

#[test]
fn a_certificate_is_issued_once() {
    let api = Api::new();
    api.create(REQUESTS.path, &REQUESTS.body(&spec(REQUEST))).unwrap();
    let issue = |pem: &str| format!(r#"{{"status":{{"certificate":"{}"}}}}"#, base64::encode(pem.as_bytes()));
    let text = shown(api.merge_below(REQUESTS.path, "status", &issue("nothing")));
    assert!(text.contains("must contain at least one CERTIFICATE PEM block"), "{text}");
    api.merge_below(REQUESTS.path, "status", &issue(CERTIFICATE)).unwrap();
    let text = shown(api.merge_below(REQUESTS.path, "status", &issue(SECOND)));
    assert!(text.contains("updates may not modify existing certificate content"), "{text}");
    // A certificate sent through /approval is ignored.
    let approved = api.merge_below(REQUESTS.path, "approval", &issue(SECOND)).unwrap();
    let kept = approved.lookup(&["status", "certificate"]).and_then(Value::as_str).map(str::to_owned);
    assert_eq!(kept, Some(base64::encode(CERTIFICATE.as_bytes())));
}

#[test]
fn bundles_have_different_authorities() {
    let bundle = |text: &str| {
        let text = text.replace('\n', "\\n");
        shown(Api::new().create(BUNDLES.path, &BUNDLES.body(&format!(r#","spec":{{"trustBundle":"{text}"}}"#))))
    };
    assert!(!bundle(&format!("{CERTIFICATE}some text\n{SECOND}")).contains("invalid"));
    assert!(bundle(&CERTIFICATE.repeat(2)).contains("duplicate trust anchor (indices [0 1])"));
    assert!(bundle("").contains("at least one trust anchor must be provided"));
    assert!(bundle(REQUEST).contains("entry 0 has bad block type: CERTIFICATE REQUEST"));
    let body = BUNDLES.body(r#","spec":{"signerName":"example.com/foo","trustBundle":""}"#);
    let text = shown(Api::new().create(BUNDLES.path, &body));
    assert!(text.contains(r#"metadata.name: Invalid value: "x": ClusterTrustBundle for signerName example.com/foo must be named with prefix example.com:foo:"#), "{text}");
}

fn der(pem: &str) -> String {
    pem.lines().filter(|line| !line.starts_with('-')).collect()
}

#[test]
fn keys_of_pods_are_strong_enough() {
    let body = |request: &str| {
        PODS.body(&format!(
            r#","spec":{{"signerName":"example.com/a","podName":"p","podUID":"1","serviceAccountName":"s","serviceAccountUID":"2",
            "nodeName":"n","nodeUID":"3","stubPKCS10Request":"{request}"}}"#
        ))
    };
    let stored = Api::new().create(PODS.path, &body(&der(REQUEST))).unwrap();
    assert_eq!(stored.lookup(&["spec", "maxExpirationSeconds"]).and_then(Value::as_i64), Some(86_400));
    let weak = shown(Api::new().create(PODS.path, &body(&der(include_str!("../../../x509/tests/fixtures/rsa.csr")))));
    assert!(weak.contains(r#""2048-bit modulus": RSA keys must have modulus size 3072 or 4096"#), "{weak}");
    assert!(shown(Api::new().create(PODS.path, &body("MA=="))).contains("must be a valid PKCS#10 CSR"));
}

#[test]
fn finalizers_of_requests_of_pods_are_judged_on_updates() {
    let body = PODS.body(&format!(
        r#","spec":{{"signerName":"a.b/c","podName":"p","podUID":"u","serviceAccountName":"s","serviceAccountUID":"u","nodeName":"n","nodeUID":"u","maxExpirationSeconds":3600,"stubPKCS10Request":"{}"}}"#,
        der(REQUEST)
    ));
    let api = Api::new();
    api.create(PODS.path, &body).unwrap();
    let answer = shown(api.strategic(PODS.path, "x", r#"{"metadata":{"finalizers":["x"]}}"#));
    let flaw = "metadata.finalizers[0]: Invalid value: \"x\": name is neither a standard finalizer name nor is it fully qualified";
    assert!(answer.contains(flaw), "{answer}");
}
