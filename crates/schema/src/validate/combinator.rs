//! `allOf`, `anyOf`, `oneOf` and `not`. Their branches are judged as if everything were new.

use sprag_value::Value;

use super::sink::{Failure, Quiet, Sink};
use crate::node::{Combinators, Node};
use crate::trail::Trail;

/// Judges all combined schemas of a node.
pub(super) fn judge<S: Sink>(combinators: &Combinators, value: &Value, trail: &Trail<'_>, sink: &mut S) -> u32 {
    let mut count = 0;
    if !combinators.any_of.is_empty() {
        count += any_of(&combinators.any_of, value, trail, sink);
    }
    if !combinators.one_of.is_empty() {
        count += one_of(&combinators.one_of, value, trail, sink);
    }
    if !combinators.all_of.is_empty() {
        count += all_of(&combinators.all_of, value, trail, sink);
    }
    if let Some(not) = &combinators.not
        && attempt(not, value, trail).is_valid
    {
        fail(sink, trail, "must not validate the schema (not)");
    }
    count
}

fn any_of<S: Sink>(branches: &[Node], value: &Value, trail: &Trail<'_>, sink: &mut S) -> u32 {
    let mut best = Best::default();
    for branch in branches {
        let attempt = attempt(branch, value, trail);
        if attempt.is_valid {
            return attempt.count;
        }
        best.take(branch, attempt.count);
    }
    fail(sink, trail, "must validate at least one schema (anyOf)");
    best.tell(value, trail, sink)
}

fn one_of<S: Sink>(branches: &[Node], value: &Value, trail: &Trail<'_>, sink: &mut S) -> u32 {
    let mut best = Best::default();
    let mut valid = 0;
    let mut first = 0;
    for branch in branches {
        let attempt = attempt(branch, value, trail);
        if attempt.is_valid {
            valid += 1;
            first = if valid == 1 { attempt.count } else { first };
        } else if valid == 0 {
            best.take(branch, attempt.count);
        }
    }
    match valid {
        0 => {
            fail(sink, trail, "must validate one and only one schema (oneOf). Found none valid");
            best.tell(value, trail, sink)
        }
        1 => first,
        _ => {
            let message = format!("must validate one and only one schema (oneOf). Found {valid} valid alternatives");
            fail(sink, trail, &message);
            0
        }
    }
}

fn all_of<S: Sink>(branches: &[Node], value: &Value, trail: &Trail<'_>, sink: &mut S) -> u32 {
    let mut count = 0;
    let mut valid = 0;
    for branch in branches {
        let mark = sink.mark();
        count += super::judge(branch, value, trail, None, sink);
        valid += usize::from(!sink.has_failed_since(mark));
    }
    if valid == 0 {
        fail(sink, trail, "must validate all the schemas (allOf). None validated");
    } else if valid < branches.len() {
        fail(sink, trail, "must validate all the schemas (allOf)");
    }
    count
}

struct Attempt {
    is_valid: bool,
    count: u32,
}

fn attempt(branch: &Node, value: &Value, trail: &Trail<'_>) -> Attempt {
    let mut quiet = Quiet::default();
    let count = super::judge(branch, value, trail, None, &mut quiet);
    Attempt { is_valid: quiet.is_clean(), count }
}

/// The branch with the most checks passed; of equals the first.
#[derive(Default)]
struct Best<'n> {
    branch: Option<(&'n Node, u32)>,
}

impl<'n> Best<'n> {
    fn take(&mut self, branch: &'n Node, count: u32) {
        if self.branch.is_none_or(|(_, most)| count > most) {
            self.branch = Some((branch, count));
        }
    }

    /// Validates the branch again if the sink needs the errors and not only the failure.
    fn tell<S: Sink>(&self, value: &Value, trail: &Trail<'_>, sink: &mut S) -> u32 {
        let Some((branch, count)) = self.branch else { return 0 };
        if S::LOUD { super::judge(branch, value, trail, None, sink) } else { count }
    }
}

fn fail<S: Sink>(sink: &mut S, trail: &Trail<'_>, message: &str) {
    sink.fail(trail, || Failure::Unplaced(format!("{} {message}", sprag_field::quote::go(&trail.joined()))));
}
