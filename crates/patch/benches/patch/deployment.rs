//! A deployment, its patch, and the part of its shape that they touch.

use std::borrow::Cow;
use std::fmt::Write as _;

use sprag_shape::{Field, Kind, ListType, Patch, Shapes, TypeId, TypeRef, TypeShape, meta};
use sprag_value::{Value, json};

/// The position of the deployment among the shapes: the last one.
pub(crate) const DEPLOYMENT: TypeId = TypeId(100);

/// A deployment with this version of its images.
pub(crate) fn object(version: &str) -> Value {
    let mut containers = String::new();
    for name in ["app", "proxy", "logger"] {
        let env: Vec<String> = (0..12).map(|at| format!(r#"{{"name":"E{at}","value":"v{at}"}}"#)).collect();
        let separator = if containers.is_empty() { "" } else { "," };
        let written = write!(
            containers,
            r#"{separator}{{"name":"{name}","image":"registry.example/{name}:{version}","args":["--x","--y"],
            "ports":[{{"name":"http","containerPort":8080,"protocol":"TCP"}}],"env":[{env}],
            "resources":{{"limits":{{"memory":"256Mi"}},"requests":{{"cpu":"100m","memory":"128Mi"}}}},
            "livenessProbe":{{"httpGet":{{"path":"/healthz","port":"http"}},"periodSeconds":10}},
            "volumeMounts":[{{"name":"config","mountPath":"/etc/app"}}]}}"#,
            env = env.join(",")
        );
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }
    parse(&format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment",
        "metadata":{{"name":"web","namespace":"default","labels":{{"app":"web"}}}},
        "spec":{{"replicas":3,"selector":{{"matchLabels":{{"app":"web"}}}},
        "strategy":{{"type":"RollingUpdate","rollingUpdate":{{"maxSurge":"25%","maxUnavailable":0}}}},
        "template":{{"metadata":{{"labels":{{"app":"web"}},"annotations":{{"a":"b"}}}},
        "spec":{{"serviceAccountName":"web","containers":[{containers}],
        "volumes":[{{"name":"config","configMap":{{"name":"web"}}}}]}}}}}}}}"#
    ))
}

/// Returns the object that a second manager applies.
pub(crate) fn labels() -> Value {
    parse(
        r#"{"apiVersion":"apps/v1","kind":"Deployment",
        "metadata":{"name":"web","namespace":"default","labels":{"team":"a","tier":"front"}}}"#,
    )
}

/// A strategic merge patch, which is also a merge patch.
pub(crate) fn patch() -> &'static str {
    r#"{"metadata":{"labels":{"version":"2"}},"spec":{"replicas":5,"template":{"spec":{"containers":[
    {"name":"app","image":"registry.example/app:2","env":[{"name":"E3","value":"changed"},{"name":"NEW","value":"1"}]}
    ]}}}}"#
}

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).expect("the text is JSON")
}

/// The shapes of a deployment, as far as the objects above need them.
pub(crate) fn shapes() -> Shapes {
    let mut types = Types(meta::shapes().types().to_vec());
    let text = types.add(Kind::String);
    let int = types.add(Kind::Int { bits: 32, signed: true });
    let either = types.add(Kind::IntOrString);
    let quantity = types.add(Kind::Quantity);
    let texts = types.list(text);
    let labels = types.add(Kind::Map { key: TypeRef::value(text), value: TypeRef::value(text) });
    let amounts = types.add(Kind::Map { key: TypeRef::value(text), value: TypeRef::value(quantity) });
    let env = types.object("v1.EnvVar", vec![key("name", text), field("value", text)]);
    let protocol = field("protocol", text).default("\"TCP\"");
    let port = types.object("v1.ContainerPort", vec![field("name", text), key("containerPort", int), protocol]);
    let get = types.object("v1.HTTPGetAction", vec![field("path", text), key("port", either)]);
    let probe = types.object("v1.Probe", vec![field("httpGet", get), field("periodSeconds", int)]);
    let mount = types.object("v1.VolumeMount", vec![key("name", text), key("mountPath", text)]);
    let resources = types.object("v1.ResourceRequirements", vec![field("limits", amounts), field("requests", amounts)]);
    let envs = types.list(env);
    let ports = types.list(port);
    let mounts = types.list(mount);
    let container = types.object(
        "v1.Container",
        vec![
            key("name", text),
            field("image", text),
            field("args", texts).list(ListType::Atomic),
            field("ports", ports)
                .list(ListType::Map(Cow::Owned(vec!["containerPort".into(), "protocol".into()])))
                .patch(Patch::merge("containerPort")),
            keyed("env", envs, "name"),
            field("resources", resources),
            field("livenessProbe", probe),
            keyed("volumeMounts", mounts, "mountPath"),
        ],
    );
    let source = types.object("v1.ConfigMapVolumeSource", vec![field("name", text)]);
    let volume = types.object("v1.Volume", vec![key("name", text), field("configMap", source)]);
    let containers = types.list(container);
    let volumes = types.list(volume);
    let pod = types.object(
        "v1.PodSpec",
        vec![
            field("serviceAccountName", text),
            keyed("containers", containers, "name"),
            keyed("volumes", volumes, "name"),
        ],
    );
    let template = types.object("v1.PodTemplateSpec", vec![field("metadata", meta::OBJECT_META), field("spec", pod)]);
    let rolling =
        types.object("v1.RollingUpdateDeployment", vec![field("maxSurge", either), field("maxUnavailable", either)]);
    let strategy = types.object("v1.DeploymentStrategy", vec![field("type", text), field("rollingUpdate", rolling)]);
    let selector = types.object("v1.LabelSelector", vec![field("matchLabels", labels)]);
    let spec = types.object(
        "v1.DeploymentSpec",
        vec![
            field("replicas", int),
            field("selector", selector),
            field("strategy", strategy),
            field("template", template),
        ],
    );
    types.deployment(spec)
}

struct Types(Vec<TypeShape>);

impl Types {
    fn add(&mut self, kind: Kind) -> TypeId {
        self.object_of(TypeShape::new("", kind))
    }

    fn object(&mut self, name: &'static str, fields: Vec<Field>) -> TypeId {
        self.object_of(TypeShape::new(name, Kind::of_fields(Cow::Owned(fields))))
    }

    fn object_of(&mut self, ty: TypeShape) -> TypeId {
        self.0.push(ty);
        TypeId(u32::try_from(self.0.len() - 1).expect("there are few types"))
    }

    fn list(&mut self, elem: TypeId) -> TypeId {
        self.add(Kind::List { elem: TypeRef::value(elem), list: ListType::Unset })
    }

    fn deployment(mut self, spec: TypeId) -> Shapes {
        while self.0.len() < DEPLOYMENT.0 as usize {
            self.add(Kind::Bool);
        }
        let fields = vec![
            Field::embedded("TypeMeta", TypeRef::value(meta::TYPE_META)),
            field("metadata", meta::OBJECT_META),
            field("spec", spec),
        ];
        self.object("v1.Deployment", fields);
        Shapes::new(self.0)
    }
}

fn field(json: &'static str, ty: TypeId) -> Field {
    key(json, ty).omit_empty()
}

fn key(json: &'static str, ty: TypeId) -> Field {
    Field::new(json, json, TypeRef::value(ty))
}

fn keyed(json: &'static str, ty: TypeId, key: &'static str) -> Field {
    field(json, ty).list(ListType::Map(Cow::Owned(vec![key.into()]))).patch(Patch::merge(key))
}
