//! URLs as Go's `net/url` reads and writes them.

use std::borrow::Cow;
use std::net::IpAddr;

use sprag_field::quote;

use super::escape::{Part, escape, text_of, unescape};
use crate::library::address;

/// A URL in parts. Decoded parts need not be UTF-8.
#[derive(Debug, Default)]
pub(super) struct Parsed<'t> {
    pub(super) scheme: String,
    /// The rest after the scheme, if it is not a path.
    opaque: &'t str,
    /// Name and password.
    user: Option<(Vec<u8>, Option<Vec<u8>>)>,
    pub(super) host: Vec<u8>,
    path: Vec<u8>,
    /// The path as written.
    raw_path: &'t str,
    /// True if there is a path but no `//` before it.
    omits_host: bool,
    /// True if there is a question mark with nothing after it.
    has_empty_query: bool,
    pub(super) query: &'t str,
    fragment: Vec<u8>,
    raw_fragment: &'t str,
}

/// The parts of a URL that address checks need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlParts {
    /// In lower case; empty if absent.
    pub scheme: String,
    /// Name and password, escaped.
    pub user: Option<String>,
    /// Host and port, decoded.
    pub host: String,
    /// As written, without the question mark.
    pub query: String,
    /// Decoded, without the number sign.
    pub fragment: String,
}

impl UrlParts {
    /// Reads a URL as Go's `url.Parse` does, with its error texts.
    ///
    /// ```
    /// use sprag_cel::UrlParts;
    ///
    /// assert_eq!(UrlParts::parse("https://example.com/a#b").unwrap().host, "example.com");
    /// assert_eq!(UrlParts::parse(":a").unwrap_err(), r#"parse ":a": missing protocol scheme"#);
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        parse(text).map(|url| Self::of(&url))
    }

    /// Reads a URL as Go's `url.ParseRequestURI` does: absolute, without a fragment.
    pub fn parse_request(text: &str) -> Result<Self, String> {
        parse_parts(text, true).map(|url| Self::of(&url)).map_err(|why| parse_error(text, &why))
    }

    fn of(url: &Parsed<'_>) -> Self {
        Self {
            scheme: url.scheme.clone(),
            user: url.user.as_ref().map(|_| text_of(&url.user_info())),
            host: text_of(&url.host),
            query: url.query.to_owned(),
            fragment: text_of(&url.fragment),
        }
    }
}

/// Checks a text that must be an absolute URI or an absolute path, and has no fragment.
pub fn parse_request_uri(text: &str) -> Result<(), String> {
    parse_parts(text, true).map(|_| ()).map_err(|why| parse_error(text, &why))
}

/// Reads a URL with an optional fragment.
pub(super) fn parse(text: &str) -> Result<Parsed<'_>, String> {
    let (main, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = parse_parts(main, false).map_err(|why| parse_error(main, &why))?;
    url.fragment = unescape(fragment.as_bytes(), Part::Fragment).map_err(|why| parse_error(text, &why))?;
    url.raw_fragment = fragment;
    Ok(url)
}

fn parse_error(text: &str, why: &str) -> String {
    format!("parse {}: {why}", quote::go(text))
}

fn parse_parts(text: &str, absolute: bool) -> Result<Parsed<'_>, String> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return Err("net/url: invalid control character in URL".into());
    }
    if text.is_empty() && absolute {
        return Err("empty url".into());
    }
    let mut url = Parsed::default();
    if text == "*" {
        url.path = b"*".into();
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.query = query;
    url.has_empty_query = query.is_empty() && text.ends_with('?');
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            url.opaque = rest;
            return Ok(url);
        }
        check_relative(rest, absolute)?;
    }
    let has_authority = !scheme.is_empty() || (!absolute && !rest.starts_with("///"));
    if let Some(after) = rest.strip_prefix("//").filter(|_| has_authority) {
        let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
        url.set_authority(authority)?;
        rest = path;
    } else if !scheme.is_empty() {
        url.omits_host = true;
    }
    url.path = unescape(rest.as_bytes(), Part::Path)?;
    url.raw_path = rest;
    Ok(url)
}

