//! Stores around another store.

use crate::{Event, Found, Health, Key, ListOptions, Page, Reply, Revision, Scope, Store, Watch, Write};

/// A store around another one, which does all that the layer does not do itself.
pub trait Layer: Send + Sync {
    /// The store inside.
    fn inner(&self) -> &dyn Store;

    /// Takes the place of [`Store::get`].
    fn on_get<'a>(&'a self, key: &'a Key) -> Reply<'a, Found> {
        self.inner().get(key)
    }

    /// Takes the place of [`Store::write`].
    fn on_write(&self, write: Write) -> Reply<'_, Event> {
        self.inner().write(write)
    }

    /// Takes the place of [`Store::health`].
    fn on_health(&self) -> Health {
        self.inner().health()
    }
}

impl<L: Layer> Store for L {
    fn get<'a>(&'a self, key: &'a Key) -> Reply<'a, Found> {
        self.on_get(key)
    }

    fn list<'a>(&'a self, scope: &'a Scope, options: ListOptions) -> Reply<'a, Page> {
        self.inner().list(scope, options)
    }

    fn count<'a>(&'a self, scope: &'a Scope) -> Reply<'a, usize> {
        self.inner().count(scope)
    }

    fn write(&self, write: Write) -> Reply<'_, Event> {
        self.on_write(write)
    }

    fn watch(&self, scope: &Scope, after: Revision) -> Watch {
        self.inner().watch(scope, after)
    }

    fn watch_name(&self, scope: &Scope, name: &str, after: Revision) -> Watch {
        self.inner().watch_name(scope, name, after)
    }

    fn shares_entries(&self) -> bool {
        self.inner().shares_entries()
    }

    fn request_progress(&self) {
        self.inner().request_progress();
    }

    fn answers_progress_requests(&self) -> bool {
        self.inner().answers_progress_requests()
    }

    fn revision(&self) -> Reply<'_, Revision> {
        self.inner().revision()
    }

    fn compact(&self, before: Revision) -> Reply<'_, ()> {
        self.inner().compact(before)
    }

    fn health(&self) -> Health {
        self.on_health()
    }
}
