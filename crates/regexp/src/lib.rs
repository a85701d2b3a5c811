//! Regular expressions as Go's `regexp` package understands them: its syntax, its meaning, its error texts.
//!
//! A pattern is parsed here by Go's rules. [`Regexp`] matches and finds in time linear in the text: with an automaton of
//! `regex-automata` where that is small, otherwise with a program over characters that is as large as Go's, and never in more
//! steps than a caller allows ([`Regexp::charged`]). [`Capturing`] also tells what each group matched and replaces by template.
//!
//! Does not know: what a pattern is used for. Facts are those of Go 1.26 with Unicode 15.0. Deliberate differences:
//!
//! - scripts of several words (`\p{Old_Italic}`) are accepted, as in every Go release but 1.25 and 1.26;
//! - a pattern above [`MAX_PATTERN_LEN`], operators nested more than [`MAX_DEPTH`] deep and, with groups, an automaton above
//!   [`SIZE_LIMIT`] are refused with Go's own words for patterns that are too much.
//!
//! ```
//! use sprag_regexp::Regexp;
//!
//! let name = Regexp::new(r"^[a-z]([-a-z0-9]*[a-z0-9])?$").unwrap();
//! assert!(name.is_match("web-1"));
//! assert_eq!(
//!     Regexp::new("a(b").unwrap_err().to_string(),
//!     "error parsing regexp: missing closing ): `a(b`",
//! );
//! ```
mod automaton;
mod capture;
mod class;
mod cursor;
mod error;
mod escape;
mod expr;
mod flags;
mod fold;
mod group;
mod kept;
mod machine;
mod parse;
mod program;
mod regexp;
mod repeat;
mod template;
mod unicode;

pub use crate::capture::{Captures, Capturing, SIZE_LIMIT};
pub use crate::error::{Fault, RegexpError};
pub use crate::expr::MAX_DEPTH;
pub use crate::kept::MAX_KEPT;
pub use crate::parse::MAX_PATTERN_LEN;
pub use crate::regexp::{MAX_INSTRUCTIONS, Regexp, Search};
