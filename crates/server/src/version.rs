//! The version that a server reports, and what `--version` of kube-apiserver makes of it.

use sprag_rest::{MinorVersion, Release, parse_bool};
use sprag_value::{Object, Value};

const COMMIT: &str = "unknown";
const TREE_STATE: &str = "clean";
const BUILD_DATE: &str = "1970-01-01T00:00:00Z";
const GO_VERSION: &str = "none";
const COMPILER: &str = "rustc";

/// The version that a server reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reported {
    release: Release,
    emulated: MinorVersion,
    text: String,
}

impl Default for Reported {
    fn default() -> Reported {
        Reported::of(Release::default())
    }
}

impl Reported {
    /// The release of Kubernetes whose answers these are, and ours.
    pub(crate) fn of(release: Release) -> Reported {
        let [major, minor, patch] = release.patch();
        let text = format!("v{major}.{minor}.{patch}-sprag.{}", env!("CARGO_PKG_VERSION"));
        Reported { release, emulated: release.version(), text }
    }

    /// The same for a server that emulates a version.
    pub(crate) fn emulating(self, emulated: MinorVersion) -> Reported {
        Reported { emulated, ..self }
    }

    /// Another version in place of the default one, which must be of the same release.
    // As upstream's version.SetDynamicVersion.
    pub(crate) fn replaced_by(self, text: &str) -> Result<Reported, String> {
        let default = self;
        if text != default.text && semantic(text)? != semantic(&default.text)? {
            let default = default.text;
            return Err(format!("version {text:?} must match major/minor/patch of default version {default:?}"));
        }
        Ok(Reported { text: text.to_owned(), ..default })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The version document, as clients of Kubernetes request it.
    pub(crate) fn document(&self) -> Value {
        let MinorVersion { major, minor } = self.release.version();
        // As upstream's effectiveVersion.SetEmulationVersion.
        let compatible = (self.emulated.minor.saturating_sub(1)).max(self.release.oldest_emulated().minor).to_string();
        let major = &*major.to_string();
        let minor = &*minor.to_string();
        let emulated = &*self.emulated.minor.to_string();
        Value::Object(Object::from([
            ("major", major),
            ("minor", minor),
            ("emulationMajor", major),
            ("emulationMinor", emulated),
            ("minCompatibilityMajor", major),
            ("minCompatibilityMinor", &*compatible),
            ("gitVersion", &self.text),
            ("gitCommit", COMMIT),
            ("gitTreeState", TREE_STATE),
            ("buildDate", BUILD_DATE),
            ("goVersion", GO_VERSION),
            ("compiler", COMPILER),
            ("platform", &platform()),
        ]))
    }

    /// The `User-Agent` of calls to webhooks.
    // As client-go's rest.DefaultKubernetesUserAgent.
    pub(crate) fn user_agent(&self) -> String {
        format!("kube-apiserver/{} ({}/{})", self.text, std::env::consts::OS, std::env::consts::ARCH)
    }

    /// All of it as Go shows a value of its type: what `--version=raw` prints.
    fn raw(&self) -> String {
        let MinorVersion { major, minor } = self.release.version();
        format!(
            "version.Info{{Major:\"{major}\", Minor:\"{minor}\", EmulationMajor:\"\", EmulationMinor:\"\", \
             MinCompatibilityMajor:\"\", MinCompatibilityMinor:\"\", GitVersion:{:?}, GitCommit:{COMMIT:?}, \
             GitTreeState:{TREE_STATE:?}, BuildDate:{BUILD_DATE:?}, GoVersion:{GO_VERSION:?}, Compiler:{COMPILER:?}, \
             Platform:{:?}}}",
            self.text,
            platform()
        )
    }
}

/// What the values of `--version` ask for.
// As upstream's verflag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// To print this and exit.
    Print(String),
    /// To serve and report this version.
    Serve(Reported),
}

impl Asked {
    /// Reads all values that were given: a version stays that of later ones, and the last value decides about printing.
    pub(crate) fn parse<'a>(release: Release, values: impl Iterator<Item = &'a str>) -> Result<Asked, String> {
        let mut reported = Reported::of(release);
        let mut last = "false";
        for value in values {
            let failed = |why| format!("invalid argument {value:?} for \"--version\" flag: {why}");
            if value.starts_with('v') {
                reported = Reported::of(release).replaced_by(value).map_err(failed)?;
            } else if value != "raw" && parse_bool(value).is_none() {
                return Err(failed(format!("strconv.ParseBool: parsing {value:?}: invalid syntax")));
            }
            last = value;
        }
        Ok(match last {
            "raw" => Asked::Print(reported.raw()),
            other if parse_bool(other) == Some(true) => Asked::Print(format!("Kubernetes {}", reported.text)),
            _ => Asked::Serve(reported),
        })
    }
}

/// The operating system and the processor, by Go's names.
fn platform() -> String {
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}/{processor}", std::env::consts::OS)
}

