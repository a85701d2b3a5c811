//! Webhooks that mean harm, and clients that use them against others: endless and large answers, patches that grow, redirects,
//! calls that never end.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sprag_value::base64;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;
use tokio_rustls::server::TlsStream;

use super::{Answer, Arena, Case, Outcome, case};
use crate::suite::admission::stub::{acceptor, authority};

pub(super) const CASES: &[Case] = &[
    case!(answers_without_end),
    case!(large_answers_at_once),
    case!(answers_that_are_no_reviews),
    case!(patches_that_grow),
    case!(long_words_of_a_webhook),
    case!(redirects_to_others),
    case!(nothing_secret_is_sent),
    case!(calls_that_never_end),
    case!(short_timeouts_lead_past_nothing),
    case!(a_converter_that_never_answers),
    case!(a_webhook_for_everything),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const ADMISSION: &str = "/apis/admissionregistration.k8s.io/v1";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// What a webhook does with a request.
pub(super) enum Reply {
    /// Answers with this, as JSON.
    Json(String),
    /// Sends this, whatever it is, and closes the connection.
    Raw(Vec<u8>),
    /// Sends the beginning of an answer, and spaces without end.
    Endless,
    /// Never answers.
    Hang,
}

type Behave = Arc<dyn Fn(&Value) -> Reply + Send + Sync>;

/// A webhook, as long as it lives.
pub(super) struct Hook {
    address: SocketAddr,
    ca: String,
    calls: Arc<AtomicUsize>,
    /// The heads of the requests that came.
    heads: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Hook {
    pub(super) async fn start(behave: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Result<Hook, String> {
        let (ca, issuer) = authority("abuse")?;
        let acceptor = acceptor(&issuer)?;
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let calls = Arc::new(AtomicUsize::new(0));
        let heads = Arc::new(Mutex::default());
        let counter = calls.clone();
        let seen = heads.clone();
        let behave = Arc::new(behave) as Behave;
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                let counter = counter.clone();
                let seen = seen.clone();
                let behave = behave.clone();
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, &behave, &counter, &seen).await;
                    }
                });
            }
        });
        Ok(Hook { address, ca, calls, heads, serving })
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn client_config(&self) -> Value {
        json!({"url": format!("https://{}/hook", self.address), "caBundle": base64::encode(self.ca.as_bytes())})
    }

    /// Has this webhook called when configmaps are created.
    pub(super) async fn judge_maps(&self, arena: &Arena, kind: &str, timeout: u64, policy: &str) -> Result<(), String> {
        let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]});
        self.judge(arena, kind, &rule, timeout, policy).await
    }

    async fn judge(&self, arena: &Arena, kind: &str, rule: &Value, timeout: u64, policy: &str) -> Result<(), String> {
        let configuration = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "abuse"},
            "webhooks": [{
                "name": "abuse.example.com", "clientConfig": self.client_config(), "rules": [rule], "sideEffects": "None",
                "admissionReviewVersions": ["v1"], "timeoutSeconds": timeout, "failurePolicy": policy,
            }],
        });
        arena.post(&format!("{ADMISSION}/{}s", kind.to_lowercase()), &configuration).await?.expect(201).map(drop)
    }

    /// Defines a resource that this webhook converts from `v1`, in which it is stored, to `v2`.
    pub(super) async fn convert_parts(&self, arena: &Arena) -> Result<(), String> {
        let version = |name: &str, storage: bool| {
            let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
            json!({"name": name, "served": true, "storage": storage, "schema": schema})
        };
        let names = json!({"plural": "parts", "kind": "Part", "singular": "part", "listKind": "PartList"});
        let webhook = json!({"conversionReviewVersions": ["v1"], "clientConfig": self.client_config()});
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "parts.abuse.dev"},
            "spec": {
                "group": "abuse.dev", "scope": "Namespaced", "names": names, "versions": [version("v1", true), version("v2", false)],
                "conversion": {"strategy": "Webhook", "webhook": webhook},
            },
        });
        arena.post(DEFINITIONS, &definition).await?.expect(201).map(drop)
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

pub(super) const VALIDATING: &str = "ValidatingWebhookConfiguration";
pub(super) const MUTATING: &str = "MutatingWebhookConfiguration";

