//! Comparing expected with actual errors by chosen criteria.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use crate::{BadValue, Error, ErrorKind, NormalizationRule, Source, quote};

/// Says which parts of two errors must agree; each `by_…` adds one.
///
/// ```
/// use sprag_field::{Error, Matcher, Path};
///
/// let want = Error::invalid(&Path::new("a"), "", "").with_origin("minimum");
/// let got = Error::invalid(&Path::new("a"), 3_i64, "must be greater than or equal to 5").with_origin("minimum");
/// let matcher = Matcher::new().by_kind().by_field().by_origin();
/// assert!(matcher.matches(&want, &got));
/// assert!(matcher.diff(&[want], &[got]).is_empty());
/// ```
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent criterion, set by one method")]
pub struct Matcher {
    kind: bool,
    field: bool,
    value: bool,
    origin: bool,
    origin_when_invalid: bool,
    detail: Option<DetailMatch>,
    stage: bool,
    source: bool,
    short_circuit: bool,
    ancestor_short_circuit: bool,
    rules: Vec<NormalizationRule>,
}

#[derive(Clone, Copy, Debug)]
enum DetailMatch {
    Exact,
    Substring,
}

impl Matcher {
    /// A matcher without criteria: everything matches.
    pub fn new() -> Matcher {
        Matcher::default()
    }

    /// Kind, field, value, origin and exact detail, on top of what is already asked for.
    #[must_use]
    pub fn exactly(self) -> Matcher {
        self.by_kind().by_field().by_value().by_origin().by_detail_exact()
    }

    /// The kinds must agree.
    #[must_use]
    pub fn by_kind(mut self) -> Matcher {
        self.kind = true;
        self
    }

    /// The fields must agree.
    #[must_use]
    pub fn by_field(mut self) -> Matcher {
        self.field = true;
        self
    }

    /// The fields must agree after the first applicable rule has rewritten the actual one.
    #[must_use]
    pub fn by_field_normalized(mut self, rules: &[NormalizationRule]) -> Matcher {
        self.field = true;
        self.rules = rules.to_vec();
        self
    }

    /// The offending values must agree.
    #[must_use]
    pub fn by_value(mut self) -> Matcher {
        self.value = true;
        self
    }

    /// The origins must agree; then one expected error with an origin accounts for all actual ones it matches.
    #[must_use]
    pub fn by_origin(mut self) -> Matcher {
        self.origin = true;
        self
    }

    /// With [`by_origin`](Matcher::by_origin): an invalid value without an origin matches nothing.
    #[must_use]
    pub fn require_origin_when_invalid(mut self) -> Matcher {
        self.origin_when_invalid = true;
        self
    }

    /// The details must be equal.
    #[must_use]
    pub fn by_detail_exact(mut self) -> Matcher {
        self.detail = Some(DetailMatch::Exact);
        self
    }

    /// The actual detail must contain the expected one.
    #[must_use]
    pub fn by_detail_substring(mut self) -> Matcher {
        self.detail = Some(DetailMatch::Substring);
        self
    }

    /// The stages must agree.
    #[must_use]
    pub fn by_stage(mut self) -> Matcher {
        self.stage = true;
        self
    }

    /// The sources must agree.
    #[must_use]
    pub fn by_source(mut self) -> Matcher {
        self.source = true;
        self
    }

    /// The short-circuit marks must agree.
    #[must_use]
    pub fn by_short_circuit(mut self) -> Matcher {
        self.short_circuit = true;
        self
    }

    /// An actual short-circuit error also matches any expected error below its field.
    #[must_use]
    pub fn match_ancestor_short_circuit(mut self) -> Matcher {
        self.ancestor_short_circuit = true;
        self
    }

    /// True if an actual error is what was expected.
    pub fn matches(&self, want: &Error, got: &Error) -> bool {
        let normalized = if want.field == got.field { None } else { self.normalize(&got.field) };
        let got_field = normalized.as_deref().unwrap_or(&got.field);
        if self.ancestor_short_circuit
            && got.short_circuit
            && (is_below(got_field, &want.field) || is_below(&got.field, &want.field))
        {
            return true;
        }
        (!self.kind || want.kind == got.kind)
            && (!self.field || want.field == got_field)
            && (!self.value || want.value == got.value)
            && (!self.origin || self.origins_match(want, got))
            && self.detail.is_none_or(|how| how.holds(&want.detail, &got.detail))
            && (!self.stage || want.stage == got.stage)
            && (!self.source || want.source == got.source)
            && (!self.short_circuit || want.short_circuit == got.short_circuit)
    }

