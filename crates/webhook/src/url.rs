//! As much of URLs as webhooks need.

/// The target of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) is_tls: bool,
    /// The host and, where it is given, the port.
    pub(crate) authority: String,
    /// Begins with `/`.
    pub(crate) path: String,
    /// Without `?`; empty for none.
    pub(crate) query: String,
}

impl Url {
    /// Reads an absolute URL; what follows `#` counts for nothing.
    pub(crate) fn parse(text: &str) -> Option<Url> {
        let (scheme, rest) = text.split_once("://")?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        if authority.is_empty() || authority.contains(|c: char| c.is_control() || c == ' ') {
            return None;
        }
        let path = if path.is_empty() { "/" } else { path };
        Some(Url { is_tls, authority: authority.to_owned(), path: path.to_owned(), query: query.to_owned() })
    }

    /// Returns the target of a redirect: an absolute URL, or one relative to this.
    pub(crate) fn redirected(&self, location: &str) -> Option<Url> {
        if location.contains("://") {
            return Url::parse(location);
        }
        if let Some(rest) = location.strip_prefix("//") {
            return Url::parse(&format!("{}://{rest}", self.scheme()));
        }
        let (path, query) = location.split_once('?').unwrap_or((location, ""));
        let path = match path.strip_prefix('/') {
            Some(_) => path.to_owned(),
            None if path.is_empty() => self.path.clone(),
            None => format!("{}/{path}", self.path.rsplit_once('/').map_or("", |(folder, _)| folder)),
        };
        Some(Url { path: cleaned(&path), query: query.to_owned(), ..self.clone() })
    }

    /// The host, without brackets.
    pub(crate) fn host(&self) -> &str {
        let host = match self.authority.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => self.authority.split(':').next().unwrap_or_default(),
        };
        host.split('%').next().unwrap_or_default()
    }

    /// The port, or that of the scheme.
    pub(crate) fn port(&self) -> u16 {
        let after = self.authority.rsplit_once(']').map_or(self.authority.as_str(), |(_, after)| after);
        let given = after.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        given.unwrap_or(if self.is_tls { 443 } else { 80 })
    }

    /// Host and port, to connect with.
    pub(crate) fn address(&self) -> String {
        let host = self.host();
        let port = self.port();
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// Path and query.
    pub(crate) fn target(&self) -> String {
        if self.query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.query) }
    }

    fn scheme(&self) -> &'static str {
        if self.is_tls { "https" } else { "http" }
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}{}", self.scheme(), self.authority, self.target())
    }
}

/// A path without empty parts, `.` and `..`, and without a slash at its end.
// As Go's path.Join, with which client-go makes paths.
pub(crate) fn cleaned(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read_and_written() {
        let url = Url::parse("https://[::1]:8443/a?b=c#d").unwrap();
        assert_eq!((url.host(), url.port(), url.target().as_str()), ("::1", 8443, "/a?b=c"));
        assert_eq!(url.to_string(), "https://[::1]:8443/a?b=c");
        let url = Url::parse("https://user@example.com").unwrap();
        assert_eq!((url.host(), url.port(), url.path.as_str()), ("example.com", 443, "/"));
        for wrong in ["ftp://a/b", "https://", "a", "https://a b/"] {
            assert_eq!(Url::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn redirects_may_be_relative() {
        let url = Url::parse("https://a:1/x/y?q=1").unwrap();
        let to = |location: &str| url.redirected(location).unwrap().to_string();
        assert_eq!(to("https://b/z"), "https://b/z");
        assert_eq!(to("//b/z"), "https://b/z");
        assert_eq!(to("/z?r=2"), "https://a:1/z?r=2");
        assert_eq!(to("z"), "https://a:1/x/z");
        assert_eq!(to("../z"), "https://a:1/z");
    }

    #[test]
    fn paths_are_cleaned() {
        assert_eq!(cleaned("//a/./b/../c/"), "/a/c");
        assert_eq!(cleaned(""), "/");
    }
}
