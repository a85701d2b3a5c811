//! The controller's work on stored definitions.

use std::sync::Arc;

use sprag_rest::{GroupResource, ListOptions, User};
use sprag_storage::{Memory, Store};
use sprag_value::{Value, json};

use crate::definitions::api::{Api, gates, request, wait};
use crate::definitions::instances::{CRDS, WIDGETS};

/// A text in PEM form that begins like a certificate, in base 64.
const CERTIFICATE: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJlakNDQVNHZ0F3SUJBZ0lVU21WckVOaFUzbTBnaEJ4K2hNK2hTQU5zREowd0NnWUlLb1pJemowRUF3SXcKRWpFUU1BNEdBMVVFQXd3SGQyVmlhRzl2YXpBZ0Z3MHlOakV4TVRjeE5ERTVNakZhR0E4eU1USTJNVEF5TkRFMApNVGt5TVZvd0VqRVFNQTRHQTFVRUF3d0hkMlZpYUc5dmF6QlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VICkEwSUFCTnN5WkN2SEN5QmRoT3lEQnRMRFJncHp1VTRRWDhEUmIxbCt1eC8xcXZHVnNVVDQ0RmNwcUdUWkg4Q3QKWEYxZFM1TkxmSlhzdzdPT3ljdm9PRUpMUTdDalV6QlJNQjBHQTFVZERnUVdCQlRMOUZWZDVXUWtuV3NvcW9iSwo1TC9zTnN6VEx6QWZCZ05WSFNNRUdEQVdnQlRMOUZWZDVXUWtuV3NvcW9iSzVML3NOc3pUTHpBUEJnTlZIUk1CCkFmOEVCVEFEQVFIL01Bb0dDQ3FHU000OUJBTUNBMGNBTUVRQ0lEbXlraWVRSkIva215dFhkUjgreGVtZGl5bEwKeFpsNnVTeUxRZXpWN25OVkFpQTAzMTI0Q3E0UmRMcyt2RzE2SGFNNHZIVDVXUWlUVXBIanhJS1VmaU9ETEE9PQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==";
const OBJECTS: &str = "/apis/example.com/v1/namespaces/default/widgets";

fn conditions(definition: &Value) -> String {
    let conditions = definition.lookup(&["status", "conditions"]).and_then(Value::as_array).into_iter().flatten();
    let text =
        |condition: &Value, member: &str| condition.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    let shown: Vec<String> = conditions
        .map(|condition| {
            format!("{}={} {}", text(condition, "type"), text(condition, "status"), text(condition, "reason"))
        })
        .collect();
    shown.join(", ")
}

