//! `*`, `+`, `?` and `{min,max}`.

use crate::cursor::Cursor;
use crate::error::{Fault, RegexpError};
use crate::expr::{Expr, Operator};
use crate::parse::Parser;

/// The highest count of a repetition, and of nested repetitions together.
const MAX_COUNT: u32 = 1000;

impl Parser<'_> {
    /// Applies the operator that is next; `before` is where an operator directly before it starts.
    ///
    /// Gives back where this one starts, or nothing if it was an ordinary brace.
    pub(crate) fn repetition(&mut self, before: Option<usize>) -> Result<Option<usize>, RegexpError> {
        let start = self.input.at();
        let Some(operator) = self.operator()? else {
            return Ok(None);
        };
        let greedy = self.input.eat('?') == self.flags.lazy;
        if let Some(before) = before {
            return Err(self.input.fault_since(Fault::InvalidRepeatOp, before));
        }
        let Some(operand) = self.frame.sequence.pop() else {
            return Err(self.input.fault_since(Fault::MissingRepeatArgument, start));
        };
        let expr = operand.repeat(operator, greedy);
        self.check(expr.measure())?;
        if operator.copies_operand() && expr.measure().copies > MAX_COUNT {
            return Err(self.input.fault_since(Fault::InvalidRepeatSize, start));
        }
        self.frame.sequence.push(expr);
        Ok(Some(start))
    }

    fn operator(&mut self) -> Result<Option<Operator>, RegexpError> {
        let start = self.input.at();
        let operator = match self.input.next() {
            Some('*') => Operator::Star,
            Some('+') => Operator::Plus,
            Some('?') => Operator::Quest,
            _ => {
                let mut ahead = self.input;
                let Some((min, max)) = counts(&mut ahead) else {
                    self.push(Expr::literal('{', self.flags.fold))?;
                    return Ok(None);
                };
                self.input = ahead;
                if min > MAX_COUNT || max.is_some_and(|max| max > MAX_COUNT || max < min) {
                    return Err(self.input.fault_since(Fault::InvalidRepeatSize, start));
                }
                Operator::Count { min, max }
            }
        };
        Ok(Some(operator))
    }
}

impl Operator {
    fn copies_operand(self) -> bool {
        matches!(self, Operator::Count { min, max } if min >= 2 || max.is_some_and(|max| max >= 2))
    }
}

/// Reads `min}`, `min,}` or `min,max}`.
fn counts(input: &mut Cursor<'_>) -> Option<(u32, Option<u32>)> {
    let min = number(input)?;
    let mut max = Some(min);
    if input.eat(',') {
        max = if input.peek() == Some('}') { None } else { Some(number(input)?) };
    }
    input.eat('}').then_some((min, max))
}

/// Reads a number without leading zeros; one that is far too high saturates.
fn number(input: &mut Cursor<'_>) -> Option<u32> {
    let digits = input.rest().bytes().take_while(u8::is_ascii_digit).count();
    let text = input.rest().get(..digits)?;
    if text.is_empty() || digits > 1 && text.starts_with('0') {
        return None;
    }
    input.skip(digits);
    Some(text.parse().unwrap_or(u32::MAX))
}
