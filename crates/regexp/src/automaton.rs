//! Small patterns as automata over bytes, whose states are made as texts need them.

use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_syntax::hir::Hir;
use sprag_effort::Stopped;

use crate::machine::Spend;

/// The memory that the states of one automaton may take, in bytes, for each thread that searches.
const CACHE_SIZE: usize = 256 << 10;

/// The states are made anew so often before it is asked whether that is worth it.
const REFILLS: usize = 2;

/// States that are left after fewer bytes than this cost more than they save.
const BYTES_PER_STATE: usize = 10;

type MakeCache = Box<dyn Fn() -> Cache + Send + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe>;

pub(crate) struct Automaton {
    dfa: DFA,
    caches: Pool<Cache, MakeCache>,
}

impl Automaton {
    /// Nothing for a pattern that does without an automaton.
    pub(crate) fn new(hir: &Hir) -> Option<Automaton> {
        let thompson = thompson::Config::new().which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new().configure(thompson).build_from_hir(hir).ok()?;
        let config = Config::new()
            .cache_capacity(CACHE_SIZE)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(REFILLS))
            .minimum_bytes_per_state(Some(BYTES_PER_STATE));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let of_caches = dfa.clone();
        let caches: Pool<Cache, MakeCache> = Pool::new(Box::new(move || of_caches.create_cache()));
        Some(Automaton { dfa, caches })
    }

    /// True if a text contains a match; nothing where that takes too many states to find out.
    pub(crate) fn is_match(&self, text: &str, spend: Spend) -> Result<Option<bool>, Stopped> {
        spend(text.len() as u64 / 4 + 1)?;
        let mut cache = self.caches.get();
        let before = made(&cache);
        let found = self.dfa.try_search_fwd(&mut cache, &Input::new(text).earliest(true));
        // The states of one search are bounded by the size of the cache and the refills.
        spend(made(&cache).saturating_sub(before) as u64)?;
        Ok(found.ok().map(|found| found.is_some()))
    }
}

/// The bytes of all states that were ever made.
fn made(cache: &Cache) -> usize {
    cache.clear_count() * CACHE_SIZE + cache.memory_usage()
}
