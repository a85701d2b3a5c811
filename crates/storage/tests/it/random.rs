//! Random clients, whose history must fit the log that watches show.

use std::sync::Arc;

use sprag_storage::testing::{Load, Recorder};
use sprag_storage::{Event, Key, ListOptions, Revision, Store, Watch, Write};

use crate::stores::{event, on_every_store};

const CLIENTS: u64 = 8;
const OPERATIONS: usize = 250;

on_every_store! { random_histories_are_linearizable }

async fn random_histories_are_linearizable(store: Arc<dyn Store>) {
    let recorder = Recorder::new(store.clone());
    let loads = [Load::new("things").unwrap(), Load::new("thing").unwrap()];
    let watches = loads.each_ref().map(|load| store.watch(load.scope(), Revision::default()));
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        let recorder = recorder.clone();
        let load = loads[usize::try_from(client).unwrap() % 2].clone();
        clients.push(tokio::spawn(async move { load.run(&recorder, client, OPERATIONS).await }));
    }
    // A second watch of the same scope, from the middle on.
    let middle = store.list(loads[0].scope(), ListOptions::default()).await.unwrap().revision;
    let late = store.watch(loads[0].scope(), middle);
    for client in clients {
        client.await.unwrap();
    }
    let mut ends = Vec::new();
    for resource in ["things", "thing"] {
        let end = Key::cluster("", resource, "end").unwrap();
        ends.push(recorder.write(Write::create(end, "end".into())).await.unwrap());
    }
    let mut logs = Vec::new();
    for (watch, end) in watches.into_iter().zip(&ends) {
        logs.push(until(watch, end).await);
    }
    let late = until(late, &ends[0]).await;
    let tail: Vec<_> = logs[0].iter().filter(|event| event.revision > middle).cloned().collect();
    assert_eq!(late, tail);
    let mut log = logs.concat();
    log.sort_by_key(|event| event.revision);
    let revisions: Vec<_> = log.iter().map(|event| event.revision.0).collect();
    assert_eq!(revisions, (2..2 + log.len() as u64).collect::<Vec<_>>(), "one revision per write, no gaps");
    recorder.history.check(&log).unwrap();
    assert!(log.len() > OPERATIONS, "most operations should be writes that succeed: {}", log.len());
}

/// The events of a watch up to this one.
async fn until(mut watch: Watch, end: &Event) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let next = event(&mut watch).await;
        let last = next == *end;
        events.push(next);
        if last {
            return events;
        }
    }
}

mod the_check_finds {
    use sprag_storage::Memory;

    use super::*;

    /// A short run, whose log is then changed.
    fn check(change: impl FnOnce(&mut Vec<Event>)) -> Result<(), String> {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let recorder = Recorder::new(store.clone());
        let load = Load::new("things").unwrap();
        let mut log = Vec::new();
        crate::stores::run(async {
            load.run(&recorder, 1, 100).await;
            let end = Write::create(Key::cluster("", "things", "end").unwrap(), "end".into());
            let end = recorder.write(end).await.unwrap();
            log = until(store.watch(load.scope(), Revision::default()), &end).await;
        });
        change(&mut log);
        recorder.history.check(&log)
    }

    #[test]
    fn nothing_in_a_good_log() {
        check(|_| {}).unwrap();
    }

    #[test]
    fn a_lost_event() {
        check(|log| drop(log.remove(log.len() / 2))).unwrap_err();
        check(|log| drop(log.pop())).unwrap_err();
    }

    #[test]
    fn a_doubled_event() {
        check(|log| log.insert(3, log[3].clone())).unwrap_err();
    }

    #[test]
    fn events_out_of_order() {
        check(|log| log.swap(4, 5)).unwrap_err();
    }

    #[test]
    fn a_foreign_event() {
        let key = Key::cluster("", "things", "foreign").unwrap();
        check(|log| {
            let revision = log.last().unwrap().revision.next();
            log.push(Event { revision, key, entry: None, previous: None });
        })
        .unwrap_err();
    }
}
