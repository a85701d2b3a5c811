//! Listing objects, page by page, and deleting what a list finds.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::slice;
use std::sync::Arc;

use sprag_checks::object_meta::path_segment_flaws;
use sprag_field::quote;
use sprag_rest::{
    ApiError, Cause, Conventions, DeleteOptions, Details, ListOptions, NotConverted, Request, Result, meta,
};
use sprag_storage::{Entry, Error as StoreError, ListOptions as StoreListOptions, Page, Revision, Scope};
use sprag_value::{Object, Value};

use super::kept::Kept;
use super::listing::{Items, Listing, Made};
use crate::cache::{self, Selection};
use crate::registry::{Registry, Target};
use crate::token::{self, Continue};

pub(super) const EXPIRED: &str = "The resourceVersion for the provided list is too old.";
const EXPIRED_CONTINUE: &str = "The provided continue parameter is too old to display a consistent list result. You can \
                                start a new list without the continue parameter, or use the continue token in this response \
                                to retrieve the remainder of the results. Continuing with the provided token results in an \
                                inconsistent list - objects that were created, modified, or deleted between the time the \
                                first chunk was returned and now may show up in the list.";

/// Entries read at once while a selector filters them.
const CHUNK: usize = 500;
/// Page size of a delete of a collection.
const DELETED_AT_ONCE: i64 = 500;

/// Maximum bytes of objects that one review converts: it is several times as large in memory, and so is its answer, which may be
/// three times as long.
const REVIEW_BYTES: usize = 2 << 20;
/// A list ends with so many objects that cannot be read.
// As upstream's maxCorruptObjErrsToAggregate.
const MAX_CORRUPT: usize = 100;

/// Some objects of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The `apiVersion` of the list.
    pub api_version: String,
    /// The `kind` of the list.
    pub kind: String,
    /// The objects, sorted by namespace and name.
    pub items: Vec<Value>,
    /// The state that the list shows.
    pub resource_version: String,
    /// The continue token of the next page; empty on the last page.
    pub continue_token: String,
    /// The number of objects that follow, if known.
    pub remaining_item_count: Option<usize>,
    /// The conventions of the resource, which decide how the list is written.
    pub conventions: &'static Conventions,
}

impl List {
    /// The list as an object.
    pub fn to_value(&self) -> Value {
        let mut metadata = Object::new();
        // What is never stored has none.
        if !self.resource_version.is_empty() {
            metadata.insert("resourceVersion", self.resource_version.as_str());
        }
        if self.conventions.lists_always_say_continue || !self.continue_token.is_empty() {
            metadata.insert("continue", self.continue_token.as_str());
        }
        if let Some(count) = self.remaining_item_count {
            metadata.insert("remainingItemCount", count);
        }
        Value::Object(Object::from([
            ("apiVersion", Value::from(self.api_version.as_str())),
            ("kind", Value::from(self.kind.as_str())),
            ("metadata", Value::Object(metadata)),
            ("items", self.items.iter().map(|item| self.item(item)).collect()),
        ]))
    }

    fn item(&self, item: &Value) -> Value {
        let mut item = item.clone();
        if !self.conventions.list_items_say_type {
            item.remove("apiVersion");
            item.remove("kind");
        }
        item
    }
}

impl Registry {
    /// The objects that the options pick.
    pub async fn list(&self, request: &Request<'_>, options: &ListOptions) -> Result<List> {
        let target = self.resolve(request)?;
        options.validate_list()?;
        if let Some(observer) = target.observer() {
            return target.observe_list(observer, options).await;
        }
        let _turn = target.conversion_turn().await;
        let (found, mut list) = target.list(options).await?;
        if let Some(converted) = target.converted(&found)? {
            list.items = converted.into_iter().map(|made| made.object).collect();
            return Ok(list);
        }
        for entry in found {
            list.items.push(target.write.requested(target.decode(&entry)?)?);
        }
        Ok(list)
    }

