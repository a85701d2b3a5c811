//! Coloured output: `--color`, then `NO_COLOR`, then `FORCE_COLOR`, then whether the stream is a terminal.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::ValueEnum;

/// The modes of coloured output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

static CHOICE: OnceLock<Color> = OnceLock::new();

impl Color {
    /// Makes this the choice of the process. The first call wins.
    pub(crate) fn choose(self) {
        let _ = CHOICE.set(self);
    }

    fn applies(self, no_color: bool, force_color: bool, is_terminal: bool) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => !no_color && (force_color || is_terminal),
        }
    }
}

/// True if what goes to this stream is to be coloured.
pub(super) fn is_colored(stream: &impl IsTerminal) -> bool {
    let choice = CHOICE.get().copied().unwrap_or_default();
    choice.applies(is_set("NO_COLOR"), is_set("FORCE_COLOR") && !is_zero("FORCE_COLOR"), stream.is_terminal())
}

/// <https://no-color.org> and <https://force-color.org>: any value that is not empty counts.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Node's tools take `FORCE_COLOR=0` as off.
fn is_zero(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| value == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_comes_before_the_environment() {
        assert!(Color::Always.applies(true, false, false));
        assert!(!Color::Never.applies(false, true, true));
        assert!(!Color::Auto.applies(true, true, true));
        assert!(Color::Auto.applies(false, true, false));
        assert!(Color::Auto.applies(false, false, true));
        assert!(!Color::Auto.applies(false, false, false));
    }
}
