//! The values of Rust constants: literals, and names of other constants of the file.

use std::collections::BTreeMap;

use crate::model::{Const, Literal};
use crate::span::Finding;

use super::items::RawConst;
use super::lexer::Kind;
use super::literal::{int_value, unquote};
use super::parser::Parser;

/// Maximum number of other constants through which a value is found.
const MAX_STEPS: usize = 64;

/// Maximum total bytes of a file's string constants.
pub const MAX_STRING_BYTES: usize = 64 << 20;

impl Parser<'_> {
    pub(super) fn constants(&mut self, raw: Vec<RawConst>) -> Vec<Const> {
        let by_name: BTreeMap<&str, (usize, usize)> = raw.iter().map(|raw| (raw.name.as_str(), raw.value)).collect();
        let mut left = Some(MAX_STRING_BYTES);
        let mut values = Vec::with_capacity(raw.len());
        for item in &raw {
            // Past the budget nothing is read any more: reading alone would take forever.
            let value = left.and_then(|_| self.const_value(item.value, &by_name));
            let size = if let Some(Literal::String(text)) = &value { text.len() } else { 0 };
            let before = left;
            left = left.and_then(|left| left.checked_sub(size));
            if before.is_some() && left.is_none() {
                self.report(Finding::error(item.span, "constants of this file are too large to work out"));
            }
            values.push(value.filter(|_| left.is_some()));
        }
        let with_values = raw.into_iter().zip(values);
        with_values
            .map(|(raw, value)| Const {
                name: raw.name,
                ty: Some(raw.ty),
                value,
                needs: None,
                tags: raw.doc.tags,
                comment: raw.doc.whole,
                span: raw.span,
            })
            .collect()
    }

    fn const_value(&self, mut range: (usize, usize), by_name: &BTreeMap<&str, (usize, usize)>) -> Option<Literal> {
        for _ in 0..MAX_STEPS {
            let (start, end) = range;
            let token = self.token_at(start);
            match (token.kind, end.checked_sub(start)?) {
                (Kind::String, 1) => return unquote(self.text_of(token)).map(Literal::String),
                (Kind::Literal, 1) => return int_value(self.text_of(token)).map(Literal::Int),
                (Kind::Sign, 2) if self.is_at(start, "-") => {
                    return int_value(self.text_of(self.token_at(start + 1))).map(|value| Literal::Int(-value));
                }
                (Kind::Word, 1) => match self.text_of(token) {
                    "true" => return Some(Literal::Bool(true)),
                    "false" => return Some(Literal::Bool(false)),
                    name => range = *by_name.get(name)?,
                },
                // `(value)`, and `Name(value)` of a newtype.
                (Kind::Sign | Kind::Word, _) => {
                    let open = if token.kind == Kind::Word { start + 1 } else { start };
                    if !self.is_at(open, "(") || self.token_at(open).partner()? + 1 != end {
                        return None;
                    }
                    range = (open + 1, end - 1);
                }
                _ => return None,
            }
        }
        None
    }
}