/// Splits `https:rest`; texts without a scheme are all rest.
fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    match text.split_once(':') {
        Some(("", _)) => Err("missing protocol scheme".into()),
        Some((scheme, rest)) if scheme.as_bytes()[0].is_ascii_alphabetic() && scheme.bytes().all(is_scheme) => {
            Ok((scheme, rest))
        }
        _ => Ok(("", text)),
    }
}

fn check_relative(rest: &str, absolute: bool) -> Result<(), String> {
    if absolute {
        return Err("invalid URI for request".into());
    }
    if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
        return Err("first path segment in URL cannot contain colon".into());
    }
    Ok(())
}

impl Parsed<'_> {
    fn set_authority(&mut self, authority: &str) -> Result<(), String> {
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        self.host = parse_host(&self.scheme, host)?;
        let Some(user) = user else { return Ok(()) };
        let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
        if !user.bytes().all(is_user) {
            return Err("net/url: invalid userinfo".into());
        }
        let decode = |text: &str| unescape(text.as_bytes(), Part::User);
        self.user = Some(match user.split_once(':') {
            Some((name, password)) => (decode(name)?, Some(decode(password)?)),
            None => (decode(user)?, None),
        });
        Ok(())
    }

    /// The path in escaped form: as written if that is a way to write it.
    pub(super) fn escaped_path(&self) -> Cow<'_, [u8]> {
        if self.path == b"*" {
            return Cow::Borrowed(b"*");
        }
        escaped(&self.path, self.raw_path, Part::Path)
    }

    /// The URL in one piece, which decides equality.
    pub(super) fn whole(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if !self.scheme.is_empty() {
            text.extend(self.scheme.bytes().chain([b':']));
        }
        if self.opaque.is_empty() {
            self.write_authority(&mut text);
            self.write_path(&mut text);
        } else {
            text.extend(self.opaque.bytes());
        }
        if self.has_empty_query || !self.query.is_empty() {
            text.extend([b'?'].into_iter().chain(self.query.bytes()));
        }
        if !self.fragment.is_empty() {
            text.push(b'#');
            text.extend_from_slice(&escaped(&self.fragment, self.raw_fragment, Part::Fragment));
        }
        text
    }

    fn write_authority(&self, text: &mut Vec<u8>) {
        let has_authority = !self.host.is_empty() || self.user.is_some();
        if !has_authority && (self.scheme.is_empty() || self.omits_host) {
            return;
        }
        if has_authority || !self.path.is_empty() {
            text.extend(b"//");
        }
        if self.user.is_some() {
            text.extend(self.user_info());
            text.push(b'@');
        }
        text.extend(escape(&self.host, Part::Host));
    }

    /// Name and password, escaped.
    fn user_info(&self) -> Vec<u8> {
        let Some((name, password)) = &self.user else { return Vec::new() };
        let mut text = escape(name, Part::User);
        if let Some(password) = password {
            text.push(b':');
            text.extend(escape(password, Part::User));
        }
        text
    }

    fn write_path(&self, text: &mut Vec<u8>) {
        let path = self.escaped_path();
        if !self.host.is_empty() && path.first().is_some_and(|first| *first != b'/') {
            text.push(b'/');
        }
        let segment = path.split(|byte| *byte == b'/').next().unwrap_or_default();
        if text.is_empty() && segment.contains(&b':') {
            text.extend(b"./");
        }
        text.extend_from_slice(&path);
    }
}

/// A decoded text in escaped form: as written if nothing in it needed an escape that it does not have.
fn escaped<'p>(decoded: &'p [u8], written: &'p str, part: Part) -> Cow<'p, [u8]> {
    let fits = |byte: u8| part.allows(byte) || b"!$&'()*+,;=:@[]%".contains(&byte);
    if written.bytes().all(fits) { Cow::Borrowed(written.as_bytes()) } else { Cow::Owned(escape(decoded, part)) }
}

