//! Forged credentials: tokens of service accounts, client certificates and front proxies.

use std::path::Path;

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, HOST};
use http_body_util::Full;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use sprag_storage::testing::Scratch;
use sprag_value::base64::RAW_URL;

use super::arena::{Answer, Arena, Client};
use super::{Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(forged_account_tokens), case!(certificates_and_front_proxies)];

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// The only name of a front proxy that the attacked server trusts.
const PROXY: &str = "front";
const SUPERUSERS: &str = "system:masters";

/// Tokens that were not signed for what they say, each a little away from one that was.
async fn forged_account_tokens(arena: &Arena) -> Outcome {
    for name in ["robot", "other", "gone"] {
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}});
        arena.post(ACCOUNTS, &account).await?.expect(201)?;
    }
    let good = token(arena, "robot", json!({})).await?;
    // It is known, and has no rights.
    with_token(arena, &good).await?.expect(403)?;
    let mut forged = forgeries(&good)?;
    forged.push(("for another audience", token(arena, "robot", json!({"audiences": ["vault"]})).await?));
    forged.push(("of a deleted account", token(arena, "gone", json!({})).await?));
    arena.ask("DELETE", &format!("{ACCOUNTS}/gone"), "", "").await?.expect(200)?;
    let secrets = "/api/v1/namespaces/default/secrets";
    arena.post(secrets, &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})).await?.expect(201)?;
    let bound = json!({"boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": "s"}});
    let bound = token(arena, "robot", bound).await?;
    with_token(arena, &bound).await?.expect(403)?;
    arena.ask("DELETE", &format!("{secrets}/s"), "", "").await?.expect(200)?;
    forged.push(("bound to a deleted secret", bound));
    for (name, token) in &forged {
        with_token(arena, token).await?.expect(401).map_err(|error| format!("{name}: {error}"))?;
    }
    with_token(arena, &good).await?.expect(403)?;
    Ok(format!("{} refused", forged.len()))
}

async fn token(arena: &Arena, account: &str, spec: Value) -> Result<String, String> {
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec});
    let answer = arena.post(&format!("{ACCOUNTS}/{account}/token"), &request).await?.expect(201)?.json();
    answer["status"]["token"].as_str().map(str::to_owned).ok_or_else(|| "no token".to_owned())
}

async fn with_token(arena: &Arena, token: &str) -> Result<Answer, String> {
    let value = format!("Bearer {token}");
    send(&mut arena.client().await?, &[(AUTHORIZATION.as_str(), value.as_str())]).await
}

