//! A whole create in process: decode, default, prepare, validate, store, event.

use divan::Bencher;
use sprag_rest::RestConfig;
use widgets::v1::Widget;

mod api;

use api::Api;

#[global_allocator]
static ALLOC: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

fn main() {
    divan::main();
}

/// The text of another widget each time.
fn bodies() -> impl FnMut() -> String {
    let mut count = 0_u64;
    move || {
        count += 1;
        format!(
            r#"{{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{{"name":"w{count}","labels":{{"a":"b"}}}},"spec":{{"class":"fast","parts":[{{"name":"x"}}]}}}}"#
        )
    }
}

/// With the hooks of the example.
#[divan::bench(sample_count = 200, sample_size = 50)]
fn create_with_hooks(bencher: Bencher<'_, '_>) {
    let api = Api::new(widgets::widgets());
    bencher.with_inputs(bodies()).bench_local_values(|body| api.create(api.read(&body)));
}

/// As a resource is by default.
#[divan::bench(sample_count = 200, sample_size = 50)]
fn create_by_default(bencher: Bencher<'_, '_>) {
    let api = Api::new(RestConfig::<Widget>::new("example.dev", "v1", "widgets").define());
    bencher.with_inputs(bodies()).bench_local_values(|body| api.create(api.read(&body)));
}

/// Just the first step.
#[divan::bench(sample_count = 200, sample_size = 50)]
fn decode(bencher: Bencher<'_, '_>) {
    let api = Api::new(widgets::widgets());
    bencher.with_inputs(bodies()).bench_local_values(|body| api.read(&body));
}
