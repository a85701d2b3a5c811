//! Checks of resources without a request for any object.

use std::sync::Arc;

use sprag_rest::Definition;

use super::super::discover::Resource;
use super::super::schema::Documents;
use super::Problem;

/// The number of kinds that need no strategy code of their own.
const STANDARD_KINDS: usize = 5;

/// Every version is in the documents, with its fields.
pub(in super::super) fn openapi(resource: &Resource, documents: &Documents<'_>) -> Vec<Problem> {
    let missing = resource.versions.iter().filter_map(|version| match documents.schema(resource, &version.name) {
        None => Some(Problem::new(format!("the document of {} has no schema for it", version.name))),
        // Questions and answers need not have metadata, and fields may be unknown on purpose.
        Some(schema) if resource.is_stored() && schema.property("metadata").is_none() => {
            Some(Problem::of("metadata", format!("the schema of {} lacks it", version.name)))
        }
        Some(_) => None,
    });
    missing.collect()
}

/// Every version has the shape of its type.
pub(in super::super) fn generated_code(definition: &Definition) -> Vec<Problem> {
    let served = definition.versions.iter().filter(|version| version.served);
    let is_bare =
        |version: &&sprag_rest::Version| version.schema.is_none() && definition.scheme.shape(&version.name).is_none();
    let bare = served.filter(is_bare);
    bare.map(|version| Problem::new(format!("version {} has no generated code", version.name))).collect()
}

/// Enough kinds do without strategy code of their own.
pub(in super::super) fn standard_strategy(definitions: &[Arc<Definition>]) -> Vec<Problem> {
    let standard =
        definitions.iter().filter(|definition| !definition.has_own_strategy && definition.unstored.is_none());
    let count = standard.count();
    let few = (count < STANDARD_KINDS).then(|| {
        Problem::new(format!("{count} kinds have no strategy code of their own, {STANDARD_KINDS} are expected"))
    });
    few.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_kinds_without_strategy_code_are_enough() {
        let kinds = |standard: usize| -> Vec<Arc<Definition>> {
            let kind = |index| Definition { has_own_strategy: index >= standard, ..sprag_kinds::namespaces() };
            (0..9).map(kind).map(Arc::new).collect()
        };
        assert_eq!(standard_strategy(&kinds(5)).len(), 0);
        let problems = standard_strategy(&kinds(4));
        assert_eq!(problems[0].message, "4 kinds have no strategy code of their own, 5 are expected");
    }
}
