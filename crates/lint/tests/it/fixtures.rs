//! Every rule with the source that it flags and the one that it does not.

use std::collections::BTreeSet;

use sprag_idl::model::Package;
use sprag_idl::{GoPackageInput, Severity, Sources, read_go};
use sprag_lint::{ALL, At, Edit, Finding, Input, LintRule, Model, Settings, find, lint_definition, lint_types};
use sprag_schema::crd::Crd;
use sprag_tags::types::Universe;
use sprag_tags::{Foreign, Hooks, LowerOptions, Mistakes, Registry, Untagged, lower};

const HEAD: &str =
    "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n";

fn settings() -> Settings {
    Settings {
        forbidden: vec!["kubebuilder:validation:Schemaless".to_owned()],
        naming: vec![("Colour".to_owned(), "Color".to_owned())],
        ..Settings::default()
    }
}

/// The findings of all rules about Go declarations; those after a line `// ---` are an older version of the package.
/// A source without its own package clause gets [`HEAD`].
pub(crate) fn lint_go(source: &str, settings: &Settings) -> (Vec<Finding>, Sources) {
    let mut sources = Sources::default();
    let mut packages: Vec<Package> = Vec::new();
    for (text, path) in source.split("// ---\n").zip(["example.com/api/v1", "example.com/api/v1beta1"]) {
        let head = if text.contains("package v1\n") { "" } else { HEAD };
        let file = sources.add("types.go", format!("{head}{text}\n"));
        let (package, findings) = read_go(GoPackageInput { path, files: &[file] }, &sources);
        assert!(findings.is_empty(), "{findings:?}");
        packages.push(package);
    }
    let registry = Registry::standard();
    let universe = Universe::new(packages, |_| true);
    let options = LowerOptions {
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
        ..LowerOptions::default()
    };
    let lowering = lower(&universe, &registry, options);
    let reported: Vec<_> = lowering.findings.into_iter().filter(|found| found.severity == Severity::Error).collect();
    let input = Input {
        universe: &universe,
        registry: &registry,
        roots: &lowering.root_types,
        sources: &sources,
        reported: &reported,
    };
    let is_given = |path: &str| path.starts_with("example.com/");
    let model = Model::new(input, &is_given, settings);
    let findings = lint_types(&model, &|_, _| true);
    (findings, sources)
}

/// The findings of all rules about the properties of an object, or a whole version.
fn lint_yaml(source: &str) -> Vec<Finding> {
    let mut version = sprag_decode::yaml::decode(source.as_bytes()).unwrap();
    if version.get("schema").is_none() {
        let text = format!("name: v1\nschema: {{openAPIV3Schema: {{type: object, properties: {{{source}}}}}}}");
        version = sprag_decode::yaml::decode(text.as_bytes()).unwrap();
    }
    let mut crd =
        sprag_decode::yaml::decode(b"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}").unwrap();
    crd.insert(
        "spec",
        [("versions", [version].into_iter().collect::<sprag_value::Value>())]
            .into_iter()
            .collect::<sprag_value::Value>(),
    );
    lint_definition(&Crd::read(&crd).unwrap(), &|_| true)
}

fn codes(rule: &LintRule, source: &str) -> BTreeSet<&'static str> {
    let findings = if rule.is_about_definitions() { lint_yaml(source) } else { lint_go(source, &settings()).0 };
    findings.iter().map(|finding| finding.rule.code).collect()
}

#[test]
fn every_rule_fires_where_it_should_and_nowhere_else() {
    // Rejections by the API server are covered by the tests of the command.
    for rule in ALL.iter().filter(|rule| rule.name != "definition-refused") {
        let fires = codes(rule, rule.fires);
        let silent = codes(rule, rule.silent);
        assert!(fires.contains(rule.code), "{} does not fire, but {fires:?}", rule.name);
        assert!(!silent.contains(rule.code), "{} fires where it should not", rule.name);
    }
}

