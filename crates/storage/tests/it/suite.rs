//! Tests that every store passes.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sprag_storage::{
    Entry, Error, Event, Key, ListOptions, MAX_WRITE_BYTES, Notice, Page, Result, Revision, Scope, Store, Write,
};

use crate::stores::{event, on_every_store, pod, pods};

on_every_store! {
    every_write_takes_the_next_revision
    a_write_compares_before_it_changes
    a_write_may_require_another_entry
    a_failed_write_takes_no_revision
    one_of_many_creators_wins
    increments_are_never_lost
    lists_are_in_the_order_of_keys
    pages_show_one_revision
    old_revisions_can_be_listed
    scopes_are_apart
    a_page_may_start_anywhere
    writes_have_a_limit
    a_watch_continues_a_list
    a_watch_replays_history
    a_watch_may_start_in_the_future
    a_watch_sees_its_scope_only
    progress_says_that_nothing_is_missing
    compaction_forgets_history_only
    a_watch_behind_compaction_is_gone
    entries_expire
}

async fn put(store: &dyn Store, key: Key, value: &'static str) -> Event {
    let current = store.get(&key).await.unwrap().entry;
    let write = match current {
        None => Write::create(key, value.into()),
        Some(entry) => Write::update(key, entry.revision, value.into()),
    };
    store.write(write).await.unwrap()
}

async fn list(store: &dyn Store, scope: &Scope) -> Page {
    store.list(scope, ListOptions::default()).await.unwrap()
}

fn names(page: &Page) -> Vec<String> {
    page.entries.iter().map(|entry| format!("{}/{}", entry.key.namespace().unwrap_or(""), entry.key.name())).collect()
}

#[track_caller]
fn conflict(result: Result<Event>) -> Option<Arc<Entry>> {
    match result {
        Err(Error::Conflict { current }) => current,
        other => panic!("expected a conflict, not {other:?}"),
    }
}

async fn every_write_takes_the_next_revision(store: Arc<dyn Store>) {
    assert_eq!(store.revision().await.unwrap(), Revision::FIRST);
    let a = pod("x", "a");
    let b = pod("x", "b");
    let created = store.write(Write::create(a.clone(), "1".into())).await.unwrap();
    assert_eq!((created.revision, created.is_create(), created.is_delete()), (Revision(2), true, false));
    let other = store.write(Write::create(b, "1".into())).await.unwrap();
    assert_eq!(other.revision, Revision(3));
    let updated = store.write(Write::update(a.clone(), Revision(2), "2".into())).await.unwrap();
    let entry = updated.entry.clone().unwrap();
    assert_eq!((entry.created, entry.revision, &entry.value[..]), (Revision(2), Revision(4), &b"2"[..]));
    assert_eq!(updated.previous, created.entry);
    let found = store.get(&a).await.unwrap();
    assert_eq!((found.entry, found.revision), (Some(entry.clone()), Revision(4)));
    let deleted = store.write(Write::delete(a.clone(), Revision(4))).await.unwrap();
    assert_eq!((deleted.revision, deleted.is_delete(), deleted.previous), (Revision(5), true, Some(entry)));
    let found = store.get(&a).await.unwrap();
    assert_eq!((found.entry, found.revision), (None, Revision(5)));
    let again = store.write(Write::create(a, "3".into())).await.unwrap();
    assert_eq!(again.entry.unwrap().created, Revision(6));
}

