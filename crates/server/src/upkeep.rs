//! Background controllers: namespace deletion, garbage collection, watch bookmarks.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use sprag_admission::builtin::QuotaController;
use sprag_controllers::{
    IdentityLease, KubernetesService, NamespaceAccounts, RENEWALS_PER_LOOK, bootstrap, policy_status, protection,
    service_cidr,
};
use sprag_registry::GarbageCollector;
use sprag_rest::ApiError;
use sprag_webhook::deadline;
use tokio::time::{Instant, sleep, sleep_until};

use crate::server::State;

/// Memory that requests have left behind is given back this often.
const GIVE_BACK: Duration = Duration::from_secs(2);
/// Bookmarks come about as often as upstream's.
const BOOKMARKS: Duration = Duration::from_mins(1);
/// The default range of services is looked at this often.
// As upstream's defaultservicecidr.Controller.
const SERVICE_CIDR: Duration = Duration::from_secs(10);
/// The service `kubernetes` and its endpoints are looked at this often.
// As upstream's DefaultEndpointReconcilerInterval.
const KUBERNETES_SERVICE: Duration = Duration::from_secs(10);
/// The same after a delete, which may have been theirs.
const AFTER_DELETE: Duration = Duration::from_secs(1);
/// Records of addresses and ports are repaired every minute: one that is not needed in two passes is not needed by a write under way.
const LOOKS_PER_REPAIR: u32 = 6;
/// Pause after an error of the store.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// Deletes that come together are looked at together.
const PAUSE: Duration = Duration::from_millis(20);
/// The pause between passes, as a multiple of the last pass, which visits all objects.
const PAUSE_OVER_LOOK: u32 = 20;
/// A namespace is recounted after this time without a write: admitted objects are stored by then.
const QUIET: Duration = Duration::from_millis(50);
/// A namespace that is always written to is counted this often.
const MAX_QUIETS: u32 = 20;
/// After so many counts that requests made useless, requests wait for the next one.
const MAX_MISSES: u32 = 5;
/// All quotas are counted this often.
// As upstream's --resource-quota-sync-period.
const COUNT_ALL: Duration = Duration::from_mins(5);
/// Maximum delay until deletions by other servers on the same store are noticed.
const AT_LEAST_EVERY: Duration = Duration::from_secs(30);

/// Has the allocator give free memory back to the system, until the server stops. Those that put that off, as mimalloc by a second,
/// look for it only when a thread ends or has allocated much, and an idle server does neither.
pub(crate) async fn memory(state: Arc<State>) {
    loop {
        tokio::select! {
            () = sleep(GIVE_BACK) => {}
            () = state.stopped() => return,
        }
        if let Err(error) = thread::Builder::new().name("memory".to_owned()).spawn(|| drop(vec![0_u8; 64])) {
            tracing::warn!(%error, "no thread could be started");
        }
    }
}

/// Keeps the default range of services, and the records of addresses and ports of services, until the server stops.
pub(crate) async fn addresses(state: Arc<State>) {
    for look in 1_u32.. {
        tokio::select! {
            () = sleep(SERVICE_CIDR) => {}
            () = state.stopped() => return,
        }
        state.ensure_service_cidr().await;
        if look.is_multiple_of(LOOKS_PER_REPAIR) {
            state.repair_allocations().await;
        }
    }
}

/// Makes the service `kubernetes` and its endpoints again when they were deleted, until the server stops.
pub(crate) async fn kubernetes_service(state: Arc<State>, service: KubernetesService, listened: SocketAddr) {
    let mut deletes = state.deleted.subscribe();
    loop {
        let deleted = async {
            // The sender is part of the state.
            let _ = deletes.changed().await;
            sleep(AFTER_DELETE).await;
        };
        tokio::select! {
            () = deleted => {}
            () = sleep(KUBERNETES_SERVICE) => {}
            () = state.stopped() => return,
        }
        service.restore(&state.registry, &state.service_ranges, listened).await;
    }
}

/// Tells watches how far they are, until the server stops.
pub(crate) async fn bookmarks(state: Arc<State>) {
    loop {
        tokio::select! {
            () = sleep(BOOKMARKS) => state.registry.request_bookmarks(),
            () = state.stopped() => return,
        }
    }
}