async fn serve(mut stream: TlsStream<TcpStream>, behave: &Behave, calls: &AtomicUsize, heads: &Mutex<Vec<String>>) {
    let mut read = Vec::new();
    while let Some((head, review)) = request(&mut stream, &mut read).await {
        calls.fetch_add(1, Ordering::Relaxed);
        heads.lock().unwrap_or_else(PoisonError::into_inner).push(head);
        let sent = match behave(&review) {
            Reply::Json(body) => {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
                stream.write_all(head.as_bytes()).await.is_ok() && stream.write_all(body.as_bytes()).await.is_ok()
            }
            Reply::Raw(bytes) => {
                // The other side may hang up before the end.
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                false
            }
            Reply::Endless => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{").await;
                while stream.write_all(&[b' '; 1 << 14]).await.is_ok() {}
                false
            }
            Reply::Hang => {
                sleep(Duration::from_mins(2)).await;
                false
            }
        };
        if !sent {
            return;
        }
    }
}

/// The next request of a connection: its head, and its body if that is JSON.
async fn request(stream: &mut TlsStream<TcpStream>, read: &mut Vec<u8>) -> Option<(String, Value)> {
    loop {
        if let Some(head) = read.windows(4).position(|end| end == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            let end = head + 4 + length.unwrap_or(0);
            if read.len() >= end {
                let body = serde_json::from_slice(&read[head + 4..end]).unwrap_or_default();
                read.drain(..end);
                return Some((text, body));
            }
        }
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    }
}

