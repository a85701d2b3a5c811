//! Refusals that come before the body was read: they reach the client, and what follows on the connection is not lost.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(refused_bodies)];

async fn refused_bodies(arena: &Arena) -> Outcome {
    let maps = "/api/v1/namespaces/default/configmaps";
    let mut kept = 0;
    let refusals: [(u16, &str, &str, &str, bool); 5] = [
        (401, "POST", maps, "application/json", false),
        (404, "POST", "/apis/nobody.knows/v1/things", "application/json", true),
        (404, "POST", "/nowhere", "application/json", true),
        (415, "POST", maps, "text/nonsense", true),
        (415, "PATCH", "/api/v1/namespaces/default/configmaps/x", "text/nonsense", true),
    ];
    for size in [10, 100_000, 3_000_000, 20_000_000] {
        let all = refusals.iter().copied().chain([(413, "POST", maps, "application/json", true)]);
        for (code, method, path, content_type, is_known) in all.filter(|refusal| refusal.0 != 413 || size > 3 << 20) {
            let mut client = arena.client().await?;
            let token = if is_known { client.token.as_str() } else { "forged" };
            let request = Request::builder()
                .method(method)
                .uri(path)
                .header("host", "localhost")
                .header("authorization", format!("Bearer {token}"))
                .header("content-type", content_type)
                .body(Full::new(Bytes::from(vec![b' '; size])))
                .map_err(|error| error.to_string())?;
            let what = format!("{code} for {size} bytes");
            let answer = client.send(request).await.map_err(|error| format!("{what}: {error}"))?;
            let answer = answer.expect(code).map_err(|error| format!("{what}: {error}"))?;
            let closes = answer.headers.get("connection").is_some_and(|value| value == "close");
            let next = client.ask("GET", "/version", "", "").await;
            match (closes, next) {
                (false, Ok(next)) if next.code == 200 => kept += 1,
                (true, Err(_)) => {}
                (true, Ok(_)) => return Err(format!("{what}: the connection was to be closed and is not")),
                (false, _) => return Err(format!("{what}: the next request on the connection is lost")),
            }
        }
    }
    Ok(format!("all reach the client, {kept} connections kept"))
}
