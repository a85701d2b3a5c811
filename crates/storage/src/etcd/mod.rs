//! A store in an etcd cluster, which any number of servers may share.
//!
//! Reads and writes go to whichever member answers. A write whose connection breaks on the way is
//! [`Error::Uncertain`](crate::Error::Uncertain): it is never sent twice. Watches of one resource share a stream,
//! which is opened again where it stopped.
//! Keys below the prefix that are none of ours are passed over.

mod client;
mod compact;
mod hub;
mod lease;
mod options;
mod watch;
mod wire;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::watch as latest;

pub use self::options::{EtcdOptions, EtcdTls, EtcdUser};

use self::client::{Client, Repeat};
use self::hub::Hubs;
use self::lease::Leases;
use crate::failures::Failures;
use crate::{
    Entry, Error, Event, Found, Health, Key, ListOptions, Page, Reply, Result, Revision, Scope, Store, Watch, Write,
};

/// Lists are fetched in portions of this size, so that no message is too large.
const PORTION: usize = 1000;
/// So long after a failed write the store counts as one that cannot be written. A server that is not ready gets no writes that
/// would show it to be well again.
const FAILURE_TIME: Duration = Duration::from_secs(10);

/// A store in an etcd cluster.
pub struct Etcd {
    inner: Arc<Inner>,
    hubs: Hubs,
    /// Counts requests for progress. Watches end when it is gone.
    progress: latest::Sender<u64>,
}

/// State shared by the store and its watches.
struct Inner {
    client: Client,
    prefix: String,
    leases: Leases,
    answers_progress: bool,
    failures: Failures,
    runtime: Handle,
}

impl Etcd {
    /// Connects to a cluster. Needs at least one of its servers, and a tokio runtime, which also runs the watches.
    pub async fn connect(options: &EtcdOptions) -> Result<Etcd> {
        let client = Client::new(options)?;
        let versions = client.versions().await;
        let answers_progress = versions.len() == client.servers() && versions.iter().all(|v| answers_progress(v));
        let inner = Arc::new(Inner {
            client,
            prefix: options.prefix.clone(),
            leases: Leases::default(),
            answers_progress,
            failures: Failures::default(),
            runtime: Handle::current(),
        });
        inner.revision().await?;
        if let Some(every) = options.compact_every {
            inner.runtime.spawn(compact::run(Arc::downgrade(&inner), every));
        }
        Ok(Etcd { inner, hubs: Hubs::default(), progress: latest::Sender::new(0) })
    }
}

/// True if a version of etcd keeps the order of progress and events: fixed in 3.4.31 and 3.5.13.
fn answers_progress(version: &str) -> bool {
    let numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().ok());
    match numbers.take(3).collect::<Option<Vec<_>>>().as_deref() {
        Some([3, 4, patch]) => *patch >= 31,
        Some([3, 5, patch]) => *patch >= 13,
        Some([major, minor, _]) => (*major, *minor) > (3, 5),
        _ => false,
    }
}

/// The names of a cluster's members, if it answers.
#[cfg(feature = "testing")]
pub(crate) async fn member_names(options: &EtcdOptions) -> Option<Vec<String>> {
    let client = Client::new(&EtcdOptions { timeout: std::time::Duration::from_secs(1), ..options.clone() }).ok()?;
    let path = "/etcdserverpb.Cluster/MemberList";
    let response: wire::MemberListResponse =
        client.call(path, wire::MemberListRequest {}, Repeat::Harmless).await.ok()?;
    Some(response.members.into_iter().map(|member| member.name).collect())
}

impl Inner {
    async fn revision(&self) -> Result<Revision> {
        let key = format!("{}/", self.prefix).into_bytes();
        let request = wire::RangeRequest { key, count_only: true, ..wire::RangeRequest::default() };
        let response = self.fetch(request).await?;
        Ok(revision(response.header.map_or(0, |header| header.revision)))
    }

    async fn get(&self, key: &Key) -> Result<Found> {
        let request = wire::RangeRequest { key: self.full_key(key), ..wire::RangeRequest::default() };
        let response = self.fetch(request).await?;
        let revision = revision(response.header.map_or(0, |header| header.revision));
        Ok(Found { entry: response.kvs.into_iter().find_map(|kv| self.entry(kv)), revision })
    }

