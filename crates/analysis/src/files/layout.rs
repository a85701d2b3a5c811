//! Folders of Helm and kustomize, known by the files in them. Nothing is run.

use std::collections::BTreeSet;

use sprag_decode::yaml;
use sprag_value::{Array, Value};

use crate::standing::Passed;

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";

/// Names of files that make a folder a kustomization.
pub(super) const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Longer kustomizations are not looked at.
pub(super) const MAX_KUSTOMIZATION: u64 = 1 << 20;

/// Maximum number of files that kustomizations name.
const MAX_PARTS: usize = 100_000;

/// The charts and kustomizations among some files.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The folders of charts, each with a slash at its end.
    charts: BTreeSet<String>,
    /// The folders of kustomizations that can be built, and those of them that others name.
    overlays: BTreeSet<String>,
    named: BTreeSet<String>,
    /// Files and folders that are no whole objects.
    parts: BTreeSet<String>,
}

/// True if a file makes its folder a kustomization.
pub(crate) fn is_kustomization(name: &str) -> bool {
    KUSTOMIZATIONS.contains(&split(name).1)
}

/// The objects that kubeadm patches.
const KUBEADM_TARGETS: [&str; 6] = [
    "corednsdeployment",
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubeletconfiguration",
];

/// True for files that kubeadm takes as patches: `patches/kube-apiserver0+merge.yaml`.
fn is_kubeadm_patch(name: &str) -> bool {
    let (folder, file) = split(name);
    let is_patches = folder.trim_end_matches('/').rsplit('/').next() == Some("patches");
    let target = file.split(['.', '+']).next().unwrap_or_default();
    is_patches && KUBEADM_TARGETS.contains(&target.trim_end_matches(|letter: char| letter.is_ascii_digit()))
}

impl Layout {
    /// Looks at the names of files, and reads the kustomizations among them.
    pub fn of<'n>(names: impl Iterator<Item = &'n str>, mut read: impl FnMut(&str) -> Option<Vec<u8>>) -> Layout {
        let mut layout = Layout::default();
        for name in names {
            let (folder, file) = split(name);
            if file == CHART {
                layout.charts.insert(folder.to_owned());
            } else if is_kustomization(name)
                && let Some(value) = read(name).and_then(|bytes| yaml::decode(&bytes).ok())
            {
                layout.add_kustomization(folder, &value);
            }
        }
        layout
    }

    /// The reason why a file that was found in a folder is not read as manifests.
    pub fn passed(&self, name: &str) -> Option<Passed> {
        if self.is_part(name) {
            return Some(Passed::KustomizePart);
        }
        if is_kubeadm_patch(name) {
            return Some(Passed::Program);
        }
        let chart = self.chart_of(name)?;
        let below = &name[chart.len()..];
        let is_values = !below.contains('/') && below.starts_with("values");
        if below.starts_with("templates/") { Some(Passed::Template) } else { is_values.then_some(Passed::NotManifest) }
    }

    /// The first chart, to name it in advice.
    pub fn chart(&self) -> Option<&str> {
        self.charts.first().map(|folder| shown(folder))
    }

    /// The first kustomization that no other names, to name it in advice.
    pub fn overlay(&self) -> Option<&str> {
        self.overlays().next()
    }

    /// The folders of charts that are in no other chart.
    pub fn charts(&self) -> impl Iterator<Item = &str> {
        let is_inner =
            |folder: &str| self.charts.iter().any(|chart| chart != folder && folder.starts_with(chart.as_str()));
        self.charts.iter().filter(move |folder| !is_inner(folder)).map(|folder| shown(folder))
    }

    /// The folders of kustomizations that no other names.
    pub fn overlays(&self) -> impl Iterator<Item = &str> {
        self.overlays.iter().map(|folder| shown(folder)).filter(|folder| !self.named.contains(*folder))
    }

    /// Adds what another layout has.
    pub fn extend(&mut self, other: Layout) {
        self.charts.extend(other.charts);
        self.overlays.extend(other.overlays);
        self.named.extend(other.named);
        self.parts.extend(other.parts);
    }

    /// The innermost chart around a file.
    fn chart_of(&self, name: &str) -> Option<&str> {
        if self.charts.is_empty() {
            return None;
        }
        let mut folder = split(name).0;
        loop {
            if let Some(chart) = self.charts.get(folder) {
                return Some(chart);
            }
            folder = split(folder.strip_suffix('/')?).0;
        }
    }

    fn is_part(&self, name: &str) -> bool {
        if self.parts.is_empty() {
            return false;
        }
        let mut path = name;
        loop {
            if self.parts.contains(path) {
                return true;
            }
            match path.rsplit_once('/') {
                Some((folder, _)) => path = folder,
                None => return false,
            }
        }
    }

    fn add_kustomization(&mut self, folder: &str, value: &Value) {
        if value.get("kind").and_then(Value::as_str) != Some("Component") {
            self.overlays.insert(folder.to_owned());
        }
        for path in ["resources", "bases", "components"].into_iter().flat_map(|key| list(value, key)) {
            let path = path.as_str().filter(|path| is_path(path)).and_then(|path| joined(folder, path));
            self.named.extend(path.filter(|_| self.named.len() < MAX_PARTS));
        }
        for path in named(value).into_iter().filter(|path| is_path(path)) {
            if let Some(path) = joined(folder, &path).filter(|_| self.parts.len() < MAX_PARTS) {
                self.parts.insert(path);
            }
        }
    }
}

