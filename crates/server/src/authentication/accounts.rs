//! Tokens of service accounts: JSON Web Tokens that the server signs and knows again.

use std::path::Path;

use rcgen::KeyPair;
use sprag_registry::Registry;
use sprag_rest::{ApiError, Request, TokenIssuer, User, meta};
use sprag_value::base64::{self, RAW_URL};
use sprag_value::{Object, Time, Value, json};

use super::{CREDENTIAL_ID, ServiceAccounts, same};
use crate::Error;
use crate::audit;
use crate::folder::{self, write_private};
use crate::keys::{SigningKey, VerifyingKey};

/// The default issuer of service account tokens.
const ISSUER: &str = "https://kubernetes.default.svc";
/// The issuer of legacy tokens in secrets.
// As upstream's serviceaccount.LegacyIssuer.
const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";
/// The claim about objects of Kubernetes, and the beginning of those of tokens in secrets.
const OWN_CLAIM: &str = "kubernetes.io";
/// Allowed clock skew, and time for which objects being deleted stay valid, in seconds.
// As go-jose's jwt.DefaultLeeway.
const LEEWAY: i64 = 60;
const BAD_SIGNATURE: &str = "go-jose/go-jose: error in cryptographic primitive";

/// The key that signs tokens, and what is needed to know them again.
pub(crate) struct ServiceAccountTokens {
    key: SigningKey,
    known: Vec<VerifyingKey>,
    issuers: Vec<String>,
    audiences: Vec<String>,
    jwks_uri: Option<String>,
}

/// A service account that showed a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    namespace: String,
    name: String,
    uid: String,
    /// The id of the token.
    id: String,
    pod: Option<Ref>,
    secret: Option<Ref>,
    node: Option<Ref>,
    /// The token, where it is kept in the secret.
    legacy: Option<String>,
    times: Times,
}

/// An object that a token is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ref {
    name: String,
    uid: String,
}

/// The validity of a token, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    not_before: Option<i64>,
    expires: Option<i64>,
    issued: Option<i64>,
}

impl ServiceAccountTokens {
    /// Tokens of the key in the options, or of a new one.
    pub(crate) fn new(options: &ServiceAccounts) -> Result<ServiceAccountTokens, Error> {
        let pem = options.signing_key.clone().map_or_else(new_key, Ok)?;
        ServiceAccountTokens::of_pem(&pem, options)
    }

    /// Tokens of the key in the options, or of the one in a folder, or of a new one.
    pub(crate) fn in_folder(folder: &Path, options: &ServiceAccounts) -> Result<ServiceAccountTokens, Error> {
        if options.signing_key.is_some() {
            return ServiceAccountTokens::new(options);
        }
        let path = folder.join("pki").join("sa.key");
        let pem = if let Some(pem) = folder::read(&path)? {
            pem
        } else {
            let pem = new_key()?;
            write_private(&path, &pem)?;
            pem
        };
        ServiceAccountTokens::of_pem(&pem, options)
    }

    fn of_pem(pem: &str, options: &ServiceAccounts) -> Result<ServiceAccountTokens, Error> {
        let failed = |error: String| Error::Certificates(format!("the key of service accounts: {error}"));
        let key = SigningKey::read(pem).map_err(failed)?;
        let mut known = vec![key.public.clone()];
        for pem in &options.keys {
            let more = VerifyingKey::read_all(pem).map_err(failed)?;
            for key in more {
                if known.iter().all(|known| known.id != key.id) {
                    known.push(key);
                }
            }
        }
        let issuers = if options.issuers.is_empty() { vec![ISSUER.to_owned()] } else { options.issuers.clone() };
        let audiences = if options.audiences.is_empty() { issuers.clone() } else { options.audiences.clone() };
        Ok(ServiceAccountTokens { key, known, issuers, audiences, jwks_uri: options.jwks_uri.clone() })
    }

    /// Returns the audiences of tokens for this server.
    pub(crate) fn own_audiences(&self) -> &[String] {
        &self.audiences
    }

    fn issuer(&self) -> &str {
        self.issuers.first().map_or(ISSUER, String::as_str)
    }

