//! SARIF 2.1.0, as code-scanning services take it.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;
use sprag_analysis::{FileReport, Finding, Origin, Resource, Severity};
use sprag_rest::Releases;

use super::{Options, Render, Totals, wire};

pub(super) struct Sarif {
    kubernetes: Releases,
    any: bool,
    started: bool,
}

impl Sarif {
    pub(super) fn new(options: &Options) -> Sarif {
        Sarif { kubernetes: options.kubernetes, any: false, started: false }
    }

    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.started {
            return Ok(());
        }
        self.started = true;
        let rules: Vec<_> = Origin::ALL
            .iter()
            .map(|origin| json!({"id": origin.name(), "shortDescription": {"text": origin.summary()}}))
            .collect();
        let driver = json!({"name": "sprag", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        write!(
            out,
            "{{\"version\":\"2.1.0\",\"$schema\":\"{schema}\",\"runs\":[{{\"columnKind\":\"unicodeCodePoints\",\"tool\":{},\"results\":[",
            json!({"driver": driver})
        )
    }
}

impl Render for Sarif {
    fn file(&mut self, report: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        self.start(out)?;
        for resource in &report.resources {
            for finding in &resource.findings {
                let before = if self.any { ",\n" } else { "\n" };
                write!(out, "{before}{}", result(&report.file, resource, finding, self.kubernetes))?;
                self.any = true;
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &Totals, out: &mut dyn Write) -> io::Result<()> {
        self.start(out)?;
        out.write_all(b"\n]}]}\n")
    }
}

fn result(file: &str, resource: &Resource, finding: &Finding, asked: Releases) -> serde_json::Value {
    let mut location = json!({"artifactLocation": {"uri": uri(resource.source.as_deref().unwrap_or(file))}});
    // The lines of a template are others than those of what it was rendered to.
    if let Some(place) = finding.place.as_ref().filter(|_| resource.source.is_none()) {
        location["region"] = json!({"startLine": place.line, "startColumn": place.column});
    }
    let name = resource.identity.to_string();
    let mut result = json!({
        "ruleId": finding.origin.name(),
        "level": match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Ratcheted | Severity::Note => "note",
        },
        "message": {"text": finding.text()},
        "locations": [{
            "physicalLocation": location,
            "logicalLocations": [{"fullyQualifiedName": name, "kind": "resource"}],
        }],
        "properties": {"severity": finding.severity.name()},
    });
    if let Some(rule) = &finding.rule {
        result["relatedLocations"] = json!([{
            "message": {"text": "the expression of the policy"},
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&rule.file)},
                "region": {"startLine": rule.place.line, "startColumn": rule.place.column},
            },
        }]);
    }
    if let Some(releases) = wire::releases(finding, asked) {
        result["properties"]["releases"] = releases.into();
    }
    if let Some(cause) = &finding.cause {
        result["properties"]["type"] = cause.kind.into();
        result["properties"]["field"] = cause.field.as_str().into();
    }
    result
}

/// A reference that is relative to the folder the command runs in; what has a meaning in addresses is escaped.
pub(crate) fn uri(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| Path::new(path).strip_prefix(here).ok()?.to_str());
    match below {
        Some(below) => escaped(below),
        // An absolute reference names its scheme.
        None if path.starts_with('/') => format!("file://{}", escaped(path)),
        None => escaped(path.trim_start_matches("./")),
    }
}

