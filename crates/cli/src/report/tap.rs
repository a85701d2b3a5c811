//! Test Anything Protocol: one line per object, its errors behind it.

use std::io::{self, Write};

use sprag_analysis::{FileReport, Identity, Status};

use super::visible::visible;
use super::{Render, Totals};

#[derive(Default)]
pub(super) struct Tap {
    count: usize,
}

impl Tap {
    fn start(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.count == 0 { out.write_all(b"TAP version 13\n") } else { Ok(()) }
    }
}

impl Render for Tap {
    fn file(&mut self, report: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        for resource in &report.resources {
            self.start(out)?;
            self.count += 1;
            let count = self.count;
            let file = escape(&report.file);
            let name = escape(&full_name(&resource.identity));
            let message = escape(&resource.message());
            match resource.status {
                Status::Valid => writeln!(out, "ok {count} - {file} ({name})")?,
                Status::Invalid => writeln!(out, "not ok {count} - {file} ({name}): {message}")?,
                Status::Error => writeln!(out, "not ok {count} - {file}: {message}")?,
                Status::Skipped => writeln!(out, "ok {count} - {file} ({name}) # skip")?,
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &Totals, out: &mut dyn Write) -> io::Result<()> {
        self.start(out)?;
        writeln!(out, "1..{}", self.count)
    }
}

/// kubeconform's name for an object: version, kind, namespace and name.
fn full_name(identity: &Identity) -> String {
    format!("{}/{}/{}/{}", identity.api_version, identity.kind, identity.namespace, identity.name)
}

/// A description ends at an unescaped number sign.
pub(crate) fn escape(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('#', "\\#")
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]
mod tests {
    use expect_test::expect;

    use crate::report::Format;
    use crate::report::format::tests::check;

    #[test]
    fn every_object_is_a_line() {
        let text = check(
            Format::Tap,
            &expect![[r#"
                TAP version 13
                ok 1 - a.yaml (example.com/v1/Widget/default/good)
                not ok 2 - a.yaml (example.com/v1/Widget/default/bad): [spec.size: Invalid value: -1: no, spec.other: Required value]
                ok 3 - a.yaml (example.com/v1/Widget/default/left) # skip
                not ok 4 - a\\u{1b}[31m\\r\\n::error file=x::pwned\\n]]></testcase> \# skip %0A,:: a\\u{1b}[31m\\r\\n::error file=x::pwned\\n]]></testcase> \# skip %0A,:
                1..4
            "#]],
        );
        assert_eq!(text.lines().count(), 6);
    }
}
