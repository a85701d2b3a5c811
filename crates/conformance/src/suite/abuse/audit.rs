//! Users who want to be missing from the audit log, to write their own, or to have it take all there is.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{Arena, Attack, Case, Outcome};
use std::sync::Arc;

const ARGUMENTS: &[&str] =
    &["--audit-policy-file={folder}/audit.json", "--audit-log-path={folder}/audit/audit.log", "--audit-log-maxsize=0"];
const LEGACY: &[&str] =
    &["--audit-policy-file={folder}/audit.json", "--audit-log-path={folder}/audit/audit.log", "--audit-log-format=legacy"];
const METADATA: &[&str] = &["--audit-policy-file={folder}/metadata.json", "--audit-log-path={folder}/audit/audit.log"];

pub(super) const CASES: &[Case] = &[
    audited("lists_that_nobody_reads", ARGUMENTS, |arena| Box::pin(async move { lists_that_nobody_reads(&arena).await })),
    audited("a_flood_that_hides_others", ARGUMENTS, |arena| Box::pin(async move { a_flood_that_hides_others(&arena).await })),
    audited("large_bodies", ARGUMENTS, |arena| Box::pin(async move { large_bodies(&arena).await })),
    audited("lines_of_nobody", ARGUMENTS, |arena| Box::pin(async move { lines_of_nobody(&arena, false).await })),
    audited("lines_of_nobody_in_words", LEGACY, |arena| Box::pin(async move { lines_of_nobody(&arena, true).await })),
    audited("nothing_is_done_unseen", METADATA, |arena| Box::pin(async move { nothing_is_done_unseen(&arena).await })),
    audited("what_metadata_does_not_have", METADATA, |arena| Box::pin(async move { what_metadata_does_not_have(&arena).await })),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const LIST: &[(&str, &str)] = &[("impersonate-user", "eve"), ("impersonate-group", "system:masters")];

const fn audited(name: &'static str, arguments: &'static [&'static str], attack: fn(Arc<Arena>) -> Attack) -> Case {
    Case { name, arguments, files: None, attack }
}

fn log(arena: &Arena) -> PathBuf {
    arena.folder().join("audit/audit.log")
}

fn lines(arena: &Arena) -> Result<Vec<String>, String> {
    let text = std::fs::read(log(arena)).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
}

/// A little less than the largest list that an event has.
async fn fill(arena: &Arena) -> Result<(), String> {
    let mut client = arena.client().await?;
    for number in 0..28 {
        let data = json!({"d": "x".repeat(250_000)});
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")}, "data": data});
        client.ask("POST", MAPS, "application/json", map.to_string()).await?.expect(201)?;
    }
    Ok(())
}

/// An event has a whole list until the client has read it.
async fn lists_that_nobody_reads(arena: &Arena) -> Outcome {
    fill(arena).await?;
    let filled = arena.cost();
    let mut open = Vec::new();
    for _ in 0..arena.count(40, 300) {
        let mut stream = arena.connect("http/1.1").await?;
        let head = arena.head("GET", MAPS, "impersonate-user: eve\r\nimpersonate-group: system:masters\r\n");
        stream.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
        open.push(stream);
    }
    let mut peak = 0.0_f64;
    for _ in 0..200 {
        peak = peak.max(arena.cost() - filled);
        sleep(Duration::from_millis(10)).await;
    }
    // Others are recorded meanwhile.
    let listed = arena.get(MAPS).await?.expect(200)?;
    let text = format!("{} unread lists cost {peak:.0} MB, another reads {} KiB", open.len(), listed.body.len() >> 10);
    if peak > 180.0 { Err(text) } else { Ok(text) }
}

/// Events of megabytes, one after the other, while somebody else does what should be in the log.
async fn a_flood_that_hides_others(arena: &Arena) -> Outcome {
    fill(arena).await?;
    let mut flood = JoinSet::new();
    for _ in 0..arena.count(12, 30) {
        let mut client = arena.client().await?;
        let rounds = arena.count(2, 4);
        flood.spawn(async move {
            for _ in 0..rounds {
                client.ask_with("GET", MAPS, LIST).await?.expect(200)?;
            }
            Ok::<_, String>(())
        });
    }
    let mut client = arena.client().await?;
    for number in 0..30 {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("seen-{number}")}});
        client.ask("POST", MAPS, "application/json", map.to_string()).await?.expect(201)?;
        sleep(Duration::from_millis(20)).await;
    }
    while let Some(listed) = flood.join_next().await {
        listed.map_err(|error| error.to_string())??;
    }
    sleep(Duration::from_secs(1)).await;
    let lines = lines(arena)?;
    let complete = |line: &&String| line.contains(r#""stage":"ResponseComplete""#);
    let complete: Vec<&String> = lines.iter().filter(complete).collect();
    let is_seen = |number: &usize| {
        complete.iter().any(|line| line.len() < 10_000 && line.contains(&format!("\"seen-{number}\"")) && line.contains(r#""verb":"create""#))
    };
    let missing = (0..30).filter(|number| !is_seen(number)).count();
    let whole = complete.iter().filter(|line| line.len() > 5_000_000).count();
    let metrics = arena.get("/metrics").await?.text();
    let errors = metrics.lines().find(|line| line.starts_with("apiserver_audit_error_total")).unwrap_or("none").to_owned();
    let text = format!("{missing} of 30 are missing beside {whole} large ones, {errors}");
    if missing > 0 || whole < arena.count(24, 120) { Err(text) } else { Ok(text) }
}

/// Bodies of a megabyte in requests and answers, of one and of many: their JSON is written while others are served.
async fn large_bodies(arena: &Arena) -> Outcome {
    fill(arena).await?;
    let mut running = JoinSet::new();
    for number in 0..arena.count(24, 120) {
        let mut client = arena.client().await?;
        running.spawn(async move {
            let name = format!("l{number}");
            let elements = vec![json!({"a": 1}).to_string(); 40_000].join(" ");
            let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"d": elements}}).to_string();
            client.ask_as("eve", "POST", &format!("{MAPS}?dryRun=All"), map).await?.expect(201)?;
            client.ask_with("GET", &format!("{MAPS}/m{}", number % 28), LIST).await?.expect(200)?;
            client.ask_with("GET", &format!("{MAPS}?limit=8"), LIST).await?.expect(200).map(drop)
        });
    }
    let mut done = 0;
    while let Some(answer) = running.join_next().await {
        answer.map_err(|error| error.to_string())??;
        done += 1;
    }
    Ok(format!("{done} clients"))
}

