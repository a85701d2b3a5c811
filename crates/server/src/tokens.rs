//! Tokens of service accounts: JSON Web Tokens that the server signs and knows again.

use std::path::Path;

use rcgen::KeyPair;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, UnparsedPublicKey,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use sprag_rest::{ApiError, TokenIssuer, User};
use sprag_value::base64::RAW_URL;
use sprag_value::{Object, Time, Value, json};

use crate::Error;
use crate::folder::{self, write_private};

/// Who issues tokens, and whom they are for unless a request says otherwise.
const ISSUER: &str = "https://kubernetes.default.svc";

/// The algorithm of signatures.
const ALGORITHM: &str = "ES256";

/// The claim with what tokens say of Kubernetes' objects.
const OWN_CLAIM: &str = "kubernetes.io";

/// The key that signs tokens, and what is needed to know them again.
pub(crate) struct ServiceAccountTokens {
    key: EcdsaKeyPair,
    key_id: String,
    random: SystemRandom,
    audiences: Vec<String>,
}

/// A service account that showed a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    /// The id of the token.
    id: String,
}

impl ServiceAccountTokens {
    /// Tokens of a new key.
    pub(crate) fn new() -> Result<ServiceAccountTokens, Error> {
        ServiceAccountTokens::of_pem(&new_key()?)
    }

    /// Tokens of the key in a folder; of a new one if there is none.
    pub(crate) fn in_folder(folder: &Path) -> Result<ServiceAccountTokens, Error> {
        let path = folder.join("pki").join("sa.key");
        let pem = if let Some(pem) = folder::read(&path)? {
            pem
        } else {
            let pem = new_key()?;
            write_private(&path, &pem)?;
            pem
        };
        ServiceAccountTokens::of_pem(&pem)
    }

    fn of_pem(pem: &str) -> Result<ServiceAccountTokens, Error> {
        let failed = |error: String| Error::Certificates(error);
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|error| failed(error.to_string()))?;
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.secret_der(), &random)
            .map_err(|error| failed(format!("the key of service accounts: {error}")))?;
        let key_id = RAW_URL.encode(digest(&SHA256, key.public_key().as_ref()).as_ref());
        Ok(ServiceAccountTokens { key, key_id, random, audiences: vec![ISSUER.to_owned()] })
    }

    /// The account of a token that this server issued for itself and that is valid now. Whether the account is still there is for
    /// the caller to see.
    pub(crate) fn account(&self, token: &str, now: Time) -> Option<Account> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let header = parse(header)?;
        if text(&header, "alg") != ALGORITHM || text(&header, "kid") != self.key_id {
            return None;
        }
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.key.public_key().as_ref());
        public.verify(signed.as_bytes(), &RAW_URL.decode(signature).ok()?).ok()?;
        let claims = parse(payload)?;
        let time = |name: &str| claims.get(name).and_then(Value::as_i64);
        let now = now.unix_seconds();
        let audiences = claims.get("aud").and_then(Value::as_array)?;
        let is_for_us = audiences.iter().filter_map(Value::as_str).any(|audience| audience == ISSUER);
        let is_valid = time("exp").is_some_and(|end| now < end) && time("nbf").is_none_or(|start| start <= now);
        if !is_for_us || !is_valid || text(&claims, "iss") != ISSUER {
            return None;
        }
        let own = claims.get(OWN_CLAIM)?;
        let account = own.get("serviceaccount")?;
        let [namespace, name, uid, id] =
            [text(own, "namespace"), text(account, "name"), text(account, "uid"), text(&claims, "jti")];
        let subject = format!("system:serviceaccount:{namespace}:{name}");
        let account = Account { namespace: namespace.into(), name: name.into(), uid: uid.into(), id: id.into() };
        (text(&claims, "sub") == subject && !uid.is_empty()).then_some(account)
    }
}

impl Account {
    /// The user that a service account is, as upstream's `serviceaccount.ServiceAccountInfo.UserInfo`.
    pub(crate) fn user(&self) -> User {
        let Account { namespace, name, uid, id } = self;
        User {
            name: format!("system:serviceaccount:{namespace}:{name}"),
            uid: uid.clone(),
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated".to_owned(),
            ],
            extra: vec![("authentication.kubernetes.io/credential-id".to_owned(), vec![format!("JTI={id}")])],
        }
    }
}

impl TokenIssuer for ServiceAccountTokens {
    fn audiences(&self) -> &[String] {
        &self.audiences
    }

    fn issue(&self, mut claims: Value) -> Result<String, ApiError> {
        claims.insert("iss", ISSUER);
        claims.insert("jti", new_id().map_err(ApiError::internal)?);
        let header = Object::from(
            [("alg", ALGORITHM), ("kid", self.key_id.as_str())].map(|(key, text)| (key, Value::from(text))),
        );
        let encode = |value: &Value| RAW_URL.encode(json::to_string(value).as_bytes());
        let signed = format!("{}.{}", encode(&Value::Object(header)), encode(&claims));
        let signature = self.key.sign(&self.random, signed.as_bytes());
        let signature = signature.map_err(|error| ApiError::internal(format!("failed to generate token: {error}")))?;
        Ok(format!("{signed}.{}", RAW_URL.encode(signature.as_ref())))
    }
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

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
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

    #[test]
    fn a_token_is_known_until_it_expires() {
        let tokens = ServiceAccountTokens::new().unwrap();
        let token = tokens.issue(claims(ISSUER, 100, 200)).unwrap();
        let at = |seconds| tokens.account(&token, Time::from_unix(seconds, 0));
        let user = at(100).unwrap().user();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("system:serviceaccount:ns:sa", "u"));
        assert_eq!(user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"]);
        assert!(at(199).is_some() && at(99).is_none() && at(200).is_none());
    }

    #[test]
    fn tokens_for_others_of_others_and_forged_ones_are_not_known() {
        let (tokens, others) = (ServiceAccountTokens::new().unwrap(), ServiceAccountTokens::new().unwrap());
        let now = Time::from_unix(150, 0);
        let token = tokens.issue(claims(ISSUER, 100, 200)).unwrap();
        assert!(tokens.account(&token, now).is_some() && others.account(&token, now).is_none());
        let for_another = tokens.issue(claims("vault", 100, 200)).unwrap();
        assert!(tokens.account(&for_another, now).is_none());
        let parts: Vec<&str> = token.split('.').collect();
        let later = RAW_URL.encode(json::to_string(&claims(ISSUER, 100, 900)).as_bytes());
        let unsigned = RAW_URL.encode(br#"{"alg":"none"}"#);
        for forged in [
            format!("{}.{later}.{}", parts[0], parts[2]),
            format!("{unsigned}.{}.", parts[1]),
            format!("{}.{}", parts[0], parts[1]),
            "x".to_owned(),
            String::new(),
        ] {
            assert_eq!(tokens.account(&forged, now), None, "{forged}");
        }
    }

    #[test]
    fn the_key_is_kept() {
        let folder = sprag_storage::testing::Scratch::new("tokens").unwrap();
        let tokens = || ServiceAccountTokens::in_folder(folder.path()).unwrap();
        let token = tokens().issue(claims(ISSUER, 100, 200)).unwrap();
        let known = tokens().account(&token, Time::from_unix(150, 0));
        assert!(known.is_some());
    }
}
