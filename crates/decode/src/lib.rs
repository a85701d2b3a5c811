//! Bytes to values: JSON and YAML as the API server and kubectl read them, with strict findings and positions.
//!
//! Does not know: rules, HTTP, files. Every reader has limits on depth, size and count; what is past one is an error
//! that names it.
//!
//! ```
//! use sprag_decode::{Format, json, yaml};
//!
//! let text = b"spec:\n  replicas: 3\n  replicas: 4\n";
//! assert_eq!(Format::guess(text), Format::Yaml);
//! let decoded = yaml::decode_strict(text)?;
//! assert_eq!(decoded.findings[0].to_string(), r#"line 3: key "replicas" already set in map"#);
//!
//! let decoded = json::decode_strict(br#"{"spec": {"replicas": 3, "replicas": 4}}"#)?;
//! assert_eq!(decoded.findings[0].to_string(), r#"duplicate field "spec.replicas""#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod finding;
#[doc(hidden)]
pub mod fuzz;
pub mod json;
pub mod locate;
pub mod metadata;
pub mod object;
mod path;
pub mod protobuf;
pub mod stream;
pub mod typed;
mod utf8;
pub mod yaml;

pub use crate::finding::{Finding, repeated_keys_error, strict_error};

use sprag_value::Value;

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

impl Format {
    /// JSON when the first character that is not white space is `{`, as upstream guesses.
    pub fn guess(text: &[u8]) -> Self {
        if stream::trim_start(text).first() == Some(&b'{') { Self::Json } else { Self::Yaml }
    }
}

/// A value that was read, and what strict decoding has to say about its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The value, as lenient decoding yields it.
    pub value: Value,
    /// Findings of strict decoding, in upstream's order.
    pub findings: Vec<Finding>,
    /// The parts of a typed value that its JSON does not show.
    pub unprinted: Vec<typed::Unprinted>,
}

impl Decoded {
    /// A value and findings about its text.
    pub fn new(value: Value, findings: Vec<Finding>) -> Decoded {
        Decoded { value, findings, unprinted: Vec::new() }
    }
}