/// Texts that would be lines of their own, or members of an event, if they were not quoted.
async fn lines_of_nobody(arena: &Arena, in_words: bool) -> Outcome {
    let forged = r#"{"kind":"Event","auditID":"forged","user":{"username":"bob"}}"#;
    let legacy = "2026-01-01T00:00:00Z AUDIT: id=\\\"forged\\\" user=\\\"bob\\\"";
    let names = [format!("x\n{forged}\n"), format!("x\r\n{legacy}\r\n"), "\",\"auditID\":\"forged".to_owned(), "\u{2028}\u{0}\u{1b}[2J".to_owned()];
    let mut client = arena.client().await?;
    for name in &names {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": name, "uid": name}, "data": {"d": name}});
        client.ask("POST", MAPS, "application/json", map.to_string()).await?.refused()?;
        let quoted = Value::from(name.as_str()).to_string();
        // As it is, too: a text of JSON has no line ends.
        for text in [name.as_str(), quoted.trim_matches('"')] {
            let patch = format!("{{\"data\":{{\"d\":\"{text}\"}}}}");
            for content_type in ["application/merge-patch+json", "application/apply-patch+yaml", "application/json-patch+json"] {
                client.ask("PATCH", &format!("{MAPS}/absent?fieldManager=m"), content_type, patch.clone()).await?.refused()?;
            }
        }
    }
    let agents = ["a\" auditID=\"forged", "a\\", "é\u{a0}"];
    for agent in agents {
        let ids = ("audit-id", "forged\",\"level\":\"None");
        client.ask_with("GET", &format!("{MAPS}?forged=%0a{{}}%22"), &[("user-agent", agent), ids]).await?.expect(200)?;
        let extra = ("impersonate-extra-a%0ab", agent);
        let who = ("impersonate-user", "bob\" forged=\"");
        client.ask_with("GET", MAPS, &[("x-forwarded-for", "1.2.3.4\",\"forged"), who, extra]).await?.refused()?;
    }
    sleep(Duration::from_millis(200)).await;
    let lines = lines(arena)?;
    for line in &lines {
        if in_words {
            let rest = line.split_once(" AUDIT: id=\"").ok_or_else(|| format!("no line of the log: {line}"))?;
            if rest.1.starts_with("forged\"") || !line.contains(" stage=\"") {
                return Err(format!("a forged line: {line}"));
            }
            continue;
        }
        let event: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        let is_event = event["kind"] == "Event" && event["apiVersion"] == "audit.k8s.io/v1" && event["level"] == "RequestResponse";
        if !is_event || event["auditID"] == "forged" || event["user"]["username"] == "bob" {
            return Err(format!("a forged line: {line}"));
        }
    }
    let text = lines.join("\n");
    if text.contains(&arena.token) {
        return Err("the log has a token".into());
    }
    Ok(format!("{} lines, {}", lines.len(), readers(arena)?))
}

