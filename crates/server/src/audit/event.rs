//! The event of one request, and its two forms in the log.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sprag_field::quote;
use sprag_rest::User;
use sprag_shape::{messages, to_go_json};
use sprag_value::json::{self, Escape};
use sprag_value::{MicroTime, Object, Value};

use super::policy::{Level, Stage};

/// About as many bytes as a line has beside the bodies.
const LINE_BYTES: usize = 1024;

/// An event of `audit.k8s.io/v1`.
pub(super) struct Event {
    pub(super) id: String,
    pub(super) level: Level,
    pub(super) uri: String,
    pub(super) verb: String,
    pub(super) user: User,
    pub(super) impersonated: Option<User>,
    /// Upstream's `authenticationMetadata.impersonationConstraint`.
    pub(super) impersonation_constraint: String,
    pub(super) source_ips: Vec<String>,
    pub(super) user_agent: String,
    pub(super) object: Option<ObjectReference>,
    pub(super) status: Option<ResponseStatus>,
    /// JSON of the bodies.
    pub(super) request: Option<String>,
    pub(super) response: Option<String>,
    pub(super) received: MicroTime,
    pub(super) annotations: BTreeMap<String, String>,
}

/// The object that a request is about. Empty texts stand for none.
#[derive(Clone, Default)]
pub(super) struct ObjectReference {
    pub(super) resource: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) group: String,
    pub(super) version: String,
    pub(super) resource_version: String,
    pub(super) subresource: String,
}

/// The answer to a request: its code, and more if it is a `Status`.
#[derive(Clone, Default)]
pub(super) struct ResponseStatus {
    pub(super) status: Option<Value>,
    pub(super) code: u16,
}

impl Event {
    /// The event as a line of JSON, its members in the order in which Go prints them.
    pub(super) fn json(&self, stage: Stage, at: MicroTime) -> String {
        let mut line = Line::with_room([&self.request, &self.response]);
        line.text("kind", "Event");
        line.text("apiVersion", "audit.k8s.io/v1");
        line.text("level", self.level.name());
        line.text("auditID", &self.id);
        line.text("stage", stage.name());
        line.text("requestURI", &self.uri);
        line.text("verb", &self.verb);
        line.raw("user", &user_json(&self.user));
        if let Some(user) = &self.impersonated {
            line.raw("impersonatedUser", &user_json(user));
        }
        if !self.impersonation_constraint.is_empty() {
            let mut metadata = Line::new();
            metadata.text("impersonationConstraint", &self.impersonation_constraint);
            line.raw("authenticationMetadata", &metadata.finish());
        }
        line.texts("sourceIPs", &self.source_ips);
        line.optional("userAgent", &self.user_agent);
        if let Some(object) = &self.object {
            line.raw("objectRef", &object.json());
        }
        if let Some(status) = &self.status {
            line.raw("responseStatus", &status.json());
        }
        for (name, body) in [("requestObject", &self.request), ("responseObject", &self.response)] {
            if let Some(body) = body {
                line.raw(name, body);
            }
        }
        line.text("requestReceivedTimestamp", &self.received.to_string());
        line.text("stageTimestamp", &at.to_string());
        if !self.annotations.is_empty() {
            let mut annotations = Line::new();
            for (key, value) in &self.annotations {
                annotations.text(key, value);
            }
            line.raw("annotations", &annotations.finish());
        }
        line.finish() + "\n"
    }

    /// The event as a line of text.
    // As upstream's audit.EventString.
    pub(super) fn legacy(&self, stage: Stage) -> String {
        let list =
            |texts: &[String]| texts.iter().map(|text| quote::go(text).to_string()).collect::<Vec<_>>().join(",");
        let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
        let groups = if self.user.name.is_empty() { String::new() } else { list(&self.user.groups) };
        let (as_user, as_groups) = match &self.impersonated {
            None => ("<self>".to_owned(), "<lookup>".to_owned()),
            Some(user) => (user.name.clone(), list(&user.groups)),
        };
        let namespace = self.object.as_ref().map_or("", |object| object.namespace.as_str());
        let response = self.status.as_ref().map_or("<deferred>".to_owned(), |status| status.code.to_string());
        let mut line = format!("{} AUDIT:", rfc3339_nano(self.received));
        for (name, value) in [
            ("id", self.id.clone()),
            ("stage", stage.name().to_owned()),
            ("ip", or(self.source_ips.first().map_or("", String::as_str), "<unknown>")),
            ("method", self.verb.clone()),
            ("user", or(&self.user.name, "<none>")),
            ("groups", or(&groups, "<none>")),
            ("as", as_user),
            ("asgroups", as_groups),
            ("user-agent", self.user_agent.clone()),
            ("namespace", or(namespace, "<none>")),
            ("uri", self.uri.clone()),
        ] {
            let _ = write!(line, " {name}={}", quote::go(&value));
        }
        let _ = writeln!(line, " response=\"{response}\"");
        line
    }
}

/// A time as Go's `RFC3339Nano`: without zeros at the end of the fraction.
fn rfc3339_nano(time: MicroTime) -> String {
    let text = time.to_string();
    let text = text.trim_end_matches('Z').trim_end_matches('0').trim_end_matches('.');
    format!("{text}Z")
}

