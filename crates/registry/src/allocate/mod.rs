//! Values that no two objects hold at once, given to objects on their way into the store.
//!
//! That a value is taken is recorded in the store before the object that holds it is stored, and until it is gone:
//!
//! ```text
//!  judge with what is known to be taken ─► record ─► validating plug-ins ─► store the object ─► erase records of values it let go
//!              ▲                              │                                 │
//!              └────── somebody has it ◄──────┘        erase the new records ◄──┘ it was not stored
//! ```
//!
//! A server that dies in between leaves records that nobody needs, which [`AllocationRepair`] erases; it also makes those that are missing.
// As upstream's storage.Allocators with ipallocator.MetaAllocator and portallocator.

mod numbers;
mod repair;

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sprag_rest::{
    Allocator, ApiError, Claim, DeleteOptions, Hints, Input, Judged, MAX_HINTS, Old, Read, Record, Records, Request,
    Result, Taken, User, WriteOptions, meta,
};
use sprag_storage::{Entry, Error as StoreError, Key, ListOptions, Revision, Write as StoreWrite};
use sprag_value::Value;
use tokio::sync::Mutex;

pub use self::repair::AllocationRepair;

use crate::registry::Target;

/// After so many values that turned out to be taken, all records are read.
const BLIND_ATTEMPTS: usize = 4;
/// Records that were read within this time are not read again: in a full range, each request would read them all.
// As upstream, which looks at the cache of an informer.
const FRESH: Duration = Duration::from_secs(1);
/// Records that are held in memory at once while all are read.
const PORTION: Option<NonZeroUsize> = NonZeroUsize::new(500);
/// Maximum attempts to get a value: each one but the first few was lost to another write.
const MAX_ATTEMPTS: usize = 64;
/// Records may be erased when no object needed them for twice as long, so an object is not stored later than this.
const MAX_UNSTORED: Duration = Duration::from_secs(30);
/// The field manager of record objects.
const MANAGER: &str = "kube-apiserver";

/// What is known of the values that objects of a resource hold.
#[derive(Default)]
pub(crate) struct Allocations {
    hints: Hints,
    /// Held while the range object is changed, so that writes of one server do not get in each other's way.
    turn: Mutex<()>,
    /// When all records were read, and whether the hints have them all. Held while they are read: who needs them waits for it.
    listed: Mutex<Option<(Instant, bool)>>,
    /// Number of values that this server let go.
    released: AtomicU64,
}

impl Allocations {
    /// Forgets a value whose record is erased.
    fn forget(&self, claim: &Claim) {
        self.released.fetch_add(1, Ordering::SeqCst);
        self.hints.remove(claim);
    }
}

/// The values that were recorded for one write.
pub(crate) struct Reserved {
    records: BTreeMap<Claim, Revision>,
    /// The record objects among them and the epoch of the numbers, by their keys: the object is stored only while they are there.
    required: Vec<(Key, Revision)>,
    since: Instant,
    /// True if the object may be stored although the write of it failed.
    is_uncertain: bool,
}

impl Default for Reserved {
    fn default() -> Self {
        Reserved { records: BTreeMap::new(), required: Vec::new(), since: Instant::now(), is_uncertain: false }
    }
}

impl Reserved {
    /// The write of the object, which must not happen when its records are gone.
    pub(crate) fn guard(&self, write: StoreWrite) -> Result<StoreWrite> {
        if !self.records.is_empty() && self.since.elapsed() >= MAX_UNSTORED {
            return Err(too_late());
        }
        Ok(self.required.iter().fold(write, |write, (key, created)| write.requiring(key.clone(), *created)))
    }

    /// Notes how the write of the object ended.
    pub(crate) fn note<T>(&mut self, outcome: &std::result::Result<T, StoreError>) {
        match outcome {
            // The records are those of the stored object now.
            Ok(_) => self.records.clear(),
            Err(
                StoreError::Conflict { .. }
                | StoreError::Unmet
                | StoreError::TooLarge { .. }
                | StoreError::Unavailable { .. },
            ) => {}
            Err(_) => self.is_uncertain = true,
        }
    }
}

/// A write inside of another one, of which only the outer one has records.
type Boxed<'t, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 't>>;

/// The error of an object that is not stored since its records were erased, or may have been.
pub(crate) fn too_late() -> ApiError {
    ApiError::internal("the allocation of addresses and ports took too long: try again")
}

/// What became of the attempt to record values.
enum Attempt {
    Recorded(Reserved),
    /// These are taken.
    Lost(Vec<Claim>),
}

