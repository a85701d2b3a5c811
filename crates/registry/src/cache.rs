//! The attributes of entries that the store does not have: labels and selectable fields, by key and revision.
//!
//! The store holds and shares the bytes; this holds what selectors ask for, so that a list or a watch with a selector
//! decodes only what it sends. It is looked up by the revision that the store reports, so it is never older than
//! the store: there is nothing to wait for and nothing to invalidate. Objects are decoded on demand: parsing one again
//! costs less than keeping it in memory that nothing else uses meanwhile.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use sprag_field::quote;
use sprag_rest::selector::{FieldSelector, LabelSelector};
use sprag_rest::{ApiError, Claim, Definition, Result, Version, meta};
use sprag_storage::{Entry, Key, Revision};
use sprag_value::Value;
use sprag_value::json::{self, KnownMember};

use crate::uid::Uid;

/// Maximum number of deleted objects kept for watches that have yet to send the event.
const MAX_DELETED: usize = 1024;

/// The index of the entries of one resource.
#[derive(Default)]
pub(crate) struct Cache(RwLock<Known>);

#[derive(Default)]
struct Known {
    entries: HashMap<Key, Slot>,
    deleted: VecDeque<(Key, Revision)>,
}

/// One object as it is and, for watches, as it was before.
struct Slot {
    now: Arc<Index>,
    before: Option<Arc<Index>>,
}

/// The parts of an object that selectors and the garbage collector read. There is one for each object: what few have is apart.
pub(crate) struct Index {
    pub(crate) revision: Revision,
    pub(crate) uid: Uid,
    /// True if a delete of it has begun.
    pub(crate) deleting: bool,
    links: Option<Box<Links>>,
    asked: OnceLock<Box<Asked>>,
    /// Records whether the stored text is what encoding the object yields, and under which generation of the scheme
    /// that was found out: twice the generation and one, plus one if so; 0 if unknown.
    verbatim: AtomicU64,
}

/// Lists and labels in the metadata of an object, null where it has none.
struct Links {
    owners: Value,
    finalizers: Value,
    labels: Value,
}

/// What is found out about an object once somebody asks for it.
#[derive(Default)]
struct Asked {
    /// Values of the selectable fields.
    fields: OnceLock<Box<[VersionFields]>>,
    /// The values that no other object may hold.
    held: OnceLock<Box<[Claim]>>,
}

/// Values of the selectable fields of one version.
struct VersionFields {
    version: String,
    values: Vec<String>,
}

impl Cache {
    /// The index of an entry, computed on first use.
    pub(crate) fn get(&self, definition: &Definition, entry: &Entry) -> Result<Arc<Index>> {
        self.find(definition, entry).map(|(index, _)| index)
    }

    /// The same with the object, if that had to be decoded.
    pub(crate) fn find(&self, definition: &Definition, entry: &Entry) -> Result<(Arc<Index>, Option<Value>)> {
        if let Some(index) = self.known(entry) {
            return Ok((index, None));
        }
        let object = decode(definition, entry)?;
        Ok((self.put(entry, &object), Some(object)))
    }

    pub(crate) fn known(&self, entry: &Entry) -> Option<Arc<Index>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let slot = known.entries.get(&entry.key)?;
        let mut found = [Some(&slot.now), slot.before.as_ref()].into_iter().flatten();
        found.find(|index| index.revision == entry.revision).cloned()
    }

    /// The object of an entry, like [`decode`], with less to do if it is known that its text is what it was completed to.
    pub(crate) fn decode(&self, definition: &Definition, entry: &Entry) -> Result<Value> {
        let index = self.known(entry);
        if index.is_some_and(|index| index.verbatim(definition.scheme.generation()) == Some(true)) {
            return parse(entry);
        }
        decode(definition, entry)
    }

    /// Notes what is known of an entry that was just read or written as this object.
    pub(crate) fn put(&self, entry: &Entry, object: &Value) -> Arc<Index> {
        let index = Arc::new(Index::new(entry.revision, object));
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match known.entries.get_mut(&entry.key) {
            None => drop(known.entries.insert(entry.key.clone(), Slot { now: index.clone(), before: None })),
            Some(slot) if slot.now.revision < index.revision => {
                slot.before = Some(std::mem::replace(&mut slot.now, index.clone()));
            }
            Some(_) => {}
        }
        index
    }

    /// Forgets an object that was deleted, once watches have had the time to send the event.
    pub(crate) fn forget(&self, key: &Key, revision: Revision) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.deleted.push_back((key.clone(), revision));
        if known.deleted.len() <= MAX_DELETED {
            return;
        }
        let Some((key, revision)) = known.deleted.pop_front() else { return };
        if known.entries.get(&key).is_some_and(|slot| slot.now.revision <= revision) {
            known.entries.remove(&key);
        }
    }
}

