//! Changes made to the text of a document: YAML in block or flow style, or JSON. All other bytes stay as they are.

use sprag_decode::locate::{Locator, Place, Span};
use sprag_decode::{Format, yaml};
use sprag_value::{Value, json};

use crate::op::{Op, Path};

/// Columns of one more level.
const INDENT: usize = 2;

/// A stretch of the text, and what comes in its place.
#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// Makes changes that do not touch each other. Nothing if the text is not laid out in a way that they can be made in.
pub(crate) fn apply(text: &[u8], format: Format, ops: &[Op]) -> Option<Vec<u8>> {
    let page = Page { text, locator: Locator::new(format, text)? };
    let mut edits = Vec::new();
    for op in ops {
        page.edit(op, &mut edits)?;
    }
    // Insertions at one place stay in their order, and come before what replaces the text there.
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut out = Vec::with_capacity(text.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut at = 0;
    for edit in &edits {
        out.extend_from_slice(text.get(at..edit.start)?);
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.end;
    }
    out.extend_from_slice(text.get(at..)?);
    Some(out)
}

/// The text with the places of its fields.
struct Page<'t> {
    text: &'t [u8],
    locator: Locator<'t>,
}

/// A member of a mapping.
#[derive(Clone, Copy)]
struct Member {
    key: Span,
    value: Span,
}

