//! Command lines in the syntax of Go's pflag: `--flag=value`, `--flag value`, and switches that need no value.

use std::fmt::Write as _;

use sprag_rest::parse_bool;

use super::flags::{Flag, Takes, Use};

/// Flags that were given, in their order.
#[derive(Debug, Default)]
pub(super) struct Given {
    flags: Vec<(&'static Flag, String)>,
}

impl Given {
    /// Reads a command line. The error is the text that pflag has for it.
    pub(super) fn parse(known: &'static [Flag], arguments: &[String]) -> Result<Given, String> {
        let mut given = Given::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            // Go's `flag` package, which etcd uses, takes one dash as well.
            let Some(text) = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')) else {
                return Err(format!("unknown command {argument:?}"));
            };
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            };
            // As pflag's `WordSepNormalizeFunc` in component-base: underscores are dashes.
            let name = name.replace('_', "-");
            let flag = known.iter().find(|flag| flag.name == name || flag.short == Some(name.as_str()));
            let flag = flag.ok_or_else(|| unknown(known, &name))?;
            let value = match (value, flag.takes) {
                (Some(value), _) => value,
                (None, Takes::Switch | Takes::SwitchOrText) => "true".to_owned(),
                (None, Takes::Value) => {
                    rest.next().cloned().ok_or_else(|| format!("flag needs an argument: --{name}"))?
                }
            };
            if flag.takes == Takes::Switch && parse_bool(&value).is_none() {
                return Err(format!(
                    "invalid argument {value:?} for \"--{name}\" flag: strconv.ParseBool: parsing {value:?}: invalid syntax"
                ));
            }
            given.flags.push((flag, value));
        }
        Ok(given)
    }

    /// All flags with their values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static Flag, &str)> {
        self.flags.iter().map(|(flag, value)| (*flag, value.as_str()))
    }

    /// The last value of a flag.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.iter().filter(|(flag, _)| flag.name == name).last().map(|(_, value)| value)
    }

    /// True if a switch was given and is on.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.get(name).and_then(parse_bool).unwrap_or(false)
    }

    /// The first flag that is refused, with why.
    pub(super) fn refused(&self) -> Option<String> {
        // A switch that is off asks for nothing.
        let is_off = |flag: &Flag, value| flag.takes == Takes::Switch && parse_bool(value) == Some(false);
        self.iter().find_map(|(flag, value)| match flag.use_of {
            Use::Refused(why) if !value.is_empty() && !is_off(flag, value) => {
                Some(format!("--{} is not supported: {why}", flag.name))
            }
            _ => None,
        })
    }

    /// Says which flags have no effect, and why nothing is lost.
    pub(super) fn log_ignored(&self) {
        for (flag, _) in self.iter() {
            if let Use::Ignored(why) = flag.use_of {
                tracing::warn!("--{} has no effect: {why}", flag.name);
            }
        }
    }
}

fn unknown(known: &[Flag], name: &str) -> String {
    let nearest = known
        .iter()
        .filter(|flag| flag.name.starts_with(name) || name.starts_with(flag.name))
        .min_by_key(|flag| flag.name.len().abs_diff(name.len()));
    match nearest {
        Some(flag) if !name.is_empty() => format!("unknown flag: --{name}; did you mean --{}?", flag.name),
        _ => format!("unknown flag: --{name}"),
    }
}

/// Selects the explanation of flags of one kind.
type About = fn(&Flag) -> Option<&str>;

/// A help text: what can be done, then every flag by what it does here.
pub(super) fn help(head: &str, known: &[Flag]) -> String {
    let mut text = head.to_owned();
    let parts: [(&str, About); 3] = [
        ("Flags", |flag| match flag.use_of {
            Use::Serve(about) | Use::Here(about) => Some(about),
            _ => None,
        }),
        ("Flags that are taken and have no effect", |flag| match flag.use_of {
            Use::Ignored(why) => Some(why),
            _ => None,
        }),
        ("Flags that are refused", |flag| match flag.use_of {
            Use::Refused(why) => Some(why),
            _ => None,
        }),
    ];
    for (title, about) in parts {
        let _ = writeln!(text, "\n{title}:");
        for flag in known {
            let Some(about) = about(flag) else { continue };
            let value = if flag.takes == Takes::Value { " value" } else { "" };
            let _ = writeln!(text, "  {:<46} {about}", format!("--{}{value}", flag.name));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::flags::KUBE_APISERVER;
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Given, String> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Given::parse(KUBE_APISERVER, &arguments)
    }

    #[test]
    fn values_come_behind_a_sign_or_as_the_next_word() {
        let given = parse(&["--secure-port=1", "--bind-address", "::1", "--allow-privileged", "--secure-port", "2"]);
        let given = given.unwrap();
        assert_eq!(given.get("secure-port"), Some("2"), "the last one counts");
        assert_eq!(given.get("bind-address"), Some("::1"));
        assert!(given.is_on("allow-privileged") && !given.is_on("anonymous-auth"));
        assert_eq!(parse(&["--secure_port=3"]).unwrap().get("secure-port"), Some("3"));
        assert_eq!(parse(&["--cert-dir="]).unwrap().get("cert-dir"), Some(""));
    }

    #[test]
    fn mistakes_have_the_texts_of_pflag() {
        let check = |arguments: &[&str], expected: &str| assert_eq!(parse(arguments).unwrap_err(), expected);
        check(&["--nonsense"], "unknown flag: --nonsense");
        check(&["--secure-ports=1"], "unknown flag: --secure-ports; did you mean --secure-port?");
        check(&["--secure-port"], "flag needs an argument: --secure-port");
        check(&["start"], "unknown command \"start\"");
        check(
            &["--allow-privileged=maybe"],
            "invalid argument \"maybe\" for \"--allow-privileged\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
        );
        check(&["--allow-privileged", "true"], "unknown command \"true\"");
    }

    #[test]
    fn what_is_refused_is_refused_when_it_asks_for_something() {
        let refused = |argument| parse(&[argument]).unwrap().refused();
        assert!(
            refused("--audit-webhook-config-file=x")
                .unwrap()
                .starts_with("--audit-webhook-config-file is not supported: ")
        );
        assert_eq!(refused("--audit-webhook-config-file="), None);
        assert_eq!(refused("--enable-bootstrap-token-auth=false"), None);
        assert!(refused("--enable-bootstrap-token-auth").is_some());
        assert_eq!(refused("--profiling"), None);
    }
}
