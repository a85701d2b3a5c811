//! Leases, which are etcd's way to let keys expire. Granting one is expensive, so keys share them.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::client::{Client, Repeat};
use super::wire;
use crate::Result;

/// A lease lives this much longer than asked for, so that later keys can share it: a twentieth, but at most a minute.
const SHARE: u64 = 20;
const LONGEST_SHARED_SECS: u64 = 60;
/// Maximum number of keys that share a lease.
const MOST_KEYS: u32 = 1000;

/// The lease that was granted last.
#[derive(Debug, Default)]
pub(super) struct Leases(Mutex<Option<Lease>>);

#[derive(Debug)]
struct Lease {
    id: i64,
    expires: Instant,
    keys: u32,
}

impl Leases {
    /// A lease that lasts at least this long, and not much longer.
    pub(super) async fn get(&self, client: &Client, ttl: Duration) -> Result<i64> {
        let seconds = ttl.as_secs() + u64::from(ttl.subsec_nanos() > 0);
        let extra = (seconds / SHARE).min(LONGEST_SHARED_SECS);
        let mut last = self.0.lock().await;
        let now = Instant::now();
        if let Some(lease) = last.as_mut() {
            let least = now + Duration::from_secs(seconds);
            let most = now + Duration::from_secs(seconds + extra);
            if least <= lease.expires && lease.expires <= most && lease.keys < MOST_KEYS {
                lease.keys += 1;
                return Ok(lease.id);
            }
        }
        let granted = i64::try_from(seconds + extra).unwrap_or(i64::MAX);
        let request = wire::LeaseGrantRequest { ttl: granted };
        // A second grant is only a lease that nobody uses.
        let path = "/etcdserverpb.Lease/LeaseGrant";
        let response: wire::LeaseGrantResponse = client.call(path, request, Repeat::Harmless).await?;
        *last = Some(Lease { id: response.id, expires: now + Duration::from_secs(seconds + extra), keys: 1 });
        Ok(response.id)
    }
}
