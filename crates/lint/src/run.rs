//! Runs the rules over types, and takes out what authors allow.

use std::collections::BTreeMap;

use sprag_idl::{Scalar, Severity, Span, Syntax, TagValue, parse_tag, tag_name};
use sprag_program::DefId;
use sprag_tags::ALLOW;

use crate::finding::{At, Edit, Finding, Report};
use crate::model::{Model, Spot};
use crate::rule::{Check, LintRule, Profile};
use crate::rules::ALL;
use crate::walk::reference_findings;

/// The rule of this name or code, or with this counterpart in kube-api-linter.
pub fn find(name: &str) -> Option<&'static LintRule> {
    let by = |key: fn(&LintRule) -> &str| ALL.iter().find(|rule| key(rule).eq_ignore_ascii_case(name));
    by(|rule| rule.name).or_else(|| by(|rule| rule.code)).or_else(|| by(|rule| rule.kal).filter(|_| !name.is_empty()))
}

/// Looks for everything that the chosen rules know about types, in order of the source.
pub fn lint_types(model: &Model<'_>, is_on: &dyn Fn(&LintRule, Profile) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in ALL {
        match rule.check {
            Check::Reader => reader(model, &mut Report { rule, findings: &mut findings }),
            Check::All(check) => check(model, &mut Report { rule, findings: &mut findings }),
            _ => {}
        }
    }
    reference(model, &mut findings);
    let spots = spots(model);
    for spot in &spots {
        let profile = spot.profile();
        for rule in ALL.iter().filter(|rule| is_on(rule, profile)) {
            let mut report = Report { rule, findings: &mut findings };
            match (&rule.check, spot.field) {
                (Check::Spot(check), _) | (Check::Field(check), Some(_)) | (Check::Type(check), None) => {
                    check(spot, &mut report);
                }
                _ => {}
            }
        }
    }
    let profiles: BTreeMap<&str, Profile> =
        model.universe.packages().iter().map(|package| (package.path.as_str(), model.profile(package))).collect();
    let fallback = model.settings.profile.unwrap_or(Profile::Kubernetes);
    findings.retain(|finding| is_on(finding.rule, profiles.get(finding.package.as_str()).copied().unwrap_or(fallback)));
    let mut findings = allowed(model, &spots, findings, is_on);
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    findings.dedup_by(|a, b| a.rule.code == b.rule.code && a.at == b.at && a.message == b.message);
    findings
}

fn key(finding: &Finding) -> (u32, u32, &str, &str, &str) {
    let span = if let At::Span(span) = finding.at { span } else { Span::NONE };
    (span.file.0, span.start, finding.rule.code, &finding.subject, &finding.message)
}

fn spots<'a>(model: &'a Model<'a>) -> Vec<Spot<'a>> {
    let mut spots = Vec::new();
    for (def, _) in model.types() {
        spots.extend(model.type_spot(def));
        spots.extend(model.field_spots(def));
    }
    spots
}

/// Reports the findings of readers and lowering.
fn reader(model: &Model<'_>, report: &mut Report<'_>) {
    for found in model.reported {
        // Warnings do not stop the command.
        let note = if found.severity == Severity::Warning { "warning: " } else { "" };
        let finding =
            report.add(At::Span(found.span), String::new(), String::new(), format!("{note}{}", found.message));
        finding.help.clone_from(&found.help);
    }
}

/// Reports the findings of the reference generator's linter that are in given packages.
fn reference(model: &Model<'_>, findings: &mut Vec<Finding>) {
    let roots: Vec<DefId> = model.roots.to_vec();
    for (name, def, found) in reference_findings(model.universe, model.registry, &roots) {
        let package = &model.universe.package_of(def).path;
        let Some(rule) = ALL.iter().find(|rule| rule.name == name).filter(|_| (model.is_given)(package)) else {
            continue;
        };
        // KEP-5073: stable APIs may use other tags when they are mirrored with hand-written validation.
        if rule.name == "unstable-tag" && found.is_mirrored {
            continue;
        }
        let mut report = Report { rule, findings };
        report.add(At::Span(found.span), found.subject, package.clone(), found.message);
    }
}

