//! Label selectors: `app=web,tier in (a,b),!canary`.

use std::collections::BTreeSet;

use sprag_checks::format::Format;
use sprag_field::{Error, Path, status};

use super::lexer::{Token, scan};
use super::{SelectorError, check_size};

/// Requirements on labels, sorted by key; all of them hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

/// A requirement on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label.
    pub key: String,
    /// The operator.
    pub operator: Operator,
    /// With what, sorted.
    pub values: Vec<String>,
}

/// The operator of a label requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// It is there and has one of the values.
    In,
    /// It is absent or has none of the values.
    NotIn,
    /// It is there.
    Exists,
    /// It is absent.
    DoesNotExist,
    /// It is a larger integer.
    GreaterThan,
    /// It is a smaller integer.
    LessThan,
}

impl LabelSelector {
    /// Reads a selector.
    pub fn parse(text: &str) -> Result<LabelSelector, SelectorError> {
        check_size(text)?;
        let mut requirements = Parser { tokens: scan(text), at: 0 }.parse()?;
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(LabelSelector { requirements })
    }

    /// The selector of objects that have all of these labels.
    pub fn equal<'a>(labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> LabelSelector {
        let requirement = |(key, value): (&str, &str)| Requirement {
            key: key.to_owned(),
            operator: Operator::In,
            values: vec![value.to_owned()],
        };
        let mut requirements: Vec<Requirement> = labels.into_iter().map(requirement).collect();
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        LabelSelector { requirements }
    }

    /// The requirements.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// True if it selects everything.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// True if an object with these labels is selected.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(label(&requirement.key)))
    }
}

impl Requirement {
    fn new(key: String, operator: Operator, values: Vec<String>) -> Result<Requirement, SelectorError> {
        let mut errors: Vec<Error> = label_key_error(&key, &Path::new("key")).into_iter().collect();
        let path = Path::new("values");
        for (at, value) in values.iter().enumerate() {
            let at = path.index(at);
            if matches!(operator, Operator::GreaterThan | Operator::LessThan) && value.parse::<i64>().is_err() {
                let detail = "for 'Gt', 'Lt' operators, the value must be an integer";
                errors.push(Error::invalid(&at, value.as_str(), detail));
            }
        }
        for (at, value) in values.iter().enumerate() {
            let details = details(Format::LabelValue, value);
            if !details.is_empty() {
                errors.push(Error::invalid(&path.index(at).key(&key), value.as_str(), details));
            }
        }
        if errors.is_empty() {
            return Ok(Requirement { key, operator, values });
        }
        Err(SelectorError(status::aggregate(&errors)))
    }

    fn matches(&self, label: Option<&str>) -> bool {
        let has = |label: &str| self.values.binary_search_by(|value| value.as_str().cmp(label)).is_ok();
        let compared = |holds: fn(i64, i64) -> bool| {
            let (Some(Ok(label)), Some(Ok(value))) =
                (label.map(str::parse::<i64>), self.values.first().map(|value| value.parse::<i64>()))
            else {
                return false;
            };
            holds(label, value)
        };
        match self.operator {
            Operator::In => label.is_some_and(has),
            Operator::NotIn => !label.is_some_and(has),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
            Operator::GreaterThan => compared(|label, value| label > value),
            Operator::LessThan => compared(|label, value| label < value),
        }
    }
}

fn label_key_error(key: &str, path: &Path<'_>) -> Option<Error> {
    let details = details(Format::LabelKey, key);
    (!details.is_empty()).then(|| Error::invalid(path, key, details))
}

fn details(format: Format, text: &str) -> String {
    let mut details: Vec<String> = Vec::new();
    format.check(text, &mut |flaw| details.push(flaw.detail.into_owned()));
    details.join("; ")
}

const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

/// Upstream's grammar, with its error texts.
struct Parser {
    tokens: Vec<(Token, String)>,
    at: usize,
}

type Parsed<T> = Result<T, SelectorError>;

