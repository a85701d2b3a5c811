//! Tokens that are made of a good one.

use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use sprag_value::base64::RAW_URL;
use sprag_value::{Value, json};

/// The key that the server signs with. It is good for nothing else.
pub(in crate::suite) const SIGNING_KEY: &str = include_str!("signing-key.pem");
/// A key that the server does not know.
const OTHER_KEY: &str = include_str!("other-key.pem");

/// The shift of a changed time, in seconds.
const HOUR: i64 = 3600;

/// Header and claims of a token.
pub(super) fn parts(token: &str) -> Option<(Value, Value)> {
    let mut parts = token.split('.').map(|part| json::parse(&RAW_URL.decode(part).ok()?).ok());
    Some((parts.next()??, parts.next()??))
}

/// The token of this kind, made of a good one.
pub(super) fn forge(kind: &str, token: &str) -> Result<String, String> {
    let (mut header, mut claims) = parts(token).ok_or_else(|| format!("{token:?} is no token"))?;
    let (signed, signature) = token.rsplit_once('.').unwrap_or_default();
    let time = |claims: &Value, name: &str| claims.get(name).and_then(Value::as_i64).unwrap_or_default();
    match kind {
        "cut" => return Ok(token[..token.len().saturating_sub(8)].to_owned()),
        "dot" => return Ok(format!("{token}.")),
        "sig" => {
            let first = if signature.starts_with('A') { 'B' } else { 'A' };
            return Ok(format!("{signed}.{first}{}", signature.get(1..).unwrap_or_default()));
        }
        "pay" => {
            claims.insert("sub", "system:serviceaccount:kube-system:admin");
            return Ok(format!("{}.{signature}", encode(&header, &claims)));
        }
        "none" => {
            header.insert("alg", "none");
            return Ok(format!("{}.", encode(&header, &claims)));
        }
        "hs" => {
            header.insert("alg", "HS256");
            return Ok(format!("{}.{signature}", encode(&header, &claims)));
        }
        "other" => return sign(OTHER_KEY, &header, &claims),
        "expired" => {
            let at = time(&claims, "iat") - HOUR;
            claims.insert("exp", at);
        }
        "nbf" => {
            let at = time(&claims, "nbf") + HOUR;
            claims.insert("nbf", at);
        }
        "iss" => drop(claims.insert("iss", "https://example.com")),
        "nok8s" => drop(claims.remove("kubernetes.io")),
        "noexp" => drop(claims.remove("exp")),
        "uid" => change(&mut claims, &["serviceaccount", "uid"], "00000000-0000-4000-8000-000000000000"),
        "sam" => {
            change(&mut claims, &["serviceaccount", "name"], "none");
            claims.insert("sub", "system:serviceaccount:a:none");
        }
        "ns" => {
            change(&mut claims, &["namespace"], "b");
            claims.insert("sub", "system:serviceaccount:b:robot");
        }
        "legacy" => claims = legacy(&claims),
        other => return Err(format!("no way is known to forge {other:?}")),
    }
    sign(SIGNING_KEY, &header, &claims)
}

/// The claims of tokens that controllers keep in secrets.
fn legacy(claims: &Value) -> Value {
    let uid = claims.lookup(&["kubernetes.io", "serviceaccount", "uid"]).cloned().unwrap_or_default();
    let mut legacy = Value::object();
    legacy.insert("iss", "kubernetes/serviceaccount");
    legacy.insert("kubernetes.io/serviceaccount/namespace", "a");
    legacy.insert("kubernetes.io/serviceaccount/secret.name", "s-one");
    legacy.insert("kubernetes.io/serviceaccount/service-account.name", "robot");
    legacy.insert("kubernetes.io/serviceaccount/service-account.uid", uid);
    legacy.insert("sub", "system:serviceaccount:a:robot");
    legacy
}

fn change(claims: &mut Value, path: &[&str], value: &str) {
    let mut at = claims.get_mut("kubernetes.io");
    let (last, first) = path.split_last().expect("a path has parts");
    for part in first {
        at = at.and_then(|at| at.get_mut(part));
    }
    if let Some(at) = at {
        at.insert(*last, value);
    }
}

fn encode(header: &Value, claims: &Value) -> String {
    let encode = |value: &Value| RAW_URL.encode(json::to_string(value).as_bytes());
    format!("{}.{}", encode(header), encode(claims))
}

fn sign(key: &str, header: &Value, claims: &Value) -> Result<String, String> {
    let key = PrivatePkcs8KeyDer::from_pem_slice(key.as_bytes()).map_err(|error| error.to_string())?;
    let key = RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()).map_err(|error| error.to_string())?;
    let text = encode(header, claims);
    let mut signature = vec![0; key.public().modulus_len()];
    let signed = key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature);
    signed.map_err(|error| error.to_string())?;
    Ok(format!("{text}.{}", RAW_URL.encode(&signature)))
}
