//! Findings as rustc shows them: place, excerpt, help.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use sprag_idl::{Finding, Severity, SourceFile, Sources, Span};

/// How many lines of a long span are shown.
const MAX_LINES: usize = 8;

/// Renders what goes to standard error.
pub(crate) struct Diagnostics {
    renderer: Renderer,
}

impl Diagnostics {
    pub(crate) fn new(colored: bool) -> Diagnostics {
        Diagnostics { renderer: if colored { Renderer::styled() } else { Renderer::plain() } }
    }

    /// A finding with the lines it is about.
    pub(crate) fn finding(&self, finding: &Finding, sources: &Sources) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(finding.message.as_str()));
        if let Some((file, excerpt)) =
            sources.get(finding.span.file).and_then(|file| Some((file, excerpt(file, finding.span)?)))
        {
            let snippet = Snippet::source(excerpt.text)
                .line_start(excerpt.line)
                .path(file.name.as_str())
                .annotation(AnnotationKind::Primary.span(excerpt.span));
            group = group.element(snippet);
        }
        if let Some(help) = &finding.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        self.renderer.render(&[group])
    }

    pub(crate) fn error(&self, text: &str) -> String {
        self.titled(Level::ERROR, text)
    }

    pub(crate) fn warning(&self, text: &str) -> String {
        self.titled(Level::WARNING, text)
    }

    pub(crate) fn note(&self, text: &str) -> String {
        self.titled(Level::NOTE, text)
    }

    fn titled(&self, level: Level<'_>, text: &str) -> String {
        self.renderer.render(&[Group::with_title(level.primary_title(text))])
    }
}

/// Whole lines around a span.
struct Excerpt<'t> {
    text: &'t str,
    /// Number of the first line.
    line: usize,
    /// The span inside the text.
    span: Range<usize>,
}

fn excerpt(file: &SourceFile, span: Span) -> Option<Excerpt<'_>> {
    let (start, end) = (usize::try_from(span.start).ok()?, usize::try_from(span.end).ok()?);
    let text = file.text.as_str();
    let (before, rest) = text.split_at_checked(start)?;
    let first = before.rfind('\n').map_or(0, |at| at + 1);
    let limit = rest.match_indices('\n').nth(MAX_LINES - 1).map_or(text.len(), |(at, _)| start + at);
    let end = end.clamp(start, limit);
    let last = text.get(end..)?.find('\n').map_or(text.len(), |at| end + at);
    Some(Excerpt {
        text: text.get(first..last)?,
        line: before.matches('\n').count() + 1,
        span: start - first..end - first,
    })
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, range: Range<u32>, expect: &Expect) {
        let mut sources = Sources::default();
        let file = sources.add("a/types.go", text);
        let span = Span { file, start: range.start, end: range.end };
        let finding = Finding::error(span, "this is wrong").with_help("make it right");
        expect.assert_eq(&Diagnostics::new(false).finding(&finding, &sources));
    }

    #[test]
    fn the_line_is_shown_with_its_number() {
        check(
            "one\ntwo three\nfour\n",
            8..13,
            &expect![[r#"
            error: this is wrong
             --> a/types.go:2:5
              |
            2 | two three
              |     ^^^^^
              |
              = help: make it right"#]],
        );
    }

    #[test]
    fn spans_at_the_edges_are_shown() {
        check(
            "",
            0..0,
            &expect![[r#"
            error: this is wrong
             --> a/types.go:1:1
              |
            1 |
              | ^
              |
              = help: make it right"#]],
        );
        check(
            "one\ntwo",
            7..7,
            &expect![[r#"
            error: this is wrong
             --> a/types.go:2:4
              |
            2 | two
              |    ^
              |
              = help: make it right"#]],
        );
        check(
            "é\n",
            2..2,
            &expect![[r#"
            error: this is wrong
             --> a/types.go:1:2
              |
            1 | é
              |  ^
              |
              = help: make it right"#]],
        );
    }

    #[test]
    fn a_place_that_is_not_there_is_left_out() {
        check(
            "é",
            1..1,
            &expect![[r#"
            error: this is wrong
             |
             = help: make it right"#]],
        );
        check(
            "one",
            5..9,
            &expect![[r#"
            error: this is wrong
             |
             = help: make it right"#]],
        );
    }

    #[test]
    fn long_spans_are_cut() {
        check(
            &"line\n".repeat(20),
            5..90,
            &expect![[r#"
            error: this is wrong
             --> a/types.go:2:1
              |
            2 | / line
            3 | | line
            4 | | line
            5 | | line
            ... |
            8 | | line
            9 | | line
              | |____^
              |
              = help: make it right"#]],
        );
    }

    #[test]
    fn colours_are_used_only_when_asked_for() {
        assert!(Diagnostics::new(true).error("no").contains('\u{1b}'));
        assert!(!Diagnostics::new(false).error("no").contains('\u{1b}'));
    }
}
