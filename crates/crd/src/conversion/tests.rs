use sprag_value::json::parse;

use super::*;

/// A webhook that answers with the objects that it got, in the version that it was asked for, once they were edited.
struct Edited<F>(F);

impl<F: Fn(&mut Value, &mut Value) + Send + Sync> ConversionClient for Edited<F> {
    fn uid(&self) -> String {
        "00000000-0000-4000-8000-000000000000".to_owned()
    }

    fn post(
        &self,
        _: &Value,
        review: String,
        read: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<(), NotConverted<String>> {
        let review = parse(review.as_bytes()).unwrap();
        let request = review.get("request").unwrap();
        let mut object = request.lookup(&["objects"]).and_then(Value::as_array).unwrap()[0].clone();
        object.insert("apiVersion", request.get("desiredAPIVersion").unwrap().clone());
        let mut response = parse(br#"{"result":{"status":"Success"}}"#).unwrap();
        response.insert("uid", request.get("uid").unwrap().clone());
        let mut answer = parse(br#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"}"#).unwrap();
        (self.0)(&mut object, &mut response);
        if response.get("convertedObjects").is_none() {
            response.insert("convertedObjects", vec![object]);
        }
        answer.insert("response", response);
        read(json::to_string(&answer).as_bytes());
        Ok(())
    }
}

const DEFINITION: &str = r#"{"spec":{"group":"example.com","conversion":{"strategy":"Webhook","webhook":{
    "conversionReviewVersions":["v1"],"clientConfig":{"url":"https://localhost"}}}}}"#;
const OBJECT: &str = r#"{"apiVersion":"example.com/v1","kind":"Part","metadata":{"name":"a","namespace":"n","uid":"u",
    "labels":{"l":"m"},"annotations":{"x":"y"}},"spec":{"n":1}}"#;

/// What becomes of an object that a webhook converts and edits: it, or the error.
fn converted(edit: impl Fn(&mut Value, &mut Value) + Send + Sync + 'static) -> String {
    let client: Arc<dyn ConversionClient> = Arc::new(Edited(edit));
    let converter = Converter::of(&parse(DEFINITION.as_bytes()).unwrap(), &client).unwrap();
    match converter.convert(vec![parse(OBJECT.as_bytes()).unwrap()], "v2") {
        Ok(objects) => json::to_string(&objects[0]).trim_end().to_owned(),
        Err(failed) => failed.error.replace("conversion webhook for example.com/v1, Kind=Part", "HOOK"),
    }
}

/// Sets a member of the converted object.
#[track_caller]
fn check(path: &'static [&'static str], value: &str, expected: &str) {
    let value = parse(value.as_bytes()).unwrap();
    let answer = converted(move |object, _| {
        let (last, parents) = path.split_last().unwrap();
        let parent = parents.iter().fold(object, |object, name| object.get_mut(name).unwrap());
        parent.insert(*last, value.clone());
    });
    assert_eq!(answer, expected);
}

/// Sets a member of the response.
#[track_caller]
fn check_response(member: &'static str, value: &str, expected: &str) {
    let value = parse(value.as_bytes()).unwrap();
    assert_eq!(converted(move |_, response| assert!(response.insert(member, value.clone()))), expected);
}

