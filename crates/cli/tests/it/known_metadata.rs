//! Object metadata as it is known without its source, held against what every object is decoded and patched by.

use sprag_build::load::{LoadOptions, load};
use sprag_shape::{Shapes, TypeId, meta};
use sprag_tags::ShapeTable;
use sprag_tags::types::Universe;

use crate::scratch::Scratch;

const SOURCE: &str = "package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

type A struct {
	metav1.TypeMeta `json:\",inline\"`
	metav1.ObjectMeta `json:\"metadata\"`
	L metav1.ListMeta `json:\"l\"`
}
";

/// Returns the fields of a struct that decoding, patches and apply read.
fn fields(shapes: &Shapes, id: TypeId) -> Vec<String> {
    let field = |field: &sprag_shape::Field| {
        let list = shapes.list_type(field);
        let go_type = shapes.go_type(field.ty.id);
        // An empty list of managed fields differs from an absent one on purpose: it resets them.
        let omits = (field.json != "managedFields").then_some((field.omit_empty, field.omit_zero));
        format!("{} {} {go_type} {} {omits:?} {list:?} {:?}", field.json, field.name, field.ty.nullable, field.patch)
    };
    shapes.sorted_fields(id).map(field).collect()
}

#[test]
fn metadata_that_is_known_without_its_source_is_that_of_every_object() {
    let folder = Scratch::new("known_metadata");
    folder.write("v1/types.go", SOURCE);
    let loaded = load(&[folder.join("v1")], &LoadOptions::default()).unwrap();
    let universe = Universe::new(loaded.packages, |_| true);
    let table = ShapeTable::new(&universe);
    for (name, id) in [
        ("TypeMeta", meta::TYPE_META),
        ("ObjectMeta", meta::OBJECT_META),
        ("ListMeta", meta::LIST_META),
        ("OwnerReference", meta::OWNER_REFERENCE),
        ("ManagedFieldsEntry", meta::MANAGED_FIELDS_ENTRY),
    ] {
        let def = universe.find("k8s.io/apimachinery/pkg/apis/meta/v1", name).unwrap();
        let shape = table.type_ref(&universe, universe.type_of_def(def).unwrap()).id;
        assert_eq!(fields(&table.shapes, shape), fields(meta::shapes(), id), "{name}");
        assert_eq!(table.shapes.get(shape).atomic, meta::shapes().get(id).atomic, "{name}");
    }
}