/// What a kustomization names in places of paths that are no resources: patches, generators, transformers, values, schemas.
pub(super) fn named(value: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let mut add = |text: Option<&Value>| {
        if let Some(text) = text.and_then(Value::as_str) {
            paths.insert(text.to_owned());
        }
    };
    for key in ["patchesStrategicMerge", "generators", "transformers", "validators", "configurations", "crds"] {
        list(value, key).for_each(|entry| add(Some(entry)));
    }
    for key in ["patches", "patchesJson6902", "replacements"] {
        // Old kustomizations name files without `path`.
        list(value, key).for_each(|entry| add(entry.get("path").or(Some(entry))));
    }
    add(value.lookup(&["openapi", "path"]));
    for key in ["helmCharts", "helmChartInflationGenerator"] {
        for chart in list(value, key) {
            add(chart.get("valuesFile"));
            add(chart.get("values"));
            list(chart, "additionalValuesFiles").for_each(|entry| add(Some(entry)));
        }
    }
    for key in ["configMapGenerator", "secretGenerator"] {
        for generator in list(value, key) {
            add(generator.get("env"));
            for file in ["files", "envs"].into_iter().flat_map(|key| list(generator, key)).filter_map(Value::as_str) {
                // `key=path`
                let path = file.split_once('=').map_or(file, |(_, path)| path);
                add(Some(&Value::from(path)));
            }
        }
    }
    paths
}

/// Texts that may be paths; an inline patch has lines, and what is fetched has a scheme.
fn is_path(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && !text.contains("://") && !text.starts_with('/')
}

pub(super) fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(key).and_then(Value::as_array).map(Array::as_slice).unwrap_or_default().iter()
}

/// A path seen from a folder, without dots; none if it leads out of what was read.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let absolute = if folder.starts_with('/') { "/" } else { "" };
    Some(format!("{absolute}{}", parts.join("/")))
}

/// The folder of a path, with the slash at its end, and the name in it.
fn split(path: &str) -> (&str, &str) {
    path.rfind('/').map_or(("", path), |at| path.split_at(at + 1))
}

fn shown(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder.trim_end_matches('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(files: &[(&str, &str)]) -> Layout {
        let read =
            |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_bytes().to_vec());
        Layout::of(files.iter().map(|(name, _)| *name), read)
    }

    #[track_caller]
    fn check(layout: &Layout, rows: &[(&str, Option<Passed>)]) {
        for (name, expected) in rows {
            assert_eq!(layout.passed(name), *expected, "{name}");
        }
    }

    #[test]
    fn charts_have_templates_and_values() {
        let layout = layout(&[("charts/web/Chart.yaml", ""), ("charts/web/charts/db/Chart.yaml", "")]);
        check(
            &layout,
            &[
                ("charts/web/templates/a.yaml", Some(Passed::Template)),
                ("charts/web/templates/tests/a.yaml", Some(Passed::Template)),
                ("charts/web/charts/db/templates/a.yaml", Some(Passed::Template)),
                ("charts/web/values-prod.yaml", Some(Passed::NotManifest)),
                ("charts/web/crds/a.yaml", None),
                ("charts/other/templates/a.yaml", None),
                ("templates/a.yaml", None),
            ],
        );
        assert_eq!(layout.chart(), Some("charts/web"));
    }

    #[test]
    fn kustomizations_name_what_is_no_whole_object() {
        let text = "patches: [{path: ../patches/a.yaml}, {patch: 'inline'}, old.yaml]\npatchesStrategicMerge: [b.yaml, \"kind: A\\n\"]\n\
                    generators: [plugins]\nresources: [../base, c.yaml]\nconfigMapGenerator:\n- {name: a, files: [x=d.yaml, e.json], envs: [f]}\n\
                    helmCharts: [{valuesFile: g.yaml}]\n";
        let layout =
            layout(&[("apps/prod/kustomization.yaml", text), ("apps/base/Kustomization", "resources: [x.yaml]")]);
        let part = Some(Passed::KustomizePart);
        check(
            &layout,
            &[
                ("apps/patches/a.yaml", part),
                ("apps/prod/b.yaml", part),
                ("apps/prod/old.yaml", part),
                ("apps/prod/plugins/deep/x.yaml", part),
                ("apps/prod/c.yaml", None),
                ("apps/prod/d.yaml", part),
                ("apps/prod/e.json", part),
                ("apps/prod/g.yaml", part),
                ("apps/base/x.yaml", None),
            ],
        );
        assert_eq!(layout.overlay(), Some("apps/prod"));
    }

    #[test]
    fn patches_of_kubeadm_are_known_by_their_names() {
        let program = Some(Passed::Program);
        check(
            &layout(&[]),
            &[
                ("kind/patches/kube-controller-manager.yaml", program),
                ("patches/etcd0+merge.yaml", program),
                ("kind/etcd.yaml", None),
                ("patches/etcd-service.yaml", None),
            ],
        );
    }

    #[test]
    fn paths_that_lead_out_name_nothing() {
        let layout = layout(&[(
            "kustomization.yaml",
            "patches: [{path: ../../etc/a.yaml}, {path: https://example.com/a.yaml}]",
        )]);
        assert_eq!((layout.parts.len(), layout.overlay()), (0, Some(".")));
    }
}
