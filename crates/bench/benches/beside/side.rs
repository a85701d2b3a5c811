//! A server that is measured.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use crate::Outcome;
use crate::process::{Endpoint, Server, resident_of};

/// A server that is measured, with all its processes.
pub(crate) trait Side: Sync {
    fn name(&self) -> &'static str;

    fn endpoint(&self) -> &Endpoint;

    fn processes(&self) -> Vec<u32>;

    /// From before there was a process to the first good answer of `/readyz`.
    fn ready_in(&self) -> Duration;
}

impl Side for Server {
    fn name(&self) -> &'static str {
        "Sprag"
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.id()]
    }

    fn ready_in(&self) -> Duration {
        self.ready_in
    }
}

/// The CPU time of all processes of a server so far, of threads that ended, too.
pub(crate) fn cpu(side: &dyn Side) -> Outcome<Duration> {
    let mut total = Duration::ZERO;
    for process in side.processes() {
        let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(i32::try_from(process)?))?;
        total += Duration::from(clock_gettime(clock)?);
    }
    Ok(total)
}

/// The memory of each server in MB.
pub(crate) fn residents(sides: &[Box<dyn Side>]) -> Outcome<Vec<f64>> {
    sides.iter().map(|side| side.processes().into_iter().map(resident_of).sum()).collect()
}
