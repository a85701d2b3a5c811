//! The plug-in `Priority`: pods and pod groups get the priority of their class.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::{Result, meta};
use sprag_value::Value;

use super::members::spec;
use super::request::{changed, creates, find, forbidden, is, list_all, mutated, unchanged};

const GROUP: &str = "scheduling.k8s.io";
const CLASSES: (&str, &str, &str) = (GROUP, "v1", "priorityclasses");
/// Resources that get a priority when they are created, the feature that they need, and what upstream calls them.
const GROUPS: [(&str, &str, &str); 2] =
    [("podgroups", "GenericWorkload", "pod group"), ("compositepodgroups", "CompositePodGroup", "composite pod group")];

/// Computes priorities from priority classes, of which at most one is the default.
// As upstream's plugin/pkg/admission/priority.
#[derive(Clone, Copy, Debug, Default)]
pub struct Priority;

impl AdmissionPlugin for Priority {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some()
            && attributes.request.subresource.is_empty()
            && (is(attributes, "", "pods") || is(attributes, GROUP, "priorityclasses") || group(attributes).is_some())
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        match (is(&attributes, "", "pods"), group(&attributes)) {
            (true, _) if creates(&attributes) => Box::pin(async move { admit_pod(&attributes).await.map(changed) }),
            (true, _) => mutated(Ok(keep_priority(&attributes))),
            (false, Some(called)) if creates(&attributes) => {
                Box::pin(async move { admit_group(&attributes, called).await.map(changed) })
            }
            _ => unchanged(),
        }
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let is_default = attributes.new_object().get("globalDefault").and_then(Value::as_bool) == Some(true);
        if !is_default || !is(&attributes, GROUP, "priorityclasses") {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        Box::pin(async move {
            let name = meta::name(attributes.new_object());
            match default_class(&attributes).await?.as_ref().map(meta::name) {
                Some(default) if creates(&attributes) || default != name => {
                    let why =
                        format!("PriorityClass {default} is already marked as default. Only one default can exist");
                    Err(forbidden(&attributes, &why))
                }
                _ => Ok(Vec::new()),
            }
        })
    }
}

fn group(attributes: &Attributes<'_>) -> Option<&'static str> {
    let known = GROUPS.iter().find(|(resource, ..)| is(attributes, GROUP, resource))?;
    attributes.registry.gates().enabled(known.1).then_some(known.2)
}

/// The priority class of an object.
struct Class {
    name: String,
    value: i64,
    preemption: Option<String>,
}

async fn admit_pod(attributes: &Attributes<'_>) -> Result<Value> {
    let mut pod = attributes.new_object().clone();
    let class = class(attributes, spec(&pod).text("priorityClassName")).await?;
    let given = spec(&pod).get("priority").and_then(Value::as_i64);
    if let Some(given) = given.filter(|given| *given != class.value) {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed \
             {} from the given PriorityClass name",
            class.value
        );
        return Err(forbidden(attributes, &why));
    }
    check_preemption(attributes, &class, "pod spec")?;
    set(&mut pod, &class, true);
    Ok(pod)
}

/// As upstream's `Plugin.admitPodGroup` and `admitCompositePodGroup`.
async fn admit_group(attributes: &Attributes<'_>, called: &str) -> Result<Value> {
    let mut group = attributes.new_object().clone();
    let class = class(attributes, spec(&group).text("priorityClassName")).await?;
    let given = spec(&group).get("priority").and_then(Value::as_i64);
    if let Some(given) = given.filter(|given| *given != class.value) {
        let why = format!(
            "priority set in the {called} ({given}) must match the priority computed ({}) based on the priority class set in \
             the spec",
            class.value
        );
        return Err(forbidden(attributes, &why));
    }
    let preempts = attributes.registry.gates().enabled("PodGroupPreemptionPolicy");
    if preempts {
        check_preemption(attributes, &class, &format!("{called} spec"))?;
    }
    set(&mut group, &class, preempts);
    Ok(group)
}

fn check_preemption(attributes: &Attributes<'_>, class: &Class, place: &str) -> Result<()> {
    let Some(computed) = &class.preemption else { return Ok(()) };
    let given = spec(attributes.new_object()).get("preemptionPolicy").and_then(Value::as_str);
    match given.filter(|given| given != computed) {
        Some(given) => {
            let why = format!(
                "the string value of PreemptionPolicy ({given}) must not be provided in {place}; priority admission controller \
                 computed {computed} from the given PriorityClass name"
            );
            Err(forbidden(attributes, &why))
        }
        None => Ok(()),
    }
}

fn set(object: &mut Value, class: &Class, preempts: bool) {
    let mut spec = object.remove("spec").unwrap_or_default();
    if !class.name.is_empty() {
        spec.insert("priorityClassName", class.name.as_str());
    }
    spec.insert("priority", class.value);
    if let Some(policy) = class.preemption.as_ref().filter(|_| preempts) {
        spec.insert("preemptionPolicy", policy.as_str());
    }
    object.insert("spec", spec);
}

/// The pod with the priority it has, where the update leaves it out.
fn keep_priority(attributes: &Attributes<'_>) -> Option<Value> {
    let old = spec(attributes.old?);
    let is_absent = |spec: &Value, key: &str| spec.get(key).is_none_or(Value::is_null);
    let new = spec(attributes.new_object());
    let kept: Vec<_> = ["priority", "preemptionPolicy"]
        .into_iter()
        .filter(|key| is_absent(new, key) && !is_absent(old, key))
        .filter_map(|key| Some((key, old.get(key)?.clone())))
        .collect();
    if kept.is_empty() {
        return None;
    }
    let mut pod = attributes.new_object().clone();
    for (key, value) in kept {
        pod.get_mut("spec")?.insert(key, value);
    }
    Some(pod)
}

/// As upstream's `Plugin.establishPriority`.
async fn class(attributes: &Attributes<'_>, name: &str) -> Result<Class> {
    let class = if name.is_empty() {
        default_class(attributes).await?
    } else {
        let found = find(attributes, CLASSES, "", name).await?;
        Some(found.ok_or_else(|| forbidden(attributes, &format!("no PriorityClass with name {name} was found")))?)
    };
    Ok(match class {
        Some(class) => Class {
            name: meta::name(&class).to_owned(),
            value: value(&class),
            preemption: class.get("preemptionPolicy").and_then(Value::as_str).map(str::to_owned),
        },
        None => Class { name: String::new(), value: 0, preemption: Some("PreemptLowerPriority".to_owned()) },
    })
}

/// The default class; the one with the lowest value if there are several.
async fn default_class(attributes: &Attributes<'_>) -> Result<Option<Value>> {
    let classes = list_all(attributes, CLASSES, "").await?;
    let is_default = |class: &Value| class.get("globalDefault").and_then(Value::as_bool) == Some(true);
    Ok(classes.into_iter().filter(is_default).min_by_key(value))
}

fn value(class: &Value) -> i64 {
    class.get("value").and_then(Value::as_i64).unwrap_or_default()
}
