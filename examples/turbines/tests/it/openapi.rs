//! Served `OpenAPI` has the rules that tags declare, for compiled types and for a program alike.

use std::sync::Arc;

use expect_test::expect;
use sprag::Value;
use sprag_discovery::openapi::{Options, openapi_v2, openapi_v3};
use sprag_value::json;

use crate::sources;

/// The schema of a type, the same of both sources; descriptions are left out.
fn schema(name: &str, of: impl Fn(&[Arc<sprag::Definition>]) -> Value) -> String {
    let mut shown: Vec<String> = Vec::new();
    for (_, definition) in sources() {
        let document = of(&[Arc::new(definition)]);
        let name = format!("dev.example.v1.{name}");
        let schemas = document.lookup(&["components", "schemas"]).or(document.get("definitions")).unwrap();
        let mut schema = schemas.get(&name).unwrap_or_else(|| panic!("{name}: {}", json::to_string(schemas))).clone();
        undescribed(&mut schema);
        shown.push(sprag_decode::yaml::to_string(&schema));
    }
    assert_eq!(shown[0], shown[1]);
    shown.remove(0)
}

fn undescribed(schema: &mut Value) {
    schema.remove("description");
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.iter_mut().for_each(|(_, property)| undescribed(property));
    }
}

#[test]
fn version_3_has_the_rules_of_types() {
    let of = |definitions: &[_]| openapi_v3(definitions, "example.dev", "v1", &Options::default()).unwrap();
    expect![[r"
        properties:
          alloy:
            maxLength: 8
            type: string
          blades:
            default: 3
            format: int32
            minimum: 2
            type: integer
          drive:
            enum:
            - Blades
            - Water
            - Wind
            type: string
          drives:
            items:
              enum:
              - Blades
              - Water
              - Wind
              type: string
            type: array
            x-kubernetes-list-type: set
          gear:
            allOf:
            - $ref: '#/components/schemas/dev.example.v1.Gear'
          pitch:
            format: int32
            type: integer
          sites:
            items:
              $ref: '#/components/schemas/dev.example.v1.Site'
            type: array
            x-kubernetes-list-map-keys:
            - name
            x-kubernetes-list-type: map
          size:
            default: 0
            format: int32
            minimum: 1
            type: integer
          thickness:
            default: 0
            format: int32
            minimum: 1
            type: integer
        required:
        - alloy
        - size
        type: object
    "]]
    .assert_eq(&schema("TurbineSpec", of));
    expect![[r"
        properties:
          drive:
            enum:
            - Blades
            - Water
            - Wind
            minLength: 1
            type: string
        required:
        - drive
        type: object
    "]]
    .assert_eq(&schema("Gear", of));
}

#[test]
fn version_2_has_those_that_it_can_say() {
    let of = |definitions: &[_]| openapi_v2(definitions, &Options::default());
    expect![[r"
        properties:
          alloy:
            maxLength: 8
            type: string
          blades:
            format: int32
            minimum: 2
            type: integer
          drive:
            enum:
            - Blades
            - Water
            - Wind
            type: string
          drives:
            items:
              enum:
              - Blades
              - Water
              - Wind
              type: string
            type: array
            x-kubernetes-list-type: set
          gear:
            $ref: '#/definitions/dev.example.v1.Gear'
          pitch:
            format: int32
            type: integer
          sites:
            items:
              $ref: '#/definitions/dev.example.v1.Site'
            type: array
            x-kubernetes-list-map-keys:
            - name
            x-kubernetes-list-type: map
          size:
            format: int32
            minimum: 1
            type: integer
          thickness:
            format: int32
            minimum: 1
            type: integer
        required:
        - alloy
        - size
        type: object
    "]]
    .assert_eq(&schema("TurbineSpec", of));
}
