//! Regular expressions as Go's `regexp` package understands them: its syntax, its meaning, its error texts.
//!
//! A pattern is parsed here by Go's rules and run by `regex-automata`, so a search takes time linear in the text.
//! [`Regexp`] matches and finds; [`Capturing`] also tells what each group matched and replaces by template.
//!
//! Does not know: what a pattern is used for. Facts are those of Go 1.26 with Unicode 15.0. Deliberate differences:
//!
//! - scripts of several words (`\p{Old_Italic}`) are accepted, as in every Go release but 1.25 and 1.26;
//! - an automaton above [`SIZE_LIMIT`], a pattern above [`MAX_PATTERN_LEN`] and operators nested more than
//!   [`MAX_DEPTH`] deep are refused with Go's own words for patterns that are too much.
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
mod capture;
mod class;
mod cursor;
mod error;
mod escape;
mod expr;
mod flags;
mod fold;
mod group;
mod parse;
mod regexp;
mod repeat;
mod template;
mod unicode;

pub use crate::capture::{Captures, Capturing};
pub use crate::error::{Fault, RegexpError};
pub use crate::expr::MAX_DEPTH;
pub use crate::parse::MAX_PATTERN_LEN;
pub use crate::regexp::{Regexp, SIZE_LIMIT};
