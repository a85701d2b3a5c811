//! Objects in the version that upstream keeps to itself, which a body can ask for all the same. There, metadata has no
//! name of its own: its members stand beside those of the object.

use sprag_decode::{Decoded, Finding, Format, object, typed};
use sprag_shape::meta::{self, OBJECT_META};
use sprag_value::{Object, Value};

use crate::unreadable::Unreadable;

/// Reads an object in upstream's own version. Members other than those of metadata have names of Go's there, which
/// nobody sends; what has another name is a finding. An error is in the words of upstream's decoder.
pub(super) fn read(text: &[u8], format: Format) -> Result<Decoded, Unreadable> {
    let mut metadata = Object::new();
    let mut rest = Value::object();
    let mut findings = Vec::new();
    for (name, value) in object::members(format, text) {
        if matches!(name.as_str(), "apiVersion" | "kind") {
            rest.insert(name.as_str(), value);
        } else if meta::shapes().field(OBJECT_META, &name).is_some() {
            metadata.insert(name.as_str(), value);
        } else {
            findings.push(Finding::UnknownField { path: name.clone() });
        }
    }
    let metadata = typed::decode(meta::shapes(), OBJECT_META, &Value::Object(metadata))?;
    findings.extend(metadata.findings);
    rest.insert("metadata", metadata.value);
    Ok(Decoded::new(rest, findings))
}