async fn a_write_compares_before_it_changes(store: Arc<dyn Store>) {
    let key = pod("x", "a");
    assert_eq!(conflict(store.write(Write::update(key.clone(), Revision(1), "1".into())).await), None);
    assert_eq!(conflict(store.write(Write::delete(key.clone(), Revision(1))).await), None);
    let created = store.write(Write::create(key.clone(), "1".into())).await.unwrap();
    assert_eq!(conflict(store.write(Write::create(key.clone(), "2".into())).await), created.entry);
    let updated = store.write(Write::update(key.clone(), created.revision, "2".into())).await.unwrap();
    let stale = created.revision;
    assert_eq!(conflict(store.write(Write::update(key.clone(), stale, "3".into())).await), updated.entry);
    assert_eq!(conflict(store.write(Write::delete(key.clone(), stale)).await), updated.entry);
    let future = updated.revision.next();
    assert_eq!(conflict(store.write(Write::delete(key.clone(), future)).await), updated.entry);
    assert_eq!(store.get(&key).await.unwrap().entry, updated.entry);
}

async fn a_write_may_require_another_entry(store: Arc<dyn Store>) {
    let lock = pod("x", "lock");
    let key = pod("x", "a");
    let first = put(&*store, lock.clone(), "1").await.revision;
    let create = |created| Write::create(key.clone(), "1".into()).requiring(lock.clone(), created);
    assert!(matches!(store.write(create(first.next())).await, Err(Error::Unmet)));
    assert!(matches!(store.write(create(Revision::default())).await, Err(Error::Unmet)));
    // It may change.
    let changed = put(&*store, lock.clone(), "2").await;
    let stored = store.write(create(first)).await.unwrap();
    assert_eq!(conflict(store.write(create(first)).await), stored.entry);
    store.write(Write::delete(lock.clone(), changed.revision)).await.unwrap();
    let update = || Write::update(key.clone(), stored.revision, "2".into()).requiring(lock.clone(), first);
    assert!(matches!(store.write(update()).await, Err(Error::Unmet)));
    // Another one of the same name is not it.
    put(&*store, lock.clone(), "1").await;
    assert!(matches!(store.write(update()).await, Err(Error::Unmet)));
    assert_eq!(store.get(&key).await.unwrap().entry, stored.entry);
}

async fn a_failed_write_takes_no_revision(store: Arc<dyn Store>) {
    let key = pod("x", "a");
    put(&*store, key.clone(), "1").await;
    let before = store.revision().await.unwrap();
    conflict(store.write(Write::create(key.clone(), "2".into())).await);
    conflict(store.write(Write::delete(key, Revision(99))).await);
    assert_eq!(store.revision().await.unwrap(), before);
}

async fn one_of_many_creators_wins(store: Arc<dyn Store>) {
    let tasks: Vec<_> = (0..16)
        .map(|creator| {
            let store = store.clone();
            tokio::spawn(async move { store.write(Write::create(pod("x", "a"), format!("{creator}").into())).await })
        })
        .collect();
    let mut winners = Vec::new();
    let mut losers = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            Ok(event) => winners.push(event.entry.unwrap()),
            Err(Error::Conflict { current }) => losers.push(current.unwrap()),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!((winners.len(), losers.len()), (1, 15));
    assert!(losers.iter().all(|loser| *loser == winners[0]));
}

