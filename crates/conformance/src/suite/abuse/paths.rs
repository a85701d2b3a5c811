//! Paths and heads that could be read in two ways.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(tricky_paths), case!(namespaces_with_common_beginnings), case!(smuggled_requests)];

/// Sends a request as it is and returns the code of each answer that comes.
async fn raw(arena: &Arena, text: &str) -> Result<Vec<u16>, String> {
    let mut stream = arena.connect("http/1.1").await?;
    stream.write_all(text.as_bytes()).await.map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    // Answers on a connection that stays open come at once.
    let _ = timeout(Duration::from_millis(700), stream.read_to_end(&mut answer)).await;
    let text = String::from_utf8_lossy(&answer).into_owned();
    let codes = text.match_indices("HTTP/1.1 ").filter_map(|(at, _)| text.get(at + 9..at + 12)?.parse().ok());
    Ok(codes.collect())
}

async fn tricky_paths(arena: &Arena) -> Outcome {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "hidden-text"}});
    arena.post("/api/v1/namespaces/kube-system/secrets", &secret).await?.expect(201)?;
    let paths = [
        "/api/v1/namespaces/default/secrets/../../kube-system/secrets/s",
        "/api/v1/namespaces/default/secrets/%2e%2e%2f%2e%2e%2fkube-system%2fsecrets%2fs",
        "/api/v1/namespaces/default/secrets/..%2Fkube-system%2Fs",
        "/api/v1/namespaces/kube-system%2Fsecrets/s",
        "/api/v1/namespaces/default%00/secrets/s",
        "//api/v1/namespaces/kube-system/secrets/s",
        "/api//v1/namespaces/kube-system/secrets/s",
        "/api/v1/namespaces//secrets/s",
        "/api/v1/namespaces/kube-system/secrets/s;x=y",
        "/api/v1/namespaces/kube-system/secrets/s%20",
        "/api/v1/namespaces/kube-system/SECRETS/s",
        "/api/v1/secrets/s",
        "/apis//v1/namespaces/kube-system/secrets/s",
        "/livez/../api/v1/namespaces/kube-system/secrets/s",
        "/healthz%2f..%2fapi/v1/namespaces/kube-system/secrets/s",
        "/api/v1/namespaces/kube-system/secrets/%ff%fe",
        "/api/v1/namespaces/kube-system/secrets/s/status",
    ];
    for path in paths {
        for token in [arena.token.as_str(), "forged"] {
            let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n");
            let mut stream = arena.connect("http/1.1").await?;
            stream.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
            let mut answer = Vec::new();
            let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
            let text = String::from_utf8_lossy(&answer);
            // As Go's server does, a slash may be written as %2F; only who may read the secret gets it.
            let may = token != "forged" && path.contains("namespaces/kube-system%2Fsecrets");
            if may {
                continue;
            }
            if text.starts_with("HTTP/1.1 2") || text.contains("aGlkZGVuLXRleHQ") || text.starts_with("HTTP/1.1 5") {
                return Err(format!("{path}: {text:.200}"));
            }
        }
    }
    Ok(format!("{} paths lead nowhere", paths.len()))
}

/// Lists of a namespace or resource show nothing of one whose name begins alike.
async fn namespaces_with_common_beginnings(arena: &Arena) -> Outcome {
    for namespace in ["a", "ab", "a-b", "a.b"] {
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        if arena.post("/api/v1/namespaces", &object).await?.code != 201 {
            continue;
        }
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("in-{namespace}")}});
        arena.post(&format!("/api/v1/namespaces/{namespace}/configmaps"), &map).await?.expect(201)?;
    }
    for namespace in ["a", "ab", "a-b"] {
        let list = arena.get(&format!("/api/v1/namespaces/{namespace}/configmaps")).await?.expect(200)?.json();
        let names = list["items"].as_array().into_iter().flatten().map(|item| item["metadata"]["name"].clone());
        // Every namespace has the certificate of the server.
        let names: Vec<_> = names.filter(|name| name != "kube-root-ca.crt").collect();
        if names != [json!(format!("in-{namespace}"))] {
            return Err(format!("{namespace} lists {names:?}"));
        }
    }
    arena.ask("DELETE", "/api/v1/namespaces/a/configmaps", "", "").await?.expect(200)?;
    arena.get("/api/v1/namespaces/ab/configmaps/in-ab").await?.expect(200)?;
    let wrong = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "ab"}});
    arena.post("/api/v1/namespaces/a/configmaps", &wrong).await?.expect(400)?;
    arena.post("/api/v1/namespaces/a/namespaces", &wrong).await?.refused()?;
    Ok("each namespace has its own".into())
}

/// Requests whose end can be seen in two places: the second one must not be answered as another request.
async fn smuggled_requests(arena: &Arena) -> Outcome {
    let token = &arena.token;
    let hidden = format!("GET /version HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n");
    let head = |more: &str| format!("POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n{more}\r\n");
    let attacks = [
        ("both lengths", head("content-length: 5\r\ntransfer-encoding: chunked\r\n") + "0\r\n\r\n" + &hidden),
        ("two lengths", head("content-length: 2\r\ncontent-length: 200\r\n") + "{}" + &hidden),
        ("list of lengths", head("content-length: 2, 200\r\n") + "{}" + &hidden),
        ("odd length", head("content-length: +2\r\n") + "{}" + &hidden),
        ("odd coding", head("transfer-encoding: chunked, identity\r\n") + "0\r\n\r\n" + &hidden),
        ("space before colon", head("content-length : 2\r\n") + "{}" + &hidden),
        ("folded", head("x: y\r\n content-length: 2\r\n") + "{}" + &hidden),
        ("odd chunk", head("transfer-encoding: chunked\r\n") + "0x2\r\n{}\r\n0\r\n\r\n" + &hidden),
    ];
    let mut outcomes = Vec::new();
    for (name, text) in attacks {
        let codes = raw(arena, &text).await?;
        if codes.contains(&200) && codes.first().is_none_or(|code| *code < 400) {
            return Err(format!("{name}: answered with {codes:?}"));
        }
        outcomes.push(codes.first().map_or("closed".to_owned(), ToString::to_string));
    }
    Ok(outcomes.join(", "))
}
