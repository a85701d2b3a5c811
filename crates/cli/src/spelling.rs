//! Spellings of other tools, which `sprag validate` understands: kubeconform, which writes its flags with one dash, kubectl-validate and
//! flux-schema.

use std::ffi::OsString;
use std::path::Path;

use sprag_analysis::files::has_schemas;

/// A flag of another tool.
#[derive(Clone, Copy)]
enum Flag {
    /// The flag of the same name, without a value.
    Switch,
    /// The flag of the same name, with a value.
    Value,
    /// A flag of another name, without a value.
    SwitchAs(&'static str),
    /// A flag of another name, with a value.
    ValueAs(&'static str),
    /// A flag without a counterpart, and what to use instead.
    Unknown(&'static str),
}

/// The flags of kubeconform v0.7, kubectl-validate and flux-schema that have more than one letter.
const FLAGS: [(&str, Flag); 28] = [
    ("cache", Flag::Unknown("nothing is downloaded, so there is nothing to cache: leave it out")),
    ("concurrent", Flag::ValueAs("-n")),
    ("debug", Flag::Unknown("--verbose names every object that was validated")),
    ("exit-on-error", Flag::Switch),
    ("fail-fast", Flag::SwitchAs("--exit-on-error")),
    ("ignore-filename-pattern", Flag::Value),
    ("ignore-missing-schemas", Flag::Switch),
    ("insecure-skip-tls-verify", Flag::Unknown("nothing is downloaded: leave it out")),
    ("kubernetes-version", Flag::Value),
    ("local-crds", Flag::ValueAs("--crds")),
    (
        "local-schemas",
        Flag::Unknown("built-in kinds need no schemas; --crds PATH reads definitions of custom resources"),
    ),
    ("output", Flag::Value),
    ("reject", Flag::Value),
    ("require-schemas", Flag::Switch),
    ("schema-location", Flag::Value),
    (
        "schema-patches",
        Flag::Unknown("schemas are those of the API server and of definitions: there is nothing to patch"),
    ),
    ("skip", Flag::Value),
    ("skip-cel-rules", Flag::Unknown("rules are always evaluated, as the API server does")),
    (
        "skip-file",
        Flag::Unknown(
            "--ignore-filename-pattern REGEXP passes over files; dot folders and what .gitignore names are passed over anyway",
        ),
    ),
    ("skip-json-path", Flag::Value),
    ("skip-kind", Flag::ValueAs("--skip")),
    ("skip-missing-schemas", Flag::SwitchAs("--ignore-missing-schemas")),
    ("strict", Flag::Switch),
    ("summary", Flag::Switch),
    ("verbose", Flag::Switch),
    ("version", Flag::ValueAs("--kubernetes-version")),
    ("show-skipped", Flag::SwitchAs("--verbose")),
    ("openshift", Flag::Unknown("--crds PATH reads the definitions of OpenShift's kinds")),
];

const SCHEMA_LOCATION: &str = "--schema-location: schemas are not downloaded; built-in kinds need none, --crds PATH reads the \
                               definitions of custom resources, and --schema-location PATH JSON schemas on disk";

const VERSION: &str = "--version: sprag --version prints the version of sprag; --version 1.37 names that of Kubernetes";

const YAML: &str = "--output yaml: --output json has the same content";

/// The arguments with kubeconform's spellings of `sprag validate` replaced by our own.
///
/// # Errors
///
/// A flag of kubeconform that has no counterpart, with what to use instead.
pub(crate) fn translate(mut arguments: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, String> {
    let mut translated: Vec<OsString> = arguments.by_ref().take(2).collect();
    if translated.get(1).is_some_and(|command| command == "gen") {
        translated.extend(arguments);
        return match translated.get(2).and_then(|argument| argument.to_str()).filter(|argument| is_path(argument)) {
            Some(path) => Err(format!("gen {path}: types are named with a flag: sprag gen --types {path} --out DIR")),
            None => Ok(translated),
        };
    }
    if translated.get(1).is_none_or(|command| command != "validate") {
        translated.extend(arguments);
        return Ok(translated);
    }
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            translated.push(argument);
            translated.extend(arguments.by_ref());
        } else if argument == "-v" {
            return Err("-v: sprag --version prints the version, --verbose names objects without findings".to_owned());
        } else if argument == "-s" {
            push_value("schema-location", arguments.next(), &mut translated)?;
        } else if argument == "-o" {
            push_value("output", arguments.next(), &mut translated)?;
        } else if let Some((flag, name, value)) = argument.to_str().and_then(flag) {
            match (flag, value) {
                (Flag::Unknown(instead), _) => return Err(format!("--{name}: {instead}")),
                (Flag::Switch | Flag::SwitchAs(_), value) => {
                    translated.extend(switch(flag, name, value)?.map(OsString::from));
                }
                (Flag::Value | Flag::ValueAs(_), value) => {
                    let value = value.map(OsString::from).or_else(|| arguments.next());
                    let name = if let Flag::ValueAs(own) = flag { own } else { name };
                    push_value(name, value, &mut translated)?;
                }
            }
        } else {
            translated.push(argument);
        }
    }
    Ok(translated)
}

/// The flag of kubeconform that an argument is, with one dash or two, and the value after `=`.
fn flag(argument: &str) -> Option<(Flag, &'static str, Option<&str>)> {
    let text = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-'))?;
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    FLAGS.iter().find(|(known, _)| *known == name).map(|(known, flag)| (*flag, *known, value))
}

/// Our own switch for one of another tool, if it is on.
fn switch(flag: Flag, name: &'static str, value: Option<&str>) -> Result<Option<String>, String> {
    let own = if let Flag::SwitchAs(own) = flag { own.to_owned() } else { format!("--{name}") };
    match value {
        None | Some("true" | "1" | "t" | "T" | "TRUE" | "True") => Ok(Some(own)),
        // What is off by default here is on there.
        Some("false" | "0" | "f" | "F" | "FALSE" | "False") if own == "--ignore-missing-schemas" => {
            Ok(Some("--require-schemas".to_owned()))
        }
        Some("false" | "0" | "f" | "F" | "FALSE" | "False") => Ok(None),
        Some(value) => Err(format!("--{name}: {value:?} is not true or false")),
    }
}

fn push_value(name: &str, value: Option<OsString>, translated: &mut Vec<OsString>) -> Result<(), String> {
    let text = value.as_ref().and_then(|value| value.to_str()).unwrap_or_default();
    match (name, text) {
        // Kubernetes' own kinds are always known.
        ("schema-location", "default" | "ecosystem") => return Ok(()),
        ("schema-location", text) => {
            if text.contains("://") {
                return Err(SCHEMA_LOCATION.to_owned());
            }
            // A folder has what it has: definitions, or schemas as catalogs keep them.
            let path = Path::new(text);
            let has_definitions = path.is_dir() && !has_schemas(path);
            let flag = if has_definitions { "--crds" } else { "--schema-location" };
            translated.extend([flag, text].map(OsString::from));
            return Ok(());
        }
        ("--kubernetes-version", text)
            if !text.trim_start_matches('v').starts_with(|digit: char| digit.is_ascii_digit()) =>
        {
            return Err(VERSION.to_owned());
        }
        ("output", "yaml") => return Err(YAML.to_owned()),
        ("output", "pretty") => return Err("--output pretty: --output text, the default, is for people".to_owned()),
        _ => {}
    }
    let own = if name.starts_with('-') { name.to_owned() } else { format!("--{name}") };
    translated.push(own.into());
    translated.extend(value);
    Ok(())
}

/// True if an argument looks like a path and not like a command.
fn is_path(argument: &str) -> bool {
    !argument.starts_with('-') && argument.contains(['/', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: Result<&str, &str>) {
        let given = ["sprag"].into_iter().chain(arguments.split(' ')).map(OsString::from);
        let translated = translate(given).map(|arguments| {
            let texts: Vec<String> = arguments[1..].iter().map(|text| text.to_string_lossy().into_owned()).collect();
            texts.join(" ")
        });
        assert_eq!(translated.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn flags_of_kubeconform_are_understood() {
        check(
            "validate -strict -summary -output json -n 4 -skip Secret,Pod dir",
            Ok("validate --strict --summary --output json -n 4 --skip Secret,Pod dir"),
        );
        check("validate -output=tap -strict=false -verbose=true", Ok("validate --output tap --verbose"));
        check("validate -kubernetes-version 1.37.0 -", Ok("validate --kubernetes-version 1.37.0 -"));
        check("validate -schema-location default a.yaml", Ok("validate a.yaml"));
        check("validate --strict -f a.yaml -R", Ok("validate --strict -f a.yaml -R"));
        check("validate -- -strict", Ok("validate -- -strict"));
        check("validate -output", Ok("validate --output"));
        check("validate -ignore-missing-schemas=false a", Ok("validate --require-schemas a"));
        check(
            "validate -schema-location default -schema-location src a",
            // A folder without schemas.
            Ok("validate --crds src a"),
        );
        check(
            "validate -schema-location schemas/{{.Group}}/{{.ResourceKind}}.json a",
            Ok("validate --schema-location schemas/{{.Group}}/{{.ResourceKind}}.json a"),
        );
    }

    #[test]
    fn flags_of_kubectl_validate_and_flux_schema_are_understood() {
        check("validate --version 1.37 --local-crds crds a", Ok("validate --kubernetes-version 1.37 --crds crds a"));
        check(
            "validate --skip-missing-schemas --skip-kind Secret --fail-fast --concurrent 2 a",
            Ok("validate --ignore-missing-schemas --skip Secret --exit-on-error -n 2 a"),
        );
        check("validate -o json -s default a", Ok("validate --output json a"));
        check("validate -o yaml a", Err(YAML));
        check("validate --version", Err(VERSION));
    }

    #[test]
    fn flags_without_a_counterpart_say_what_to_use() {
        check(
            "validate -cache /tmp a",
            Err("--cache: nothing is downloaded, so there is nothing to cache: leave it out"),
        );
        check("validate -schema-location https://example.com a", Err(SCHEMA_LOCATION));
        check("validate -output pretty", Err("--output pretty: --output text, the default, is for people"));
        check("validate -strict=maybe", Err("--strict: \"maybe\" is not true or false"));
        check("validate -v", Err("-v: sprag --version prints the version, --verbose names objects without findings"));
    }

    #[test]
    fn other_commands_are_left_alone() {
        check("lint -strict", Ok("lint -strict"));
        check("--help", Ok("--help"));
    }
}
