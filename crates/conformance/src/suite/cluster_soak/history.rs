//! What clients asked of one object and were told, and whether one order of the requests explains it.
//!
//! Each request seems to happen at one moment between its beginning and its end; one without an answer happens at some time after its
//! beginning, or never. The search is that of Wing and Gong with Lowe's memory of states that led nowhere.

use std::collections::HashSet;

/// The most requests of one history: one bit each in the memory of the search.
pub(super) const MAX_REQUESTS: usize = 128;
/// The most states that are looked at for one history. Those of a soak need some hundred.
const MAX_STATES: usize = 2_000_000;

/// The value of an object, each of which is written once.
pub(super) type Value = u64;

/// The value of an object, if it is there.
type State = Option<Value>;

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Read,
    Create(Value),
    /// Replaces an object that has this value still.
    Swap {
        expected: Value,
        new: Value,
    },
    Delete,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// To a read: what is there.
    Found(Option<Value>),
    /// To a write: it is done.
    Done,
    /// There is an object already, or one with another value.
    Conflict,
    /// There is no object.
    Missing,
    /// None: it is done, will be done, or never is.
    Unknown,
}

/// A request with its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) call: Call,
    pub(super) answer: Effect,
    /// When it began and ended, on a clock that all clients share.
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Request {
    /// The state after this request and its answer, if it happens in this state.
    fn happens(&self, state: State) -> (State, Effect) {
        match (self.call, state) {
            (Call::Read, _) => (state, Effect::Found(state)),
            (Call::Create(new), None) => (Some(new), Effect::Done),
            (Call::Swap { expected, new }, Some(value)) if value == expected => (Some(new), Effect::Done),
            (Call::Create(_) | Call::Swap { .. }, Some(_)) => (state, Effect::Conflict),
            (Call::Delete, Some(_)) => (None, Effect::Done),
            (Call::Swap { .. } | Call::Delete, None) => (None, Effect::Missing),
        }
    }

    /// True if it can have happened in this state. One without an answer that changes nothing might as well never have been done.
    fn fits(&self, state: State) -> bool {
        let (after, answer) = self.happens(state);
        if self.answer == Effect::Unknown { after != state } else { self.answer == answer }
    }

    /// The time by which it has happened, if it is known to have.
    fn deadline(&self) -> u64 {
        if self.answer == Effect::Unknown { u64::MAX } else { self.end }
    }
}

