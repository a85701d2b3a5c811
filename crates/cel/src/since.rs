//! The releases that know what an expression of another release does not.

use sprag_release::{Release, Releases};

use crate::env::Env;

/// The words before the name of what an expression may not use.
const UNDECLARED: &str = "undeclared reference to '";

/// The functions that issues call undeclared and that new expressions of some releases may use, each with these releases.
///
/// ```
/// use sprag_cel::{Declarations, Env, NoTypes, known_elsewhere};
/// use sprag_release::{Release, Releases};
///
/// let declarations = Declarations { variables: &[], types: &NoTypes, container: "" };
/// let issues = Env::new_expressions(Release::V1_34).compile("[1].slice(0, 1)", declarations).err().unwrap();
/// assert_eq!(known_elsewhere(&issues.to_string()), [("slice".to_owned(), Releases::since(Release::V1_35))]);
/// ```
pub fn known_elsewhere(issues: &str) -> Vec<(String, Releases)> {
    let mut found: Vec<(String, Releases)> = Vec::new();
    for rest in issues.split(UNDECLARED).skip(1) {
        let name = rest.split('\'').next().unwrap_or_default();
        let releases: Releases =
            Release::ALL.into_iter().filter(|release| Env::new_expressions(*release).knows(name)).collect();
        if !releases.is_none() && !releases.is_all() && found.iter().all(|(known, _)| known != name) {
            found.push((name.to_owned(), releases));
        }
    }
    found
}