impl Target<'_> {
    /// Judges an object, and records the values that it is given.
    pub(crate) async fn judge(&self, input: &Input<'_>, read: Read, old: Option<&Old>) -> Result<(Judged, Reserved)> {
        self.learn_namespace().await?;
        let may_allocate =
            |allocator: &&dyn Allocator| old.is_none_or(|old| allocator.may_allocate(&read.object, &old.requested));
        let Some(allocator) = self.write.allocator().filter(may_allocate) else {
            return Ok((self.judge_object(input, read, old).await?, Reserved::default()));
        };
        let allocations = &self.installed.allocations;
        let is_complete = allocations.listed.try_lock().is_ok_and(|listed| is_fresh(*listed) == Some(true));
        let mut taken = Taken { hints: allocations.hints.clone(), is_complete, ..Taken::default() };
        for attempt in 1..=MAX_ATTEMPTS {
            let mut next = read.clone();
            next.taken = taken.clone();
            let judged = self.judge_object(input, next, old).await?;
            let is_stored = judged.errors.is_empty() && !input.options().is_dry_run();
            let outcome = if is_stored {
                self.record(allocator, &judged).await?
            } else {
                // Upstream allocates before it validates, so what is taken is said first.
                self.look_up(allocator, &judged).await?
            };
            match outcome {
                Attempt::Recorded(reserved) => return Ok((judged, reserved)),
                Attempt::Lost(lost) => taken.known.extend(lost),
            }
            if attempt == BLIND_ATTEMPTS {
                taken.is_complete = self.refresh_hints(allocator).await?;
            }
            self.registry.counters().count_retry();
        }
        Err(ApiError::internal("too many writes allocate addresses and ports at once: try again"))
    }

    /// The values that stored objects of the kind hold.
    pub(crate) fn held(&self, object: &Value) -> Vec<Claim> {
        self.definition().allocator.as_ref().map(|allocator| allocator.held(object)).unwrap_or_default()
    }

    /// Makes the records of a new or changed object, or none.
    async fn record(&self, allocator: &dyn Allocator, judged: &Judged) -> Result<Attempt> {
        let mut reserved = Reserved::default();
        let mut numbers = Vec::new();
        for &claim in &judged.claimed {
            let object = match allocator.record(claim, &judged.object) {
                Record::Object(object) => object,
                Record::Number(number) => {
                    numbers.push(number);
                    continue;
                }
            };
            match self.create_record(allocator.records(), object).await {
                Ok((key, revision)) => {
                    reserved.records.insert(claim, revision);
                    reserved.required.push((key, revision));
                }
                Err(error) => {
                    self.give_back(reserved).await;
                    if !error.is_already_exists() {
                        return Err(error);
                    }
                    self.installed.allocations.hints.extend([claim]);
                    return Ok(Attempt::Lost(vec![claim]));
                }
            }
        }
        match self.take_numbers(allocator, &numbers).await {
            Ok(Attempt::Recorded(taken)) => {
                reserved.records.extend(taken.records);
                reserved.required.extend(taken.required);
            }
            other => {
                self.give_back(reserved).await;
                return other;
            }
        }
        self.installed.allocations.hints.extend(reserved.records.keys().copied());
        Ok(Attempt::Recorded(reserved))
    }

    /// Tells which of the values of an object that is not stored are taken.
    async fn look_up(&self, allocator: &dyn Allocator, judged: &Judged) -> Result<Attempt> {
        let mut lost = Vec::new();
        let mut numbers = Vec::new();
        for &claim in &judged.claimed {
            match allocator.record(claim, &judged.object) {
                Record::Number(number) => numbers.push(number),
                Record::Object(object) => {
                    let user = server();
                    let request = record_request(allocator.records(), meta::name(&object), &user);
                    let found = self.registry.resolve_stored(&request)?.find(request.name, "get").await?;
                    lost.extend(found.map(|_| claim));
                }
            }
        }
        if !numbers.is_empty() {
            let taken = self.taken_numbers(allocator).await?;
            lost.extend(
                numbers.into_iter().filter(|number| taken.contains_key(number)).map(|it| allocator.numbered(it)),
            );
        }
        Ok(if lost.is_empty() { Attempt::Recorded(Reserved::default()) } else { Attempt::Lost(lost) })
    }

    /// Reads all records, one request for all that need them; returns whether there are few enough to remember all.
    async fn refresh_hints(&self, allocator: &dyn Allocator) -> Result<bool> {
        let allocations = &self.installed.allocations;
        let mut listed = allocations.listed.lock().await;
        if let Some(is_complete) = is_fresh(*listed) {
            return Ok(is_complete);
        }
        let released = allocations.released.load(Ordering::SeqCst);
        let mut claims = HashSet::new();
        let add = |entry: &Arc<Entry>| {
            claims.extend(allocator.named(entry.key.name()).filter(|_| claims.len() < MAX_HINTS));
            Ok(())
        };
        let user = server();
        let request = record_request(allocator.records(), "", &user);
        self.registry.resolve_stored(&request)?.each_entry(add).await?;
        claims.extend(self.taken_numbers(allocator).await?.keys().map(|number| allocator.numbered(*number)));
        let is_complete = claims.len() < MAX_HINTS;
        allocations.hints.replace(claims);
        // What was let go meanwhile may be among the hints.
        let is_exact = allocations.released.load(Ordering::SeqCst) == released;
        *listed = Some((Instant::now(), is_complete)).filter(|_| is_exact);
        Ok(is_complete)
    }

    /// Visits all entries of the resource, in portions, as they were at one revision.
    async fn each_entry(&self, mut visit: impl FnMut(&Arc<Entry>) -> Result<()>) -> Result<()> {
        let Some(scope) = self.scope("") else { return Ok(()) };
        let mut options = ListOptions { limit: PORTION, ..ListOptions::default() };
        loop {
            let page = self.registry.0.store.list(&scope, options.clone()).await;
            let page = page.map_err(|error| self.store_error(error, "list"))?;
            page.entries.iter().try_for_each(&mut visit)?;
            let Some(last) = page.entries.last().filter(|_| page.remaining > 0) else { return Ok(()) };
            options.after = Some(last.key.clone());
            options.at = Some(page.revision);
        }
    }

    /// Creates a record object; returns its key and its revision.
    fn create_record<'t>(&'t self, records: &'t Records, object: Value) -> Boxed<'t, (Key, Revision)> {
        Box::pin(async move {
            let user = server();
            let request = record_request(records, "", &user);
            let target = self.registry.resolve_stored(&request)?;
            let options = WriteOptions::by(MANAGER);
            let key = target.new_key(meta::name(&object))?;
            let input = target.write.create_input(object, &options)?;
            let answer = target.create_from(&input).await?;
            Ok((key, Revision(meta::resource_version(&answer.object)?)))
        })
    }

    /// Erases a record object that is at this revision; one that is not has another meaning now.
    fn erase_record<'t>(&'t self, records: &'t Records, name: &'t str, revision: Revision) -> Boxed<'t, ()> {
        Box::pin(async move {
            let user = server();
            let request = record_request(records, name, &user);
            let options = DeleteOptions { resource_version: Some(revision.to_string()), ..DeleteOptions::default() };
            let target = self.registry.resolve_stored(&request)?;
            match target.delete(name, &options, Some(name)).await {
                Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error),
                _ => Ok(()),
            }
        })
    }

    /// Erases the records of a write whose object was not stored. Those that cannot be erased now are left to the repair.
    pub(crate) async fn give_back(&self, reserved: Reserved) {
        let Some(allocator) = self.definition().allocator.as_deref().filter(|_| !reserved.is_uncertain) else { return };
        let mut numbers = BTreeMap::new();
        for (claim, revision) in reserved.records {
            match allocator.record(claim, &Value::Null) {
                Record::Number(number) => drop(numbers.insert(number, revision)),
                Record::Object(object) => {
                    let _ = self.erase_record(allocator.records(), meta::name(&object), revision).await;
                }
            }
            self.installed.allocations.forget(&claim);
        }
        let is_mine = |number: u32, since: Revision| numbers.get(&number) == Some(&since);
        if !numbers.is_empty() {
            let _ = self.drop_numbers(allocator, is_mine).await;
        }
    }

    /// Erases the records of values that a stored object let go at a revision. Records that are newer belong to another object, or to
    /// another one of this name. Those that cannot be erased now are left to the repair.
    pub(crate) async fn let_go(&self, claims: &[Claim], object: &Value, at: Revision) {
        let Some(allocator) = self.definition().allocator.as_deref().filter(|_| !claims.is_empty()) else { return };
        let mut numbers = Vec::new();
        for &claim in claims {
            match allocator.record(claim, object) {
                Record::Number(number) => numbers.push(number),
                Record::Object(record) => {
                    let _ = self.let_record_go(allocator, meta::name(&record), object, at).await;
                }
            }
            self.installed.allocations.forget(&claim);
        }
        if !numbers.is_empty() {
            let _ = self.drop_numbers(allocator, |number, since| numbers.contains(&number) && since < at).await;
        }
    }

    async fn let_record_go(&self, allocator: &dyn Allocator, name: &str, object: &Value, at: Revision) -> Result<()> {
        let user = server();
        let records = allocator.records();
        let request = record_request(records, name, &user);
        let target = self.registry.resolve_stored(&request)?;
        let Some(entry) = target.find(name, "delete").await? else { return Ok(()) };
        let is_its_own = allocator
            .holder(&target.decode(&entry)?)
            .is_some_and(|holder| holder.namespace == meta::namespace(object) && holder.name == meta::name(object));
        if is_its_own && entry.created < at {
            self.erase_record(records, name, entry.revision).await?;
        }
        Ok(())
    }
}

/// Tells if hints that were read a moment ago have all records; `None` if that was longer ago.
fn is_fresh(listed: Option<(Instant, bool)>) -> Option<bool> {
    listed.filter(|(at, _)| at.elapsed() < FRESH).map(|(_, is_complete)| is_complete)
}

/// The user who writes records.
fn server() -> User {
    User { name: "system:apiserver".into(), groups: vec!["system:masters".into()], ..User::default() }
}

fn record_request<'r>(records: &'r Records, name: &'r str, user: &'r User) -> Request<'r> {
    let Records { resource, version, .. } = records;
    Request {
        group: &resource.group,
        version,
        resource: &resource.resource,
        namespace: "",
        name,
        subresource: "",
        user,
    }
}
