//! The forms of findings.

use serde_json::{Value, json};
use sprag_lint::{ALL, Level};

use super::Format;
use super::found::Found;
use crate::output::{Diagnostics, Terminal};
use crate::report::{github_data, github_property, sarif_uri};

/// Prints all findings.
pub(super) fn print(format: Format, found: &[Found], terminal: &mut Terminal) -> anyhow::Result<()> {
    match format {
        Format::Text => text(found, terminal)?,
        Format::Json => terminal.line(serde_json::to_string_pretty(&document(found))?)?,
        Format::Sarif => terminal.line(serde_json::to_string_pretty(&sarif(found))?)?,
        Format::Github => {
            for found in found {
                terminal.line(github(found))?;
            }
        }
    }
    Ok(())
}

fn count(found: &[Found], level: Level) -> usize {
    found.iter().filter(|found| found.level == level).count()
}

fn text(found: &[Found], terminal: &mut Terminal) -> anyhow::Result<()> {
    let diagnostics = Diagnostics::new(Terminal::is_colored());
    for found in found {
        let name = format!("{}: {}", found.rule.name, found.subject);
        let name = name.trim_end_matches(": ");
        let shown = diagnostics.rule(
            (found.level == Level::Error, found.rule.code),
            (&found.file, found.place.as_ref()),
            &found.message,
            name,
            found.help.as_deref(),
        );
        writeln!(terminal.out(), "{shown}\n")?;
    }
    let errors = count(found, Level::Error);
    let warnings = count(found, Level::Warning);
    if errors + warnings > 0 {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let mendable = found.iter().filter(|found| !found.edits.is_empty()).count();
        let hint = if mendable > 0 { format!("; --fix mends {mendable}") } else { String::new() };
        terminal.line(format!("{errors} error{}, {warnings} warning{}{hint}", s(errors), s(warnings)))?;
    }
    Ok(())
}

fn document(found: &[Found]) -> Value {
    let findings: Vec<Value> = found
        .iter()
        .map(|found| {
            json!({
                "rule": found.rule.name,
                "code": found.rule.code,
                "level": found.level.name(),
                "filename": found.file,
                "line": found.place.as_ref().map(|place| place.line),
                "column": found.place.as_ref().map(|place| place.column),
                "subject": found.subject,
                "message": found.message,
                "help": found.help,
                "fixable": !found.edits.is_empty(),
            })
        })
        .collect();
    json!({"findings": findings, "errors": count(found, Level::Error), "warnings": count(found, Level::Warning)})
}

fn sarif(found: &[Found]) -> Value {
    let rules: Vec<Value> = ALL
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code,
                "name": rule.name,
                "shortDescription": {"text": rule.summary},
                "help": {"text": rule.fix},
            })
        })
        .collect();
    let results: Vec<Value> = found.iter().map(result).collect();
    json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "columnKind": "unicodeCodePoints",
            "tool": {"driver": {"name": "sprag", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    })
}

fn result(found: &Found) -> Value {
    let index = ALL.iter().position(|rule| rule.code == found.rule.code);
    let mut result = json!({
        "ruleId": found.rule.code,
        "ruleIndex": index,
        "level": found.level.name(),
        "message": {"text": found.message},
    });
    if !found.file.is_empty() {
        let mut location = json!({"artifactLocation": {"uri": sarif_uri(&found.file)}});
        if let Some(place) = &found.place {
            location["region"] = json!({"startLine": place.line, "startColumn": place.column});
        }
        result["locations"] = json!([{
            "physicalLocation": location,
            "logicalLocations": [{"fullyQualifiedName": found.subject}],
        }]);
    }
    result
}

fn github(found: &Found) -> String {
    let place = match (&found.place, found.file.as_str()) {
        (_, "") => String::new(),
        (Some(place), file) => format!("file={},line={},col={},", github_property(file), place.line, place.column),
        (None, file) => format!("file={},", github_property(file)),
    };
    let title = github_property(&format!("{} {}", found.rule.code, found.rule.name));
    format!("::{} {place}title={title}::{}", found.level.name(), github_data(&found.message))
}
