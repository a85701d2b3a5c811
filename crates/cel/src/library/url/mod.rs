//! `kubernetes.URL`: absolute URIs and absolute paths.

mod escape;
mod parse;

use crate::cost::{CallEstimate, CallSite, STRING_TRAVERSAL};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Func, Overload};
use crate::types::Sig;
use crate::value::{Opaque, Url, Val};

use self::escape::{Part, text_of, unescape};
pub use self::parse::UrlParts;
pub use self::parse::parse_request_uri;
use self::parse::{parse, split_host_port};
use super::strings::charge_walk;

const URL: Sig = Sig::Object("kubernetes.URL");

/// Queries with more parameters are taken to have none.
const MAX_QUERY_PARAMETERS: usize = 10_000;

const fn part(function: &'static str, id: &'static str, call: Func) -> Overload {
    Overload::member(function, id, &[URL], Sig::String, call)
}

pub(crate) static TABLE: &[Overload] = &[
    Overload::global("url", "string_to_url", &[Sig::String], URL, url).costs(estimate, charge_walk),
    part("getScheme", "url_get_scheme", |cx, args| get(cx, args, |url| url.scheme)),
    part("getHost", "url_get_host", |cx, args| get(cx, args, |url| url.host)),
    part("getHostname", "url_get_hostname", |cx, args| get(cx, args, |url| split_host_port(url.host).0)),
    part("getPort", "url_get_port", |cx, args| get(cx, args, |url| split_host_port(url.host).1)),
    part("getEscapedPath", "url_get_escaped_path", |cx, args| get(cx, args, |url| url.path)),
    Overload::member("getQuery", "url_get_query", &[URL], Sig::Map(&Sig::String, &Sig::LIST_STRING), get_query),
    Overload::global("isURL", "is_url_string", &[Sig::String], Sig::Bool, is_url),
];

fn url<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    // Only the first reading insists on something absolute, and only the second knows fragments.
    let parsed = parse_request_uri(text).and_then(|()| parse(text));
    let parsed =
        parsed.map_err(|why| cx.error(format_args!("URL parse error during conversion from string: {why}")))?;
    let url = Url {
        text: cx.str(&text_of(&parsed.whole()))?,
        scheme: cx.str(&parsed.scheme)?,
        host: cx.str(&text_of(&parsed.host))?,
        path: cx.str(&text_of(&parsed.escaped_path()))?,
        query: cx.str(parsed.query)?,
    };
    cx.keep(url).map(|url| Val::Opaque(Opaque::Url(url)))
}

fn is_url<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::Bool(parse_request_uri(text).is_ok()))
}

fn read<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Result<&'a Url<'a>, Trap<'a>> {
    if let [Val::Opaque(Opaque::Url(url))] = args { Ok(url) } else { Err(cx.no_such_overload()) }
}

fn get<'a>(cx: &Cx<'a>, args: &[Val<'a>], part: for<'u> fn(&'u Url<'u>) -> &'u str) -> Outcome<'a> {
    Ok(Val::String(part(read(cx, args)?)))
}

fn get_query<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let query = read(cx, args)?.query;
    let mut pairs: Vec<(&'a str, Val<'a>)> = Vec::new();
    if query.matches('&').count() < MAX_QUERY_PARAMETERS {
        for setting in query.split('&') {
            if let Some((key, value)) = parameter(setting) {
                pairs.push((cx.str(&key)?, cx.string(&value)?));
            }
        }
    }
    // The sort is stable, so values of one key stay in order.
    pairs.sort_by_key(|(key, _)| *key);
    let mut entries = Vec::new();
    for group in pairs.chunk_by(|(a, _), (b, _)| a == b) {
        let values: Vec<Val<'a>> = group.iter().map(|(_, value)| *value).collect();
        entries.push((Val::String(group[0].0), cx.list(&values)?));
    }
    cx.map(entries)
}

/// Key and value of a parameter; nothing if it is empty or malformed.
fn parameter(setting: &str) -> Option<(String, String)> {
    if setting.is_empty() || setting.contains(';') {
        return None;
    }
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    let decoded = |text: &str| unescape(text.as_bytes(), Part::Query).ok().map(|bytes| text_of(&bytes));
    Some((decoded(key)?, decoded(value)?))
}

fn estimate(call: &CallSite<'_>) -> Option<CallEstimate> {
    let size = call.args.first()?.size;
    Some(CallEstimate::sized(size.scale(STRING_TRAVERSAL), size))
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn parts_of_urls() {
        check("url('HTTPS://u:p@Example.com:80/a/b?c=d#e').getScheme()", "https");
        check("url('https://u:p@Example.com:80/a').getHost()", "Example.com:80");
        check("url('https://Example.com:/a').getHostname()", "Example.com");
        check("url('https://[fe80::1%25eth0]:80/').getHostname()", "fe80::1%eth0");
        check("url('https://a/b%2fc').getEscapedPath()", "/b%2fc");
        check("url('https://a/b c%2f').getEscapedPath()", "/b%20c/");
        check("url('https://a').getEscapedPath()", "");
        check("url('https://a/b#c').getEscapedPath()", "/b");
        check("url('mailto:x@y').getHost()", "");
        check("url('*').getEscapedPath()", "*");
    }

    #[test]
    fn queries_collect_values_by_key() {
        check("url('/?b=1&a=2&b=3').getQuery()", "{a: [2], b: [1, 3]}");
        check("url('/?a=b+c%2B&d').getQuery()", "{a: [b c+], d: []}");
        check("url('/?a;b&c=%zz&&=x').getQuery()", "{: [x]}");
        check("url('/?').getQuery()", "{}");
    }

    #[test]
    fn equality_goes_by_the_printed_form() {
        check("url('HTTP://a/%7e') == url('http://a/%7e')", "true");
        check("url('http://a/%7e') == url('http://a/~')", "false");
        check("url('/a?') == url('/a')", "false");
        check("url('https://a/b') == url('https://a/b#')", "true");
    }

    #[test]
    fn queries_have_a_limit() {
        let query = |count: usize| format!("size(url('/?{}').getQuery())", vec!["k=v"; count].join("&"));
        check(&query(10_000), "1");
        check(&query(10_001), "0");
    }
}
