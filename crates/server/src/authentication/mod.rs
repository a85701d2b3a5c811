//! Authentication: front proxies, client certificates, bearer tokens and anonymous requests.

mod accounts;
mod bearer;
mod certificate;
mod options;
mod request_header;
mod token_file;

use std::collections::HashMap;
use std::sync::Arc;

use http::HeaderMap;
use sprag_registry::Registry;
use sprag_rest::{ApiError, User};

pub(crate) use self::accounts::ServiceAccountTokens;
pub(crate) use self::certificate::{AnyCertificate, ClientCas, Peer};
pub use self::options::{Authentication, RequestHeader, ServiceAccounts};
pub(crate) use self::request_header::extra as extra_of;
pub(crate) use self::token_file::read as read_token_file;

use self::accounts::Account;
use self::bearer::Bearer;
use crate::identity;
use crate::refuse;
use crate::route::Route;

/// The user of requests without credentials, and groups that authentication gives.
pub(crate) const ANONYMOUS: &str = "system:anonymous";
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";
pub(crate) const AUTHENTICATED: &str = "system:authenticated";
/// The key of `extra` that holds the credential ID.
const CREDENTIAL_ID: &str = "authentication.kubernetes.io/credential-id";

/// Knows who shows which credentials, as upstream's `authenticator.Config.New` puts them in order.
pub(crate) struct Authenticator {
    /// The token of the administrator.
    token: String,
    administrator: Arc<User>,
    /// The users of static tokens.
    static_tokens: HashMap<String, Arc<User>>,
    accounts: Arc<ServiceAccountTokens>,
    client_cas: ClientCas,
    request_header: Option<(ClientCas, RequestHeader)>,
    anonymous: Arc<User>,
    accepts_anonymous: Anonymous,
    registry: Registry,
}

/// Treatment of requests without credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anonymous {
    /// Those of `system:anonymous`.
    Allowed,
    /// The same where they ask whether the server lives, and which one it is; refused elsewhere.
    HealthOnly,
    /// Refused.
    Refused,
}

/// An authenticated user.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) user: Arc<User>,
    proof: Proof,
}

/// The evidence behind credentials, checked again during long requests.
#[derive(Clone)]
enum Proof {
    /// It stays as it is while the server runs.
    Static,
    /// A certificate that ends, in seconds since 1970.
    Certificate(u64),
    /// The token of a service account.
    Account(Arc<Account>),
}

impl Identity {
    /// True if nobody knows who it is.
    // As upstream's filters.isAnonymousUser.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.user.name == ANONYMOUS || self.user.groups.iter().any(|group| group == UNAUTHENTICATED)
    }
}

/// The outcome of looking at a request.
pub(crate) struct Shown {
    pub(crate) identity: Result<Identity, ApiError>,
    /// Warnings about the client's credentials.
    pub(crate) warning: Option<&'static str>,
}

/// The user of a token, and the requested audiences it is valid for.
#[derive(Clone)]
pub(crate) struct TokenUser {
    pub(crate) identity: Identity,
    pub(crate) audiences: Vec<String>,
}

impl Authenticator {
    pub(crate) fn new(
        token: String,
        authority: Option<&str>,
        options: &Authentication,
        accounts: Arc<ServiceAccountTokens>,
        accepts_anonymous: Anonymous,
        registry: Registry,
    ) -> Result<Authenticator, crate::Error> {
        let client_cas = ClientCas::new(authority.into_iter().chain(options.client_ca.as_deref()))?;
        let request_header = options.request_header.clone();
        let request_header = request_header
            .map(|header| Ok::<_, crate::Error>((ClientCas::new([header.client_ca.as_str()])?, header)))
            .transpose()?;
        let user = |name: &str, uid: &str, groups: &[&str]| {
            let groups = groups.iter().map(|group| (*group).to_owned()).collect();
            Arc::new(User { name: name.to_owned(), uid: uid.to_owned(), groups, extra: Vec::new() })
        };
        let static_tokens = options.static_tokens.iter();
        Ok(Authenticator {
            token,
            administrator: user("admin", "admin", &[sprag_authorization::MASTERS, AUTHENTICATED]),
            static_tokens: static_tokens.map(|(token, user)| (token.clone(), authenticated(user.clone()))).collect(),
            accounts,
            client_cas,
            request_header,
            anonymous: user(ANONYMOUS, "", &[UNAUTHENTICATED]),
            accepts_anonymous,
            registry,
        })
    }

