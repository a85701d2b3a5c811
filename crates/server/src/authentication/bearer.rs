//! The `Authorization` header.

use http::HeaderMap;
use http::header::AUTHORIZATION;

/// The error for a bearer token that is rejected.
pub(super) const SPACE_WARNING: &str =
    "the provided Authorization header contains extra space before the bearer token, and is ignored";

/// The parsed `Authorization` header, as upstream's `bearertoken.Authenticator.AuthenticateRequest` reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bearer<'h> {
    /// A token.
    Token(&'h str),
    /// A blank token before more words.
    Space,
    /// Nothing that is a token.
    None,
}

impl<'h> Bearer<'h> {
    /// Of several headers the first counts.
    pub(super) fn of(headers: &'h HeaderMap) -> Bearer<'h> {
        let Some(text) = headers.get(AUTHORIZATION).and_then(|value| std::str::from_utf8(value.as_bytes()).ok()) else {
            return Bearer::None;
        };
        Bearer::parse(text)
    }

    /// Reads the value of a header.
    pub(super) fn parse(text: &'h str) -> Bearer<'h> {
        let mut parts = text.trim().splitn(3, ' ');
        let scheme = parts.next().unwrap_or_default();
        let token = parts.next();
        let more = parts.next();
        match token {
            Some("") if scheme.eq_ignore_ascii_case("bearer") && more.is_some() => Bearer::Space,
            Some(token) if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() => Bearer::Token(token),
            _ => Bearer::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: Bearer<'_>) {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, header.parse().unwrap());
        assert_eq!(Bearer::of(&headers), expected, "{header:?}");
    }

    #[test]
    fn tokens_in_headers() {
        check("Bearer t", Bearer::Token("t"));
        check("  bEARER t and more  ", Bearer::Token("t"));
        check("Bearer  t", Bearer::Space);
        for nothing in ["Bearer", "Bearer ", "Basic t", "t", "Bearer\tt", "BearerX t", ""] {
            check(nothing, Bearer::None);
        }
    }
}
