//! The rule of KEP-2885 and the reference for unknown and duplicate fields: not a table of answers.

use super::document::{Faults, Subject, UNKNOWN};

/// The way an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Create,
    Update,
    JsonPatch,
    MergePatch,
    StrategicPatch,
    ApplyCreate,
    ApplyUpdate,
}

/// The format of a body's text. A patch that is applied is read as YAML in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    Json,
    Yaml,
}

/// The treatment of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Strict,
    Warn,
    Ignore,
    /// The parameter has a value that it cannot have.
    Invalid,
}

/// One request.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) subject: Subject,
    pub(super) verb: Verb,
    pub(super) text: Text,
    pub(super) mode: Mode,
    pub(super) faults: Faults,
    /// The line on which a field is there for the second time.
    pub(super) repeated_on: usize,
}

/// An answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) code: u16,
    pub(super) warnings: Vec<String>,
    /// The beginning and end of the message; between them an object may be quoted.
    pub(super) message: (String, String),
}

impl Verb {
    pub(super) fn is_apply(self) -> bool {
        matches!(self, Verb::ApplyCreate | Verb::ApplyUpdate)
    }

    pub(super) fn creates(self) -> bool {
        matches!(self, Verb::Create | Verb::ApplyCreate)
    }

    fn options(self) -> &'static str {
        match self {
            Verb::Create => "CreateOptions",
            Verb::Update => "UpdateOptions",
            _ => "PatchOptions",
        }
    }
}

impl Case {
    pub(super) fn expected(&self) -> Expected {
        if self.verb == Verb::StrategicPatch && !self.subject.typed {
            return refusal(415, "the body of the request was in an unknown format", "");
        }
        if self.mode == Mode::Invalid {
            let what = format!("{}.meta.k8s.io \"\" is invalid: fieldValidation: ", self.verb.options());
            let why = r#"Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn""#;
            return refusal(422, &what, why);
        }
        if self.verb.is_apply() { self.applied() } else { self.written() }
    }

    fn written(&self) -> Expected {
        let findings = self.findings();
        if self.mode != Mode::Strict || findings.is_empty() {
            return self.accepted(findings);
        }
        let why = format!("strict decoding error: {}", findings.join(", "));
        match self.verb {
            Verb::Create | Verb::Update => {
                let kind = self.subject.kind;
                refusal(400, &format!("{kind} in version \"v1\" cannot be handled as a {kind}: {why}"), "")
            }
            _ => refusal(422, " \"\" is invalid: patch: Invalid value: \"", &format!("\": {why}")),
        }
    }

    /// An object that is applied has to fit its type in every mode; only what is there twice is a matter of the mode.
    fn applied(&self) -> Expected {
        let undeclared: Vec<String> =
            self.unknown().iter().map(|path| format!(".{path}: field not declared in schema")).collect();
        if !undeclared.is_empty() {
            let Subject { api_version, kind, .. } = self.subject;
            // The group without a name is reported, too.
            let group = if api_version.contains('/') { "" } else { "/" };
            let of = format!("/{}; {group}{api_version}, Kind={kind}", self.name);
            let what = format!("failed to create typed patch object ({of}): ");
            let why = match &undeclared[..] {
                [one] => one.clone(),
                several => format!("errors:\n  {}", several.join("\n  ")),
            };
            return refusal(400, &format!("{what}{why}"), "");
        }
        let findings = if self.faults.duplicate { vec![self.repeated()] } else { Vec::new() };
        if self.mode != Mode::Strict || findings.is_empty() {
            return self.accepted(findings);
        }
        let what = "error strict decoding patch: error converting YAML to JSON: ";
        refusal(400, &format!("{what}{}", findings.join(", ")), "")
    }

    /// Faults in the order in which they are reported.
    fn findings(&self) -> Vec<String> {
        let duplicates = if self.faults.duplicate { self.duplicates() } else { Vec::new() };
        let unknown = self.unknown().into_iter().map(|path| format!("unknown field {path:?}"));
        let is_one_walk =
            self.subject.typed && self.text == Text::Json && matches!(self.verb, Verb::Create | Verb::Update);
        if is_one_walk {
            // In the order of the document: the unknown field of the root comes first, the duplicate last.
            let mut walked: Vec<String> = unknown.collect();
            walked.reverse();
            return walked.into_iter().chain(duplicates).collect();
        }
        duplicates.into_iter().chain(unknown).collect()
    }

    fn duplicates(&self) -> Vec<String> {
        let Subject { part, field, .. } = self.subject;
        let at_object = format!("duplicate field \"{part}.{field}\"");
        match (self.verb, self.text) {
            (Verb::JsonPatch, _) => {
                let at_patch = format!("json patch duplicate field \"[0].value.{field}\"");
                // The text of a value goes into the object unread, unless a later operation reaches into it.
                std::iter::once(at_patch).chain((!self.faults.nested).then_some(at_object)).collect()
            }
            (_, Text::Json) => vec![at_object],
            (_, Text::Yaml) => vec![self.repeated()],
        }
    }

    /// Returns the message of YAML about a repeated key: under `Strict` as one blob.
    fn repeated(&self) -> String {
        let line = format!("line {}: key {:?} already set in map", self.repeated_on, self.subject.field);
        if self.mode == Mode::Strict { format!("yaml: unmarshal errors:\n  {line}") } else { line }
    }

    /// The paths of unknown fields: those of the metadata first, then the others by name.
    fn unknown(&self) -> Vec<String> {
        let Subject { part, typed, open, .. } = self.subject;
        let places = [
            (self.faults.metadata, format!("metadata.{UNKNOWN}")),
            // The data of a config map is a map, which takes every name.
            (self.faults.nested && !open && !typed, format!("{part}.{UNKNOWN}")),
            (self.faults.root && !open, UNKNOWN.to_owned()),
        ];
        places.into_iter().filter(|(is_there, _)| *is_there).map(|(_, path)| path).collect()
    }

    fn accepted(&self, findings: Vec<String>) -> Expected {
        let warnings = if self.mode == Mode::Ignore { Vec::new() } else { findings };
        Expected { code: if self.verb.creates() { 201 } else { 200 }, warnings, ..Expected::default() }
    }
}

fn refusal(code: u16, begin: &str, end: &str) -> Expected {
    Expected { code, message: (begin.to_owned(), end.to_owned()), warnings: Vec::new() }
}
