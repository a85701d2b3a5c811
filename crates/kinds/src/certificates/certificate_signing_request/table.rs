//! The table of requests for certificates.

use sprag_rest::{Column, human_duration};
use sprag_value::Value;

use super::request;
use crate::columns::text;

/// As upstream's `printers.printCertificateSigningRequest`.
pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::age(),
        text("SignerName", "Signer that is asked.", |object| match request(object).spec().signer_name() {
            "" => "<none>".into(),
            name => name.into(),
        }),
        text("Requestor", "User who made the request.", |object| request(object).spec().username().into()),
        text("RequestedDuration", "Wanted life of the certificate.", |object| {
            request(object).spec().expiration_seconds().map_or("<none>".into(), human_duration).into()
        }),
        text("Condition", "State of the request.", |object| condition(object).into()),
    ]
}

/// As upstream's `printers.extractCSRStatus`.
fn condition(object: &Value) -> String {
    let status = request(object).status();
    let has = |kind: &str| status.conditions().iter().any(|condition| condition.kind() == kind);
    let mut text = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied",
        (false, true) => "Approved",
        (false, false) => "Pending",
    }
    .to_owned();
    if has("Failed") {
        text.push_str(",Failed");
    }
    if !status.certificate().is_empty() {
        text.push_str(",Issued");
    }
    text
}
