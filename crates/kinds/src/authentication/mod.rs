//! The group `authentication.k8s.io`: who somebody is.

#[cfg(feature = "types")]
pub mod v1;

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;

use sprag_rest::{AnswerCreate, Answered, ApiError, Definition, Release, Request, Result, Unstored, User, Version};
use sprag_value::{Object, Time, Value};

use crate::program;

/// The name of the group.
const GROUP: &str = "authentication.k8s.io";

/// The owner of a token, and the error of the check, if any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenOwner {
    /// The user, and for which of the audiences the token is.
    pub user: Option<(User, Vec<String>)>,
    /// The reason why the token has no owner.
    pub error: Option<String>,
}

/// Knows whose token a token is, as upstream's `authenticator.Request` of token reviews.
pub trait TokenReviewer: Send + Sync {
    /// The owner of a token that must be for one of these audiences; for that of the server itself if there are none.
    fn review<'a>(
        &'a self,
        token: &'a str,
        audiences: &'a [String],
    ) -> Pin<Box<dyn Future<Output = TokenOwner> + Send + 'a>>;
}

/// The kinds of this group.
pub(crate) fn definitions(release: Release, tokens: &Arc<dyn TokenReviewer>) -> Vec<Definition> {
    vec![
        define(release, "SelfSubjectReview", &["v1beta1", "v1alpha1"], Arc::new(SelfReview)),
        define(release, "TokenReview", &["v1beta1"], Arc::new(TokenReview(tokens.clone()))),
    ]
}

/// A kind of which upstream has types of other versions, too, which it serves no longer.
fn define(release: Release, kind: &str, unserved: &[&str], answer: Arc<dyn AnswerCreate>) -> Definition {
    let mut definition = program::resource(release, GROUP, "v1", kind).define();
    definition.unstored = Some(Unstored::Answered(answer));
    definition.versions[0].subresources.clear();
    let unserved = unserved.iter().map(|name| Version { served: false, ..Version::new(*name) });
    definition.versions.extend(unserved);
    definition
}

/// Answers who asks.
struct SelfReview;

impl AnswerCreate for SelfReview {
    fn answer<'a>(&'a self, request: &'a Request<'a>, now: Time, object: Value) -> Answered<'a> {
        let mut answer = Value::object();
        for member in ["apiVersion", "kind"] {
            answer.insert(member, object.get(member).cloned().unwrap_or_default());
        }
        answer.insert("metadata", object_of([("creationTimestamp", Value::from(now.to_string()))]));
        answer.insert("status", object_of([("userInfo", user_info(request.user))]));
        Box::pin(ready(Ok(answer)))
    }
}

/// Answers whose token a token is.
struct TokenReview(Arc<dyn TokenReviewer>);

impl AnswerCreate for TokenReview {
    fn check(&self, _: &Request<'_>, object: &Value) -> Result<()> {
        match token(object) {
            "" => Err(ApiError::bad_request("token is required for TokenReview in authentication")),
            _ => Ok(()),
        }
    }

    fn answer<'a>(&'a self, _: &'a Request<'a>, _: Time, mut object: Value) -> Answered<'a> {
        Box::pin(async move {
            let audiences = object.lookup(&["spec", "audiences"]).and_then(Value::as_array).into_iter().flatten();
            let audiences: Vec<String> = audiences.filter_map(Value::as_str).map(str::to_owned).collect();
            let owner = self.0.review(token(&object), &audiences).await;
            let mut status = Value::object();
            match &owner.user {
                None => drop(status.insert("user", Value::object())),
                Some((user, audiences)) => {
                    status.insert("authenticated", true);
                    status.insert("user", user_info(user));
                    status.insert("audiences", audiences.iter().map(String::as_str).collect::<Value>());
                }
            }
            if let Some(error) = owner.error {
                status.insert("error", error);
            }
            object.insert("status", status);
            Ok(object)
        })
    }
}

fn token(review: &Value) -> &str {
    review.lookup(&["spec", "token"]).and_then(Value::as_str).unwrap_or_default()
}

/// A user as `UserInfo` has it.
fn user_info(user: &User) -> Value {
    let mut info = Value::object();
    for (member, text) in [("username", &user.name), ("uid", &user.uid)] {
        if !text.is_empty() {
            info.insert(member, text.as_str());
        }
    }
    let texts = |texts: &[String]| texts.iter().map(String::as_str).collect::<Value>();
    if !user.groups.is_empty() {
        info.insert("groups", texts(&user.groups));
    }
    if !user.extra.is_empty() {
        info.insert("extra", object_of(user.extra.iter().map(|(key, values)| (key.as_str(), texts(values)))));
    }
    info
}

fn object_of<'k>(members: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    Value::Object(members.into_iter().collect::<Object>())
}
