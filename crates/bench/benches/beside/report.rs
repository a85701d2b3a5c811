//! The tables.

use std::time::Duration;

use crate::Outcome;
use crate::kind::Kind;
use crate::measure::{Measured, Row};
use crate::side::{self, Side};
use crate::watches::Watched;

/// Prints what was measured of one kind.
pub(crate) fn print_kind(sides: &[Box<dyn Side>], floor: &[Measured], kind: Kind, rows: &[Row]) {
    println!("\n{kind}, {} bytes", kind.body("o0-0", 1, None).len());
    head(&names(sides));
    line("GET /livez", floor, floor);
    for row in rows {
        line(row.verb.name(), &row.measured, floor);
    }
}

/// Prints what watched writes cost.
pub(crate) fn print_watched(sides: &[Box<dyn Side>], watched: &[Watched]) {
    println!("\nWrites of a ConfigMap that {} watches see", watched.first().map_or(0, |watched| watched.watches));
    for (name, watched) in names(sides).iter().zip(watched) {
        let Watched { cpu, median, p99, .. } = watched;
        println!(
            "{name:<16}{:>9} µs CPU a write, events after {} and {} µs (p50, p99)",
            micros(*cpu),
            micros(*median),
            micros(*p99)
        );
    }
}

/// Prints start and memory, and what the README says.
pub(crate) fn print_servers(sides: &[Box<dyn Side>], idle: &[f64], tables: &[Vec<Row>]) -> Outcome<()> {
    println!();
    for ((side, idle), now) in sides.iter().zip(idle).zip(side::residents(sides)?) {
        let ready = side.ready_in().as_secs_f64();
        println!("{:<16}ready after {ready:.3} s, {idle:.1} MB idle, {now:.1} MB in the end", side.name());
    }
    if sides.len() > 1 {
        readme(tables);
    }
    Ok(())
}

fn names(sides: &[Box<dyn Side>]) -> Vec<&'static str> {
    sides.iter().map(|side| side.name()).collect()
}

fn head(names: &[&str]) {
    let columns: Vec<String> =
        names.iter().map(|name| format!("{:>12}{:>10}{:>10}", name_of(name), "p50", "p99")).collect();
    let columns = columns.concat();
    println!("{:<14}{columns}{:>10}   µs", "", if names.len() > 1 { "ratio" } else { "/livez" });
}

fn name_of(name: &str) -> String {
    format!("{} CPU", name.strip_prefix("kube-").unwrap_or(name)).chars().take(12).collect()
}

/// A line: the ratio is that of the CPU to ours; alone, that of ours to the floor.
fn line(name: &str, measured: &[Measured], floor: &[Measured]) {
    let columns: Vec<String> = measured
        .iter()
        .map(|one| format!("{:>12}{:>10}{:>10}", micros(one.cpu), micros(one.median), micros(one.p99)))
        .collect();
    let columns = columns.concat();
    let ratio = match (measured, floor) {
        ([ours], [floor]) => ours.cpu.as_secs_f64() / floor.cpu.as_secs_f64(),
        _ => ratio(measured).unwrap_or_default(),
    };
    println!("{name:<14}{columns}{ratio:>10.1}");
}

fn micros(time: Duration) -> String {
    format!("{:.0}", time.as_secs_f64() * 1e6)
}

/// How many times our CPU the reference takes.
fn ratio(measured: &[Measured]) -> Option<f64> {
    let [ours, theirs] = measured else { return None };
    Some(theirs.cpu.as_secs_f64() / ours.cpu.as_secs_f64())
}

/// Prints the row of the README: the least and the greatest ratio of requests about one object.
fn readme(tables: &[Vec<Row>]) {
    let rows = tables.iter().flatten().filter(|row| !row.verb.is_list());
    let ratios: Vec<f64> = rows.filter_map(|row| ratio(&row.measured)).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = ratios.iter().copied().fold(0.0, f64::max);
    println!("\nREADME: | a request's CPU | {least:.0} to {greatest:.0} times less | kube-apiserver with etcd |");
}
