//! From a field of a custom resource to where it is declared.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

use gen_lsp_types::Location;
use sprag_analysis::files::read_limited;
use sprag_analysis::{Analysis, Documents, Identity};
use sprag_decode::locate::Step;
use sprag_schema::Props;
use sprag_schema::crd::KIND;

use crate::hover::at;
use crate::text::Text;
use crate::uri;

/// Returns where the field at a byte is declared. `open` yields texts that are open in the editor.
pub(crate) fn find(
    text: &Text,
    offset: usize,
    analysis: &Analysis,
    open: &dyn Fn(&Path) -> Option<String>,
) -> Option<Location> {
    let at = at(text.as_str(), offset)?;
    let definition = analysis.definition(&at.identity)?;
    let crd = definition.crd();
    let index = crd.versions.iter().position(|version| version.name.as_str() == at.identity.version())?;
    let path = crd.versions[index].props().map(|props| schema_path(props, &at.cursor.steps));
    let path = format!("spec.versions[{index}].schema.openAPIV3Schema{}", path.unwrap_or_default());
    let file = Path::new(&**definition.file());
    let shown = open(file).or_else(|| {
        let bytes = File::open(file).and_then(read_limited).ok()?;
        String::from_utf8(bytes).ok()
    })?;
    let shown = Text::new(shown);
    let name = &definition.source().lookup(&["metadata", "name"]).and_then(|name| name.as_str().map(str::to_owned));
    let is_it = |identity: &Identity| identity.kind == KIND && name.as_deref().is_none_or(|name| name == identity.name);
    let document = Documents::new(shown.as_str().as_bytes(), 1)
        .find(|document| document.value().map(Identity::of).is_some_and(|identity| is_it(&identity)));
    let range = document.and_then(|document| document.place_of(&path)).map(|place| shown.range(place.span().bytes()));
    Some(Location { uri: uri::of_path(file), range: range.unwrap_or_default() })
}

/// The path in a schema that steps in an object lead to, as far as it declares them.
fn schema_path(props: &Props, steps: &[Step]) -> String {
    let mut path = String::new();
    let mut props = props;
    for step in steps {
        let next = match step {
            Step::Member(name) => match props.properties.get(name.as_str()) {
                Some(property) => {
                    let _ = write!(path, ".properties.{name}");
                    Some(property)
                }
                None => props.additional_schema().inspect(|_| path.push_str(".additionalProperties")),
            },
            Step::Element(_) => props.item_schema().inspect(|_| path.push_str(".items")),
        };
        let Some(next) = next else { break };
        props = next;
    }
    path
}
