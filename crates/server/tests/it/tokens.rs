//! Tokens of service accounts: given out below an account, good for the account as long as it is there.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http_body_util::BodyExt;
use sprag_server::{InProcess, Server};
use sprag_storage::{ManualClock, Memory};
use sprag_value::{Value, json};

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

struct Api {
    server: InProcess,
    clock: Arc<ManualClock>,
}

impl Api {
    /// A server with the account `robot`.
    async fn new() -> Api {
        let clock = Arc::new(ManualClock::default());
        clock.advance(Duration::from_hours(24));
        let server = Server::new(Arc::new(Memory::new())).clock(clock.clone()).in_process().await.unwrap();
        let api = Api { server, clock };
        api.create_account().await;
        api
    }

    async fn create_account(&self) {
        let account = r#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"robot"}}"#;
        assert_eq!(self.post(ACCOUNTS, account).await.0, 201);
    }

    async fn send(&self, request: Request<Bytes>) -> (u16, Value) {
        let answer = self.server.answer(request).await;
        let code = answer.status().as_u16();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (code, json::parse(&body).unwrap_or_default())
    }

    async fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let request = Request::post(path).header(CONTENT_TYPE, "application/json");
        self.send(request.body(body.to_owned().into()).unwrap()).await
    }

    /// Asks for a token with a spec.
    async fn request(&self, spec: &str) -> (u16, Value) {
        let body = format!(r#"{{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{spec}}}"#);
        self.post(&format!("{ACCOUNTS}/robot/token"), &body).await
    }

    async fn token(&self, spec: &str) -> String {
        let (code, answer) = self.request(spec).await;
        assert_eq!(code, 201, "{answer:?}");
        text(&answer, &["status", "token"]).to_owned()
    }

    /// Returns the status code of a request with a token.
    async fn code_with(&self, token: &str) -> u16 {
        let request = Request::get(ACCOUNTS).header(AUTHORIZATION, format!("Bearer {token}"));
        self.send(request.body(Bytes::new()).unwrap()).await.0
    }
}

fn text<'v>(value: &'v Value, path: &[&str]) -> &'v str {
    value.lookup(path).and_then(Value::as_str).unwrap_or_default()
}

#[tokio::test]
async fn a_token_is_good_for_its_account_until_it_expires() {
    let api = Api::new().await;
    let (code, answer) = api.request(r#"{"expirationSeconds":600}"#).await;
    assert_eq!((code, text(&answer, &["metadata", "name"])), (201, "robot"));
    assert_eq!(text(&answer, &["status", "expirationTimestamp"]), "1970-01-02T00:10:00Z");
    let token = text(&answer, &["status", "token"]);
    assert_eq!(api.code_with(token).await, 200);
    // Clocks may differ by a minute.
    api.clock.advance(Duration::from_secs(11 * 60 + 1));
    assert_eq!(api.code_with(token).await, 401);
}

#[tokio::test]
async fn a_token_is_no_good_for_another_account_of_the_same_name() {
    let api = Api::new().await;
    let token = api.token("{}").await;
    let delete = || Request::delete(format!("{ACCOUNTS}/robot")).body(Bytes::new()).unwrap();
    assert_eq!(api.send(delete()).await.0, 200);
    assert_eq!(api.code_with(&token).await, 401);
    api.create_account().await;
    assert_eq!(api.code_with(&token).await, 401);
    let own = api.token("{}").await;
    assert_eq!(api.code_with(&own).await, 200);
}

#[tokio::test]
async fn a_token_for_others_does_not_open_this_server() {
    let api = Api::new().await;
    let token = api.token(r#"{"audiences":["vault"]}"#).await;
    assert_eq!(api.code_with(&token).await, 401);
}

#[tokio::test]
async fn tokens_are_bound_to_objects_that_are_there() {
    let api = Api::new().await;
    let bound = |kind: &str, more: &str| {
        format!(r#"{{"boundObjectRef":{{"apiVersion":"v1","kind":"{kind}","name":"s"{more}}}}}"#)
    };
    let (code, missing) = api.request(&bound("Secret", "")).await;
    assert_eq!((code, text(&missing, &["message"])), (404, r#"secrets "s" not found"#));
    let (code, other) = api.request(&bound("ConfigMap", "")).await;
    assert_eq!((code, text(&other, &["message"])), (400, "cannot bind token to object of type /v1, Kind=ConfigMap"));
    let secret = r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}"#;
    assert_eq!(api.post("/api/v1/namespaces/default/secrets", secret).await.0, 201);
    assert_eq!(api.request(&bound("Secret", r#","uid":"other""#)).await.0, 409);
    let token = api.token(&bound("Secret", "")).await;
    let claims = sprag_value::base64::RAW_URL.decode(token.split('.').nth(1).unwrap()).unwrap();
    let claims = json::parse(&claims).unwrap();
    assert_eq!(text(&claims, &["kubernetes.io", "secret", "name"]), "s");
    assert_eq!(text(&claims, &["sub"]), "system:serviceaccount:default:robot");
}
