//! The parser: one pass over the pattern with an explicit stack of open groups.

use regex_syntax::hir::{Hir, Look};

use crate::cursor::Cursor;
use crate::error::{Fault, RegexpError};
use crate::expr::{Expr, MAX_DEPTH, MAX_HEIGHT, Measure};
use crate::flags::Flags;

/// The longest pattern that is looked at, in bytes.
pub const MAX_PATTERN_LEN: usize = 1 << 18;

/// Maximum total of character ranges in the classes of a pattern, before they are merged.
const MAX_RANGES: usize = 1 << 20;

/// The treatment of groups in the compiled form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Groups {
    /// Only the whole match is of interest.
    Drop,
    /// Each group's match is of interest.
    Keep,
}

/// A pattern ready to be compiled.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The expression to match.
    pub(crate) hir: Hir,
    /// The names of its groups; the first is the whole match.
    pub(crate) names: Vec<Option<String>>,
}

/// Parses a pattern by the rules of Go's `regexp/syntax` in its Perl mode.
pub(crate) fn parse(pattern: &str, groups: Groups) -> Result<Parsed, RegexpError> {
    if pattern.len() > MAX_PATTERN_LEN {
        return Err(RegexpError::new(Fault::TooLarge, pattern));
    }
    let mut parser = Parser {
        input: Cursor::new(pattern),
        flags: Flags::default(),
        groups,
        names: vec![None],
        open: Vec::new(),
        frame: Frame::new(None, Flags::default()),
        ranges_left: MAX_RANGES,
    };
    parser.run()?;
    let expr = parser.finish_frame()?;
    if !parser.open.is_empty() {
        return Err(RegexpError::new(Fault::MissingParen, pattern));
    }
    Ok(Parsed { hir: expr.into_hir(), names: parser.names })
}

pub(crate) struct Parser<'p> {
    pub(crate) input: Cursor<'p>,
    pub(crate) flags: Flags,
    pub(crate) groups: Groups,
    pub(crate) names: Vec<Option<String>>,
    /// The groups around the current one, outermost first.
    pub(crate) open: Vec<Frame>,
    pub(crate) frame: Frame,
    ranges_left: usize,
}

/// An open group.
pub(crate) struct Frame {
    /// The number of the group, if it captures.
    pub(crate) capture: Option<u32>,
    /// The switches to return to at its end.
    pub(crate) outer_flags: Flags,
    pub(crate) alternatives: Vec<Expr>,
    pub(crate) sequence: Vec<Expr>,
}

impl Frame {
    pub(crate) fn new(capture: Option<u32>, outer_flags: Flags) -> Frame {
        Frame { capture, outer_flags, alternatives: Vec::new(), sequence: Vec::new() }
    }

    /// Joins the last two operands if both are texts; what comes next can no longer repeat the last one alone.
    fn settle(&mut self) {
        if let [.., before, last] = self.sequence.as_slice()
            && before.can_absorb(last)
            && let Some(last) = self.sequence.pop()
        {
            let refused = self.sequence.last_mut().and_then(|before| before.absorb(last));
            self.sequence.extend(refused);
        }
    }
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), RegexpError> {
        let mut repeat = None;
        while let Some(c) = self.input.peek() {
            let before = repeat.take();
            match c {
                '*' | '+' | '?' | '{' => repeat = self.repetition(before)?,
                '(' => self.open_group()?,
                ')' => self.close_group()?,
                '[' => self.bracket_class()?,
                '\\' => self.backslash()?,
                _ => self.simple(c)?,
            }
        }
        Ok(())
    }

    fn simple(&mut self, c: char) -> Result<(), RegexpError> {
        self.input.next();
        match c {
            '|' => {
                let sequence = self.finish_sequence()?;
                self.frame.alternatives.push(sequence);
                Ok(())
            }
            '^' => self.push(Expr::look(if self.flags.multi_line { Look::StartLF } else { Look::Start })),
            '$' => self.push(Expr::look(if self.flags.multi_line { Look::EndLF } else { Look::End })),
            '.' => self.any_char(),
            _ => self.push(Expr::literal(c, self.flags.fold)),
        }
    }

    /// Adds an operand.
    pub(crate) fn push(&mut self, expr: Expr) -> Result<(), RegexpError> {
        self.frame.settle();
        self.check(expr.measure())?;
        self.frame.sequence.push(expr);
        Ok(())
    }

    /// Everything since the last `|` or `(`, as one operand.
    fn finish_sequence(&mut self) -> Result<Expr, RegexpError> {
        self.frame.settle();
        let expr = Expr::concat(std::mem::take(&mut self.frame.sequence));
        self.check(expr.measure())?;
        Ok(expr)
    }

    /// Everything since the last `(`, as one operand.
    pub(crate) fn finish_frame(&mut self) -> Result<Expr, RegexpError> {
        let sequence = self.finish_sequence()?;
        let mut alternatives = std::mem::take(&mut self.frame.alternatives);
        alternatives.push(sequence);
        let expr = Expr::alternate(alternatives);
        self.check(expr.measure())?;
        Ok(expr)
    }

    pub(crate) fn check(&self, measure: Measure) -> Result<(), RegexpError> {
        if measure.height > MAX_HEIGHT || measure.depth > MAX_DEPTH {
            return Err(self.input.fault_everywhere(Fault::NestingDepth));
        }
        Ok(())
    }

    /// Accounts for character ranges, which a short pattern can have very many of.
    pub(crate) fn charge(&mut self, ranges: usize) -> Result<(), RegexpError> {
        match self.ranges_left.checked_sub(ranges) {
            Some(left) => self.ranges_left = left,
            None => return Err(self.input.fault_everywhere(Fault::TooLarge)),
        }
        Ok(())
    }
}
