//! The module path of a Rust file in its crate.

use std::path::{Path, PathBuf};

use super::LoadError;
use super::files::{canonical, small_text};
use super::find::{Found, Home, Place};
use super::import_path::elements;

/// A crate, or a directory of modules that is taken for one.
#[derive(Clone, Debug)]
pub(super) struct Crate {
    /// The first element of its module paths; empty when files are modules of their own.
    name: String,
    /// The directory of its modules.
    src: PathBuf,
}

/// The module path of a file: below the crate's `src` when there is a `Cargo.toml`, else below the given directory.
pub(super) fn home(file: &Path, given: &Path) -> Result<Home, LoadError> {
    let file = canonical(file)?;
    let manifest = file.ancestors().skip(1).find_map(|dir| {
        let name = crate_name(&small_text(&dir.join("Cargo.toml"))?)?;
        let src = dir.join("src");
        file.starts_with(&src).then_some(Crate { name, src })
    });
    let home = if let Some(home) = manifest {
        home
    } else {
        let given = canonical(given)?;
        let src = if given.is_dir() { given } else { file.parent().map(Path::to_owned).unwrap_or_default() };
        Crate { name: String::new(), src }
    };
    Ok(Home { path: home.module_path(&file), place: Place::Rust(home) })
}

impl Crate {
    fn module_path(&self, file: &Path) -> String {
        let mut modules = elements(file.strip_prefix(&self.src).unwrap_or(file));
        let last = modules.pop().unwrap_or_default();
        match last.trim_end_matches(".rs") {
            "mod" => {}
            "lib" | "main" if modules.is_empty() && !self.name.is_empty() => {}
            stem => modules.push(stem.to_owned()),
        }
        if !self.name.is_empty() {
            modules.insert(0, self.name.clone());
        }
        modules.join("::")
    }

    /// The file of another module of the same crate.
    pub(super) fn find(&self, path: &str) -> Option<(Found, Home)> {
        let mut modules: Vec<&str> = path.split("::").collect();
        if !self.name.is_empty() {
            (modules.first() == Some(&self.name.as_str())).then(|| modules.remove(0))?;
        }
        let base = self.src.join(modules.iter().collect::<PathBuf>());
        let candidates = match modules.as_slice() {
            [] => [base.join("lib.rs"), base.join("main.rs")],
            _ => [base.with_extension("rs"), base.join("mod.rs")],
        };
        let file = candidates.into_iter().find(|file| file.is_file())?;
        Some((Found::Rust(file), Home { path: path.to_owned(), place: Place::Rust(self.clone()) }))
    }
}

/// The file of a child module; the conventional place if the file does not exist.
pub(super) fn child(file: &Path, name: &str) -> PathBuf {
    let parent = file.parent().map(Path::to_owned).unwrap_or_default();
    let dir = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("mod" | "lib" | "main") | None => parent,
        Some(stem) => parent.join(stem),
    };
    let beside = dir.join(format!("{name}.rs"));
    let inside = dir.join(name).join("mod.rs");
    if !beside.is_file() && inside.is_file() { inside } else { beside }
}

/// The name a crate has in paths, from its manifest.
fn crate_name(manifest: &str) -> Option<String> {
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        if let ("[package]", Some((key, value))) = (section, line.split_once('='))
            && key.trim() == "name"
        {
            return Some(value.trim().trim_matches('"').replace('-', "_"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_paths_follow_the_files() {
        let home = Crate { name: "widgets".into(), src: PathBuf::from("/w/src") };
        for (file, path) in [
            ("/w/src/lib.rs", "widgets"),
            ("/w/src/v1.rs", "widgets::v1"),
            ("/w/src/v1/mod.rs", "widgets::v1"),
            ("/w/src/v1/spec.rs", "widgets::v1::spec"),
        ] {
            assert_eq!(home.module_path(Path::new(file)), path);
        }
        let loose = Crate { name: String::new(), src: PathBuf::from("/w") };
        assert_eq!(loose.module_path(Path::new("/w/widget.rs")), "widget");
        assert_eq!(loose.module_path(Path::new("/w/lib.rs")), "lib");
    }

    #[test]
    fn the_crate_is_named_by_its_package_section() {
        let manifest = "[workspace]\nname = \"no\"\n[package]\nversion = \"1\"\nname = \"my-widgets\"\n";
        assert_eq!(crate_name(manifest).as_deref(), Some("my_widgets"));
        assert_eq!(crate_name("[workspace]\n"), None);
    }
}
