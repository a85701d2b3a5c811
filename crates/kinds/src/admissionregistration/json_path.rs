//! Checks JSON paths, as upstream's `jsonpath.Parser` reads them.

/// The nesting of filters and unions past which a path is refused.
const MAX_DEPTH: usize = 64;

/// Checks a path that is enclosed in braces.
pub(super) fn check(path: &str) -> Result<(), String> {
    check_action(path, 0)
}

fn check_action(text: &str, depth: usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("nested too deeply".to_owned());
    }
    let input: Vec<char> = ['{'].into_iter().chain(text.chars()).chain(['}']).collect();
    Parser { input, at: 0, depth }.text()
}

struct Parser {
    input: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    /// Text is anything, up to the next action.
    fn text(&mut self) -> Result<(), String> {
        while self.at < self.input.len() {
            if self.input[self.at] == '{' {
                self.at += 1;
                self.action()?;
            } else {
                self.at += 1;
            }
        }
        Ok(())
    }

    /// An action, up to and with the brace that ends it.
    fn action(&mut self) -> Result<(), String> {
        let mut is_after_descent = false;
        loop {
            let was_after_descent = std::mem::take(&mut is_after_descent);
            if self.skip("[?(") {
                self.filter()?;
                continue;
            }
            if self.skip("..") {
                if was_after_descent {
                    return Err("invalid multiple recursive descent".to_owned());
                }
                if self.peek().is_some_and(is_word) {
                    self.field();
                } else {
                    is_after_descent = true;
                }
                continue;
            }
            match self.next() {
                Some('}') => return Ok(()),
                None | Some('\r' | '\n') => return Err("unclosed action".to_owned()),
                // These leave no node behind.
                Some(' ' | '@' | '$') => is_after_descent = was_after_descent,
                Some('[') => self.array()?,
                Some(quote @ ('"' | '\'')) => self.quote(quote)?,
                Some('.') => self.field(),
                Some(first) if matches!(first, '+' | '-') || is_digit(first) => self.number(first)?,
                Some(first) if is_word(first) => {
                    while self.peek().is_some_and(|next| !is_end(next)) {
                        self.at += 1;
                    }
                }
                Some(other) => return Err(format!("unrecognized character in action: {}", show(other))),
            }
        }
    }

    fn field(&mut self) {
        while let Some(next) = self.peek().filter(|next| !is_end(*next)) {
            self.at += if next == '\\' { 2 } else { 1 };
        }
        self.at = self.at.min(self.input.len());
    }

    fn number(&mut self, first: char) -> Result<(), String> {
        let mut text = String::from(first);
        while let Some(next) = self.peek().filter(|next| *next == '.' || is_digit(*next)) {
            text.push(next);
            self.at += 1;
        }
        let is_number = text.is_ascii() && text.parse::<f64>().is_ok();
        if is_number { Ok(()) } else { Err(format!("cannot parse number {text}")) }
    }

    fn array(&mut self) -> Result<(), String> {
        let start = self.at;
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated array".to_owned()),
                Some(']') => break,
                Some(_) => {}
            }
        }
        let text: String = self.input[start..self.at - 1].iter().collect();
        let text = if text == "*" { ":" } else { &text };
        if text.contains(',') {
            let mut parts = text.split(',').map(|part| part.trim_matches(' '));
            return parts.try_for_each(|part| check_action(&format!("[{part}]"), self.depth + 1));
        }
        let quoted = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        if let Some(key) = quoted.filter(|key| !key.contains('\'')) {
            return check_action(&format!(".{key}"), self.depth + 1);
        }
        check_slice(text)
    }

    fn filter(&mut self) -> Result<(), String> {
        let (start, mut pair, mut is_closed) = (self.at, None, false);
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated filter".to_owned()),
                Some(quote @ ('"' | '\'')) => match pair {
                    None => pair = Some(quote),
                    Some(open) if open == quote && self.input[self.at - 2] != '\\' => is_closed = true,
                    Some(_) => {}
                },
                Some(')') if pair.is_some() == is_closed => break,
                Some(_) => {}
            }
        }
        if self.next() != Some(']') {
            return Err("unclosed array expect ]".to_owned());
        }
        let text: String = self.input[start..self.at - 2].iter().collect();
        match comparison(&text) {
            None => check_action(&text, self.depth + 1),
            Some((left, right)) => {
                check_action(left, self.depth + 1)?;
                check_action(right, self.depth + 1)
            }
        }
    }

    fn quote(&mut self, quote: char) -> Result<(), String> {
        let start = self.at;
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated quoted string".to_owned()),
                Some(next) if next == quote && self.input[self.at - 2] != '\\' => break,
                Some(_) => {}
            }
        }
        let inner = &self.input[start..self.at - 1];
        if is_quotable(inner, quote) {
            return Ok(());
        }
        let text: String = inner.iter().collect();
        Err(format!("unquote string {quote}{text}{quote} error invalid syntax"))
    }

    fn peek(&self) -> Option<char> {
        self.input.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let is_next = self.input[self.at..].iter().copied().zip(prefix.chars()).filter(|(a, b)| a == b).count();
        let is_next = is_next == prefix.len() && self.input.len() - self.at >= prefix.len();
        if is_next {
            self.at += prefix.len();
        }
        is_next
    }
}