/// Keeps room for answers to clients that read theirs, until the server stops.
pub(crate) async fn unread(state: Arc<State>) {
    tokio::select! {
        () = state.unread.keep_room() => {}
        () = state.stopped() => {}
    }
}

/// Serves what definitions define as they change, whichever server they are changed on, until this one stops.
pub(crate) async fn definitions(state: Arc<State>) {
    loop {
        tokio::select! {
            outcome = state.controller.run() => {
                if let Err(error) = outcome {
                    tracing::warn!(%error, "definitions cannot be followed");
                }
                sleep(AFTER_FAILURE).await;
            }
            () = state.stopped() => return,
        }
    }
}

/// Keeps what every namespace has, until the server stops.
pub(crate) async fn accounts(state: Arc<State>, accounts: NamespaceAccounts) {
    loop {
        tokio::select! {
            outcome = accounts.run() => {
                if let Err(error) = outcome {
                    tracing::warn!(%error, "service accounts of namespaces cannot be kept");
                    sleep(AFTER_FAILURE).await;
                }
            }
            () = state.stopped() => return,
        }
    }
}

/// Keeps roles, bindings, policies and webhooks in force as they change, whichever server they are changed on, until this one stops.
pub(crate) async fn followers(state: Arc<State>) {
    loop {
        tokio::select! {
            outcome = state.followers.run(&*state.store) => {
                if let Err(error) = outcome {
                    tracing::warn!(%error, "changes of roles, bindings, policies and webhooks cannot be followed");
                }
                sleep(AFTER_FAILURE).await;
            }
            () = state.stopped() => return,
        }
    }
}

/// Puts cluster roles together that are made of others whenever roles change, until the server stops.
pub(crate) async fn aggregated_roles(state: Arc<State>) {
    let mut changes = state.policy.changes();
    loop {
        tokio::select! {
            changed = changes.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            () = state.stopped() => return,
        }
        if let Err(error) = bootstrap::aggregate(&state.registry).await {
            tracing::warn!(%error, "aggregated cluster roles are not up to date");
        }
    }
}

/// Renews the lease of the server until it stops. The first one comes after an interval: nobody asks for those of servers that
/// live shorter.
pub(crate) async fn identity(state: Arc<State>, lease: IdentityLease, every: Duration) {
    for renewal in 0_u32.. {
        tokio::select! {
            () = sleep(every) => {}
            () = state.stopped() => return,
        }
        let expired =
            async { if renewal.is_multiple_of(RENEWALS_PER_LOOK) { lease.delete_expired().await } else { Ok(()) } };
        if let Err(error) = futures_util::future::try_join(lease.renew(), expired).await {
            tracing::warn!(%error, "the lease of this server could not be renewed");
        }
    }
}

/// Keeps the status of validating admission policies in step with their expressions, until the server stops.
pub(crate) async fn policy_status(state: Arc<State>) {
    loop {
        tokio::select! {
            () = state.policy_changes.changed() => {}
            () = state.stopped() => return,
        }
        // Clients that create a policy read it back as they stored it first.
        sleep(PAUSE).await;
        if let Err(error) = policy_status::reconcile(&state.registry).await {
            tracing::warn!(%error, "the status of a policy could not be written");
        }
    }
}

/// Keeps finalizers and conditions of service ranges until the server stops. Deletes of addresses may let a range go.
pub(crate) async fn service_cidrs(state: Arc<State>) {
    let mut deletes = state.deleted.subscribe();
    let mut next = AT_LEAST_EVERY;
    let mut pause = PAUSE;
    loop {
        tokio::select! {
            () = state.service_cidrs.changed() => {}
            // The sender is part of the state.
            _ = deletes.changed() => {}
            () = sleep(next) => {}
            () = state.stopped() => return,
        }
        sleep(pause).await;
        let started = Instant::now();
        next = look_at_service_cidrs(&state).await;
        pause = PAUSE.max(started.elapsed() * PAUSE_OVER_LOOK);
    }
}