    /// The account of a token that is for one of the audiences and good now, with those audiences; nothing if it is not a token of a
    /// service account. Whether the account is still there is for [`Account::user`] to see.
    ///
    /// # Errors
    ///
    /// The reason why the token is refused.
    // As upstream's jwtTokenAuthenticator.AuthenticateToken.
    pub(super) fn account(
        &self,
        token: &str,
        wanted: &[String],
        now: Time,
    ) -> Result<Option<(Account, Vec<String>)>, String> {
        let parts: Vec<&str> = token.split('.').collect();
        let [header, payload, signature] = parts.as_slice() else { return Ok(None) };
        let (Some(header), Some(claims), Ok(signature)) = (parse(header), parse(payload), RAW_URL.decode(signature))
        else {
            return Ok(None);
        };
        let issuer = claims.text("iss");
        let is_legacy = issuer == LEGACY_ISSUER;
        if !is_legacy && !self.issuers.iter().any(|known| known == issuer) {
            return Ok(None);
        }
        let signed = &token[..token.len() - parts[2].len() - 1];
        self.check_signature(&header, signed, &signature)?;
        let audiences = audiences(&claims);
        // Tokens without audiences are those in secrets, which are for this server.
        let own = if audiences.is_empty() { &self.audiences } else { &audiences };
        let common: Vec<String> = own.iter().filter(|audience| wanted.contains(audience)).cloned().collect();
        if common.is_empty() {
            let shown = |texts: &[String]| sprag_authorization::quoted(texts);
            let own = shown(own);
            let wanted = shown(wanted);
            return Err(format!("token audiences {own} is invalid for the target audiences {wanted}"));
        }
        let account = if is_legacy { Account::legacy(&claims, token)? } else { Account::new(&claims) };
        account.check_time(now)?;
        Ok(Some((account, common)))
    }

    fn check_signature(&self, header: &Value, signed: &str, signature: &[u8]) -> Result<(), String> {
        let algorithm = header.text("alg");
        let id = header.text("kid");
        let mut keys = self.known.iter().filter(|key| id.is_empty() || key.id == id).peekable();
        if keys.peek().is_none() {
            return Err("invalid signature, no keys found".to_owned());
        }
        let is_signed = keys.any(|key| key.algorithm.name() == algorithm && key.verifies(signed.as_bytes(), signature));
        is_signed.then_some(()).ok_or_else(|| BAD_SIGNATURE.to_owned())
    }

    /// The document by which others find the keys, for a server at an address.
    // As upstream's serviceaccount.openIDConfigJSON.
    pub(crate) fn configuration(&self, address: &str) -> Value {
        let uri = self.jwks_uri.clone().unwrap_or_else(|| format!("https://{address}/openid/v1/jwks"));
        let mut algorithms: Vec<&str> = self.known.iter().map(|key| key.algorithm.name()).collect();
        algorithms.sort_unstable();
        algorithms.dedup();
        let list = |texts: &[&str]| texts.iter().map(|text| Value::from(*text)).collect::<Value>();
        Value::Object(Object::from([
            ("issuer", Value::from(self.issuer())),
            ("jwks_uri", Value::from(uri)),
            ("response_types_supported", list(&["id_token"])),
            ("subject_types_supported", list(&["public"])),
            ("id_token_signing_alg_values_supported", list(&algorithms)),
        ]))
    }

    /// The keys by which others know tokens.
    pub(crate) fn key_set(&self) -> Value {
        let keys: Value = self.known.iter().map(VerifyingKey::to_jwk).collect();
        Value::Object(Object::from([("keys", keys)]))
    }
}

impl Account {
    fn new(claims: &Value) -> Account {
        let own = claims.get(OWN_CLAIM).unwrap_or(&Value::Null);
        let account = own.get("serviceaccount").unwrap_or(&Value::Null);
        let bound =
            |kind| own.get(kind).map(|bound| Ref { name: bound.text("name").into(), uid: bound.text("uid").into() });
        Account {
            namespace: own.text("namespace").into(),
            name: account.text("name").into(),
            uid: account.text("uid").into(),
            id: claims.text("jti").into(),
            pod: bound("pod"),
            secret: bound("secret"),
            node: bound("node"),
            legacy: None,
            times: Times::of(claims),
        }
    }

