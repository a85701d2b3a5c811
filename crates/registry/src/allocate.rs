//! Values that no two objects hold at once, given to objects on their way into the store.
//!
//! What is taken is what stored objects hold, and what was given to writes that are not stored yet. Two servers over one etcd know
//! nothing of each other's writes that are not stored yet, so they may give one value twice at the same moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

use sprag_rest::{Claim, Input, Judged, Old, Read, Result, Taken};
use sprag_storage::ListOptions;

use crate::registry::Target;

/// The values of one resource that were given to writes which are on their way into the store.
#[derive(Default)]
pub(crate) struct Reservations(Mutex<State>);

#[derive(Default)]
struct State {
    held: Vec<Claim>,
    /// Number of writes that are reading the store.
    readers: usize,
    /// The values of writes that ended while others were reading what is stored, which may miss them.
    ended: Vec<Claim>,
}

impl Reservations {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> Reader<'_> {
        self.state().readers += 1;
        Reader(self)
    }
}

/// A write that is reading what is stored.
struct Reader<'a>(&'a Reservations);

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.readers -= 1;
        if state.readers == 0 {
            state.ended.clear();
        }
    }
}

/// The values that one write was given: free again, or stored, when this is dropped.
#[derive(Default)]
pub(crate) struct Reserved<'a> {
    from: Option<&'a Reservations>,
    values: Vec<Claim>,
    is_writing: bool,
}

impl Reserved<'_> {
    /// Waits for a write. One that nobody waits for any more may reach the store all the same, so its values stay reserved for as
    /// long as the server runs.
    pub(crate) async fn until<T>(&mut self, write: impl Future<Output = T>) -> T {
        self.is_writing = true;
        let outcome = write.await;
        self.is_writing = false;
        outcome
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let Some(from) = self.from.filter(|_| !self.is_writing && !self.values.is_empty()) else { return };
        let mut state = from.state();
        state.held.retain(|value| !self.values.contains(value));
        if state.readers > 0 {
            state.ended.append(&mut self.values);
        }
    }
}

impl Target<'_> {
    /// Judges an object, and reserves the values that it is given.
    pub(crate) async fn judge(
        &self,
        input: &Input<'_>,
        mut read: Read,
        old: Option<&Old>,
    ) -> Result<(Judged, Reserved<'_>)> {
        self.learn_namespace().await?;
        let Some(allocator) = self.write.allocator() else {
            return Ok((self.judge_timed(input, read, old)?, Reserved::default()));
        };
        if old.is_some_and(|old| !allocator.may_allocate(&read.object, &old.requested)) {
            return Ok((self.judge_timed(input, read, old)?, Reserved::default()));
        }
        let reader = self.installed.reservations.reader();
        read.taken = self.held().await?;
        self.judge_reserving(input, read, old, &reader)
    }

    /// The values that stored objects hold.
    async fn held(&self) -> Result<Taken> {
        let (mut held, definition) = (Taken::new(), self.definition());
        let Some(scope) = self.scope("") else { return Ok(held) };
        let page = self.registry.0.store.list(&scope, ListOptions::default()).await;
        for entry in page.map_err(|error| self.store_error(error, "list"))?.entries {
            held.extend(self.installed.cache.get(definition, &entry)?.held(definition, &entry)?);
        }
        Ok(held)
    }

    fn judge_reserving(
        &self,
        input: &Input<'_>,
        mut read: Read,
        old: Option<&Old>,
        reader: &Reader<'_>,
    ) -> Result<(Judged, Reserved<'_>)> {
        // Locked until the values are reserved, so that nobody else is given them.
        let mut state = reader.0.state();
        read.taken.extend(state.held.iter().chain(&state.ended));
        let judged = self.judge_timed(input, read, old)?;
        let values = if input.options().is_dry_run() { Vec::new() } else { judged.claimed.clone() };
        state.held.extend(&values);
        Ok((judged, Reserved { from: Some(&self.installed.reservations), values, is_writing: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(value: u128) -> Claim {
        Claim { pool: "port", value }
    }

    fn reserve(from: &Reservations, value: u128) -> Reserved<'_> {
        from.state().held.push(port(value));
        Reserved { from: Some(from), values: vec![port(value)], is_writing: false }
    }

    /// Values reserved by writes in flight, beside those in the store.
    fn known(reservations: &Reservations) -> Vec<Claim> {
        let state = reservations.state();
        state.held.iter().chain(&state.ended).copied().collect()
    }

    #[test]
    fn values_are_reserved_until_their_write_has_ended() {
        let reservations = Reservations::default();
        let (one, two) = (reserve(&reservations, 1), reserve(&reservations, 2));
        drop(one);
        assert_eq!(known(&reservations), [port(2)]);
        drop(two);
        assert_eq!(known(&reservations), []);
    }

    #[test]
    fn who_began_to_read_before_a_write_ended_knows_its_values() {
        let reservations = Reservations::default();
        let reserved = reserve(&reservations, 1);
        let (first, second) = (reservations.reader(), reservations.reader());
        drop(reserved);
        drop(first);
        assert_eq!(known(&reservations), [port(1)], "the second reader may have read before it was stored");
        drop(second);
        assert_eq!(known(&reservations), []);
    }

    #[test]
    fn a_write_that_nobody_waits_for_keeps_its_values() {
        let reservations = Reservations::default();
        let mut reserved = reserve(&reservations, 1);
        {
            let write = std::pin::pin!(reserved.until(std::future::pending::<()>()));
            let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(write.poll(&mut cx).is_pending());
        }
        drop(reserved);
        assert_eq!(known(&reservations), [port(1)]);
    }
}
