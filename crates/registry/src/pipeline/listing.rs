//! A list that is read in pieces, so that it is never in memory as a whole.

use std::sync::Arc;

use bytes::Bytes;
use sprag_rest::{ListOptions, Request, Result, meta};
use sprag_storage::Entry;
use sprag_value::Value;

use super::list::List;
use crate::encoded;
use crate::registry::{Installed, Registry};

/// About as many bytes as a resource version adds to a stored object.
const VERSION_BYTES: usize = 40;
/// About as many bytes as a list has beside its items.
const HEAD_BYTES: usize = 512;

/// The objects that a list found, as the store holds them: nothing is copied or decoded before it is asked for.
#[derive(Clone)]
pub struct Listing {
    installed: Arc<Installed>,
    version: String,
    head: List,
    entries: std::vec::IntoIter<Arc<Entry>>,
    /// The objects of the entries, where others have converted them.
    converted: Option<std::vec::IntoIter<Value>>,
    text: Stage,
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
        let (found, head) = target.list(options).await?;
        let converted = target.converted(&found)?.map(Vec::into_iter);
        Ok(Listing { converted, ..Listing::new(target.installed.clone(), request.version, head, found) })
    }

    /// The objects that the options pick as one text, which costs no decoding where objects are as they were stored.
    pub async fn list_encoded(&self, request: &Request<'_>, options: &ListOptions) -> Result<Bytes> {
        let mut listing = self.listing(request, options).await?;
        Ok(listing.next_text(usize::MAX)?.unwrap_or_default())
    }
}

impl Listing {
    pub(super) fn new(installed: Arc<Installed>, version: &str, head: List, entries: Vec<Arc<Entry>>) -> Listing {
        let (version, entries) = (version.to_owned(), entries.into_iter());
        Listing { installed, version, head, entries, converted: None, text: Stage::Head }
    }

    /// The list without its items.
    pub fn head(&self) -> &List {
        &self.head
    }

    /// The size of the objects not yet read.
    pub fn bytes(&self) -> usize {
        self.entries.as_slice().iter().map(|entry| entry.value.len() + VERSION_BYTES).sum()
    }

    /// The next piece of the list as text, of about so many bytes or one object more; none at its end.
    pub fn next_text(&mut self, bytes: usize) -> Result<Option<Bytes>> {
        if self.text == Stage::Done {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(self.bytes_up_to(bytes) + HEAD_BYTES);
        if self.text == Stage::Head {
            out.extend_from_slice(self.head_text().as_bytes());
            self.text = Stage::FirstItem;
        }
        let type_text = self.type_text();
        while out.len() < bytes {
            let Some(entry) = self.entries.next() else {
                out.extend_from_slice(b"]}");
                self.text = Stage::Done;
                break;
            };
            if self.text == Stage::Items {
                out.push(b',');
            }
            self.text = Stage::Items;
            let start = out.len() + 1;
            match self.converted.as_mut().and_then(Iterator::next) {
                Some(mut object) => {
                    meta::set_resource_version(&mut object, entry.revision.0);
                    out.extend_from_slice(&encoded::encode(&object));
                }
                None => self.installed.render(&self.version, &entry, entry.revision, &mut out)?,
            }
            if !self.head.conventions.list_items_say_type && out[start..].starts_with(type_text.as_bytes()) {
                out.drain(start..start + type_text.len());
            }
        }
        Ok(Some(out.into()))
    }

    /// The next objects, of about so many bytes; none at the end of the list.
    pub fn next_items(&mut self, bytes: usize) -> Result<Vec<Value>> {
        let definition = &self.installed.definition;
        let (mut items, mut taken) = (Vec::new(), 0);
        while taken < bytes {
            let Some(entry) = self.entries.next() else { break };
            taken += entry.value.len();
            if let Some(mut object) = self.converted.as_mut().and_then(Iterator::next) {
                meta::set_resource_version(&mut object, entry.revision.0);
                items.push(object);
                continue;
            }
            let object = self.installed.cache.decode(definition, &entry)?;
            items.push(definition.convert(object, &definition.storage_version, &self.version)?);
        }
        Ok(items)
    }

    /// The bytes of the next objects, up to a limit and the object that goes past it.
    fn bytes_up_to(&self, limit: usize) -> usize {
        let mut bytes = 0;
        for entry in self.entries.as_slice() {
            if bytes >= limit {
                break;
            }
            bytes += entry.value.len() + VERSION_BYTES;
        }
        bytes
    }

    /// The text before the first item.
    fn head_text(&self) -> String {
        let mut text = String::new();
        encoded::write(&self.head.to_value(), &mut text);
        // The list has no items of its own, so this is how it ends.
        text.truncate(text.strip_suffix("]}").map_or(text.len(), str::len));
        text
    }

    /// The members that say the type of an object, which items of lists may leave out.
    fn type_text(&self) -> String {
        let definition = &self.installed.definition;
        format!(r#""apiVersion":"{}","kind":"{}","#, self.head.api_version, definition.kind)
    }
}
