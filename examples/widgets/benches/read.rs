//! Reading what is there: one object, a list, the lines of a watch.

use std::hint::black_box;

use divan::Bencher;
use sprag_registry::WatchStream;
use sprag_rest::{ListOptions, Request};

mod api;

use api::{Api, wait};

#[global_allocator]
static ALLOC: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

const OBJECTS: usize = 1000;

fn main() {
    divan::main();
}

/// A thousand widgets of 1.8 KB.
fn filled() -> Api {
    let api = Api::new(widgets::widgets());
    for number in 0..OBJECTS {
        create(&api, number);
    }
    api
}

fn create(api: &Api, number: usize) {
    let note = "n".repeat(1300);
    let body = format!(
        r#"{{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{{"name":"w{number}","labels":{{"a":"b"}},"annotations":{{"note":"{note}"}}}},"spec":{{"class":"fast","parts":[{{"name":"x"}}]}}}}"#
    );
    api.create(api.read(&body));
}

#[divan::bench(args = ["v1", "v1beta1"])]
fn get(bencher: Bencher<'_, '_>, version: &str) {
    let api = filled();
    let request = Request { version, name: "w7", ..api.request() };
    bencher.bench_local(|| wait(api.registry.get_encoded(black_box(&request), "")).expect("the widget is there"));
}

#[divan::bench(args = ["v1", "v1beta1"])]
fn list_of_1000(bencher: Bencher<'_, '_>, version: &str) {
    let api = filled();
    let request = Request { version, ..api.request() };
    let list = || wait(api.registry.list_encoded(&request, &ListOptions::default())).expect("widgets are listed");
    list();
    bencher.bench_local(list);
}

#[divan::bench(args = [1, 100])]
fn event_to_watchers(bencher: Bencher<'_, '_>, watchers: usize) {
    let api = filled();
    let options = ListOptions { resource_version: newest(&api), ..ListOptions::default() };
    let watch = |_| wait(api.registry.watch(&api.request(), &options)).expect("widgets are watched");
    let mut watches: Vec<WatchStream> = (0..watchers).map(watch).collect();
    let mut number = OBJECTS;
    bencher
        .with_inputs(|| {
            number += 1;
            create(&api, number);
        })
        .bench_local_values(|()| {
            for watch in &mut watches {
                black_box(wait(watch.next_encoded()));
            }
        });
}

fn newest(api: &Api) -> String {
    wait(api.registry.list(&api.request(), &ListOptions::default())).expect("widgets are listed").resource_version
}
