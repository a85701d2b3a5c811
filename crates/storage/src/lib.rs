//! Object stores: one trait with the semantics of etcd, and three implementations.
//!
//! | store | for |
//! |---|---|
//! | [`Memory`] | tests, and servers whose state may be lost |
//! | [`Embedded`] | one process, on disk, crash-safe |
//! | [`Etcd`] | any number of servers on one cluster |
//!
//! Does not know what an object means: values are bytes, keys are typed places.
//!
//! ```
//! use sprag_storage::{Error, Key, Memory, Store, Write};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let store = Memory::new();
//! let key = Key::namespaced("", "pods", "default", "web")?;
//! let created = store.write(Write::create(key.clone(), "one".into())).await?;
//! store.write(Write::update(key.clone(), created.revision, "two".into())).await?;
//!
//! // A write that names an older revision is refused.
//! let late = store.write(Write::update(key, created.revision, "three".into())).await;
//! assert!(matches!(late, Err(Error::Conflict { .. })), "{late:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A watch cache on top
//!
//! [`Memory`] and [`Embedded`] hold every value in memory already, and every reader shares it: [`Entry`] is behind an
//! `Arc` and its value is [`bytes::Bytes`]. A cache above keeps, per resource, what the store cannot know (labels and
//! selectable fields by key and revision) beside a clone of the `Arc`, and fans the events of one [`Watch`] per resource out
//! to its clients. It needs no copy of the bytes and no history of its own: a client that resumes from a revision gets a
//! watch of the store, which answers [`Error::Gone`] by itself. For etcd the same cache is where reads
//! become local; whether it may answer consistent reads is what [`Store::answers_progress_requests`] says.

mod clock;
mod embedded;
mod entry;
mod error;
mod etcd;
mod failures;
mod key;
mod layer;
mod memory;
mod mvcc;
mod reply;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod watch;

pub use crate::clock::{Clock, ManualClock, SystemClock};
pub use crate::embedded::{Copied, Cut, Embedded, EmbeddedOptions, Status};
pub use crate::entry::{Entry, Event, Revision};
pub use crate::error::{Error, Result};
pub use crate::etcd::{Etcd, EtcdOptions, EtcdTls, EtcdUser};
pub use crate::key::{Key, KeyError, MAX_PART_BYTES, Scope};
pub use crate::layer::Layer;
pub use crate::memory::Memory;
pub use crate::mvcc::Retention;
pub use crate::reply::Reply;
pub use crate::store::{Found, Health, HistoryHealth, ListOptions, MAX_WRITE_BYTES, Page, Store, Write};
pub use crate::watch::{Notice, Watch};
