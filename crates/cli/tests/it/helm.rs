//! Manifests that Helm renders to standard input are reported at their templates.

use expect_test::expect;

use crate::run;
use crate::scratch::Scratch;

const RENDERED: &str = "---\n# Source: chart/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  port: 80\n\
    ---\n# Source: chart/templates/b.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: B\n\
    ---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: C\n";

fn shown(scratch: &Scratch, args: &[&str]) -> String {
    let run = run::sprag_in(scratch.dir(), &[&["validate", "-f", "-"], args].concat(), RENDERED);
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(1)));
    run.stdout
}

#[test]
fn findings_name_the_template() {
    let scratch = Scratch::new("helm");
    // `helm template .`: the file is there without the name of the chart.
    scratch.write("templates/b.yaml", "");
    expect![[r#"
        ::error file=chart/templates/a.yaml,title=ConfigMap a (v1)::ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string
        ::error file=templates/b.yaml,title=ConfigMap B (v1)::metadata.name: Invalid value: "B": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
        ::error file=stdin,line=19,col=9,title=ConfigMap C (v1)::metadata.name: Invalid value: "C": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
    "#]].assert_eq(&shown(&scratch, &["-o", "github"]));
    expect![[r#"
        error: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string
         --> stdin:8:9
          |
        8 |   port: 80
          |         ^^
          |
          = ConfigMap a (v1) from chart/templates/a.yaml

        error: metadata.name: Invalid value: "B": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
          --> stdin:14:9
           |
        14 |   name: B
           |         ^
           |
           = ConfigMap B (v1) from templates/b.yaml

        error: metadata.name: Invalid value: "C": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
          --> stdin:19:9
           |
        19 |   name: C
           |         ^
           |
           = ConfigMap C (v1)

        Summary: 3 resources found parsing stdin - Valid: 0, Invalid: 3, Errors: 0, Skipped: 0, Warnings: 0, Ratcheted: 0
        Judged by the rules of Kubernetes 1.37: 3
    "#]].assert_eq(&shown(&scratch, &[]));
    let sarif: serde_json::Value = serde_json::from_str(&shown(&scratch, &["-o", "sarif"])).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "chart/templates/a.yaml");
    assert!(place["region"].is_null());
    let json: serde_json::Value = serde_json::from_str(&shown(&scratch, &["-o", "json"])).unwrap();
    assert_eq!(json["resources"][0]["filename"], "stdin");
    assert_eq!(json["resources"][0]["source"], "chart/templates/a.yaml");
    assert!(json["resources"][2]["source"].is_null());
}

#[test]
fn comments_in_files_are_comments() {
    let scratch = Scratch::new("helm-file");
    scratch.write("m/a.yaml", RENDERED);
    let run = run::sprag_in(scratch.dir(), &["validate", "m", "-o", "github"], "");
    assert!(run.stdout.lines().all(|line| line.contains("file=m/a.yaml,line=")), "{}", run.stdout);
}
