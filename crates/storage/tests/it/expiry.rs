//! Times to live under a clock that the test moves.

use std::sync::Arc;
use std::time::Duration;

use sprag_storage::testing::Scratch;
use sprag_storage::{Embedded, EmbeddedOptions, ManualClock, Memory, Retention, Revision, Store, Write};

use crate::stores::{event, pod, pods, run};

async fn check(store: &dyn Store, clock: &ManualClock) {
    let mut watch = store.watch(&pods(), Revision::FIRST);
    let minute = Duration::from_mins(1);
    for (name, minutes) in [("one", 1), ("three", 3)] {
        let write = Write::create(pod("x", name), "1".into()).expiring_in(minute * minutes);
        let created = store.write(write).await.unwrap();
        assert_eq!(event(&mut watch).await, created);
    }
    clock.advance(minute * 2);
    let expired = event(&mut watch).await;
    assert_eq!((expired.key.name(), expired.is_delete()), ("one", true));
    assert!(store.get(&pod("x", "three")).await.unwrap().entry.is_some());
    clock.advance(minute);
    assert_eq!(event(&mut watch).await.key.name(), "three");
}

#[test]
fn memory_expires_by_its_clock() {
    let clock = Arc::new(ManualClock::default());
    let store = Memory::with(Retention::default(), clock.clone());
    run(check(&store, &clock));
}

#[test]
fn embedded_expires_by_its_clock() {
    let clock = Arc::new(ManualClock::default());
    let folder = Scratch::new("expiry").unwrap();
    let options = EmbeddedOptions { clock: clock.clone(), ..EmbeddedOptions::default() };
    let store = Embedded::open_with(folder.path(), options).unwrap();
    run(check(&store, &clock));
}

#[test]
fn what_expires_while_closed_is_deleted_on_opening() {
    let clock = Arc::new(ManualClock::default());
    let folder = Scratch::new("expiry").unwrap();
    let options = EmbeddedOptions { clock: clock.clone(), ..EmbeddedOptions::default() };
    let store = Embedded::open_with(folder.path(), options.clone()).unwrap();
    let brief = Write::create(pod("x", "a"), "1".into()).expiring_in(Duration::from_secs(5));
    let created = store.write(brief).wait().unwrap();
    drop(store);
    clock.advance(Duration::from_secs(6));
    let store = Embedded::open_with(folder.path(), options).unwrap();
    run(async {
        let expired = event(&mut store.watch(&pods(), created.revision)).await;
        assert!(expired.is_delete());
        assert!(store.get(&pod("x", "a")).await.unwrap().entry.is_none());
    });
}

#[test]
fn history_has_limits() {
    let clock = Arc::new(ManualClock::default());
    let retention = Retention { events: 10, bytes: 4000, age: Duration::from_mins(1) };
    let store = Memory::with(retention, clock.clone());
    let oldest = |after: Revision| {
        let mut watch = store.watch(&pods(), after);
        let mut found = None;
        run(async { found = watch.next().await });
        found.unwrap()
    };
    let mut last = store.write(Write::create(pod("x", "a"), "1".into())).wait().unwrap();
    let mut update = |value: Vec<u8>| {
        last = store.write(Write::update(pod("x", "a"), last.revision, value.into())).wait().unwrap();
        last.revision.0
    };
    let newest = (0..20).map(|_| update(vec![1])).last().unwrap();
    assert!(oldest(Revision(newest - 10)).is_ok());
    assert!(oldest(Revision(newest - 11)).is_err(), "more than ten events");
    // The second and each that follows replaces a value of 1000 bytes.
    let cost = Retention::EVENT_BYTES + 1000;
    let newest = (0..6).map(|_| update(vec![1; 1000])).last().unwrap();
    assert!(4 * cost > 4000 && 3 * cost <= 4000);
    assert!(oldest(Revision(newest - 3)).is_ok());
    assert!(oldest(Revision(newest - 4)).is_err(), "more than four thousand bytes");
    let history = store.health().history;
    assert_eq!((history.bytes, history.limit), (3 * cost, 4000));
    assert!(history.cut > 10, "{history:?}");
    clock.advance(Duration::from_secs(61));
    let newest = update(vec![1]);
    assert!(oldest(Revision(newest - 1)).is_ok());
    assert!(oldest(Revision(newest - 2)).is_err(), "older than a minute");
}
