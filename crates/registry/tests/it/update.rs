//! Creates and updates beyond the defaults: names, namespaces, conflicts, dry run.

use std::sync::Arc;

use sprag_rest::{Entropy, NameGenerator, Request, WriteOptions};
use sprag_value::Value;

use crate::api::{Api, at, config, gadget, meta, parse, wait};

const NAME: &str = r#""name":"g""#;

#[track_caller]
fn refused(metadata: &str, rest: &str, code: u16, expected: &str) {
    let error = Api::default().try_create(metadata, rest).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), (code, expected));
}

#[test]
fn what_cannot_be_created_is_refused_in_upstreams_words() {
    refused(
        "",
        "",
        422,
        r#"Gadget.example.com "" is invalid: metadata.name: Required value: name or generateName is required"#,
    );
    refused(
        r#""name":"g","resourceVersion":"5""#,
        "",
        500,
        "resourceVersion should not be set on objects to be created",
    );
    refused(
        r#""name":"g","namespace":"other""#,
        "",
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
    );
}

#[test]
fn objects_of_another_type_are_refused() {
    let api = Api::default();
    let create = |body: &str| wait(api.registry.create(&api.request(""), parse(body), &WriteOptions::default()));
    let error = create(r#"{"apiVersion":"example.com/v1","kind":"Wrong","metadata":{"name":"g"}}"#).unwrap_err();
    assert_eq!(error.to_string(), r#"Wrong.example.com "g" is invalid: kind: Invalid value: "Wrong": must be Gadget"#);
    let error = create(r#"{"apiVersion":"apps/v1","kind":"Gadget","metadata":{"name":"g"}}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the API version in the data (apps/v1) does not match the expected API version (example.com/v1)"
    );
    let request = Request { version: "v9", ..api.request("") };
    let error = wait(api.registry.create(&request, gadget(NAME, ""), &WriteOptions::default())).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), (404, "the server could not find the requested resource"));
}

struct Constant;

impl NameGenerator for Constant {
    fn generate(&self, base: &str, _: &dyn Entropy) -> String {
        format!("{base}same")
    }
}

