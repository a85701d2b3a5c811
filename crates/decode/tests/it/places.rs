//! From paths to places.

use sprag_decode::{Format, locate, stream};

const MANIFEST: &str = "\
apiVersion: v1
base: &base {color: red, size: {w: 1}}
spec:
  list:
  - x: 1
    z: |
      text
  - &second
    x: 2
  map:
    a.b/c: one
    \"q\": two
    on: yes
  merged:
    <<: *base
    own: 1
  again: *second
";

#[track_caller]
fn check(path: &str, want: &str) {
    check_in(Format::Yaml, MANIFEST, path, want);
}

/// Shows line, column and text of the key, then of the value.
#[track_caller]
fn check_in(format: Format, text: &str, path: &str, want: &str) {
    let place = locate::locate(format, text.as_bytes(), path).unwrap();
    let show = |span: locate::Span| {
        let shown = text[span.bytes()].lines().next().unwrap_or_default().to_owned();
        format!("{}:{} {shown}", span.start.line, span.start.column)
    };
    let key = place.key.map_or("-".to_owned(), show);
    let got = format!("{key} | {}{}", show(place.value), if place.exact { "" } else { " (nearest)" });
    assert_eq!(got, want);
}

#[test]
fn fields_and_elements_are_found() {
    check("spec.list[0].x", "5:5 x | 5:8 1");
    check(".spec.list[0].z", "6:5 z | 6:8 |");
    check("spec.list[1]", "- | 8:5 &second");
    check("spec", "3:1 spec | 4:3 list:");
    check("", "- | 1:1 apiVersion: v1");
    check("<nil>", "- | 1:1 apiVersion: v1");
}

#[test]
fn keys_are_found_in_brackets_and_joined_by_dots() {
    check("spec.map[a.b/c]", "11:5 a.b/c | 11:12 one");
    check("spec.map.a.b/c", "11:5 a.b/c | 11:12 one");
    check("spec.map.q", "12:5 \"q\" | 12:10 two");
    check("spec.map.true", "13:5 on | 13:9 yes");
}

#[test]
fn the_nearest_ancestor_is_found_when_there_is_no_such_field() {
    check("spec.list[7].x", "4:3 list | 5:3 - x: 1 (nearest)");
    check("spec.map.nope.x", "10:3 map | 11:5 a.b/c: one (nearest)");
    check("nope", "- | 1:1 apiVersion: v1 (nearest)");
}

#[test]
fn aliases_and_merges_are_followed() {
    check("spec.merged.size.w", "2:33 w | 2:36 1");
    check("spec.merged.own", "16:5 own | 16:10 1");
    check("spec.again.x", "9:5 x | 9:8 2");
    check("spec.again", "17:3 again | 17:10 *second");
}

#[test]
fn the_last_of_repeated_keys_counts() {
    check_in(Format::Yaml, "a: 1\nb: 2\na: 3\n", "a", "3:1 a | 3:4 3");
}

#[test]
fn json_is_looked_into_as_well() {
    let text = "{\"spec\": {\"l\": [1, {\"\\u0061\": \"x\"}],\n \"m\": {\"a.b\": null}}}";
    check_in(Format::Json, text, "spec.l[1].a", "1:21 \"\\u0061\" | 1:31 \"x\"");
    check_in(Format::Json, text, "spec.m.a.b", "2:8 \"a.b\" | 2:15 null");
    check_in(Format::Json, text, "spec.m[a.b]", "2:8 \"a.b\" | 2:15 null");
}

#[test]
fn places_in_a_document_are_places_in_the_stream() {
    let text = "a: 1\n---\nb:\n  c: é\n";
    let documents: Result<Vec<_>, _> = stream::documents(text.as_bytes()).collect();
    let documents = documents.unwrap();
    let place = locate::locate(documents[1].format, &documents[1].text, "b.c").unwrap();
    let span = place.value.shifted(documents[1].start);
    assert_eq!((span.start.line, span.start.column, &text[span.bytes()]), (4, 6, "é"));
}

#[test]
fn errors_of_a_stream_have_their_place_in_it() {
    let error = stream::documents(b"a: 1\n---\nb: c: d\n").find_map(Result::err).unwrap();
    assert_eq!(
        error.to_string(),
        "error converting YAML to JSON: yaml: mapping values are not allowed in this context"
    );
    let position = error.position.unwrap();
    assert_eq!((position.line, position.column), (3, 5));
}
