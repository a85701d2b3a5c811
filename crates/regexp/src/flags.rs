//! The switches `(?imsU)` sets.

/// The flags at a place in a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one letter of the syntax")]
pub(crate) struct Flags {
    /// `i`: letters match in any case.
    pub(crate) fold: bool,
    /// `m`: `^` and `$` match at line breaks.
    pub(crate) multi_line: bool,
    /// `s`: `.` matches a line break.
    pub(crate) dot_newline: bool,
    /// `U`: repetitions are lazy, and greedy when followed by `?`.
    pub(crate) lazy: bool,
}

impl Flags {
    /// Sets the switch of this letter, if there is one.
    pub(crate) fn set(&mut self, letter: char, on: bool) -> bool {
        match letter {
            'i' => self.fold = on,
            'm' => self.multi_line = on,
            's' => self.dot_newline = on,
            'U' => self.lazy = on,
            _ => return false,
        }
        true
    }
}
