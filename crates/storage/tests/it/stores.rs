//! Fresh stores of every kind.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use sprag_storage::testing::{EtcdCluster, Scratch, etcd_is_installed};
use sprag_storage::{Embedded, Etcd, Event, Key, Memory, Notice, Scope, Store, Watch};

/// No test takes nearly as long, even on a busy machine.
const TEST_TIMEOUT: Duration = Duration::from_mins(2);

/// Runs a test on a runtime of its own.
#[track_caller]
pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(TEST_TIMEOUT, test).await.expect("the test takes too long") });
}

#[track_caller]
pub(crate) fn on_memory<F: Future<Output = ()>>(test: impl FnOnce(Arc<dyn Store>) -> F) {
    run(async { test(Arc::new(Memory::new())).await });
}

#[track_caller]
pub(crate) fn on_embedded<F: Future<Output = ()>>(test: impl FnOnce(Arc<dyn Store>) -> F) {
    let folder = Scratch::new("embedded").unwrap();
    run(async { test(Arc::new(Embedded::open(folder.path()).unwrap())).await });
}

#[track_caller]
pub(crate) fn on_etcd<F: Future<Output = ()>>(test: impl FnOnce(Arc<dyn Store>) -> F) {
    if !has_etcd() {
        return;
    }
    run(async {
        let cluster = EtcdCluster::start(1).await.unwrap();
        test(Arc::new(Etcd::connect(&cluster.options()).await.unwrap())).await;
    });
}

pub(crate) fn has_etcd() -> bool {
    let installed = etcd_is_installed();
    if !installed {
        eprintln!("skipped: etcd is missing (package etcd-server)");
    }
    installed
}

/// Each of these functions, as a test on every store.
macro_rules! on_every_store {
    ($($test:ident)*) => {
        mod memory { $(#[test] fn $test() { crate::stores::on_memory(super::$test); })* }
        mod embedded { $(#[test] fn $test() { crate::stores::on_embedded(super::$test); })* }
        mod etcd { $(#[test] fn $test() { crate::stores::on_etcd(super::$test); })* }
    };
}
pub(crate) use on_every_store;

pub(crate) fn pod(namespace: &str, name: &str) -> Key {
    Key::namespaced("", "pods", namespace, name).unwrap()
}

pub(crate) fn pods() -> Scope {
    Scope::resource("", "pods").unwrap()
}

/// The next event of a watch, past any notice of progress.
pub(crate) async fn event(watch: &mut Watch) -> Event {
    loop {
        match watch.next().await {
            Some(Ok(Notice::Event(event))) => return event,
            Some(Ok(Notice::Progress(_))) => {}
            other => panic!("the watch ended: {other:?}"),
        }
    }
}
