use sprag_field::{Errors, Path};
use sprag_value::view::View;
use sprag_value::{Value, json};

use super::PodOptions;
use crate::views::core_v1::PodSpec;

#[test]
fn replay() {
    let Ok(path) = std::env::var("PODC_CASES") else { return };
    let cases = std::fs::read_to_string(path).unwrap();
    let definition = crate::program::resource("", "v1", "Pod").complete(super::defaults::set_pod_defaults).define();
    let options = PodOptions {
        allow_relaxed_environment_variable_validation: true,
        allow_env_files_validation: true,
        pod_level_resources_enabled: true,
        allow_sidecar_resize_policy: true,
        allow_container_restart_policy_rules: true,
        allow_restart_all_containers: true,
        ..PodOptions::default()
    };
    let mut out = String::new();
    for line in cases.lines() {
        let case = json::parse(line.as_bytes()).unwrap();
        let id = case.get("id").and_then(Value::as_str).unwrap();
        let op = case.get("op").and_then(Value::as_str).unwrap();
        let mut result = Value::object();
        result.insert("id", id);
        match definition.scheme.read_object("v1", case.get("object").unwrap().clone()) {
            Err(error) => {
                result.insert("error", error);
            }
            Ok(decoded) => {
                let mut object = decoded.value;
                definition.scheme.complete("v1", &mut object).unwrap();
                if op == "create" {
                    super::defaults::set_pod_level_resources(object.get_mut("spec").unwrap());
                }
                let mut errors = Errors::new();
                let spec: PodSpec<'_> = View::view(object.get("spec"));
                let at = Path::new("spec");
                super::resources::validate_pod_resource_claims(
                    spec.resource_claims(),
                    object.get("metadata"),
                    &at.child("resourceClaims"),
                    &mut errors,
                );
                super::containers::validate_containers(
                    spec.containers(),
                    spec,
                    &at.child("containers"),
                    &options,
                    &mut errors,
                );
                super::containers::validate_init_containers(
                    spec.init_containers(),
                    spec,
                    &at.child("initContainers"),
                    &options,
                    &mut errors,
                );
                super::containers::validate_ephemeral_containers(
                    spec.ephemeral_containers(),
                    spec,
                    &at.child("ephemeralContainers"),
                    &options,
                    &mut errors,
                );
                super::resources::validate_pod_resources(spec, &at, &options, &mut errors);
                super::env::validate_file_key_ref_volumes(spec, &at, &mut errors);
                super::containers::validate_containers_only_for_pod(
                    spec.containers(),
                    &at.child("containers"),
                    &mut errors,
                );
                super::containers::validate_containers_only_for_pod(
                    spec.init_containers(),
                    &at.child("initContainers"),
                    &mut errors,
                );
                let causes: Value = errors
                    .iter()
                    .map(|error| {
                        let mut cause = Value::object();
                        cause.insert("field", error.field.clone());
                        cause.insert("message", error.body().to_string());
                        cause
                    })
                    .collect();
                result.insert("causes", causes);
                result.insert("object", object);
            }
        }
        out += &json::to_string(&result);
        out.push('\n');
    }
    std::fs::write("/tmp/podc-results.jsonl", out).unwrap();
}
