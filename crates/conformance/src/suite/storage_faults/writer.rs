//! The process that gets killed: writes to a store and prints every acknowledged write.
//!
//! Reads from its input how many operations of each writer are done already; prints `<writer> <operation> <revision>` for every
//! acknowledged one, in a single write, so that a line is whole or missing.

use std::io::{self, Read as _, Write as _};
use std::path::Path;

use sprag_storage::{Embedded, Store, Write};

use super::plan::{Contents, Plan, WRITERS, options};

pub(super) fn run(folder: &Path) -> Result<(), String> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input).map_err(|error| error.to_string())?;
    let done = input.split_whitespace().map(str::parse).collect::<Result<Vec<usize>, _>>();
    let done = done.map_err(|error| error.to_string())?;
    let store = Embedded::open_with(folder, options()).map_err(|error| error.to_string())?;
    std::thread::scope(|scope| {
        let store = &store;
        let threads: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let done = done.get(writer).copied().unwrap_or(0);
                scope.spawn(move || write(store, writer, done))
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err("a writer panicked".into())))
    })
}

/// Follows its plan until the process ends.
fn write(store: &Embedded, writer: usize, done: usize) -> Result<(), String> {
    let mut plan = Plan::new(writer);
    plan.skip(done, &mut Contents::new())?;
    loop {
        let number = plan.taken();
        let step = plan.next()?;
        let current = store.get(&step.key).wait().map_err(|error| error.to_string())?.entry;
        let write = match (current, step.value) {
            (None, Some(value)) => Write::create(step.key, value),
            (Some(entry), Some(value)) => Write::update(step.key, entry.revision, value),
            (Some(entry), None) => Write::delete(step.key, entry.revision),
            (None, None) => continue,
        };
        let event = store.write(write).wait().map_err(|error| error.to_string())?;
        let line = format!("{writer} {number} {}\n", event.revision);
        io::stdout()
            .write_all(line.as_bytes())
            .and_then(|()| io::stdout().flush())
            .map_err(|error| error.to_string())?;
    }
}
