//! Findings as rustc shows them: place, excerpt, help.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use sprag_analysis as report;
use sprag_analysis::{Excerpt, excerpt};
use sprag_idl::{Finding, Severity, SourceFile, Sources, Span};

use crate::report::position;
use crate::report::visible::{visible, visible_lines};

/// The longest line that is surely shown whole.
const MAX_PLAIN: usize = 80;

/// Renders what people read.
pub(crate) struct Diagnostics {
    renderer: Renderer,
    colored: bool,
}

impl Diagnostics {
    pub(crate) fn new(colored: bool) -> Diagnostics {
        Diagnostics { renderer: if colored { Renderer::styled() } else { Renderer::plain() }, colored }
    }

    /// A finding with the lines it is about.
    pub(crate) fn finding(&self, finding: &Finding, sources: &Sources) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let excerpt = sources.get(finding.span.file).and_then(|file| source_excerpt(file, finding.span));
        let mut group = Group::with_title(level.primary_title(visible_lines(&finding.message)));
        let name = excerpt.as_ref().map(|(file, ..)| visible(&file.name)).unwrap_or_default();
        if let Some((_, line, excerpt)) = &excerpt {
            group = group.element(snippet(&name, *line, excerpt));
        }
        if let Some(help) = &finding.help {
            group = group.element(Level::HELP.message(visible_lines(help)));
        }
        self.renderer.render(&[group])
    }

    /// A finding about an object, with the lines it is about.
    pub(crate) fn object(&self, file: &str, name: &str, finding: &report::Finding) -> String {
        let plain = if self.colored { None } else { one_line(file, name, finding) };
        plain.unwrap_or_else(|| self.rendered_object(file, name, finding))
    }

    fn rendered_object(&self, file: &str, name: &str, finding: &report::Finding) -> String {
        let level = match finding.severity {
            report::Severity::Error => Level::ERROR,
            report::Severity::Warning => Level::WARNING,
            report::Severity::Ratcheted => Level::NOTE.with_name(finding.severity.name()),
            report::Severity::Note => Level::NOTE,
        };
        let file = visible(file);
        let mut group = Group::with_title(level.primary_title(visible_lines(&position::message(finding))));
        group = match &finding.place {
            Some(report::Place { line, excerpt: Some(excerpt), .. }) => group.element(snippet(&file, *line, excerpt)),
            Some(place) => group.element(Origin::path(file).line(place.line).char_column(place.column)),
            None => group.element(Origin::path(file)),
        };
        let rule_file = finding.rule.as_ref().map(|rule| visible(&rule.file)).unwrap_or_default();
        group = match finding.rule.as_ref().map(|rule| &rule.place) {
            Some(report::Place { line, excerpt: Some(excerpt), .. }) => {
                group.element(snippet(&rule_file, *line, excerpt))
            }
            Some(place) => group.element(Origin::path(rule_file).line(place.line).char_column(place.column)),
            None => group,
        };
        if !name.is_empty() {
            group = group.element(Level::NOTE.no_name().message(visible(name)));
        }
        self.renderer.render(&[group])
    }

    /// A finding of a rule, with its code: whether it is an error, where it is, what it says, what it is about, what helps.
    pub(crate) fn rule(
        &self,
        (is_error, code): (bool, &str),
        (file, place): (&str, Option<&report::Place>),
        message: &str,
        name: &str,
        help: Option<&str>,
    ) -> String {
        let level = if is_error { Level::ERROR } else { Level::WARNING };
        let mut group = Group::with_title(level.primary_title(visible_lines(message)).id(code));
        let file = visible(file);
        group = match place {
            Some(report::Place { line, excerpt: Some(excerpt), .. }) => group.element(snippet(&file, *line, excerpt)),
            Some(place) => group.element(Origin::path(file.clone()).line(place.line).char_column(place.column)),
            None if file.is_empty() => group,
            None => group.element(Origin::path(file.clone())),
        };
        if let Some(help) = help {
            group = group.element(Level::HELP.message(visible_lines(help)));
        }
        group = group.element(Level::NOTE.no_name().message(visible(name)));
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
        self.renderer.render(&[Group::with_title(level.primary_title(visible_lines(text)))])
    }
}