#[test]
fn names_and_codes_are_unique() {
    let names: BTreeSet<&str> = ALL.iter().map(|rule| rule.name).collect();
    let codes: BTreeSet<&str> = ALL.iter().map(|rule| rule.code).collect();
    assert_eq!((names.len(), codes.len()), (ALL.len(), ALL.len()));
    for rule in ALL {
        assert_eq!(find(rule.name).map(|found| found.code), Some(rule.code));
        assert_eq!(find(rule.code).map(|found| found.code), Some(rule.code));
    }
}

/// All linters of kube-api-linter, with the rule that asks for the same.
#[test]
fn the_linters_of_kube_api_linter_are_covered() {
    let linters = "arrayofstruct commentstart conditions conflictingmarkers defaultorrequired defaults dependenttags \
                   duplicatemarkers forbiddenmarkers integers jsontags maxlength minlength namingconventions nobools \
                   nodurations nofloats nomaps nonpointerstructs nonullable nophase noreferences notimestamp \
                   optionalfields optionalorrequired preferredmarkers requiredfields ssatags statusoptional \
                   statussubresource uniquemarkers";
    for linter in linters.split_whitespace() {
        assert!(find(linter).is_some(), "{linter}");
    }
}

/// Applies an edit to a source.
fn mended(findings: &[Finding], sources: &Sources) -> String {
    let edits: Vec<&Edit> = findings.iter().flat_map(|finding| &finding.edits).collect();
    let mut text = sources.get(edits[0].span().file).unwrap().text.clone();
    let mut ranges: Vec<(std::ops::Range<usize>, String)> = edits
        .iter()
        .map(|edit| {
            let start = edit.span().start as usize;
            let end = edit.span().end as usize;
            match edit {
                Edit::Replace(_, with) => (start..end, with.clone()),
                Edit::RemoveLine(_) => {
                    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
                    (first..end + text[end..].find('\n').unwrap() + 1, String::new())
                }
            }
        })
        .collect();
    ranges.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    ranges.dedup();
    for (range, with) in ranges {
        text.replace_range(range, &with);
    }
    text
}

#[test]
fn edits_mend_what_they_come_with() {
    for rule in ALL.iter().filter(|rule| rule.fixable) {
        let (findings, sources) = lint_go(rule.fires, &settings());
        let own: Vec<Finding> = findings.into_iter().filter(|finding| finding.rule.code == rule.code).collect();
        let text = mended(&own, &sources);
        let (again, _) = lint_go(text.strip_prefix(HEAD).unwrap(), &settings());
        assert!(again.iter().all(|finding| finding.rule.code != rule.code), "{}:\n{text}", rule.name);
    }
    let with_edits = |rule: &&LintRule| {
        !rule.is_about_definitions()
            && rule.code != "L400"
            && lint_go(rule.fires, &settings())
                .0
                .iter()
                .any(|found| found.rule.code == rule.code && !found.edits.is_empty())
    };
    let fixable: Vec<&str> = ALL.iter().filter(with_edits).map(|rule| rule.name).collect();
    let declared: Vec<&str> = ALL.iter().filter(|rule| rule.fixable).map(|rule| rule.name).collect();
    assert_eq!(fixable, declared);
}

