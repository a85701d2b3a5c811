use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use sprag_storage::{Clock, Memory, Retention};

use crate::api::{Api, Kind, shown};

const CORE: Kind = Kind { path: "events", api_version: "v1", name: "Event" };
const EVENTS: Kind = Kind { path: "events.k8s.io/events", api_version: "events.k8s.io/v1", name: "Event" };

const NEW: &str = r#","regarding":{"kind":"Pod","namespace":"default","name":"p"},
    "eventTime":"2024-01-01T00:00:00.123456Z","reportingController":"a.b/c","reportingInstance":"i","action":"act",
    "reason":"why","type":"Normal""#;
const OLD: &str = r#","involvedObject":{"kind":"Pod","namespace":"default","name":"p","fieldPath":"spec"},"reason":"r",
    "firstTimestamp":"2030-03-17T17:45:00Z","count":3,"source":{"component":"c","host":"h"},"type":"Warning",
    "message":" hello ""#;

#[test]
fn what_is_not_set_is_still_there() {
    CORE.check("", expect![[r#"{"apiVersion":"v1","eventTime":null,"firstTimestamp":null,"involvedObject":{},"kind":"Event","lastTimestamp":null,"metadata":{"name":"x"},"reportingComponent":"","reportingInstance":"","source":{}}"#]]);
    EVENTS.check(NEW, expect![[r#"{"action":"act","apiVersion":"events.k8s.io/v1","deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null,"deprecatedSource":{},"eventTime":"2024-01-01T00:00:00.123456Z","kind":"Event","metadata":{"name":"x"},"reason":"why","regarding":{"kind":"Pod","name":"p","namespace":"default"},"reportingController":"a.b/c","reportingInstance":"i","type":"Normal"}"#]]);
}

#[test]
fn old_events_match_their_namespace() {
    CORE.check(
        r#","involvedObject":{"namespace":"other"}"#,
        expect![[
            r#"Event "x" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace"#
        ]],
    );
}

#[test]
fn events_with_a_time_say_who_tells_what() {
    CORE.check(r#","eventTime":"2024-01-01T00:00:00.000000Z""#, expect![[r#"Event "x" is invalid: [reportingComponent: Required value, reportingComponent: Invalid value: "": name part must be non-empty, reportingComponent: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), reportingInstance: Required value, action: Required value, reason: Required value]"#]]);
    let long = "x".repeat(1025);
    let members = format!(
        r#","eventTime":"2024-01-01T00:00:00.000000Z","reportingComponent":"a b","reportingInstance":"{0}",
           "action":"{0}","reason":"{0}","message":"{1}""#,
        &long[..129],
        long
    );
    CORE.check(&members, expect![[r#"Event "x" is invalid: [reportingComponent: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), reportingInstance: Invalid value: "": can have at most 128 characters, action: Invalid value: "": can have at most 128 characters, reason: Invalid value: "": can have at most 128 characters, message: Invalid value: "": can have at most 1024 characters]"#]]);
}

#[test]
fn events_are_checked_before_their_metadata() {
    let misplaced = r#""namespace":"other","kind":"Pod""#;
    let metadata = r#""metadata":{"name":"x","generateName":"G","finalizers":["a/"]}"#;
    let core = format!(r#"{{"apiVersion":"v1","kind":"Event",{metadata},"involvedObject":{{{misplaced}}}}}"#);
    let error = Api::new().create("events", &core).unwrap_err().to_string();
    expect![[
        r#"Event "x" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace"#
    ]]
    .assert_eq(&error);
    let newer = format!(r#"{{"apiVersion":"events.k8s.io/v1","kind":"Event",{metadata},"regarding":{{{misplaced}}}}}"#);
    let error = Api::new().create("events.k8s.io/events", &newer).unwrap_err().to_string();
    expect![[r#"Event "x" is invalid: [involvedObject.namespace: Invalid value: "other": does not match event.namespace, metadata.generateName: Invalid value: "G": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), metadata.finalizers: Invalid value: "a/": name part must be non-empty, metadata.finalizers: Invalid value: "a/": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), eventTime: Required value, type: Invalid value: "": has invalid value: ]"#]].assert_eq(&error);
}

#[test]
fn the_newer_group_is_stricter() {
    EVENTS.check(
        "",
        expect![[r#"Event "x" is invalid: [eventTime: Required value, type: Invalid value: "": has invalid value: ]"#]],
    );
    let members = format!(r#"{NEW},"series":{{"count":1}},"deprecatedCount":1,"deprecatedSource":{{"host":"h"}}"#);
    EVENTS.check(&members, expect![[r#"Event "x" is invalid: [series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value, count: Invalid value: "": needs to be unset, source: Invalid value: "": needs to be unset]"#]]);
}

#[test]
fn the_newer_group_lets_only_the_series_change() {
    let series = format!(r#"{NEW},"series":{{"count":2,"lastObservedTime":"2024-01-01T00:00:00.000001Z"}}"#);
    EVENTS.check_update(NEW, &series, expect![[r#"{"action":"act","apiVersion":"events.k8s.io/v1","deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null,"deprecatedSource":{},"eventTime":"2024-01-01T00:00:00.123456Z","kind":"Event","metadata":{"name":"x"},"reason":"why","regarding":{"kind":"Pod","name":"p","namespace":"default"},"reportingController":"a.b/c","reportingInstance":"i","series":{"count":2,"lastObservedTime":"2024-01-01T00:00:00.000001Z"},"type":"Normal"}"#]]);
    let other = NEW.replace("why", "other").replace("\"p\"", "\"<q>\"").replace(".123456", ".200000");
    EVENTS.check_update(NEW, &other, expect![[r#"Event "x" is invalid: [involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"\u003cq\u003e","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable, reason: Invalid value: "other": field is immutable, eventTime: Invalid value: "2024-01-01T00:00:00.200000Z": field is immutable]"#]]);
}

#[test]
fn both_groups_show_the_same_events() {
    let api = Api::new();
    api.create(CORE.path, &CORE.body(OLD)).unwrap();
    expect![[r#"{"apiVersion":"events.k8s.io/v1","deprecatedCount":3,"deprecatedFirstTimestamp":"2030-03-17T17:45:00Z","deprecatedLastTimestamp":null,"deprecatedSource":{"component":"c","host":"h"},"eventTime":null,"kind":"Event","metadata":{"name":"x"},"note":" hello ","reason":"r","regarding":{"fieldPath":"spec","kind":"Pod","name":"p","namespace":"default"},"type":"Warning"}"#]].assert_eq(&shown(api.get(EVENTS.path, "x")));
    api.update(EVENTS.path, "x", &EVENTS.body(NEW)).unwrap_err();
    api.delete(EVENTS.path, "x").unwrap();
    api.create(EVENTS.path, &EVENTS.body(NEW)).unwrap();
    expect![[r#"{"action":"act","apiVersion":"v1","eventTime":"2024-01-01T00:00:00.123456Z","firstTimestamp":null,"involvedObject":{"kind":"Pod","name":"p","namespace":"default"},"kind":"Event","lastTimestamp":null,"metadata":{"name":"x"},"reason":"why","reportingComponent":"a.b/c","reportingInstance":"i","source":{},"type":"Normal"}"#]].assert_eq(&shown(api.get(CORE.path, "x")));
    expect![[r#"events "x" already exists"#]].assert_eq(&shown(api.create(CORE.path, &CORE.body(""))));
}

#[test]
fn an_update_may_create() {
    assert!(Api::new().update(CORE.path, "x", &CORE.body("")).is_ok());
}

#[test]
fn events_are_selected_by_what_they_are_about() {
    let api = Api::new();
    api.create(EVENTS.path, &EVENTS.body(NEW)).unwrap();
    let check = |path: &str, selector: &str, found: bool| {
        assert_eq!(api.names(path, selector).unwrap().len(), usize::from(found), "{path} {selector}");
    };
    check(CORE.path, "involvedObject.name=p,reason=why,type=Normal", true);
    check(CORE.path, "source=a.b/c,reportingComponent=a.b/c", true);
    check(CORE.path, "involvedObject.kind=Node", false);
    check(EVENTS.path, "regarding.name=p,reportingController=a.b/c", true);
    check(EVENTS.path, "regarding.name=q", false);
    let refused = |path: &str, selector: &str| api.names(path, selector).unwrap_err().to_string();
    assert_eq!(refused(EVENTS.path, "source=c"), "field label not supported: source");
    assert_eq!(refused(CORE.path, "action=act"), "field label not supported: action");
}

#[test]
fn a_row_tells_the_event() {
    let check = |kind: &Kind, members: &str, expected: Expect| kind.check_row(members, expected);
    check(&CORE, OLD, expect![[r#"["100s","Warning","r","pod/p","spec","c, h","hello","100s",3,"x"]"#]]);
    check(&EVENTS, NEW, expect![[r#"["6y77d","Normal","why","pod/p","","a.b/c, i","","6y77d",1,"x"]"#]]);
    check(&CORE, "", expect![[r#"["\u003cunknown\u003e","","","","","","","\u003cunknown\u003e",1,"x"]"#]]);
}

/// A clock that stands where it is put.
#[derive(Default)]
struct Hands(AtomicU64);

impl Clock for Hands {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn events_are_gone_after_an_hour_without_a_write() {
    let hands = Arc::new(Hands::default());
    let api = Api::over(Memory::with(Retention::default(), hands.clone()));
    let hour = 60 * 60 * 1000;
    api.create(CORE.path, &CORE.body("")).unwrap();
    hands.0.store(hour - 1, Ordering::Relaxed);
    api.update(CORE.path, "x", &CORE.body(r#","reason":"again""#)).unwrap();
    hands.0.store(2 * hour - 2, Ordering::Relaxed);
    assert!(api.get(CORE.path, "x").is_ok());
    hands.0.store(2 * hour, Ordering::Relaxed);
    let gone = || api.get(CORE.path, "x").is_err_and(|error| error.is_not_found());
    let deadline = Instant::now() + Duration::from_secs(30);
    while !gone() {
        assert!(Instant::now() < deadline, "the event is still there");
        sleep(Duration::from_millis(20));
    }
}
