//! Rules as far as answers show them: the field without indices, the reason, and the message without values.

use std::collections::BTreeMap;

use super::wire::Cause;

/// The identity of a rule among others of the same kind.
pub(super) type Rule = (String, String, String);

/// The rules of one kind; whether ours had the cause wherever it was recorded.
#[derive(Debug, Default)]
pub(super) struct Rules(BTreeMap<Rule, bool>);

impl Rules {
    /// Notes recorded causes, and whether ours had each.
    pub(super) fn add(&mut self, causes: &[Cause], found: &[bool]) {
        for (cause, found) in causes.iter().zip(found) {
            let rule = (without_indices(&cause.field), cause.reason.clone(), template(&cause.message));
            *self.0.entry(rule).or_insert(true) &= *found;
        }
    }

    /// Adds the rules that another part of the suite saw.
    pub(super) fn merge(&mut self, other: Rules) {
        for (rule, passed) in other.0 {
            *self.0.entry(rule).or_insert(true) &= passed;
        }
    }

    /// Those that did not pass.
    pub(super) fn failed(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter().filter(|(_, passed)| !**passed).map(|(rule, _)| rule)
    }

    /// Returns the number of passed cases, and of all.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.0.values().filter(|passed| **passed).count(), self.0.len())
    }
}

/// `spec.containers[0].env[a]` as `spec.containers[].env[]`.
fn without_indices(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut depth = 0;
    for character in field.chars() {
        depth -= usize::from(character == ']' && depth > 0);
        if depth == 0 {
            text.push(character);
        }
        depth += usize::from(character == '[');
    }
    text
}

/// A message without values: what is quoted in double quotes, numbers, and the value after `Invalid value: `.
fn template(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    for prefix in ["Invalid value: ", "Duplicate value: ", "Unsupported value: "] {
        if let Some(value) = message.strip_prefix(prefix).filter(|value| !value.starts_with('"')) {
            text.push_str(prefix);
            rest = value.find(": ").map_or("", |end| &value[end..]);
        }
    }
    let mut characters = rest.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                text.push_str("\"\"");
                while let Some(quoted) = characters.next().filter(|quoted| *quoted != '"') {
                    if quoted == '\\' {
                        characters.next();
                    }
                }
            }
            '0'..='9' => {
                text.push('0');
                while characters.next_if(char::is_ascii_digit).is_some() {}
            }
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_left_out() {
        assert_eq!(template(r#"Invalid value: "a\"b": must be no more than 63 bytes"#), r#"Invalid value: "": must be no more than 0 bytes"#);
        assert_eq!(template("Invalid value: {1 2}: bad"), "Invalid value: : bad");
        assert_eq!(template("Invalid value: 7"), "Invalid value: ");
        assert_eq!(template(r#"Unsupported value: "x": supported values: "a", "b""#), r#"Unsupported value: "": supported values: "", """#);
        assert_eq!(without_indices("a[0].b[x[y]].c"), "a[].b[].c");
    }

    #[test]
    fn a_rule_passes_where_all_its_causes_do() {
        let cause = |field: &str| Cause { field: field.into(), message: "Required value".into(), ..Cause::default() };
        let mut rules = Rules::default();
        rules.add(&[cause("a[0]"), cause("b")], &[true, true]);
        rules.add(&[cause("a[1]")], &[false]);
        assert_eq!(rules.count(), (1, 2));
    }
}
