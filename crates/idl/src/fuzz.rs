//! Bodies of fuzz targets: each takes any bytes and must neither panic nor run away.

use crate::{Span, Syntax, parse_tag, raw_value, tag_name};

/// Whatever the reference syntax accepts, the KEP syntax reads the same way.
pub fn fuzz_tag(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let strict = parse_tag(&text, Span::NONE, Syntax::Kubernetes);
    let lenient = parse_tag(&text, Span::NONE, Syntax::Kep);
    if strict.is_ok() {
        assert_eq!(strict, lenient, "{text:?}");
    }
    tag_name(&text);
    raw_value(&text);
}

/// Every finding about a Go file points into it.
#[cfg(feature = "go")]
pub fn fuzz_go(data: &[u8]) {
    let mut sources = crate::Sources::default();
    let files = [sources.add("types.go", String::from_utf8_lossy(data))];
    let (package, findings) =
        crate::read_go(crate::GoPackageInput { path: "example.dev/fuzz", files: &files }, &sources);
    check_places(&package, &findings, &sources);
}

/// Spans lie on character boundaries of the file, and tag lines are where they say they are.
#[cfg(any(feature = "go", feature = "rust"))]
fn check_places(package: &crate::model::Package, findings: &[crate::Finding], sources: &crate::Sources) {
    let text_at = |span: Span| {
        let source = sources.get(span.file)?;
        source.text.get(usize::try_from(span.start).ok()?..usize::try_from(span.end).ok()?)
    };
    for finding in findings {
        assert!(text_at(finding.span).is_some(), "{finding:?}");
    }
    for ty in &package.types {
        assert!(text_at(ty.span).is_some(), "{ty:?}");
        for tag in ty.tags.iter().chain(&ty.detached_tags) {
            assert!(text_at(tag.span).is_some(), "{tag:?}");
        }
    }
}
