//! API errors as data: the parts of a `Status` object, in upstream's words.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use sprag_field::{Error, Errors, MAX_TEXT, Path, quote, status};
use sprag_patch::PatchError;
use sprag_value::{Object, Value};

use crate::GroupResource;

/// The outcome of an operation.
pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// The error of a request: the content of a failure `Status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError(Box<Failure>);

/// The parts of an [`ApiError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code of the answer.
    pub code: u16,
    /// The machine-readable reason; empty where upstream has none.
    pub reason: Cow<'static, str>,
    /// The human-readable message.
    pub message: String,
    /// The details of the `Status`.
    pub details: Option<Details>,
    /// The continue token for an inconsistent continuation; empty without one.
    pub continue_token: String,
    /// Warnings that go with the answer all the same.
    pub warnings: Vec<String>,
    /// The field that cannot be read into its type, for tools that show the place; empty where none is known. Upstream's
    /// `Status` does not have it.
    pub field: String,
}

/// The `details` of a `Status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The name of the object.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Its kind, or its resource: upstream uses both.
    pub kind: String,
    /// Its uid.
    pub uid: String,
    /// More precisely.
    pub causes: Vec<Cause>,
    /// Seconds to wait before a retry; 0 for no advice.
    pub retry_after_seconds: u32,
}

/// One reason of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The kind of problem.
    pub reason: Cow<'static, str>,
    /// The human-readable message.
    pub message: String,
    /// The field.
    pub field: String,
}

/// The longest message, in bytes.
const MAX_MESSAGE: usize = 448 << 10;

/// The message with which a server answers for its own bugs.
pub(crate) const PANICKED: &str = "This request caused apiserver to panic. Look in the logs for details.";

impl ApiError {
    /// A failure that none of the others describes.
    pub fn new(
        code: u16,
        reason: impl Into<Cow<'static, str>>,
        mut message: String,
        details: Option<Details>,
    ) -> ApiError {
        if message.len() > MAX_MESSAGE {
            let end = message.floor_char_boundary(MAX_MESSAGE);
            let left_out = message.len() - end;
            message.truncate(end);
            let _ = write!(message, "… ({left_out} bytes left out)");
        }
        let continue_token = String::new();
        let warnings = Vec::new();
        let field = String::new();
        ApiError(Box::new(Failure { code, reason: reason.into(), message, details, continue_token, warnings, field }))
    }

    fn about(code: u16, reason: &'static str, of: &GroupResource, name: &str, message: String) -> ApiError {
        ApiError::new(code, reason, message, Some(Details::of(of, name)))
    }

    /// There is no such object.
    pub fn not_found(resource: &GroupResource, name: &str) -> ApiError {
        ApiError::about(404, "NotFound", resource, name, format!("{resource} {} not found", quoted(name)))
    }

    /// There is no such resource.
    pub fn no_such_resource() -> ApiError {
        let message = "the server could not find the requested resource".to_owned();
        ApiError::new(404, "NotFound", message, Some(Details::default()))
    }

    /// There is such an object already.
    pub fn already_exists(resource: &GroupResource, name: &str) -> ApiError {
        ApiError::about(409, "AlreadyExists", resource, name, format!("{resource} {} already exists", quoted(name)))
    }

    /// No free name was found.
    pub fn generated_name_taken(resource: &GroupResource, name: &str) -> ApiError {
        let message = format!(
            "{resource} {} already exists, the server was not able to generate a unique name for the object",
            quoted(name)
        );
        let details = Details { retry_after_seconds: 1, ..Details::of(resource, name) };
        ApiError::new(409, "AlreadyExists", message, Some(details))
    }

    /// The object is not what the request expects.
    pub fn conflict(resource: &GroupResource, name: &str, why: &str) -> ApiError {
        let message = format!("Operation cannot be fulfilled on {resource} {}: {why}", quoted(name));
        ApiError::about(409, "Conflict", resource, name, message)
    }