    async fn count(&self, scope: &Scope) -> Result<usize> {
        let (key, range_end) = self.range(scope);
        let request = wire::RangeRequest { key, range_end, count_only: true, ..wire::RangeRequest::default() };
        Ok(usize::try_from(self.fetch(request).await?.count).unwrap_or(0))
    }

    /// Fetches a list in portions, all at the revision of the first.
    async fn list(&self, scope: &Scope, options: ListOptions) -> Result<Page> {
        let (mut key, range_end) = self.range(scope);
        if let Some(after) = &options.after {
            key = key.max(behind(self.full_key(after)));
        }
        let limit = options.limit.map_or(usize::MAX, NonZeroUsize::get);
        let mut page = Page { entries: Vec::new(), revision: options.at.unwrap_or_default(), remaining: 0 };
        loop {
            let portion = PORTION.min(limit - page.entries.len());
            let request = wire::RangeRequest {
                key: key.clone(),
                range_end: range_end.clone(),
                limit: i64::try_from(portion).unwrap_or(i64::MAX),
                revision: number(page.revision),
                count_only: false,
            };
            let response = self.fetch(request).await?;
            if page.revision == Revision::default() {
                page.revision = revision(response.header.map_or(0, |header| header.revision));
            }
            let got = response.kvs.len();
            page.remaining = usize::try_from(response.count).unwrap_or(0).saturating_sub(got);
            key = response.kvs.last().map_or(key, |kv| behind(kv.key.clone()));
            page.entries.extend(response.kvs.into_iter().filter_map(|kv| self.entry(kv)));
            if page.remaining == 0 || got == 0 || page.entries.len() >= limit {
                return Ok(page);
            }
        }
    }

    async fn fetch(&self, request: wire::RangeRequest) -> Result<wire::RangeResponse> {
        let at = revision(request.revision);
        let result = self.client.call("/etcdserverpb.KV/Range", request, Repeat::Harmless).await;
        result.map_err(|error| match error {
            Error::Gone { oldest, .. } => Error::Gone { requested: at, oldest },
            Error::Future { current, .. } => Error::Future { requested: at, current },
            error => error,
        })
    }

    async fn write(&self, write: Write) -> Result<Event> {
        write.check_size()?;
        let written = self.change(write).await;
        match &written {
            Ok(_) | Err(Error::Conflict { .. } | Error::Unmet) => self.failures.commit_worked(),
            Err(error) => self.failures.commit_failed(error, 1),
        }
        written
    }

    async fn change(&self, write: Write) -> Result<Event> {
        let lease = match write.ttl {
            Some(ttl) => self.leases.get(&self.client, ttl).await?,
            None => 0,
        };
        let response: wire::TxnResponse =
            self.client.call("/etcdserverpb.KV/Txn", self.transaction(&write, lease), Repeat::Harmful).await?;
        let at = revision(response.header.map_or(0, |header| header.revision));
        let previous = response.responses.into_iter().find_map(|op| match op.response? {
            wire::Response::Range(range) => range.kvs.into_iter().next(),
            wire::Response::Put(put) => put.prev_kv,
            wire::Response::DeleteRange(deleted) => deleted.prev_kvs.into_iter().next(),
        });
        let previous = previous.and_then(|kv| self.entry(kv));
        if !response.succeeded {
            let is_expected = previous.as_ref().map(|entry| entry.revision) == write.expected;
            return Err(if is_expected { Error::Unmet } else { Error::Conflict { current: previous } });
        }
        let created = previous.as_ref().map_or(at, |entry| entry.created);
        let key = write.key;
        let entry =
            write.value.map(|value| Arc::new(Entry { key: key.clone(), value, created, revision: at, deadline: 0 }));
        Ok(Event { revision: at, key, entry, previous })
    }

