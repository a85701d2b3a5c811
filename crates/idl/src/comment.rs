//! Splits a doc comment into tag lines and prose, by the same rules for every language.

use crate::model::TagLine;
use crate::span::Span;

/// One line of a comment, without the comment marks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// The position of the text.
    pub(crate) span: Span,
}

/// A line that does not stand in the source as it is, such as one of a `#[doc = "…"]`.
#[cfg(feature = "rust")]
#[derive(Clone, Debug)]
pub(crate) struct OwnedLine {
    pub(crate) text: String,
    /// Its position in the source.
    pub(crate) span: Span,
}

#[cfg(feature = "rust")]
impl OwnedLine {
    pub(crate) fn borrow(&self) -> Line<'_> {
        Line { text: &self.text, span: self.span }
    }
}

/// A doc comment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doc {
    /// The lines that start with `+`.
    pub(crate) tags: Vec<TagLine>,
    /// The other lines.
    pub(crate) prose: String,
    /// All lines.
    pub(crate) whole: String,
}

impl Doc {
    pub(crate) fn read<'a>(lines: impl IntoIterator<Item = Line<'a>>) -> Self {
        let mut doc = Doc::default();
        for line in lines {
            let text = line.text.trim_end();
            push_line(&mut doc.whole, text);
            match tag_line(line) {
                Some(tag) => doc.tags.push(tag),
                None => push_line(&mut doc.prose, text),
            }
        }
        for text in [&mut doc.prose, &mut doc.whole] {
            text.truncate(text.trim_end().len());
        }
        doc
    }
}

/// The tag on a comment line, if there is one.
fn tag_line(line: Line<'_>) -> Option<TagLine> {
    let text = line.text.trim_start_matches([' ', '\t']).strip_prefix('+')?;
    let lead = line.text.len() - text.len();
    let text = text.trim_end();
    // Offsets do not carry over if the source spells the text with escapes.
    let verbatim = usize::try_from(line.span.end - line.span.start).is_ok_and(|length| length == line.text.len());
    let span = match (u32::try_from(lead), u32::try_from(text.len())) {
        (Ok(lead), Ok(length)) if verbatim => {
            let start = line.span.start + lead;
            Span { file: line.span.file, start, end: start + length }
        }
        _ => line.span,
    };
    Some(TagLine { text: text.to_owned(), span })
}

/// Adds a line, dropping leading blank lines and all but one of several in a row.
fn push_line(out: &mut String, line: &str) {
    if line.is_empty() && (out.is_empty() || out.ends_with("\n\n")) {
        return;
    }
    out.push_str(line);
    out.push('\n');
}