    /// Other managers own fields of an applied configuration.
    pub fn apply_conflict(message: String, mut causes: Vec<Cause>) -> ApiError {
        causes.truncate(status::MAX_LISTED);
        ApiError::new(409, "Conflict", message, Some(Details { causes, ..Details::default() }))
    }

    /// The request is not permitted.
    pub fn forbidden(resource: &GroupResource, name: &str, why: &str) -> ApiError {
        let message = match (resource.resource.is_empty(), name.is_empty()) {
            (true, _) => format!("forbidden: {why}"),
            (false, true) => format!("{resource} is forbidden: {why}"),
            (false, false) => format!("{resource} {} is forbidden: {why}", quoted(name)),
        };
        ApiError::about(403, "Forbidden", resource, name, message)
    }

    /// The request cannot be understood.
    pub fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(400, "BadRequest", message.into(), None)
    }

    /// The object is wrong in these places.
    pub fn invalid(kind: &str, group: &str, name: &str, errors: &[Error]) -> ApiError {
        let mut name = Cow::Borrowed(name);
        if name.len() > MAX_TEXT {
            sprag_field::cut(name.to_mut());
        }
        let name = &*name;
        let causes = status::causes(errors).into_iter().map(Cause::from).collect();
        let details =
            Details { name: name.into(), group: group.into(), kind: kind.into(), causes, ..Details::default() };
        ApiError::new(422, "Invalid", status::invalid_message(kind, group, name, errors), Some(details))
    }

    /// The error for a patch whose result cannot be decoded, or not strictly.
    pub fn invalid_patch(quoted: &str, detail: String) -> ApiError {
        let errors = Errors::from(vec![Error::invalid(&Path::new("patch"), quoted, detail)]);
        ApiError::invalid("", "", "", &errors.into_vec())
    }

    /// The request was understood and is wrong in a way that no field can be blamed for.
    pub fn unprocessable() -> ApiError {
        let message = "the server rejected our request due to an error in our request".to_owned();
        ApiError::new(422, "Invalid", message, Some(Details::default()))
    }

    /// The state that was asked for is no longer kept.
    pub fn expired(message: impl Into<String>) -> ApiError {
        ApiError::new(410, "Expired", message.into(), None)
    }

    /// The state that was asked for does not exist yet.
    pub fn too_large_resource_version(requested: u64, current: u64) -> ApiError {
        let message = format!("Timeout: Too large resource version: {requested}, current: {current}");
        let cause = Cause {
            reason: "ResourceVersionTooLarge".into(),
            message: "Too large resource version".into(),
            field: String::new(),
        };
        let details = Details { causes: vec![cause], retry_after_seconds: 1, ..Details::default() };
        ApiError::new(504, "Timeout", message, Some(details))
    }

    /// The resource does not know the verb.
    pub fn method_not_supported(resource: &GroupResource, verb: &str) -> ApiError {
        let message = format!("{verb} is not supported on resources of kind {}", quoted(&resource.to_string()));
        ApiError::about(405, "MethodNotAllowed", resource, "", message)
    }

    /// The request is larger than the server takes.
    pub fn too_large(message: impl fmt::Display) -> ApiError {
        let message = format!("Request entity too large: {message}");
        ApiError::new(413, "RequestEntityTooLarge", message, None)
    }

    /// The store does not answer.
    pub fn server_timeout(resource: &GroupResource, operation: &str) -> ApiError {
        let message = format!(
            "The {operation} operation against {resource} could not be completed at this time, please try again."
        );
        let details = Details { retry_after_seconds: 2, ..Details::of(resource, operation) };
        ApiError::new(500, "ServerTimeout", message, Some(details))
    }

    /// The request took longer than it may.
    // As upstream's errors.NewTimeoutError.
    pub fn timeout(why: &str) -> ApiError {
        ApiError::new(504, "Timeout", format!("Timeout: {why}"), Some(Details::default()))
    }

    /// Something failed that the user did not cause.
    pub fn internal(why: impl fmt::Display) -> ApiError {
        let why = why.to_string();
        let message = format!("Internal error occurred: {why}");
        let cause = Cause { message: why, ..Cause::default() };
        ApiError::new(500, "InternalError", message, Some(Details { causes: vec![cause], ..Details::default() }))
    }

    /// A failure that upstream passes on without a reason.
    pub fn unknown(message: impl Into<String>) -> ApiError {
        ApiError::new(500, "", message.into(), None)
    }

    /// A hook or rule panicked.
    pub fn panicked() -> ApiError {
        ApiError::new(500, "InternalError", PANICKED.to_owned(), None)
    }

    /// Adds a cause to what is said already.
    #[must_use]
    pub fn with_cause(mut self, cause: Cause) -> ApiError {
        self.0.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// The same with another message.
    #[must_use]
    pub fn with_message(mut self, message: String) -> ApiError {
        self.0.message = message;
        self
    }

    /// The same with a way to continue a list.
    #[must_use]
    pub fn with_continue(mut self, token: String) -> ApiError {
        self.0.continue_token = token;
        self
    }

    /// The same about a field that cannot be read.
    #[must_use]
    pub fn with_field(mut self, field: String) -> ApiError {
        self.0.field = field;
        self
    }

    /// The same with warnings, before those it has.
    #[must_use]
    pub fn with_warnings(mut self, mut warnings: Vec<String>) -> ApiError {
        warnings.append(&mut self.0.warnings);
        self.0.warnings = warnings;
        self
    }

    /// Its parts.
    pub fn parts(&self) -> &Failure {
        &self.0
    }

    /// The code of the answer.
    pub fn code(&self) -> u16 {
        self.0.code
    }

    /// The machine-readable reason.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// True if there is no such object.
    pub fn is_not_found(&self) -> bool {
        self.0.reason == "NotFound"
    }

    /// True if there is such an object already.
    pub fn is_already_exists(&self) -> bool {
        self.0.reason == "AlreadyExists"
    }

    /// True if the object is not what the request expects.
    pub fn is_conflict(&self) -> bool {
        self.0.reason == "Conflict"
    }

    /// The error as the `Status` object that clients get.
    pub fn to_status(&self) -> Value {
        let Failure { code, reason, message, details, continue_token, warnings: _, field: _ } = &*self.0;
        let mut status = status_object("Failure");
        if !continue_token.is_empty() {
            status.insert("metadata", Object::from([("continue", continue_token.as_str())]));
        }
        insert_text(&mut status, "message", message);
        insert_text(&mut status, "reason", reason);
        if let Some(details) = details {
            status.insert("details", details.to_value());
        }
        status.insert("code", i64::from(*code));
        Value::Object(status)
    }
}

