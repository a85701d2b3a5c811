//! Errors of patterns.

/// The errors of a pattern, with Go's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A class is not one of those that exist, or a range runs backwards.
    #[error("invalid character class range")]
    InvalidCharRange,
    /// A backslash is followed by something without meaning.
    #[error("invalid escape sequence")]
    InvalidEscape,
    /// The name of a group is malformed.
    #[error("invalid named capture")]
    InvalidNamedCapture,
    /// The characters after `(?` are not supported.
    #[error("invalid or unsupported Perl syntax")]
    InvalidPerlOp,
    /// One repetition follows another.
    #[error("invalid nested repetition operator")]
    InvalidRepeatOp,
    /// A repetition counts too high, alone or together with those around it.
    #[error("invalid repeat count")]
    InvalidRepeatSize,
    /// A class is not closed.
    #[error("missing closing ]")]
    MissingBracket,
    /// A group is not closed.
    #[error("missing closing )")]
    MissingParen,
    /// There is nothing to repeat.
    #[error("missing argument to repetition operator")]
    MissingRepeatArgument,
    /// The pattern ends in a backslash.
    #[error("trailing backslash at end of expression")]
    TrailingBackslash,
    /// A group is closed that was not opened.
    #[error("unexpected )")]
    UnexpectedParen,
    /// The pattern nests deeper than allowed.
    #[error("expression nests too deeply")]
    NestingDepth,
    /// The pattern or its automaton is larger than allowed.
    #[error("expression too large")]
    TooLarge,
}

/// A refused pattern: what is wrong and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {fault}: `{expression}`")]
pub struct RegexpError {
    /// The kind of error.
    pub fault: Fault,
    /// The offending part of the pattern.
    pub expression: String,
}

impl RegexpError {
    pub(crate) fn new(fault: Fault, expression: &str) -> RegexpError {
        RegexpError { fault, expression: expression.to_owned() }
    }
}
