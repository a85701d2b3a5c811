//! kubeconform's JSON document; each object also has its findings in parts.

use std::io::{self, Write};

use sprag_analysis::{FileReport, Status};

use super::{Options, Render, Totals, wire};

pub(super) struct Json {
    options: Options,
    any: bool,
}

impl Json {
    pub(super) fn new(options: Options) -> Json {
        Json { options, any: false }
    }
}

impl Render for Json {
    fn file(&mut self, report: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        for resource in &report.resources {
            let is_quiet = matches!(resource.status, Status::Valid | Status::Skipped) && resource.findings.is_empty();
            if is_quiet && !self.options.verbose {
                continue;
            }
            let text =
                serde_json::to_string_pretty(&wire::Resource::new(&report.file, resource, self.options.kubernetes))?;
            let before = if self.any { "," } else { "{\n  \"resources\": [" };
            write!(out, "{before}\n    {}", text.replace('\n', "\n    "))?;
            self.any = true;
        }
        Ok(())
    }

    fn finish(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.any { b"\n  ]" } else { b"{\n  \"resources\": []" })?;
        if self.options.summary {
            let text = serde_json::to_string_pretty(&wire::Summary::new(totals, self.options.kubernetes))?;
            write!(out, ",\n  \"summary\": {}", text.replace('\n', "\n  "))?;
        }
        out.write_all(b"\n}\n")
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::report::Format;
    use crate::report::format::tests::{HOSTILE, check};

    #[expect(clippy::too_many_lines, reason = "a whole document")]
    #[test]
    fn objects_carry_their_findings() {
        let text = check(
            Format::Json,
            &expect![[r#"
            {
              "resources": [
                {
                  "filename": "a.yaml",
                  "kind": "Widget",
                  "name": "good",
                  "namespace": "default",
                  "version": "example.com/v1",
                  "status": "statusValid",
                  "msg": "",
                  "findings": []
                },
                {
                  "filename": "a.yaml",
                  "kind": "Widget",
                  "name": "bad",
                  "namespace": "default",
                  "version": "example.com/v1",
                  "status": "statusInvalid",
                  "msg": "[spec.size: Invalid value: -1: no, spec.other: Required value]",
                  "validationErrors": [
                    {
                      "path": "spec.size",
                      "msg": "spec.size: Invalid value: -1: no"
                    },
                    {
                      "path": "spec.size",
                      "msg": "spec.other: Required value"
                    }
                  ],
                  "findings": [
                    {
                      "severity": "error",
                      "source": "schema",
                      "message": "spec.size: Invalid value: -1: no",
                      "type": "FieldValueInvalid",
                      "field": "spec.size",
                      "value": -1,
                      "detail": "spec.size: Invalid value: -1: no",
                      "line": 7,
                      "column": 9
                    },
                    {
                      "severity": "error",
                      "source": "schema",
                      "message": "spec.other: Required value",
                      "type": "FieldValueInvalid",
                      "field": "spec.size",
                      "value": -1,
                      "detail": "spec.other: Required value",
                      "line": 7,
                      "column": 9
                    },
                    {
                      "severity": "warning",
                      "source": "schema",
                      "message": "unknown field \"spec.x\"",
                      "type": "FieldValueInvalid",
                      "field": "spec.size",
                      "value": -1,
                      "detail": "unknown field \"spec.x\"",
                      "line": 7,
                      "column": 9
                    },
                    {
                      "severity": "ratcheted",
                      "source": "schema",
                      "message": "spec.old: Invalid value: 1: <never> & \"ever\"",
                      "type": "FieldValueInvalid",
                      "field": "spec.size",
                      "value": -1,
                      "detail": "spec.old: Invalid value: 1: <never> & \"ever\"",
                      "line": 7,
                      "column": 9
                    }
                  ]
                },
                {
                  "filename": "a.yaml",
                  "kind": "Widget",
                  "name": "left",
                  "namespace": "default",
                  "version": "example.com/v1",
                  "status": "statusSkipped",
                  "msg": "",
                  "findings": []
                },
                {
                  "filename": "a\u001b[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:",
                  "kind": "Widget",
                  "name": "a\u001b[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:",
                  "namespace": "default",
                  "version": "example.com/v1",
                  "status": "statusError",
                  "msg": "a\u001b[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:",
                  "findings": [
                    {
                      "severity": "error",
                      "source": "decode",
                      "message": "a\u001b[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:"
                    }
                  ]
                }
              ],
              "summary": {
                "valid": 1,
                "invalid": 1,
                "errors": 1,
                "skipped": 1,
                "warnings": 1,
                "ratcheted": 1
              }
            }
        "#]],
        );
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["resources"][3]["name"], HOSTILE);
    }

    #[test]
    fn nothing_found_is_still_a_document() {
        let mut out = Vec::new();
        Json::new(Options::default()).finish(&Totals::default(), &mut out).unwrap();
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&out).unwrap(), serde_json::json!({"resources": []}));
    }
}