#[test]
fn names_are_made_up_and_tried_again() {
    let api = Api::default();
    let created = api.create(r#""generateName":"g-""#, "");
    let name = meta(&created, "name");
    assert!(name.starts_with("g-") && name.len() == 7, "{name}");
    // A generator that has one name only cannot find another.
    let api = Api::new(config().name_generator(Constant).define());
    api.create(r#""generateName":"g-""#, "");
    let error = api.try_create(r#""generateName":"g-""#, "").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"gadgets.example.com "g-same" already exists, the server was not able to generate a unique name for the object"#
    );
    assert_eq!(error.parts().details.as_ref().unwrap().retry_after_seconds, 1);
    let error = api.try_create(r#""name":"g-same","generateName":"other-""#, "").unwrap_err();
    assert!(error.to_string().ends_with("not able to generate a unique name for the object"), "{error}");
}

#[test]
fn what_is_no_resource_version_is_none_to_a_create() {
    let created = Api::default().create(r#""name":"g","resourceVersion":"abc""#, "");
    assert_eq!(meta(&created, "name"), "g");
}

#[test]
fn an_object_exists_once() {
    let api = Api::default();
    api.create(NAME, "");
    let error = api.try_create(NAME, "").unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), (409, r#"gadgets.example.com "g" already exists"#));
    let dry = WriteOptions { dry_run: vec!["All".into()], ..WriteOptions::default() };
    let error = wait(api.registry.create(&api.request(""), gadget(NAME, ""), &dry)).unwrap_err();
    assert_eq!(error.code(), 409);
}

#[test]
fn a_dry_run_keeps_what_is_not_stored() {
    let api = Api::default();
    let dry = WriteOptions { dry_run: vec!["All".into()], ..WriteOptions::by("test") };
    let seen = gadget(r#""name":"g","resourceVersion":"5""#, "");
    let created = wait(api.registry.create(&api.request(""), seen, &dry)).unwrap().object;
    assert_eq!(meta(&created, "resourceVersion"), "5");
    let mut linked = api.create(NAME, "");
    sprag_rest::meta::set(&mut linked, "selfLink", "/g");
    let updated = wait(api.registry.update(&api.request("g"), linked.clone(), &dry)).unwrap().object;
    assert_eq!(meta(&updated, "selfLink"), "/g");
    let updated = api.update(linked.clone());
    assert_eq!(meta(&updated, "resourceVersion"), meta(&linked, "resourceVersion"));
    assert_eq!(meta(&updated, "selfLink"), "");
}

#[test]
fn warnings_are_sent_whether_a_write_succeeds_or_not() {
    let api = Api::default();
    api.create(NAME, "");
    let owner = r#"{"apiVersion":"v1","kind":"Namespace","name":"n","uid":"u"}"#;
    let twice = |more: &str| format!(r#""name":"g","ownerReferences":[{owner},{owner}]{more}"#);
    let refused = [
        api.try_create(&twice(""), "").unwrap_err(),
        api.try_create(&twice(r#","resourceVersion":"5""#), "").unwrap_err(),
        api.try_update(gadget(&twice(r#","resourceVersion":"1000""#), "")).unwrap_err(),
    ];
    for (error, code) in refused.iter().zip([409, 500, 409]) {
        assert_eq!((error.code(), error.parts().warnings.len()), (code, 1), "{error}");
    }
}

#[test]
fn a_dry_run_leaves_no_trace() {
    let api = Api::default();
    let dry = WriteOptions { dry_run: vec!["All".into()], ..WriteOptions::by("test") };
    let created = wait(api.registry.create(&api.request(""), gadget(NAME, ""), &dry)).unwrap().object;
    assert_eq!((meta(&created, "resourceVersion"), meta(&created, "uid").len()), (String::new(), 36));
    assert_eq!(api.get("g").unwrap_err().code(), 404);
    api.create(NAME, "");
    let changed = gadget(NAME, r#""spec":{"color":"red"}"#);
    let updated = wait(api.registry.update(&api.request("g"), changed, &dry)).unwrap().object;
    assert_eq!(at(&updated, &["spec", "color"]), r#""red""#);
    assert_eq!(at(&api.get("g").unwrap(), &["spec", "color"]), "");
}

#[test]
fn a_stale_update_is_a_conflict() {
    let api = Api::default();
    let old = api.create(NAME, "");
    api.update(gadget(NAME, r#""spec":{"color":"red"}"#));
    let error = api.try_update(old).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Operation cannot be fulfilled on gadgets.example.com \"g\": the object has been modified; please apply your \
         changes to the latest version and try again"
    );
    let garbage = gadget(r#""name":"g","resourceVersion":"abc""#, "");
    let error = api.try_update(garbage).unwrap_err();
    assert_eq!(error.to_string(), r#"strconv.ParseUint: parsing "abc": invalid syntax"#);
    assert_eq!((error.code(), error.reason()), (500, ""));
}

#[test]
fn an_update_names_its_object() {
    let api = Api::default();
    api.create(NAME, "");
    let update = |body: Value| wait(api.registry.update(&api.request("g"), body, &WriteOptions::default()));
    assert_eq!(
        update(gadget(r#""name":"h""#, "")).unwrap_err().to_string(),
        "the name of the object (h) does not match the name on the URL (g)"
    );
    assert_eq!(
        update(gadget("", "")).unwrap_err().to_string(),
        "the name of the object (g based on URL) was undeterminable: name must be provided"
    );
    assert_eq!(
        update(gadget(r#""namespace":"other""#, "")).unwrap_err().to_string(),
        "the namespace of the provided object does not match the namespace sent on the request"
    );
    let other = r#"{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"h"}}"#;
    assert_eq!(
        update(parse(other)).unwrap_err().to_string(),
        "the name of the object (h) does not match the name on the URL (g)"
    );
    let error = update(gadget(r#""name":"g","uid":"other""#, "")).unwrap_err();
    assert!(error.to_string().contains(
        "StorageError: invalid object, Code: 4, Key: /registry/gadgets/default/g, ResourceVersion: 0, \
         AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: "
    ));
    let dry = WriteOptions { dry_run: vec!["All".into()], ..WriteOptions::default() };
    let other = gadget(r#""name":"g","uid":"other""#, "");
    let error = wait(api.registry.update(&api.request("g"), other, &dry)).unwrap_err();
    assert!(error.to_string().contains("Key: /gadgets/default/g, "), "{error}");
}

#[test]
fn an_update_that_changes_nothing_is_not_stored() {
    let api = Api::default();
    let created = api.create(NAME, r#""spec":{"color":"red"}"#);
    api.clock.advance(std::time::Duration::from_mins(1));
    let same = api.update(gadget(NAME, r#""spec":{"color":"red"}"#));
    assert_eq!(same, created);
}

#[test]
fn what_the_system_said_cannot_be_changed() {
    let api = Api::default();
    let created = api.create(NAME, "");
    let changed = gadget(r#""name":"g","creationTimestamp":"2001-01-01T00:00:00Z""#, r#""spec":{"color":"red"}"#);
    assert_eq!(meta(&api.update(changed), "creationTimestamp"), meta(&created, "creationTimestamp"));
    let error = api.try_update(gadget(r#""name":"g","deletionTimestamp":"2001-01-01T00:00:00Z""#, "")).unwrap_err();
    assert!(error.to_string().contains("metadata.deletionTimestamp: Invalid value"), "{error}");
}

#[test]
fn get_waits_for_no_state_that_does_not_exist() {
    let api = Api::default();
    api.create(NAME, "");
    let get = |version: &str| wait(api.registry.get(&api.request("g"), version));
    assert!(get("0").is_ok() && get("1").is_ok());
    let error = get("999").unwrap_err();
    assert_eq!((error.code(), error.reason()), (504, "Timeout"));
    assert!(error.to_string().starts_with("Timeout: Too large resource version: 999, current: "));
    assert_eq!(
        get("abc").unwrap_err().to_string(),
        r#"resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax"#
    );
}

#[test]
fn no_acknowledged_write_is_lost_among_many_writers() {
    const WRITERS: usize = 4;
    const WRITES: usize = 50;
    let api = Api::default();
    api.create(NAME, "");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let api = &api;
            scope.spawn(move || {
                for write in 0..WRITES {
                    let patch = format!(
                        r#"{{"metadata":{{"annotations":{{"w{writer}":"{write}"}}}},"spec":{{"replicas":{write}}}}}"#
                    );
                    api.merge("g", &patch).unwrap();
                }
            });
        }
    });
    let object = api.get("g").unwrap();
    let last = WRITES - 1;
    let expected: Vec<String> = (0..WRITERS).map(|writer| format!(r#""w{writer}":"{last}""#)).collect();
    assert_eq!(meta(&object, "annotations"), format!("{{{}}}", expected.join(",")));
}

#[test]
fn repeated_owners_are_dropped_with_a_warning() {
    let api = Api::default();
    let owner = r#"{"apiVersion":"v1","kind":"Namespace","name":"default","uid":"u"}"#;
    let metadata = format!(r#""name":"g","ownerReferences":[{owner},{owner}]"#);
    let created = api.try_create(&metadata, "").unwrap();
    assert_eq!(
        created.warnings,
        [
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject \
          such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"
        ]
    );
    assert_eq!(meta(&created.object, "ownerReferences"), format!("[{owner}]"));
    assert_eq!(api.try_update(gadget(&metadata, "")).unwrap().warnings, created.warnings);
    let patched = api.merge("g", &format!(r#"{{"metadata":{{"ownerReferences":[{owner},{owner}]}}}}"#)).unwrap();
    assert!(patched.warnings[0].starts_with(
        ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server"
    ));
}

#[test]
fn a_state_to_come_is_waited_for_and_not_for_ever() {
    let store: Arc<dyn sprag_storage::Store> = Arc::new(sprag_storage::Memory::new());
    let waits = Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counted = waits.clone();
    let registry = sprag_registry::Registry::builder(store)
        .sleep(Arc::new(move |_| {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Box::pin(std::future::ready(()))
        }))
        .resource(crate::namespace_kind::namespaces())
        .resource(config().define())
        .build();
    wait(registry.ensure_namespace("default")).unwrap();
    let api = Api { registry, ..Api::default() };
    api.create(r#""name":"g""#, "");
    let get = |version: &str| wait(api.registry.get(&api.request("g"), version));
    assert!(get("3").is_ok());
    assert_eq!(waits.load(std::sync::atomic::Ordering::Relaxed), 0);
    let error = get("4").unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), (504, "Timeout: Too large resource version: 4, current: 3"));
    assert_eq!(waits.load(std::sync::atomic::Ordering::Relaxed), 30);
}
