//! A line on the terminal that says how far a long run has come.
//!
//! A carriage return and a bar are all it takes, so there is no library behind it.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The line comes after this time, so short runs show nothing.
const DELAY: Duration = Duration::from_millis(300);

/// Cells of the bar.
const WIDTH: usize = 24;

/// The line, if standard error is a terminal.
pub(crate) struct Progress {
    enabled: bool,
    total: usize,
    done: usize,
    started: Instant,
    is_shown: bool,
}

impl Progress {
    /// Nothing of so many is done.
    pub(crate) fn new(total: usize) -> Progress {
        let enabled = total > 1 && io::stderr().is_terminal();
        Progress { enabled, total, done: 0, started: Instant::now(), is_shown: false }
    }

    /// True if there is a line at all.
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// One more is done.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        if self.enabled && self.started.elapsed() >= DELAY {
            self.is_shown = true;
            draw(&format!("\r{}", bar(self.done, self.total)));
        }
    }

    /// Takes the line away, so that results can be printed.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            draw("\r\u{1b}[K");
        }
    }
}

fn draw(text: &str) {
    // A terminal that is gone is not a reason to stop.
    let mut terminal = io::stderr().lock();
    let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}

fn bar(done: usize, total: usize) -> String {
    let full = (done * WIDTH).checked_div(total).unwrap_or(WIDTH).min(WIDTH);
    format!("[{}{}] {done}/{total} files", "#".repeat(full), " ".repeat(WIDTH - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_grows() {
        assert_eq!(bar(0, 4), "[                        ] 0/4 files");
        assert_eq!(bar(1, 4), "[######                  ] 1/4 files");
        assert_eq!(bar(4, 4), "[########################] 4/4 files");
    }
}