#[test]
fn exceptions_to_equal_versions_can_only_shrink() {
    let rule = find("versions-differ").unwrap();
    let subject = "example.com/api/v1beta1.Spec.size".to_owned();
    let with = |exceptions: Vec<String>| {
        let settings = Settings { exceptions, ..settings() };
        let (findings, _) = lint_go(rule.fires, &settings);
        let own = findings.iter().filter(|found| found.rule.code == rule.code);
        own.map(|found| found.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        with(vec![]),
        ["the rules differ from those of v1: only v1beta1 has +k8s:minimum=0; only v1 has +k8s:minimum=1"]
    );
    assert_eq!(with(vec![subject]), [] as [&str; 0]);
    assert_eq!(
        with(vec!["example.com/api/v1beta1.Spec.size".to_owned(), "x.Y.z".to_owned()]),
        ["the exception \"x.Y.z\" is not needed any more: remove it"]
    );
}

/// The messages and lines of one rule in a package of the dialect `kep`.
fn in_kep(rule: &str, declarations: &str) -> Vec<(usize, String)> {
    let head = HEAD.replace("// +groupName", "// +sprag:dialect=kep\n// +groupName");
    let (findings, sources) = lint_go(&format!("{head}{declarations}"), &settings());
    let own = findings.iter().filter(|found| found.rule.name == rule);
    own.map(|found| (line(found, &sources), found.message.clone())).collect()
}

/// The lines that one rule finds in Go declarations.
fn lines_of(rule: &str, declarations: &str) -> Vec<usize> {
    let (findings, sources) = lint_go(declarations, &settings());
    let own = findings.iter().filter(|found| found.rule.name == rule);
    own.map(|found| line(found, &sources)).collect()
}

/// The line that a finding points at, counted from the one after the imports.
fn line(found: &Finding, sources: &Sources) -> usize {
    let At::Span(span) = found.at else { return 0 };
    let text = &sources.get(span.file).unwrap().text;
    let head = text.find("meta/v1\"\n\n").unwrap() + 10;
    text[head..span.start as usize].matches('\n').count() + 1
}

#[test]
fn a_rule_for_a_subresource_that_no_kind_has_is_found() {
    let source = r#"// +k8s:supportsSubresource="/status"
type Widget struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec Spec `json:"spec"`
}

type Spec struct {
	// +k8s:optional
	// +k8s:alpha=+k8s:ifSubresource("/statuss")=+k8s:immutable
	A *string `json:"a,omitempty"`
	// +k8s:optional
	// +k8s:ifNotSubresource("resize")=+k8s:immutable
	B *string `json:"b,omitempty"`
	// +k8s:optional
	// +k8s:ifNotSubresource("status")=+k8s:immutable
	// +k8s:ifSubresource("/")=+k8s:maxLength=9
	C *string `json:"c,omitempty"`
}"#;
    let found = in_kep("unknown-subresource", source);
    let text = |path: &str, effect: &str| {
        format!("no kind has the subresource {path:?}, so the rule {effect}: Widget has \"/\", \"/status\"")
    };
    assert_eq!(found, [(9, text("/statuss", "never runs")), (12, text("/resize", "always runs"))]);
    let declared = source.replace(
        "\"/status\"\n",
        "\"/status\"\n// +k8s:supportsSubresource=\"/statuss\"\n// +k8s:supportsSubresource=\"/resize\"\n",
    );
    assert_eq!(in_kep("unknown-subresource", &declared), []);
}

#[test]
fn an_unstable_tag_that_is_mirrored_by_hand_is_not_found() {
    let rule = find("unstable-tag").unwrap();
    assert_eq!(lines_of(rule.name, rule.fires), [3]);
    let mirrored = rule.fires.replace("\t// +k8s:mono", "\t// +k8s:customValidation\n\t// +k8s:mono");
    assert_eq!(lines_of(rule.name, &mirrored), []);
    assert_eq!(lines_of(rule.name, &format!("// +k8s:customValidation\n{}", rule.fires)), []);
}

#[test]
fn findings_about_tags_point_at_the_tag() {
    let field = "type Spec struct {\n\t// +k8s:optional\n\t// +k8s:item(name: \"a\")=+k8s:alpha=+k8s:immutable\n\t// +k8s:eachVal=+k8s:minLength=1\n\t// +k8s:monotonic\n\tF []string `json:\"f\"`\n}";
    assert_eq!(lines_of("stage-inside", field), [3]);
    let field = "type Spec struct {\n\t// +k8s:format=k8s-uuid\n\t// +k8s:optional\n\t// +k8s:monotonic\n\tF *int64 `json:\"f\"`\n}";
    assert_eq!(lines_of("unstable-tag", field), [4]);
    let ty = "// +k8s:minimum=1\n// +k8s:monotonic\ntype Count int64\n\ntype Spec struct {\n\t// +k8s:optional\n\tF *Count `json:\"f\"`\n}";
    assert_eq!(lines_of("unstable-tag", ty), [2]);
}