/// Requests in odd forms, and such as end early: each is in the log once, with its user.
async fn nothing_is_done_unseen(arena: &Arena) -> Outcome {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}).to_string();
    arena.ask("POST", MAPS, "application/json", map).await?.expect(201)?;
    let forms = [
        ("GET", format!("{MAPS}/m")),
        ("HEAD", format!("{MAPS}/m")),
        ("OPTIONS", MAPS.to_owned()),
        ("PURGE", format!("{MAPS}/m")),
        ("GET", format!("/{MAPS}//m")),
        ("GET", "/api/v1/namespaces/default/%63onfigmaps/m".to_owned()),
        ("GET", format!("{MAPS}/m?pretty=true&x=%0a")),
        ("GET", format!("{MAPS}?watch=1&timeoutSeconds=1")),
        ("GET", "/api/v1/watch/namespaces/default/configmaps?timeoutSeconds=1".to_owned()),
        ("GET", "/api/v1/namespaces/default/pods/p/exec?command=x".to_owned()),
        ("POST", format!("{MAPS}?dryRun=All")),
        ("DELETE", format!("{MAPS}/absent")),
        ("GET", "/nowhere".to_owned()),
        ("GET", "/apis/no.such.group/v1/things".to_owned()),
        ("GET", format!("{MAPS}/m?resourceVersion=x")),
    ];
    let who = [("impersonate-user", "eve"), ("impersonate-group", "system:masters")];
    let mut wanted = Vec::new();
    for (number, (method, path)) in forms.iter().enumerate() {
        let id = format!("form-{number:02}");
        let mut stream = arena.connect("http/1.1").await?;
        let own = [("audit-id", id.as_str()), ("connection", "close")];
        let more: Vec<String> = who.iter().chain(&own).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let more = more.concat();
        stream.write_all(arena.head(method, path, &more).as_bytes()).await.map_err(|error| error.to_string())?;
        let mut answer = Vec::new();
        // The server may close without a word of goodbye, which is what it should do.
        let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
        wanted.push((id, "eve"));
    }
    // Nobody is known behind a forged token, and nobody waits for what was begun.
    let mut client = arena.client().await?;
    "forged".clone_into(&mut client.token);
    client.ask_with("GET", MAPS, &[("audit-id", "forged")]).await?.expect(401)?;
    let head = arena.head("GET", &format!("{MAPS}?watch=1"), "audit-id: hung-up\r\nimpersonate-user: eve\r\nimpersonate-group: system:masters\r\n");
    let mut stream = arena.connect("http/1.1").await?;
    stream.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
    sleep(Duration::from_millis(200)).await;
    drop(stream);
    wanted.push(("hung-up".to_owned(), "eve"));
    sleep(Duration::from_secs(1)).await;
    let events: Vec<Value> = lines(arena)?.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for (id, user) in &wanted {
        let ends = events.iter().filter(|event| event["auditID"] == id.as_str() && event["stage"] == "ResponseComplete");
        let users: Vec<&str> = ends.filter_map(|event| event["impersonatedUser"]["username"].as_str()).collect();
        if users != [*user] {
            let (method, path) = id.strip_prefix("form-").and_then(|it| it.parse().ok()).and_then(|at: usize| forms.get(at)).cloned().unwrap_or_default();
            return Err(format!("{id} {method} {path} was done by {users:?}"));
        }
    }
    let refused = events.iter().filter(|event| event["auditID"] == "forged" && event["responseStatus"]["code"] == 401).count();
    if refused == 0 { Err("a refused token is not in the log".into()) } else { Ok(format!("{} requests are in the log", wanted.len() + 1)) }
}