async fn increments_are_never_lost(store: Arc<dyn Store>) {
    let key = pod("x", "counter");
    put(&*store, key.clone(), "0").await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let store = store.clone();
            let key = key.clone();
            tokio::spawn(async move {
                let mut entry = store.get(&key).await.unwrap().entry.unwrap();
                for _ in 0..10 {
                    loop {
                        let count: u32 = std::str::from_utf8(&entry.value).unwrap().parse().unwrap();
                        let next = Bytes::from((count + 1).to_string());
                        match store.write(Write::update(key.clone(), entry.revision, next)).await {
                            Ok(event) => break entry = event.entry.unwrap(),
                            result => entry = conflict(result).unwrap(),
                        }
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(store.get(&key).await.unwrap().entry.unwrap().value, "80");
}

async fn lists_are_in_the_order_of_keys(store: Arc<dyn Store>) {
    for (namespace, name) in [("b", "a"), ("a", "b"), ("a", "a.b"), ("a-b", "z"), ("a", "a"), ("a", "a-b")] {
        put(&*store, pod(namespace, name), "1").await;
    }
    let page = list(&*store, &pods()).await;
    // `-` and `.` sort before the `/` that ends a namespace, as in the reference.
    assert_eq!(names(&page), ["a-b/z", "a/a", "a/a-b", "a/a.b", "a/b", "b/a"]);
    assert_eq!((page.revision, page.remaining), (Revision(7), 0));
    assert_eq!(store.count(&pods()).await.unwrap(), 6);
    let empty = list(&*store, &Scope::resource("apps", "pods").unwrap()).await;
    assert_eq!((empty.entries.len(), empty.revision), (0, Revision(7)));
}

async fn pages_show_one_revision(store: Arc<dyn Store>) {
    for name in ["a", "b", "c", "d", "e"] {
        put(&*store, pod("x", name), "old").await;
    }
    let limit = NonZeroUsize::new(2);
    let first = store.list(&pods(), ListOptions { limit, ..ListOptions::default() }).await.unwrap();
    assert_eq!((names(&first), first.remaining), (vec!["x/a".to_owned(), "x/b".to_owned()], 3));
    let c = put(&*store, pod("x", "c"), "new").await;
    store.write(Write::delete(pod("x", "c"), c.revision)).await.unwrap();
    put(&*store, pod("x", "bb"), "new").await;
    let mut after = first.entries.last().map(|entry| entry.key.clone());
    let mut seen = Vec::new();
    loop {
        let options = ListOptions { limit, after, at: Some(first.revision) };
        let page = store.list(&pods(), options).await.unwrap();
        assert_eq!(page.revision, first.revision);
        assert!(page.entries.iter().all(|entry| entry.value == "old"));
        seen.extend(names(&page));
        after = page.entries.last().map(|entry| entry.key.clone());
        if page.remaining == 0 {
            break;
        }
    }
    assert_eq!(seen, ["x/c", "x/d", "x/e"]);
}

async fn old_revisions_can_be_listed(store: Arc<dyn Store>) {
    let key = pod("x", "a");
    put(&*store, key.clone(), "1").await;
    let second = put(&*store, key.clone(), "2").await;
    store.write(Write::delete(key.clone(), second.revision)).await.unwrap();
    put(&*store, key, "4").await;
    let mut seen = Vec::new();
    for revision in 1..=5 {
        let options = ListOptions { at: Some(Revision(revision)), ..ListOptions::default() };
        let page = store.list(&pods(), options).await.unwrap();
        seen.push(page.entries.iter().map(|entry| entry.value.clone()).collect::<Vec<_>>());
    }
    let expected: [&[&str]; 5] = [&[], &["1"], &["2"], &[], &["4"]];
    assert_eq!(seen, expected);
    let options = ListOptions { at: Some(Revision(6)), ..ListOptions::default() };
    match store.list(&pods(), options).await {
        Err(Error::Future { requested: Revision(6), .. }) => {}
        other => panic!("{other:?}"),
    }
}

async fn scopes_are_apart(store: Arc<dyn Store>) {
    let keys = [
        Key::cluster("", "pods", "a").unwrap(),
        Key::namespaced("", "pods", "a", "a").unwrap(),
        Key::namespaced("", "pods", "ab", "a").unwrap(),
        Key::namespaced("", "podsets", "a", "a").unwrap(),
        Key::namespaced("pods", "n", "a", "a").unwrap(),
        Key::cluster("pods", "n", "a").unwrap(),
    ];
    for key in &keys {
        put(&*store, key.clone(), "1").await;
    }
    for (scope, expected) in [
        (Scope::resource("", "pods"), &keys[0..3]),
        (Scope::cluster("", "pods"), &keys[0..1]),
        (Scope::all_namespaces("", "pods"), &keys[1..3]),
        (Scope::namespace("", "pods", "a"), &keys[1..2]),
        (Scope::namespace("", "pods", "b"), &[]),
        (Scope::resource("", "pod"), &[]),
        (Scope::all_namespaces("pods", "n"), &keys[4..5]),
    ] {
        let scope = scope.unwrap();
        let page = list(&*store, &scope).await;
        let found = page.entries.iter().map(|entry| entry.key.clone()).collect::<Vec<_>>();
        assert_eq!(found, expected, "{scope}");
        assert_eq!(store.count(&scope).await.unwrap(), expected.len());
    }
}

async fn a_page_may_start_anywhere(store: Arc<dyn Store>) {
    for namespace in ["a", "b", "c"] {
        put(&*store, pod(namespace, "x"), "1").await;
    }
    let scope = Scope::namespace("", "pods", "b").unwrap();
    for (after, expected) in [(pod("a", "x"), 1), (pod("b", "a"), 1), (pod("b", "x"), 0), (pod("c", "x"), 0)] {
        let options = ListOptions { after: Some(after.clone()), ..ListOptions::default() };
        assert_eq!(store.list(&scope, options).await.unwrap().entries.len(), expected, "{after}");
    }
}

async fn writes_have_a_limit(store: Arc<dyn Store>) {
    let key = pod("x", "a");
    let large = Bytes::from(vec![7; MAX_WRITE_BYTES - 1024]);
    let event = store.write(Write::create(key.clone(), large.clone())).await.unwrap();
    assert_eq!(store.get(&key).await.unwrap().entry.unwrap().value, large);
    let too_large = Bytes::from(vec![7; MAX_WRITE_BYTES + 1]);
    let error = store.write(Write::update(key, event.revision, too_large)).await.unwrap_err();
    assert_eq!(error.to_string(), "etcdserver: request is too large");
}

async fn a_watch_continues_a_list(store: Arc<dyn Store>) {
    let key = pod("x", "a");
    put(&*store, key.clone(), "1").await;
    let page = list(&*store, &pods()).await;
    let mut watch = store.watch(&pods(), page.revision);
    let updated = put(&*store, key.clone(), "2").await;
    let deleted = store.write(Write::delete(key.clone(), updated.revision)).await.unwrap();
    let created = put(&*store, key, "3").await;
    for expected in [updated, deleted, created] {
        assert_eq!(event(&mut watch).await, expected);
    }
}

async fn a_watch_replays_history(store: Arc<dyn Store>) {
    let mut expected = Vec::new();
    for value in ["1", "2", "3"] {
        expected.push(put(&*store, pod("x", "a"), value).await);
        expected.push(put(&*store, pod("x", "b"), value).await);
    }
    for skipped in 0..expected.len() {
        let after = Revision(Revision::FIRST.0 + skipped as u64);
        let mut watch = store.watch(&pods(), after);
        for expected in &expected[skipped..] {
            assert_eq!(event(&mut watch).await, *expected);
        }
    }
}

async fn a_watch_may_start_in_the_future(store: Arc<dyn Store>) {
    let mut watch = store.watch(&pods(), Revision(3));
    put(&*store, pod("x", "a"), "1").await;
    put(&*store, pod("x", "a"), "2").await;
    let third = put(&*store, pod("x", "a"), "3").await;
    assert_eq!(event(&mut watch).await, third);
}

async fn a_watch_sees_its_scope_only(store: Arc<dyn Store>) {
    let mut watch = store.watch(&Scope::namespace("", "pods", "a").unwrap(), Revision::FIRST);
    for namespace in ["ab", "a-b", "b"] {
        put(&*store, pod(namespace, "x"), "1").await;
    }
    put(&*store, Key::cluster("", "pods", "a").unwrap(), "1").await;
    put(&*store, Key::namespaced("apps", "pods", "a", "x").unwrap(), "1").await;
    let expected = put(&*store, pod("a", "x"), "1").await;
    assert_eq!(event(&mut watch).await, expected);
}

async fn progress_says_that_nothing_is_missing(store: Arc<dyn Store>) {
    let mut watch = store.watch(&pods(), Revision::FIRST);
    let first = put(&*store, pod("x", "a"), "1").await;
    assert_eq!(event(&mut watch).await, first);
    let elsewhere = put(&*store, Key::cluster("", "nodes", "a").unwrap(), "1").await;
    store.request_progress();
    loop {
        match watch.next().await {
            Some(Ok(Notice::Progress(revision))) if revision >= elsewhere.revision => break,
            Some(Ok(Notice::Progress(_))) => {}
            other => panic!("{other:?}"),
        }
    }
    let later = put(&*store, pod("x", "a"), "2").await;
    assert_eq!(event(&mut watch).await, later);
}

async fn compaction_forgets_history_only(store: Arc<dyn Store>) {
    let a = pod("x", "a");
    let b = pod("x", "b");
    let first = put(&*store, a.clone(), "1").await;
    put(&*store, b.clone(), "1").await;
    put(&*store, b.clone(), "2").await;
    let deleted = store.write(Write::delete(b, Revision(4))).await.unwrap();
    let last = put(&*store, a.clone(), "2").await;
    store.compact(deleted.revision).await.unwrap();
    store.compact(Revision(3)).await.expect("what is gone is gone");
    assert!(matches!(store.compact(Revision(99)).await, Err(Error::Future { requested: Revision(99), .. })));
    let options = |revision| ListOptions { at: Some(revision), ..ListOptions::default() };
    match store.list(&pods(), options(Revision(4))).await {
        Err(Error::Gone { requested: Revision(4), .. }) => {}
        other => panic!("{other:?}"),
    }
    let then = store.list(&pods(), options(deleted.revision)).await.unwrap();
    assert_eq!(then.entries, [first.entry.unwrap()]);
    assert_eq!(list(&*store, &pods()).await.entries, [last.entry.clone().unwrap()]);
    assert_eq!(store.get(&a).await.unwrap().entry, last.entry);
    assert_eq!(event(&mut store.watch(&pods(), deleted.revision)).await, last);
}

async fn a_watch_behind_compaction_is_gone(store: Arc<dyn Store>) {
    for value in ["1", "2", "3", "4", "5"] {
        put(&*store, pod("x", "a"), value).await;
    }
    store.compact(Revision(5)).await.unwrap();
    let mut watch = store.watch(&pods(), Revision(2));
    match watch.next().await {
        Some(Err(Error::Gone { requested: Revision(2), oldest: Revision(5) })) => {}
        other => panic!("{other:?}"),
    }
    assert!(watch.next().await.is_none(), "an error is the last thing a watch yields");
}

async fn entries_expire(store: Arc<dyn Store>) {
    let brief = pod("x", "brief");
    let kept = pod("x", "kept");
    let lasting = pod("x", "lasting");
    let ttl = Duration::from_secs(1);
    let mut watch = store.watch(&pods(), Revision::FIRST);
    let created = store.write(Write::create(brief.clone(), "1".into()).expiring_in(ttl)).await.unwrap();
    let first = store.write(Write::create(kept.clone(), "1".into()).expiring_in(ttl)).await.unwrap();
    let second = store.write(Write::update(kept.clone(), first.revision, "2".into())).await.unwrap();
    let long = Duration::from_hours(1);
    let third = store.write(Write::create(lasting.clone(), "1".into()).expiring_in(long)).await.unwrap();
    for expected in [&created, &first, &second, &third] {
        assert_eq!(event(&mut watch).await, *expected);
    }
    let expired = event(&mut watch).await;
    assert_eq!((&expired.key, expired.is_delete()), (&brief, true));
    assert_eq!(expired.previous.unwrap().revision, created.revision);
    assert!(store.get(&brief).await.unwrap().entry.is_none());
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(store.get(&kept).await.unwrap().entry.is_some());
    assert!(store.get(&lasting).await.unwrap().entry.is_some());
}
