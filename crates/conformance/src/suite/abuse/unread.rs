//! Answers over HTTP/2 that are asked for and never read: the client opens no window for them, or one of a byte.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tokio_rustls::client::TlsStream;

use super::frames::{PREFACE, anonymous_get, window_of};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(documents),
    case!(compressed_documents),
    case!(documents_of_groups),
    case!(large_objects),
    case!(large_objects_for_people),
    case!(compressed_lists),
    case!(refusals_of_long_urls),
    case!(small_answers_on_many_connections),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
/// The size of a large object.
const OBJECT: usize = 1_000_000;
/// The length of a long URL: with the rest of the head, a little less than a server of HTTP/2 takes.
const LONG: usize = 15_000;
/// The time for which nothing is read.
const UNREAD: Duration = Duration::from_secs(1);
/// Memory beyond that of an idle server that nobody's unread answers may cost, in MB.
const MOST: f64 = 180.0;
/// Memory that may be left after the connections are gone, in MB.
const LEFT: f64 = 80.0;
/// The longest time until it is back.
const BACK: Duration = Duration::from_secs(20);

/// A token of an account without roles.
async fn token(arena: &Arena) -> Result<String, String> {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody"}});
    arena.post(ACCOUNTS, &account).await?.expect(201)?;
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let answer = arena.post(&format!("{ACCOUNTS}/nobody/token"), &request).await?.expect(201)?.json();
    Ok(answer["status"]["token"].as_str().unwrap_or_default().to_owned())
}

async fn fill(arena: &Arena, objects: usize) -> Result<(), String> {
    let mut client = arena.client().await?;
    for number in 0..objects {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")},
            "data": {"text": "x".repeat(OBJECT)},
        });
        client.ask("POST", MAPS, "application/json", object.to_string()).await?.expect(201)?;
    }
    Ok(())
}

/// A connection whose client lets the server send so many bytes of each answer.
async fn connect(arena: &Arena, window: u32) -> Result<TlsStream<TcpStream>, String> {
    let mut stream = arena.connect("h2").await?;
    stream.write_all(&[PREFACE, &window_of(window)].concat()).await.map_err(|error| error.to_string())?;
    Ok(stream)
}

/// Asks for paths on several connections, reads nothing, and measures; then hangs up, and waits until the memory is back.
async fn unread(arena: &Arena, connections: usize, paths: &[String], headers: &[(&str, &str)]) -> Outcome {
    let streams = arena.count(100, 250);
    let filled = arena.cost();
    let mut open = Vec::new();
    for number in 0..connections {
        let mut stream = connect(arena, u32::from(number % 2 == 1)).await?;
        let ask = |number: usize| {
            let stream = u32::try_from(number * 2 + 1).unwrap_or(1);
            anonymous_get(stream, &paths[number % paths.len()], headers)
        };
        let bytes: Vec<u8> = (0..streams).flat_map(ask).collect();
        // The server may hang up, which is what it should do.
        let _ = stream.write_all(&bytes).await;
        open.push(stream);
    }
    let mut other = arena.client().await?;
    let started = Instant::now();
    let mut peak = 0.0_f64;
    let mut longest = Duration::ZERO;
    while started.elapsed() < UNREAD {
        let asked = Instant::now();
        other.ask_as("another", "GET", "/api/v1/namespaces/default", "").await?.expect(200)?;
        longest = longest.max(asked.elapsed());
        peak = peak.max(arena.cost() - filled);
        sleep(Duration::from_millis(10)).await;
    }
    drop(open);
    let hung_up = Instant::now();
    while arena.cost() - filled > LEFT && hung_up.elapsed() < BACK {
        sleep(Duration::from_millis(50)).await;
    }
    let left = arena.cost() - filled;
    let text = format!(
        "{connections} x {streams} unread: {peak:.0} MB, {left:.0} MB after {:.1} s, GET of others {} ms",
        hung_up.elapsed().as_secs_f64(),
        longest.as_millis()
    );
    if peak > MOST || left > LEFT { Err(text) } else { Ok(text) }
}

async fn documents(arena: &Arena) -> Outcome {
    let authorization = format!("Bearer {}", token(arena).await?);
    let headers = [("authorization", authorization.as_str())];
    unread(arena, arena.count(4, 20), &["/openapi/v2".to_owned()], &headers).await
}

async fn compressed_documents(arena: &Arena) -> Outcome {
    let authorization = format!("Bearer {}", token(arena).await?);
    let headers = [("authorization", authorization.as_str()), ("accept-encoding", "gzip")];
    unread(arena, arena.count(4, 20), &["/openapi/v2".to_owned()], &headers).await
}

async fn documents_of_groups(arena: &Arena) -> Outcome {
    let authorization = format!("Bearer {}", token(arena).await?);
    let headers = [("authorization", authorization.as_str())];
    let paths = ["/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/batch/v1", "/apis", "/openapi/v3"];
    unread(arena, arena.count(4, 20), &paths.map(str::to_owned), &headers).await
}

async fn large_objects(arena: &Arena) -> Outcome {
    fill(arena, 4).await?;
    let authorization = format!("Bearer {}", arena.token);
    let paths: Vec<String> = (0..4).map(|number| format!("{MAPS}/m{number}")).collect();
    unread(arena, arena.count(4, 20), &paths, &[("authorization", authorization.as_str())]).await
}

async fn large_objects_for_people(arena: &Arena) -> Outcome {
    fill(arena, 4).await?;
    let authorization = format!("Bearer {}", arena.token);
    let paths = ["/m0?pretty=true", "/m1?pretty=true", "", "?limit=1"].map(|path| format!("{MAPS}{path}"));
    let headers = [("authorization", authorization.as_str()), ("accept", "application/yaml,application/json")];
    unread(arena, arena.count(2, 20), &paths, &headers).await
}

async fn compressed_lists(arena: &Arena) -> Outcome {
    fill(arena, 4).await?;
    let authorization = format!("Bearer {}", arena.token);
    let headers = [("authorization", authorization.as_str()), ("accept-encoding", "gzip")];
    unread(arena, arena.count(4, 20), &[MAPS.to_owned()], &headers).await
}

async fn refusals_of_long_urls(arena: &Arena) -> Outcome {
    let path = format!("{MAPS}/{}", "x".repeat(LONG));
    unread(arena, arena.count(40, 200), &[path], &[]).await
}

async fn small_answers_on_many_connections(arena: &Arena) -> Outcome {
    let authorization = format!("Bearer {}", arena.token);
    let paths = ["/api/v1".to_owned(), "/apis".to_owned(), "/api/v1/namespaces".to_owned()];
    unread(arena, arena.count(50, 500), &paths, &[("authorization", authorization.as_str())]).await
}
