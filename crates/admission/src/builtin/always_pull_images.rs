//! The plug-in `AlwaysPullImages`: images of private registries always need credentials.

use sprag_field::{Error, Path};
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::ApiError;
use sprag_value::Value;

use super::members::{items_mut, spec};
use super::request::{self, forbidden, judged, mutated, writes_pod};

const ALWAYS: &str = "Always";
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Sets the pull policy of all images to `Always`.
// As upstream's plugin/pkg/admission/alwayspullimages.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlwaysPullImages;

impl AdmissionPlugin for AlwaysPullImages {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        writes_pod(attributes) && attributes.old.is_none_or(|old| has_new_image(attributes.new_object(), old))
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let mut pod = attributes.new_object().clone();
        let Some(spec) = pod.get_mut("spec") else { return mutated(Ok(None)) };
        for kind in CONTAINERS {
            for container in items_mut(spec, kind) {
                container.insert("imagePullPolicy", ALWAYS);
            }
        }
        for volume in items_mut(spec, "volumes") {
            if let Some(image) = volume.get_mut("image") {
                image.insert("pullPolicy", ALWAYS);
            }
        }
        mutated(Ok(Some(pod)))
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        let errors = wrong_policies(attributes.new_object());
        let errors = errors.iter().map(|why| forbidden(&attributes, why).to_string()).collect();
        // Upstream aggregates refusals, which makes them one that has no status.
        judged(request::aggregate(errors).map_or(Ok(()), |why| Err(ApiError::unknown(why))))
    }
}

fn images(pod: &Value) -> impl Iterator<Item = &str> {
    CONTAINERS.into_iter().flat_map(|kind| spec(pod).list(kind)).map(|container| container.text("image"))
}

fn has_new_image(pod: &Value, old: &Value) -> bool {
    let old: Vec<&str> = images(old).collect();
    images(pod).any(|image| !old.contains(&image))
}

fn wrong_policies(pod: &Value) -> Vec<String> {
    let root = Path::new("spec");
    let mut errors = Vec::new();
    for kind in CONTAINERS {
        for (index, container) in spec(pod).list(kind).iter().enumerate() {
            let policy = container.text("imagePullPolicy");
            if policy != ALWAYS {
                let list = root.child(kind);
                let item = list.index(index);
                errors.push(Error::not_supported(&item.child("imagePullPolicy"), policy, &[ALWAYS]).to_string());
            }
        }
    }
    for (index, volume) in spec(pod).list("volumes").iter().enumerate() {
        if let Some(policy) =
            volume.get("image").map(|image| image.text("pullPolicy")).filter(|policy| *policy != ALWAYS)
        {
            let list = root.child("volumes");
            let item = list.index(index);
            let image = item.child("image");
            errors.push(Error::not_supported(&image.child("pullPolicy"), policy, &[ALWAYS]).to_string());
        }
    }
    errors
}
