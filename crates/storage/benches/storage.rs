//! `cargo bench -p sprag-storage`: a table of what the disk decides, then the operations in memory with their allocations.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench that cannot run fails; its output is a table")]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use sprag_storage::testing::Scratch;
use sprag_storage::{Embedded, Key, ListOptions, Memory, Scope, Store, Write};

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

const WRITERS: usize = 32;
const WRITES: usize = 2000;
const OBJECTS: usize = 100_000;
const VALUE: usize = 1024;
/// The machine may be busy: the best of so many runs counts.
const RUNS: usize = 5;

fn main() {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("--open") {
        return print_open(Path::new(&words.next().unwrap()));
    }
    println!("fsync of 1 KB        {:>10.1?}  (median)", median_sync());
    let alone = one_writer();
    println!("1 writer             {alone:>10.1?}  (median per write, durable)");
    println!("fsync of 1 KB        {:>10.1?}  (median, once more)", median_sync());
    let together = (0..RUNS).map(|_| many_writers()).max().unwrap_or(0);
    println!("{WRITERS} writers           {together:>10}  writes/s, durable, 1 KB each");
    open();
    divan::main();
}

/// Returns the cost of one durable write without any store.
fn median_sync() -> Duration {
    let folder = Scratch::new("bench-sync").unwrap();
    let file = File::create(folder.path().join("file")).unwrap();
    let times = (0..WRITES as u64).map(|number| {
        let start = Instant::now();
        file.write_all_at(&[7; VALUE], number * VALUE as u64).unwrap();
        file.sync_data().unwrap();
        start.elapsed()
    });
    median(times.collect())
}

fn one_writer() -> Duration {
    let folder = Scratch::new("bench-one").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    let times = (0..WRITES).map(|number| {
        let write = Write::create(key(number), value(number));
        let start = Instant::now();
        store.write(write).wait().unwrap();
        start.elapsed()
    });
    median(times.collect())
}

fn many_writers() -> usize {
    let folder = Scratch::new("bench-many").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                for number in 0..WRITES {
                    let number = writer * WRITES + number;
                    store.write(Write::create(key(number), value(number))).wait().unwrap();
                }
            });
        }
    });
    let micros = usize::try_from(start.elapsed().as_micros()).unwrap();
    WRITERS * WRITES * 1_000_000 / micros
}

/// Fills a store as many writers would, then opens it in a process of its own.
fn open() {
    let folder = Scratch::new("bench-open").unwrap();
    let store = Arc::new(Embedded::open(folder.path()).unwrap());
    let threads: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            std::thread::spawn(move || {
                for number in (writer..OBJECTS).step_by(WRITERS) {
                    store.write(Write::create(key(number), value(number))).wait().unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    println!("filled               {:>10}  KB resident, {} objects", resident(), store.status().entries);
    drop(store);
    for _ in 0..RUNS {
        let program = std::env::current_exe().unwrap();
        let output = Command::new(program).arg("--open").arg(folder.path()).output().unwrap();
        print!("{}", String::from_utf8_lossy(&output.stdout));
    }
}

fn print_open(folder: &Path) {
    let before = resident();
    let start = Instant::now();
    let store = Embedded::open(folder).unwrap();
    let took = start.elapsed();
    let status = store.status();
    let stored = status.bytes / 1024;
    let more = resident() - before;
    let most = 2 * stored + status.entries;
    let cpu = cpu_time();
    println!(
        "open                 {took:>10.1?}  {cpu:?} of CPU, {} objects, {stored} KB stored, {more} KB resident (most {most})",
        status.entries
    );
}

/// Kilobytes of this process in memory.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Returns the CPU time of this process, in steps of 10 ms: a busy machine does not change it.
fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    Duration::from_millis(10 * fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn key(number: usize) -> Key {
    Key::namespaced("apps", "deployments", &format!("namespace-{}", number % 100), &format!("object-{number}")).unwrap()
}

fn value(number: usize) -> Bytes {
    Bytes::from(vec![u8::try_from(number % 256).unwrap(); VALUE])
}

fn filled() -> Memory {
    let store = Memory::new();
    for number in 0..OBJECTS {
        store.write(Write::create(key(number), value(number))).wait().unwrap();
    }
    store
}

#[divan::bench(sample_size = 100)]
fn get(bencher: divan::Bencher<'_, '_>) {
    let store = filled();
    let mut number = 0;
    bencher
        .with_inputs(|| {
            number = (number + 7919) % OBJECTS;
            key(number)
        })
        .bench_local_refs(|key| store.get(key).wait().unwrap());
}

#[divan::bench]
fn list_of_1000(bencher: divan::Bencher<'_, '_>) {
    let store = filled();
    let scope = Scope::namespace("apps", "deployments", "namespace-7").unwrap();
    bencher.bench_local(|| store.list(&scope, ListOptions::default()).wait().unwrap());
}

#[divan::bench(sample_size = 100)]
fn update_in_memory(bencher: divan::Bencher<'_, '_>) {
    let store = filled();
    let key = key(5);
    let mut last = store.get(&key).wait().unwrap().entry.unwrap().revision;
    bencher.with_inputs(|| value(5)).bench_local_values(|value| {
        let event = store.write(Write::update(key.clone(), last, value)).wait().unwrap();
        last = event.revision;
    });
}
