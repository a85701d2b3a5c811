//! Warnings about volumes: sources that no longer work, files that hide each other.

use std::fmt;

use sprag_field::{Path, quote};
use sprag_value::Value;

use crate::core::persistent_volume_claim::claim_spec_warnings;
use crate::views::core_v1::{PodSpec, ProjectedVolumeSource, VolumeProjection};

/// Sources, their paths in warnings, and what is said; those of claims come before the last two.
const SOURCES: &[(&str, &str, &str)] = &[
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

/// The number of sources before claims.
const BEFORE_CLAIMS: usize = 7;

/// Warns of sources that no longer work; `at` is the path of the spec.
pub(super) fn volume_warnings(spec: PodSpec<'_>, at: &Path<'_>, out: &mut Vec<String>) {
    let volumes = at.child("volumes");
    for (index, volume) in spec.volumes().iter().enumerate() {
        let at = volumes.index(index);
        let (first, last) = SOURCES.split_at(BEFORE_CLAIMS);
        source_warnings(volume.as_value(), first, &at, out);
        if let Some(template) =
            volume.volume_source().ephemeral().and_then(|ephemeral| ephemeral.volume_claim_template())
        {
            let ephemeral = at.child("ephemeral");
            let template_path = ephemeral.child("volumeClaimTemplate");
            claim_spec_warnings(template.spec(), &template_path.child("spec"), out);
        }
        source_warnings(volume.as_value(), last, &at, out);
    }
}

fn source_warnings(volume: &Value, sources: &[(&str, &str, &str)], at: &Path<'_>, out: &mut Vec<String>) {
    for (field, path, message) in sources {
        if volume.get(field).is_some_and(|source| !source.is_null()) {
            out.push(format!("{}: {message}", at.child(path)));
        }
    }
}

/// As upstream's `pod.warningsForOverlappingVirtualPaths`.
pub(super) fn overlap_warnings(spec: PodSpec<'_>, out: &mut Vec<String>) {
    for volume in spec.volumes().iter() {
        let name = volume.name();
        let volume = volume.volume_source();
        if let Some(map) = volume.config_map() {
            let source = Source { kind: "ConfigMap", name: Some(map.local_object_reference().name()) };
            overlaps(map.items().iter().map(|item| item.path()), name, source, out);
        }
        if let Some(secret) = volume.secret() {
            let source = Source { kind: "Secret", name: Some(secret.secret_name()) };
            overlaps(secret.items().iter().map(|item| item.path()), name, source, out);
        }
        if let Some(api) = volume.downward_api() {
            overlaps(api.items().iter().map(|item| item.path()), name, Source::of("DownwardAPI"), out);
        }
        if let Some(projected) = volume.projected() {
            projected_warnings(projected, name, out);
        }
    }
}

/// Kind and name of what files come from.
#[derive(Clone, Copy)]
struct Source<'v> {
    kind: &'static str,
    name: Option<&'v str>,
}

impl Source<'_> {
    fn of(kind: &'static str) -> Source<'static> {
        Source { kind, name: None }
    }
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        self.name.map_or(Ok(()), |name| write!(f, " {}", quote::go(name)))
    }
}

/// A file; that of a projected volume has a source of its own.
struct File<'v> {
    path: &'v str,
    source: Option<Source<'v>>,
}

impl fmt::Display for File<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        quote::go(self.path).fmt(f)?;
        self.source.map_or(Ok(()), |source| write!(f, " ({source})"))
    }
}

/// Files of a volume met so far.
struct Files<'v, 'o> {
    seen: Vec<File<'v>>,
    volume: &'v str,
    source: Source<'v>,
    out: &'o mut Vec<String>,
}

