//! Parameters of operations, and the names under which documents of version 2 share them.

use std::borrow::Cow;

use sprag_value::{Value, base64, json};

use super::Dialect;

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Query,
    Path,
}

/// A parameter of an operation other than its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: Cow<'static, str>,
    pub(super) location: Location,
    pub(super) ty: &'static str,
    pub(super) description: Cow<'static, str>,
}

/// Parameters that clients look for where they are used.
const UNSHARED: [&str; 3] = ["name", "fieldValidation", "dryRun"];

impl Location {
    fn as_str(self) -> &'static str {
        match self {
            Location::Query => "query",
            Location::Path => "path",
        }
    }
}

impl Parameter {
    /// The name in the path of a kind.
    pub(super) fn name_of(kind: &str) -> Parameter {
        let description = Cow::Owned(format!("name of the {kind}"));
        Parameter { name: "name".into(), location: Location::Path, ty: "string", description }
    }

    /// As version 3 writes it.
    pub(super) fn v3(&self) -> Value {
        let mut parameter = object! {
            "name": self.name.as_ref(),
            "in": self.location.as_str(),
            "description": self.description.as_ref(),
            "schema": object! { "type": self.ty, "uniqueItems": true },
        };
        self.require(&mut parameter);
        parameter
    }

    /// As version 2 writes it.
    pub(super) fn v2(&self) -> Value {
        let mut parameter = object! {
            "uniqueItems": true,
            "type": self.ty,
            "description": self.description.as_ref(),
            "name": self.name.as_ref(),
            "in": self.location.as_str(),
        };
        self.require(&mut parameter);
        parameter
    }

    fn require(&self, parameter: &mut Value) {
        if self.location == Location::Path {
            parameter.insert("required", true);
        }
    }

    /// The name under which operations of version 2 share it; none when each has its own.
    pub(super) fn shared_name(&self) -> Option<String> {
        if UNSHARED.contains(&self.name.as_ref()) {
            return None;
        }
        let mut description = String::new();
        json::write_string(&mut description, &self.description, json::Escape::Html);
        let Parameter { name, location, ty, .. } = self;
        let required = if *location == Location::Path { ",\"required\":true" } else { "" };
        let text = format!(
            r#"{{"uniqueItems":true,"type":"{ty}","description":{description},"name":"{name}","in":"{}"{required}}}"#,
            location.as_str()
        );
        Some(format!("{}-{}", self.name, short_hash(&text)))
    }
}

/// The body of requests as version 2 writes it, and the name under which operations share it.
pub(super) fn v2_body(definition: &str, required: bool) -> (Value, Option<String>) {
    let mut body = object! { "name": "body", "in": "body", "schema": Dialect::V2.reference(definition) };
    if required {
        body.insert("required", true);
    }
    let shared = definition.starts_with("io.k8s.apimachinery").then(|| {
        let required = if required { ",\"required\":true" } else { "" };
        let schema = format!(r##"{{"$ref":"#/definitions/{definition}"}}"##);
        let text = format!(r#"{{"name":"body","in":"body"{required},"schema":{schema}}}"#);
        format!("body-{}", short_hash(&text))
    });
    (body, shared)
}

/// Eight characters that tell texts apart: the FNV-1 hash with 64 bits, of which 48 are kept.
fn short_hash(text: &str) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = text.bytes().fold(OFFSET, |hash, byte| hash.wrapping_mul(PRIME) ^ u64::from(byte));
    base64::URL.encode(&hash.to_be_bytes()[..6])
}

#[cfg(test)]
mod tests {
    use super::super::known;
    use super::*;

    #[test]
    fn parameters_are_shared_under_upstream_names() {
        let shared = |key| known::parameter(key).shared_name();
        assert_eq!(shared("fieldManager").as_deref(), Some("fieldManager-Qy4HdaTW"));
        assert_eq!(shared("fieldManager of patches").as_deref(), Some("fieldManager-7c6nTn1T"));
        assert_eq!(shared("namespace").as_deref(), Some("namespace-vgWSWtn3"));
        assert_eq!(shared("gracePeriodSeconds").as_deref(), Some("gracePeriodSeconds--K5HaBOS"));
        assert_eq!(shared("dryRun"), None);
        let (_, patch) = v2_body("io.k8s.apimachinery.pkg.apis.meta.v1.Patch", true);
        assert_eq!(patch.as_deref(), Some("body-78PwaGsr"));
        let (_, options) = v2_body("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", false);
        assert_eq!(options.as_deref(), Some("body-2Y1dVQaQ"));
    }
}
