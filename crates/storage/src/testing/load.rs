//! Clients that do random things and remember what they saw.

use std::num::NonZeroUsize;
use std::sync::Arc;

use bytes::Bytes;

use super::history::{History, Outcome};
use crate::{Entry, Event, Key, KeyError, ListOptions, Result, Revision, Scope, Store, Write};

/// Numbers that look random and are the same for the same seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % bound.max(1)
    }
}

/// A store whose users are watched.
#[derive(Clone)]
pub struct Recorder {
    /// The store under test.
    pub store: Arc<dyn Store>,
    /// The record of operations.
    pub history: Arc<History>,
}

impl Recorder {
    /// Remembers what is done to a store.
    pub fn new(store: Arc<dyn Store>) -> Recorder {
        Recorder { store, history: Arc::default() }
    }

    /// Writes and remembers it.
    pub async fn write(&self, write: Write) -> Result<Event> {
        let start = self.history.tick();
        let result = self.store.write(write.clone()).await;
        self.history.write(start, &write, Outcome::of(&result));
        result
    }

    /// Reads a key and remembers it, if there was an answer.
    pub async fn get(&self, key: &Key) -> Result<Option<Arc<Entry>>> {
        let start = self.history.tick();
        let found = self.store.get(key).await?;
        self.history.get(start, key.clone(), found.clone());
        Ok(found.entry)
    }

    /// Lists and remembers it, if there was an answer.
    pub async fn list(&self, scope: &Scope, limit: Option<NonZeroUsize>, after: Option<Key>) -> Result<()> {
        let start = self.history.tick();
        let options = ListOptions { limit, after: after.clone(), at: None };
        let page = self.store.list(scope, options).await?;
        self.history.list(start, scope.clone(), limit.map(NonZeroUsize::get), after, page);
        Ok(())
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("history", &self.history).finish_non_exhaustive()
    }
}

/// The keys that clients write.
#[derive(Clone, Debug)]
pub struct Load {
    keys: Vec<Key>,
    scopes: Vec<Scope>,
}

impl Load {
    /// A few keys that many clients fight over: namespaces that begin alike, and one name with and without namespace.
    pub fn new(resource: &str) -> Result<Load, KeyError> {
        let mut keys = vec![Key::cluster("", resource, "a")?];
        for namespace in ["a", "a-b", "ab"] {
            for name in ["a", "b"] {
                keys.push(Key::namespaced("", resource, namespace, name)?);
            }
        }
        let scopes = vec![
            Scope::resource("", resource)?,
            Scope::cluster("", resource)?,
            Scope::all_namespaces("", resource)?,
            Scope::namespace("", resource, "a")?,
        ];
        Ok(Load { keys, scopes })
    }

    /// Everything that is written to.
    pub fn scope(&self) -> &Scope {
        &self.scopes[0]
    }

    /// One client: does so many things, one after the other. Errors of the store are remembered and otherwise ignored.
    pub async fn run(&self, recorder: &Recorder, client: u64, operations: usize) {
        let mut random = Random::new(client);
        let mut known: Vec<Option<Revision>> = vec![None; self.keys.len()];
        for operation in 0..operations {
            let index = random.below(self.keys.len());
            let key = self.keys[index].clone();
            let value = Bytes::from(format!("{client}/{operation}"));
            let write = match (random.below(10), known[index]) {
                (0 | 1, _) => {
                    if let Ok(entry) = recorder.get(&key).await {
                        known[index] = entry.map(|entry| entry.revision);
                    }
                    continue;
                }
                (2, _) => {
                    let scope = &self.scopes[random.below(self.scopes.len())];
                    let after = (random.below(2) == 0).then(|| self.keys[random.below(self.keys.len())].clone());
                    // Without an answer there is nothing to remember.
                    let _ = recorder.list(scope, NonZeroUsize::new(random.below(4)), after).await;
                    continue;
                }
                (3, Some(revision)) => Write::delete(key, revision),
                (4.., Some(revision)) => Write::update(key, revision, value),
                (_, None) => Write::create(key, value),
            };
            match recorder.write(write).await {
                Ok(event) => known[index] = event.entry.map(|entry| entry.revision),
                Err(crate::Error::Conflict { current }) => known[index] = current.map(|entry| entry.revision),
                Err(_) => {}
            }
        }
    }
}
