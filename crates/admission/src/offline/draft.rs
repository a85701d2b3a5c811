//! A store whose writes can be forgotten: while a thread drafts, it reads and writes one object of its own.

use std::cell::RefCell;
use std::sync::Arc;

use bytes::Bytes;
use sprag_storage::{Event, Found, Key, Layer, Memory, Reply, Store, Write};
use sprag_value::{Value, json};

/// The scratch state of a thread.
struct Draft {
    store: Arc<Memory>,
    /// The object that is there before, if any.
    key: Option<Key>,
}

thread_local! {
    static DRAFT: RefCell<Option<Draft>> = const { RefCell::new(None) };
}

/// Does work whose writes are forgotten afterwards. It finds this object, and no other version of it.
pub(super) fn drafting<T>(stored: Option<(Key, Value)>, work: impl FnOnce() -> T) -> T {
    let store = Arc::new(Memory::new());
    let key = stored.and_then(|(key, object)| {
        let text = Bytes::from(json::to_string(&object));
        store.write(Write::create(key.clone(), text)).wait().ok().map(|_| key)
    });
    DRAFT.set(Some(Draft { store, key }));
    let done = work();
    DRAFT.set(None);
    done
}

/// A store in memory.
#[derive(Default)]
pub(super) struct DraftStore {
    store: Memory,
}

impl Layer for DraftStore {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    fn on_get<'a>(&'a self, key: &'a Key) -> Reply<'a, Found> {
        let drafted = DRAFT.with_borrow(|draft| {
            let draft = draft.as_ref().filter(|draft| draft.key.as_ref() == Some(key))?;
            Some(draft.store.get(key).wait())
        });
        drafted.map_or_else(|| self.store.get(key), Reply::ready)
    }

    fn on_write(&self, write: Write) -> Reply<'_, Event> {
        match DRAFT.with_borrow(|draft| draft.as_ref().map(|draft| draft.store.clone())) {
            Some(store) => Reply::ready(store.write(write).wait()),
            None => self.store.write(write),
        }
    }
}
