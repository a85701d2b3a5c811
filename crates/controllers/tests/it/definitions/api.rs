//! A registry with definitions, and requests to it by path.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use sprag_controllers::DefinitionController;
use sprag_crd::definitions;
use sprag_registry::{Answer, Registry};
use sprag_rest::{
    ApiError, Body, DeleteOptions, FeatureGates, Format, OptionsKind, Patch, Request, Stage, User, WriteOptions,
};
use sprag_shape::to_go_json;
use sprag_storage::{ManualClock, Memory, Store};
use sprag_value::{Value, json};

pub(crate) struct Api {
    pub(crate) registry: Registry,
    pub(crate) controller: DefinitionController,
    user: User,
}

/// One request.
#[derive(Clone, Copy, Default)]
pub(crate) struct Call<'a> {
    pub(crate) method: &'a str,
    /// With query.
    pub(crate) path: &'a str,
    pub(crate) content_type: &'a str,
    pub(crate) body: &'a str,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) body: Value,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn gates() -> FeatureGates {
    FeatureGates::default().with("CRDValidationRatcheting", Stage::Stable)
}

impl Default for Api {
    fn default() -> Self {
        Api::over(Arc::new(Memory::new()), gates())
    }
}

impl Api {
    pub(crate) fn over(store: Arc<dyn Store>, gates: FeatureGates) -> Api {
        let clock = Arc::new(ManualClock::default());
        clock.advance(std::time::Duration::from_secs(1_750_000_000));
        let builder = Registry::builder(store).gates(gates).clock(clock);
        let registry = builder.resource(sprag_kinds::namespaces()).resource(definitions()).build();
        wait(registry.ensure_namespace("default")).unwrap();
        let controller = DefinitionController::new(registry.clone());
        wait(controller.sync()).unwrap();
        let user = User { name: "admin".into(), groups: vec!["system:masters".into()], ..User::default() };
        Api { registry, controller, user }
    }

    /// Sends a request; nothing if it is of a kind that is not known here.
    pub(crate) fn send(&self, call: Call<'_>) -> Option<Reply> {
        let (path, query) = call.path.split_once('?').unwrap_or((call.path, ""));
        let request = request(path, &self.user)?;
        let options = options(query, call)?;
        let outcome = self.dispatch(call, &request, &options)?;
        if request.resource == "customresourcedefinitions" && call.method != "GET" {
            let written = outcome.as_ref().ok().map(|answer| sprag_rest::meta::name(&answer.object).to_owned());
            let name = if request.name.is_empty() { written.unwrap_or_default() } else { request.name.to_owned() };
            wait(self.controller.sync_definition(&name)).unwrap();
        }
        let definition = self.registry.definition(&sprag_rest::GroupResource::new(request.group, request.resource));
        let shape = definition.as_ref().and_then(|definition| definition.written_shape(request.version));
        let shown = |object: Value| match shape {
            Some((shapes, id)) if object.get("kind").and_then(Value::as_str) != Some("Status") => {
                json::parse(to_go_json(shapes, id, &object).as_bytes()).unwrap()
            }
            _ => object,
        };
        if let Some(line) = outcome.as_ref().ok().and_then(|answer| answer.line.as_ref()?.to_bytes()) {
            let said = json::parse(&line).unwrap();
            let object = &outcome.as_ref().unwrap().object;
            assert_eq!(json::to_string(&said), json::to_string(object), "the text is that of the object");
        }
        Some(match outcome {
            Ok(answer) => Reply {
                code: if answer.created { 201 } else { 200 },
                body: shown(answer.object),
                warnings: answer.warnings,
            },
            Err(error) => {
                Reply { code: error.code(), body: error.to_status(), warnings: error.parts().warnings.clone() }
            }
        })
    }

    fn dispatch(
        &self,
        call: Call<'_>,
        request: &Request<'_>,
        options: &WriteOptions,
    ) -> Option<Result<Answer, ApiError>> {
        let body = call.body.as_bytes();
        let format = match call.content_type {
            "application/yaml" => Format::Yaml,
            _ => Format::Json,
        };
        let registry = &self.registry;
        let written = |write: OptionsKind, verb: &dyn Fn(Body) -> Result<Answer, ApiError>| {
            options.validate(write)?;
            let (body, warnings) = registry.decode(request, body, format, options)?;
            match verb(body) {
                Ok(mut answer) => {
                    answer.warnings.splice(0..0, warnings);
                    Ok(answer)
                }
                Err(error) => Err(error.with_warnings(warnings)),
            }
        };
        Some(match call.method {
            "POST" => written(OptionsKind::Create, &|body| wait(registry.create(request, body, options))),
            "PUT" => written(OptionsKind::Update, &|body| wait(registry.update(request, body, options))),
            "GET" if !request.name.is_empty() => {
                let found = wait(registry.get(request, ""));
                found.map(|object| Answer { object, warnings: Vec::new(), created: false, line: None })
            }
            "DELETE" if !request.name.is_empty() && body.is_empty() => {
                wait(registry.delete(request, &DeleteOptions::default()))
            }
            "PATCH" => {
                let patch = match call.content_type {
                    "application/json-patch+json" => Patch::Json(body),
                    "application/merge-patch+json" => Patch::Merge(body),
                    "application/apply-patch+yaml" => Patch::Apply(body),
                    _ => return None,
                };
                wait(registry.patch(request, patch, options))
            }
            _ => return None,
        })
    }

    /// Sends a request that must succeed.
    #[track_caller]
    pub(crate) fn must(&self, method: &str, path: &str, body: &str) -> Value {
        let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let reply = self.send(Call { method, path, content_type, body }).unwrap();
        assert!(matches!(reply.code, 200 | 201), "{} {}", reply.code, json::to_string(&reply.body));
        reply.body
    }

    /// Sends a request that must fail; its code and message.
    #[track_caller]
    pub(crate) fn refused(&self, method: &str, path: &str, body: &str) -> String {
        let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let reply = self.send(Call { method, path, content_type, body }).unwrap();
        let message = reply.body.get("message").and_then(Value::as_str).unwrap_or_default();
        format!("{} {message}", reply.code)
    }
}

pub(crate) fn request<'a>(path: &'a str, user: &'a User) -> Option<Request<'a>> {
    let mut parts = path.strip_prefix('/')?.split('/').peekable();
    let group = match parts.next()? {
        "api" => "",
        "apis" => parts.next()?,
        _ => return None,
    };
    let version = parts.next()?;
    let mut resource = parts.next()?;
    let mut namespace = "";
    if resource == "namespaces" && path.split('/').count() > 5 {
        namespace = parts.next()?;
        resource = parts.next()?;
    }
    let name = parts.next().unwrap_or_default();
    let subresource = parts.next().unwrap_or_default();
    Some(Request { group, version, resource, namespace, name, subresource, user })
}

fn options(query: &str, call: Call<'_>) -> Option<WriteOptions> {
    let is_apply = call.content_type == "application/apply-patch+yaml";
    let mut options = WriteOptions::by(if is_apply { "" } else { "conformance" });
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    // The first of several counts.
    pairs.reverse();
    for pair in pairs {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name {
            "fieldManager" if !value.contains('%') => value.clone_into(&mut options.field_manager),
            "fieldValidation" => value.clone_into(&mut options.field_validation),
            "dryRun" => options.dry_run.push(value.to_owned()),
            "force" if call.method == "PATCH" => options.force = Some(value == "true"),
            "force" => {}
            _ => return None,
        }
    }
    Some(options)
}

/// Waits for what is ready at once: everything in memory is.
#[track_caller]
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the memory store answers at once"),
    }
}