/// A line that allows a rule.
struct Allow {
    rule: Option<&'static LintRule>,
    subject: String,
    package: String,
    span: Span,
    has_reason: bool,
    used: bool,
}

/// Takes out the findings that are allowed where they are, and reports lines that allow nothing.
fn allowed(
    model: &Model<'_>,
    spots: &[Spot<'_>],
    mut findings: Vec<Finding>,
    is_on: &dyn Fn(&LintRule, Profile) -> bool,
) -> Vec<Finding> {
    let mut allows = allows(model, spots);
    if allows.is_empty() {
        return findings;
    }
    findings.retain(|finding| {
        let holds = |allow: &&mut Allow| {
            let within = finding.subject == allow.subject
                || finding.subject.strip_prefix(&allow.subject).is_some_and(|rest| rest.starts_with('.'));
            within && allow.rule.is_some_and(|rule| rule.code == finding.rule.code)
        };
        match allows.iter_mut().find(holds) {
            Some(allow) => {
                allow.used = true;
                false
            }
            None => true,
        }
    });
    for allow in &allows {
        let (name, message) = match (allow.rule, allow.has_reason) {
            (None, _) => ("allow-without-reason", "+sprag:allow names no rule that there is".to_owned()),
            (Some(_), false) => ("allow-without-reason", "say why: +sprag:allow(rule: NAME, reason: \"…\")".to_owned()),
            (Some(rule), true) if !allow.used => ("allow-unused", format!("{} finds nothing here", rule.name)),
            _ => continue,
        };
        let Some(rule) = find(name) else { continue };
        let profile = model.universe.packages().iter().find(|package| package.path == allow.package);
        if profile.is_some_and(|package| !is_on(rule, model.profile(package))) {
            continue;
        }
        let mut report = Report { rule, findings: &mut findings };
        let finding = report.add(At::Span(allow.span), allow.subject.clone(), allow.package.clone(), message);
        if name == "allow-unused" {
            finding.edit(Edit::RemoveLine(allow.span));
        }
    }
    findings
}

fn allows(model: &Model<'_>, spots: &[Spot<'_>]) -> Vec<Allow> {
    let mut places = Vec::new();
    for spot in spots {
        let detached = if spot.field.is_none() { spot.data.detached_tags.as_slice() } else { &[] };
        places
            .extend(spot.lines.iter().chain(detached).map(|line| (line, spot.subject(), spot.package().path.clone())));
    }
    for package in model.universe.packages().iter().filter(|package| (model.is_given)(&package.path)) {
        // A comment in doc.go that belongs to a type is one of the package, too.
        let own = package.tags.iter().filter(|line| !places.iter().any(|(known, ..)| known.span == line.span));
        let own: Vec<_> = own.map(|line| (line, package.path.clone(), package.path.clone())).collect();
        places.extend(own);
    }
    let lines = places.into_iter().filter(|(line, ..)| tag_name(&line.text) == Some(ALLOW));
    lines
        .map(|(line, subject, package)| {
            let tag = parse_tag(&line.text, line.span, Syntax::Kep).ok();
            let text = |name: &str| tag.as_ref().and_then(|tag| tag.named(name)).map(Scalar::text);
            let positional = || match &tag.as_ref()?.value {
                TagValue::Scalar(name) => Some(name.text()),
                _ => tag.as_ref()?.positional().map(Scalar::text),
            };
            let rule = text("rule").or_else(positional).and_then(|name| find(&name));
            let has_reason = text("reason").is_some_and(|reason| !reason.trim().is_empty());
            Allow { rule, subject, package, span: line.span, has_reason, used: false }
        })
        .collect()
}