impl ObjectReference {
    fn json(&self) -> String {
        let mut line = Line::new();
        for (name, text) in [
            ("resource", &self.resource),
            ("namespace", &self.namespace),
            ("name", &self.name),
            ("uid", &self.uid),
            ("apiGroup", &self.group),
            ("apiVersion", &self.version),
            ("resourceVersion", &self.resource_version),
            ("subresource", &self.subresource),
        ] {
            line.optional(name, text);
        }
        line.finish()
    }
}

impl ResponseStatus {
    // As upstream's AuditContext.LogResponseObject: the parts of a Status that are bounded.
    fn json(&self) -> String {
        let mut status = Object::from([("metadata", Value::object())]);
        for member in ["status", "message", "reason", "details"] {
            if let Some(value) = self.status.as_ref().and_then(|status| status.get(member)) {
                status.insert(member, value.clone());
            }
        }
        status.insert("code", i64::from(self.code));
        status_json(&Value::Object(status))
    }
}

/// A `Status` with its members in the order in which Go prints them.
pub(super) fn status_json(status: &Value) -> String {
    match messages::of_kind("Status") {
        Some(id) => to_go_json(messages::shapes(), id, status).trim_end().to_owned(),
        None => json::to_string(status),
    }
}

fn user_json(user: &User) -> String {
    let mut line = Line::new();
    line.optional("username", &user.name);
    line.optional("uid", &user.uid);
    line.texts("groups", &user.groups);
    if !user.extra.is_empty() {
        let mut extra = Line::new();
        for (key, values) in user.extra.iter().map(|(key, values)| (key, values)).collect::<BTreeMap<_, _>>() {
            extra.raw(key, &texts_json(values));
        }
        line.raw("extra", &extra.finish());
    }
    line.finish()
}

fn texts_json(texts: &[String]) -> String {
    json::to_string(&texts.iter().map(|text| Value::from(text.as_str())).collect())
}

/// JSON of an object, member by member.
struct Line(String);

impl Line {
    fn new() -> Line {
        Line(String::from("{"))
    }

    /// A line with room for texts.
    fn with_room(texts: [&Option<String>; 2]) -> Line {
        let bytes: usize = texts.iter().filter_map(|text| text.as_ref()).map(String::len).sum();
        let mut line = Line(String::with_capacity(bytes + LINE_BYTES));
        line.0.push('{');
        line
    }

    fn raw(&mut self, name: &str, json: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        json::write_string(&mut self.0, name, Escape::Html);
        self.0.push(':');
        self.0.push_str(json);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.raw(name, "");
        json::write_string(&mut self.0, text, Escape::Html);
    }

    /// A member that is left out if it is empty.
    fn optional(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.text(name, text);
        }
    }

    fn texts(&mut self, name: &str, texts: &[String]) {
        if !texts.is_empty() {
            self.raw(name, &texts_json(texts));
        }
    }

    fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        Event {
            id: "x".to_owned(),
            level: Level::Metadata,
            uri: "/api/v1/pods?a=<b>".to_owned(),
            verb: "list".to_owned(),
            user: User { name: "ann".to_owned(), groups: vec!["a".to_owned(), "b\"".to_owned()], ..User::default() },
            impersonated: None,
            impersonation_constraint: String::new(),
            source_ips: vec!["127.0.0.1".to_owned()],
            user_agent: "agent".to_owned(),
            object: Some(ObjectReference {
                resource: "pods".to_owned(),
                version: "v1".to_owned(),
                ..Default::default()
            }),
            status: None,
            request: None,
            response: None,
            received: MicroTime::from_unix(1, 120_000_000),
            annotations: BTreeMap::new(),
        }
    }

    #[test]
    fn members_are_in_the_order_in_which_go_prints_them() {
        let mut event = event();
        event.status = Some(ResponseStatus { status: None, code: 200 });
        event.annotations.insert("b".to_owned(), String::new());
        assert_eq!(
            event.json(Stage::ResponseComplete, MicroTime::from_unix(2, 0)),
            "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\",\"auditID\":\"x\",\
             \"stage\":\"ResponseComplete\",\"requestURI\":\"/api/v1/pods?a=\\u003cb\\u003e\",\"verb\":\"list\",\
             \"user\":{\"username\":\"ann\",\"groups\":[\"a\",\"b\\\"\"]},\"sourceIPs\":[\"127.0.0.1\"],\
             \"userAgent\":\"agent\",\"objectRef\":{\"resource\":\"pods\",\"apiVersion\":\"v1\"},\
             \"responseStatus\":{\"metadata\":{},\"code\":200},\
             \"requestReceivedTimestamp\":\"1970-01-01T00:00:01.120000Z\",\
             \"stageTimestamp\":\"1970-01-01T00:00:02.000000Z\",\"annotations\":{\"b\":\"\"}}\n"
        );
    }

    #[test]
    fn the_legacy_form_is_one_line_of_text() {
        assert_eq!(
            event().legacy(Stage::RequestReceived),
            "1970-01-01T00:00:01.12Z AUDIT: id=\"x\" stage=\"RequestReceived\" ip=\"127.0.0.1\" method=\"list\" \
             user=\"ann\" groups=\"\\\"a\\\",\\\"b\\\\\\\"\\\"\" as=\"<self>\" asgroups=\"<lookup>\" user-agent=\"agent\" \
             namespace=\"<none>\" uri=\"/api/v1/pods?a=<b>\" response=\"<deferred>\"\n"
        );
    }
}
