//! The plug-in `DefaultIngressClass`: ingresses without a class get the default one.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_value::Value;

use super::members::{annotation, spec};
use super::request::{changed, creates, default_class, is, list_all};

const GROUP: &str = "networking.k8s.io";
/// The annotation that named the class before there was a field.
const BETA_CLASS: &str = "kubernetes.io/ingress.class";
/// The annotation of the default class.
const MARKS: [&str; 1] = ["ingressclass.kubernetes.io/is-default-class"];

/// Sets the default class of ingresses.
// As upstream's plugin/pkg/admission/network/defaultingressclass.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultIngressClass;

impl AdmissionPlugin for DefaultIngressClass {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        creates(attributes) && is(attributes, GROUP, "ingresses") && !has_class(attributes.new_object())
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(async move {
            let classes = list_all(&attributes, (GROUP, "v1", "ingressclasses"), "").await?;
            let Some(class) = default_class(classes, &MARKS) else { return Ok(Mutation::default()) };
            let mut ingress = attributes.new_object().clone();
            let mut spec = ingress.remove("spec").unwrap_or_default();
            spec.insert("ingressClassName", class);
            ingress.insert("spec", spec);
            Ok(changed(ingress))
        })
    }
}

fn has_class(ingress: &Value) -> bool {
    annotation(ingress, BETA_CLASS).is_some()
        || spec(ingress).get("ingressClassName").is_some_and(|class| !class.is_null())
}
