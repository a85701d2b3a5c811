//! Tokens of service accounts, as upstream's `pkg/registry/core/serviceaccount/storage/token.go`.

use std::sync::{Arc, LazyLock};

use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path, quote};
use sprag_rest::{
    AnswerSubresource, ApiError, CreateSubresource, Cx, Fact, GroupResource, GroupVersionKind, Referenced, Result,
    TokenIssuer, meta, with_object_meta,
};
use sprag_shape::{Shapes, TypeId};
use sprag_value::view::View;
use sprag_value::{Object, Time, Value, json};

use crate::program;
use crate::views::authentication_v1::{BoundObjectReference, TokenRequest, TokenRequestSpec};

const GROUP: &str = "authentication.k8s.io";
const KIND: &str = "TokenRequest";

/// Seconds that a token is valid: by default, at least and at most.
const DEFAULT_SECONDS: i64 = 60 * 60;
const MIN_SECONDS: i64 = 10 * 60;
const MAX_SECONDS: i64 = 1 << 32;

/// The lifetime that kubelets ask for: the token is valid for longer, and carries the time from which users are warned.
// As upstream's serviceaccount.WarnOnlyBoundTokenExpirationSeconds and ExpirationExtensionSeconds.
const WARN_ONLY_SECONDS: i64 = 60 * 60 + 7;
const EXTENDED_SECONDS: i64 = 365 * 24 * 60 * 60;

/// The one attestation that there is.
const REVIEWED_GROUPS: &str = "admissionReviewAPIGroups";

/// The shape of a request, with metadata.
static SHAPE: LazyLock<(Shapes, TypeId)> = LazyLock::new(|| {
    // Found by its group: `storage.k8s.io` has a type of this name, too.
    with_object_meta(program::shapes(), program::kind(GROUP, "v1", KIND))
});

/// `serviceaccounts/token`.
pub(crate) struct Token(pub(crate) Arc<dyn TokenIssuer>);

impl CreateSubresource for Token {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new(GROUP, "v1", KIND)
    }

    fn shape(&self) -> Option<(&Shapes, TypeId)> {
        Some((&SHAPE.0, SHAPE.1))
    }

    fn check(&self, cx: &Cx<'_>, body: &Value) -> Result<()> {
        let metadata = Path::new("metadata");
        let check = |member: &str, sent: &str, expected: &str, detail: &'static str| {
            if sent.is_empty() || sent == expected {
                return Ok(());
            }
            let error = Error::invalid(&metadata.child(member), sent, detail);
            Err(ApiError::invalid(KIND, GROUP, cx.name, &[error]))
        };
        check("name", meta::name(body), cx.name, "must match the service account name if specified")?;
        let detail = "must match the service account namespace if specified";
        check("namespace", meta::namespace(body), cx.namespace, detail)
    }

    fn answers(&self) -> Option<&dyn AnswerSubresource> {
        Some(self)
    }
}

fn view(body: &Value) -> TokenRequest<'_> {
    View::view(Some(body))
}

impl AnswerSubresource for Token {
    fn complete(&self, cx: &Cx<'_>, body: &mut Value, parent: &Value) -> Result<()> {
        let has_uid = cx.gates.release().has(Fact::TokenRequestsHaveAUid);
        if !has_uid && let Some(metadata) = body.get_mut("metadata") {
            metadata.remove("uid");
        }
        let sent = meta::uid(body);
        let known = meta::uid(parent);
        if !sent.is_empty() && sent != known && cx.gates.enabled("TokenRequestServiceAccountUIDValidation") {
            return Err(ApiError::conflict(&GroupResource::new(GROUP, KIND), cx.name, &other_uid(sent, known)));
        }
        for member in ["name", "namespace", "uid"].into_iter().filter(|member| has_uid || *member != "uid") {
            if meta::text(body, member).is_empty() {
                meta::copy(body, parent, member);
            }
        }
        meta::set(body, "creationTimestamp", cx.now.to_string());
        let mut spec = body.remove("spec").filter(|spec| !spec.is_null()).unwrap_or_else(Value::object);
        if spec.get("expirationSeconds").is_none_or(Value::is_null) {
            spec.insert("expirationSeconds", DEFAULT_SECONDS);
        }
        if spec.get("audiences").and_then(Value::as_array).is_none_or(|audiences| audiences.is_empty()) {
            let audiences = self.0.audiences().iter().map(|audience| Value::from(audience.as_str()));
            spec.insert("audiences", audiences.collect::<Value>());
        }
        body.insert("spec", spec);
        let mut errors = Errors::new();
        validate(view(body).spec(), &Path::new("spec"), &mut errors);
        if errors.is_empty() { Ok(()) } else { Err(ApiError::invalid(KIND, GROUP, "", &errors.into_vec())) }
    }

