//! `.`, `[…]`, `[[:name:]]`, `\d` and `\p{name}`.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::error::{Fault, RegexpError};
use crate::expr::Expr;
use crate::parse::Parser;
use crate::{fold, unicode};

/// The cost of looking up a class beside its ranges, in ranges.
const LOOKUP_COST: usize = 64;

impl Parser<'_> {
    pub(crate) fn any_char(&mut self) -> Result<(), RegexpError> {
        let mut class = ClassUnicode::empty();
        if !self.flags.dot_newline {
            class.push(ClassUnicodeRange::new('\n', '\n'));
        }
        class.negate();
        self.push(Expr::class(class))
    }

    pub(crate) fn bracket_class(&mut self) -> Result<(), RegexpError> {
        let start = self.input.at();
        self.input.next();
        let negated = self.input.eat('^');
        let mut chars = Vec::new();
        let mut classes = Vec::new();
        let mut first = true;
        while first || !self.input.eat(']') {
            first = false;
            if let Some(class) = self.class_in_brackets()? {
                classes.extend_from_slice(class.ranges());
                continue;
            }
            let (low, high) = self.range_in_brackets(start)?;
            self.charge(1)?;
            push_range(&mut chars, low, high);
        }
        let mut class = ClassUnicode::new(chars);
        if self.flags.fold {
            let looked_at = fold::close(&mut class);
            self.charge(looked_at)?;
        }
        class.union(&ClassUnicode::new(classes));
        if negated {
            class.negate();
        }
        self.push(Expr::class(class))
    }

    fn class_in_brackets(&mut self) -> Result<Option<ClassUnicode>, RegexpError> {
        if let Some(class) = self.named_class()? {
            return Ok(Some(class));
        }
        self.escaped_class()
    }

    /// `[:name:]`, or nothing if it is not closed and so just characters.
    fn named_class(&mut self) -> Result<Option<ClassUnicode>, RegexpError> {
        let start = self.input.at();
        let Some(name) = self.input.rest().strip_prefix("[:").and_then(|rest| rest.split_once(":]")) else {
            return Ok(None);
        };
        let (name, _) = name;
        self.input.skip(name.len() + "[::]".len());
        match posix(name, self.flags.fold) {
            Some(class) => Ok(Some(class)),
            None => Err(self.input.fault_since(Fault::InvalidCharRange, start)),
        }
    }

    /// One code point, or two with a dash between them.
    fn range_in_brackets(&mut self, class_start: usize) -> Result<(u32, u32), RegexpError> {
        let start = self.input.at();
        let low = self.code_in_brackets(class_start)?;
        // A dash before the closing bracket stands for itself.
        if self.input.peek() != Some('-') || matches!(self.input.peek_second(), None | Some(']')) {
            return Ok((low, low));
        }
        self.input.next();
        let high = self.code_in_brackets(class_start)?;
        if high < low {
            return Err(self.input.fault_since(Fault::InvalidCharRange, start));
        }
        Ok((low, high))
    }

    fn code_in_brackets(&mut self, class_start: usize) -> Result<u32, RegexpError> {
        if self.input.peek() == Some('\\') {
            return self.escape();
        }
        let missing = self.input.fault_from(Fault::MissingBracket, class_start);
        self.input.next().map(u32::from).ok_or(missing)
    }

    /// `\pN`, `\p{Name}`, `\P{Name}` and, negated inside, `\p{^Name}`.
    pub(crate) fn unicode_class(&mut self) -> Result<ClassUnicode, RegexpError> {
        let start = self.input.at();
        let rest = self.input.rest();
        let mut negated = rest.starts_with("\\P");
        self.input.skip(2);
        let mut name = match self.input.next() {
            Some('{') => {
                let Some(end) = rest.find('}') else {
                    return Err(self.input.fault_from(Fault::InvalidCharRange, start));
                };
                self.input.skip(end - "\\p".len());
                rest.get("\\p{".len()..end).unwrap_or_default()
            }
            Some(c) => rest.get(2..2 + c.len_utf8()).unwrap_or_default(),
            None => "",
        };
        if let Some(positive) = name.strip_prefix('^') {
            negated = !negated;
            name = positive;
        }
        let Some(mut class) = unicode::class(name) else {
            return Err(self.input.fault_since(Fault::InvalidCharRange, start));
        };
        self.charge(LOOKUP_COST + class.ranges().len())?;
        // Go has no table of what folds to a cased letter without being one.
        let folds = self.flags.fold && !unicode::is_cased_letter(name);
        finish_group(&mut class, negated, folds);
        Ok(class)
    }
}

/// The class of `\d`, `\s`, `\w` and their negations.
pub(crate) fn perl(letter: char, fold: bool) -> Option<ClassUnicode> {
    let ranges: &[(char, char)] = match letter.to_ascii_lowercase() {
        'd' => &[('0', '9')],
        's' => &[('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')],
        'w' => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        _ => return None,
    };
    Some(group(ranges, letter.is_ascii_uppercase(), fold))
}

/// The class of a POSIX name, negated after `^`.
fn posix(name: &str, fold: bool) -> Option<ClassUnicode> {
    let (name, negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let ranges: &[(char, char)] = match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "ascii" => &[('\0', '\u{7f}')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "word" => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    };
    Some(group(ranges, negated, fold))
}

fn group(ranges: &[(char, char)], negated: bool, fold: bool) -> ClassUnicode {
    let mut class = ClassUnicode::new(ranges.iter().map(|(low, high)| ClassUnicodeRange::new(*low, *high)));
    finish_group(&mut class, negated, fold);
    class
}

/// Folds before negating, so that a negated class leaves out both cases of what it names.
fn finish_group(class: &mut ClassUnicode, negated: bool, fold: bool) {
    if fold {
        fold::close(class);
    }
    if negated {
        class.negate();
    }
}

/// Adds the characters between two code points; surrogates are none.
fn push_range(ranges: &mut Vec<ClassUnicodeRange>, low: u32, high: u32) {
    for (low, high) in [(low, high.min(0xd7ff)), (low.max(0xe000), high)] {
        if let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high))
            && low <= high
        {
            ranges.push(ClassUnicodeRange::new(low, high));
        }
    }
}