    /// The names and resource versions of the objects of a resource without namespaces, for those who know most of them
    /// already.
    pub async fn list_revisions(&self, request: &Request<'_>) -> Result<Vec<(String, u64)>> {
        let target = self.resolve(request)?;
        let (found, _) = target.list(&ListOptions::default()).await?;
        Ok(found.iter().map(|entry| (entry.key.name().to_owned(), entry.revision.0)).collect())
    }

    /// Deletes the objects that the list options pick; answers with them as they were before. However long that takes, no history is
    /// needed: it goes on from the last key, and leaves out what was created after it began.
    pub async fn delete_collection(
        &self,
        request: &Request<'_>,
        options: &DeleteOptions,
        list_options: &ListOptions,
    ) -> Result<Listing> {
        let target = self.resolve(request)?;
        list_options.validate_list()?;
        options.validate_for_many()?;
        let mut page_options = list_options.clone();
        if page_options.limit == 0 {
            page_options.limit = DELETED_AT_ONCE;
        }
        // The answer has the metadata of the first page.
        let (mut found, head) = target.list(&page_options).await?;
        let begun = Revision(meta::parse_revision(&head.resource_version).map_err(ApiError::unknown)?);
        page_options.continue_token.clone_from(&head.continue_token);
        let mut deleted = Vec::new();
        let mut shown = Vec::new();
        loop {
            found.retain(|entry| entry.created <= begun);
            // As upstream, which deletes nothing that it cannot show.
            let turn = target.conversion_turn().await;
            shown.extend(target.converted(&found)?.into_iter().flatten());
            drop(turn);
            for entry in found {
                self.delete_found(request, &entry, options).await?;
                self.give_way().await;
                deleted.push(entry);
            }
            if list_options.limit > 0 || page_options.continue_token.is_empty() {
                let deleted: Vec<Kept> = deleted.into_iter().map(Kept::owned).collect();
                let items =
                    if shown.is_empty() { Items::Stored(deleted.into_iter()) } else { Items::Made(shown.into_iter()) };
                return Ok(Listing::of(target.installed.clone(), request.version, head, items));
            }
            page_options.resource_version.clear();
            page_options.resource_version_match.clear();
            page_options.continue_token = token::at_newest(&page_options.continue_token)?;
            let (next, page) = target.list(&page_options).await?;
            (found, page_options.continue_token) = (next, page.continue_token);
        }
    }

    /// Deletes an object that a list found; it may be gone.
    async fn delete_found(&self, request: &Request<'_>, entry: &Entry, options: &DeleteOptions) -> Result<()> {
        let key = &entry.key;
        let one = Request { namespace: key.namespace().unwrap_or_default(), name: key.name(), ..*request };
        match self.delete_as(&one, options, "").await {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }
}

impl Target<'_> {
    /// Objects in the version of the request, converted all at once; nothing where that takes nobody else.
    pub(super) fn converted(&self, entries: &[Arc<Entry>]) -> Result<Option<Vec<Made>>> {
        let definition = self.definition();
        let version = self.write.request.version;
        if !definition.converts_remotely(&definition.storage_version, version) {
            return Ok(None);
        }
        let mut made = Vec::with_capacity(entries.len());
        let mut failures = Vec::new();
        let mut rest = entries;
        while let Some(of_review) = rest.split_off(..review_len(rest)).filter(|of_review| !of_review.is_empty()) {
            let failed = match self.convert_all(of_review, version)? {
                Ok(converted) => {
                    made.extend(converted);
                    continue;
                }
                Err(failed) => failed,
            };
            // As upstream's storage, which converts one object after the other and tells which of them fail. Where nobody answers, so would
            // it be for each of them.
            let mut unreachable = failed.is_unreachable.then_some(failed.error);
            for entry in of_review {
                let outcome = match &unreachable {
                    Some(error) => Err(NotConverted { error: error.clone(), is_unreachable: true }),
                    None => self.convert_all(slice::from_ref(entry), version)?,
                };
                match outcome {
                    Ok(converted) => made.extend(converted),
                    Err(NotConverted { error, is_unreachable }) => {
                        let namespace = entry.key.namespace().unwrap_or_default();
                        let name = entry.key.name();
                        failures.push(definition.corrupt("/registry", namespace, name, entry.revision.0, &error));
                        unreachable = is_unreachable.then_some(error);
                    }
                }
                if failures.len() >= MAX_CORRUPT {
                    return Err(self.corrupt_list(&failures));
                }
            }
        }
        if failures.is_empty() { Ok(Some(made)) } else { Err(self.corrupt_list(&failures)) }
    }

