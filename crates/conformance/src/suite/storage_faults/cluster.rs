//! An etcd cluster whose members are killed and started again while clients work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sprag_storage::testing::{EtcdCluster, Load, Random, Recorder, etcd_is_installed};
use sprag_storage::{Error, Etcd, Event, Key, Notice, Revision, Store, Watch, Write};
use tokio::time::{sleep, timeout};

use super::settle;
use crate::report::Report;

const MEMBERS: usize = 3;
const CLIENTS: u64 = 6;
/// The number of operations between two checks of whether it is time to stop.
const OPERATIONS: usize = 20;
/// After the last member came back, everything must work again within this time.
const RECOVERY: Duration = Duration::from_mins(1);

pub(super) fn run(kills: usize, report: &mut Report) -> Result<(), String> {
    if !etcd_is_installed() {
        report.skip("etcd is missing (package etcd-server)");
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    settle(report, "etcd members killed", runtime.block_on(survive(kills)));
    Ok(())
}

async fn survive(kills: usize) -> Result<(), String> {
    let mut cluster = EtcdCluster::start(MEMBERS).await.map_err(|error| error.to_string())?;
    let store: Arc<dyn Store> = Arc::new(Etcd::connect(&cluster.options()).await.map_err(|error| error.to_string())?);
    let recorder = Recorder::new(store.clone());
    let load = Load::new("things").map_err(|error| error.to_string())?;
    let watch = tokio::spawn(collect(store.watch(load.scope(), Revision::default())));
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> =
        (0..CLIENTS).map(|client| tokio::spawn(work(recorder.clone(), load.clone(), client, stop.clone()))).collect();
    let killed = disturb(&mut cluster, kills).await;
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.map_err(|error| error.to_string())?;
    }
    killed?;
    timeout(RECOVERY, finish(&recorder)).await.map_err(|_| "the cluster does not recover")??;
    let log = timeout(RECOVERY, watch).await.map_err(|_| "the watch does not recover")?;
    let log = log.map_err(|error| error.to_string())??;
    Report::note(&format!("{kills} members killed, {} operations, {} writes", recorder.history.len(), log.len()));
    recorder.history.check(&log)
}

/// Kills one member after the other and starts it again.
async fn disturb(cluster: &mut EtcdCluster, kills: usize) -> Result<(), String> {
    let mut random = Random::new(11);
    for _ in 0..kills {
        sleep(Duration::from_millis(1000 + random.below(1000) as u64)).await;
        let member = random.below(MEMBERS);
        cluster.kill(member).map_err(|error| error.to_string())?;
        sleep(Duration::from_millis(500 + random.below(2000) as u64)).await;
        cluster.restart(member).map_err(|error| error.to_string())?;
        sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// One client; its values are its own, however long it works.
async fn work(recorder: Recorder, load: Load, client: u64, stop: Arc<AtomicBool>) {
    let mut round = 0;
    while !stop.load(Ordering::Relaxed) {
        load.run(&recorder, client + round * CLIENTS, OPERATIONS).await;
        round += 1;
    }
}

/// Writes what the watch ends with, however often that takes.
async fn finish(recorder: &Recorder) -> Result<(), String> {
    let key = Key::cluster("", "things", "end").map_err(|error| error.to_string())?;
    loop {
        match recorder.write(Write::create(key.clone(), "end".into())).await {
            Ok(_) | Err(Error::Conflict { .. }) => return Ok(()),
            Err(Error::Uncertain { .. } | Error::Unavailable { .. }) => sleep(Duration::from_millis(100)).await,
            Err(error) => return Err(error.to_string()),
        }
    }
}

async fn collect(mut watch: Watch) -> Result<Vec<Event>, String> {
    let mut events = Vec::new();
    loop {
        match watch.next().await {
            Some(Ok(Notice::Progress(_))) => {}
            Some(Ok(Notice::Event(event))) => {
                let last = event.key.name() == "end";
                events.push(event);
                if last {
                    return Ok(events);
                }
            }
            Some(Err(error)) => return Err(format!("the watch ended: {error}")),
            None => return Err("the watch ended".into()),
        }
    }
}