    fn reference(&self, cx: &Cx<'_>, body: &Value, found: &[Option<Value>]) -> Result<Option<Referenced>> {
        let Some(bound) = view(body).spec().bound_object_ref() else { return Ok(None) };
        let (resource, namespace) = bound_resource(bound, cx)?;
        let node = || found.first()?.as_ref()?.lookup(&["spec", "nodeName"])?.as_str().filter(|name| !name.is_empty());
        Ok(match (found.len(), resource) {
            (0, _) => Some(Referenced {
                resource,
                namespace: namespace.to_owned(),
                name: bound.name().to_owned(),
                may_be_missing: false,
            }),
            (1, "pods") => node().map(|name| Referenced {
                resource: "nodes",
                namespace: String::new(),
                name: name.to_owned(),
                may_be_missing: true,
            }),
            _ => None,
        })
    }

    fn answer(
        &self,
        cx: &Cx<'_>,
        mut body: Value,
        parent: &Value,
        found: &[Option<Value>],
    ) -> Result<(Value, Vec<String>)> {
        let mut warnings = Vec::new();
        let spec = view(&body).spec();
        let sent = meta::uid(&body);
        let known = meta::uid(parent);
        if !sent.is_empty() && sent != known {
            let gate = "TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error";
            warnings.push(format!("{} but {gate}", other_uid(sent, known)));
        }
        let mut own = Object::from([("namespace", Value::from(cx.namespace)), ("serviceaccount", reference(parent))]);
        if let (Some(bound), Some(object)) = (spec.bound_object_ref(), found.first().and_then(Option::as_ref)) {
            bind(bound, object, found.get(1), cx, &mut own)?;
        }
        let now = cx.now.unix_seconds();
        let seconds = spec.expiration_seconds().unwrap_or(DEFAULT_SECONDS);
        let expires = now.saturating_add(seconds);
        let is_own = |audience: &str| self.0.audiences().iter().any(|own| own == audience);
        let is_extended = seconds == WARN_ONLY_SECONDS
            && spec.bound_object_ref().is_some_and(|bound| bound.kind() == "Pod")
            && spec.audiences().iter().all(is_own);
        if is_extended {
            own.insert("warnafter", Value::from(expires));
        }
        let ends = if is_extended { now.saturating_add(EXTENDED_SECONDS) } else { expires };
        let claims = Object::from([
            ("aud", spec.audiences().values().iter().cloned().collect::<Value>()),
            ("exp", Value::from(ends)),
            ("iat", Value::from(now)),
            ("kubernetes.io", Value::Object(own)),
            ("nbf", Value::from(now)),
            ("sub", Value::from(format!("system:serviceaccount:{}:{}", cx.namespace, meta::name(parent)))),
        ]);
        let token = self.0.issue(Value::Object(claims))?;
        let expires = Time::from_unix(expires, 0).to_string();
        let status = Object::from([("token", Value::from(token)), ("expirationTimestamp", Value::from(expires))]);
        body.insert("status", Value::Object(status));
        Ok((body, warnings))
    }
}

fn other_uid(sent: &str, known: &str) -> String {
    format!("the UID in the token request ({sent}) does not match the UID of the service account ({known})")
}

/// The name and uid of an object, as claims have them.
fn reference(object: &Value) -> Value {
    Value::Object(Object::from([("name", Value::from(meta::name(object))), ("uid", Value::from(meta::uid(object)))]))
}

/// The resource and the namespace of the object that a token is bound to.
fn bound_resource<'c>(bound: BoundObjectReference<'_>, cx: &Cx<'c>) -> Result<(&'static str, &'c str)> {
    let (group, version) = match bound.api_version().split_once('/') {
        // As upstream's schema.FromAPIVersionAndKind, which rejects such a version.
        Some((_, version)) if version.contains('/') => ("", ""),
        Some((group, version)) => (group, version),
        None => ("", bound.api_version()),
    };
    let kind = bound.kind();
    match (group, kind) {
        ("", "Pod") => Ok(("pods", cx.namespace)),
        ("", "Node") => Ok(("nodes", "")),
        ("", "Secret") => Ok(("secrets", cx.namespace)),
        _ => {
            let is_webhook = (group, version) == ("admissionregistration.k8s.io", "v1") && is_webhook(kind);
            let mut message = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            if is_webhook && !cx.gates.enabled("APIServerWebhookAuthenticationToken") {
                message.push_str(" (feature gate APIServerWebhookAuthenticationToken is disabled)");
            }
            Err(ApiError::bad_request(message))
        }
    }
}