    /// Objects in a version, converted by one review.
    fn convert_all(
        &self,
        entries: &[Arc<Entry>],
        version: &str,
    ) -> Result<std::result::Result<Vec<Made>, NotConverted<ApiError>>> {
        let definition = self.definition();
        let stored = entries.iter().map(|entry| self.decode(entry)).collect::<Result<Vec<Value>>>()?;
        let converted = definition.convert_all(stored, &definition.storage_version, version);
        let made = |(mut object, entry): (Value, &Arc<Entry>)| {
            meta::set_resource_version(&mut object, entry.revision.0);
            Made { object, bytes: entry.value.len() }
        };
        Ok(converted.map(|converted| converted.into_iter().zip(entries).map(made).collect()))
    }

    /// The error of a list with objects that cannot be read.
    // As upstream's aggregatedStorageError.
    fn corrupt_list(&self, failures: &[String]) -> ApiError {
        let resource = &self.definition().resource;
        let first = failures.first().map(String::as_str).unwrap_or_default();
        let more = if failures.len() > 1 { format!(" (and {} more)", failures.len() - 1) } else { String::new() };
        let message = format!("failed to read one or more {resource} from the storage: {first}{more}");
        let cause = |reason: &str, message: &str| Cause {
            reason: reason.to_owned().into(),
            message: message.into(),
            ..Cause::default()
        };
        let causes = failures.iter().map(|failure| cause("UnexpectedServerResponse", failure));
        let too_many = cause("FieldValueTooMany", "too many errors, the list is truncated");
        let details = Details {
            name: "list".to_owned(),
            group: resource.group.clone(),
            kind: resource.resource.clone(),
            causes: causes.chain((failures.len() >= MAX_CORRUPT).then_some(too_many)).collect(),
            ..Details::default()
        };
        ApiError::new(500, "StorageReadError", message, Some(details))
    }

    /// The entries that the options pick, and the list that they go into.
    pub(crate) async fn list(&self, options: &ListOptions) -> Result<(Vec<Arc<Entry>>, List)> {
        let ListOptions { label_selector, field_selector, .. } = options;
        let selection =
            Selection::parse(self.definition(), self.write.request.version, label_selector, field_selector)?;
        self.list_selected(options, &selection).await
    }

    /// The same with selectors that have been read.
    pub(crate) async fn list_selected(
        &self,
        options: &ListOptions,
        selection: &Selection,
    ) -> Result<(Vec<Arc<Entry>>, List)> {
        let definition = self.definition();
        let mut list = self.empty_list();
        // A selector of one namespace makes the list one of that namespace; keys of others are not even looked at.
        let namespace = match self.write.namespace() {
            "" => selection.fields.required_value("metadata.namespace").unwrap_or_default(),
            namespace => namespace,
        };
        let reach = self.reach(options, selection, namespace);
        let start = self.start(options, reach).await?;
        let Some(scope) = self.scope(namespace) else {
            list.resource_version = self.revision().await?.to_string();
            return Ok((Vec::new(), list));
        };
        // Nobody who takes any state gets it in parts (`cacher.computeListLimit`), nor anybody who asks for one object.
        let takes_any = options.resource_version == "0";
        let comes_whole = reach == Reach::One || (takes_any && definition.is_cached);
        let limit = if comes_whole { 0 } else { options.limit };
        let found = self.collect(&scope, selection, limit, start, &mut list).await?;
        Ok((found, list))
    }

