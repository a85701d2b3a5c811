//! Annotations of requests for the audit log.

use std::sync::Arc;

use sprag_checks::format::Format;
use sprag_value::Value;
use sprag_value::json::{self, Escape};

/// Takes annotations for the audit event of the request that is under way.
pub trait AuditSink: Send + Sync {
    /// Takes one. Of several values of one key the first counts.
    fn annotate(&self, key: &str, value: &str);

    /// True if the bodies of the request are recorded, and with them the patches of webhooks.
    // As upstream's level Request.
    fn records_requests(&self) -> bool;
}

/// The audit log, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Audit(Option<Arc<dyn AuditSink>>);

impl Audit {
    pub(crate) fn new(sink: Arc<dyn AuditSink>) -> Audit {
        Audit(Some(sink))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Adds an annotation if its key has the form `PREFIX/NAME`, which webhooks need not keep to.
    // As upstream's attributesRecord.AddAnnotation.
    pub(crate) fn annotate(&self, key: &str, value: &str) {
        let Some(sink) = &self.0 else { return };
        if key.matches('/').count() == 1 && Format::LabelKey.is_valid(key) {
            sink.annotate(key, value);
        } else {
            tracing::warn!(key, "failed to set admission audit annotation: the key is not of the form prefix/name");
        }
    }

    /// The same for what is recorded with bodies only; `value` is made then.
    pub(crate) fn annotate_request(&self, key: &str, value: impl FnOnce() -> String) {
        if self.0.as_ref().is_some_and(|sink| sink.records_requests()) {
            self.annotate(key, &value());
        }
    }
}

/// JSON of an annotation with its members in this order, as Go prints a struct.
pub(crate) fn object(members: &[(&str, &Value)]) -> String {
    let mut text = String::from("{");
    for (at, (name, value)) in members.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        json::write_string(&mut text, name, Escape::Html);
        text.push(':');
        json::write_value(&mut text, value, Escape::Html);
    }
    text.push('}');
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use super::*;

    /// Keeps annotations.
    #[derive(Default)]
    pub(crate) struct Kept(pub(crate) Mutex<BTreeMap<String, String>>);

    impl AuditSink for Kept {
        fn annotate(&self, key: &str, value: &str) {
            self.0.lock().unwrap().entry(key.to_owned()).or_insert_with(|| value.to_owned());
        }

        fn records_requests(&self) -> bool {
            true
        }
    }

    #[test]
    fn keys_have_a_prefix_and_a_name() {
        let kept = Arc::new(Kept::default());
        let audit = Audit::new(kept.clone());
        for key in ["a.example.com/seen", "a.example.com/bad key", "plain", "a/b/c", "/x", "UP/x"] {
            audit.annotate(key, "1");
        }
        assert_eq!(kept.0.lock().unwrap().keys().collect::<Vec<_>>(), ["a.example.com/seen"]);
    }

    #[test]
    fn members_stay_in_order_and_are_escaped_as_go_does() {
        assert_eq!(
            object(&[("b", &Value::from("<a>")), ("a", &Value::Bool(true))]),
            r#"{"b":"\u003ca\u003e","a":true}"#
        );
    }
}
