//! Configurations of plug-ins, in the file of `--admission-control-config-file`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sprag_admission::builtin::EventRateLimit;
use sprag_decode::yaml;
use sprag_rest::split_api_version;
use sprag_value::Value;

use crate::error::Error;

const FLAG: &str = "--admission-control-config-file";

/// Plug-ins that are made of their configuration.
#[derive(Clone, Default)]
pub(crate) struct Configured {
    pub(crate) events: Option<Arc<EventRateLimit>>,
}

impl Configured {
    /// Reads what the plug-ins that run have to know.
    pub(crate) fn read(plugins: &[&str], file: Option<&Path>) -> Result<Configured, Error> {
        let given = file.map(configurations).transpose()?.unwrap_or_default();
        for (name, _) in &given {
            if name != "EventRateLimit" && plugins.contains(&name.as_str()) {
                let why = format!("{FLAG}: the plug-in {name} has no configuration here: leave it out");
                return Err(Error::Usage(why));
            }
        }
        if !plugins.contains(&"EventRateLimit") {
            return Ok(Configured::default());
        }
        let given = given.into_iter().find(|(name, _)| name == "EventRateLimit").map(|(_, given)| given);
        let events = EventRateLimit::new(&given.unwrap_or_default());
        // As upstream's Plugins.InitPlugin.
        let events = events.map_err(|why| {
            Error::Usage(format!("couldn't init admission plugin \"EventRateLimit\": {why} ({FLAG})"))
        })?;
        Ok(Configured { events: Some(Arc::new(events)) })
    }
}

/// The configurations of a file by plug-in, in its order.
// As upstream's admission.ReadAdmissionConfiguration.
fn configurations(path: &Path) -> Result<Vec<(String, Value)>, Error> {
    let file = read(path)?;
    let (group, version) = split_api_version(file.text("apiVersion"));
    let is_known = matches!((group, version), ("apiserver.config.k8s.io", "v1") | ("apiserver.k8s.io", "v1alpha1"));
    if !is_known || file.text("kind") != "AdmissionConfiguration" {
        let why = format!("{FLAG}: {}: not an AdmissionConfiguration of apiserver.config.k8s.io/v1", path.display());
        return Err(Error::Usage(why));
    }
    let mut found = Vec::new();
    for plugin in file.get("plugins").and_then(Value::as_array).into_iter().flatten() {
        let given = match (plugin.get("configuration").filter(|given| !given.is_null()), plugin.text("path")) {
            (Some(given), _) => given.clone(),
            (None, "") => continue,
            // Relative to the file, as upstream's makeAbs.
            (None, other) => read(&path.parent().unwrap_or(Path::new("")).join(other))?,
        };
        found.push((plugin.text("name").to_owned(), given));
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Value, Error> {
    let text = fs::read(path).map_err(|error| Error::file("read", path, error))?;
    yaml::decode(&text).map_err(|error| Error::Usage(format!("{FLAG}: {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a file of this text beside one that is called `limits.yaml`.
    fn check(plugins: &[&str], file: Option<&str>, expected: Result<bool, &str>) {
        let folder = sprag_storage::testing::Scratch::new("admission").unwrap();
        let path = folder.path().join("admission.yaml");
        fs::write(folder.path().join("limits.yaml"), "limits: [{type: Server, qps: 1, burst: 2}]").unwrap();
        if let Some(file) = file {
            fs::write(&path, format!("apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n{file}"))
                .unwrap();
        }
        let outcome = Configured::read(plugins, file.map(|_| path.as_path()));
        let outcome = outcome.map(|configured| configured.events.is_some()).map_err(|error| error.to_string());
        assert_eq!(outcome, expected.map_err(str::to_owned), "{file:?}");
    }

    #[test]
    fn limits_of_events_are_in_the_file_or_beside_it() {
        const ON: &[&str] = &["EventRateLimit"];
        check(&[], None, Ok(false));
        check(ON, Some("plugins: [{name: EventRateLimit, path: limits.yaml}]"), Ok(true));
        check(
            ON,
            Some("plugins: [{name: EventRateLimit, configuration: {limits: [{type: User, qps: 1, burst: 1}]}}]"),
            Ok(true),
        );
        let missing = "couldn't init admission plugin \"EventRateLimit\": limits: Invalid value: null: must not be empty \
                       (--admission-control-config-file)";
        check(ON, None, Err(missing));
        check(ON, Some("plugins: [{name: PodSecurity, configuration: {a: b}}]"), Err(missing));
        check(
            &["PodSecurity"],
            Some("plugins: [{name: PodSecurity, configuration: {a: b}}]"),
            Err("--admission-control-config-file: the plug-in PodSecurity has no configuration here: leave it out"),
        );
    }
}