fn escaped(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(char::from(byte)),
            byte => uri.extend(["%", &format!("{byte:02X}")]),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::report::Format;
    use crate::report::format::tests::check;

    #[test]
    fn findings_are_results() {
        let text = check(
            Format::Sarif,
            &expect![[r#"
                {"version":"2.1.0","$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[{"columnKind":"unicodeCodePoints","tool":{"driver":{"name":"sprag","rules":[{"id":"read","shortDescription":{"text":"The file cannot be read."}},{"id":"decode","shortDescription":{"text":"The text is not an object, or has unknown or duplicate fields."}},{"id":"lookup","shortDescription":{"text":"No schema is known for the kind, or the kind is not wanted."}},{"id":"metadata","shortDescription":{"text":"The metadata breaks a rule that holds for every object."}},{"id":"schema","shortDescription":{"text":"A field does not match the schema of the custom resource."}},{"id":"cel","shortDescription":{"text":"A validation rule of the custom resource fails."}},{"id":"crd","shortDescription":{"text":"The API server would not accept the definition as it is."}},{"id":"types","shortDescription":{"text":"A field breaks a rule of its declared type."}},{"id":"change","shortDescription":{"text":"A change of a definition can break clients or stored objects."}},{"id":"policy","shortDescription":{"text":"An admission policy denies the object, or warns of it."}}],"version":"0.1.0"}},"results":[
                {"level":"error","locations":[{"logicalLocations":[{"fullyQualifiedName":"Widget default/bad (example.com/v1)","kind":"resource"}],"physicalLocation":{"artifactLocation":{"uri":"a.yaml"},"region":{"startColumn":9,"startLine":7}}}],"message":{"text":"spec.size: Invalid value: -1: no"},"properties":{"field":"spec.size","severity":"error","type":"FieldValueInvalid"},"ruleId":"schema"},
                {"level":"error","locations":[{"logicalLocations":[{"fullyQualifiedName":"Widget default/bad (example.com/v1)","kind":"resource"}],"physicalLocation":{"artifactLocation":{"uri":"a.yaml"},"region":{"startColumn":9,"startLine":7}}}],"message":{"text":"spec.other: Required value"},"properties":{"field":"spec.size","severity":"error","type":"FieldValueInvalid"},"ruleId":"schema"},
                {"level":"warning","locations":[{"logicalLocations":[{"fullyQualifiedName":"Widget default/bad (example.com/v1)","kind":"resource"}],"physicalLocation":{"artifactLocation":{"uri":"a.yaml"},"region":{"startColumn":9,"startLine":7}}}],"message":{"text":"unknown field \"spec.x\""},"properties":{"field":"spec.size","severity":"warning","type":"FieldValueInvalid"},"ruleId":"schema"},
                {"level":"note","locations":[{"logicalLocations":[{"fullyQualifiedName":"Widget default/bad (example.com/v1)","kind":"resource"}],"physicalLocation":{"artifactLocation":{"uri":"a.yaml"},"region":{"startColumn":9,"startLine":7}}}],"message":{"text":"spec.old: Invalid value: 1: <never> & \"ever\""},"properties":{"field":"spec.size","severity":"ratcheted","type":"FieldValueInvalid"},"ruleId":"schema"},
                {"level":"error","locations":[{"logicalLocations":[{"fullyQualifiedName":"Widget default/a\u001b[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,: (example.com/v1)","kind":"resource"}],"physicalLocation":{"artifactLocation":{"uri":"a%1B%5B31m%0D%0A%3A%3Aerror%20file%3Dx%3A%3Apwned%0A%5D%5D%3E%3C/testcase%3E%20%23%20skip%20%250A%2C%3A"}}}],"message":{"text":"a\u001b[31m\r\n::error file=x::pwned\n]]></testcase> # skip %0A,:"},"properties":{"severity":"error"},"ruleId":"decode"}
                ]}]}
            "#]],
        );
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["runs"][0]["results"].as_array().unwrap().len(), 5);
    }

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("./a b/ü:1.yaml"), "a%20b/%C3%BC%3A1.yaml");
        assert_eq!(uri("../a.yaml"), "../a.yaml");
        assert_eq!(uri("/no such/a.yaml"), "file:///no%20such/a.yaml");
        let here = std::env::current_dir().unwrap().join("b/a.yaml");
        assert_eq!(uri(here.to_str().unwrap()), "b/a.yaml");
    }
}
