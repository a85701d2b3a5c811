//! Conditions of definitions.

use std::borrow::Cow;

use sprag_value::{Object, Time, Value};

/// A condition as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The type.
    pub ty: &'static str,
    /// `True`, `False` or `Unknown`.
    pub status: &'static str,
    /// The reason of the last change, for programs.
    pub reason: &'static str,
    /// The reason of the last change, for people.
    pub message: Cow<'static, str>,
}

impl Condition {
    /// True if a definition has the condition, whenever it came about.
    pub fn holds(&self, definition: &Value) -> bool {
        find(definition, self.ty).is_some_and(|found| {
            let same = |member: &str, expected: &str| found.text(member) == expected;
            same("status", self.status) && same("reason", self.reason) && same("message", &self.message)
        })
    }
}

/// The condition of a type.
pub fn find<'v>(definition: &'v Value, ty: &str) -> Option<&'v Value> {
    let conditions = definition.lookup(&["status", "conditions"])?.as_array()?;
    conditions.iter().find(|condition| condition.text("type") == ty)
}

/// True if the condition of a type is true.
pub fn is_true(definition: &Value, ty: &str) -> bool {
    find(definition, ty).is_some_and(|condition| condition.text("status") == "True")
}

/// Sets a condition. The time is that of the last change of its status.
pub fn set(definition: &mut Value, condition: &Condition, now: Time) {
    let Some(members) = definition.as_object_mut() else { return };
    let status = members.get_or_insert("status");
    if status.as_object().is_none() {
        *status = Value::object();
    }
    let Some(status) = status.as_object_mut() else { return };
    let conditions = status.get_or_insert("conditions");
    if conditions.as_array().is_none() {
        *conditions = Value::array();
    }
    let Value::Array(list) = conditions else { return };
    let found = list.as_mut_slice().iter_mut().find(|found| found.text("type") == condition.ty);
    let Some(found) = found else {
        conditions.push(Value::Object(Object::from([
            ("type", Value::from(condition.ty)),
            ("status", condition.status.into()),
            ("lastTransitionTime", now.to_string().into()),
            ("reason", condition.reason.into()),
            ("message", condition.message.as_ref().into()),
        ])));
        return;
    };
    if found.text("status") != condition.status || found.text("lastTransitionTime").is_empty() {
        found.insert("lastTransitionTime", now.to_string());
    }
    found.insert("status", condition.status);
    found.insert("reason", condition.reason);
    found.insert("message", condition.message.as_ref());
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn times_are_those_of_the_last_change() {
        let mut definition = json::parse(b"{}").unwrap();
        let mut condition = Condition { ty: "Ready", status: "False", reason: "A", message: "a".into() };
        set(&mut definition, &condition, Time::from_unix(1, 0));
        assert!(condition.holds(&definition));
        condition.reason = "B";
        assert!(!condition.holds(&definition));
        set(&mut definition, &condition, Time::from_unix(2, 0));
        let time = |definition: &Value| find(definition, "Ready").unwrap().text("lastTransitionTime").to_owned();
        assert_eq!(time(&definition), "1970-01-01T00:00:01Z");
        condition.status = "True";
        set(&mut definition, &condition, Time::from_unix(3, 0));
        assert_eq!((time(&definition), is_true(&definition, "Ready")), ("1970-01-01T00:00:03Z".into(), true));
        assert!(find(&definition, "Other").is_none());
    }
}
