//! The explanation of a rule, and the page of all rules.

use std::fmt::Write as _;

use sprag_lint::{ALL, Level, LintRule};

/// Prints all about one rule.
pub(super) fn rule(name: &str) -> anyhow::Result<String> {
    let rule = super::settings::rule(name)?;
    let mut text = format!("{} {}\n\n{}\n\n{}\n", rule.code, rule.name, rule.summary, rule.fix);
    // Writing to a string does not fail.
    let _ = writeln!(text, "\nLevel: {} in the profile kubernetes, {} in crd", rule.kubernetes.name(), rule.crd.name());
    if !rule.kal.is_empty() {
        let _ = writeln!(text, "In kube-api-linter: {}", rule.kal);
    }
    if rule.fixable {
        text.push_str("--fix mends it where that is safe\n");
    }
    let _ = writeln!(text, "\nFound in\n\n{}\n\nNot found in\n\n{}", indented(rule.fires), indented(rule.silent));
    Ok(text)
}

fn indented(source: &str) -> String {
    source.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

const HEAD: &str = "\
<!-- Printed by `sprag docs lint`; do not edit. -->

# Lint

`sprag lint PATH…` looks at Go and Rust types, with `+k8s:` tags and the markers of controller-gen, and at definitions of custom
resources. It needs no Go toolchain.

```console
$ sprag lint ./api config/crd
$ sprag lint ./api --output sarif > lint.sarif
$ sprag lint ./api --fix
$ sprag lint --explain limits-contradict
```

The exit code is 1 if there is an error, 0 if there are only warnings (1 with `--strict`), 2 if something could not be read. Output is text with
excerpts, `json`, `sarif` or `github`.

Each rule has a level in each of two profiles: `kubernetes`, for types of a server, where conventions are those that Kubernetes lints its own
types by; and `crd`, for types and definitions of custom resources. A package with a marker `+kubebuilder:object:…` is of the profile `crd`,
others are of `kubernetes`; `--profile` or `lint.profile` choose one for all. `sprag crd lint` runs the rules for definitions.

Settings are in `.sprag.yaml`:

```yaml
apiVersion: sprag.dev/v1alpha1
kind: Config
lint:
  profile: crd
  rules:
    no-bools: error
    comment-start: 'off'
  allow:
  - \"example.com/api/v1.WidgetSpec.phase: no-phase=older than conditions\"
  forbiddenMarkers: [kubebuilder:validation:Schemaless]
  preferredMarkers: {kubebuilder:validation:Optional: optional}
  naming: {Colour: Color}
  exceptions: lint-exceptions.txt
```

A rule is silenced where it is, with a reason, by `+sprag:allow(rule: \"no-phase\", reason: \"older than conditions\")` above a field, a type or the
package clause, and in manifests by `# sprag:allow no-phase: older than conditions` on the line or above it. What allows nothing is found, too.

`exceptions` is a file with the fields and types whose tags differ between versions on purpose, `example.com/api/v1beta1.WidgetSpec.size`, one a line. An
exception that is not needed any more is an error, so that the file can only shrink.

| code | rule | kubernetes | crd | `--fix` | kube-api-linter |
|---|---|---|---|---|---|
";

/// The page of all rules.
pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    for rule in ALL {
        let fix = if rule.fixable { "yes" } else { "" };
        let code = rule.code;
        let name = rule.name;
        let kal = rule.kal;
        let _ = writeln!(
            page,
            "| {code} | [{name}](#{}-{name}) | {} | {} | {fix} | {kal} |",
            // Anchors of headings are in lower case.
            code.to_lowercase(),
            level(rule.kubernetes),
            level(rule.crd)
        );
    }
    page.push_str(COVERAGE);
    for rule in ALL {
        section(&mut page, rule);
    }
    page
}

const COVERAGE: &str = "
All linters of kube-api-linter have a counterpart. `numericbounds` and its like that later versions add do not.
Of `conflictingmarkers` and `dependenttags` the sets are fixed: those that Kubernetes' own settings have, and what the tags imply. `optionalfields` asks for
pointers in the profile `kubernetes` only.
";

fn level(level: Level) -> &'static str {
    if level == Level::Off { "" } else { level.name() }
}

fn section(page: &mut String, rule: &LintRule) {
    let language = if rule.is_about_definitions() || rule.code == "L400" { "yaml" } else { "go" };
    let _ = write!(
        page,
        "\n## {} {}\n\n{}\n\n```{language}\n{}\n```\n\n{}\n\n```{language}\n{}\n```\n",
        rule.code, rule.name, rule.summary, rule.fires, rule.fix, rule.silent
    );
}