impl Index {
    fn new(revision: Revision, object: &Value) -> Index {
        let metadata = object.get("metadata");
        let member = |name: &str| metadata.and_then(|metadata| metadata.get(name)).cloned().unwrap_or_default();
        let links =
            Links { owners: member("ownerReferences"), finalizers: member("finalizers"), labels: member("labels") };
        let has_links = !(links.owners.is_null() && links.finalizers.is_null() && links.labels.is_null());
        Index {
            revision,
            uid: Uid::from(meta::uid(object)),
            deleting: !member("deletionTimestamp").is_null(),
            links: has_links.then(|| Box::new(links)),
            asked: OnceLock::new(),
            verbatim: AtomicU64::new(0),
        }
    }

    /// The references to owners, a list.
    pub(crate) fn owners(&self) -> &Value {
        self.links.as_ref().map_or(&Value::Null, |links| &links.owners)
    }

    /// The finalizers, a list.
    pub(crate) fn finalizers(&self) -> &Value {
        self.links.as_ref().map_or(&Value::Null, |links| &links.finalizers)
    }

    pub(crate) fn labels(&self) -> &Value {
        self.links.as_ref().map_or(&Value::Null, |links| &links.labels)
    }

    fn asked(&self) -> &Asked {
        self.asked.get_or_init(Box::default)
    }

    /// Reports whether the stored text is what encoding the object yields under a generation of the scheme; nothing
    /// when that is not known.
    pub(crate) fn verbatim(&self, generation: u64) -> Option<bool> {
        let known = self.verbatim.load(Ordering::Relaxed).checked_sub(generation.wrapping_mul(2).wrapping_add(1))?;
        (known < 2).then_some(known == 1)
    }

    pub(crate) fn set_verbatim(&self, generation: u64, verbatim: bool) {
        let known = generation.wrapping_mul(2).wrapping_add(1).wrapping_add(u64::from(verbatim));
        self.verbatim.store(known, Ordering::Relaxed);
    }

    /// Reports whether selectors of a version pick this object.
    pub(crate) fn matches(
        &self,
        definition: &Definition,
        version: &str,
        entry: &Entry,
        selection: &Selection,
    ) -> Result<bool> {
        let label = |name: &str| self.labels().get(name).and_then(Value::as_str);
        if !selection.labels.matches(label) {
            return Ok(false);
        }
        let fields = if selection.needs_object() { self.fields(definition, entry)? } else { &[] };
        let values = fields.iter().find(|fields| fields.version == version).map(|fields| fields.values.as_slice());
        let field = |name: &str| match name {
            "metadata.name" => entry.key.name(),
            "metadata.namespace" => entry.key.namespace().unwrap_or_default(),
            name => {
                let selectable = definition.version(version).map(|version| version.selectable.as_slice());
                let at = selectable.unwrap_or_default().iter().position(|selectable| selectable.name == name);
                at.zip(values).and_then(|(at, values)| values.get(at)).map(String::as_str).unwrap_or_default()
            }
        };
        Ok(selection.fields.matches(field))
    }

    /// The values that no other object may hold.
    pub(crate) fn held(&self, definition: &Definition, entry: &Entry) -> Result<&[Claim]> {
        if let Some(held) = self.asked().held.get() {
            return Ok(held);
        }
        let Some(allocator) = &definition.allocator else { return Ok(&[]) };
        let object = decode(definition, entry)?;
        Ok(self.asked().held.get_or_init(|| allocator.held(&object).into()))
    }

    /// True if the values of its selectable fields are not known yet.
    pub(crate) fn lacks_fields(&self) -> bool {
        self.asked().fields.get().is_none()
    }

