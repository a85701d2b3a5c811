//! The start-up time of a server with many large definitions in its store, and the time of its first object.

use std::fs;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use divan::{AllocProfiler, Bencher};
use sprag_controllers::DefinitionController;
use sprag_crd::definitions;
use sprag_registry::Registry;
use sprag_rest::{Format, Request, User, WriteOptions};
use sprag_storage::{Memory, Store};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/crds");
/// The number of largest definitions taken.
const COUNT: usize = 20;

#[expect(clippy::print_stderr, reason = "says why nothing is measured")]
fn main() {
    if Path::new(CORPUS).is_dir() {
        divan::main();
    } else {
        eprintln!("skipped: {CORPUS} is missing");
    }
}

/// The largest definitions of the corpus.
fn texts() -> Vec<Vec<u8>> {
    let files = fs::read_dir(CORPUS).expect("the corpus is a folder");
    let mut texts: Vec<Vec<u8>> = files.filter_map(|file| fs::read(file.ok()?.path()).ok()).collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.truncate(COUNT);
    texts
}

/// A store with definitions in it.
fn store() -> Arc<dyn Store> {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let registry = registry(&store);
    let user = User::default();
    let request = Request {
        group: "apiextensions.k8s.io",
        version: "v1",
        resource: "customresourcedefinitions",
        namespace: "",
        name: "",
        subresource: "",
        user: &user,
    };
    let options = WriteOptions::by("bench");
    for text in texts() {
        // Not every file of the corpus is a definition that is accepted.
        let Ok((definition, _)) = registry.decode(&request, &text, Format::Yaml, &options) else { continue };
        let _ = wait(registry.create(&request, definition, &options));
    }
    wait(DefinitionController::new(registry).sync()).expect("the store works");
    store
}

fn registry(store: &Arc<dyn Store>) -> Registry {
    Registry::builder(store.clone()).resource(definitions()).build()
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the memory store answers at once"),
    }
}

#[divan::bench]
fn sync_of_a_new_server(bencher: Bencher) {
    let store = store();
    bencher.bench(|| {
        let registry = registry(&store);
        wait(DefinitionController::new(registry.clone()).sync()).expect("the store works");
        registry
    });
}

#[divan::bench]
fn sync_without_changes(bencher: Bencher) {
    let store = store();
    let controller = DefinitionController::new(registry(&store));
    wait(controller.sync()).expect("the store works");
    bencher.bench(|| wait(controller.sync()));
}
