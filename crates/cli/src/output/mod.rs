//! The output streams: results to standard output, everything about them to standard error.

mod color;
mod diagnostics;
mod harmless;
mod progress;
mod replace;
pub(crate) mod wire;

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use sprag_analysis::Identity;
use sprag_idl::{Finding, Sources};

pub(crate) use self::color::Color;
pub(crate) use self::diagnostics::Diagnostics;
pub(crate) use self::progress::Progress;
pub(crate) use self::replace::replace;

use self::harmless::{Harmless, harmless};

/// The two output streams.
pub(crate) struct Terminal {
    out: Harmless<BufWriter<io::Stdout>>,
    diagnostics: Diagnostics,
    /// True if standard error is.
    colored: bool,
}

impl Terminal {
    pub(crate) fn new() -> Terminal {
        let colored = color::is_colored(&io::stderr());
        let out = Harmless::new(BufWriter::new(io::stdout()), Terminal::is_colored());
        Terminal { out, diagnostics: Diagnostics::new(colored), colored }
    }

    /// True if results may be coloured.
    pub(crate) fn is_colored() -> bool {
        color::is_colored(&io::stdout())
    }

    /// Returns the stream of results.
    pub(crate) fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    /// Writes a line of the result.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// Writes a result that brings its own line ends.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Makes sure that the result so far is out.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Shows a finding about a source file.
    pub(crate) fn finding(&mut self, finding: &Finding, sources: &Sources) {
        let text = self.diagnostics.finding(finding, sources);
        self.aside(text);
    }

    /// Shows a finding about an object.
    pub(crate) fn object(&mut self, file: &str, identity: &Identity, finding: &sprag_analysis::Finding) {
        let name = if identity.kind.is_empty() { String::new() } else { identity.to_string() };
        let text = self.diagnostics.object(file, &name, finding);
        self.aside(text);
    }

    /// Shows how a command is used.
    pub(crate) fn help(&mut self, text: &str) {
        self.aside(text.trim_end());
    }

    /// Shows why nothing could be done.
    pub(crate) fn error(&mut self, error: &anyhow::Error) {
        let text = self.diagnostics.error(&with_causes(error));
        self.aside(text);
    }

    /// Shows a warning that does not make the result any worse.
    pub(crate) fn warning(&mut self, text: &str) {
        let text = self.diagnostics.warning(text);
        self.aside(text);
    }

    /// Shows something worth knowing about the result.
    pub(crate) fn note(&mut self, text: &str) {
        let text = self.diagnostics.note(text);
        self.aside(text);
    }

    /// Results come first when both streams are the same; nobody reads a closed stream.
    fn aside(&mut self, text: impl Display) {
        let _ = self.out.flush();
        let text = text.to_string();
        // Colours are control characters too.
        let text = if self.colored { text } else { harmless(&text).into_owned() };
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// An error with its causes. Some errors say in their own text what their cause is, so that it is not said again.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let missing = || io::Error::other("no such file");
        let said = anyhow::Error::new(missing()).context("cannot read a.yaml: no such file");
        assert_eq!(with_causes(&said), "cannot read a.yaml: no such file");
        let unsaid = Err::<(), _>(missing()).context("a.yaml").context("--crds").unwrap_err();
        assert_eq!(with_causes(&unsaid), "--crds: a.yaml: no such file");
    }
}