impl Page<'_> {
    fn edit(&self, op: &Op, edits: &mut Vec<Edit>) -> Option<()> {
        match op {
            Op::Set { parent, key, text } => edits.push(self.replaced(self.member(parent, key)?.value, text)?),
            Op::Rename { parent, key, name } => edits.push(self.replaced(self.member(parent, key)?.key, name)?),
            Op::Remove { parent, key } => {
                let member = self.member(parent, key)?;
                edits.push(if self.is_flow(parent)? { self.cut_flow(member) } else { self.cut_block(member)? });
            }
            Op::Insert { parent, key, value, above } => {
                let below = self.member(parent, above)?;
                edits.push(if self.is_flow(parent)? {
                    self.flow_member(below, key, value)?
                } else {
                    self.block_member(below, key, value)
                });
            }
            Op::Wrap { parent, keys, name } => {
                let mut members = keys.iter().map(|key| self.member(parent, key)).collect::<Option<Vec<Member>>>()?;
                members.sort_by_key(|member| member.key.start.offset);
                let first = *members.first()?;
                let last = *members.last()?;
                if self.is_flow(parent)? {
                    self.wrap_flow(first, last, name, edits)?;
                } else {
                    self.wrap_block(first, last, name, edits)?;
                }
            }
        }
        Some(())
    }

    fn place(&self, path: &Path) -> Option<Place> {
        self.locator.find(&path.text()).filter(|place| place.exact)
    }

    fn member(&self, parent: &Path, key: &'static str) -> Option<Member> {
        let place = self.place(&parent.key(key))?;
        Some(Member { key: place.key?, value: place.value })
    }

    /// True if a mapping is written with braces.
    fn is_flow(&self, mapping: &Path) -> Option<bool> {
        let start = self.place(mapping)?.value.start.offset;
        Some(self.text.get(start) == Some(&b'{'))
    }

    /// Another text for a scalar, in the same quotes.
    fn replaced(&self, span: Span, text: &str) -> Option<Edit> {
        let quoted = match self.text.get(span.start.offset)? {
            b'"' => format!("\"{text}\""),
            b'\'' => format!("'{text}'"),
            _ => text.to_owned(),
        };
        Some(Edit { start: span.start.offset, end: span.end.offset, text: quoted })
    }

    /// The lines of a member and the comment behind it. Members behind the dash of a list stay, since a dash cannot be moved.
    fn cut_block(&self, member: Member) -> Option<Edit> {
        let start = self.own_line(member)?;
        let end = self.end_of_line(self.end_of_value(member.value));
        Some(Edit { start, end, text: String::new() })
    }

    /// A member in braces, with the comma before or behind it.
    fn cut_flow(&self, member: Member) -> Edit {
        let start = member.key.start.offset;
        let end = member.value.end.offset;
        let white = |byte: &u8| byte.is_ascii_whitespace();
        let behind = end + self.text[end..].iter().take_while(|byte| white(byte)).count();
        if self.text.get(behind) == Some(&b',') {
            let next = behind + 1;
            let next = next + self.text[next..].iter().take_while(|byte| white(byte)).count();
            return Edit { start, end: next, text: String::new() };
        }
        let before = start - self.text[..start].iter().rev().take_while(|byte| white(byte)).count();
        let start = if self.text[..before].ends_with(b",") { before - 1 } else { start };
        Edit { start, end, text: String::new() }
    }

    fn flow_member(&self, below: Member, key: &str, value: &Value) -> Option<Edit> {
        let start = below.key.start.offset;
        let quote = if self.text.get(start)? == &b'"' { "\"" } else { "" };
        let value = json::to_string(value);
        Some(Edit { start, end: start, text: format!("{quote}{key}{quote}: {value}, ") })
    }

    /// A member above another one, and above the comments of that one.
    fn block_member(&self, below: Member, key: &str, value: &Value) -> Edit {
        let column = below.key.start.column - 1;
        let mut member = Value::Object(sprag_value::Object::default());
        member.insert(key, value.clone());
        let printed = yaml::to_string(&member);
        let newline = self.newline();
        let margin = " ".repeat(column);
        let lines: Vec<String> = printed.lines().map(|line| format!("{margin}{line}{newline}")).collect();
        if let Some(start) = self.own_line(below) {
            let start = self.above_comments(start, &margin);
            return Edit { start, end: start, text: lines.concat() };
        }
        // Behind the dash of a list.
        let start = below.key.start.offset;
        Edit { start, end: start, text: format!("{}{margin}", lines.concat().trim_start_matches(' ')) }
    }

    fn wrap_flow(&self, first: Member, last: Member, name: &str, edits: &mut Vec<Edit>) -> Option<()> {
        let start = first.key.start.offset;
        let end = last.value.end.offset;
        let quote = if self.text.get(start)? == &b'"' { "\"" } else { "" };
        edits.push(Edit { start, end: start, text: format!("{quote}{name}{quote}: {{") });
        edits.push(Edit { start: end, end, text: "}".to_owned() });
        Some(())
    }

    fn wrap_block(&self, first: Member, last: Member, name: &str, edits: &mut Vec<Edit>) -> Option<()> {
        let start = self.own_line(first)?;
        let end = self.end_of_line(self.end_of_value(last.value));
        let margin = " ".repeat(first.key.start.column - 1);
        let more = " ".repeat(INDENT);
        edits.push(Edit { start, end: start, text: format!("{margin}{name}:{}", self.newline()) });
        let mut at = start;
        for line in self.text.get(start..end)?.split_inclusive(|byte| *byte == b'\n') {
            if !line.trim_ascii().is_empty() {
                edits.push(Edit { start: at, end: at, text: more.clone() });
            }
            at += line.len();
        }
        Some(())
    }

    /// The start of the line of a member, if nothing is before it there.
    fn own_line(&self, member: Member) -> Option<usize> {
        let key = member.key.start.offset;
        let start = last_line(&self.text[..key]);
        self.text[start..key].iter().all(|byte| *byte == b' ').then_some(start)
    }

    /// The start of the comments right above a line that are indented as it is.
    fn above_comments(&self, mut start: usize, margin: &str) -> usize {
        while start > 0 {
            let before = last_line(&self.text[..start - 1]);
            let line = &self.text[before..start];
            if !line.strip_prefix(margin.as_bytes()).is_some_and(|rest| rest.starts_with(b"#")) {
                break;
            }
            start = before;
        }
        start
    }

    /// The end of a value without the comments below it.
    fn end_of_value(&self, value: Span) -> usize {
        let mut end = value.end.offset;
        while end > value.start.offset {
            let line = last_line(&self.text[..end]);
            if line <= value.start.offset || !self.text[line..end].trim_ascii_start().starts_with(b"#") {
                break;
            }
            end = line - 1;
        }
        end
    }

    /// The start of the line behind a place.
    fn end_of_line(&self, offset: usize) -> usize {
        let rest = self.text.get(offset..).unwrap_or_default();
        rest.iter().position(|byte| *byte == b'\n').map_or(self.text.len(), |at| offset + at + 1)
    }

    fn newline(&self) -> &'static str {
        if self.text.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" }
    }
}

/// The start of the last line of a text.
fn last_line(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}
