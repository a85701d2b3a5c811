//! The paths of printer columns: `JSONPath` as kubectl has it, with filters, slices, unions and recursive descent.
//!
//! A path leads to any number of values; columns show the first. Members that are missing are not an error; values of the wrong
//! form are, and then there is nothing to show.

mod eval;
mod parse;

use std::borrow::Cow;

use sprag_value::Value;

/// Maximum number of intermediate values of a path: recursive descents multiply.
const MAX_RESULTS: usize = 10_000;

/// A parsed path.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JsonPath(Vec<Step>);

/// Errors of parsing a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
    #[error("unterminated array, filter or text")]
    Unterminated,
    #[error("unrecognized character in action: {0:?}")]
    Character(char),
    #[error("invalid array index {0}")]
    Index(String),
    #[error("cannot parse number {0}")]
    Number(String),
    #[error("invalid text {0}")]
    Text(String),
    #[error("invalid multiple recursive descent")]
    TwoDescents,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// The member of this name.
    Member(String),
    /// All members or elements.
    All,
    /// The value and everything below it.
    Descend,
    /// Elements from, to (excluded) and every how many.
    Slice(Slice),
    /// Elements that a comparison holds for.
    Filter(Filter),
    /// A union of several paths.
    Union(Vec<Vec<Step>>),
    /// A value of its own.
    Literal(Value),
    /// A word that means nothing.
    Word,
}

#[derive(Clone, Debug, PartialEq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    /// The end was made of the start: `[-1]` is `[-1:0]`, and its end the length.
    derived: bool,
    step: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Vec<Step>,
    /// The comparison with another path; without one, whatever the left side leads to will do.
    comparison: Option<(String, Vec<Step>)>,
}

impl JsonPath {
    /// Reads a path without braces around it.
    pub(crate) fn parse(text: &str) -> Result<JsonPath, ParseError> {
        parse::steps(text).map(JsonPath)
    }

    /// The first value that the path leads to.
    pub(crate) fn first<'v>(&'v self, object: &'v Value) -> Option<Cow<'v, Value>> {
        eval::steps(&self.0, vec![Cow::Borrowed(object)]).ok()?.into_iter().next()
    }
}

#[cfg(test)]
mod tests;