/// A host with an optional port, decoded.
fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return parse_literal(host),
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    // Only HTTP insists that the first colon starts the port.
    let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
    if let Some(colon) = colon {
        check_port(&host[colon..])?;
    }
    unescape(host.as_bytes(), Part::Host)
}

/// An IPv6 address in brackets with an optional port.
fn parse_literal(host: &str) -> Result<Vec<u8>, String> {
    let Some((literal, port)) = host[1..].rsplit_once(']') else { return Err("missing ']' in host".into()) };
    check_port(port)?;
    let (name, zone) = literal.split_at(literal.find("%25").unwrap_or(literal.len()));
    let mut address = unescape(name.as_bytes(), Part::Host)?;
    address.extend(unescape(zone.as_bytes(), Part::Zone)?);
    match address::parse(&text_of(&address)) {
        Err(error) => return Err(format!("invalid host: {error}")),
        Ok(parsed) if matches!(parsed.address, IpAddr::V4(_)) => return Err("invalid IP-literal".into()),
        Ok(_) => {}
    }
    Ok([b"[".as_slice(), &address, b"]", port.as_bytes()].concat())
}

fn check_port(port: &str) -> Result<(), String> {
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_number);
    if is_port { Ok(()) } else { Err(format!("invalid port {} after host", quote::go(port))) }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Host, without brackets, and port.
pub(super) fn split_host_port(host: &str) -> (&str, &str) {
    let (host, port) = host.rsplit_once(':').filter(|(_, port)| is_number(port)).unwrap_or((host, ""));
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    (inner.unwrap_or(host), port)
}

#[cfg(test)]
mod tests {
    use super::super::escape::text_of;
    use super::{parse, parse_request_uri, quote};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match parse_request_uri(text).and_then(|()| parse(text)) {
            Ok(url) => text_of(&url.whole()),
            Err(why) => why,
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        check(text, &format!("parse {}: {why}", quote::go(text)));
    }

    #[test]
    fn urls_print_as_in_go() {
        for same in [
            "http://a:80/b?c#d",
            "http://user@a/",
            "http://user:p%40ss@a",
            "mailto:a@b.c",
            "file:///etc",
            "file:/etc",
            "http:?x",
            "/a:b/c",
            "/a?",
            "*",
            "http://[::1]:80/",
            "urn:a:b",
            "postgres://a:1,b:2/c",
            "http://a/%5B[b]",
        ] {
            check(same, same);
        }
        check("HTTP://A/b", "http://A/b");
        check("http://a/b c", "http://a/b%20c");
        check("http://a/\u{e9}", "http://a/%C3%A9");
        check("http://[fe80::1%25en0]/", "http://[fe80::1%25en0]/");
        check("http://%C3%A9/", "http://%C3%A9/");
        check("///a", "///a");
        check("//a", "//a");
        check("http://a/#%20", "http://a/#%20");
    }

    #[test]
    fn what_is_wrong_with_a_url() {
        refused("", "empty url");
        refused("a", "invalid URI for request");
        refused("1:b", "invalid URI for request");
        refused(":b", "missing protocol scheme");
        refused("http://a\u{7f}", "net/url: invalid control character in URL");
        refused("http://a:b:c/", "invalid port \":b:c\" after host");
        refused("http://a:80:80/", "invalid port \":80:80\" after host");
        refused("ftp://a:b:c/", "invalid port \":c\" after host");
        refused("http://a b/", "invalid character \" \" in host name");
        refused("http://[::1/", "missing ']' in host");
        refused("http://[::1]x/", "invalid port \"x\" after host");
        refused("http://[1.2.3.4]/", "invalid IP-literal");
        refused("http://a[::1]/", "invalid IP-literal");
        refused("http://[v1.x]/", "invalid host: ParseAddr(\"v1.x\"): unexpected character (at \"v1.x\")");
        refused("http://a%41/", "invalid URL escape \"%41\"");
        refused("http://a/%zz", "invalid URL escape \"%zz\"");
        refused("http://u\u{e9}@a/", "net/url: invalid userinfo");
    }
}
