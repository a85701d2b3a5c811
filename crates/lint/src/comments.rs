//! Positions of words of comments in their source.

use sprag_idl::Span;

use crate::model::Spot;

/// The span of the first word of a field's comment, when it is this one.
pub(crate) fn word(spot: &Spot<'_>, word: &str) -> Option<Span> {
    let text = &spot.model.sources.get(spot.span.file)?.text;
    let before = text.get(..usize::try_from(spot.span.start).ok()?)?;
    // The comment ends on the line above the field.
    let mut end = before.rfind('\n')?;
    let mut first = None;
    while let Some(line) = before.get(..end) {
        let start = line.rfind('\n').map_or(0, |at| at + 1);
        let Some(comment) = line[start..].trim_start().strip_prefix("//") else { break };
        let comment = comment.trim_start();
        if !comment.is_empty() && !comment.starts_with('+') {
            first = Some(end - comment.len());
        }
        if start == 0 {
            break;
        }
        end = start - 1;
    }
    let first = first?;
    let rest = before.get(first..)?;
    let is_word = rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(|next: char| next.is_whitespace()));
    let start = u32::try_from(first).ok().filter(|_| is_word)?;
    Some(Span { file: spot.span.file, start, end: start + u32::try_from(word.len()).ok()? })
}
