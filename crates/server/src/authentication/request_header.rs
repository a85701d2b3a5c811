//! Users whom a front proxy names in headers.

use std::borrow::Cow;

use http::{HeaderMap, HeaderValue};
use sprag_rest::User;

use super::RequestHeader;
use crate::go;

impl RequestHeader {
    /// True if a proxy of this name is trusted.
    pub(super) fn allows(&self, common_name: &str) -> bool {
        self.allowed_names.is_empty() || self.allowed_names.iter().any(|name| name == common_name)
    }

    /// The user whom the headers name.
    // As upstream's requestHeaderAuthRequestHandler.AuthenticateRequest.
    pub(super) fn user(&self, headers: &HeaderMap) -> Option<User> {
        let name = first(headers, &self.username_headers)?;
        let groups = self.group_headers.iter().flat_map(|name| headers.get_all(name.as_str())).map(text);
        Some(User {
            name,
            uid: first(headers, &self.uid_headers).unwrap_or_default(),
            groups: groups.filter(|group| !group.is_empty()).collect(),
            extra: extra(headers, &self.extra_headers_prefixes),
        })
    }
}

/// The user's `extra` from headers with these prefixes. Names are percent-decoded.
pub(crate) fn extra(headers: &HeaderMap, prefixes: &[String]) -> Vec<(String, Vec<String>)> {
    let mut extra: Vec<(String, Vec<String>)> = Vec::new();
    for prefix in prefixes {
        let prefix = prefix.to_ascii_lowercase();
        for name in headers.keys() {
            let Some(key) = name.as_str().strip_prefix(&prefix) else { continue };
            let key = go::unescape_path(key).unwrap_or(Cow::Borrowed(key)).into_owned();
            let values = headers.get_all(name).iter().map(text);
            match extra.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => known.extend(values),
                None => extra.push((key, values.collect())),
            }
        }
    }
    extra.sort();
    extra
}

fn first(headers: &HeaderMap, names: &[String]) -> Option<String> {
    names.iter().filter_map(|name| headers.get(name.as_str())).map(text).find(|value| !value.is_empty())
}

fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_names_users() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let trusted = RequestHeader {
            allowed_names: texts(&["front"]),
            username_headers: texts(&["X-User", "X-Remote-User"]),
            uid_headers: texts(&["X-Remote-Uid"]),
            group_headers: texts(&["X-Remote-Group"]),
            extra_headers_prefixes: texts(&["X-Remote-Extra-"]),
            ..RequestHeader::default()
        };
        assert!(trusted.allows("front") && !trusted.allows("other"));
        let mut headers = HeaderMap::new();
        assert_eq!(trusted.user(&headers), None);
        for (name, value) in [
            ("x-user", ""),
            ("x-remote-user", "ann"),
            ("x-remote-group", "a"),
            ("x-remote-group", ""),
            ("x-remote-group", "b,c"),
            ("x-remote-extra-scopes.example%2fFoo", "one"),
            ("x-remote-extra-bad%zz", "two"),
        ] {
            headers.append(http::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        let user = trusted.user(&headers).unwrap();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("ann", ""));
        assert_eq!(user.groups, ["a", "b,c"]);
        let extra: Vec<_> = user.extra.iter().map(|(key, values)| (key.as_str(), values.join(","))).collect();
        assert_eq!(extra, [("bad%zz", "two".to_owned()), ("scopes.example/foo", "one".to_owned())]);
    }
}