impl<'v> Files<'v, '_> {
    /// Adds a file, with a warning for each that it shares a path with.
    fn add(&mut self, path: &'v str, source: Option<Source<'v>>) {
        let file = File { path: path.trim_end_matches('/'), source };
        for other in self.seen.iter().filter(|other| is_overlap(file.path, other.path)) {
            let volume = quote::go(self.volume);
            let source = self.source;
            self.out.push(format!("volume {volume} ({source}): overlapping paths: {file} with {other}"));
        }
        self.seen.push(file);
    }
}

fn is_overlap(one: &str, other: &str) -> bool {
    let is_within = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    !one.is_empty() && !other.is_empty() && (one == other || is_within(one, other) || is_within(other, one))
}

fn overlaps<'v>(paths: impl Iterator<Item = &'v str>, volume: &'v str, source: Source<'v>, out: &mut Vec<String>) {
    let mut files = Files { seen: Vec::new(), volume, source, out };
    paths.for_each(|path| files.add(path, None));
}

fn projected_warnings(projected: ProjectedVolumeSource<'_>, volume: &str, out: &mut Vec<String>) {
    let mut files = Files { seen: Vec::new(), volume, source: Source::of("Projected"), out };
    for source in projected.sources().iter() {
        let is_empty = source.as_value().as_object().is_none_or(|source| source.values().all(Value::is_null));
        if is_empty {
            let volume = quote::go(volume);
            files.out.push(format!("volume {volume} (Projected) has no sources provided"));
        } else {
            add_files(source, &mut files);
        }
    }
}

fn add_files<'v>(source: VolumeProjection<'v>, files: &mut Files<'v, '_>) {
    if let Some(map) = source.config_map().filter(|map| !map.items().is_empty()) {
        let source = Source { kind: "ConfigMap", name: Some(map.local_object_reference().name()) };
        map.items().iter().for_each(|item| files.add(item.path(), Some(source)));
    } else if let Some(secret) = source.secret().filter(|secret| !secret.items().is_empty()) {
        let source = Source { kind: "Secret", name: Some(secret.local_object_reference().name()) };
        secret.items().iter().for_each(|item| files.add(item.path(), Some(source)));
    } else if let Some(api) = source.downward_api().filter(|api| !api.items().is_empty()) {
        api.items().iter().for_each(|item| files.add(item.path(), Some(Source::of("DownwardAPI"))));
    } else if let Some(token) = source.service_account_token() {
        files.add(token.path(), Some(Source::of("ServiceAccountToken")));
    } else if let Some(bundle) = source.cluster_trust_bundle() {
        let name = bundle.name().or(bundle.signer_name()).unwrap_or_default();
        files.add(bundle.path(), Some(Source { kind: "ClusterTrustBundle", name: Some(name) }));
    } else if let Some(certificate) = source.pod_certificate() {
        let paths = [
            (certificate.certificate_chain_path(), "PodCertificate chain"),
            (certificate.key_path(), "PodCertificate key"),
            (certificate.credential_bundle_path(), "PodCertificate credential bundle"),
        ];
        for (path, kind) in paths.into_iter().filter(|(path, _)| !path.is_empty()) {
            files.add(path, Some(Source::of(kind)));
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use super::*;

    #[track_caller]
    fn check(volume: &str, expected: &[&str]) {
        let spec = json::parse(format!(r#"{{"volumes":[{volume}]}}"#).as_bytes()).unwrap();
        let mut out = Vec::new();
        overlap_warnings(View::view(Some(&spec)), &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn files_do_not_hide_each_other() {
        check(
            r#"{"name":"v","configMap":{"name":"m","items":[{"path":"a/"},{"path":"a/b"},{"path":"ab"}]}}"#,
            &[r#"volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a""#],
        );
        check(
            r#"{"name":"v","projected":{"sources":[{},{"serviceAccountToken":{"path":"t"}},
                {"secret":{"name":"s","items":[{"path":"t"},{"path":""}]}}]}}"#,
            &[
                r#"volume "v" (Projected) has no sources provided"#,
                r#"volume "v" (Projected): overlapping paths: "t" (Secret "s") with "t" (ServiceAccountToken)"#,
            ],
        );
    }
}
