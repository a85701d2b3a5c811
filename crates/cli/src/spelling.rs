//! Spellings of other tools, which `sprag validate` understands: kubeconform writes its flags with one dash.

use std::ffi::OsString;

/// A flag of kubeconform.
#[derive(Clone, Copy)]
enum Flag {
    /// The flag of the same name, without a value.
    Switch,
    /// The flag of the same name, with a value.
    Value,
    /// A flag without a counterpart, and what to use instead.
    Unknown(&'static str),
}

/// The flags of kubeconform v0.7 that have more than one letter.
const FLAGS: [(&str, Flag); 14] = [
    ("cache", Flag::Unknown("nothing is downloaded, so there is nothing to cache: leave it out")),
    ("debug", Flag::Unknown("--verbose names every object that was validated")),
    ("exit-on-error", Flag::Switch),
    ("ignore-filename-pattern", Flag::Value),
    ("ignore-missing-schemas", Flag::Switch),
    ("insecure-skip-tls-verify", Flag::Unknown("nothing is downloaded: leave it out")),
    ("kubernetes-version", Flag::Value),
    ("output", Flag::Value),
    ("reject", Flag::Value),
    ("schema-location", Flag::Value),
    ("skip", Flag::Value),
    ("strict", Flag::Switch),
    ("summary", Flag::Switch),
    ("verbose", Flag::Switch),
];

const SCHEMA_LOCATION: &str = "--schema-location: schemas are not downloaded; built-in kinds need none, and \
                               --crds PATH reads the definitions of custom resources (a file, a folder or git:REV:PATH)";

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
        } else if let Some((flag, name, value)) = argument.to_str().and_then(flag) {
            match (flag, value) {
                (Flag::Unknown(instead), _) => return Err(format!("--{name}: {instead}")),
                (Flag::Switch, None | Some("true" | "1" | "t" | "T" | "TRUE" | "True")) => {
                    translated.push(format!("--{name}").into());
                }
                (Flag::Switch, Some("false" | "0" | "f" | "F" | "FALSE" | "False")) => {}
                (Flag::Switch, Some(value)) => return Err(format!("--{name}: {value:?} is not true or false")),
                (Flag::Value, value) => {
                    let value = value.map(OsString::from).or_else(|| arguments.next());
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

fn push_value(name: &str, value: Option<OsString>, translated: &mut Vec<OsString>) -> Result<(), String> {
    let text = value.as_ref().and_then(|value| value.to_str()).unwrap_or_default();
    match (name, text) {
        // Kubernetes' own kinds are always known.
        ("schema-location", "default") => return Ok(()),
        ("schema-location", _) => return Err(SCHEMA_LOCATION.to_owned()),
        ("output", "pretty") => return Err("--output pretty: --output text, the default, is for people".to_owned()),
        _ => {}
    }
    translated.push(format!("--{name}").into());
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
