//! Who asks, and whether they may.

use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sprag_rest::{ApiError, User};
use sprag_value::Time;

use crate::refuse;
use crate::route::Route;
use crate::tokens::{Account, ServiceAccountTokens};

/// Who may do what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum AuthorizationMode {
    /// Everyone whose token is known may do everything.
    #[default]
    #[value(name = "AlwaysAllow")]
    AlwaysAllow,
    /// Nobody may do anything; for tests of clients.
    #[value(name = "AlwaysDeny")]
    AlwaysDeny,
}

/// Knows tokens and what they are good for.
pub(crate) struct Auth {
    token: String,
    user: User,
    anonymous: User,
    accounts: Arc<ServiceAccountTokens>,
    mode: AuthorizationMode,
}

/// Who makes a request.
#[derive(Debug)]
pub(crate) enum Asker<'a> {
    /// Somebody that the server knows.
    Known(&'a User),
    /// A service account, which may be gone by now.
    Account(Account),
}

impl Auth {
    /// One token, whose bearer is the administrator, and those of service accounts.
    pub(crate) fn new(token: String, accounts: Arc<ServiceAccountTokens>, mode: AuthorizationMode) -> Auth {
        let user = |name: &str, groups: &[&str]| User {
            name: name.to_owned(),
            uid: name.to_owned(),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            extra: Vec::new(),
        };
        let anonymous = User { uid: String::new(), ..user("system:anonymous", &["system:unauthenticated"]) };
        Auth { token, user: user("admin", &["system:masters", "system:authenticated"]), anonymous, accounts, mode }
    }

    /// Who makes a request, if they may.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        route: &Route<'_>,
        verb: &str,
        path: &str,
        now: Time,
    ) -> Result<Asker<'_>, ApiError> {
        let asker = match bearer(headers) {
            Some(token) if same(token.as_bytes(), self.token.as_bytes()) => Asker::Known(&self.user),
            Some(token) => Asker::Account(self.accounts.account(token, now).ok_or_else(refuse::unauthorized)?),
            None if is_public(route) => return Ok(Asker::Known(&self.anonymous)),
            None => return Err(refuse::unauthorized()),
        };
        match (self.mode, &asker) {
            (AuthorizationMode::AlwaysAllow, _) => Ok(asker),
            (AuthorizationMode::AlwaysDeny, Asker::Known(user)) => Err(refuse::forbidden(&user.name, verb, path)),
            (AuthorizationMode::AlwaysDeny, Asker::Account(account)) => {
                Err(refuse::forbidden(&account.user().name, verb, path))
            }
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut words = headers.get(AUTHORIZATION)?.to_str().ok()?.trim().split(' ');
    let is_bearer = words.next()?.eq_ignore_ascii_case("bearer");
    // As upstream's bearertoken.Authenticator.AuthenticateRequest: a blank token is none.
    words.next().filter(|token| is_bearer && !token.is_empty())
}

/// What may be asked without a token: whether the server lives, and which one it is.
fn is_public(route: &Route<'_>) -> bool {
    matches!(route, Route::Health(_) | Route::Version)
}

/// Compares in a time that does not tell where the difference is.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(authorization: Option<&str>, path: &str, mode: AuthorizationMode) -> Result<String, u16> {
        check_token("secret", authorization, path, mode)
    }

    fn check_token(
        token: &str,
        authorization: Option<&str>,
        path: &str,
        mode: AuthorizationMode,
    ) -> Result<String, u16> {
        let mut headers = HeaderMap::new();
        if let Some(value) = authorization {
            headers.insert(AUTHORIZATION, value.parse().unwrap());
        }
        let accounts = Arc::new(ServiceAccountTokens::new().unwrap());
        let auth = Auth::new(token.into(), accounts, mode);
        match auth.check(&headers, &Route::parse(path), "get", path, Time::from_unix(0, 0)) {
            Ok(Asker::Known(user)) => Ok(user.name.clone()),
            Ok(Asker::Account(account)) => panic!("{account:?} has no token"),
            Err(error) => Err(error.code()),
        }
    }

    #[test]
    fn only_the_token_opens_the_door() {
        let allow = AuthorizationMode::AlwaysAllow;
        assert_eq!(check(Some("Bearer secret"), "/api", allow), Ok("admin".into()));
        assert_eq!(check(Some("bearer secret and more"), "/api", allow), Ok("admin".into()));
        for wrong in ["Bearer  secret", "Bearer secre", "Bearer secret2", "Basic secret", "secret", "Bearer "] {
            assert_eq!(check(Some(wrong), "/api", allow), Err(401), "{wrong}");
        }
        assert_eq!(check(Some("Bearer  x"), "/readyz", allow), Ok("system:anonymous".into()));
        assert_eq!(check(None, "/api", allow), Err(401));
        assert_eq!(check(None, "/readyz", allow), Ok("system:anonymous".into()));
        assert_eq!(check(Some("Bearer secret"), "/api", AuthorizationMode::AlwaysDeny), Err(403));
    }

    #[test]
    fn a_blank_token_lets_nobody_in() {
        for header in ["Bearer  x", "Bearer ", "Bearer", "bearer   "] {
            assert_eq!(check_token("", Some(header), "/api", AuthorizationMode::AlwaysAllow), Err(401), "{header:?}");
        }
    }
}