/// The release of a semantic version.
// As upstream's version.ParseSemantic, with its texts.
fn semantic(text: &str) -> Result<[u64; 3], String> {
    let trimmed = text.trim_start();
    let (numbers, extra) = numbers(trimmed.strip_prefix('v').unwrap_or(trimmed));
    if numbers.is_empty() {
        return Err(format!("could not parse {text:?} as version"));
    }
    let components: Vec<&str> = numbers.split('.').collect();
    let Ok(components) = <[&str; 3]>::try_from(components) else {
        return Err(format!("illegal version string {text:?}"));
    };
    let mut release = [0; 3];
    for (number, component) in release.iter_mut().zip(components) {
        if has_zero_prefix(component) {
            return Err(zero_prefixed(component, text));
        }
        *number = component.parse().map_err(|_| {
            format!(
                "illegal non-numeric version component {component:?} in {text:?}: strconv.ParseUint: parsing \
                 {component:?}: value out of range"
            )
        })?;
    }
    let wrong = || format!("could not parse pre-release/metadata ({extra}) in version {text:?}");
    let rest = extra.trim_end();
    let (before, build) = rest.split_once('+').map_or((rest, None), |(before, build)| (before, Some(build)));
    let pre = if before.is_empty() { None } else { Some(before.strip_prefix('-').ok_or_else(wrong)?) };
    if !pre.is_none_or(are_identifiers) || !build.is_none_or(are_identifiers) {
        return Err(wrong());
    }
    match pre.and_then(|pre| pre.split('.').find(|part| part.parse::<u64>().is_ok() && has_zero_prefix(part))) {
        Some(part) => Err(zero_prefixed(part, text)),
        None => Ok(release),
    }
}

/// Splits off numbers with dots between them.
fn numbers(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    // Where two dots follow one another, or one ends it, that dot is no part of it.
    let end = text[..end].find("..").unwrap_or(end);
    let numbers = text[..end].trim_end_matches('.');
    if numbers.starts_with('.') { ("", text) } else { (numbers, &text[numbers.len()..]) }
}

fn are_identifiers(text: &str) -> bool {
    text.split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
}

fn has_zero_prefix(component: &str) -> bool {
    component.starts_with('0') && component != "0"
}

fn zero_prefixed(component: &str, text: &str) -> String {
    format!("illegal zero-prefixed version component {component:?} in {text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(values: &[&str]) -> Result<Asked, String> {
        Asked::parse(Release::default(), values.iter().copied())
    }

    #[test]
    fn switches_print_and_versions_serve() {
        let default = Reported::default();
        assert_eq!(asked(&[]), Ok(Asked::Serve(default.clone())));
        assert_eq!(asked(&["true", "false"]), Ok(Asked::Serve(default.clone())));
        assert_eq!(asked(&["1"]), Ok(Asked::Print(format!("Kubernetes {}", default.text))));
        assert_eq!(asked(&[&default.text]), Ok(Asked::Serve(default)));
        for custom in ["v1.37.0", "v1.37.0-custom", "v1.37.0-0.x+build.01", "v1.37.0+a "] {
            assert_eq!(asked(&[custom]), Ok(Asked::Serve(Reported { text: custom.to_owned(), ..Reported::default() })));
            assert_eq!(asked(&[custom, "true"]), Ok(Asked::Print(format!("Kubernetes {custom}"))));
        }
        let Ok(Asked::Print(raw)) = asked(&["v1.37.0-custom", "raw"]) else { panic!("nothing is printed") };
        let platform = platform();
        assert_eq!(
            raw,
            format!(
                "version.Info{{Major:\"1\", Minor:\"37\", EmulationMajor:\"\", EmulationMinor:\"\", \
                 MinCompatibilityMajor:\"\", MinCompatibilityMinor:\"\", GitVersion:\"v1.37.0-custom\", \
                 GitCommit:\"unknown\", GitTreeState:\"clean\", BuildDate:\"1970-01-01T00:00:00Z\", GoVersion:\"none\", \
                 Compiler:\"rustc\", Platform:\"{platform}\"}}"
            )
        );
    }

    #[test]
    fn other_values_are_refused_with_the_texts_of_upstream() {
        let check = |value: &str, expected: &str| {
            let expected = format!("invalid argument {value:?} for \"--version\" flag: {expected}");
            assert_eq!(asked(&[value]), Err(expected));
        };
        let other = |version: &str| {
            let default = Reported::default().text;
            check(version, &format!("version {version:?} must match major/minor/patch of default version {default:?}"));
        };
        other("v1.36.9-custom");
        other("v1.37.1");
        check("maybe", "strconv.ParseBool: parsing \"maybe\": invalid syntax");
        check("1.37.0", "strconv.ParseBool: parsing \"1.37.0\": invalid syntax");
        check("v", "could not parse \"v\" as version");
        check("v1.37", "illegal version string \"v1.37\"");
        check("v1.37.0.1", "illegal version string \"v1.37.0.1\"");
        check("v1.37..0", "illegal version string \"v1.37..0\"");
        check("v1.037.0", "illegal zero-prefixed version component \"037\" in \"v1.037.0\"");
        check("v1.37.0-01", "illegal zero-prefixed version component \"01\" in \"v1.37.0-01\"");
        check("v1.37.0custom", "could not parse pre-release/metadata (custom) in version \"v1.37.0custom\"");
        check("v1.37.0-a_b", "could not parse pre-release/metadata (-a_b) in version \"v1.37.0-a_b\"");
        check("v1.37.0-", "could not parse pre-release/metadata (-) in version \"v1.37.0-\"");
    }
}