fn definition(plural: &str, names: &str) -> String {
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"{plural}.example.com"}},
        "spec":{{"group":"example.com","scope":"Cluster","names":{{"plural":"{plural}",{names}}},"versions":[{{"name":"v1","served":true,
        "storage":true,"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}}]}}}}"#
    )
}

fn get(api: &Api, plural: &str) -> Value {
    api.must("GET", &format!("{CRDS}/{plural}.example.com"), "")
}

fn is_served(api: &Api, plural: &str) -> bool {
    api.registry.definition(&GroupResource::new("example.com", plural)).is_some()
}

#[test]
fn names_belong_to_whoever_came_first_until_they_are_free() {
    let api = Api::default();
    api.must("POST", CRDS, &definition("as", r#""kind":"A","shortNames":["x"]"#));
    api.must("POST", CRDS, &definition("bs", r#""kind":"B","shortNames":["x","as"]"#));
    let second = get(&api, "bs");
    assert_eq!(conditions(&second), "NamesAccepted=False ShortNamesConflict, Established=False NotAccepted");
    let message = second.lookup(&["status", "conditions"]).and_then(|list| list.at(0)).and_then(|c| c.get("message"));
    assert_eq!(message.and_then(Value::as_str), Some(r#"["x" is already in use, "as" is already in use]"#));
    assert!(!is_served(&api, "bs"));
    api.must("DELETE", &format!("{CRDS}/as.example.com"), "");
    assert_eq!(conditions(&get(&api, "bs")), "NamesAccepted=True NoConflicts, Established=True InitialNamesAccepted");
    assert!(is_served(&api, "bs") && !is_served(&api, "as"));
}

#[test]
fn established_definitions_stay_established() {
    let api = Api::default();
    api.must("POST", CRDS, &definition("as", r#""kind":"A","shortNames":["x"]"#));
    api.must("POST", CRDS, &definition("bs", r#""kind":"B""#));
    api.must("PATCH", &format!("{CRDS}/bs.example.com"), r#"{"spec":{"names":{"shortNames":["x"]}}}"#);
    let second = get(&api, "bs");
    assert_eq!(conditions(&second), "NamesAccepted=False ShortNamesConflict, Established=True InitialNamesAccepted");
    let served = api.registry.definition(&GroupResource::new("example.com", "bs")).unwrap();
    assert!(served.short_names.is_empty());
}

#[test]
fn a_definition_waits_for_a_ca_bundle_that_can_be_read() {
    let api = Api::default();
    let conversion = |bundle: &str| {
        format!(
            r#""conversion":{{"strategy":"Webhook","webhook":{{"conversionReviewVersions":["v1"],"clientConfig":{{
            "url":"https://127.0.0.1/c","caBundle":"{bundle}"}}}}}}"#
        )
    };
    let junk = definition("as", r#""kind":"A""#)
        .replace(r#""scope":"Cluster""#, &format!(r#""scope":"Cluster",{}"#, conversion("anVuaw==")));
    api.must("POST", CRDS, &junk);
    assert_eq!(conditions(&get(&api, "as")), "NamesAccepted=True NoConflicts, Established=False InvalidCABundle");
    assert!(!is_served(&api, "as"));
    let path = format!("{CRDS}/as.example.com");
    let with = |bundle: &str| format!(r#"{{"spec":{{{}}}}}"#, conversion(bundle));
    api.must("PATCH", &path, &with(CERTIFICATE));
    assert_eq!(conditions(&get(&api, "as")), "NamesAccepted=True NoConflicts, Established=True InitialNamesAccepted");
    assert!(is_served(&api, "as"));
    assert!(api.refused("PATCH", &path, &with("anVuaw==")).contains("caBundle"));
}

#[test]
fn protected_groups_say_whether_they_are_approved() {
    let api = Api::default();
    let body = definition("cs", r#""kind":"C""#).replace("example.com", "x.k8s.io");
    let body = body
        .replace(r#""metadata":{"#, r#""metadata":{"annotations":{"api-approved.kubernetes.io":"unapproved, test"},"#);
    api.must("POST", CRDS, &body);
    let found = api.must("GET", &format!("{CRDS}/cs.x.k8s.io"), "");
    assert!(conditions(&found).ends_with("KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation"));
}

#[test]
fn a_deleted_definition_takes_its_objects_along() {
    let api = Api::default();
    api.must("POST", CRDS, WIDGETS);
    let object = |name: &str, more: &str| {
        format!(r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"{name}"{more}}}}}"#)
    };
    api.must("POST", OBJECTS, &object("a", ""));
    api.must("POST", OBJECTS, &object("b", r#","finalizers":["example.com/wait"]"#));
    let deleted = api.must("DELETE", &format!("{CRDS}/widgets.example.com"), "");
    assert_eq!(
        json::to_string(deleted.lookup(&["metadata", "finalizers"]).unwrap()),
        r#"["customresourcecleanup.apiextensions.k8s.io"]"#
    );
    assert_eq!(deleted.lookup(&["metadata", "generation"]), Some(&Value::Int(1)));
    let found = get(&api, "widgets");
    assert!(conditions(&found).ends_with("Terminating=True InstanceDeletionInProgress"), "{}", conditions(&found));
    assert!(api.refused("GET", &format!("{OBJECTS}/a"), "").starts_with("404"));
    let refused = api.refused("POST", OBJECTS, &object("c", ""));
    let why = "create not allowed while custom resource definition is terminating";
    assert_eq!(refused, format!(r#"403 widgets.example.com "c" is forbidden: {why}"#));
    api.must("PATCH", &format!("{OBJECTS}/b"), r#"{"metadata":{"finalizers":null}}"#);
    wait(api.controller.sync()).unwrap();
    assert!(api.refused("GET", &format!("{CRDS}/widgets.example.com"), "").starts_with("404"));
    assert!(!is_served(&api, "widgets"));
}

#[test]
fn servers_on_one_store_serve_the_same() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let first = Api::over(store.clone(), gates());
    let second = Api::over(store, gates());
    first.must("POST", CRDS, WIDGETS);
    assert!(!is_served(&second, "widgets"));
    wait(second.controller.sync()).unwrap();
    assert!(is_served(&second, "widgets"));
    second.must("DELETE", &format!("{CRDS}/widgets.example.com"), "");
    assert!(is_served(&first, "widgets"));
    wait(first.controller.sync()).unwrap();
    assert!(!is_served(&first, "widgets"));
}

#[test]
fn a_sync_without_changes_writes_nothing() {
    let api = Api::default();
    api.must("POST", CRDS, WIDGETS);
    let revision = |api: &Api| {
        let user = User::default();
        wait(api.registry.list(&request(CRDS, &user).unwrap(), &ListOptions::default())).unwrap().resource_version
    };
    let before = (revision(&api), api.registry.definition(&GroupResource::new("example.com", "widgets")).unwrap());
    wait(api.controller.sync()).unwrap();
    let after = (revision(&api), api.registry.definition(&GroupResource::new("example.com", "widgets")).unwrap());
    assert_eq!(before.0, after.0);
    assert!(Arc::ptr_eq(&before.1, &after.1));
}

#[test]
fn defaults_are_judged_as_they_were_sent() {
    let api = Api::default();
    let with = |a: &str| {
        let schema = format!(r#"{{"type":"object","properties":{{"a":{a}}}}}"#);
        definition("as", r#""kind":"A""#).replace(r#"{"type":"object"}"#, &schema)
    };
    let start = r#"422 CustomResourceDefinition.apiextensions.k8s.io "as.example.com" is invalid: "#;
    for (schema, found) in
        [(r#"{"type":"string","default":1.0}"#, "number"), (r#"{"type":"string","default":1}"#, "integer")]
    {
        let expected = format!(
            r#"{start}spec.validation.openAPIV3Schema.properties[a].default: Invalid value: "{found}":  in body must be of type string: "{found}""#
        );
        assert_eq!(api.refused("POST", CRDS, &with(schema)), expected);
    }
    let created = api.must("POST", CRDS, &with(r#"{"type":"number","multipleOf":0.5,"default":100.0}"#));
    assert!(json::to_string(&created).contains(r#""default":100,"#));
}

#[test]
fn what_reads_on_its_own_has_the_last_word() {
    let text = definition("as", r#""kind":"A""#).replace(r#""type":"object""#, r#""type":1,"items":{"type":2}"#);
    assert_eq!(
        Api::default().refused("POST", CRDS, &text),
        "400 CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal \
         number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.type of type string"
    );
}

#[test]
fn a_definition_that_is_loaded_is_stored_as_one_that_is_sent() {
    let api = Api::default();
    let given = definition("as", r#""kind":"A","shortNames":[],"plurals":"x""#);
    wait(sprag_controllers::load(&api.registry, json::parse(given.as_bytes()).unwrap(), "test")).unwrap();
    let path = format!("{CRDS}/as.example.com");
    let user = User::default();
    let stored = wait(api.registry.get(&request(&path, &user).unwrap(), "")).unwrap();
    let names = stored.lookup(&["spec", "names"]).map(json::to_string);
    assert_eq!(names.as_deref(), Some(r#"{"kind":"A","listKind":"AList","plural":"as","singular":"a"}"#));
}