    /// A list without anything in it.
    pub(super) fn empty_list(&self) -> List {
        let definition = self.definition();
        List {
            api_version: self.write.api_version().to_owned(),
            kind: definition.list_kind.clone(),
            items: Vec::new(),
            resource_version: String::new(),
            continue_token: String::new(),
            remaining_item_count: None,
            conventions: definition.conventions,
        }
    }

    /// Tells a read of one object by its key from a list, as upstream does.
    fn reach(&self, options: &ListOptions, selection: &Selection, namespace: &str) -> Reach {
        let name = selection.name().filter(|_| options.continue_token.is_empty());
        let has_key = !self.definition().namespaced() || !namespace.is_empty();
        if has_key && name.is_some_and(|name| path_segment_flaws(name).is_empty()) { Reach::One } else { Reach::Many }
    }

    async fn collect(
        &self,
        scope: &Scope,
        selection: &Selection,
        limit: i64,
        start: Continue,
        list: &mut List,
    ) -> Result<Vec<Arc<Entry>>> {
        let wanted = usize::try_from(limit).ok().filter(|limit| *limit > 0);
        let after = start.after().and_then(|below| scope.key(below).ok());
        // A place where no object of the list can be is that of another list, or of nobody's making.
        let from = start.from.as_deref().filter(|_| after.is_none());
        let takes_all = selection.is_empty() && from.is_none();
        let chunk = wanted.map(|wanted| if takes_all { wanted } else { CHUNK.max(wanted) });
        let mut options = StoreListOptions { limit: chunk.and_then(NonZeroUsize::new), after, at: start.at };
        let mut found = Vec::new();
        loop {
            let page = self.page(scope, options.clone(), &start).await?;
            list.resource_version = page.revision.to_string();
            let last = page.entries.last().cloned();
            let is_before = |entry: &Entry| from.is_some_and(|from| scope.below(&entry.key) < Some(from));
            let skipped = page.entries.partition_point(|entry| is_before(entry));
            // Objects that nobody has selected from yet are decoded for it.
            let work = if selection.is_empty() { 0 } else { bytes(&page) };
            let pick = async { self.pick(selection, &page, skipped, wanted, &mut found) };
            let full = self.heavy(work, pin!(pick)).await?;
            if let Some(more) = full {
                let below = scope.below(&more.last.key).unwrap_or_default();
                list.continue_token = token::encode(page.revision, below);
                list.remaining_item_count = selection.is_empty().then_some(more.rest);
                return Ok(found);
            }
            let Some(last) = last.filter(|_| page.remaining > 0) else { return Ok(found) };
            options.after = Some(last.key.clone());
            options.at = Some(page.revision);
        }
    }

    /// Takes what the selection picks of a page; says where it stopped if there may be more than was wanted.
    fn pick(
        &self,
        selection: &Selection,
        page: &Page,
        skipped: usize,
        wanted: Option<usize>,
        found: &mut Vec<Arc<Entry>>,
    ) -> Result<Option<More>> {
        self.convert_fields(selection, &page.entries[skipped..])?;
        for (at, entry) in page.entries.iter().enumerate().skip(skipped) {
            if !self.picks(selection, entry)? {
                continue;
            }
            found.push(entry.clone());
            let rest = page.remaining + page.entries.len() - at - 1;
            if wanted == Some(found.len()) && rest > 0 {
                return Ok(Some(More { last: entry.clone(), rest }));
            }
        }
        Ok(None)
    }