/// The `Status` object that answers a delete.
pub fn success(details: &Details) -> Value {
    let mut status = status_object("Success");
    status.insert("details", details.to_value());
    Value::Object(status)
}

/// The `Status` object that answers what is created and not stored.
pub fn created() -> Value {
    let mut status = status_object("Success");
    status.insert("code", 201);
    Value::Object(status)
}

fn status_object(outcome: &str) -> Object {
    Object::from([
        ("kind", Value::from("Status")),
        ("apiVersion", Value::from("v1")),
        ("metadata", Value::object()),
        ("status", Value::from(outcome)),
    ])
}

impl Details {
    fn of(resource: &GroupResource, name: &str) -> Details {
        Details {
            name: name.into(),
            group: resource.group.clone(),
            kind: resource.resource.clone(),
            ..Details::default()
        }
    }

    fn to_value(&self) -> Value {
        let mut details = Object::new();
        insert_text(&mut details, "name", &self.name);
        insert_text(&mut details, "group", &self.group);
        insert_text(&mut details, "kind", &self.kind);
        insert_text(&mut details, "uid", &self.uid);
        if !self.causes.is_empty() {
            details.insert("causes", self.causes.iter().map(Cause::to_value).collect::<Value>());
        }
        if self.retry_after_seconds > 0 {
            details.insert("retryAfterSeconds", self.retry_after_seconds);
        }
        Value::Object(details)
    }
}

