//! A list that is read in pieces, so that it is never in memory as a whole.

use std::sync::Arc;

use bytes::Bytes;
use sprag_rest::{ListOptions, Request, Result};
use sprag_value::Value;
use sprag_value::json::{Escape, write_string, write_value};

use super::HEAVY_BYTES;
use super::kept::{self, Kept, MADE_PER_BYTE};
use super::list::List;
use crate::encoded;
use crate::registry::{Installed, Registry};

/// About as many bytes as a resource version adds to a stored object.
const VERSION_BYTES: usize = 40;
/// Bytes left free before a text, so that it does not begin where a page of memory does. Encrypted records do, a few bytes behind
/// their start, and processors take ten times as long for a copy whose target is that little ahead of its source modulo 4096.
const OFF_PAGE: usize = 128;
/// About as many bytes as a list has beside its items.
const HEAD_BYTES: usize = 512;

/// The objects that a list found, as the store holds them: nothing is copied or decoded before it is asked for. It ends with an
/// error when the store has dropped what is yet to be read.
#[derive(Clone)]
pub struct Listing {
    installed: Arc<Installed>,
    version: String,
    head: List,
    items: Items,
    text: Stage,
}

/// The objects not yet read.
#[derive(Clone)]
pub(super) enum Items {
    /// As the store holds them.
    Stored(std::vec::IntoIter<Kept>),
    /// Complete: converted by a webhook, or observed and never stored.
    Made(std::vec::IntoIter<Made>),
}

/// An object that is complete, and about as many bytes as its text has.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) object: Value,
    pub(super) bytes: usize,
}

/// The encoding progress of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Head,
    FirstItem,
    Items,
    Done,
}

impl Registry {
    /// The objects that the options pick, to be read in pieces.
    pub async fn listing(&self, request: &Request<'_>, options: &ListOptions) -> Result<Listing> {
        let target = self.resolve(request)?;
        options.validate_list()?;
        if let Some(observer) = target.observer() {
            let mut head = target.observe_list(observer, options).await?;
            let made = |object: Value| Made { bytes: encoded::encode(&object).len(), object };
            let made: Vec<Made> = std::mem::take(&mut head.items).into_iter().map(made).collect();
            return Ok(Listing::of(target.installed.clone(), request.version, head, Items::Made(made.into_iter())));
        }
        let _turn = target.conversion_turn().await;
        let (found, head) = target.list(options).await?;
        let items = match target.converted(&found)? {
            Some(converted) => Items::Made(converted.into_iter()),
            None => Items::Stored(kept::keep(&*self.0.store, found).into_iter()),
        };
        Ok(Listing::of(target.installed.clone(), request.version, head, items))
    }

    /// The objects that the options pick as one text, which costs no decoding where objects are as they were stored.
    pub async fn list_encoded(&self, request: &Request<'_>, options: &ListOptions) -> Result<Bytes> {
        let mut listing = self.listing(request, options).await?;
        Ok(listing.next_text(usize::MAX)?.unwrap_or_default())
    }
}

impl Listing {
    pub(super) fn of(installed: Arc<Installed>, version: &str, head: List, items: Items) -> Listing {
        Listing { installed, version: version.to_owned(), head, items, text: Stage::Head }
    }

    /// The list without its items.
    pub fn head(&self) -> &List {
        &self.head
    }

    /// The size of the objects not yet read.
    pub fn bytes(&self) -> usize {
        self.bytes_up_to(usize::MAX)
    }

    /// The memory that the objects take which are yet to be read, beside that of the store.
    pub fn owned_bytes(&self) -> usize {
        match &self.items {
            Items::Stored(entries) => entries.as_slice().iter().map(Kept::owned_bytes).sum(),
            Items::Made(made) => made.as_slice().iter().map(|made| made.bytes * MADE_PER_BYTE).sum(),
        }
    }

    /// The bytes of the next objects, of about so many bytes or one object more.
    pub fn next_bytes(&self, bytes: usize) -> usize {
        self.bytes_up_to(bytes)
    }

    /// The bytes of those among them that are large and must be decoded or encoded to be shown as text.
    pub fn next_work(&self, bytes: usize) -> usize {
        match &self.items {
            Items::Stored(entries) => entries
                .as_slice()
                .iter()
                .take(count_up_to(bytes, entries.as_slice().iter().map(|entry| entry.bytes)))
                .filter(|entry| entry.bytes >= HEAVY_BYTES)
                .filter_map(Kept::get)
                .map(|entry| self.installed.decoded_for_text(&self.version, &entry))
                .sum(),
            Items::Made(_) => self.bytes_up_to(bytes),
        }
    }

