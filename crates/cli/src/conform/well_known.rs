//! Types whose JSON form is known although their fields do not show it.

use std::fmt::Display;
use std::str::FromStr;

use sprag_value::{Duration, IntOrString, MicroTime, Quantity, Time, Value, from_value};

/// A type that reads its JSON by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WellKnown {
    Quantity,
    Time,
    MicroTime,
    Duration,
    IntOrString,
}

impl WellKnown {
    /// The type with this full name: `package/path.Name`.
    pub(super) fn named(name: &str) -> Option<WellKnown> {
        let (package, name) = name.trim_start_matches('*').rsplit_once('.')?;
        let is_ours = package == "sprag" || package.starts_with("sprag::") || package.starts_with("sprag_value");
        let is_in = |path: &str| is_ours || package == path;
        match name {
            "Quantity" if is_in("k8s.io/apimachinery/pkg/api/resource") => Some(WellKnown::Quantity),
            "IntOrString" if is_in("k8s.io/apimachinery/pkg/util/intstr") => Some(WellKnown::IntOrString),
            "Time" if is_in(META) || package == "time" => Some(WellKnown::Time),
            "MicroTime" if is_in(META) => Some(WellKnown::MicroTime),
            "Duration" if is_in(META) => Some(WellKnown::Duration),
            _ => None,
        }
    }

    /// What is wrong with a value that should have this type.
    pub(super) fn check(self, value: &Value) -> Result<(), String> {
        match self {
            WellKnown::Quantity if matches!(value, Value::Int(_) | Value::Float(_)) => Ok(()),
            WellKnown::Quantity => parsed::<Quantity>(value, "a quantity"),
            WellKnown::Time => parsed::<Time>(value, "a time"),
            WellKnown::MicroTime => parsed::<MicroTime>(value, "a time"),
            WellKnown::Duration => parsed::<Duration>(value, "a duration"),
            WellKnown::IntOrString => match from_value::<IntOrString>(value) {
                Ok(_) => Ok(()),
                Err(_) => Err("must be a 32-bit integer or a string".to_owned()),
            },
        }
    }
}

const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// The members of `TypeMeta`, which nearly every root embeds, when that type has not been read.
pub(super) fn embedded_members(name: &str) -> Option<[&'static str; 2]> {
    (name.trim_start_matches('*') == "k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta").then_some(["apiVersion", "kind"])
}

fn parsed<T: FromStr<Err: Display>>(value: &Value, what: &str) -> Result<(), String> {
    let Value::String(text) = value else { return Err(format!("must be {what} in a string")) };
    match text.parse::<T>() {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