impl Parser {
    fn parse(mut self) -> Parsed<Vec<Requirement>> {
        let mut requirements = Vec::new();
        loop {
            match self.peek_value() {
                (Token::Identifier | Token::Not, _) => {
                    let requirement = self
                        .requirement()
                        .map_err(|error| SelectorError(format!("unable to parse requirement: {error}")))?;
                    requirements.push(requirement);
                    match self.take_value() {
                        (Token::End, _) => return Ok(requirements),
                        (Token::Comma, _) => {
                            let (token, text) = self.peek_value();
                            if !matches!(token, Token::Identifier | Token::Not) {
                                return Err(unexpected(&text, ", expected: identifier after ','"));
                            }
                        }
                        (_, text) => return Err(unexpected(&text, ", expected: ',' or 'end of string'")),
                    }
                }
                (Token::End, _) => return Ok(requirements),
                (_, text) => return Err(unexpected(&text, ", expected: !, identifier, or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Parsed<Requirement> {
        let (mut token, mut key) = self.take_value();
        let negated = token == Token::Not;
        if negated {
            (token, key) = self.take_value();
        }
        if token != Token::Identifier {
            return Err(unexpected(&key, ", expected: identifier"));
        }
        if let Some(error) = label_key_error(&key, &Path::ROOT) {
            return Err(SelectorError(error.to_string()));
        }
        if negated {
            return Requirement::new(key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek_value().0, Token::End | Token::Comma) {
            return Requirement::new(key, Operator::Exists, Vec::new());
        }
        let (operator, values) = match self.take() {
            (Token::In, _) => (Operator::In, self.values()?),
            (Token::NotIn, _) => (Operator::NotIn, self.values()?),
            (Token::Equals | Token::DoubleEquals, _) => (Operator::In, self.exact_value()?),
            (Token::NotEquals, _) => (Operator::NotIn, self.exact_value()?),
            (Token::GreaterThan, _) => (Operator::GreaterThan, self.exact_value()?),
            (Token::LessThan, _) => (Operator::LessThan, self.exact_value()?),
            (_, text) => return Err(unexpected(&text, &format!(", expected: {OPERATORS}"))),
        };
        Requirement::new(key, operator, values)
    }

    fn values(&mut self) -> Parsed<Vec<String>> {
        let (token, text) = self.take_value();
        if token != Token::Open {
            return Err(unexpected(&text, " expected: '('"));
        }
        let (token, text) = self.peek_value();
        match token {
            Token::Identifier | Token::Comma => {
                let values = self.identifiers()?;
                if self.take_value().0 != Token::Close {
                    return Err(unexpected(&text, ", expected: ')'"));
                }
                Ok(values.into_iter().collect())
            }
            Token::Close => {
                self.take_value();
                Ok(vec![String::new()])
            }
            _ => Err(unexpected(&text, ", expected: ',', ')' or identifier")),
        }
    }

    fn identifiers(&mut self) -> Parsed<BTreeSet<String>> {
        let mut values = BTreeSet::new();
        loop {
            match self.take_value() {
                (Token::Identifier, text) => {
                    values.insert(text);
                    match self.peek_value() {
                        (Token::Comma, _) => {}
                        (Token::Close, _) => return Ok(values),
                        (_, text) => return Err(unexpected(&text, ", expected: ',' or ')'")),
                    }
                }
                (Token::Comma, _) => {
                    let next = self.peek_value().0;
                    if values.is_empty() || matches!(next, Token::Close | Token::Comma) {
                        values.insert(String::new());
                    }
                    if next == Token::Close {
                        return Ok(values);
                    }
                }
                (_, text) => return Err(unexpected(&text, ", expected: ',', or identifier")),
            }
        }
    }

    fn exact_value(&mut self) -> Parsed<Vec<String>> {
        if matches!(self.peek_value().0, Token::End | Token::Comma) {
            return Ok(vec![String::new()]);
        }
        match self.take_value() {
            (Token::Identifier, text) => Ok(vec![text]),
            (_, text) => Err(unexpected(&text, ", expected: identifier")),
        }
    }

    fn take(&mut self) -> (Token, String) {
        let token = self.tokens.get(self.at).cloned().unwrap_or((Token::End, String::new()));
        self.at += 1;
        token
    }

    fn take_value(&mut self) -> (Token, String) {
        as_value(self.take())
    }

    fn peek_value(&self) -> (Token, String) {
        as_value(self.tokens.get(self.at).cloned().unwrap_or((Token::End, String::new())))
    }
}

/// Treats the name of an operator as a value where no operator is expected.
fn as_value((token, text): (Token, String)) -> (Token, String) {
    (if matches!(token, Token::In | Token::NotIn) { Token::Identifier } else { token }, text)
}

fn unexpected(found: &str, rest: &str) -> SelectorError {
    SelectorError(format!("found '{found}'{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, labels: &[(&str, &str)], expected: bool) {
        let selector = LabelSelector::parse(text).unwrap();
        let label = |key: &str| labels.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        assert_eq!(selector.matches(label), expected, "{text}");
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        assert_eq!(LabelSelector::parse(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn operators_compare_as_upstream() {
        let labels = [("app", "web"), ("n", "7")];
        for text in
            ["", "app", "app=web", "app == web", "app in (web,db)", "app!=db", "x!=1", "x notin (a)", "!x", "n>6"]
        {
            check(text, &labels, true);
        }
        for text in ["x", "app=db", "app in (db)", "app!=web", "app notin (web)", "!app", "n>7", "n<7", "app>1", "x<1"]
        {
            check(text, &labels, false);
        }
        check("app=", &[("app", "")], true);
        check("in=notin,notin in (in)", &[("in", "notin"), ("notin", "in")], true);
    }

    #[test]
    fn value_sets_may_hold_the_empty_text() {
        for text in ["a in ()", "a in (,)", "a in (,b)", "a in (b,)", "a in (b,,c)"] {
            check(text, &[("a", "")], true);
        }
        check("a in (b)", &[("a", "")], false);
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        refused("=a", "found '=', expected: !, identifier, or 'end of string'");
        refused("a,", "found '', expected: identifier after ','");
        refused("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
        refused("!a=b", "found '=', expected: ',' or 'end of string'");
        refused("!", "unable to parse requirement: found '', expected: identifier");
        refused("a in b", "unable to parse requirement: found 'b' expected: '('");
        refused("a in (b", "unable to parse requirement: found '', expected: ',' or ')'");
        refused("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier");
        refused("a=)", "unable to parse requirement: found ')', expected: identifier");
        refused(
            "a>b",
            r#"unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer"#,
        );
        let key = LabelSelector::parse("a//b=c").unwrap_err().to_string();
        assert!(key.starts_with(r#"unable to parse requirement: <nil>: Invalid value: "a//b": "#), "{key}");
        let value = LabelSelector::parse("a=-b").unwrap_err().to_string();
        assert!(value.starts_with(r#"unable to parse requirement: values[0][a]: Invalid value: "-b": "#), "{value}");
    }
}