    /// The account of a token that is kept in a secret.
    // As upstream's legacyValidator.Validate.
    fn legacy(claims: &Value, token: &str) -> Result<Account, String> {
        let claim = |name: &str| claims.text(&format!("{OWN_CLAIM}/serviceaccount/{name}")).to_owned();
        let subject = claims.text("sub");
        let [namespace, secret, name, uid] =
            ["namespace", "secret.name", "service-account.name", "service-account.uid"].map(claim);
        let found = [
            ("sub", subject),
            ("namespace", &namespace),
            ("secretName", &secret),
            ("serviceAccountName", &name),
            ("serviceAccountUID", &uid),
        ];
        if let Some((claim, _)) = found.iter().find(|(_, text)| text.is_empty()) {
            return Err(format!("{claim} claim is missing"));
        }
        if subject != format!("system:serviceaccount:{namespace}:{name}") {
            return Err("sub claim is invalid".to_owned());
        }
        let secret = Some(Ref { name: secret, uid: String::new() });
        let id = String::new();
        let times = Times::default();
        Ok(Account { namespace, name, uid, id, pod: None, secret, node: None, legacy: Some(token.to_owned()), times })
    }

    /// Checks that the token is valid at a time.
    pub(super) fn check_time(&self, now: Time) -> Result<(), String> {
        let (now, Times { not_before, expires, issued }) = (now.unix_seconds(), self.times);
        if not_before.is_some_and(|start| now + LEEWAY < start) {
            return Err("service account token is not valid yet".to_owned());
        }
        if expires.is_some_and(|end| now - LEEWAY > end) {
            return Err("service account token has expired".to_owned());
        }
        if issued.is_some_and(|issued| now + LEEWAY < issued) {
            return Err("service account token is issued in the future".to_owned());
        }
        Ok(())
    }

    /// The user that the account is, if it and what the token is bound to are still there.
    // As upstream's validator.Validate.
    pub(super) async fn user(&self, registry: &Registry) -> Result<User, String> {
        let Account { namespace, name, uid, .. } = self;
        if let Some(token) = &self.legacy {
            self.check_copy(registry, token).await?;
        }
        let account = find(registry, "serviceaccounts", namespace, name).await.map_err(|error| error.to_string())?;
        if meta::uid(&account) != uid {
            return Err(format!("service account UID ({}) does not match claim ({uid})", meta::uid(&account)));
        }
        if was_deleted(&account, registry.now(), self.legacy.is_some()) {
            return Err(format!("service account {namespace}/{name} has been deleted"));
        }
        if self.legacy.is_none() {
            self.check_bound(registry, "secrets", namespace, self.secret.as_ref()).await?;
        }
        self.check_bound(registry, "pods", namespace, self.pod.as_ref()).await?;
        // The node of a pod is informational and not checked.
        self.check_bound(registry, "nodes", "", self.node.as_ref().filter(|_| self.pod.is_none())).await?;
        Ok(self.as_user())
    }

    async fn check_bound(
        &self,
        registry: &Registry,
        resource: &str,
        namespace: &str,
        bound: Option<&Ref>,
    ) -> Result<(), String> {
        let Some(Ref { name, uid }) = bound else { return Ok(()) };
        let invalidated = || "service account token has been invalidated".to_owned();
        let object = find(registry, resource, namespace, name).await.map_err(|_| invalidated())?;
        let kind = &resource[..resource.len() - 1];
        if meta::uid(&object) != uid {
            let found = meta::uid(&object);
            return Err(format!("{kind} UID ({found}) does not match service account {kind} ref claim ({uid})"));
        }
        if was_deleted(&object, registry.now(), false) { Err(invalidated()) } else { Ok(()) }
    }

    /// Looks whether a token is still the one in its secret.
    async fn check_copy(&self, registry: &Registry, token: &str) -> Result<(), String> {
        let secret = self.secret.as_ref().map_or("", |secret| &secret.name);
        let secret = find(registry, "secrets", &self.namespace, secret).await.ok();
        let Some(secret) = secret.filter(|secret| !meta::is_deleting(secret)) else {
            return Err("Token has been invalidated".to_owned());
        };
        let copy = secret.lookup(&["data", "token"]).and_then(Value::as_str).unwrap_or_default();
        let copy = base64::decode(copy).unwrap_or_default();
        same(&copy, token.as_bytes()).then_some(()).ok_or_else(|| "Token does not match server's copy".to_owned())
    }