/// A finding about one short line of plain text, without colours: most findings about objects are such, and laying out any
/// others takes ten times as long. Nothing in these lines has to be cut, expanded or measured; a test compares both ways.
fn one_line(file: &str, name: &str, finding: &report::Finding) -> Option<String> {
    let Some(report::Place { line, excerpt: Some(Excerpt { text, span }), .. }) = &finding.place else { return None };
    if finding.rule.is_some() {
        return None;
    }
    let message = &*position::message(finding);
    // Looks at all bytes, which the compiler does many at a time.
    let is_plain =
        |text: &str| !text.is_empty() && text.bytes().fold(true, |are, byte| are & matches!(byte, b' '..=b'~'));
    let fits = text.len() <= MAX_PLAIN && !text.ends_with(' ') && [text, file, name, message].into_iter().all(is_plain);
    if !fits {
        return None;
    }
    let level = finding.severity.name();
    let number = line.to_string();
    let gutter = number.len();
    let column = span.start;
    let marks = span.len().max(1);
    let mut out = String::with_capacity(message.len() + file.len() + name.len() + 2 * text.len() + 64);
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "{level}: {message}\n{:gutter$}--> {file}:{line}:{}\n{:gutter$} |\n{number} | {text}\n{:gutter$} | {:column$}{:^<marks$}\n{:gutter$} \
         |\n{:gutter$} = {name}",
        "",
        column + 1,
        "",
        "",
        "",
        "",
        "",
        ""
    );
    Some(out)
}

fn snippet<'s>(file: &'s str, line: usize, excerpt: &'s Excerpt) -> Snippet<'s, annotate_snippets::Annotation<'s>> {
    let annotation = AnnotationKind::Primary.span(excerpt.span.clone());
    Snippet::source(excerpt.text.as_str()).line_start(line).path(file).annotation(annotation)
}

/// The lines of a span, with the number of the first.
fn source_excerpt(file: &SourceFile, span: Span) -> Option<(&SourceFile, usize, Excerpt)> {
    let start = usize::try_from(span.start).ok()?;
    let end = usize::try_from(span.end).ok()?;
    let excerpt = excerpt(file.text.as_bytes(), start..end)?;
    let line = file.text.get(..start)?.matches('\n').count() + 1;
    Some((file, line, excerpt))
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]
mod tests {
    use std::ops::Range;

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
    fn plain_lines_look_as_all_others_do() {
        let diagnostics = Diagnostics::new(false);
        let texts = ["a", "  size: -1", "  - {name: \"c\", image: i}  # c", &"x".repeat(MAX_PLAIN)];
        let mut compared = 0;
        for (text, line) in texts.iter().flat_map(|text| [1, 9, 10, 123, 99_999].map(|line| (*text, line))) {
            for (start, end) in
                [(0, 0), (0, 1), (0, text.len()), (text.len() / 2, text.len()), (text.len(), text.len())]
            {
                for severity in [report::Severity::Error, report::Severity::Warning, report::Severity::Ratcheted] {
                    let excerpt = Excerpt { text: text.to_owned(), span: start..end };
                    let place = report::Place { line, column: start + 1, length: 0, excerpt: Some(excerpt) };
                    let message = "spec.x[0]: Invalid value: \"a\": must be 'b'";
                    let finding = report::Finding::new(severity, report::Origin::Types, message).at(Some(place));
                    let fast = one_line("a/b.yaml", "Widget default/x (v1)", &finding).unwrap();
                    assert_eq!(fast, diagnostics.rendered_object("a/b.yaml", "Widget default/x (v1)", &finding));
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 300);
    }

    #[test]
    fn colours_are_used_only_when_asked_for() {
        assert!(Diagnostics::new(true).error("no").contains('\u{1b}'));
        assert!(!Diagnostics::new(false).error("no").contains('\u{1b}'));
    }

    #[test]
    fn names_of_files_cannot_start_a_line() {
        let text = Diagnostics::new(false).error("a\n::error::b\u{9b}: no such file");
        assert!(text.lines().all(|line| !line.trim_start().starts_with("::")) && !text.contains('\u{9b}'), "{text}");
    }
}
