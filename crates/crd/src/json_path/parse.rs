//! Reading paths, as client-go's `util/jsonpath` does.

use sprag_value::Value;

use super::{Filter, ParseError, Slice, Step};

/// The steps of a text up to a closing brace. The text of a filter has no closing parenthesis and that of an array no
/// closing bracket, so neither can be inside of one of its own: recursion ends after three.
pub(super) fn steps(text: &str) -> Result<Vec<Step>, ParseError> {
    let mut parser = Parser { rest: text, steps: Vec::new() };
    while parser.step()? {}
    Ok(parser.steps)
}

struct Parser<'t> {
    rest: &'t str,
    steps: Vec<Step>,
}

impl<'t> Parser<'t> {
    /// Reads one step; tells whether there may be more.
    fn step(&mut self) -> Result<bool, ParseError> {
        if let Some(rest) = self.rest.strip_prefix("[?(") {
            self.rest = rest;
            return self.filter().map(|()| true);
        }
        if let Some(rest) = self.rest.strip_prefix("..") {
            self.rest = rest;
            return self.descend().map(|()| true);
        }
        let Some(first) = self.rest.chars().next() else { return Ok(false) };
        match first {
            '}' => return Ok(false),
            ' ' | '@' | '$' => drop(self.take(1)),
            '[' => self.array()?,
            '"' | '\'' => self.text(first)?,
            '.' => {
                self.take(1);
                self.member();
            }
            '+' | '-' => self.number()?,
            first if first.is_numeric() => self.number()?,
            first if is_word(first) => self.word(),
            other => return Err(ParseError::Character(other)),
        }
        Ok(true)
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn descend(&mut self) -> Result<(), ParseError> {
        if self.steps.last() == Some(&Step::Descend) {
            return Err(ParseError::TwoDescents);
        }
        self.steps.push(Step::Descend);
        if self.rest.starts_with(is_word) {
            self.member();
        }
        Ok(())
    }

    fn member(&mut self) {
        let mut escaped = false;
        let ends = |c: char| {
            let ends = !escaped && is_terminator(c);
            escaped = c == '\\' && !escaped;
            ends
        };
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let step = match self.take(end) {
            "*" => Step::All,
            name => Step::Member(name.replace('\\', "")),
        };
        self.steps.push(step);
    }

    fn word(&mut self) {
        let end = self.rest.find(is_terminator).unwrap_or(self.rest.len());
        let step = match self.take(end) {
            "true" => Step::Literal(Value::Bool(true)),
            "false" => Step::Literal(Value::Bool(false)),
            _ => Step::Word,
        };
        self.steps.push(step);
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let sign = usize::from(self.rest.starts_with(['+', '-']));
        let end = self.rest[sign..].find(|c: char| c != '.' && !c.is_numeric()).map(|at| at + sign);
        let text = self.take(end.unwrap_or(self.rest.len()));
        let number = match text.parse::<i64>() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Float(text.parse().map_err(|_| ParseError::Number(text.to_owned()))?),
        };
        self.steps.push(Step::Literal(number));
        Ok(())
    }

    fn text(&mut self, quote: char) -> Result<(), ParseError> {
        let mut before = '\0';
        let ends = |c: char| std::mem::replace(&mut before, c) != '\\' && c == quote;
        let end = self.rest[1..].find(ends).ok_or(ParseError::Unterminated)?;
        let quoted = self.take(end + 2);
        let text = unquote(&quoted[1..=end], quote).ok_or_else(|| ParseError::Text(quoted.to_owned()))?;
        self.steps.push(Step::Literal(text.into()));
        Ok(())
    }

    fn array(&mut self) -> Result<(), ParseError> {
        let end = self.rest.find([']', '\n']).ok_or(ParseError::Unterminated)?;
        let text = &self.take(end + 1)[1..];
        let text = text.strip_suffix(']').ok_or(ParseError::Unterminated)?;
        if text.contains(',') {
            let paths = text.split(',').map(|part| steps(&format!("[{}]", part.trim_matches(' '))));
            self.steps.push(Step::Union(paths.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let key = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).filter(|key| !key.contains('\''));
        if let Some(key) = key {
            self.steps.extend(steps(&format!(".{key}"))?);
            return Ok(());
        }
        self.steps.push(Step::Slice(slice(text).ok_or_else(|| ParseError::Index(text.to_owned()))?));
        Ok(())
    }

    fn filter(&mut self) -> Result<(), ParseError> {
        let end = filter_end(self.rest).ok_or(ParseError::Unterminated)?;
        let text = self.take(end);
        self.rest = self.rest.strip_prefix(")]").ok_or(ParseError::Unterminated)?;
        let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
        let operator = text.find(is_operator).filter(|at| *at > 0).and_then(|at| {
            let end = text[at..].find(|c| !is_operator(c))?;
            Some((at, at + end))
        });
        let filter = match operator {
            None => Filter { left: steps(text)?, comparison: None },
            Some((at, end)) => {
                Filter { left: steps(&text[..at])?, comparison: Some((text[at..end].to_owned(), steps(&text[end..])?)) }
            }
        };
        self.steps.push(Step::Filter(filter));
        Ok(())
    }
}

/// Returns the position of the parenthesis that closes a filter, outside of its one quoted text.
fn filter_end(text: &str) -> Option<usize> {
    let mut pair = None;
    let mut closed = false;
    let mut before = '\0';
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return None,
            '"' | '\'' if pair.is_none() => pair = Some(c),
            '"' | '\'' if before != '\\' && pair == Some(c) => closed = true,
            ')' if pair.is_some() == closed => return Some(at),
            _ => {}
        }
        before = c;
    }
    None
}

/// `from:to:step`, each of which may be absent; `*` is all.
fn slice(text: &str) -> Option<Slice> {
    let text = if text == "*" { ":" } else { text };
    let mut parts = text.split(':');
    let number = |part: &str| match part {
        "" => Some(None),
        "-" => None,
        part if part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit()) => {
            part.parse().ok().map(Some)
        }
        _ => None,
    };
    let from = number(parts.next()?)?;
    let end = parts.next();
    let step = parts.next();
    if parts.next().is_some() {
        return None;
    }
    let (to, derived) = match end {
        Some(end) => (number(end)?, false),
        None => (Some(from.unwrap_or(0) + 1), true),
    };
    Some(Slice { from, to, derived, step: step.map_or(Some(None), number)? })
}

/// The text between quotes, with Go's escapes.
fn unquote(text: &str, quote: char) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        plain.push(match chars.next()? {
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            '\\' => '\\',
            'x' => hex(&mut chars, 2)?,
            'u' => hex(&mut chars, 4)?,
            'U' => hex(&mut chars, 8)?,
            c if c == quote => c,
            _ => return None,
        });
    }
    Some(plain)
}

fn hex(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let code = (0..digits).try_fold(0u32, |code, _| Some(code * 16 + chars.next()?.to_digit(16)?))?;
    char::from_u32(code)
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_terminator(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}