    /// As upstream's `serviceaccount.ServiceAccountInfo.UserInfo`.
    fn as_user(&self) -> User {
        const PREFIX: &str = "authentication.kubernetes.io";
        let Account { namespace, name, uid, id, .. } = self;
        let mut extra = Vec::new();
        let mut add = |key: String, value: String| extra.push((key, vec![value]));
        if !id.is_empty() {
            add(CREDENTIAL_ID.to_owned(), format!("JTI={id}"));
        }
        for (kind, bound) in [("node", &self.node), ("pod", &self.pod)] {
            let Some(Ref { name, uid }) = bound else { continue };
            add(format!("{PREFIX}/{kind}-name"), name.clone());
            if !uid.is_empty() {
                add(format!("{PREFIX}/{kind}-uid"), uid.clone());
            }
        }
        User {
            name: format!("system:serviceaccount:{namespace}:{name}"),
            uid: uid.clone(),
            groups: vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")],
            extra,
        }
    }
}

impl Times {
    fn of(claims: &Value) -> Times {
        #[expect(clippy::cast_possible_truncation, reason = "parts of seconds do not count")]
        let whole = |seconds: f64| seconds as i64;
        let time = |name: &str| {
            let claim = claims.get(name)?;
            claim.as_i64().or_else(|| claim.as_f64().map(whole))
        };
        Times { not_before: time("nbf"), expires: time("exp"), issued: time("iat") }
    }
}

impl TokenIssuer for ServiceAccountTokens {
    fn audiences(&self) -> &[String] {
        &self.audiences
    }

    fn issue(&self, mut claims: Value) -> Result<String, ApiError> {
        claims.insert("iss", self.issuer());
        let id = new_id().map_err(ApiError::internal)?;
        if let Some(record) = audit::current() {
            record.annotate("authentication.kubernetes.io/issued-credential-id", &format!("JTI={id}"));
        }
        claims.insert("jti", id);
        let algorithm = self.key.public.algorithm.name();
        let header = Object::from(
            [("alg", algorithm), ("kid", self.key.public.id.as_str())].map(|(key, text)| (key, Value::from(text))),
        );
        let encode = |value: &Value| RAW_URL.encode(json::to_string(value).as_bytes());
        let signed = format!("{}.{}", encode(&Value::Object(header)), encode(&claims));
        let signature = self.key.sign(signed.as_bytes());
        let signature = signature.map_err(|error| ApiError::internal(format!("failed to generate token: {error}")))?;
        Ok(format!("{signed}.{}", RAW_URL.encode(&signature)))
    }
}

/// An object of the core group.
async fn find(registry: &Registry, resource: &str, namespace: &str, name: &str) -> Result<Value, ApiError> {
    let nobody = User::default();
    let request = Request { group: "", version: "v1", resource, namespace, name, subresource: "", user: &nobody };
    registry.get(&request, "").await
}

/// True if an object is being deleted, and has been for longer than clocks may differ.
fn was_deleted(object: &Value, now: Time, at_once: bool) -> bool {
    let leeway = if at_once { 0 } else { LEEWAY };
    let since = meta::text(object, "deletionTimestamp").parse::<Time>().ok();
    since.is_some_and(|since| since.unix_seconds() + leeway < now.unix_seconds() || at_once)
}

fn new_key() -> Result<String, Error> {
    let key = KeyPair::generate().map_err(|error| Error::Certificates(error.to_string()))?;
    Ok(key.serialize_pem())
}

/// A random UUID.
fn new_id() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

fn parse(part: &str) -> Option<Value> {
    json::parse(&RAW_URL.decode(part).ok()?).ok()
}