/// Checks that some order of all requests explains the answers, beginning without an object.
pub(super) fn check(requests: &[Request]) -> Result<(), String> {
    if requests.len() > MAX_REQUESTS {
        return Err(format!("{} requests are too many for the search", requests.len()));
    }
    let known = requests.iter().enumerate().filter(|(_, request)| request.answer != Effect::Unknown);
    let all = known.fold(0_u128, |all, (at, _)| all | 1 << at);
    let mut seen = HashSet::new();
    let mut open = vec![(0_u128, None)];
    let mut furthest = 0;
    while let Some((done, state)) = open.pop() {
        if done & all == all {
            return Ok(());
        }
        if !seen.insert((done, state)) {
            continue;
        }
        if seen.len() > MAX_STATES {
            return Err(format!("undecided after {MAX_STATES} states"));
        }
        furthest = furthest.max((done & all).count_ones());
        let left = || requests.iter().enumerate().filter(move |(at, _)| done & (1 << at) == 0);
        // Whatever ended first has to have happened before anything begins.
        let first_end = left().map(|(_, request)| request.deadline()).min().unwrap_or(u64::MAX);
        let next = left().filter(|(_, request)| request.begin <= first_end && request.fits(state));
        open.extend(next.map(|(at, request)| (done | 1 << at, request.happens(state).0)));
    }
    Err(format!("no order explains the answers, of which {furthest} of {} fit", all.count_ones()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(begin: u64, end: u64, call: Call, answer: Effect) -> Request {
        Request { call, answer, begin, end }
    }

    const fn swap(expected: Value, new: Value) -> Call {
        Call::Swap { expected, new }
    }

    #[track_caller]
    fn passes(requests: &[Request]) {
        check(requests).unwrap();
    }

    #[track_caller]
    fn fails(requests: &[Request]) {
        assert!(check(requests).unwrap_err().starts_with("no order explains"));
    }

    #[test]
    fn one_client_sees_what_it_wrote() {
        passes(&[
            at(0, 1, Call::Read, Effect::Found(None)),
            at(2, 3, Call::Create(1), Effect::Done),
            at(4, 5, Call::Create(2), Effect::Conflict),
            at(6, 7, swap(1, 3), Effect::Done),
            at(8, 9, swap(1, 4), Effect::Conflict),
            at(10, 11, Call::Read, Effect::Found(Some(3))),
            at(12, 13, Call::Delete, Effect::Done),
            at(14, 15, Call::Delete, Effect::Missing),
            at(16, 17, swap(3, 5), Effect::Missing),
        ]);
    }

    #[test]
    fn requests_at_the_same_time_may_have_happened_in_any_order() {
        passes(&[
            at(0, 1, Call::Create(1), Effect::Done),
            at(2, 9, swap(1, 2), Effect::Done),
            at(3, 4, Call::Read, Effect::Found(Some(2))),
            at(3, 8, Call::Read, Effect::Found(Some(1))),
        ]);
    }

    #[test]
    fn a_write_that_was_acknowledged_is_not_lost() {
        fails(&[at(0, 1, Call::Create(1), Effect::Done), at(2, 3, Call::Read, Effect::Found(None))]);
        fails(&[
            at(0, 1, Call::Create(1), Effect::Done),
            at(2, 3, swap(1, 2), Effect::Done),
            at(4, 5, Call::Read, Effect::Found(Some(1))),
        ]);
    }

    #[test]
    fn a_read_does_not_go_back() {
        fails(&[
            at(0, 1, Call::Create(1), Effect::Done),
            at(2, 9, swap(1, 2), Effect::Done),
            at(3, 4, Call::Read, Effect::Found(Some(2))),
            at(5, 6, Call::Read, Effect::Found(Some(1))),
        ]);
    }

    #[test]
    fn one_of_two_writers_wins() {
        fails(&[
            at(0, 1, Call::Create(1), Effect::Done),
            at(2, 9, swap(1, 2), Effect::Done),
            at(2, 9, swap(1, 3), Effect::Done),
        ]);
        fails(&[at(0, 9, Call::Create(1), Effect::Done), at(0, 9, Call::Create(2), Effect::Done)]);
    }

    #[test]
    fn nobody_loses_without_a_winner() {
        fails(&[at(0, 1, Call::Create(1), Effect::Done), at(2, 3, swap(1, 2), Effect::Conflict)]);
        fails(&[at(0, 1, Call::Create(1), Effect::Conflict)]);
        fails(&[at(0, 1, Call::Create(1), Effect::Done), at(2, 3, Call::Delete, Effect::Missing)]);
    }

    #[test]
    fn what_was_deleted_stays_deleted() {
        fails(&[
            at(0, 1, Call::Create(1), Effect::Done),
            at(2, 3, Call::Delete, Effect::Done),
            at(4, 5, Call::Read, Effect::Found(Some(1))),
        ]);
    }

    #[test]
    fn values_are_those_that_were_written() {
        fails(&[at(0, 1, Call::Create(1), Effect::Done), at(2, 3, Call::Read, Effect::Found(Some(7)))]);
    }

    #[test]
    fn a_write_without_an_answer_is_done_once_or_never() {
        let unknown = [at(0, 1, Call::Create(1), Effect::Done), at(2, 3, swap(1, 2), Effect::Unknown)];
        let then = |more: &[Request]| [&unknown[..], more].concat();
        passes(&then(&[at(4, 5, Call::Read, Effect::Found(Some(1)))]));
        passes(&then(&[at(4, 5, Call::Read, Effect::Found(Some(2)))]));
        // It may be done late, and be seen at last.
        passes(&then(&[
            at(4, 5, Call::Read, Effect::Found(Some(1))),
            at(6, 7, Call::Read, Effect::Found(Some(2))),
            at(8, 9, swap(1, 3), Effect::Conflict),
        ]));
        fails(&then(&[at(4, 5, Call::Read, Effect::Found(Some(2))), at(6, 7, Call::Read, Effect::Found(Some(1)))]));
        fails(&then(&[at(4, 5, swap(1, 3), Effect::Done), at(6, 7, Call::Read, Effect::Found(Some(2)))]));
        // Nor before it began.
        fails(&[
            at(0, 1, Call::Create(1), Effect::Done),
            at(2, 3, Call::Read, Effect::Found(Some(2))),
            at(4, 5, swap(1, 2), Effect::Unknown),
        ]);
    }

    #[test]
    fn histories_have_a_limit() {
        let reads = [at(0, 1, Call::Read, Effect::Found(None)); MAX_REQUESTS + 1];
        passes(&reads[1..]);
        assert_eq!(check(&reads).unwrap_err(), "129 requests are too many for the search");
    }
}
