//! Stacks of calls that prediction has to return from, with common parts shared.

use std::cmp::Ordering;

use super::network::StateId;

/// The number of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackId(usize);

impl StackId {
    /// Nothing to return to. When the surroundings are ignored this stands for anything.
    pub(super) const EMPTY: StackId = StackId(0);
}

/// The position of the empty stack among others: after all states.
const BOTTOM: StateId = usize::MAX;

/// A set of stacks: for each state to return to, the stacks below it.
type Frames = Vec<(StateId, StackId)>;

/// All stacks of one prediction; equal ones have equal numbers.
pub(super) struct Stacks {
    all: Vec<Frames>,
}

impl Stacks {
    pub(super) fn new() -> Self {
        Self { all: vec![vec![(BOTTOM, StackId::EMPTY)]] }
    }

    fn add(&mut self, frames: Frames) -> StackId {
        let known = self.all.iter().position(|known| *known == frames);
        StackId(known.unwrap_or_else(|| {
            self.all.push(frames);
            self.all.len() - 1
        }))
    }

    pub(super) fn push(&mut self, below: StackId, state: StateId) -> StackId {
        self.add(vec![(state, below)])
    }

    /// The states to return to with what is below each; nothing stands for the empty stack.
    pub(super) fn frames(&self, stack: StackId) -> impl DoubleEndedIterator<Item = (Option<StateId>, StackId)> {
        self.all[stack.0].iter().map(|(state, below)| ((*state != BOTTOM).then_some(*state), *below))
    }

    /// True if the empty stack is among them.
    pub(super) fn has_bottom(&self, stack: StackId) -> bool {
        self.all[stack.0].last().is_some_and(|(state, _)| *state == BOTTOM)
    }

    /// The union of two sets of stacks. If the empty stack stands for anything, it swallows the other.
    pub(super) fn merge(&mut self, a: StackId, b: StackId, bottom_is_anything: bool) -> StackId {
        if a == b {
            return a;
        }
        if bottom_is_anything && (a == StackId::EMPTY || b == StackId::EMPTY) {
            return StackId::EMPTY;
        }
        let left = self.all[a.0].clone();
        let right = self.all[b.0].clone();
        let mut merged: Frames = Vec::with_capacity(left.len() + right.len());
        let mut left = left.as_slice();
        let mut right = right.as_slice();
        while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
            let order = first.0.cmp(&second.0);
            merged.push(match order {
                Ordering::Equal => (first.0, self.merge(first.1, second.1, bottom_is_anything)),
                Ordering::Less => *first,
                Ordering::Greater => *second,
            });
            left = if order.is_le() { left_rest } else { left };
            right = if order.is_ge() { right_rest } else { right };
        }
        merged.extend_from_slice(left);
        merged.extend_from_slice(right);
        self.add(merged)
    }
}