/// A review that allows, with more members of its response.
fn allowed(review: &Value, more: &str) -> Reply {
    let uid = &review["request"]["uid"];
    let head = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview""#;
    Reply::Json(format!(r#"{head},"response":{{"uid":{uid},"allowed":true{more}}}}}"#))
}

fn patch(review: &Value, operations: &str) -> Reply {
    let encoded = base64::encode(operations.as_bytes());
    allowed(review, &format!(r#","patchType":"JSONPatch","patch":"{encoded}""#))
}

fn map(name: &str, bytes: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"d": "x".repeat(bytes)}})
}

/// Posts configmaps from so many clients at once; the answers.
async fn create_at_once(arena: &Arena, count: usize, bytes: usize) -> Result<Vec<Answer>, String> {
    let mut running = JoinSet::new();
    for number in 0..count {
        let mut client = arena.client().await?;
        let body = map(&format!("m{number}"), bytes).to_string();
        running.spawn(async move { client.ask("POST", MAPS, "application/json", body).await });
    }
    let mut answers = Vec::new();
    while let Some(answer) = running.join_next().await {
        answers.push(answer.map_err(|error| error.to_string())??);
    }
    Ok(answers)
}

/// Answers that all have a code, and say something; the longest of them.
fn all_say(answers: Vec<Answer>, code: u16, says: &str) -> Result<usize, String> {
    let mut longest = 0;
    for answer in answers {
        let answer = answer.expect(code)?;
        let text = answer.text();
        if !text.contains(says) {
            return Err(format!("{} bytes without {says:?}: {:.300}", text.len(), text));
        }
        longest = longest.max(text.len());
    }
    Ok(longest)
}

async fn answers_without_end(arena: &Arena) -> Outcome {
    let hook = Hook::start(|_| Reply::Endless).await?;
    hook.judge_maps(arena, VALIDATING, 10, "Fail").await?;
    let started = Instant::now();
    let answers = create_at_once(arena, arena.count(40, 150), 10).await?;
    let count = answers.len();
    all_say(answers, 500, "failed calling webhook")?;
    Ok(format!("{count} cut off after {} ms", started.elapsed().as_millis()))
}

/// Answers of the largest size that is read, of the values that cost most memory.
async fn large_answers_at_once(arena: &Arena) -> Outcome {
    let zeros = |count: usize| format!(r#","none":[{}0]"#, "0,".repeat(count));
    // As many values as are read, one more than that, and as many bytes.
    let answers = [zeros(999_900), zeros(1_000_001), format!(r#","none":"{}""#, "x".repeat(4_100_000))];
    let next = AtomicUsize::new(0);
    let hook = Hook::start(move |review| allowed(review, &answers[next.fetch_add(1, Ordering::Relaxed) % 3])).await?;
    hook.judge_maps(arena, VALIDATING, 30, "Fail").await?;
    let started = Instant::now();
    let answers = create_at_once(arena, arena.count(12, 60), 10).await?;
    let (allowed, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.code == 201);
    if let Some(other) = refused.iter().map(|answer| answer.text()).find(|text| !text.contains("more than 1000000 values")) {
        return Err(format!("{} allowed, another error: {other:.300}", allowed.len()));
    }
    let allowed = allowed.len();
    let text = format!("{allowed} of {} answers of 2 and 4 MB read after {} ms", answers.len(), started.elapsed().as_millis());
    if allowed * 3 == answers.len() * 2 { Ok(text) } else { Err(text) }
}

async fn answers_that_are_no_reviews(arena: &Arena) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
    let nested = "[".repeat(1_000_000);
    let objects = r#"{"a":"#.repeat(200_000);
    let gzip = format!("{head}Content-Encoding: gzip\r\n\r\n\u{1f}\u{8b}\u{8}");
    let headers = format!("HTTP/1.1 200 OK\r\n{}\r\n{{}}", "x-a: b\r\n".repeat(100_000));
    let replies = [
        format!("{head}\r\n{nested}"),
        format!("{head}\r\n{objects}"),
        gzip,
        headers,
        format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n{{}}", "y".repeat(4 << 20)),
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(50_000),
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}".to_owned(),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}".to_owned(),
    ];
    let count = replies.len();
    let next = AtomicUsize::new(0);
    let hook = Hook::start(move |_| {
        let at = next.fetch_add(1, Ordering::Relaxed) % replies.len();
        Reply::Raw(replies[at].clone().into_bytes())
    })
    .await?;
    hook.judge_maps(arena, VALIDATING, 2, "Fail").await?;
    let mut longest = 0;
    for _ in 0..count {
        longest = longest.max(all_say(create_at_once(arena, 1, 10).await?, 500, "failed calling webhook")?);
    }
    if longest > 64 << 10 { Err(format!("an error of {longest} bytes")) } else { Ok(format!("{count} kinds, errors of {longest} bytes at most")) }
}

async fn patches_that_grow(arena: &Arena) -> Outcome {
    let doubling: String = (0..40).map(|_| r#"{"op":"copy","from":"/data","path":"/data/d"},"#).collect();
    let front = r#"{"op":"add","path":"/metadata/finalizers/0","value":"a.example.com/b"},"#.repeat(9_998);
    let nesting = r#"{"op":"copy","from":"/metadata/annotations","path":"/metadata/annotations/a"},"#.repeat(9_000);
    let long = format!(r#"{{"op":"add","path":"/data/{}","value":"x"}},"#, "a/".repeat(500_000));
    let many = r#"{"op":"test","path":"/kind","value":"ConfigMap"},"#.repeat(60_000);
    let patches = [
        format!(r#"[{doubling}{{"op":"test","path":"/a","value":1}}]"#),
        format!(r#"[{{"op":"add","path":"/metadata/finalizers","value":[]}},{front}{{"op":"test","path":"/a","value":1}}]"#),
        format!(r#"[{{"op":"add","path":"/metadata/annotations","value":{{}}}},{nesting}{{"op":"test","path":"/a","value":1}}]"#),
        format!(r#"[{long}{{"op":"test","path":"/a","value":1}}]"#),
        format!(r#"[{many}{{"op":"test","path":"/a","value":1}}]"#),
    ];
    let count = patches.len();
    let next = AtomicUsize::new(0);
    let hook = Hook::start(move |review| patch(review, &patches[next.fetch_add(1, Ordering::Relaxed) % patches.len()])).await?;
    hook.judge_maps(arena, MUTATING, 10, "Fail").await?;
    let mut took = Vec::new();
    for _ in 0..count {
        let started = Instant::now();
        let answer = create_at_once(arena, 1, 100).await?.remove(0);
        took.push(started.elapsed().as_millis());
        if answer.code < 400 {
            return Err(format!("patch {} was applied", took.len()));
        }
    }
    Ok(format!("{count} patches refused after {took:?} ms"))
}

/// What a webhook says reaches the client in part only.
async fn long_words_of_a_webhook(arena: &Arena) -> Outcome {
    let warnings = vec!["w".repeat(300); 12_000];
    let warnings = format!(r#","warnings":{}"#, json!(warnings));
    let message = format!(r#","status":{{"message":"{}","code":403}}"#, "m".repeat(3 << 20));
    let next = AtomicUsize::new(0);
    let hook = Hook::start(move |review| match next.fetch_add(1, Ordering::Relaxed) % 2 {
        0 => allowed(review, &warnings),
        _ => match allowed(review, &message) {
            Reply::Json(body) => Reply::Json(body.replace(r#""allowed":true"#, r#""allowed":false"#)),
            other => other,
        },
    })
    .await?;
    hook.judge_maps(arena, VALIDATING, 10, "Fail").await?;
    let warned = create_at_once(arena, 1, 10).await?.remove(0).expect(201)?;
    let headers: usize = warned.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let refused = create_at_once(arena, 1, 10).await?.remove(0).expect(403)?;
    let text = format!("{headers} bytes of warnings, {} bytes of refusal", refused.body.len());
    if headers > 64 << 10 || refused.body.len() > 2 << 20 { Err(text) } else { Ok(text) }
}

/// A webhook can send the server to no place that its configuration does not name.
async fn redirects_to_others(arena: &Arena) -> Outcome {
    let other = Arc::new(Hook::start(|review| allowed(review, "")).await?);
    let place = other.address;
    let locations = move |at: usize| {
        let scheme = if at.is_multiple_of(2) { "https" } else { "http" };
        match at % 4 {
            0 | 1 => format!("{scheme}://{place}/hook"),
            2 => format!("https://user:secret@{place}/hook"),
            _ => format!("//{place}/hook"),
        }
    };
    let next = AtomicUsize::new(0);
    let hook = Hook::start(move |_| {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let code = [301, 302, 303, 307, 308][at % 5];
        let location = locations(at);
        Reply::Raw(format!("HTTP/1.1 {code} Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").into_bytes())
    })
    .await?;
    hook.judge_maps(arena, VALIDATING, 5, "Fail").await?;
    for _ in 0..20 {
        all_say(create_at_once(arena, 1, 10).await?, 500, "failed calling webhook")?;
    }
    if other.calls() > 0 { Err(format!("{} calls of another host", other.calls())) } else { Ok("20 redirects, none of them followed to another host".into()) }
}

async fn nothing_secret_is_sent(arena: &Arena) -> Outcome {
    let hook = Hook::start(|review| allowed(review, "")).await?;
    hook.judge_maps(arena, VALIDATING, 5, "Fail").await?;
    for answer in create_at_once(arena, 4, 10).await? {
        answer.expect(201)?;
    }
    let heads = hook.heads.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
    for secret in [arena.token.to_lowercase().as_str(), "authorization", "cookie", "bearer", "impersonate", "x-remote"] {
        if heads.contains(secret) {
            return Err(format!("the webhook was sent {secret:?}"));
        }
    }
    Ok("no credentials".into())
}

/// Writes that wait for a webhook hold up no others, whatever their size.
async fn calls_that_never_end(arena: &Arena) -> Outcome {
    let hook = Hook::start(|_| Reply::Hang).await?;
    hook.judge_maps(arena, VALIDATING, 30, "Fail").await?;
    let mut waiting = JoinSet::new();
    for number in 0..arena.count(120, 190) {
        let mut client = arena.client().await?;
        let bytes = [10, 40 << 10, 200 << 10][number % 3];
        let body = map(&format!("m{number}"), bytes).to_string();
        waiting.spawn(async move { client.ask("POST", &format!("{MAPS}?timeout=20s"), "application/json", body).await });
    }
    sleep(Duration::from_millis(500)).await;
    let started = Instant::now();
    let mut client = arena.client().await?;
    for number in 0..10 {
        let text = "x".repeat([10, 40 << 10, 300 << 10][number % 3]);
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": format!("s{number}")}, "stringData": {"d": text}});
        client.ask_as("another", "POST", SECRETS, secret.to_string()).await?.expect(201)?;
    }
    let took = started.elapsed();
    let calls = hook.calls();
    waiting.abort_all();
    let text = format!("{} writes wait, {calls} calls; 10 of others in {} ms", waiting.len(), took.as_millis());
    if took > Duration::from_secs(8) { Err(text) } else { Ok(text) }
}

/// A webhook that may be ignored when it does not answer is not to be ignored because the client has no time.
async fn short_timeouts_lead_past_nothing(arena: &Arena) -> Outcome {
    let hook = Hook::start(|_| Reply::Hang).await?;
    hook.judge_maps(arena, VALIDATING, 30, "Ignore").await?;
    let mut client = arena.client().await?;
    let timeouts = ["1ns", "1us", "1ms", "5ms", "20ms", "100ms", "1s"];
    for (number, timeout) in timeouts.iter().enumerate() {
        for method in ["POST", "PATCH"] {
            let name = format!("m{number}");
            let path = if method == "POST" { format!("{MAPS}?timeout={timeout}") } else { format!("{MAPS}/{name}?fieldManager=m&timeout={timeout}") };
            let content_type = if method == "PATCH" { "application/apply-patch+yaml" } else { "application/json" };
            let answer = client.ask(method, &path, content_type, map(&name, 10).to_string()).await?;
            answer.expect(504).map_err(|error| format!("{method} with {timeout}: {error}"))?;
        }
        arena.get(&format!("{MAPS}/m{number}")).await?.expect(404)?;
    }
    Ok(format!("{} timeouts", timeouts.len() * 2))
}

/// Requests and watches of a kind whose converter is dead wait; nobody else does.
async fn a_converter_that_never_answers(arena: &Arena) -> Outcome {
    let hook = Hook::start(|_| Reply::Hang).await?;
    hook.convert_parts(arena).await?;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}});
    arena.post("/api/v1/namespaces", &namespace).await?.expect(201)?;
    for namespace in ["default", "other"] {
        let path = format!("/apis/abuse.dev/v1/namespaces/{namespace}/parts");
        for number in 0..20 {
            let part = json!({"apiVersion": "abuse.dev/v1", "kind": "Part", "metadata": {"name": format!("p{number}")}});
            arena.post(&path, &part).await?.expect(201)?;
        }
    }
    let parts = "/apis/abuse.dev/v2/namespaces/default/parts";
    let calls = hook.calls();
    let started = Instant::now();
    arena.get(&format!("{parts}?timeout=1s")).await?.expect(504)?;
    let calls = hook.calls() - calls;
    let listed = started.elapsed();
    if calls != 1 {
        return Err(format!("a list of 20 objects is {calls} calls"));
    }
    let mut waiting = JoinSet::new();
    for number in 0..arena.count(250, 380) {
        let mut client = arena.client().await?;
        let path = match number % 4 {
            0 => parts.to_owned(),
            1 => format!("{parts}?watch=1"),
            2 => format!("{parts}/p1"),
            _ => format!("{parts}/p{}?timeout=30s", number % 20),
        };
        waiting.spawn(async move { client.ask("GET", &path, "", "").await });
    }
    sleep(Duration::from_millis(500)).await;
    arena.ask("DELETE", "/api/v1/namespaces/other", "", "").await?.expect(200)?;
    let started = Instant::now();
    while arena.get("/api/v1/namespaces/other").await?.code != 404 {
        if started.elapsed() > Duration::from_secs(10) {
            return Err("another namespace does not end".into());
        }
        sleep(Duration::from_millis(50)).await;
    }
    arena.get("/readyz").await?.expect(200)?;
    waiting.abort_all();
    Ok(format!("a list ends after {} ms with 1 call, a namespace after {} ms", listed.as_millis(), started.elapsed().as_millis()))
}

/// A webhook for everything can stop writes, but not its own end, nor reads.
async fn a_webhook_for_everything(arena: &Arena) -> Outcome {
    let hook = Hook::start(|_| Reply::Hang).await?;
    let rule = json!({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]});
    hook.judge(arena, VALIDATING, &rule, 1, "Fail").await?;
    arena.post(MAPS, &map("m", 10)).await?.expect(500)?;
    arena.get(MAPS).await?.expect(200)?;
    let mutating = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": MUTATING, "metadata": {"name": "x"}, "webhooks": []});
    arena.post(&format!("{ADMISSION}/mutatingwebhookconfigurations"), &mutating).await?.expect(201)?;
    arena.ask("DELETE", &format!("{ADMISSION}/validatingwebhookconfigurations/abuse"), "", "").await?.expect(200)?;
    arena.post(MAPS, &map("m", 10)).await?.expect(201)?;
    Ok("its configuration is deleted without it".into())
}
