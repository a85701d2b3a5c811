//! Small patterns as automata over bytes, whose states are made as texts need them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_syntax::hir::Hir;
use sprag_effort::Stopped;

use crate::kept::Kept;
use crate::machine::Spend;

/// The memory that the states of one automaton may take in a search, in bytes.
const CACHE_SIZE: usize = 256 << 10;

/// The states are made anew so often before it is asked whether that is worth it.
const REFILLS: usize = 2;

/// States that are left after fewer bytes than this cost more than they save.
const BYTES_PER_STATE: usize = 10;

pub(crate) struct Automaton {
    dfa: DFA,
    _kept: Kept,
    /// The states that were made so far, unless a search has them.
    states: Mutex<Option<(Cache, Kept)>>,
}

impl Automaton {
    /// Nothing for a pattern that does without an automaton, also because others take all the memory.
    pub(crate) fn new(hir: &Hir) -> Option<Automaton> {
        let thompson = thompson::Config::new().which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new().configure(thompson).build_from_hir(hir).ok()?;
        let config = Config::new()
            .cache_capacity(CACHE_SIZE)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(REFILLS))
            .minimum_bytes_per_state(Some(BYTES_PER_STATE));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let kept = Kept::new(dfa.memory_usage() + dfa.get_nfa().memory_usage())?;
        Some(Automaton { dfa, _kept: kept, states: Mutex::default() })
    }

    /// True if a text contains a match; nothing where that takes too many states to find out.
    pub(crate) fn is_match(&self, text: &str, spend: Spend) -> Result<Option<bool>, Stopped> {
        spend(text.len() as u64 / 4 + 1)?;
        let known = self.states().take().map(|(cache, _)| cache);
        let mut cache = known.unwrap_or_else(|| self.dfa.create_cache());
        let before = made(&cache);
        let found = self.dfa.try_search_fwd(&mut cache, &Input::new(text).earliest(true));
        // The states of one search are bounded by the size of the cache and the refills.
        let more = made(&cache).saturating_sub(before) as u64;
        if let Some(kept) = Kept::new(cache.memory_usage()) {
            *self.states() = Some((cache, kept));
        }
        spend(more)?;
        Ok(found.ok().map(|found| found.is_some()))
    }

    fn states(&self) -> MutexGuard<'_, Option<(Cache, Kept)>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of all states that were ever made.
fn made(cache: &Cache) -> usize {
    cache.clear_count() * CACHE_SIZE + cache.memory_usage()
}
