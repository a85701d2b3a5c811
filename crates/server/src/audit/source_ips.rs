//! The addresses that a request came from.

use std::net::IpAddr;

use http::HeaderMap;

/// The addresses of proxies and of the client, that of the connection last.
// As upstream's net.SourceIPs.
pub(super) fn source_ips(headers: &HeaderMap, remote: Option<IpAddr>) -> Vec<String> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let forwarded = header("x-forwarded-for").split(',').filter_map(|part| part.trim().parse::<IpAddr>().ok());
    let mut found: Vec<IpAddr> = forwarded.map(|address| address.to_canonical()).collect();
    if let Ok(real) = header("x-real-ip").parse::<IpAddr>()
        && !found.contains(&real.to_canonical())
    {
        found.push(real.to_canonical());
    }
    if let Some(remote) = remote.map(|remote| remote.to_canonical())
        && found.last() != Some(&remote)
    {
        found.push(remote);
    }
    found.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(forwarded: &str, real: &str, expected: &[&str]) {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", forwarded.parse().unwrap());
        headers.insert("x-real-ip", real.parse().unwrap());
        assert_eq!(source_ips(&headers, Some([127, 0, 0, 1].into())), expected);
    }

    #[test]
    fn the_connection_comes_last_and_once() {
        check("", "", &["127.0.0.1"]);
        check("10.1.2.3, nonsense, 10.1.2.4", "10.1.2.5", &["10.1.2.3", "10.1.2.4", "10.1.2.5", "127.0.0.1"]);
        check("10.1.2.3", "10.1.2.3", &["10.1.2.3", "127.0.0.1"]);
        check("127.0.0.1", "", &["127.0.0.1"]);
        check("127.0.0.1, ::1", "", &["127.0.0.1", "::1", "127.0.0.1"]);
    }
}
