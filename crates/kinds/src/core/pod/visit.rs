//! The containers of a pod of all sorts.

use sprag_field::Path;
use sprag_value::view::View;

use crate::views::core_v1::{Container, PodSpec};

/// Calls a function for each init container, container and ephemeral container with its path, as upstream's
/// `pods.VisitContainersWithPath`; `at` is the path of the spec.
pub(crate) fn visit_containers<'v>(spec: PodSpec<'v>, at: &Path<'_>, visit: &mut dyn FnMut(Container<'v>, &Path<'_>)) {
    let lists = [
        ("initContainers", spec.init_containers().values()),
        ("containers", spec.containers().values()),
        ("ephemeralContainers", spec.ephemeral_containers().values()),
    ];
    for (name, containers) in lists {
        let list = at.child(name);
        for (index, container) in containers.iter().enumerate() {
            visit(View::view(Some(container)), &list.index(index));
        }
    }
}