    /// The authorities whose certificates clients may show.
    pub(crate) fn certificate_hints(&self) -> Vec<rustls::DistinguishedName> {
        let header = self.request_header.iter().flat_map(|(cas, _)| cas.subjects());
        self.client_cas.subjects().into_iter().chain(header).collect()
    }

    /// Authenticates a request. The first valid credential wins; a request with only invalid ones is rejected.
    pub(crate) async fn authenticate(&self, headers: &HeaderMap, peer: Option<&Peer>, route: &Route<'_>) -> Shown {
        let mut has_failed = false;
        let bearer = Bearer::of(headers);
        let warning = matches!(bearer, Bearer::Space).then_some(bearer::SPACE_WARNING);
        let shown = |identity| Shown { identity, warning };
        if let Some(peer) = peer {
            match self.peer_identity(peer, headers) {
                Ok(Some(identity)) => return shown(Ok(identity)),
                Ok(None) => {}
                Err(Refused) => has_failed = true,
            }
        }
        if let Bearer::Token(token) = bearer {
            match self.token_user(token, None).await {
                Ok(Some(user)) => return shown(Ok(user.identity)),
                Ok(None) => has_failed = true,
                Err(error) => {
                    tracing::debug!(error, "a token is refused");
                    has_failed = true;
                }
            }
        }
        let is_allowed = match self.accepts_anonymous {
            Anonymous::Allowed => true,
            Anonymous::HealthOnly => is_public(route),
            Anonymous::Refused => false,
        };
        if has_failed || !is_allowed {
            return shown(Err(refuse::unauthorized()));
        }
        shown(Ok(Identity { user: self.anonymous.clone(), proof: Proof::Static }))
    }

    /// The user of a client certificate: the one a front proxy names, or the subject.
    fn peer_identity(&self, peer: &Peer, headers: &HeaderMap) -> Result<Option<Identity>, Refused> {
        let now = identity::now();
        let mut has_failed = false;
        if let Some((cas, header)) = &self.request_header {
            match peer.verified_by(1, cas, now) {
                Some(subject) if header.allows(&subject.common_name) => {
                    if let Some(user) = header.user(headers) {
                        let proof = Proof::Certificate(peer.not_after());
                        return Ok(Some(Identity { user: authenticated(user), proof }));
                    }
                }
                _ => has_failed = true,
            }
        }
        match peer.verified_by(0, &self.client_cas, now) {
            None => Err(Refused),
            Some(subject) => match certificate::user(subject, peer, self.registry.gates()) {
                Ok(Some(user)) => {
                    Ok(Some(Identity { user: authenticated(user), proof: Proof::Certificate(peer.not_after()) }))
                }
                Ok(None) if has_failed => Err(Refused),
                Ok(None) => Ok(None),
                Err(refused) => Err(refused),
            },
        }
    }

    /// The user of a token for one of these audiences, by default the server's own; `None` for an unknown token.
    ///
    /// # Errors
    ///
    /// Upstream's error for an invalid service account token.
    pub(crate) async fn token_user(
        &self,
        token: &str,
        audiences: Option<&[String]>,
    ) -> Result<Option<TokenUser>, String> {
        let own = self.accounts.own_audiences();
        let wanted = audiences.unwrap_or(own);
        let known = if same(token.as_bytes(), self.token.as_bytes()) {
            Some(&self.administrator)
        } else {
            self.static_tokens.get(token)
        };
        if let Some(user) = known {
            // As upstream's authenticator.WrapAudienceAgnosticToken: such a token is for this server.
            let audiences: Vec<String> = own.iter().filter(|own| wanted.contains(own)).cloned().collect();
            let identity = Identity { user: user.clone(), proof: Proof::Static };
            return Ok((!audiences.is_empty()).then_some(TokenUser { identity, audiences }));
        }
        let Some((account, audiences)) = self.accounts.account(token, wanted, self.registry.now())? else {
            return Ok(None);
        };
        let user = account.user(&self.registry).await?;
        let identity = Identity { user: authenticated(user), proof: Proof::Account(Arc::new(account)) };
        Ok(Some(TokenUser { identity, audiences }))
    }

    /// The user of a token, for a `TokenReview`.
    ///
    /// # Errors
    ///
    /// Upstream's aggregated error for an invalid token.
    pub(crate) async fn reviewed(&self, token: &str, audiences: Option<&[String]>) -> Result<TokenUser, String> {
        const INVALID: &str = "invalid bearer token";
        // As upstream's tokenreview.REST.Create, which asks with a header made of the token.
        let text = format!("Bearer {token}");
        let Bearer::Token(token) = Bearer::parse(&text) else { return Err(INVALID.to_owned()) };
        match self.token_user(token, audiences).await {
            Ok(user) => user.ok_or_else(|| INVALID.to_owned()),
            Err(error) => Err(format!("[{INVALID}, {error}]")),
        }
    }

