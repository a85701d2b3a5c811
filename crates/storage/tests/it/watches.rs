//! Watches wake for what they select, and miss nothing of it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_core::Stream;
use sprag_storage::{
    Event, Key, ListOptions, Memory, Notice, Retention, Revision, Scope, Store, SystemClock, Watch, Write,
};

use crate::stores::{on_every_store, pod};

on_every_store! {
    a_watch_of_one_object_sees_it_only
}

/// Counts how often it is woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A watch and its waker.
struct Watcher {
    scope: Scope,
    watch: Watch,
    wakes: Arc<Wakes>,
    seen: Vec<Event>,
}

impl Watcher {
    fn new(store: &dyn Store, scope: Scope) -> Watcher {
        let watch = store.watch(&scope, Revision::FIRST);
        Watcher { scope, watch, wakes: Arc::default(), seen: Vec::new() }
    }

    /// Reads what is there; returns how far the watch is, if it says so.
    fn read(&mut self) -> Option<Revision> {
        let waker = Waker::from(self.wakes.clone());
        let mut progress = None;
        loop {
            match Pin::new(&mut self.watch).poll_next(&mut Context::from_waker(&waker)) {
                Poll::Ready(Some(Ok(Notice::Event(event)))) => self.seen.push(event),
                Poll::Ready(Some(Ok(Notice::Progress(revision)))) => progress = Some(revision),
                Poll::Ready(other) => panic!("{:?} yields {other:?}", self.scope),
                Poll::Pending => return progress,
            }
        }
    }

    fn wakes(&self) -> usize {
        self.wakes.0.load(Ordering::Relaxed)
    }
}

fn put(store: &Memory, key: Key) -> Event {
    let current = store.get(&key).wait().unwrap().entry;
    let write = match current {
        None => Write::create(key, "1".into()),
        Some(entry) => Write::update(key, entry.revision, "2".into()),
    };
    store.write(write).wait().unwrap()
}

#[test]
fn a_watch_of_a_name_sleeps_through_the_writes_of_others() {
    let store = Memory::new();
    let scope = Scope::all_namespaces("", "pods").unwrap();
    let watch = store.watch_name(&scope, "web", Revision::FIRST);
    let mut watcher = Watcher { scope, watch, wakes: Arc::default(), seen: Vec::new() };
    let mut all = Watcher::new(&store, Scope::resource("", "pods").unwrap());
    let pod = |namespace: usize, name: &str| Key::namespaced("", "pods", &format!("ns-{namespace}"), name).unwrap();
    put(&store, pod(0, "web"));
    put(&store, pod(0, "other"));
    assert_eq!((watcher.read(), watcher.seen.len()), (None, 1));
    assert_eq!((all.read(), all.seen.len()), (None, 2));
    for number in 0..1000 {
        put(&store, pod(number, "other"));
        all.read();
    }
    assert_eq!((watcher.wakes(), all.seen.len()), (0, 1002));
    let expected = [put(&store, pod(1, "web")), put(&store, pod(0, "web"))];
    put(&store, pod(1, "other"));
    assert_eq!((watcher.wakes(), watcher.read()), (1, None));
    assert_eq!(watcher.seen[1..], expected);
    // It is told how far it is as any other.
    store.request_progress();
    assert_eq!((watcher.wakes(), watcher.read()), (2, Some(store.revision().wait().unwrap())));
}

#[test]
fn a_write_elsewhere_wakes_nobody() {
    let store = Memory::new();
    let scope = |number: usize| Scope::namespace("", "pods", &format!("ns-{number}")).unwrap();
    let mut watchers: Vec<_> = (0..1000).map(|number| Watcher::new(&store, scope(number))).collect();
    for watcher in &mut watchers {
        assert_eq!(watcher.read(), None);
    }
    put(&store, pod("elsewhere", "a"));
    assert_eq!(watchers.iter().map(Watcher::wakes).sum::<usize>(), 0);
    put(&store, pod("ns-7", "a"));
    assert_eq!(watchers.iter().map(Watcher::wakes).sum::<usize>(), 1);
    assert_eq!(watchers[7].wakes(), 1);
}

#[test]
fn a_quiet_watch_outlives_the_history_of_others() {
    let retention = Retention { events: 5, ..Retention::default() };
    let store = Memory::with(retention, Arc::new(SystemClock));
    let mut quiet = Watcher::new(&store, Scope::namespace("", "pods", "quiet").unwrap());
    quiet.read();
    for _ in 0..100 {
        put(&store, pod("busy", "a"));
    }
    let expected = put(&store, pod("quiet", "a"));
    for _ in 0..4 {
        put(&store, pod("busy", "a"));
    }
    quiet.read();
    assert_eq!(quiet.seen, [expected]);
}

