//! The parameters of a request, read as Go reads them.

use std::borrow::Cow;

use sprag_rest::{ApiError, DeleteOptions, FeatureGates, ListOptions, Result, WriteOptions};

use crate::go;

/// Maximum number of query parameters that are read.
const MAX_PARAMETERS: usize = 1000;

/// The parameters of a request, decoded, in their order.
#[derive(Debug, Default)]
pub(crate) struct Query<'q>(Vec<(Cow<'q, str>, Cow<'q, str>)>);

impl<'q> Query<'q> {
    /// Reads the part after `?`. What cannot be decoded is left out.
    pub(crate) fn parse(text: Option<&'q str>) -> Query<'q> {
        let pairs = text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        let decode = |pair: &'q str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((go::unescape_query(name)?, go::unescape_query(value)?))
        };
        Query(pairs.take(MAX_PARAMETERS).filter_map(decode).collect())
    }

    /// The first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(given, _)| given == name).map(|(_, value)| &**value)
    }

    /// The first value of a parameter, or nothing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// All parameters in their order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// All values of a parameter.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| &**value)
    }

    /// A switch: there and neither `false` nor `0`.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        self.get(name).map(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        go::parse_int(value).map(Some).map_err(ApiError::bad_request)
    }

    /// The options of a create, update or patch. The field manager defaults to the `User-Agent`.
    pub(crate) fn write_options(&self, gates: &FeatureGates, agent: &str) -> WriteOptions {
        let manager = self.text("fieldManager");
        WriteOptions {
            dry_run: self.all("dryRun").map(str::to_owned).collect(),
            field_manager: if manager.is_empty() { go::manager_of(agent) } else { manager.to_owned() },
            default_manager: manager.is_empty(),
            field_validation: if crate::gates::has_field_validation(gates) {
                self.text("fieldValidation").to_owned()
            } else {
                "Ignore".to_owned()
            },
            force: None,
        }
    }

    /// The same for a patch, which may be forced; an apply has to say who writes.
    pub(crate) fn patch_options(&self, gates: &FeatureGates, agent: &str, apply: bool) -> WriteOptions {
        let mut options = self.write_options(gates, if apply { "" } else { agent });
        if apply {
            self.text("fieldManager").clone_into(&mut options.field_manager);
        }
        options.force = self.switch("force");
        options
    }

    /// The options of a delete.
    pub(crate) fn delete_options(&self) -> Result<DeleteOptions> {
        Ok(DeleteOptions {
            dry_run: self.all("dryRun").map(str::to_owned).collect(),
            grace_period_seconds: self.number("gracePeriodSeconds")?,
            uid: self.get("uid").filter(|uid| !uid.is_empty()).map(str::to_owned),
            resource_version: self.get("resourceVersion").filter(|version| !version.is_empty()).map(str::to_owned),
            orphan_dependents: self.switch("orphanDependents"),
            propagation_policy: self.get("propagationPolicy").map(str::to_owned),
            ignore_store_read_error: self.switch("ignoreStoreReadErrorWithClusterBreakingPotential"),
        })
    }

    /// Reads the options of a list or watch.
    pub(crate) fn list_options(&self) -> Result<ListOptions> {
        self.number("timeoutSeconds")?;
        Ok(ListOptions {
            label_selector: self.text("labelSelector").to_owned(),
            field_selector: self.text("fieldSelector").to_owned(),
            limit: self.number("limit")?.unwrap_or(0),
            continue_token: self.text("continue").to_owned(),
            resource_version: self.text("resourceVersion").to_owned(),
            resource_version_match: self.text("resourceVersionMatch").to_owned(),
            send_initial_events: self.switch("sendInitialEvents"),
            allow_watch_bookmarks: self.switch("allowWatchBookmarks").unwrap_or(false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_name_wins_and_lists_have_all() {
        let query = Query::parse(Some("a=1&a=2&dryRun=All&dryRun=&b=x%20y+z&c=%zz&d;e"));
        assert_eq!(query.get("a"), Some("1"));
        assert_eq!(query.get("b"), Some("x y z"));
        assert_eq!(query.get("c"), None);
        assert_eq!(query.get("d"), None);
        assert_eq!(query.delete_options().unwrap().dry_run, ["All", ""]);
    }

    #[test]
    fn switches_and_numbers_are_those_of_go() {
        let query = Query::parse(Some("a&b=false&c=0&d=no&limit=abc&n=99999999999999999999"));
        assert_eq!(
            ["a", "b", "c", "d", "x"].map(|name| query.switch(name)),
            [Some(true), Some(false), Some(false), Some(true), None]
        );
        let error = query.list_options().unwrap_err();
        assert_eq!(error.to_string(), r#"strconv.ParseInt: parsing "abc": invalid syntax"#);
        let error = query.number("n").unwrap_err();
        assert_eq!(error.to_string(), r#"strconv.ParseInt: parsing "99999999999999999999": value out of range"#);
    }

    #[test]
    fn the_agent_writes_unless_the_request_says_who() {
        let gates = crate::gates::gates();
        let options = Query::parse(None).write_options(&gates, "kubectl/v1.2 (linux)");
        assert_eq!(options.field_manager, "kubectl");
        let options = Query::parse(Some("fieldManager=me")).write_options(&gates, "kubectl/v1.2");
        assert_eq!(options.field_manager, "me");
        assert_eq!(Query::parse(None).patch_options(&gates, "kubectl", true).field_manager, "");
    }
}
