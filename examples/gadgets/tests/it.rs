//! Gadgets through the whole pipeline, in process.

use sprag::testing::Api;

#[test]
fn a_gadget_has_one_piece_unless_it_says_otherwise() {
    let api = Api::builder().resource(gadgets::gadgets()).build();
    let client = api.client("workshop.example.com/v1", "gadgets");
    let created = client.create(r#"{"metadata":{"name":"toaster"},"spec":{"model":"t-800"}}"#).unwrap();
    assert_eq!(created.json("spec"), r#"{"count":1,"model":"t-800"}"#);
}

#[test]
fn a_model_cannot_change() {
    let api = Api::builder().resource(gadgets::gadgets()).build();
    let client = api.client("workshop.example.com/v1", "gadgets");
    client.create(r#"{"metadata":{"name":"toaster"},"spec":{"model":"t-800"}}"#).unwrap();
    let error = client.merge_patch("toaster", r#"{"spec":{"model":"t-1000","count":101}}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Gadget.workshop.example.com \"toaster\" is invalid: [spec.model: Invalid value: null: field cannot be modified \
         once set, spec.count: Invalid value: 101: must be less than or equal to 100]"
    );
}