/// A watch takes a few large values at once, and the rest of them later.
#[test]
fn a_watch_misses_no_large_value() {
    let store = Memory::new();
    let mut watcher = Watcher::new(&store, Scope::resource("", "pods").unwrap());
    let create = |number: usize| {
        let key = pod("a", &format!("pod-{number}"));
        store.write(Write::create(key, vec![1; 100 << 10].into())).wait().unwrap()
    };
    let expected: Vec<_> = (0..20).map(create).collect();
    watcher.read();
    assert_eq!(watcher.seen.len(), expected.len());
    assert!(watcher.seen == expected);
}

/// Writers do not wait for a watch that looks for its events among many of others.
#[test]
fn a_watch_looks_at_many_events_of_others_in_portions() {
    let store = Memory::new();
    let mut busy = put(&store, pod("busy", "a"));
    for _ in 0..25_000 {
        busy = store.write(Write::update(pod("busy", "a"), busy.revision, "2".into())).wait().unwrap();
    }
    let expected = put(&store, pod("quiet", "a"));
    let mut quiet = Watcher::new(&store, Scope::namespace("", "pods", "quiet").unwrap());
    let mut looks = 0;
    while quiet.seen.is_empty() {
        quiet.read();
        looks += 1;
        assert_eq!(quiet.wakes(), looks.min(2), "it wakes itself for the next look");
    }
    assert_eq!((looks, quiet.seen), (3, vec![expected]));
}

/// What a key was is found, and forgotten, as quickly as that of others, however often it changes.
#[test]
fn one_key_may_change_often() {
    let retention = Retention { events: 100_000, ..Retention::default() };
    let store = Memory::with(retention, Arc::new(SystemClock));
    let mut last = put(&store, pod("a", "a"));
    for number in 0..200_000 {
        let write = Write::update(pod("a", "a"), last.revision, format!("{number}").into());
        last = store.write(write).wait().unwrap();
    }
    let scope = Scope::resource("", "pods").unwrap();
    for ago in [0, 1, 50_000, 99_999] {
        let at = Revision(last.revision.0 - ago);
        let page = store.list(&scope, ListOptions { at: Some(at), ..ListOptions::default() }).wait().unwrap();
        assert_eq!(page.entries[0].revision, at);
    }
}

#[test]
fn watches_of_every_scope_miss_nothing() {
    for seed in 0..50_u64 {
        let store = Memory::new();
        let scopes = [
            Scope::resource("", "pods").unwrap(),
            Scope::all_namespaces("", "pods").unwrap(),
            Scope::cluster("", "pods").unwrap(),
            Scope::namespace("", "pods", "a").unwrap(),
            Scope::namespace("", "pods", "b").unwrap(),
            Scope::object(&pod("a", "x")),
        ];
        let mut watchers: Vec<_> = scopes.iter().map(|scope| Watcher::new(&store, scope.clone())).collect();
        let keys = [pod("a", "x"), pod("a", "y"), pod("b", "x"), Key::cluster("", "pods", "x").unwrap()];
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |most: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random % most as u64).unwrap()
        };
        let mut events = Vec::new();
        for _ in 0..300 {
            match next(8) {
                0..4 => events.push(put(&store, keys[next(keys.len())].clone())),
                4 => store.request_progress(),
                _ => {
                    let at = next(watchers.len());
                    if let Some(progress) = watchers[at].read() {
                        let matching = events.iter().filter(|event| watchers[at].scope.contains(&event.key));
                        assert_eq!(
                            watchers[at].seen.len(),
                            matching.filter(|event| event.revision <= progress).count()
                        );
                    }
                }
            }
        }
        for mut watcher in watchers {
            watcher.read();
            let expected: Vec<_> = events.iter().filter(|event| watcher.scope.contains(&event.key)).cloned().collect();
            assert_eq!(watcher.seen, expected, "{:?}, seed {seed}", watcher.scope);
        }
    }
}

async fn a_watch_of_one_object_sees_it_only(store: Arc<dyn Store>) {
    let mut watch = store.watch(&Scope::object(&pod("a", "web")), Revision::FIRST);
    for other in [pod("a", "web2"), pod("a", "we"), pod("b", "web"), Key::cluster("", "pods", "web").unwrap()] {
        store.write(Write::create(other, "1".into())).await.unwrap();
    }
    let created = store.write(Write::create(pod("a", "web"), "1".into())).await.unwrap();
    let deleted = store.write(Write::delete(pod("a", "web"), created.revision)).await.unwrap();
    for expected in [created, deleted] {
        assert_eq!(crate::stores::event(&mut watch).await, expected);
    }
}
