//! Formats of `+k8s:format` as what schemas and expressions can say.

use sprag_checks::format::Format;

/// The form of a text with a format.
pub(crate) enum Form {
    /// A pattern, and the largest number of characters.
    Pattern { pattern: &'static str, max_length: Option<u64> },
    /// A CEL expression about a text, for which `{}` stands, and the largest number of characters.
    Expression { expression: &'static str, max_length: u64 },
}

const LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
const SUBDOMAIN: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
const CASELESS: &str = r"^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$";
const LABEL_VALUE: &str = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";
const UUID: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";

/// The form of a format; `None` where neither a pattern nor an expression says the same.
pub(crate) fn form(format: Format) -> Option<Form> {
    let pattern = |pattern, max_length| Some(Form::Pattern { pattern, max_length });
    match format {
        Format::ShortName => pattern(LABEL, Some(63)),
        Format::LongName => pattern(SUBDOMAIN, Some(253)),
        Format::LongNameCaseless => pattern(CASELESS, Some(253)),
        Format::LabelValue => pattern(LABEL_VALUE, Some(63)),
        Format::Uuid => pattern(UUID, None),
        Format::LabelKey => {
            Some(Form::Expression { expression: "!format.qualifiedName().validate({}).hasValue()", max_length: 317 })
        }
        Format::Ip => Some(Form::Expression { expression: "isIP({})", max_length: 45 }),
        // Resource names and path segments have rules about prefixes that neither can say.
        _ => None,
    }
}
