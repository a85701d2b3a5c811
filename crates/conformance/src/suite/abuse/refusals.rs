//! Refusals that come before the body was read: they reach the client, and what follows on the connection is not lost. And what
//! refusals tell those who may do nothing.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde_json::json;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(refused_bodies), case!(what_is_there_and_what_is_not)];

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

/// Who has no rights is answered the same about what is there and what is not: code, text and headers.
async fn what_is_there_and_what_is_not(arena: &Arena) -> Outcome {
    const SPACE: &str = "/api/v1/namespaces/known";
    const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    let object = |api_version: &str, kind: &str| json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "known"}});
    arena.post("/api/v1/namespaces", &object("v1", "Namespace")).await?.expect(201)?;
    for (plural, kind) in [("configmaps", "ConfigMap"), ("secrets", "Secret"), ("serviceaccounts", "ServiceAccount")] {
        arena.post(&format!("{SPACE}/{plural}"), &object("v1", kind)).await?.expect(201)?;
    }
    let paths = [
        "/api/v1/namespaces/NAME",
        "/api/v1/namespaces/NAME/configmaps",
        "/api/v1/namespaces/NAME/configmaps?watch=1",
        "/api/v1/namespaces/NAME/configmaps/x",
        "/api/v1/namespaces/known/configmaps/NAME",
        "/api/v1/namespaces/known/secrets/NAME",
        "/api/v1/namespaces/known/secrets?fieldSelector=metadata.name%3DNAME",
        "/api/v1/namespaces/known/serviceaccounts/NAME",
        "/api/v1/namespaces/known/serviceaccounts/NAME/token",
        "/api/v1/namespaces/known/pods/NAME/exec?command=x",
        "/api/v1/namespaces/NAME/finalize",
    ];
    let paths = paths.into_iter().map(str::to_owned).chain([format!("{ADMISSION}/NAME"), format!("{ADMISSION}/NAME/status")]);
    let mut client = arena.client().await?;
    let mut asked = 0;
    for path in paths {
        for (method, content_type) in [
            ("GET", ""),
            ("POST", "application/json"),
            ("PUT", "application/json"),
            ("DELETE", "application/json"),
            ("PATCH", "application/merge-patch+json"),
            ("PATCH", "application/apply-patch+yaml"),
        ] {
            let mut answers = Vec::new();
            for name in ["known", "never"] {
                let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "resourceVersion": "1"}});
                let request = Request::builder()
                    .method(method)
                    .uri(path.replace("NAME", name))
                    .header("host", "localhost")
                    .header("authorization", format!("Bearer {}", client.token))
                    .header("impersonate-user", "eve")
                    .header("content-type", content_type);
                let body = if method == "GET" { Bytes::new() } else { Bytes::from(body.to_string()) };
                let answer = client.send(request.body(Full::new(body)).map_err(|error| error.to_string())?).await?;
                let mut headers: Vec<String> = answer.headers.iter().map(|header| format!("{header:?}")).collect();
                headers.retain(|header| !header.contains("audit-id") && !header.contains("date"));
                answers.push((answer.code, answer.text().replace("known", "NAME").replace("never", "NAME"), headers));
                asked += 1;
            }
            if answers[0] != answers[1] || answers[0].0 < 400 {
                return Err(format!("{method} {path}: {answers:?}"));
            }
        }
    }
    Ok(format!("{asked} refusals tell nothing"))
}
