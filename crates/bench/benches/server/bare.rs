//! The floor of this machine: a request and an answer over TCP from one client, and a write that is synced.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::process::{Folder, cpu_of};

/// The time during which requests are sent: at first both ends may share a core, which costs much less than it does
/// later.
const LASTS: Duration = Duration::from_secs(2);
/// The bytes of a request, of an answer and of a write, as the 1 KB custom resource has them.
const REQUEST: usize = 970;
const ANSWER: usize = 1940;
const PAGE: usize = 4096;
/// The number of pages that are written, over and over.
const PAGES: u32 = 1024;

/// The CPU milliseconds that a thread needs to answer a request, without or with a synced write.
pub(crate) fn cpu_of_exchange(synced: bool) -> Outcome<f64> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let folder = Folder::new()?;
    let server = thread::spawn(move || serve(&listener, synced.then(|| folder.path())));
    let mut client = TcpStream::connect(address)?;
    client.set_nodelay(true)?;
    let started = Instant::now();
    let mut count = 0_u32;
    while started.elapsed() < LASTS {
        client.write_all(&[0; REQUEST])?;
        client.read_exact(&mut [0; ANSWER])?;
        count += 1;
    }
    drop(client);
    let cpu = server.join().map_err(|_| "the thread that answers ended")??;
    Ok(cpu.as_secs_f64() * 1e3 / f64::from(count))
}

fn serve(listener: &TcpListener, folder: Option<&Path>) -> Outcome<Duration> {
    let (mut client, _) = listener.accept()?;
    client.set_nodelay(true)?;
    let log = folder.map(|folder| File::create(folder.join("log"))).transpose()?;
    if let Some(log) = &log {
        for page in 0..PAGES {
            log.write_all_at(&[0; PAGE], u64::from(page) * PAGE as u64)?;
        }
        log.sync_all()?;
    }
    let this_thread = Path::new("/proc/thread-self");
    let before = cpu_of(this_thread)?;
    for page in (0..PAGES).cycle() {
        if client.read_exact(&mut [0; REQUEST]).is_err() {
            break;
        }
        if let Some(log) = &log {
            log.write_all_at(&[1; PAGE], u64::from(page) * PAGE as u64)?;
            log.sync_data()?;
        }
        client.write_all(&[0; ANSWER])?;
    }
    Ok(cpu_of(this_thread)?.saturating_sub(before))
}