/// Adds the claims of a token that is bound to an object, and to the node of a pod.
fn bind(
    bound: BoundObjectReference<'_>,
    object: &Value,
    node: Option<&Option<Value>>,
    cx: &Cx<'_>,
    claims: &mut Object,
) -> Result<()> {
    let account = object.lookup(&["spec", "serviceAccountName"]).and_then(Value::as_str).unwrap_or_default();
    if bound.kind() == "Pod" && account != cx.name {
        return Err(ApiError::bad_request(format!(
            "cannot bind token for serviceaccount {} to pod running with different serviceaccount name.",
            quote::go(cx.name)
        )));
    }
    if !bound.uid().is_empty() && bound.uid() != meta::uid(object) {
        let group = bound.api_version().split_once('/').map_or("", |(group, _)| group);
        let why = format!(
            "the UID in the bound object reference ({}) does not match the UID in record. The object might have been \
             deleted and then recreated",
            bound.uid()
        );
        return Err(ApiError::conflict(&GroupResource::new(group, bound.kind()), bound.name(), &why));
    }
    claims.insert(bound.kind().to_lowercase().as_str(), reference(object));
    let name = object.lookup(&["spec", "nodeName"]).and_then(Value::as_str).filter(|_| bound.kind() == "Pod");
    match (node, name) {
        (Some(Some(node)), _) => drop(claims.insert("node", reference(node))),
        (Some(None), Some(name)) => {
            drop(claims.insert("node", Value::Object(Object::from([("name", Value::from(name))]))));
        }
        _ => {}
    }
    Ok(())
}

fn is_webhook(kind: &str) -> bool {
    matches!(kind, "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration")
}

/// As upstream's `validation.ValidateTokenRequest`.
fn validate(spec: TokenRequestSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let seconds = spec.expiration_seconds().unwrap_or_default();
    if seconds < MIN_SECONDS {
        let detail = "may not specify a duration less than 10 minutes";
        errors.push(Error::invalid(&at.child("expirationSeconds"), seconds, detail));
    }
    if seconds > MAX_SECONDS {
        let detail = "may not specify a duration larger than 2^32 seconds";
        errors.push(Error::invalid(&at.child("expirationSeconds"), seconds, detail));
    }
    let shown = |field: &str| {
        let value = spec.as_value().get(field).filter(|value| !value.is_null());
        BadValue::Json(value.map_or_else(|| "null".to_owned(), json::to_string))
    };
    let attestations = spec.as_value().get("attestations").and_then(Value::as_object).filter(|all| !all.is_empty());
    if !spec.bound_object_ref().is_some_and(|bound| is_webhook(bound.kind())) {
        if attestations.is_some() {
            errors.truncate(0);
            let detail = "attestations may only be specified with a webhook bound object reference";
            errors.push(Error::invalid(&at.child("attestations"), shown("attestations"), detail));
        }
        return;
    }
    if spec.audiences().len() != 1 {
        let detail = "must be length 1 when bound to a webhook config";
        errors.push(Error::invalid(&at.child("audiences"), shown("audiences"), detail));
    }
    validate_attestations(attestations, &at.child("attestations"), shown("attestations"), errors);
}

/// As upstream's `validation.validateWebhookAttestations`.
fn validate_attestations(attestations: Option<&Object>, at: &Path<'_>, shown: BadValue, errors: &mut Errors) {
    let one = attestations.filter(|all| all.len() == 1).and_then(|all| all.iter().next());
    let Some((key, values)) = one else {
        let detail = "webhook bound requests require exactly one admissionReviewAPIGroups attestation";
        return errors.push(Error::invalid(at, shown, detail));
    };
    let at = at.key(key.as_str());
    if key.as_str() != REVIEWED_GROUPS {
        return errors.push(Error::not_supported(&at, key.as_str(), &[REVIEWED_GROUPS]));
    }
    if let [value] = values.as_array().map_or(&[][..], |values| values.as_slice()) {
        validate_reviewed_group(value.as_str().unwrap_or_default(), &at.index(0), errors);
    } else {
        let shown = BadValue::Json(json::to_string(values));
        errors.push(Error::invalid(&at, shown, "must specify a single value"));
    }
}

/// As upstream's `validation.validateAdmissionReviewAPIGroupsValue`.
fn validate_reviewed_group(group: &str, at: &Path<'_>, errors: &mut Errors) {
    match group {
        "" => errors.push(Error::invalid(at, group, "may not be an empty string")),
        "*" => {}
        _ => dns_subdomain(group, Usage::Name, &mut |detail| {
            errors.push(Error::invalid(at, group, format!("must specify a valid API Group: {detail}")));
        }),
    }
}