#[test]
fn a_converted_object_keeps_its_identity() {
    let invalid = |why: &str| format!("HOOK returned invalid object: must have the same {why}");
    check(&["metadata", "name"], r#""b""#, &invalid("name: a != b"));
    check(&["metadata", "namespace"], r#""b""#, &invalid("namespace: n != b"));
    check(&["metadata", "uid"], r#""b""#, &invalid("UID: u != b"));
    let invalid = |why: &str| format!("HOOK returned invalid object at index 0: invalid {why}");
    check(&["kind"], r#""Other""#, &invalid("kind (expected Part, received Other)"));
    let version = |given: &str| invalid(&format!("groupVersion (expected example.com/v2, received {given})"));
    check(&["apiVersion"], r#""example.com/v1""#, &version("example.com/v1"));
    check(&["apiVersion"], r#""other/v2""#, &version("other/v2"));
}

#[test]
fn a_converted_object_without_a_type_is_quoted() {
    let object = |api_version: &str, kind: &str| {
        OBJECT
            .replace("\n    ", "")
            .replace("example.com/v1", api_version)
            .replace(
                r#""metadata":{"name":"a","namespace":"n","uid":"u","labels":{"l":"m"},"annotations":{"x":"y"}}"#,
                r#""metadata":{"annotations":{"x":"y"},"labels":{"l":"m"},"name":"a","namespace":"n","uid":"u"}"#,
            )
            .replace("Part", kind)
    };
    let missing = |object: String| format!("Object 'Kind' is missing in '{object}'");
    check(&["kind"], r#""""#, &missing(object("example.com/v2", "")));
    check(&["apiVersion"], r#""a/b/c""#, &missing(object("a/b/c", "Part")));
}

#[test]
fn only_labels_and_annotations_are_converted_of_the_metadata() {
    let object = |metadata: &str| {
        format!(r#"{{"apiVersion":"example.com/v2","kind":"Part","metadata":{metadata},"spec":{{"n":1}}}}"#)
    };
    let kept = r#"{"annotations":{"x":"y"},"labels":{"l":"m"},"name":"a","namespace":"n","uid":"u"}"#;
    check(&["metadata", "finalizers"], r#"["a/b"]"#, &object(kept));
    let bare = r#"{"annotations":{"x":"y"},"name":"a","namespace":"n","uid":"u"}"#;
    check(&["metadata", "labels"], "null", &object(bare));
    check(&["metadata", "labels"], "{}", &object(bare));
}

#[test]
fn converted_labels_and_annotations_have_to_be_valid() {
    let name = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let invalid = |why: &str| format!("HOOK returned invalid metadata: {why}");
    let annotation = invalid(&format!("metadata.annotation: Invalid value: \"bad key!\": {name}"));
    check(&["metadata", "annotations"], r#"{"bad key!":"v"}"#, &annotation);
    check(
        &["metadata", "labels"],
        r#"{"-a":"v"}"#,
        &invalid(&format!("metadata.labels: Invalid value: \"-a\": {name}")),
    );
    let number = "metadata.annotations[n] must be a string, but is int64 in converted object";
    check(&["metadata", "annotations"], r#"{"n":5}"#, &invalid(number));
    let list = "invalid metadata.labels of type []interface {} in converted object";
    check(&["metadata", "labels"], "[]", &invalid(list));
}

#[test]
fn responses_are_decoded_as_their_types_in_go() {
    let failed = |why: &str| format!("HOOK failed: json: cannot unmarshal {why}");
    check_response(
        "uid",
        "5",
        &failed("number into Go struct field ConversionResponse.response.uid of type types.UID"),
    );
    let objects =
        "string into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension";
    check_response("convertedObjects", r#""x""#, &failed(objects));
    let result = "string into Go struct field ConversionResponse.response.result of type v1.Status";
    check_response("result", r#""Success""#, &failed(result));
    let code = "string into Go struct field Status.response.result.code of type int32";
    check_response("result", r#"{"status":"Success","code":"x"}"#, &failed(code));
    check_response(
        "result",
        r#"{"status":"Failure"}"#,
        "HOOK failed: response.result.status was 'Failure', not 'Success'",
    );
    check_response("convertedObjects", "[]", "HOOK returned 0 objects, expected 1");
    check_response("convertedObjects", "[null]", "unexpected end of JSON input");
    let text = "json: cannot unmarshal string into Go value of type map[string]interface {}";
    check_response("convertedObjects", r#"["x"]"#, text);
}

#[test]
fn a_status_is_not_a_review() {
    let read = |api_version: &str| {
        let status = format!(r#"{{"apiVersion":"{api_version}","kind":"Status","status":"Failure","message":"m"}}"#);
        review::converted_objects("v1", "u", status.as_bytes()).unwrap_err()
    };
    assert_eq!(read("v1"), "converting (v1.Status) to (v1.ConversionReview): unknown conversion");
    assert_eq!(read("meta.k8s.io/v1"), read("v1"));
}