impl Cause {
    fn to_value(&self) -> Value {
        let mut cause = Object::new();
        insert_text(&mut cause, "reason", &self.reason);
        insert_text(&mut cause, "message", &self.message);
        insert_text(&mut cause, "field", &self.field);
        Value::Object(cause)
    }
}

impl From<status::Cause> for Cause {
    fn from(cause: status::Cause) -> Self {
        Cause { reason: cause.reason.into(), message: cause.message, field: cause.field }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ApiError {}

impl From<PatchError> for ApiError {
    fn from(error: PatchError) -> Self {
        match error {
            PatchError::BadRequest(message) => ApiError::bad_request(message),
            PatchError::Unprocessable(_) => ApiError::unprocessable(),
            PatchError::Invalid { value, detail } => ApiError::invalid_patch(&value, detail),
            PatchError::Conflict(conflicts) => {
                let cause = |cause: sprag_patch::Cause| Cause {
                    reason: "FieldManagerConflict".into(),
                    message: cause.message,
                    field: cause.field,
                };
                ApiError::apply_conflict(conflicts.message, conflicts.causes.into_iter().map(cause).collect())
            }
            PatchError::TooLarge(message) => ApiError::too_large(message),
            error => ApiError::unknown(error.to_string()),
        }
    }
}

fn insert_text(object: &mut Object, key: &str, text: &str) {
    if !text.is_empty() {
        object.insert(key, text);
    }
}

fn quoted(text: &str) -> String {
    quote::go(text).to_string()
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    fn widgets() -> GroupResource {
        GroupResource::new("example.com", "widgets")
    }

    #[track_caller]
    fn check(error: &ApiError, expected: &str) {
        assert_eq!(json::to_string(&error.to_status()), expected);
    }

    #[test]
    fn errors_are_statuses() {
        check(
            &ApiError::not_found(&widgets(), "a"),
            r#"{"apiVersion":"v1","code":404,"details":{"group":"example.com","kind":"widgets","name":"a"},"kind":"Status","message":"widgets.example.com \"a\" not found","metadata":{},"reason":"NotFound","status":"Failure"}"#,
        );
        check(
            &ApiError::unknown("it broke"),
            r#"{"apiVersion":"v1","code":500,"kind":"Status","message":"it broke","metadata":{},"status":"Failure"}"#,
        );
    }

    #[test]
    fn every_field_error_is_a_cause() {
        let errors = [Error::required(&Path::new("spec"), ""), Error::required(&Path::new("data"), "why")];
        let error = ApiError::invalid("Widget", "example.com", "a", &errors);
        assert_eq!(
            error.to_string(),
            r#"Widget.example.com "a" is invalid: [spec: Required value, data: Required value: why]"#
        );
        let causes = &error.parts().details.as_ref().unwrap().causes;
        assert_eq!(causes[1].reason, "FieldValueRequired");
        assert_eq!((causes[1].message.as_str(), causes[1].field.as_str()), ("Required value: why", "data"));
    }

    #[test]
    fn answers_have_a_limit() {
        let name = "n".repeat(1_000_000);
        let errors: Vec<Error> = (0..5_000).map(|at| Error::invalid(&Path::new("a"), at, "\"".repeat(1_000))).collect();
        let text = json::to_string(&ApiError::invalid("Widget", "example.com", &name, &errors).to_status());
        assert!((500 << 10..1 << 20).contains(&text.len()), "{} bytes", text.len());
        assert!(text.contains("more errors were left out]"));
        assert!(ApiError::unknown("x".repeat(3 << 20)).to_string().len() < (1 << 20) + 100);
    }

    #[test]
    fn core_resources_have_no_group_in_texts() {
        let error = ApiError::forbidden(&GroupResource::new("", "pods"), "p", "no");
        assert_eq!(error.to_string(), r#"pods "p" is forbidden: no"#);
        assert_eq!(ApiError::forbidden(&GroupResource::new("", ""), "", "no").to_string(), "forbidden: no");
    }
}