/// Secrets, tokens and passwords of requests and answers, in every form that they come in.
async fn what_metadata_does_not_have(arena: &Arena) -> Outcome {
    const SECRETS: &str = "/api/v1/namespaces/default/secrets";
    const PASSWORD: &str = "correct-horse-battery";
    let mut client = arena.client().await?;
    let encoded = "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5";
    let secret = |name: &str| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"p": PASSWORD}}).to_string();
    client.ask("POST", SECRETS, "application/json", secret("s")).await?.expect(201)?;
    client.ask("POST", SECRETS, "application/json", secret("s")).await?.expect(409)?;
    client.ask("PUT", &format!("{SECRETS}/s"), "application/json", secret("s")).await?.expect(200)?;
    client.ask("POST", SECRETS, "application/yaml", format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: of-yaml}}\nstringData: {{p: {PASSWORD}}}\n")).await?.expect(201)?;
    for (content_type, patch) in [
        ("application/merge-patch+json", format!("{{\"data\":{{\"q\":\"{encoded}\"}}}}")),
        ("application/strategic-merge-patch+json", format!("{{\"stringData\":{{\"r\":\"{PASSWORD}\"}}}}")),
        ("application/json-patch+json", format!("[{{\"op\":\"add\",\"path\":\"/data/t\",\"value\":\"{encoded}\"}}]")),
    ] {
        client.ask("PATCH", &format!("{SECRETS}/s"), content_type, patch).await?.expect(200)?;
    }
    client.ask("PATCH", &format!("{SECRETS}/a?fieldManager=m"), "application/apply-patch+yaml", secret("a")).await?.expect(201)?;
    for path in [format!("{SECRETS}/s"), SECRETS.to_owned(), format!("{SECRETS}?watch=1&timeoutSeconds=1")] {
        let shown = client.ask("GET", &path, "", "").await?.expect(200)?.text();
        if !shown.contains(encoded) {
            return Err(format!("{path} does not show the secret"));
        }
    }
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}).to_string();
    let accounts = "/api/v1/namespaces/default/serviceaccounts/default/token";
    let answer = client.ask("POST", accounts, "application/json", request).await?.expect(201)?.json();
    let token = answer["status"]["token"].as_str().unwrap_or_default().to_owned();
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}).to_string();
    client.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", "application/json", review).await?.expect(201)?;
    client.token.clone_from(&token);
    client.ask("GET", SECRETS, "", "").await?.expect(403)?;
    sleep(Duration::from_millis(500)).await;
    let lines = lines(arena)?;
    let text = lines.join("\n");
    let signature = token.rsplit('.').next().unwrap_or_default();
    for marked in [PASSWORD, encoded, token.as_str(), signature, arena.token.as_str()] {
        if marked.is_empty() || text.contains(marked) {
            return Err("the log has a secret".into());
        }
    }
    Ok(format!("{} lines without any", lines.len()))
}

/// Only the owner may read the log.
#[cfg(unix)]
fn readers(arena: &Arena) -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(log(arena)).map_err(|error| error.to_string())?.permissions().mode() & 0o777;
    if mode == 0o600 { Ok("which nobody else may read".into()) } else { Err(format!("the log has the mode {mode:o}")) }
}

#[cfg(not(unix))]
fn readers(_arena: &Arena) -> Outcome {
    Ok("as the system has it".into())
}
