//! Clauses of format strings.

use sprag_field::quote;

/// The formatting verb of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// `%s`.
    String,
    /// `%d`.
    Decimal,
    /// `%f`, with what is written as its precision.
    Fixed(Option<u64>),
    /// `%e`, likewise.
    Scientific(Option<u64>),
    /// `%b`.
    Binary,
    /// `%x` and `%X`.
    Hex {
        /// True if it was `%X`.
        upper: bool,
    },
    /// `%o`.
    Octal,
}

impl Verb {
    /// The error of an argument whose type the clause does not take.
    pub(crate) fn refusal(self, type_name: &str) -> String {
        let rule = match self {
            Self::String => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                 durations, and timestamps"
            }
            Self::Decimal => "decimal clause can only be used on integers",
            Self::Fixed(_) => "fixed-point clause can only be used on doubles",
            Self::Scientific(_) => "scientific clause can only be used on doubles",
            Self::Binary => "only integers and bools can be formatted as binary",
            Self::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
            Self::Octal => "octal clause can only be used on integers",
        };
        format!("{rule}, was given {type_name}")
    }
}

/// A part of a format string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'f> {
    /// Text that stands for itself.
    Text(&'f str),
    /// A place for an argument.
    Clause(Verb),
}

/// Takes a format string apart.
pub(crate) struct Clauses<'f> {
    rest: &'f str,
    /// Arguments there are.
    count: usize,
    /// Arguments used so far.
    used: usize,
}

impl<'f> Clauses<'f> {
    pub(crate) fn new(format: &'f str, count: usize) -> Self {
        Self { rest: format, count, used: 0 }
    }

    /// The number of clauses so far.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// The next piece, or what is wrong with it. Of a clause without an argument and without an end `running` decides
    /// which is reported.
    pub(crate) fn next_piece(&mut self, running: bool) -> Result<Option<Piece<'f>>, String> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let Some(clause) = self.rest.strip_prefix('%') else {
            let (text, rest) = self.rest.split_at(self.rest.find('%').unwrap_or(self.rest.len()));
            self.rest = rest;
            return Ok(Some(Piece::Text(text)));
        };
        if let Some(rest) = clause.strip_prefix('%') {
            self.rest = rest;
            return Ok(Some(Piece::Text("%")));
        }
        if clause.is_empty() && (!running || self.used < self.count) {
            return Err("unexpected end of string".into());
        }
        if self.used >= self.count {
            return Err(format!("index {} out of range", self.used));
        }
        self.used += 1;
        let (verb, rest) = parse_clause(clause).map_err(|why| format!("could not parse formatting clause: {why}"))?;
        self.rest = rest;
        Ok(Some(Piece::Clause(verb)))
    }
}

fn parse_clause(clause: &str) -> Result<(Verb, &str), String> {
    let (precision, rest) = parse_precision(clause).map_err(|why| format!("error while parsing precision: {why}"))?;
    let verb = match rest.as_bytes().first() {
        Some(b's') => Verb::String,
        Some(b'd') => Verb::Decimal,
        Some(b'f') => Verb::Fixed(precision),
        Some(b'e') => Verb::Scientific(precision),
        Some(b'b') => Verb::Binary,
        Some(b'x') => Verb::Hex { upper: false },
        Some(b'X') => Verb::Hex { upper: true },
        Some(b'o') => Verb::Octal,
        // The reference looks at single bytes.
        other => {
            let shown = char::from(other.copied().unwrap_or(b'%'));
            return Err(format!("unrecognized formatting clause \"{shown}\""));
        }
    };
    Ok((verb, &rest[1..]))
}

fn parse_precision(clause: &str) -> Result<(Option<u64>, &str), String> {
    let Some(digits) = clause.strip_prefix('.') else { return Ok((None, clause)) };
    let end = digits.find(|char: char| !char.is_ascii_digit());
    let Some(end) = end else { return Err("could not find end of precision specifier".into()) };
    let (digits, rest) = digits.split_at(end);
    let number = digits.parse::<i64>().ok().and_then(|number| u64::try_from(number).ok());
    let number = number.ok_or_else(|| {
        let why = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("error while converting precision to integer: strconv.Atoi: parsing {}: {why}", quote::go(digits))
    })?;
    Ok((Some(number), rest))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{Clauses, Piece};

    #[track_caller]
    fn check(format: &str, count: usize, expected: &str) {
        let mut clauses = Clauses::new(format, count);
        let mut shown = String::new();
        let outcome = loop {
            match clauses.next_piece(true) {
                Ok(Some(Piece::Text(text))) => write!(shown, "<{text}>").unwrap(),
                Ok(Some(Piece::Clause(verb))) => write!(shown, "{verb:?}").unwrap(),
                Ok(None) => break shown,
                Err(why) => break why,
            }
        };
        assert_eq!(outcome, expected, "{format}");
    }

    #[test]
    fn format_strings_are_taken_apart() {
        check("a%%b", 0, "<a><%><b>");
        check("%s is %d", 2, "String< is >Decimal");
        check("%.3f%.12e", 2, "Fixed(Some(3))Scientific(Some(12))");
        check("%.3s", 1, "String");
        check("é%s", 1, "<é>String");
    }

    #[test]
    fn what_is_wrong_with_a_format_string() {
        check("%s", 0, "index 0 out of range");
        check("%", 0, "index 0 out of range");
        check("%", 1, "unexpected end of string");
        check("%z", 1, r#"could not parse formatting clause: unrecognized formatting clause "z""#);
        check("%é", 1, r#"could not parse formatting clause: unrecognized formatting clause "Ã""#);
        let precision = "could not parse formatting clause: error while parsing precision: ";
        check("%.3", 1, &format!("{precision}could not find end of precision specifier"));
        let number = format!("{precision}error while converting precision to integer: strconv.Atoi: parsing ");
        check("%.f", 1, &format!(r#"{number}"": invalid syntax"#));
        check("%.9999999999999999999f", 1, &format!(r#"{number}"9999999999999999999": value out of range"#));
    }
}