/// Reads config maps with these headers.
async fn send(client: &mut Client, headers: &[(&str, &str)]) -> Result<Answer, String> {
    let mut request = Request::get(MAPS).header(HOST, "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    client.send(request.body(Full::<Bytes>::default()).map_err(|error| error.to_string())?).await
}

fn forgeries(good: &str) -> Result<Vec<(&'static str, String)>, String> {
    let parts: Vec<&str> = good.split('.').collect();
    let [header, payload, signature] = parts[..] else { return Err(format!("not a token: {good}")) };
    let decoded = |part: &str| -> Result<Value, String> {
        let bytes = RAW_URL.decode(part).map_err(|_| "not base64".to_owned())?;
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    };
    let claims = decoded(payload)?;
    let id = decoded(header)?["kid"].clone();
    let encode = |value: &Value| RAW_URL.encode(value.to_string().as_bytes());
    let with_header = |header: Value, signature: &str| format!("{}.{payload}.{signature}", encode(&header));
    let claiming = |change: fn(&mut Value)| {
        let mut claims = claims.clone();
        change(&mut claims);
        encode(&claims)
    };
    let kubernetes = |claims: &mut Value| claims["kubernetes.io"]["serviceaccount"]["name"] = json!("other");
    let other = claiming(|claims| claims["sub"] = json!("system:serviceaccount:default:other"));
    let for_ever = claiming(|claims| claims["exp"] = json!(i64::MAX));
    let bytes = RAW_URL.decode(signature).map_err(|_| "not base64".to_owned())?;

    let random = SystemRandom::new();
    let failed = |_| "no key".to_owned();
    let pair = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).map_err(failed)?;
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pair.as_ref(), &random);
    let pair = pair.map_err(|error| error.to_string())?;
    // Signed by the key of the attacker.
    let signed = |header: &Value, payload: &str| -> Result<String, String> {
        let text = format!("{}.{payload}", encode(header));
        let signature = pair.sign(&random, text.as_bytes()).map_err(|_| "no signature".to_owned())?;
        Ok(format!("{text}.{}", RAW_URL.encode(signature.as_ref())))
    };
    let keyed = |key: &[u8]| {
        let text = format!("{}.{payload}", encode(&json!({"alg": "HS256", "kid": id})));
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes());
        format!("{text}.{}", RAW_URL.encode(tag.as_ref()))
    };
    let of_attacker = json!({"alg": "ES256", "kid": id});
    let web_key = json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "mine"});
    Ok(vec![
        ("alg none", with_header(json!({"alg": "none"}), "")),
        ("alg None with kid", with_header(json!({"alg": "None", "kid": id}), "")),
        ("alg nOnE, true signature", with_header(json!({"alg": "nOnE", "kid": id}), signature)),
        ("no alg", with_header(json!({"kid": id}), signature)),
        ("another alg", with_header(json!({"alg": "ES384", "kid": id}), signature)),
        ("RSA", with_header(json!({"alg": "RS256", "kid": id}), signature)),
        ("HMAC with the id of the key", keyed(id.as_str().unwrap_or_default().as_bytes())),
        ("HMAC with nothing", keyed(b"")),
        ("the claims of another account", format!("{header}.{other}.{signature}")),
        ("the name of another account", format!("{header}.{}.{signature}", claiming(kubernetes))),
        ("no end", format!("{header}.{for_ever}.{signature}")),
        ("no claims", format!("{header}.{}.{signature}", encode(&json!({})))),
        ("claims that are no object", format!("{header}.{}.{signature}", encode(&json!([1])))),
        ("signature of zeros", format!("{header}.{payload}.{}", RAW_URL.encode(&[0; 64]))),
        ("half a signature", format!("{header}.{payload}.{}", RAW_URL.encode(&bytes[..32]))),
        ("a longer signature", format!("{header}.{payload}.{}", RAW_URL.encode(&[bytes.as_slice(), &[0]].concat()))),
        ("no signature", format!("{header}.{payload}.")),
        ("four parts", format!("{good}.{signature}")),
        ("two parts", format!("{header}.{payload}")),
        ("another key, same id", signed(&of_attacker, payload)?),
        ("another key, no id", signed(&json!({"alg": "ES256"}), payload)?),
        ("a key in the header", signed(&json!({"alg": "ES256", "jwk": web_key}), payload)?),
        ("a key elsewhere", signed(&json!({"alg": "ES256", "kid": "mine", "jku": "https://127.0.0.1:1/"}), payload)?),
        ("a path as id", signed(&json!({"alg": "ES256", "kid": "../../../dev/null"}), payload)?),
        ("critical extensions", signed(&json!({"alg": "ES256", "kid": id, "crit": ["b64"], "b64": false}), payload)?),
        ("another issuer", signed(&of_attacker, &claiming(|claims| claims["iss"] = json!("https://example.com")))?),
        ("a token of a secret", signed(&of_attacker, &claiming(legacy))?),
        ("standard base64", format!("{header}.{payload}.+/{}", &signature[2..])),
        ("padded", format!("{header}.{payload}.{signature}==")),
    ])
}

/// The claims of a token as secrets had it.
fn legacy(claims: &mut Value) {
    *claims = json!({
        "iss": "kubernetes/serviceaccount",
        "sub": "system:serviceaccount:default:robot",
        "kubernetes.io/serviceaccount/namespace": "default",
        "kubernetes.io/serviceaccount/secret.name": "s",
        "kubernetes.io/serviceaccount/service-account.name": "robot",
        "kubernetes.io/serviceaccount/service-account.uid": claims["kubernetes.io"]["serviceaccount"]["uid"],
    });
}

/// An authority that signs whatever it is asked to.
struct Signer {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    pem: String,
}

/// A certificate with its key, and those that vouch for it.
struct Shown {
    chain: Vec<CertificateDer<'static>>,
    key: Vec<u8>,
}

/// Years of validity of usual certificates.
const USUAL: (i32, i32) = (2020, 2090);

impl Signer {
    fn new(name: &str) -> Result<Signer, String> {
        let key = KeyPair::generate().map_err(|error| error.to_string())?;
        let mut params = params(name, "", USUAL);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let certificate = params.self_signed(&key).map_err(|error| error.to_string())?;
        let pem = certificate.pem();
        Ok(Signer { certificate: certificate.der().clone(), pem, issuer: Issuer::new(params, key) })
    }

