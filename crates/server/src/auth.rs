//! Who asks, and whether they may.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sprag_rest::{ApiError, User};

use crate::refuse;
use crate::route::Route;

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
    mode: AuthorizationMode,
}

impl Auth {
    /// One token, whose bearer is the administrator.
    pub(crate) fn new(token: String, mode: AuthorizationMode) -> Auth {
        let user = |name: &str, groups: &[&str]| User {
            name: name.to_owned(),
            uid: name.to_owned(),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            extra: Vec::new(),
        };
        let anonymous = User { uid: String::new(), ..user("system:anonymous", &["system:unauthenticated"]) };
        Auth { token, user: user("admin", &["system:masters", "system:authenticated"]), anonymous, mode }
    }

    /// Who makes a request, if they may.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        route: &Route<'_>,
        verb: &str,
        path: &str,
    ) -> Result<&User, ApiError> {
        let user = match bearer(headers) {
            Some(token) if same(token.as_bytes(), self.token.as_bytes()) => &self.user,
            None if is_public(route) => return Ok(&self.anonymous),
            _ => return Err(refuse::unauthorized()),
        };
        match self.mode {
            AuthorizationMode::AlwaysAllow => Ok(user),
            AuthorizationMode::AlwaysDeny => Err(refuse::forbidden(&user.name, verb, path)),
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
        let auth = Auth::new(token.into(), mode);
        let user = auth.check(&headers, &Route::parse(path), "get", path);
        user.map(|user| user.name.clone()).map_err(|error| error.code())
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
