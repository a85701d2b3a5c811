//! The findings of a rule.

use sprag_field::Path;
use sprag_idl::Span;

use crate::model::Spot;
use crate::rule::LintRule;

/// The position of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// In a source file.
    Span(Span),
    /// At a field of a definition: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`.
    Field(String),
}

/// A change of a source that mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Writes a text in place of what is there.
    Replace(Span, String),
    /// Removes the whole line that a span is on.
    RemoveLine(Span),
}

impl Edit {
    /// Returns the start of the finding.
    pub fn span(&self) -> Span {
        match self {
            Edit::Replace(span, _) | Edit::RemoveLine(span) => *span,
        }
    }
}

/// Something an author may want to change.
#[derive(Clone)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static LintRule,
    /// The position.
    pub at: At,
    /// The name of what it is about: `example.com/api/v1.WidgetSpec.size`; empty for definitions.
    pub subject: String,
    /// The import path of the package; empty for definitions.
    pub package: String,
    /// The message.
    pub message: String,
    /// The fix in words.
    pub help: Option<String>,
    /// The edits of `--fix`.
    pub edits: Vec<Edit>,
}

impl Finding {
    /// Adds how to mend it.
    pub(crate) fn help(&mut self, help: impl Into<String>) -> &mut Finding {
        self.help = Some(help.into());
        self
    }

    /// Adds a change that mends it.
    pub(crate) fn edit(&mut self, edit: Edit) -> &mut Finding {
        if edit.span().is_some() {
            self.edits.push(edit);
        }
        self
    }
}

/// Takes the findings of one rule.
pub(crate) struct Report<'f> {
    pub(crate) rule: &'static LintRule,
    pub(crate) findings: &'f mut Vec<Finding>,
}

impl Report<'_> {
    /// A finding at a field or type.
    pub(crate) fn spot(&mut self, spot: &Spot<'_>, message: impl Into<String>) -> &mut Finding {
        self.at(spot, spot.span, message)
    }

    /// A finding at a place in a field or type.
    pub(crate) fn at(&mut self, spot: &Spot<'_>, span: Span, message: impl Into<String>) -> &mut Finding {
        self.add(At::Span(span), spot.subject(), spot.package().path.clone(), message.into())
    }

    /// A finding at a field of a definition.
    pub(crate) fn push(&mut self, path: &Path<'_>, message: impl Into<String>) {
        self.add(At::Field(path.to_string()), String::new(), String::new(), message.into());
    }

    pub(crate) fn add(&mut self, at: At, subject: String, package: String, message: String) -> &mut Finding {
        self.findings.push(Finding { rule: self.rule, at, subject, package, message, help: None, edits: Vec::new() });
        // It was just put there.
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }
}
