use expect_test::expect;
use sprag_value::Value;

use crate::api::{Api, Kind};

pub(crate) const JOBS: Kind = Kind { path: "batch/jobs", api_version: "batch/v1", name: "Job" };
const CRON_JOBS: Kind = Kind { path: "batch/cronjobs", api_version: "batch/v1", name: "CronJob" };

/// The spec of a job with further members and members of the template's metadata.
fn spec(members: &str, labels: &str) -> String {
    format!(
        r#""spec":{{{members}"template":{{"metadata":{{"labels":{{{labels}}}}},"spec":{{"restartPolicy":"Never",
        "containers":[{{"name":"c","image":"i"}}]}}}}}}"#
    )
}

fn labels<'v>(object: &'v Value, path: &[&str]) -> Vec<&'v str> {
    let labels = object.lookup(path).and_then(Value::as_object);
    labels.into_iter().flat_map(|labels| labels.iter().map(|(key, _)| key.as_str())).collect()
}

#[test]
fn the_server_selects_the_pods_of_a_job() {
    let job = Api::new().create(JOBS.path, &JOBS.body(&(",".to_owned() + &spec("", r#""a":"b""#)))).unwrap();
    let generated =
        ["batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"];
    let pods = labels(&job, &["spec", "template", "metadata", "labels"]);
    assert_eq!(pods, [&["a"][..], &generated].concat());
    assert_eq!(labels(&job, &["spec", "selector", "matchLabels"]), generated[..1]);
    let uid = |path: &[&str]| job.lookup(path).and_then(Value::as_str).unwrap().to_owned();
    assert_eq!(uid(&["metadata", "uid"]), uid(&["spec", "selector", "matchLabels", generated[0]]));
}

#[test]
fn a_job_without_labels_has_those_of_its_pods() {
    let api = Api::new();
    let create = |name: &str, own: &str, pods: &str| {
        let metadata = format!(r#"{{"name":"{name}"{own}}}"#);
        let body = format!(r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{metadata},{}}}"#, spec("", pods));
        labels(&api.create(JOBS.path, &body).unwrap(), &["metadata", "labels"]).len()
    };
    assert_eq!(create("none", "", ""), 4);
    assert_eq!(create("pods", "", r#""a":"b""#), 5);
    // Labels that the author wrote stay as they are, also where they are those of the pods.
    assert_eq!(create("same", r#","labels":{"a":"b"}"#, r#""a":"b""#), 1);
    assert_eq!(create("other", r#","labels":{"x":"y"}"#, r#""a":"b""#), 1);
}

#[test]
fn jobs_have_a_text_of_their_own_for_fields_that_cannot_be_selected() {
    let api = Api::new();
    api.create(JOBS.path, &JOBS.body(&(",".to_owned() + &spec("", "")))).unwrap();
    assert_eq!(api.names(JOBS.path, "status.successful=0").unwrap().len(), 1);
    let refused = api.names(JOBS.path, "status.active=0").unwrap_err().to_string();
    assert_eq!(refused, r#"field label "status.active" not supported for Job"#);
    let refused = api.names(CRON_JOBS.path, "status.active=0").unwrap_err().to_string();
    assert!(refused.starts_with(r#""status.active" is not a known field selector: only"#), "{refused}");
}

#[test]
fn a_selector_is_shown_as_go_prints_it() {
    let api = Api::new();
    api.create(JOBS.path, &JOBS.body(&(",".to_owned() + &spec("", "")))).unwrap();
    let patch = r#"{"spec":{"selector":{"matchLabels":{"$patch":"delete"}}}}"#;
    let error = api.strategic(JOBS.path, "x", patch).unwrap_err().to_string();
    assert!(error.contains("spec.selector: Invalid value: {}: field is immutable"), "{error}");
}

#[test]
fn selectors_of_ones_own_are_asked_for() {
    let own = spec(r#""manualSelector":true,"selector":{"matchLabels":{"a":"b"}},"#, r#""a":"b""#);
    let job = Api::new().create(JOBS.path, &JOBS.body(&(",".to_owned() + &own))).unwrap();
    assert_eq!(labels(&job, &["spec", "template", "metadata", "labels"]), ["a"]);
    let other = spec(r#""selector":{"matchLabels":{"controller-uid":"x"}},"#, "");
    let refused = Api::new().create(JOBS.path, &JOBS.body(&(",".to_owned() + &other))).unwrap_err().to_string();
    assert!(refused.contains("`selector` not auto-generated"), "{refused}");
    assert!(refused.contains("`selector` does not match template `labels`"), "{refused}");
}

#[test]
fn policies_need_indexes_and_pods_that_stay_dead() {
    let job = r#","spec":{"backoffLimitPerIndex":1,"successPolicy":{"rules":[{}]},"podFailurePolicy":{"rules":[{"action":"x"},
        {"action":"FailIndex","onExitCodes":{"operator":"In","values":[3,0]},"onPodConditions":[{"type":"a b"}]}]},
        "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}"#;
    JOBS.check(job, expect![[r#"Job.batch "x" is invalid: [spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode, spec.podFailurePolicy.rules[0].action: Unsupported value: "x": supported values: "Count", "FailIndex", "FailJob", "Ignore", spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required, spec.podFailurePolicy.rules[1].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator, spec.podFailurePolicy.rules[1].onExitCodes.values: Invalid value: [3,0]: must be ordered, spec.podFailurePolicy.rules[1].onPodConditions[0].type: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), spec.podFailurePolicy.rules[1]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported, spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":null}]}: requires indexed completion mode, spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"]"#]]);
}

#[test]
fn what_a_job_runs_stays_as_it_is() {
    let old = format!(",{}", spec(r#""manualSelector":true,"selector":{"matchLabels":{"a":"b"}},"#, r#""a":"b""#));
    let suspended = old.replace(r#""manualSelector""#, r#""suspend":true,"manualSelector""#);
    let with = |job: &str, member: &str| job.replace(r#""restartPolicy""#, &format!(r#"{member},"restartPolicy""#));
    let refused = |old: &str, new: &str| {
        let api = Api::new();
        api.create(JOBS.path, &JOBS.body(old)).unwrap();
        api.update(JOBS.path, "x", &JOBS.body(new)).err().map(|error| error.to_string())
    };
    let selector = r#""nodeSelector":{"disk":"ssd"}"#;
    let found = refused(&old, &with(&old, selector)).unwrap();
    assert!(
        found.starts_with(r#"Job.batch "x" is invalid: spec.template: Invalid value: {"labels":{"a":"b"},"Spec":{"#),
        "{found}"
    );
    assert!(found.ends_with("}: field is immutable"), "{found}");
    assert_eq!(refused(&suspended, &with(&suspended, selector)), None);
    // A suspended job may have other resources, and nothing else of its containers.
    let image = suspended.replace(r#""image":"i""#, r#""image":"j""#);
    assert!(refused(&suspended, &image).unwrap().contains("spec.template.spec: Invalid value"));
    let resources = suspended.replace(r#""image":"i""#, r#""image":"i","resources":{"requests":{"cpu":"1"}}"#);
    assert_eq!(refused(&suspended, &resources), None);
    assert!(refused(&old, &resources).is_some());
    // A pointer to nothing differs from none.
    assert!(refused(&old, &with(&old, r#""affinity":{}"#)).is_some());
}

#[test]
fn schedules_and_time_zones_are_read() {
    let cron = |members: &str| {
        let body = format!(r#","spec":{{{members},"jobTemplate":{{{}}}}}"#, spec("", ""));
        Api::new().create(CRON_JOBS.path, &CRON_JOBS.body(&body)).err().map(|error| error.to_string())
    };
    assert_eq!(cron(r#""schedule":"*/5 * * * MON-FRI","timeZone":"Europe/Rome""#), None);
    let check = |members: &str, flaw: &str| {
        assert_eq!(cron(members).as_deref(), Some(&*format!("CronJob.batch \"x\" is invalid: {flaw}")));
    };
    check(r#""timeZone":"UTC""#, "spec.schedule: Required value");
    check(
        r#""schedule":"* * *""#,
        r#"spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]"#,
    );
    check(
        r#""schedule":"@daily","timeZone":"Mars/Base""#,
        r#"spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base"#,
    );
    check(
        r#""schedule":"TZ=UTC @daily""#,
        r#"spec.schedule: Invalid value: "TZ=UTC @daily": cannot use TZ or CRON_TZ in schedule, use timeZone field instead"#,
    );
}

#[test]
fn names_leave_room_for_those_of_jobs() {
    let api = Api::new();
    let name = "a".repeat(53);
    let body = format!(
        r#"{{"apiVersion":"batch/v1","kind":"CronJob","metadata":{{"name":"{name}"}},"spec":{{"schedule":"@daily","jobTemplate":{{{}}}}}}}"#,
        spec("", "")
    );
    let refused = api.create(CRON_JOBS.path, &body).unwrap_err().to_string();
    assert!(refused.ends_with("must be no more than 52 characters"), "{refused}");
}