    fn origins_match(&self, want: &Error, got: &Error) -> bool {
        let missing = self.origin_when_invalid && want.kind == ErrorKind::Invalid && want.origin.is_empty();
        want.origin == got.origin && !missing
    }

    fn normalize(&self, field: &str) -> Option<String> {
        self.rules.iter().filter_map(|rule| rule.apply(field)).find(|rewritten| rewritten != field)
    }

    /// The parts of an error that this matcher looks at, as text.
    pub fn render(&self, error: &Error) -> String {
        let mut parts = Vec::new();
        if self.kind {
            parts.push(format!("Type={}", quote::go(error.kind.reason())));
        }
        if self.field {
            parts.push(self.render_field(&error.field));
        }
        if self.value {
            parts.push(format!("Value={}", plain_value(&error.value)));
        }
        if self.origin || self.origin_when_invalid && error.kind == ErrorKind::Invalid {
            parts.push(format!("Origin={}", quote::go(&error.origin)));
        }
        if self.detail.is_some() {
            parts.push(format!("Detail={}", quote::go(&error.detail)));
        }
        if self.stage {
            parts.push(format!("ValidationStabilityLevel={}", error.stage.name()));
        }
        if self.source {
            parts.push(format!("FromImperative={}", error.source == Source::HandWritten));
        }
        if self.short_circuit {
            parts.push(format!("ShortCircuit={}", error.short_circuit));
        }
        format!("{{{}}}", parts.join(", "))
    }

    fn render_field(&self, field: &str) -> String {
        let mut text = String::from("Field=");
        if let Some(normalized) = self.normalize(field) {
            quote::push_go(&mut text, &normalized);
            write!(text, " (aka {})", quote::go(field)).expect("writing to a string does not fail");
        } else {
            quote::push_go(&mut text, field);
        }
        text
    }

    /// Everything that differs between the expected and the actual errors; empty when they agree.
    ///
    /// One expected error accounts for one actual error, or for all it matches when origins are compared and it has
    /// one. Two actual errors that are equal in every part are a finding of their own.
    pub fn diff(&self, want: &[Error], got: &[Error]) -> Vec<Mismatch> {
        let exactly = self.clone().exactly();
        let mut mismatches = exact_duplicates(&exactly, got);
        let mut remaining: Vec<&Error> = got.iter().collect();
        for want in want {
            let before = remaining.len();
            if self.origin && !want.origin.is_empty() {
                remaining.retain(|got| !self.matches(want, got));
            } else if let Some(found) = remaining.iter().position(|got| self.matches(want, got)) {
                remaining.remove(found);
            }
            if remaining.len() == before {
                mismatches.push(Mismatch::Missing(self.render(want)));
            }
        }
        mismatches.extend(remaining.into_iter().map(|error| Mismatch::Unexpected(exactly.render(error))));
        mismatches
    }
}

/// One difference between expected and actual errors, holding the rendered error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The same actual error came twice.
    Duplicate(String),
    /// An expected error did not come.
    Missing(String),
    /// An actual error was not expected.
    Unexpected(String),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Duplicate(error) => write!(f, "exact duplicate error:\n{error}"),
            Mismatch::Missing(error) => write!(f, "expected an error matching:\n{error}"),
            Mismatch::Unexpected(error) => write!(f, "unmatched error:\n{error}"),
        }
    }
}

impl DetailMatch {
    fn holds(self, want: &str, got: &str) -> bool {
        match self {
            DetailMatch::Exact => want == got,
            DetailMatch::Substring => got.contains(want),
        }
    }
}

fn exact_duplicates(exactly: &Matcher, got: &[Error]) -> Vec<Mismatch> {
    let mut seen = BTreeSet::new();
    let rendered = got.iter().map(|error| exactly.render(error));
    rendered.filter_map(|text| (!seen.insert(text.clone())).then_some(Mismatch::Duplicate(text))).collect()
}

fn plain_value(value: &BadValue) -> String {
    match value {
        BadValue::Nil => "<nil>".to_owned(),
        BadValue::Omitted => "{}".to_owned(),
        value => value.to_string(),
    }
}

/// True if `field` lies below `parent`; the object itself has nothing below it here.
fn is_below(parent: &str, field: &str) -> bool {
    !parent.is_empty() && field.strip_prefix(parent).is_some_and(|rest| rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests;