    /// True if credentials that were good still are.
    pub(crate) async fn still_good(&self, identity: &Identity) -> bool {
        match &identity.proof {
            Proof::Static => true,
            Proof::Certificate(not_after) => identity::now() <= *not_after,
            Proof::Account(account) => {
                account.check_time(self.registry.now()).is_ok() && account.user(&self.registry).await.is_ok()
            }
        }
    }
}

/// A credential was shown that is not good.
pub(crate) struct Refused;

/// A user whose credentials were good.
// As upstream's group.AuthenticatedGroupAdder.
fn authenticated(mut user: User) -> Arc<User> {
    let is_marked = user.groups.iter().any(|group| group == AUTHENTICATED || group == UNAUTHENTICATED);
    if user.name != ANONYMOUS && !is_marked {
        user.groups.push(AUTHENTICATED.to_owned());
    }
    Arc::new(user)
}

/// Paths open to anonymous requests under `AlwaysAllow`: health and version.
fn is_public(route: &Route<'_>) -> bool {
    matches!(route, Route::Health(_) | Route::Version)
}

/// Compares in a time that does not tell where the difference is.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use http::header::AUTHORIZATION;
    use sprag_storage::Memory;

    use super::*;

    async fn check(token: &str, authorization: Option<&str>, path: &str, anonymous: Anonymous) -> Result<String, u16> {
        let mut headers = HeaderMap::new();
        if let Some(value) = authorization {
            headers.insert(AUTHORIZATION, value.parse().unwrap());
        }
        let registry = Registry::builder(Arc::new(Memory::new())).build();
        let mut options = Authentication::default();
        let static_user = User { name: "ann".into(), groups: vec!["dev".into()], ..User::default() };
        options.static_tokens.push(("static".into(), static_user));
        let accounts = Arc::new(ServiceAccountTokens::new(&options.service_accounts).unwrap());
        let auth = Authenticator::new(token.into(), None, &options, accounts, anonymous, registry).unwrap();
        let shown = auth.authenticate(&headers, None, &Route::parse(path)).await;
        let identity = shown.identity.map_err(|error| error.code())?;
        Ok(format!("{} {}", identity.user.name, identity.user.groups.join(",")))
    }

    const ADMIN: &str = "admin system:masters,system:authenticated";
    const NOBODY: &str = "system:anonymous system:unauthenticated";

    #[tokio::test]
    async fn only_known_tokens_open_the_door() {
        let check = async |authorization, path| check("secret", authorization, path, Anonymous::HealthOnly).await;
        assert_eq!(check(Some("Bearer secret"), "/api").await, Ok(ADMIN.into()));
        assert_eq!(check(Some("bearer secret and more"), "/api").await, Ok(ADMIN.into()));
        assert_eq!(check(Some("Bearer static"), "/api").await, Ok("ann dev,system:authenticated".into()));
        for wrong in ["Bearer  secret", "Bearer secre", "Bearer secret2", "Basic secret", "secret", "Bearer "] {
            assert_eq!(check(Some(wrong), "/api").await, Err(401), "{wrong}");
        }
        assert_eq!(check(Some("Bearer  x"), "/readyz").await, Ok(NOBODY.into()));
        assert_eq!(check(None, "/api").await, Err(401));
        assert_eq!(check(None, "/readyz").await, Ok(NOBODY.into()));
    }

    #[tokio::test]
    async fn requests_without_credentials_can_be_refused() {
        for (allowed, expected) in [(Anonymous::Allowed, Ok(NOBODY.to_owned())), (Anonymous::Refused, Err(401))] {
            for path in ["/api", "/readyz", "/apis/apps/v1/deployments"] {
                assert_eq!(check("secret", None, path, allowed).await, expected, "{path}");
                assert_eq!(check("secret", Some("Bearer wrong"), path, allowed).await, Err(401), "{path}");
            }
        }
    }

    #[tokio::test]
    async fn a_blank_token_lets_nobody_in() {
        for header in ["Bearer  x", "Bearer ", "Bearer", "bearer   "] {
            assert_eq!(check("", Some(header), "/api", Anonymous::HealthOnly).await, Err(401), "{header:?}");
        }
    }
}
