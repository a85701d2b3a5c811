//! Values of markers, in controller-gen's notation.

use sprag_value::{Array, Value};

use super::Takes;

/// Reads a value of the kind that a marker takes; `None` when it is of another kind.
pub fn parse_value(text: &str, takes: Takes) -> Option<Value> {
    let text = text.trim();
    let mut reader = Reader { rest: text };
    match takes {
        Takes::Flag if text.is_empty() => Some(Value::Bool(true)),
        Takes::Flag => reader.any(END).filter(|value| value.as_bool().is_some()).filter(|_| reader.is_done()),
        Takes::Int => text.parse::<i64>().ok().map(Value::from),
        Takes::Number => number(text),
        Takes::Text => reader.text(END).filter(|_| reader.is_done()).map(Value::from),
        Takes::Any => reader.any(END).filter(|_| reader.is_done()),
        Takes::Values | Takes::Texts => {
            let items = reader.items(takes == Takes::Texts)?;
            reader.is_done().then_some(Value::Array(items))
        }
        Takes::Args(_) | Takes::Other => None,
    }
}

/// Reads named arguments, `name=value` and the like, separated by commas.
pub fn parse_args(text: &str) -> Option<Vec<(String, String)>> {
    let mut args = Vec::new();
    let mut reader = Reader { rest: text.trim() };
    while !reader.is_done() {
        let at = reader.rest.find(['=', ',']).unwrap_or(reader.rest.len());
        let name = reader.rest[..at].trim().to_owned();
        if name.is_empty() {
            return None;
        }
        reader.rest = &reader.rest[at..];
        let value = if let Some(rest) = reader.rest.strip_prefix('=') {
            reader.rest = rest.trim_start();
            reader.arg()?
        } else {
            "true".to_owned()
        };
        args.push((name, value));
        reader.skip_blanks();
        if let Some(rest) = reader.rest.strip_prefix(',') {
            reader.rest = rest.trim_start();
        } else if !reader.is_done() {
            return None;
        }
    }
    Some(args)
}

/// The characters that end a bare text: only the end of the line does.
const END: &[char] = &[];

fn number(text: &str) -> Option<Value> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from)
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn is_done(&self) -> bool {
        self.rest.trim().is_empty()
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// An argument: quoted, in braces, or up to the next comma; values in lists keep their spelling.
    fn arg(&mut self) -> Option<String> {
        if self.rest.starts_with('{') {
            let mut depth = 0;
            let mut end = self.rest.len();
            for (at, letter) in self.rest.char_indices() {
                match letter {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    end = at + 1;
                    break;
                }
            }
            let (inside, rest) = self.rest.split_at(end);
            self.rest = rest;
            return (depth == 0).then(|| inside.to_owned());
        }
        let whole = self.rest;
        if let Some(text) = self.quoted() {
            // `"a";"b"` is a list.
            if !self.rest.trim_start().starts_with(';') {
                return Some(text);
            }
            self.rest = whole;
        } else if whole.starts_with(['"', '`', '\'']) {
            return None;
        }
        let end = self.rest.find(',').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(text.trim().to_owned())
    }

    fn items(&mut self, texts: bool) -> Option<Array> {
        if self.rest.starts_with('{') {
            let Value::Array(items) = self.braces(texts)? else { return None };
            return Some(items);
        }
        let mut items = Array::default();
        loop {
            items.push(if texts { self.text(&[';'])?.into() } else { self.any(&[';'])? });
            self.skip_blanks();
            match self.rest.strip_prefix(';') {
                Some(rest) => self.rest = rest.trim_start(),
                None => return Some(items),
            }
        }
    }

    fn any(&mut self, ends: &[char]) -> Option<Value> {
        self.skip_blanks();
        if self.rest.starts_with('{') {
            return self.braces(false);
        }
        if self.rest.starts_with(['"', '`', '\'']) {
            return self.quoted().map(Value::from);
        }
        let text = self.bare(ends)?;
        Some(match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            text => number(text).unwrap_or_else(|| text.into()),
        })
    }

    fn text(&mut self, ends: &[char]) -> Option<String> {
        self.skip_blanks();
        if self.rest.starts_with(['"', '`', '\'']) {
            return self.quoted();
        }
        self.bare(ends).map(str::to_owned)
    }

    fn bare(&mut self, ends: &[char]) -> Option<&str> {
        let end = if ends.is_empty() { None } else { self.rest.find(ends) }.unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let text = text.trim();
        (!text.is_empty()).then_some(text)
    }

    /// A text in quotes, as Go spells it.
    fn quoted(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|quote| matches!(quote, '"' | '`' | '\''))?;
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                letter if letter == quote => {
                    self.rest = &self.rest[at + letter.len_utf8()..];
                    return Some(text);
                }
                '\\' if quote != '`' => match letters.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'u' => {
                        let digits: String = (0..4).filter_map(|_| letters.next()).map(|(_, digit)| digit).collect();
                        text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    }
                    other => text.push(other),
                },
                letter => text.push(letter),
            }
        }
        None
    }

    /// A list, or a map where the first entry has a key.
    fn braces(&mut self, texts: bool) -> Option<Value> {
        self.rest = self.rest.strip_prefix('{')?.trim_start();
        let mut list = Array::default();
        let mut map = Value::object();
        let mut is_map = false;
        loop {
            self.skip_blanks();
            if let Some(rest) = self.rest.strip_prefix('}') {
                self.rest = rest;
                let is_empty_map = list.is_empty() && !is_map && !texts;
                return Some(if is_map || is_empty_map { map } else { Value::Array(list) });
            }
            let key = self.key();
            let value = if texts { self.text(&[',', '}'])?.into() } else { self.any(&[',', '}'])? };
            match key {
                Some(key) if list.is_empty() => {
                    is_map = true;
                    map.insert(key.as_str(), value);
                }
                None if !is_map => list.push(value),
                _ => return None,
            }
            self.skip_blanks();
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
            } else if !self.rest.starts_with('}') {
                return None;
            }
        }
    }

    /// The key of an entry of a map, with its colon.
    fn key(&mut self) -> Option<String> {
        let before = self.rest;
        let key = if self.rest.starts_with(['"', '`', '\'']) {
            self.quoted()
        } else {
            let end = self.rest.find([':', ',', '{', '}']).unwrap_or(self.rest.len());
            let (key, rest) = self.rest.split_at(end);
            self.rest = rest;
            Some(key.trim().to_owned())
        };
        self.skip_blanks();
        if let (Some(key), Some(rest)) = (key.filter(|key| !key.is_empty()), self.rest.strip_prefix(':')) {
            self.rest = rest.trim_start();
            return Some(key);
        }
        self.rest = before;
        None
    }
}
