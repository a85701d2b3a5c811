//! Continue tokens: where the next page of a list begins.

use std::fmt::Display;

use sprag_decode::json as decode_json;
use sprag_storage::Revision;
use sprag_value::base64::RAW_URL;
use sprag_value::{Value, json};

use sprag_rest::{ApiError, Result};

/// The start key and the revision of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Continue {
    /// The revision to list at; the newest if absent.
    pub(crate) at: Option<Revision>,
    /// The lower bound of the keys of the page, relative to the scope of the list.
    pub(crate) from: Option<String>,
    /// True if it goes on at the newest state, since that of the first page is no longer kept.
    pub(crate) inconsistent: bool,
}

const VERSION: &str = "meta.k8s.io/v1";
const ANY_REVISION: i64 = -1;
/// Upstream's tokens name the least key of the next page: the last one with a zero byte behind it.
const SUCCESSOR: char = '\0';

impl Continue {
    /// The key of the last object of the page before, if the token is one of ours.
    pub(crate) fn after(&self) -> Option<&str> {
        self.from.as_deref()?.strip_suffix(SUCCESSOR)
    }
}

/// The token for what follows a key.
pub(crate) fn encode(revision: Revision, below: &str) -> String {
    encode_at(revision.0, &format!("{below}{SUCCESSOR}"))
}

/// The token for what begins where another began, in whatever state there is then.
pub(crate) fn encode_inconsistent(from: &str) -> String {
    encode_at(ANY_REVISION, from)
}

/// A token for the same place, in whatever state there is then.
pub(crate) fn at_newest(token: &str) -> Result<String> {
    Ok(decode(token)?.from.map_or_else(String::new, |from| encode_inconsistent(&from)))
}

/// Members are in upstream's order, so that tokens are the same bytes.
fn encode_at(revision: impl Display, from: &str) -> String {
    let start = json::to_string(&Value::from(from));
    RAW_URL.encode(format!(r#"{{"v":"{VERSION}","rv":{revision},"start":{start}}}"#).as_bytes())
}

/// Reads a token.
pub(crate) fn decode(token: &str) -> Result<Continue> {
    let bytes = RAW_URL.decode(token).map_err(invalid_key)?;
    let value = decode_json::decode(&bytes).map_err(|error| invalid_key(decode_json::standard_text(&bytes, &error)))?;
    check_types(&value)?;
    let text = |member: &str| value.get(member).and_then(Value::as_str).unwrap_or_default();
    if text("v") != VERSION {
        return Err(bad(&format!(
            "continue key is not valid: server does not recognize this encoded version {}",
            text("v")
        )));
    }
    let revision = value.get("rv").and_then(Value::as_i64).unwrap_or(0);
    if revision == 0 {
        return Err(bad("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"));
    }
    let start = text("start");
    if start.is_empty() {
        return Err(bad("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)"));
    }
    // Pages that upstream takes from its cache begin with a slash.
    let from = start.strip_prefix('/').unwrap_or(start);
    if !from.is_empty() && from.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(invalid_key(start));
    }
    let at = u64::try_from(revision).ok().map(Revision);
    Ok(Continue { at, from: Some(from.to_owned()), inconsistent: at.is_none() })
}

/// Refuses members of other types than upstream reads, in the words of its reader.
fn check_types(value: &Value) -> Result<()> {
    let misfit = |value: &Value, target: &str| {
        let found = match value {
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            Value::String(_) => "string",
            Value::Bool(_) => "bool",
            Value::Int(_) | Value::Float(_) | Value::Null => "number",
        };
        invalid_key(format_args!("json: cannot unmarshal {found} into Go {target}"))
    };
    if !matches!(value, Value::Object(_) | Value::Null) {
        return Err(misfit(value, "value of type storage.continueToken"));
    }
    for (member, ty) in [("v", "string"), ("rv", "int64"), ("start", "string")] {
        match (value.get(member), ty) {
            (None | Some(Value::Null), _) | (Some(Value::String(_)), "string") | (Some(Value::Int(_)), "int64") => {}
            (Some(other), ty) => {
                return Err(misfit(other, &format!("struct field continueToken.{member} of type {ty}")));
            }
        }
    }
    Ok(())
}

/// The token names no place in a list.
fn invalid_key(why: impl Display) -> ApiError {
    bad(&format!("continue key is not valid: {why}"))
}

fn bad(why: &str) -> ApiError {
    ApiError::bad_request(format!("invalid continue token: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back() {
        for below in ["a", "ns/name", "ä/ü"] {
            let token = encode(Revision(7), below);
            let read = decode(&token).unwrap();
            assert_eq!((read.at, read.after(), read.inconsistent), (Some(Revision(7)), Some(below), false));
        }
    }

    #[test]
    fn tokens_are_those_of_upstream() {
        let token = RAW_URL.encode(br#"{"v":"meta.k8s.io/v1","rv":7,"start":"a\u0000"}"#);
        assert_eq!(encode(Revision(7), "a"), token);
        let from_its_cache = RAW_URL.encode(br#"{"v":"meta.k8s.io/v1","rv":7,"start":"/a\u0000"}"#);
        assert_eq!(decode(&from_its_cache), decode(&token));
    }

    #[test]
    fn foreign_tokens_are_refused() {
        let refused = |text: &str| decode(&RAW_URL.encode(text.as_bytes())).unwrap_err().to_string();
        let of_token = |token: &str| decode(token).unwrap_err().to_string();
        assert_eq!(
            of_token("!"),
            "invalid continue token: continue key is not valid: illegal base64 data at input byte 0"
        );
        assert_eq!(
            of_token("garbage"),
            r"invalid continue token: continue key is not valid: invalid character '\x81' looking for beginning of value"
        );
        assert_eq!(
            refused("x"),
            "invalid continue token: continue key is not valid: invalid character 'x' looking for beginning of value"
        );
        assert_eq!(
            refused("[]"),
            "invalid continue token: continue key is not valid: json: cannot unmarshal array into Go value of type storage.continueToken"
        );
        assert_eq!(
            refused(r#"{"v":"meta.k8s.io/v1","rv":"x"}"#),
            "invalid continue token: continue key is not valid: json: cannot unmarshal string into Go struct field \
             continueToken.rv of type int64"
        );
        assert!(refused(r#"{"v":"other"}"#).ends_with("does not recognize this encoded version other"));
        assert!(refused(r#"{"v":"meta.k8s.io/v1","rv":0}"#).contains("incorrect encoded start resourceVersion"));
        assert!(refused(r#"{"v":"meta.k8s.io/v1","rv":1}"#).contains("encoded start key empty"));
        for start in ["a/", "//", "/..", "../a", "a/./b", "a//b"] {
            assert_eq!(
                refused(&format!(r#"{{"v":"meta.k8s.io/v1","rv":1,"start":"{start}"}}"#)),
                format!("invalid continue token: continue key is not valid: {start}")
            );
        }
    }

    #[test]
    fn any_place_is_one_to_begin_at() {
        for (start, from) in [("a", "a"), ("/a/b", "a/b"), ("/", ""), ("a\\u0000/b", "a\0/b")] {
            let token = RAW_URL.encode(format!(r#"{{"v":"meta.k8s.io/v1","rv":-1,"start":"{start}"}}"#).as_bytes());
            let read = decode(&token).unwrap();
            assert_eq!((read.from.as_deref(), read.after(), read.inconsistent), (Some(from), None, true));
        }
    }
}
