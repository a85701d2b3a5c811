//! Recorded answers beside ours.

use sprag_value::{Value, json};

use super::world::{Patched, Refusal};
use crate::volatile;

/// The difference between an answer and the recorded one.
pub(crate) enum Difference {
    None,
    /// As listed among the divergences.
    OnPurpose(&'static str),
    Found(String),
}

/// Compares an answer with the recorded one and its alternatives.
pub(crate) fn compare(test: &Value, answer: &Result<Patched, Refusal>) -> Difference {
    let Some(recorded) = test.get("response") else { return Difference::Found("  no recorded response\n".into()) };
    let alternatives = test.get("alternatives").and_then(Value::as_array).into_iter().flatten();
    let mut first = None;
    for recorded in std::iter::once(recorded).chain(alternatives) {
        match compare_one(recorded, answer) {
            Difference::Found(text) => first = first.or(Some(text)),
            other => return other,
        }
    }
    Difference::Found(first.unwrap_or_default())
}

fn compare_one(recorded: &Value, answer: &Result<Patched, Refusal>) -> Difference {
    let code = recorded.get("code").and_then(Value::as_i64).unwrap_or_default();
    let body = recorded.get("body").unwrap_or(&Value::Null);
    let message = body.get("message").and_then(Value::as_str).unwrap_or_default();
    let found = |text: String| Difference::Found(format!("  recorded {code} {message}\n  answered {text}\n"));
    match answer {
        Ok(_) if code == 500 && message.contains("Kind=Scale) to proper version") => {
            Difference::OnPurpose("a scale can be applied")
        }
        Ok(answer) if !matches!(code, 200 | 201) => found(answer.text()),
        Ok(answer) => {
            if !volatile::same(body, &answer.object) {
                let want = json::to_string(body);
                return Difference::Found(format!("  recorded {want}\n  answered {}\n", answer.text()));
            }
            warnings(recorded, &answer.warnings)
        }
        Err(Refusal::ByServer(error)) => {
            let ours = error.code();
            let text = error.to_string();
            if volatile::same_text(message, &text) && i64::from(ours) == code {
                return warnings(recorded, &error.parts().warnings);
            }
            let typed =
                message.contains("failed to create typed patch object") || message.contains("to proper version");
            if code == 500 && ours == 400 && typed {
                return Difference::OnPurpose("an applied object that does not fit its type is a bad request");
            }
            found(format!("{ours} {text}"))
        }
        Err(Refusal::NotHere(reason)) => found((*reason).to_owned()),
    }
}

fn warnings(recorded: &Value, ours: &[String]) -> Difference {
    let escape = |text: &String| format!("299 - \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let ours: Value = ours.iter().map(escape).collect();
    let recorded = recorded.get("warnings").cloned().unwrap_or_else(Value::array);
    if recorded == ours {
        return Difference::None;
    }
    Difference::Found(format!("  recorded {recorded:?}\n  answered {ours:?}\n"))
}