#[test]
fn the_dialect_kep_inherits_rules_of_typedefs_and_compares_elements_by_identity() {
    for rule in ["typedef-chain", "order-sensitive"] {
        let source = find(rule).unwrap().fires;
        assert_eq!(lines_of(rule, source).len(), 1, "{rule}");
        assert_eq!(in_kep(rule, source), [], "{rule}");
    }
    let by_marker = find("order-sensitive").unwrap().fires.replace("+k8s:listType", "+listType");
    assert_eq!(in_kep("order-sensitive", &by_marker).len(), 1);
}

#[test]
fn markers_of_fields_that_are_commented_out_are_not_found() {
    let tombstone = "type Spec struct {\n\t// Size is tombstoned: the name may not be used again.\n\t// +optional\n\t// +kubebuilder:validation:Minimum=1\n\t// +kubebuilder:validation:Maximum=9\n\t// Size *int32 `json:\"size,omitempty\"`\n\n\t// +optional\n\tName *string `json:\"name,omitempty\"`\n}";
    assert_eq!(lines_of("marker-unread", tombstone), []);
    let block = "type Spec struct {\n\t/*\n\t+kubebuilder:validation:Minimum=1\n\tSize *int32 `json:\"size,omitempty\"`\n\t*/\n\n\tName *string `json:\"name,omitempty\"`\n}";
    assert_eq!(lines_of("marker-unread", block), []);
    let apart = tombstone.replace("\t// Size *int32 `json:\"size,omitempty\"`\n", "");
    assert_eq!(lines_of("marker-unread", &apart), [4, 5]);
}

#[test]
fn types_and_enums_are_compared_across_versions() {
    let differences = |source: &str, settings: &Settings| {
        let (findings, _) = lint_go(source, settings);
        let own = findings.into_iter().filter(|found| found.rule.name == "versions-differ");
        own.map(|found| (found.subject, found.message)).collect::<Vec<_>>()
    };
    let check = |source: &str, subject: &str, difference: &str| {
        let subject = format!("example.com/api/v1beta1.{subject}");
        let message = format!("the rules differ from those of v1: {difference}");
        assert_eq!(differences(source, &settings()), [(subject.clone(), message)]);
        let settings = Settings { exceptions: vec![subject], ..settings() };
        assert_eq!(differences(source, &settings), []);
    };
    let lengths = "// +k8s:minLength=4\ntype Name string\n// ---\n// +k8s:minLength=5\ntype Name string\n";
    check(lengths, "Name", "only v1beta1 has +k8s:minLength=5; only v1 has +k8s:minLength=4");
    let enumeration = "// +k8s:enum\ntype Mode string\n\nconst (\n\tOn Mode = \"On\"\n\t// +k8s:ifDisabled(Dim)=+k8s:enumExclude\n\tDim Mode = \"Dim\"\n)\n";
    assert_eq!(differences(&format!("{enumeration}// ---\n{enumeration}"), &settings()), []);
    let values = enumeration.replace("\"On\"", "\"Off\"");
    let found = "only v1beta1 has the value \"Off\"; only v1 has the value \"On\"";
    check(&format!("{enumeration}// ---\n{values}"), "Mode", found);
    let always = enumeration.replace("\t// +k8s:ifDisabled(Dim)=+k8s:enumExclude\n", "");
    let found =
        "only v1beta1 has the value \"Dim\"; only v1 has the value \"Dim\" with +k8s:ifDisabled(Dim)=+k8s:enumExclude";
    check(&format!("{enumeration}// ---\n{always}"), "Mode", found);
    let open = enumeration.replace("// +k8s:enum\n", "");
    let other = "// +k8s:maxLength=9\ntype Other string\n";
    check(&format!("{enumeration}{other}// ---\n{open}{other}"), "Mode", "only v1 has +k8s:enum");
}