    /// A certificate for clients.
    fn client(&self, name: &str, group: &str) -> Result<Shown, String> {
        self.sign(&params(name, group, USUAL))
    }

    fn sign(&self, params: &CertificateParams) -> Result<Shown, String> {
        let key = KeyPair::generate().map_err(|error| error.to_string())?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(|error| error.to_string())?;
        Ok(Shown { chain: vec![certificate.der().clone()], key: key.serialize_der() })
    }
}

fn params(name: &str, group: &str, years: (i32, i32)) -> CertificateParams {
    let mut params = CertificateParams::default();
    // It has a name by default.
    params.distinguished_name = DistinguishedName::new();
    if !name.is_empty() {
        params.distinguished_name.push(DnType::CommonName, name);
    }
    if !group.is_empty() {
        params.distinguished_name.push(DnType::OrganizationName, group);
    }
    let (from, to) = years;
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(to, 1, 1);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    params
}

/// The same for servers only.
fn for_servers(name: &str, group: &str) -> CertificateParams {
    let mut params = params(name, group, USUAL);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params
}

fn self_signed(name: &str, group: &str) -> Result<Shown, String> {
    let key = KeyPair::generate().map_err(|error| error.to_string())?;
    let certificate = params(name, group, USUAL).self_signed(&key).map_err(|error| error.to_string())?;
    Ok(Shown { chain: vec![certificate.der().clone()], key: key.serialize_der() })
}

/// Headers by which a front proxy would name a superuser.
const NAMED: &[(&str, &str)] = &[("x-remote-user", "root"), ("x-remote-group", SUPERUSERS)];

/// Certificates that claim to be those of a superuser or of a front proxy, and headers without one.
async fn certificates_and_front_proxies(_: &Arena) -> Outcome {
    let folder = Scratch::new("certificates").map_err(|error| error.to_string())?;
    let clients = Signer::new("clients")?;
    let proxies = Signer::new("proxies")?;
    let write = |name: &str, pem: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, pem).map_err(|error| error.to_string())?;
        Ok::<_, String>(Path::display(&path).to_string())
    };
    let of_clients = write("clients.crt", &clients.pem)?;
    let of_proxies = write("proxies.crt", &proxies.pem)?;
    let flags = ["--client-ca-file", &of_clients, "--requestheader-client-ca-file", &of_proxies];
    let names = ["--requestheader-allowed-names", PROXY, "--requestheader-username-headers", "X-Remote-User"];
    let groups = ["--requestheader-group-headers", "X-Remote-Group"];
    let arena = Arena::start(&[&flags[..], &names, &groups].concat(), None).await?;

    // Those that are what they say.
    read_as(&arena, &clients.client("root", SUPERUSERS)?, &[]).await?.expect(200)?;
    read_as(&arena, &clients.client("ann", "dev")?, &[]).await?.expect(403)?;
    read_as(&arena, &proxies.client(PROXY, "")?, NAMED).await?.expect(200)?;

    let refused = strangers(&clients, &proxies)?;
    let count = refused.len();
    for (name, shown, headers, code) in refused {
        let answer = match shown {
            Some(shown) => read_as(&arena, &shown, headers).await,
            None => send(&mut arena.client().await?, headers).await,
        };
        match answer {
            Ok(answer) => drop(answer.expect(code).map_err(|error| format!("{name}: {error}"))?),
            // A handshake that fails lets nobody in either.
            Err(_) if code == 401 => {}
            Err(error) => return Err(format!("{name}: {error}")),
        }
    }
    Ok(format!("{count} refused"))
}

type Stranger = (&'static str, Option<Shown>, &'static [(&'static str, &'static str)], u16);