/// As upstream's `sliceOperatorRex`: up to three numbers with colons between them.
fn check_slice(text: &str) -> Result<(), String> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_part = |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_part) {
        return Err(format!("invalid array index {text}"));
    }
    let wrong = parts.iter().find(|part| !part.is_empty() && part.parse::<i64>().is_err());
    wrong.map_or(Ok(()), |part| Err(format!("array index {part} is not a number")))
}

/// The two sides of a comparison, with something on both.
fn comparison(text: &str) -> Option<(&str, &str)> {
    let is_operator = |letter: char| "!<>=".contains(letter);
    let start = text.find(is_operator).filter(|start| *start > 0)?;
    let run = text[start..].find(|letter| !is_operator(letter)).map_or(text.len(), |length| start + length);
    // Without another right side, the last letter of the operator is one.
    let end = if run == text.len() { run - 1 } else { run };
    (end > start).then(|| (&text[..start], &text[end..]))
}

/// Tells if Go's `strconv.UnquoteChar` reads all of a text.
fn is_quotable(text: &[char], quote: char) -> bool {
    let mut rest = text.iter().copied();
    while let Some(letter) = rest.next() {
        if letter == quote {
            return false;
        }
        if letter != '\\' {
            continue;
        }
        let digits = |count: usize, radix: u32, rest: &mut dyn Iterator<Item = char>| {
            let digits: String = rest.take(count).collect();
            (digits.chars().count() == count).then(|| u32::from_str_radix(&digits, radix).ok()).flatten()
        };
        let is_valid = match rest.next() {
            Some('a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\') => true,
            Some('x') => digits(2, 16, &mut rest).is_some(),
            Some('u') => digits(4, 16, &mut rest).and_then(char::from_u32).is_some(),
            Some('U') => digits(8, 16, &mut rest).and_then(char::from_u32).is_some(),
            Some(first @ '0'..='7') => {
                let number = digits(2, 8, &mut rest).map(|rest| first.to_digit(8).unwrap_or_default() * 64 + rest);
                number.is_some_and(|number| number <= 255)
            }
            Some(other) => other == quote,
            None => false,
        };
        if !is_valid {
            return false;
        }
    }
    true
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphabetic() || is_digit(letter)
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit() || (!letter.is_ascii() && letter.is_numeric())
}

fn is_end(letter: char) -> bool {
    " \t\r\n.,[]$@{}".contains(letter)
}

/// A letter as Go's `%#U` shows it.
fn show(letter: char) -> String {
    let code = format!("U+{:04X}", u32::from(letter));
    if letter.is_control() { code } else { format!("{code} '{letter}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_judged_as_upstream_does() {
        let check = |path: &str, expected: &str| assert_eq!(check(path).err().unwrap_or_default(), expected, "{path}");
        for path in ["spec.validations[0].expression", "$.a['b.c'][*]", "..a", ".a[?(@.b == 'c')].d", "a[1:2,'x']"] {
            check(path, "");
        }
        check("-", "cannot parse number -");
        check("*", "unrecognized character in action: U+002A '*'");
        check("a[", "unterminated array");
        check("a[b]", "invalid array index b");
        check("a[-]", "array index - is not a number");
        check("a[?(@.b", "unterminated filter");
        check("a[?(@.b)", "unclosed array expect ]");
        check("....a", "invalid multiple recursive descent");
        check("'a", "unterminated quoted string");
        check("'\\q'", "unquote string '\\q' error invalid syntax");
        check("a\nb", "unclosed action");
        check(&"[?(".repeat(1000), "unterminated filter");
    }
}
