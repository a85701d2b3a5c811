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

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::{Duration, Instant};

use sprag_rest::{
    Allocator, ApiError, Claim, DeleteOptions, Hints, Input, Judged, Old, Read, Record, Records, Request, Result,
    Taken, User, WriteOptions, meta,
};
use sprag_storage::{Error as StoreError, Key, ListOptions, Revision, Write as StoreWrite};
use sprag_value::Value;
use tokio::sync::Mutex;

pub use self::repair::AllocationRepair;

use crate::registry::Target;

/// After so many values that turned out to be taken, all records are read.
const BLIND_ATTEMPTS: usize = 4;
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
}

/// The values that were recorded for one write.
pub(crate) struct Reserved {
    records: BTreeMap<Claim, Revision>,
    /// The record objects among them, by their keys: the object is stored only while they are there.
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
        let mut taken = Taken { hints: self.installed.allocations.hints.clone(), ..Taken::default() };
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
                taken.known.extend(self.recorded(allocator).await?);
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
                    self.installed.allocations.hints.lock().insert(claim);
                    return Ok(Attempt::Lost(vec![claim]));
                }
            }
        }
        match self.take_numbers(allocator, &numbers).await {
            Ok(Attempt::Recorded(taken)) => reserved.records.extend(taken.records),
            other => {
                self.give_back(reserved).await;
                return other;
            }
        }
        self.installed.allocations.hints.lock().extend(reserved.records.keys());
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

    /// All values that are recorded.
    async fn recorded(&self, allocator: &dyn Allocator) -> Result<Vec<Claim>> {
        let user = server();
        let request = record_request(allocator.records(), "", &user);
        let target = self.registry.resolve_stored(&request)?;
        let mut claims = Vec::new();
        if let Some(scope) = target.scope("") {
            let page = self.registry.0.store.list(&scope, ListOptions::default()).await;
            let page = page.map_err(|error| target.store_error(error, "list"))?;
            claims.extend(page.entries.iter().filter_map(|entry| allocator.named(entry.key.name())));
        }
        claims.extend(self.taken_numbers(allocator).await?.keys().map(|number| allocator.numbered(*number)));
        let mut hints = self.installed.allocations.hints.lock();
        *hints = claims.iter().copied().collect();
        Ok(claims)
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
            self.installed.allocations.hints.lock().remove(&claim);
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
            self.installed.allocations.hints.lock().remove(&claim);
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