/// One look at service ranges; returns the time to the next.
pub(crate) async fn look_at_service_cidrs(state: &State) -> Duration {
    match service_cidr::reconcile(&state.registry).await {
        Ok(again) => again.unwrap_or(AT_LEAST_EVERY),
        Err(error) => {
            tracing::warn!(%error, "a ServiceCIDR could not be kept");
            AFTER_FAILURE
        }
    }
}

/// Releases volumes, empties namespaces and collects garbage whenever something was deleted, until the server stops. None of them waits
/// for another.
pub(crate) async fn controllers(state: Arc<State>) {
    tokio::join!(
        after_deletes(&state, release_volumes),
        after_deletes(&state, finish_namespaces),
        after_deletes(&state, collect_garbage),
    );
}

/// One look of a controller at what there is to do.
type Look = Pin<Box<dyn Future<Output = Result<(), ApiError>> + Send>>;

fn release_volumes(state: Arc<State>) -> Look {
    Box::pin(async move {
        let released = protection::release(&state.registry).await;
        released.inspect_err(|error| tracing::warn!(%error, "a volume or claim could not be let go"))
    })
}

fn finish_namespaces(state: Arc<State>) -> Look {
    Box::pin(async move {
        let finished = state.registry.finish_namespaces().await;
        finished.map(drop).inspect_err(|error| tracing::warn!(%error, "a namespace could not be emptied"))
    })
}

fn collect_garbage(state: Arc<State>) -> Look {
    Box::pin(async move {
        let collected = GarbageCollector::new(state.registry.clone()).collect().await;
        collected.map(drop).inspect_err(|error| tracing::warn!(%error, "garbage could not be collected"))
    })
}

/// Does something whenever something was deleted, until the server stops; again and less and less often while it fails. Webhooks have
/// the time of one request to answer.
async fn after_deletes(state: &Arc<State>, look: fn(Arc<State>) -> Look) {
    let mut deletes = state.deleted.subscribe();
    let mut pause = PAUSE;
    let mut failures = 0;
    loop {
        let next = Instant::now() + if failures == 0 { AT_LEAST_EVERY } else { retry_after(failures) };
        let deleted = async {
            // The sender is part of the state.
            let _ = deletes.changed().await;
            sleep(pause).await;
        };
        tokio::select! {
            () = deleted => {}
            () = sleep_until(next) => {}
            () = state.stopped() => return,
        }
        let started = Instant::now();
        deletes.mark_unchanged();
        let outcome = deadline::within(Some(started + state.limits.request), look(state.clone())).await;
        failures = if outcome.is_ok() { 0 } else { failures.saturating_add(1) };
        pause = PAUSE.max(started.elapsed() * PAUSE_OVER_LOOK);
    }
}

/// The time to another attempt after so many failures in a row: twice as long each time.
fn retry_after(failures: u32) -> Duration {
    AFTER_FAILURE.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1))).min(AT_LEAST_EVERY)
}

/// Counts what quotas limit, whenever something is written to their namespaces, until the server stops.
pub(crate) async fn quotas(state: Arc<State>) {
    let controller = QuotaController::new(state.registry.clone(), state.quotas.clone());
    let mut missed: HashMap<String, u32> = HashMap::new();
    loop {
        tokio::select! {
            () = state.quotas.changed() => {}
            () = sleep(COUNT_ALL) => state.quotas.touch_all(),
            () = state.stopped() => return,
        }
        for _ in 0..MAX_QUIETS {
            let before = state.quotas.touches();
            sleep(QUIET).await;
            if state.quotas.touches() == before {
                break;
            }
        }
        let started = Instant::now();
        for namespace in state.quotas.take_touched() {
            let misses = missed.remove(&namespace).unwrap_or_default();
            let outcome = if misses < MAX_MISSES {
                controller.sync(&namespace).await
            } else {
                controller.sync_alone(&namespace).await
            };
            match outcome {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) if error.is_conflict() => {}
                Err(error) => {
                    tracing::warn!(%error, namespace, "quotas could not be counted");
                    sleep(AFTER_FAILURE).await;
                }
            }
            state.quotas.touch(&namespace);
            missed.insert(namespace, misses.saturating_add(1));
        }
        sleep(started.elapsed()).await;
    }
}
