//! Constants whose values depend on those of other packages, as in `AddressTypeIPv4 = AddressType(v1.IPv4Protocol)`.

use std::collections::BTreeSet;

use sprag_idl::model::Package;

use super::{LoadError, Loader};

/// Maximum length of a chain of packages that depend on one another for their constants.
const MAX_DEPTH: usize = 64;

impl Loader {
    /// Reads a package again with the packages that its constants depend on, as far as these are found.
    pub(super) fn resolve_consts(&mut self, path: &str, depth: usize) -> Result<(), LoadError> {
        let Some(Some(read)) = self.read.get_mut(path) else { return Ok(()) };
        // Go has no import cycles; packages that have one anyway see what was known first.
        if std::mem::replace(&mut read.has_consts, true) || depth > MAX_DEPTH {
            return Ok(());
        }
        let home = read.home.clone();
        let files = read.files.clone();
        let mut needed = needs(&read.package);
        let mut looked_for = BTreeSet::new();
        while needed.iter().any(|package| !looked_for.contains(package)) {
            for package in &needed {
                self.imported(package, &home, depth + 1)?;
            }
            looked_for.append(&mut needed);
            let others: Vec<&Package> =
                looked_for.iter().filter_map(|path| Some(&self.read.get(path)?.as_ref()?.package)).collect();
            if others.is_empty() {
                break;
            }
            let (package, findings) = self.parse_go(&home, &files, &others);
            needed = needs(&package);
            if let Some(Some(read)) = self.read.get_mut(path) {
                (read.package, read.findings) = (package, findings);
            }
        }
        Ok(())
    }
}

/// The packages that the values of a package's constants depend on and that were not known when it was read.
fn needs(package: &Package) -> BTreeSet<String> {
    package.consts.iter().filter_map(|item| Some(item.needs.as_ref()?.package.clone())).collect()
}
