//! The conversions of objects, as upstream defaults and converts those of the old version.

mod budget;
mod ingress;
mod workload;

use sprag_value::Value;

use crate::op::{Op, Path};
use crate::table::Removal;

/// The changes that convert an object, in phases: those of one phase do not touch each other.
#[derive(Debug, Default)]
pub(crate) struct Conversion {
    pub(crate) phases: Vec<Vec<Op>>,
    /// What a reader of the difference should know.
    pub(crate) notes: Vec<String>,
}

/// True if manifests of a kind of a removed version are converted.
pub(crate) fn is_known(removal: &Removal, kind: &str) -> bool {
    removal.replacement.is_some() && (removal.changes.is_empty() || by_kind(kind).is_some())
}

/// The conversion of an object at a path of a document, or the reason why it cannot be converted.
pub(crate) fn convert(document: &Value, at: &Path, removal: &Removal, kind: &str) -> Result<Conversion, String> {
    let Some(replacement) = removal.replacement.filter(|_| is_known(removal, kind)) else {
        return Err("it is not converted".to_owned());
    };
    let object = at.find(document).ok_or("it is not an object")?;
    let mut conversion = match by_kind(kind) {
        Some(convert) => convert(&Subject { object, at, removal, kind })?,
        None => Conversion::default(),
    };
    let version = Op::Set { parent: at.clone(), key: "apiVersion", text: replacement };
    match conversion.phases.last_mut() {
        Some(last) => last.push(version),
        None => conversion.phases.push(vec![version]),
    }
    Ok(conversion)
}

/// An object of a removed version.
struct Subject<'a> {
    object: &'a Value,
    at: &'a Path,
    removal: &'a Removal,
    kind: &'a str,
}

type Convert = fn(&Subject<'_>) -> Result<Conversion, String>;

/// The conversion of kinds whose fields differ; the others differ in their version alone.
fn by_kind(kind: &str) -> Option<Convert> {
    match kind {
        "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" => Some(workload::convert),
        "Ingress" => Some(ingress::convert),
        "PodDisruptionBudget" => Some(|subject| Ok(budget::convert(subject))),
        _ => None,
    }
}