    /// The next piece of the list as text, of about so many bytes or one object more; none at its end.
    pub fn next_text(&mut self, bytes: usize) -> Result<Option<Bytes>> {
        if self.text == Stage::Done {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(OFF_PAGE + self.bytes_up_to(bytes) + HEAD_BYTES);
        out.resize(OFF_PAGE, 0);
        if self.text == Stage::Head {
            out.extend_from_slice(self.frame().0.as_bytes());
            self.text = Stage::FirstItem;
        }
        let type_text = self.type_text();
        while out.len() - OFF_PAGE < bytes {
            if self.items.is_empty() {
                out.extend_from_slice(self.frame().1.as_bytes());
                self.text = Stage::Done;
                break;
            }
            if self.text == Stage::Items {
                out.push(b',');
            }
            self.text = Stage::Items;
            let start = out.len() + 1;
            match &mut self.items {
                Items::Stored(entries) => {
                    let Some(entry) = entries.next() else { break };
                    let entry = entry.take()?;
                    self.installed.render(&self.version, &entry, entry.revision, &mut out)?;
                }
                Items::Made(made) => {
                    out.extend(made.next().map(|made| encoded::encode(&made.object)).unwrap_or_default());
                }
            }
            if !self.head.conventions.list_items_say_type && out[start..].starts_with(type_text.as_bytes()) {
                out.drain(start..start + type_text.len());
            }
        }
        Ok(Some(Bytes::from(out).slice(OFF_PAGE..)))
    }

    /// The next objects, of about so many bytes; none at the end of the list.
    pub fn next_items(&mut self, bytes: usize) -> Result<Vec<Value>> {
        let definition = &self.installed.definition;
        let mut items = Vec::new();
        let mut taken = 0;
        while taken < bytes {
            match &mut self.items {
                Items::Stored(entries) => {
                    let Some(entry) = entries.next() else { break };
                    let entry = entry.take()?;
                    taken += entry.value.len();
                    let object = self.installed.cache.decode(definition, &entry)?;
                    items.push(definition.convert(object, &definition.storage_version, &self.version)?);
                }
                Items::Made(made) => {
                    let Some(made) = made.next() else { break };
                    taken += made.bytes;
                    items.push(made.object);
                }
            }
        }
        Ok(items)
    }

    /// The bytes of the next objects, up to a limit and the object that goes past it.
    fn bytes_up_to(&self, limit: usize) -> usize {
        match &self.items {
            Items::Stored(entries) => up_to(limit, entries.as_slice().iter().map(|entry| entry.bytes)),
            Items::Made(made) => up_to(limit, made.as_slice().iter().map(|made| made.bytes)),
        }
    }

    /// The texts before and after the items. Members of a list of a built-in kind have the order of upstream's Go types; a
    /// list of custom resources is a map there, and sorted.
    fn frame(&self) -> (String, String) {
        let list = self.head.to_value();
        let is_map = self.head.conventions.list_items_say_type;
        let (before, after): (&[&str], &[&str]) = if is_map {
            (&["apiVersion", "items"], &["kind", "metadata"])
        } else {
            (&["kind", "apiVersion", "metadata", "items"], &[])
        };
        let mut head = members_text(&list, before);
        // The list has no items of its own, so this is how it ends.
        head.truncate(head.strip_suffix("]}").map_or(head.len(), str::len));
        let after = members_text(&list, after);
        let tail = if is_map { format!("],{}", after.trim_start_matches('{')) } else { "]}".to_owned() };
        (head, tail)
    }

    /// The members that say the type of an object, which items of lists may leave out.
    fn type_text(&self) -> String {
        let definition = &self.installed.definition;
        format!(r#""apiVersion":"{}","kind":"{}","#, self.head.api_version, definition.kind)
    }
}

/// Some members of a list as an object in this order. Metadata of a Go type has an order of its own.
fn members_text(list: &Value, names: &[&str]) -> String {
    let mut out = String::new();
    let mut separator = '{';
    for name in names {
        let Some(member) = list.get(name) else { continue };
        out.push(separator);
        separator = ',';
        write_string(&mut out, name, Escape::Plain);
        out.push(':');
        if *name == "metadata" && names.contains(&"items") {
            out.push_str(&members_text(member, &["resourceVersion", "continue", "remainingItemCount"]));
        } else {
            write_value(&mut out, member, Escape::Plain);
        }
    }
    out.push_str(if separator == '{' { "{}" } else { "}" });
    out
}

impl Items {
    fn is_empty(&self) -> bool {
        match self {
            Items::Stored(entries) => entries.as_slice().is_empty(),
            Items::Made(made) => made.as_slice().is_empty(),
        }
    }
}

/// The sum of sizes, each with its resource version, up to a limit and the one that goes past it.
fn up_to(limit: usize, sizes: impl Iterator<Item = usize>) -> usize {
    taken_up_to(limit, sizes).1
}

/// The number of sizes in that sum.
fn count_up_to(limit: usize, sizes: impl Iterator<Item = usize>) -> usize {
    taken_up_to(limit, sizes).0
}

fn taken_up_to(limit: usize, sizes: impl Iterator<Item = usize>) -> (usize, usize) {
    let mut taken = (0, 0);
    for size in sizes {
        if taken.1 >= limit {
            break;
        }
        taken = (taken.0 + 1, taken.1 + size + VERSION_BYTES);
    }
    taken
}
