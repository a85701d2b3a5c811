//! Removing old history, once per interval however many servers share the cluster.
//!
//! All of them write to one key, on condition that nobody did since they last looked: whoever succeeds removes the history
//! before the revision it saw an interval ago.

use std::sync::Weak;
use std::time::Duration;

use tokio::time::sleep;

use super::client::Repeat;
use super::{Inner, number, revision, wire};
use crate::{Result, Revision};

/// The compaction state of this server.
#[derive(Clone, Copy, Default)]
struct Round {
    /// The last known version of the key.
    version: i64,
    /// The revision of the store at that time.
    revision: Revision,
}

/// Runs until the store is gone.
pub(super) async fn run(inner: Weak<Inner>, every: Duration) {
    let mut round = Round::default();
    loop {
        sleep(every).await;
        let Some(inner) = inner.upgrade() else { return };
        // A failed round is made up for by the next one, here or elsewhere.
        if let Ok(next) = compete(&inner, round).await {
            round = next;
        }
    }
}

async fn compete(inner: &Inner, round: Round) -> Result<Round> {
    let key = format!("{}/compact_rev_key", inner.prefix).into_bytes();
    let get = wire::RangeRequest { key: key.clone(), ..wire::RangeRequest::default() };
    let value = round.revision.to_string().into();
    let put = wire::PutRequest { key: key.clone(), value, ..wire::PutRequest::default() };
    let unchanged = wire::Target::Version(round.version);
    let request = wire::TxnRequest {
        compare: vec![wire::Compare { target: wire::Compare::VERSION, key, target_union: Some(unchanged) }],
        success: vec![wire::RequestOp { request: Some(wire::Request::Put(put)) }],
        failure: vec![wire::RequestOp { request: Some(wire::Request::Range(get)) }],
    };
    let response: wire::TxnResponse = inner.client.call("/etcdserverpb.KV/Txn", request, Repeat::Harmful).await?;
    let now = revision(response.header.map_or(0, |header| header.revision));
    if response.succeeded {
        if round.revision > Revision::default() {
            inner.compact(round.revision).await?;
        }
        return Ok(Round { version: round.version + 1, revision: now });
    }
    let version = response.responses.into_iter().find_map(|op| match op.response {
        Some(wire::Response::Range(range)) => range.kvs.first().map(|kv| kv.version),
        _ => None,
    });
    Ok(Round { version: version.unwrap_or(0), revision: now })
}

impl Inner {
    pub(super) async fn compact(&self, before: Revision) -> Result<()> {
        let request = wire::CompactionRequest { revision: number(before) };
        let path = "/etcdserverpb.KV/Compact";
        let result = self.client.call::<_, wire::CompactionResponse>(path, request, Repeat::Harmless).await;
        match result {
            // Already gone.
            Err(crate::Error::Gone { .. }) => Ok(()),
            Err(crate::Error::Future { current, .. }) => Err(crate::Error::Future { requested: before, current }),
            result => result.map(drop),
        }
    }
}