    /// Has a webhook convert objects whose fields are selected by, and are not known yet: many in one call.
    fn convert_fields(&self, selection: &Selection, entries: &[Arc<Entry>]) -> Result<()> {
        let definition = self.definition();
        if !selection.needs_object() || !definition.scheme.converts_remotely() {
            return Ok(());
        }
        let mut unknown = Vec::new();
        for entry in entries {
            if self.installed.cache.get(definition, entry)?.lacks_fields() {
                unknown.push(entry.clone());
            }
        }
        let mut rest = unknown.as_slice();
        while let Some(of_review) = rest.split_off(..review_len(rest)).filter(|of_review| !of_review.is_empty()) {
            let mut converted = Vec::new();
            for version in cache::selectable(definition) {
                let objects = self.convert_all(of_review, &version.name)?.map_err(|failed| failed.error)?;
                converted.push((version, objects.into_iter()));
            }
            for entry in of_review {
                let index = self.installed.cache.get(definition, entry)?;
                index.set_fields(
                    converted.iter_mut().filter_map(|(version, objects)| Some((*version, objects.next()?.object))),
                );
            }
        }
        Ok(())
    }

    fn picks(&self, selection: &Selection, entry: &Arc<Entry>) -> Result<bool> {
        if selection.is_empty() {
            return Ok(true);
        }
        let index = self.installed.cache.get(self.definition(), entry)?;
        index.matches(self.definition(), self.write.request.version, entry, selection)
    }

    async fn page(&self, scope: &Scope, options: StoreListOptions, start: &Continue) -> Result<Page> {
        self.registry.0.store.list(scope, options).await.map_err(|error| match (error, &start.from) {
            (StoreError::Gone { .. }, None) => ApiError::expired(EXPIRED),
            (StoreError::Gone { .. }, Some(from)) => {
                ApiError::expired(EXPIRED_CONTINUE).with_continue(token::encode_inconsistent(from))
            }
            (error, _) => self.store_error(error, "list"),
        })
    }

    pub(crate) async fn revision(&self) -> Result<Revision> {
        self.registry.0.store.revision().await.map_err(|error| self.store_error(error, "list"))
    }

    /// The start key and the revision of a list.
    async fn start(&self, options: &ListOptions, reach: Reach) -> Result<Continue> {
        if !options.continue_token.is_empty() {
            let start = token::decode(&options.continue_token)?;
            if !matches!(options.resource_version.as_str(), "" | "0") {
                return Err(ApiError::bad_request("specifying resource version is not allowed when using continue"));
            }
            return Ok(start);
        }
        if matches!(options.resource_version.as_str(), "" | "0") {
            return Ok(Continue::default());
        }
        let requested = meta::parse_revision(&options.resource_version).map_err(|error| {
            let version = quote::go(&options.resource_version);
            ApiError::bad_request(format!(
                "invalid resource version: resourceVersion: Invalid value: {version}: {error}"
            ))
        })?;
        self.check_reached(requested).await?;
        // Upstream takes a limit with a resource version as a wish for that very state.
        let limited = reach == Reach::Many && options.limit > 0 && options.resource_version_match.is_empty();
        let exact = options.is_exact() || limited;
        Ok(Continue { at: exact.then_some(Revision(requested)), ..Continue::default() })
    }
}

/// The extent of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The object with the name that is asked for.
    One,
    /// All objects.
    Many,
}

/// The end of a page that is not the last.
struct More {
    last: Arc<Entry>,
    /// The number of entries that follow.
    rest: usize,
}

/// The number of entries that are converted by one review: at least one of those there are.
fn review_len(entries: &[Arc<Entry>]) -> usize {
    let mut bytes = 0;
    let more = entries.iter().skip(1).take_while(|entry| {
        bytes += entry.value.len();
        bytes <= REVIEW_BYTES
    });
    more.count() + usize::from(!entries.is_empty())
}

fn bytes(page: &Page) -> usize {
    page.entries.iter().map(|entry| entry.value.len()).sum()
}
