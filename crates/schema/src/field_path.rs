//! Paths to a field within a schema, as `fieldPath` of rules and `selectableFields` write them: `.a.b`, `['a']`.

use std::fmt;

use crate::props::{Props, PropsOrBool};

/// The treatment of names in brackets in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brackets {
    Allowed,
    Refused,
}

/// A path that leads to a field. It displays in the normal form of error paths.
#[derive(Clone, Debug)]
pub(crate) struct FieldPath<'p> {
    steps: Vec<Step>,
    /// The schema at its end; `None` below a map whose values have none.
    pub(crate) schema: Option<&'p Props>,
}

#[derive(Clone, Debug)]
enum Step {
    Member(String),
    Key(String),
}

impl FieldPath<'_> {
    /// The name of the first step.
    pub(crate) fn first(&self) -> Option<&str> {
        self.steps.first().map(|step| match step {
            Step::Member(name) | Step::Key(name) => name.as_str(),
        })
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Member(name) if name.is_empty() => f.write_str("[]")?,
                Step::Member(name) if index == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Key(name) => write!(f, "[{name}]")?,
            }
        }
        if self.steps.is_empty() { f.write_str("<nil>") } else { Ok(()) }
    }
}

/// Follows a path through a schema without unsupported keywords; the error says why it leads nowhere.
pub(crate) fn resolve<'p>(path: &str, schema: Option<&'p Props>, brackets: Brackets) -> Result<FieldPath<'p>, String> {
    let mut found = FieldPath { steps: Vec::new(), schema };
    let mut tokens = Tokens(path);
    while let Some(token) = tokens.next() {
        match token {
            "[" if brackets == Brackets::Refused => return Err("array notation is not allowed".to_owned()),
            "[" => {
                found.append(quoted(tokens.expect()?)?)?;
                match tokens.expect()? {
                    "]" => {}
                    other => return Err(format!("expected ] but got {other}")),
                }
            }
            "." => found.append(tokens.expect()?.to_owned())?,
            other => return Err(format!("expected [ or . but got: {other}")),
        }
    }
    Ok(found)
}

impl FieldPath<'_> {
    fn append(&mut self, name: String) -> Result<(), String> {
        let nowhere = || "does not refer to a valid field".to_owned();
        let schema = self.schema.ok_or_else(nowhere)?;
        match &schema.additional_properties {
            None if schema.properties.is_empty() => return Err(nowhere()),
            Some(additional) if schema.properties.is_empty() => {
                self.schema = if let PropsOrBool::Props(values) = additional { Some(values) } else { None };
                self.steps.push(Step::Key(name));
            }
            _ => {
                self.schema = Some(schema.properties.get(name.as_str()).ok_or_else(nowhere)?);
                self.steps.push(Step::Member(name));
            }
        }
        Ok(())
    }
}

/// Dots and brackets one by one, texts in single quotes, and what is between.
struct Tokens<'t>(&'t str);

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let bytes = self.0.as_bytes();
        let len = match *bytes.first()? {
            b'.' | b'[' | b']' => 1,
            b'\'' => (1..bytes.len())
                .find(|&at| bytes[at] == b'\'' && bytes[at - 1] != b'\\')
                .map_or(bytes.len(), |end| end + 1),
            _ => self.0.find(['.', '[', ']']).unwrap_or(bytes.len()),
        };
        let (token, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(token)
    }

    fn expect(&mut self) -> Result<&'t str, String> {
        self.next().ok_or_else(|| "unexpected end of JSON path".to_owned())
    }
}

/// The text between single quotes.
fn quoted(token: &str) -> Result<String, String> {
    let inner = token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let Some(inner) = inner else { return Err(format!("expected single quoted string but got {token}")) };
    unescape(inner).map_err(|why| format!("invalid string literal: {why}"))
}

fn unescape(text: &str) -> Result<String, String> {
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            unescaped.push(c);
            continue;
        }
        unescaped.push(match chars.clone().next() {
            // A backslash before a line break or at the end stands for itself.
            None | Some('\n') => {
                unescaped.push('\\');
                continue;
            }
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(c @ ('\'' | '\\')) => c,
            Some(other) => return Err(format!("invalid escape char \\{other}")),
        });
        chars.next();
    }
    Ok(unescaped)
}

#[cfg(test)]
mod tests {
    use super::{Brackets, resolve};
    use crate::props::Props;

    #[track_caller]
    fn check(path: &str, expected: Result<&str, &str>) {
        let schema = br#"{"properties": {
            "a": {"properties": {"b.c": {"type": "string"}}},
            "m": {"additionalProperties": {"properties": {"x": {}}}}, "t": {"additionalProperties": true}, "l": {"items": {}}
        }}"#;
        let props = Props::read(&sprag_value::json::parse(schema).unwrap()).unwrap();
        let found = resolve(path, Some(&props), Brackets::Allowed).map(|found| found.to_string());
        assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{path}");
    }

    #[test]
    fn paths_lead_to_fields_and_map_values() {
        check(".a['b.c']", Ok("a.b.c"));
        check("['m'].k.x", Ok("m[k].x"));
        check(r".m['it\'s']", Ok("m[it's]"));
        check(".t.k", Ok("t[k]"));
        check("", Ok("<nil>"));
    }

    #[test]
    fn other_paths_lead_nowhere() {
        check("a", Err("expected [ or . but got: a"));
        check(".z", Err("does not refer to a valid field"));
        check(".t.k.z", Err("does not refer to a valid field"));
        check(".l[0]", Err("expected single quoted string but got 0"));
        check(".l['0']", Err("does not refer to a valid field"));
        check(".", Err("unexpected end of JSON path"));
        check("['a'.", Err("expected ] but got ."));
        check(r"['\q']", Err(r"invalid string literal: invalid escape char \q"));
    }
}
