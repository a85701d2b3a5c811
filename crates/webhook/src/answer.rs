//! The answer of a webhook, and its interpretation.

use std::sync::Arc;

use sprag_decode::{Format, json, object, yaml};
use sprag_field::quote;
use sprag_value::Value;
use tokio::sync::OwnedSemaphorePermit;

/// Maximum bytes of a body that is not an object which are part of an error.
// As client-go's maxUnstructuredResponseTextBytes.
const MAX_TEXT: usize = 2048;

/// The error of a webhook without a usable answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    /// The message, in the words of Go and client-go.
    pub message: String,
    /// The code for metrics.
    pub code: u16,
}

impl CallError {
    /// An error of the call itself.
    pub fn new(message: impl Into<String>) -> CallError {
        CallError { message: message.into(), code: 503 }
    }
}

/// The response of a webhook.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The status code.
    pub code: u16,
    /// The content type, as it was sent.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
    /// The turn of a large answer, which is in memory for as long.
    pub(crate) _turn: Option<Arc<LargeTurn>>,
}

/// The turn of a large answer: among those of its webhook, and among all.
pub(crate) type LargeTurn = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Reply {
    /// The text of the object that was answered, or the error of the call.
    // As client-go's Request.transformResponse and Result.Into.
    pub fn object(&self) -> Result<&[u8], CallError> {
        if !(200..=206).contains(&self.code) {
            return Err(self.status_error().unwrap_or_else(|| self.generic_error()));
        }
        if self.body.is_empty() {
            let content_type = self.content_type.as_deref().unwrap_or("application/json");
            return Err(CallError::new(format!(
                "0-length response with status code: {} and content type: {content_type}",
                self.code
            )));
        }
        Ok(&self.body)
    }

    /// The error in a `Status` that came with a code of failure.
    // As client-go's Result.Error, which takes bodies without a kind for a Status, too.
    fn status_error(&self) -> Option<CallError> {
        let format = Format::guess(&self.body);
        let declared = object::declared(format, &self.body).ok()?;
        let is_status =
            matches!(declared.kind.as_str(), "" | "Status") && matches!(declared.api_version.as_str(), "" | "v1");
        let status = parse(format, &self.body).filter(|_| is_status)?;
        let is_failure = status.get("status").and_then(Value::as_str) == Some("Failure");
        is_failure.then(|| status_failure(&status))
    }

    /// The error of an answer that says nothing more than its code.
    // As apimachinery's errors.NewGenericServerResponse.
    fn generic_error(&self) -> CallError {
        let is_text = self.content_type.as_deref().is_none_or(|content_type| content_type.starts_with("text/"));
        let said = if is_text {
            let body = &self.body[..self.body.len().min(MAX_TEXT)];
            String::from_utf8_lossy(body).trim().to_owned()
        } else {
            "unknown".to_owned()
        };
        let message = match self.code {
            409 => "the server reported a conflict".to_owned(),
            404 => "the server could not find the requested resource".to_owned(),
            400 => "the server rejected our request for an unknown reason".to_owned(),
            401 => "the server has asked for the client to provide credentials".to_owned(),
            406 if said.is_empty() || said == "unknown" => {
                "the server was unable to respond with a content type that the client supports".to_owned()
            }
            403 | 406 | 415 => said,
            405 => "the server does not allow this method on the requested resource".to_owned(),
            422 => "the server rejected our request due to an error in our request".to_owned(),
            503 => "the server is currently unable to handle the request".to_owned(),
            504 => "the server was unable to return a response in the time allotted, but may still be processing the request"
                .to_owned(),
            429 => "the server has received too many requests and has asked us to try again later".to_owned(),
            code if code >= 500 => {
                format!("an error on the server ({}) has prevented the request from succeeding", quote::go(&said))
            }
            code => format!("the server responded with the status code {code} but did not return more information"),
        };
        CallError { message, code: self.code }
    }
}

/// The error that a `Status` stands for.
// As apimachinery's errors.FromObject.
fn status_failure(status: &Value) -> CallError {
    let message = status.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    let code = status.get("code").and_then(Value::as_i64).unwrap_or_default();
    CallError { message, code: u16::try_from(code).unwrap_or_default() }
}

fn parse(format: Format, text: &[u8]) -> Option<Value> {
    match format {
        Format::Json => json::decode(text).ok(),
        Format::Yaml => yaml::decode(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: u16, content_type: &str, body: &str, expected: &str) {
        let content_type = Some(content_type.to_owned());
        let answer = Reply { code, content_type, body: body.as_bytes().to_vec(), _turn: None };
        assert_eq!(answer.object().unwrap_err().message, expected);
    }

    #[test]
    fn failures_are_in_the_words_of_client_go() {
        check(
            500,
            "application/json",
            "oops",
            r#"an error on the server ("unknown") has prevented the request from succeeding"#,
        );
        check(
            502,
            "text/plain",
            " oops ",
            r#"an error on the server ("oops") has prevented the request from succeeding"#,
        );
        check(403, "text/plain", "no", "no");
        let status = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m"}"#;
        check(500, "application/json", status, "m");
        check(
            200,
            "application/json",
            "",
            "0-length response with status code: 200 and content type: application/json",
        );
        check(
            304,
            "application/json",
            "",
            "the server responded with the status code 304 but did not return more information",
        );
    }
}
