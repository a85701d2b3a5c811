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

/// Every finding about a Rust file points into it.
#[cfg(feature = "rust")]
pub fn fuzz_rust(data: &[u8]) {
    let mut sources = crate::Sources::default();
    let file = sources.add("types.rs", String::from_utf8_lossy(data));
    let (package, findings) =
        crate::read_rust(crate::RustModuleInput { path: "fuzz::types", files: &[file] }, &sources);
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
    let fields = package.types.iter().flat_map(|ty| match &ty.kind {
        crate::model::TypeKind::Struct(fields) => fields.as_slice(),
        _ => &[],
    });
    let of_fields = fields.flat_map(|field| field.tags.iter().map(|tag| tag.span).chain([field.span]));
    let of_types = package.types.iter().flat_map(|ty| ty.tags.iter().map(|tag| tag.span).chain([ty.span]));
    let of_consts = package.consts.iter().flat_map(|item| item.tags.iter().map(|tag| tag.span).chain([item.span]));
    for span in of_fields.chain(of_types).chain(of_consts).chain(package.tags.iter().map(|tag| tag.span)) {
        assert!(text_at(span).is_some(), "{span:?}");
    }
}
