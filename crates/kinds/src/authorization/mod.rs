//! The group `authorization.k8s.io`: what somebody may do.

mod attributes;
mod rules;
#[cfg(feature = "types")]
pub mod v1;
mod validation;

use std::future::ready;
use std::sync::Arc;

use sprag_authorization::{Access, Authorizer as _, Decision};
use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_rest::{
    AnswerCreate, Answered, ApiError, Definition, Release, Request, Result, Unstored, User, Version, meta,
};
use sprag_value::{Time, Value};

use self::attributes::Asked;
use self::rules::RulesReview;
use crate::{details, program};

/// The name of the group.
const GROUP: &str = "authorization.k8s.io";

/// The kinds of this group, answered by what decides about requests.
pub(crate) fn definitions(release: Release, access: &Arc<Access>) -> Vec<Definition> {
    let review = |kind| Arc::new(AccessReview { access: access.clone(), kind, release }) as Arc<dyn AnswerCreate>;
    vec![
        define(release, "LocalSubjectAccessReview", review(Kind::Local)),
        define(release, "SelfSubjectAccessReview", review(Kind::Own)),
        define(release, "SelfSubjectRulesReview", Arc::new(RulesReview(access.clone()))),
        define(release, "SubjectAccessReview", review(Kind::Any)),
    ]
}

fn define(release: Release, kind: &str, answer: Arc<dyn AnswerCreate>) -> Definition {
    let mut definition = program::resource(release, GROUP, "v1", kind).define();
    definition.unstored = Some(Unstored::Answered(answer));
    definition.versions[0].subresources.clear();
    // Upstream has types of this version, and serves it no longer.
    definition.versions.push(Version { served: false, ..Version::new("v1beta1") });
    definition
}

/// The kind of access review, by whose access it is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Anybody's.
    Any,
    /// Anybody's, in the namespace of the request.
    Local,
    /// That of who asks.
    Own,
}

/// Answers whether something is allowed.
struct AccessReview {
    access: Arc<Access>,
    kind: Kind,
    release: Release,
}

impl AnswerCreate for AccessReview {
    fn check(&self, request: &Request<'_>, object: &Value) -> Result<()> {
        let create = sprag_checks::Request::create();
        let root = &At::root(&create);
        let mut errors = Errors::of(self.release);
        validation::validate_spec(object, self.kind != Kind::Own, root, &mut errors);
        validation::validate_metadata(object, self.kind == Kind::Local, &mut errors);
        if self.kind == Kind::Local {
            validation::validate_local(object, &mut errors);
        }
        if !errors.is_empty() {
            let mut errors = errors.into_vec();
            let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
            details::restore_in(self.release, (GROUP, "v1", kind), &mut errors);
            return Err(invalid(&errors));
        }
        if self.kind == Kind::Local && request.namespace != meta::namespace(object) {
            let namespace = request.namespace;
            let message = format!("spec.resourceAttributes.namespace must match namespace: {namespace}");
            return Err(ApiError::bad_request(message));
        }
        Ok(())
    }

    fn answer<'a>(&'a self, request: &'a Request<'a>, _: Time, mut object: Value) -> Answered<'a> {
        let own = (self.kind == Kind::Own).then_some(request.user);
        let status = self.status(&object, own);
        object.insert("status", status);
        Box::pin(ready(Ok(object)))
    }
}

impl AccessReview {
    fn status(&self, object: &Value, own: Option<&User>) -> Value {
        let asked = Asked::new(object);
        let user = own.cloned().unwrap_or_else(|| asked.user());
        let decision = self.access.authorize(&asked.attributes(&user));
        let (allowed, denied, reason) = match decision {
            Decision::Allow(reason) => (true, false, reason),
            Decision::Deny(reason) => (false, true, reason),
            Decision::NoOpinion(reason) => (false, false, reason),
        };
        let mut status = Value::object();
        status.insert("allowed", allowed);
        if denied {
            status.insert("denied", denied);
        }
        for (name, text) in [("reason", reason), ("evaluationError", asked.evaluation_error())] {
            if !text.is_empty() {
                status.insert(name, text);
            }
        }
        status
    }
}

/// Upstream's reviews do not know their kind here.
fn invalid(errors: &[Error]) -> ApiError {
    ApiError::invalid("", GROUP, "", errors)
}