    /// Notes the values of its selectable fields, of the object in each version that has such.
    pub(crate) fn set_fields<'v>(&self, versions: impl IntoIterator<Item = (&'v Version, Value)>) {
        self.asked().fields.get_or_init(|| {
            versions.into_iter().map(|(version, object)| VersionFields::of(version, &object)).collect()
        });
    }

    fn fields(&self, definition: &Definition, entry: &Entry) -> Result<&[VersionFields]> {
        if let Some(fields) = self.asked().fields.get() {
            return Ok(fields);
        }
        let object = decode(definition, entry)?;
        let mut fields = Vec::new();
        for version in selectable(definition) {
            let object = definition.convert(object.clone(), &definition.storage_version, &version.name)?;
            fields.push(VersionFields::of(version, &object));
        }
        Ok(self.asked().fields.get_or_init(|| fields.into()))
    }
}

impl VersionFields {
    fn of(version: &Version, object: &Value) -> VersionFields {
        let values = version.selectable.iter().map(|field| field.value_in(object)).collect();
        VersionFields { version: version.name.clone(), values }
    }
}

/// The versions that have selectable fields.
pub(crate) fn selectable(definition: &Definition) -> impl Iterator<Item = &Version> {
    definition.versions.iter().filter(|version| !version.selectable.is_empty())
}

/// The objects that a request selects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
}

impl Selection {
    /// The one name that is selected.
    pub(crate) fn name(&self) -> Option<&str> {
        self.fields.required_value("metadata.name")
    }

    /// Reads the selectors of a request; fields must be ones that the version lets select.
    pub(crate) fn parse(definition: &Definition, version: &str, labels: &str, fields: &str) -> Result<Selection> {
        let labels = LabelSelector::parse(labels).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let fields = FieldSelector::parse(fields).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let served = definition.version(version);
        let selectable = served.map(|version| version.selectable.as_slice()).unwrap_or_default();
        // Kinds without a conversion of their own share `runtime.DefaultMetaV1FieldSelectorConversion`, which knows no scope.
        let is_own = definition.conventions.has_field_label_conversion || !selectable.is_empty();
        for term in fields.terms() {
            let name = term.field.as_str();
            let known = name == "metadata.name"
                || (name == "metadata.namespace" && (definition.namespaced() || !is_own))
                || selectable.iter().any(|field| field.name == name);
            if !known {
                return Err(ApiError::bad_request(match served {
                    Some(version) if is_own => (version.unsupported_field)(name),
                    _ => {
                        let name = quote::go(name);
                        format!(r#"{name} is not a known field selector: only "metadata.name", "metadata.namespace""#)
                    }
                }));
            }
        }
        Ok(Selection { labels, fields })
    }

    /// Picks the object of a name only, which fields may ask for but for no other.
    pub(crate) fn narrow(&mut self, name: &str) -> Result<()> {
        if self.fields.is_empty() {
            self.fields = FieldSelector::equal("metadata.name", name);
        } else if self.name() != Some(name) {
            return Err(ApiError::bad_request("fieldSelector metadata.name doesn't match requested name"));
        }
        Ok(())
    }

    /// True if what it picks by is in the objects, beyond their keys and labels.
    pub(crate) fn needs_object(&self) -> bool {
        self.fields.terms().iter().any(|term| !matches!(term.field.as_str(), "metadata.name" | "metadata.namespace"))
    }

    /// True if everything is picked.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }
}

/// The stored object in the version it is stored in, completed, with its resource version.
pub(crate) fn decode(definition: &Definition, entry: &Entry) -> Result<Value> {
    definition.present(parse(entry)?)
}

thread_local! {
    /// The objects of a resource have few managers, who own the same fields of each.
    pub(crate) static FIELDS: RefCell<KnownMember> = const { RefCell::new(KnownMember::new("fieldsV1")) };
}
/// The number of containers around the fields of a manager: the object, its metadata, the list, the manager.
pub(crate) const FIELDS_DEPTH: usize = 4;

fn parse(entry: &Entry) -> Result<Value> {
    let mut object = FIELDS
        .with_borrow_mut(|fields| json::parse_knowing(&entry.value, fields))
        .map_err(|error| ApiError::internal(format_args!("stored object {} is damaged: {error}", entry.key)))?;
    meta::set_resource_version(&mut object, entry.revision.0);
    Ok(object)
}
