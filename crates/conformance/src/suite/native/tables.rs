//! Server-side printing: `tables`.

use sprag_value::{Array, Value};

use super::Native;
use super::answer::{Verdict, parse};
use super::tally::Place;
use super::wire::TableFile;
use super::world::{Asked, meta};

/// The form in which kubectl asks for objects.
pub(super) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// Runs the files.
pub(super) fn run(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.kind_document()?;
    let file: TableFile<'_> = document.read_json()?;
    if !native.kinds.wants(&file.api_version, &file.kind) {
        return Ok(());
    }
    let place = Place::new(group, &file.api_version, &file.kind);
    let mut world = native.world()?;
    let Some(served) = world.served(&file.api_version, &file.kind) else {
        native.tally.not_served(&place, file.rows.len());
        return Ok(());
    };
    for (at, row) in file.rows.iter().enumerate() {
        world.hold(&[(&served, row.object.get())])?;
        let object = parse(row.object.get())?;
        let path = served.path(meta(&object, "namespace"), meta(&object, "name"), "");
        let asked = Asked { method: "GET".to_owned(), path, accept: Some(TABLE.to_owned()), ..Asked::default() };
        let table = world.send(&asked)?.json();
        let mut verdict = Verdict::default();
        verdict.values("columns", row.columns.as_ref().unwrap_or(&file.columns), &column_names(&table));
        let cells = table.get("rows").and_then(|rows| rows.at(0)?.get("cells"));
        verdict.values("cells", &row.cells, cells.unwrap_or(&Value::Null));
        native.tally.case(&place, &format!("row/{at}"), verdict);
    }
    Ok(())
}

fn column_names(table: &Value) -> Value {
    let columns = table.get("columnDefinitions").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<Value> = columns.filter_map(|column| column.get("name").cloned()).collect();
    Value::Array(Array::from(names))
}