/// Returns the audiences of a token: one text or several.
fn audiences(claims: &Value) -> Vec<String> {
    let texts = |value: &Value| value.as_str().map(str::to_owned);
    match claims.get("aud") {
        Some(Value::Array(audiences)) => audiences.iter().filter_map(texts).collect(),
        Some(audience) => texts(audience).into_iter().collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(audience: &str, from: i64, to: i64) -> Value {
        let text = format!(
            r#"{{"aud":["{audience}"],"exp":{to},"nbf":{from},"sub":"system:serviceaccount:ns:sa",
                "kubernetes.io":{{"namespace":"ns","serviceaccount":{{"name":"sa","uid":"u"}}}}}}"#
        );
        json::parse(text.as_bytes()).unwrap()
    }

    fn tokens() -> ServiceAccountTokens {
        ServiceAccountTokens::new(&ServiceAccounts::default()).unwrap()
    }

    fn account(tokens: &ServiceAccountTokens, token: &str, seconds: i64) -> Result<Option<Account>, String> {
        let found = tokens.account(token, tokens.own_audiences(), Time::from_unix(seconds, 0))?;
        Ok(found.map(|(account, _)| account))
    }

    #[test]
    fn a_token_is_known_until_it_expires() {
        let tokens = tokens();
        let token = tokens.issue(claims(ISSUER, 100, 200)).unwrap();
        let user = account(&tokens, &token, 100).unwrap().unwrap().as_user();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("system:serviceaccount:ns:sa", "u"));
        assert_eq!(user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns"]);
        // Clocks may differ by a minute.
        assert!(account(&tokens, &token, 40).is_ok() && account(&tokens, &token, 260).is_ok());
        assert_eq!(account(&tokens, &token, 39), Err("service account token is not valid yet".into()));
        assert_eq!(account(&tokens, &token, 261), Err("service account token has expired".into()));
    }

    #[test]
    fn tokens_for_others_of_others_and_forged_ones_are_not_known() {
        let (tokens, others) = (tokens(), tokens());
        let token = tokens.issue(claims(ISSUER, 100, 200)).unwrap();
        assert!(account(&tokens, &token, 150).unwrap().is_some());
        assert_eq!(account(&others, &token, 150), Err("invalid signature, no keys found".into()));
        let for_another = tokens.issue(claims("vault", 100, 200)).unwrap();
        let why = format!(r#"token audiences ["vault"] is invalid for the target audiences ["{ISSUER}"]"#);
        assert_eq!(account(&tokens, &for_another, 150), Err(why));
        let parts: Vec<&str> = token.split('.').collect();
        let mut later = claims(ISSUER, 100, 900);
        later.insert("iss", ISSUER);
        let later = RAW_URL.encode(json::to_string(&later).as_bytes());
        let unsigned = RAW_URL.encode(br#"{"alg":"none"}"#);
        for forged in [format!("{}.{later}.{}", parts[0], parts[2]), format!("{unsigned}.{}.", parts[1])] {
            assert_eq!(account(&tokens, &forged, 150), Err(BAD_SIGNATURE.into()), "{forged}");
        }
        for no_token in [format!("{}.{}", parts[0], parts[1]), format!("{token}."), "x".to_owned(), String::new()] {
            assert_eq!(account(&tokens, &no_token, 150), Ok(None), "{no_token}");
        }
    }

    #[test]
    fn the_key_is_kept() {
        let folder = sprag_storage::testing::Scratch::new("tokens").unwrap();
        let tokens = || ServiceAccountTokens::in_folder(folder.path(), &ServiceAccounts::default()).unwrap();
        let token = tokens().issue(claims(ISSUER, 100, 200)).unwrap();
        assert!(account(&tokens(), &token, 150).unwrap().is_some());
    }

    #[test]
    fn tokens_of_other_keys_and_issuers_can_be_known() {
        let before = tokens();
        let token = before.issue(claims(ISSUER, 100, 200)).unwrap();
        let issuers = vec!["https://new".to_owned(), ISSUER.to_owned()];
        let rsa = include_str!("../../tests/keys/rsa.pem").to_owned();
        let options = ServiceAccounts { issuers, signing_key: Some(rsa), ..ServiceAccounts::default() };
        let mut after = ServiceAccountTokens::new(&options).unwrap();
        assert_eq!(account(&after, &token, 150), Err("invalid signature, no keys found".into()));
        after.known.push(before.key.public.clone());
        assert!(account(&after, &token, 150).unwrap().is_some());
        let own = after.issue(claims("https://new", 100, 200)).unwrap();
        assert!(account(&after, &own, 150).unwrap().is_some());
        let shown = json::to_string(&after.configuration("h:1"));
        let expected = r#"{"id_token_signing_alg_values_supported":["ES256","RS256"],"issuer":"https://new","jwks_uri":"https://h:1/openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"]}"#;
        assert_eq!(shown, expected);
        assert_eq!(after.key_set().get("keys").and_then(Value::as_array).map(|keys| keys.len()), Some(2));
    }
}