fn strangers(clients: &Signer, proxies: &Signer) -> Result<Vec<Stranger>, String> {
    let rogue = Signer::new("rogue")?;
    let namesake = Signer::new("clients")?;
    let other_front = Signer::new("proxies")?;
    let leaf = clients.client("ann", "dev")?;
    let leaf_key = KeyPair::try_from(leaf.key.as_slice()).map_err(|error| error.to_string())?;
    let below_leaf = Signer {
        issuer: Issuer::new(params("ann", "dev", USUAL), leaf_key),
        certificate: leaf.chain[0].clone(),
        pem: String::new(),
    };
    let mut by_leaf = below_leaf.client("root", SUPERUSERS)?;
    by_leaf.chain.push(below_leaf.certificate.clone());
    let mut by_rogue_with_root = rogue.client("root", SUPERUSERS)?;
    by_rogue_with_root.chain.push(clients.certificate.clone());
    let mut with_namesake = namesake.client("root", SUPERUSERS)?;
    with_namesake.chain.push(namesake.certificate.clone());
    let mut stolen = self_signed("root", SUPERUSERS)?;
    stolen.chain.push(clients.client("root", SUPERUSERS)?.chain.remove(0));
    Ok(vec![
        ("signed by itself", Some(self_signed("root", SUPERUSERS)?), &[], 401),
        ("signed by itself, a good one behind it", Some(stolen), &[], 401),
        ("signed by nobody known", Some(rogue.client("root", SUPERUSERS)?), &[], 401),
        ("signed by nobody known, the authority behind it", Some(by_rogue_with_root), &[], 401),
        ("signed by a namesake", Some(namesake.client("root", SUPERUSERS)?), &[], 401),
        ("signed by a namesake that comes along", Some(with_namesake), &[], 401),
        ("signed by a client", Some(by_leaf), &[], 401),
        ("signed by the authority of proxies", Some(proxies.client("root", SUPERUSERS)?), &[], 401),
        ("expired", Some(clients.sign(&params("root", SUPERUSERS, (2000, 2010)))?), &[], 401),
        ("not valid yet", Some(clients.sign(&params("root", SUPERUSERS, (2080, 2090)))?), &[], 401),
        ("for servers", Some(clients.sign(&for_servers("root", SUPERUSERS))?), &[], 401),
        // Names nobody, and the authority of proxies does not know it, which is an error: the request is not anonymous either.
        ("without a name", Some(clients.client("", SUPERUSERS)?), &[], 401),
        ("a group as name", Some(clients.client(SUPERUSERS, "")?), &[], 403),
        ("a group with a blank", Some(clients.client("root", " system:masters")?), &[], 403),
        ("a group in other letters", Some(clients.client("root", "System:Masters")?), &[], 403),
        ("headers alone", None, NAMED, 403),
        ("headers with other separators", None, &[("x_remote_user", "root"), ("x_remote_group", SUPERUSERS)], 403),
        ("headers of a client", Some(clients.client("ann", "dev")?), NAMED, 403),
        ("headers of a client with the proxy's name", Some(clients.client(PROXY, "")?), NAMED, 403),
        ("headers of a stranger with the proxy's name", Some(rogue.client(PROXY, "")?), NAMED, 401),
        ("headers of a namesake of the proxies", Some(other_front.client(PROXY, "")?), NAMED, 401),
        ("headers of a proxy signed by itself", Some(self_signed(PROXY, "")?), NAMED, 401),
        ("headers of another proxy", Some(proxies.client("other", "")?), NAMED, 401),
        ("headers of a proxy in other letters", Some(proxies.client("Front", "")?), NAMED, 401),
        ("headers of an expired proxy", Some(proxies.sign(&params(PROXY, "", (2000, 2010)))?), NAMED, 401),
        ("headers of a proxy for servers", Some(proxies.sign(&for_servers(PROXY, ""))?), NAMED, 401),
        ("a proxy without headers", Some(proxies.client(PROXY, "")?), &[], 401),
        ("a proxy with a group and no user", Some(proxies.client(PROXY, "")?), &[("x-remote-group", SUPERUSERS)], 401),
        ("a proxy with an empty user", Some(proxies.client(PROXY, "")?), WITHOUT_USER, 401),
        ("a proxy's user with groups in one header", Some(proxies.client(PROXY, "")?), JOINED, 403),
    ])
}

const WITHOUT_USER: &[(&str, &str)] = &[("x-remote-user", ""), ("x-remote-group", SUPERUSERS)];
/// Groups are not split at commas.
const JOINED: &[(&str, &str)] = &[("x-remote-user", "ann"), ("x-remote-group", "dev, system:masters")];

async fn read_as(arena: &Arena, shown: &Shown, headers: &[(&str, &str)]) -> Result<Answer, String> {
    let key = PrivateKeyDer::try_from(shown.key.clone()).map_err(str::to_owned)?;
    let mut client = arena.client_with(shown.chain.clone(), key).await?;
    send(&mut client, headers).await
}
