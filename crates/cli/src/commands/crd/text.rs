//! The text output of `sprag crd check`.

use std::io::{self, Write};

use super::check::{Report, Tried, Verdict};
use crate::report::visible::visible;

/// Prints every finding with what became of it, and a line that sums them up.
pub(super) fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for (change, verdict) in &report.changes {
        let place = visible(&change.place);
        let class = change.class.name();
        let text = visible(&change.text);
        let reason = verdict.reason().map(|reason| format!(" ({})", visible(reason))).unwrap_or_default();
        writeln!(out, "{}: {place}: {class}: {text}{reason}", verdict.name())?;
    }
    report.objects.iter().try_for_each(|tried| print_object(tried, out))?;
    writeln!(out, "{}", summary(report))
}

fn print_object(tried: &Tried, out: &mut dyn Write) -> io::Result<()> {
    let line = tried.line.map(|line| format!(":{line}")).unwrap_or_default();
    let name = if tried.identity.kind.is_empty() { String::new() } else { format!(": {}", tried.identity) };
    writeln!(out, "{}{line}{}", visible(&tried.file), visible(&name))?;
    let mut lines = tried.lines();
    lines.try_for_each(|(what, text, reason)| writeln!(out, "  {what}: {}{}", visible(&text), because(reason)))
}

fn because(reason: Option<&str>) -> String {
    reason.map(|reason| format!(" (allowed: {})", visible(reason))).unwrap_or_default()
}

fn summary(report: &Report) -> String {
    let count = |wanted: &str| report.changes.iter().filter(|(_, verdict)| verdict.name() == wanted).count();
    let breaks = count(Verdict::Breaks.name());
    let allowed = count(Verdict::Allowed(String::new()).name());
    let safe = count(Verdict::Safe.name());
    let mut text = match report.changes.len() {
        0 if !report.compares => format!("{} accepted", counted(report.definitions, "definition")),
        refusals if !report.compares => {
            format!("{}: {}", counted(report.definitions, "definition"), counted(refusals, "refusal"))
        }
        0 => format!("nothing changed in {}", counted(report.definitions, "definition")),
        changes => {
            let sorts = [(breaks, "can break something"), (allowed, "allowed"), (safe, "safe")];
            format!("{}: {}", counted(changes, "change"), listed(&sorts))
        }
    };
    if report.tried > 0 {
        let is_allowed = |tried: &&Tried| tried.is_allowed();
        let broken = report.objects.iter().filter(|tried| tried.is_broken()).count();
        let allowed = report.objects.iter().filter(is_allowed).count();
        let sorts = [
            (broken, "broken"),
            (report.objects.len() - broken - allowed, "ratcheted or refused on create"),
            (allowed, "allowed"),
            (report.tried - report.objects.len(), "as before"),
        ];
        text = format!("{text}; {} tried: {}", counted(report.tried, "object"), listed(&sorts));
    }
    text
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn listed(sorts: &[(usize, &str)]) -> String {
    let present = sorts.iter().filter(|(count, _)| *count > 0);
    present.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}