    /// Changes the key if it is as expected, else tells what it is.
    fn transaction(&self, write: &Write, lease: i64) -> wire::TxnRequest {
        let key = self.full_key(&write.key);
        // A key that does not exist was last changed at revision 0.
        let expected = wire::Target::ModRevision(number(write.expected.unwrap_or_default()));
        let change = match write.value.clone() {
            Some(value) => wire::Request::Put(wire::PutRequest { key: key.clone(), value, lease, prev_kv: true }),
            None => wire::Request::DeleteRange(wire::DeleteRangeRequest { key: key.clone(), prev_kv: true }),
        };
        let look = wire::Request::Range(wire::RangeRequest { key: key.clone(), ..wire::RangeRequest::default() });
        let mut compare = vec![wire::Compare { target: wire::Compare::MOD, key, target_union: Some(expected) }];
        compare.extend(write.required.iter().map(|(key, created)| {
            let created = wire::Target::CreateRevision(number(*created));
            wire::Compare { target: wire::Compare::CREATE, key: self.full_key(key), target_union: Some(created) }
        }));
        wire::TxnRequest {
            compare,
            success: vec![wire::RequestOp { request: Some(change) }],
            failure: vec![wire::RequestOp { request: Some(look) }],
        }
    }

    fn full_key(&self, key: &Key) -> Vec<u8> {
        format!("{}{key}", self.prefix).into_bytes()
    }

    /// The first key of a scope, and the first behind it.
    fn range(&self, scope: &Scope) -> (Vec<u8>, Vec<u8>) {
        (format!("{}{scope}", self.prefix).into_bytes(), format!("{}{}", self.prefix, scope.end()).into_bytes())
    }

    fn key(&self, full: &[u8]) -> Option<Key> {
        Key::parse(std::str::from_utf8(full).ok()?.strip_prefix(&self.prefix)?).ok()
    }

    fn entry(&self, kv: wire::KeyValue) -> Option<Arc<Entry>> {
        let key = self.key(&kv.key)?;
        let created = revision(kv.create_revision);
        let revision = revision(kv.mod_revision);
        Some(Arc::new(Entry { key, value: Bytes::from(kv.value), created, revision, deadline: 0 }))
    }
}

/// The least key greater than this one.
fn behind(mut key: Vec<u8>) -> Vec<u8> {
    key.push(0);
    key
}

fn revision(number: i64) -> Revision {
    Revision(u64::try_from(number).unwrap_or(0))
}

fn number(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}

impl Store for Etcd {
    fn get<'a>(&'a self, key: &'a Key) -> Reply<'a, Found> {
        Reply::running(self.inner.get(key))
    }

    fn list<'a>(&'a self, scope: &'a Scope, options: ListOptions) -> Reply<'a, Page> {
        Reply::running(self.inner.list(scope, options))
    }

    fn count<'a>(&'a self, scope: &'a Scope) -> Reply<'a, usize> {
        Reply::running(self.inner.count(scope))
    }

    fn write(&self, write: Write) -> Reply<'_, Event> {
        Reply::running(self.inner.write(write))
    }

    fn watch(&self, scope: &Scope, after: Revision) -> Watch {
        Watch::new(self.hubs.watch(&self.inner, scope, after, self.progress.subscribe()))
    }

    fn request_progress(&self) {
        self.progress.send_modify(|requests| *requests += 1);
    }

    fn answers_progress_requests(&self) -> bool {
        self.inner.answers_progress
    }

    fn revision(&self) -> Reply<'_, Revision> {
        Reply::running(self.inner.revision())
    }

    fn compact(&self, before: Revision) -> Reply<'_, ()> {
        Reply::running(self.inner.compact(before))
    }

    fn health(&self) -> Health {
        let failures = &self.inner.failures;
        let problem = failures.of_late_commits(FAILURE_TIME);
        Health { problem, failed_writes: failures.failed_writes(), ..Health::default() }
    }
}

impl fmt::Debug for Etcd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Etcd").field("prefix", &self.inner.prefix).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::answers_progress;

    #[test]
    fn progress_is_trusted_from_the_versions_that_fixed_it() {
        for (version, expected) in [
            ("3.4.23", false),
            ("3.4.31", true),
            ("3.5.0", false),
            ("3.5.12", false),
            ("3.5.13", true),
            ("3.6.0-rc.1", true),
            ("3.3.99", false),
            ("", false),
        ] {
            assert_eq!(answers_progress(version), expected, "{version}");
        }
    }
}
