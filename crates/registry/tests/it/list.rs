//! Lists: order, selectors, pages, states.

use sprag_rest::{ListOptions, Request};
use sprag_storage::Store;

use crate::api::{Api, gadget, meta, names, wait};

fn filled() -> Api {
    let api = Api::default();
    for (name, color, label) in [("c", "red", "1"), ("a", "red", "2"), ("b", "blue", "1"), ("d", "blue", "2")] {
        api.create(
            &format!(r#""name":"{name}","labels":{{"k":"{label}"}}"#),
            &format!(r#""spec":{{"color":"{color}"}}"#),
        );
    }
    api
}

fn select(labels: &str, fields: &str) -> ListOptions {
    ListOptions { label_selector: labels.into(), field_selector: fields.into(), ..ListOptions::default() }
}

#[test]
fn objects_are_sorted_and_selected() {
    let api = filled();
    assert_eq!(api.names(&ListOptions::default()), ["a", "b", "c", "d"]);
    assert_eq!(api.names(&select("k=1", "")), ["b", "c"]);
    assert_eq!(api.names(&select("", "spec.color=red")), ["a", "c"]);
    assert_eq!(api.names(&select("", "spec.color!=red,metadata.name=b")), ["b"]);
    assert_eq!(api.names(&select("k=2", "spec.color=red")), ["a"]);
    assert!(api.names(&select("", "metadata.namespace=other")).is_empty());
}

#[test]
fn selectors_follow_changes() {
    let api = filled();
    assert_eq!(api.names(&select("", "spec.color=green")), [""; 0]);
    api.update(gadget(r#""name":"a""#, r#""spec":{"color":"green"}"#));
    assert_eq!(api.names(&select("", "spec.color=green")), ["a"]);
    assert_eq!(api.names(&select("k=2", "")), ["d"]);
}

#[test]
fn unknown_fields_and_bad_selectors_are_refused() {
    let api = filled();
    let error = |options: &ListOptions| api.list(options).unwrap_err().to_string();
    assert_eq!(error(&select("", "spec.size=1")), "field label not supported: spec.size");
    assert_eq!(error(&select("", "abc")), "invalid selector: 'abc'; can't understand 'abc'");
    assert_eq!(error(&select("k in (", "")), "unable to parse requirement: found '', expected: ',', ')' or identifier");
}

#[test]
fn pages_show_one_state() {
    let api = filled();
    let first = api.list(&ListOptions { limit: 3, ..ListOptions::default() }).unwrap();
    assert_eq!((names(&first).len(), first.remaining_item_count), (3, Some(1)));
    api.create(r#""name":"e""#, "");
    let next = ListOptions { limit: 3, continue_token: first.continue_token.clone(), ..ListOptions::default() };
    let last = api.list(&next).unwrap();
    assert_eq!((names(&last), last.continue_token.as_str()), (vec!["d".to_owned()], ""));
    assert_eq!(last.resource_version, first.resource_version);
    let with_version = ListOptions { resource_version: "5".into(), ..next };
    assert_eq!(
        api.list(&with_version).unwrap_err().to_string(),
        "specifying resource version is not allowed when using continue"
    );
}

#[test]
fn pages_of_a_selection_say_no_count() {
    let api = filled();
    let options = ListOptions { limit: 1, ..select("k=1", "") };
    let first = api.list(&options).unwrap();
    assert_eq!((names(&first), first.remaining_item_count), (vec!["b".to_owned()], None));
    let second = api.list(&ListOptions { continue_token: first.continue_token, ..options }).unwrap();
    assert_eq!(names(&second), ["c"]);
}

#[test]
fn any_state_and_one_object_come_whole() {
    let api = filled();
    let limited = ListOptions { limit: 1, ..ListOptions::default() };
    let first = api.list(&limited).unwrap();
    let any = ListOptions { resource_version: "0".into(), ..limited.clone() };
    assert_eq!(api.names(&any), ["a", "b", "c", "d"]);
    let rest = ListOptions { continue_token: first.continue_token, ..any.clone() };
    assert_eq!(api.names(&rest), ["b", "c", "d"]);
    let not_older = ListOptions { resource_version_match: "NotOlderThan".into(), ..any };
    assert_eq!(api.list(&not_older).unwrap().continue_token, "");
    let one = ListOptions { field_selector: "metadata.name=a".into(), ..limited };
    assert_eq!(api.list(&one).unwrap().continue_token, "");
    let not_before_it_was = ListOptions { resource_version: "1".into(), ..one };
    assert_eq!(api.names(&not_before_it_was), ["a"]);
}

#[test]
fn a_token_of_another_list_is_a_place_in_this_one() {
    let api = filled();
    let everywhere = Request { namespace: "", ..api.request("") };
    let list = |request: &Request<'_>, limit, token: &str| {
        let options = ListOptions { limit, continue_token: token.into(), ..ListOptions::default() };
        wait(api.registry.list(request, &options)).unwrap()
    };
    let of_all = list(&everywhere, 2, "").continue_token;
    let of_one = list(&api.request(""), 2, "").continue_token;
    assert_eq!(names(&list(&api.request(""), 0, &of_one)), ["c", "d"]);
    // `default/b` is greater than all names, `b` is less than all that begin with `default`.
    assert_eq!(names(&list(&api.request(""), 0, &of_all)), [""; 0]);
    let all = list(&everywhere, 3, &of_one);
    assert_eq!((names(&all), all.remaining_item_count), (["a", "b", "c"].map(String::from).to_vec(), Some(1)));
    assert_eq!(names(&list(&everywhere, 3, &all.continue_token)), ["d"]);
}

#[test]
fn a_bad_token_is_worse_than_a_resource_version() {
    let bad = ListOptions { continue_token: "garbage".into(), resource_version: "5".into(), ..ListOptions::default() };
    let error = filled().list(&bad).unwrap_err().to_string();
    assert!(error.starts_with("invalid continue token: "), "{error}");
}

#[test]
fn an_old_state_can_be_asked_for_while_it_is_kept() {
    let api = Api::default();
    let then = meta(&api.create(r#""name":"a""#, ""), "resourceVersion");
    api.create(r#""name":"b""#, "");
    let exact = ListOptions {
        resource_version: then.clone(),
        resource_version_match: "Exact".into(),
        ..ListOptions::default()
    };
    assert_eq!(api.names(&exact), ["a"]);
    let not_older = ListOptions { resource_version_match: "NotOlderThan".into(), ..exact.clone() };
    assert_eq!(api.names(&not_older), ["a", "b"]);
    let future = ListOptions { resource_version: "999".into(), ..not_older };
    assert_eq!(api.list(&future).unwrap_err().code(), 504);
    let garbage = ListOptions { resource_version: "abc".into(), ..ListOptions::default() };
    assert_eq!(api.list(&garbage).unwrap_err().code(), 400);
}

#[test]
fn a_page_of_a_state_that_is_gone_offers_to_go_on() {
    let api = filled();
    let first = api.list(&ListOptions { limit: 1, ..ListOptions::default() }).unwrap();
    let last = api.create(r#""name":"e""#, "");
    let now = sprag_storage::Revision(meta(&last, "resourceVersion").parse().unwrap());
    api.store.compact(now).wait().unwrap();
    let next = ListOptions { continue_token: first.continue_token, ..ListOptions::default() };
    let error = api.list(&next).unwrap_err();
    assert_eq!((error.code(), error.reason()), (410, "Expired"));
    let token = error.parts().continue_token.clone();
    let rest = api.list(&ListOptions { continue_token: token, ..ListOptions::default() }).unwrap();
    assert_eq!(names(&rest), ["b", "c", "d", "e"]);
}

#[test]
fn a_namespace_that_does_not_exist_is_empty() {
    let api = filled();
    let request = Request { namespace: "nowhere", ..api.request("") };
    assert!(wait(api.registry.list(&request, &ListOptions::default())).unwrap().items.is_empty());
    let everywhere = Request { namespace: "", ..api.request("") };
    assert_eq!(wait(api.registry.list(&everywhere, &ListOptions::default())).unwrap().items.len(), 4);
}

#[test]
fn a_list_is_an_object() {
    let list = filled().list(&ListOptions { limit: 1, ..ListOptions::default() }).unwrap();
    let value = list.to_value();
    assert_eq!(value.get("kind").unwrap(), &"GadgetList");
    assert_eq!(crate::api::at(&value, &["metadata", "remainingItemCount"]), "3");
}
