//! Numbers at the ends of their range.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(watches_for_ever), case!(numbers_in_every_parameter), case!(numbers_in_bodies)];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EXTREMES: [&str; 7] = [
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999999",
    "-1",
    "1e400",
];

async fn watches_for_ever(arena: &Arena) -> Outcome {
    for seconds in ["9223372036854775807", "18446744073709", "4611686018427387904"] {
        let mut stream = arena.connect("http/1.1").await?;
        let head = arena.head("GET", &format!("{MAPS}?watch=true&timeoutSeconds={seconds}"), "");
        stream.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
        let mut answer = [0; 15];
        let read = timeout(Duration::from_secs(5), stream.read_exact(&mut answer)).await;
        read.map_err(|_| "no answer")?.map_err(|error| error.to_string())?;
        if !answer.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(&answer).into_owned());
        }
    }
    Ok("200, no panic".into())
}

async fn numbers_in_every_parameter(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let mut count = 0;
    for number in EXTREMES {
        for (method, query) in [
            ("GET", "limit="),
            ("GET", "timeoutSeconds="),
            ("GET", "timeout="),
            ("GET", "resourceVersionMatch=Exact&resourceVersion="),
            ("GET", "resourceVersion="),
            ("GET", "continue="),
            ("DELETE", "gracePeriodSeconds="),
            ("DELETE", "timeoutSeconds="),
        ] {
            let answer = client.ask(method, &format!("{MAPS}?{query}{number}"), "", "").await?;
            if answer.code == 500 {
                return Err(format!("{query}{number}: {}", answer.text()));
            }
            count += 1;
        }
    }
    Ok(format!("{count} requests answered"))
}

async fn numbers_in_bodies(arena: &Arena) -> Outcome {
    let mut client = arena.client().await?;
    let mut count = 0;
    for number in EXTREMES {
        for body in [
            format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x","generation":{number}}}}}"#),
            format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x","deletionGracePeriodSeconds":{number}}}}}"#),
            format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x"}},"data":{{"a":{number}}}}}"#),
        ] {
            let answer = client.ask("POST", &format!("{MAPS}?dryRun=All"), "application/json", body).await?;
            if answer.code == 500 {
                return Err(answer.text());
            }
            count += 1;
        }
        let options = format!(r#"{{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":{number}}}"#);
        let answer = client.ask("DELETE", &format!("{MAPS}/x"), "application/json", options).await?;
        if answer.code == 500 {
            return Err(answer.text());
        }
        count += 1;
    }
    Ok(format!("{count} requests answered"))
}
