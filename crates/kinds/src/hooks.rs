//! Hand-written checks that declarations name with `+k8s:customValidation`.

use sprag_checks::{At, Errors};
use sprag_field::Error;
use sprag_program::{HookCall, HookTable};
use sprag_value::{Time, Value, from_value};

/// The checks of this file for values of the embedded program.
pub(crate) struct Hooks;

impl HookTable for Hooks {
    fn run(
        &self,
        call: &HookCall,
        at: &At<'_>,
        new: Option<&Value>,
        _: Option<&Value>,
        errors: &mut Errors,
    ) -> Option<bool> {
        match call.name.as_str() {
            "ValidateCustom_Condition_last_transition_time" => {
                let time = new.and_then(|time| from_value::<Time>(time).ok());
                Some(validate_custom_condition_last_transition_time(at, time.as_ref(), None, errors))
            }
            "ValidateCustom_EvictionResponder_name" => {
                let name = new.and_then(Value::as_str).map(str::to_owned);
                Some(validate_custom_eviction_responder_name(at, name.as_ref(), None, errors))
            }
            "ValidateCustom_EvictionResponder_priority" => {
                let priority = new.and_then(Value::as_i64).and_then(|priority| i32::try_from(priority).ok());
                Some(validate_custom_eviction_responder_priority(at, priority.as_ref(), None, errors))
            }
            _ => None,
        }
    }
}

/// Requires the time of a condition's last transition, as upstream's `ValidateCustom_Condition_LastTransitionTime`.
pub(crate) fn validate_custom_condition_last_transition_time(
    at: &At<'_>,
    new: Option<&Time>,
    _: Option<&Time>,
    errors: &mut Errors,
) -> bool {
    let is_missing = new.is_none_or(|time| time.is_zero());
    if is_missing {
        errors.push(Error::required(&at.path, ""));
    }
    is_missing
}

/// Domains of responders that only Kubernetes itself may name.
const RESERVED_DOMAINS: [&str; 2] = ["k8s.io", "kubernetes.io"];

/// Refuses names of responders in reserved domains, as upstream's `ValidateCustom_EvictionResponder_Name`.
pub(crate) fn validate_custom_eviction_responder_name(
    at: &At<'_>,
    new: Option<&String>,
    _: Option<&String>,
    errors: &mut Errors,
) -> bool {
    let Some(name) = new else { return false };
    let domain = name.split('/').next().unwrap_or_default().to_lowercase();
    let domain = domain.trim().trim_end_matches('.');
    let is_below =
        |reserved: &str| domain.strip_suffix(reserved).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let is_reserved = RESERVED_DOMAINS.into_iter().any(is_below);
    if is_reserved {
        let detail = "domain names *.k8s.io, *.kubernetes.io are reserved";
        errors.push(Error::invalid(&at.path, name.as_str(), detail));
    }
    is_reserved
}

/// Refuses reserved priorities of responders, as upstream's `ValidateCustom_EvictionResponder_Priority`.
pub(crate) fn validate_custom_eviction_responder_priority(
    at: &At<'_>,
    new: Option<&i32>,
    _: Option<&i32>,
    errors: &mut Errors,
) -> bool {
    let Some(&priority) = new else { return false };
    let is_reserved = (0..1000).contains(&priority);
    if is_reserved {
        let detail = "priorities 0-999 are reserved for responders with *.k8s.io suffix";
        errors.push(Error::invalid(&at.path, priority, detail));
    }
    is_reserved
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;

    use super::*;

    #[track_caller]
    fn check(run: impl Fn(&At<'_>, &mut Errors) -> bool, expected: &[&str]) {
        let request = Request::create();
        let mut errors = Errors::new();
        let found = run(&At::root(&request).child("f"), &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!((texts, found), (expected.iter().map(ToString::to_string).collect(), !expected.is_empty()));
    }

    #[test]
    fn a_condition_has_the_time_of_its_last_transition() {
        let time = |time: Time| {
            move |at: &At<'_>, errors: &mut Errors| {
                validate_custom_condition_last_transition_time(at, Some(&time), None, errors)
            }
        };
        check(time(Time::default()), &["f: Required value"]);
        check(time(Time::from_unix(1, 0)), &[]);
    }

    #[test]
    fn responders_have_no_reserved_domain_and_no_reserved_priority() {
        let name = |name: &str| {
            let name = name.to_owned();
            move |at: &At<'_>, errors: &mut Errors| {
                validate_custom_eviction_responder_name(at, Some(&name), None, errors)
            }
        };
        for allowed in ["example.com/a", "notk8s.io/a", "k8s.io.example.com/a"] {
            check(name(allowed), &[]);
        }
        for reserved in ["k8s.io/a", "a.k8s.io/a", "A.Kubernetes.IO./a"] {
            let text = format!("f: Invalid value: \"{reserved}\": domain names *.k8s.io, *.kubernetes.io are reserved");
            check(name(reserved), &[&text]);
        }
        let priority = |priority: i32| {
            move |at: &At<'_>, errors: &mut Errors| {
                validate_custom_eviction_responder_priority(at, Some(&priority), None, errors)
            }
        };
        check(priority(-1), &[]);
        check(priority(1000), &[]);
        let reserved = |value: i32| {
            format!("f: Invalid value: {value}: priorities 0-999 are reserved for responders with *.k8s.io suffix")
        };
        check(priority(0), &[&reserved(0)]);
        check(priority(999), &[&reserved(999)]);
    }
}
