//! The group `storage.k8s.io`.

mod csi_driver;
mod csi_node;
mod csi_storage_capacity;
mod parameters;
mod storage_class;
#[cfg(feature = "types")]
pub mod v1;
mod volume_attachment;
mod volume_attributes_class;

use sprag_rest::{Definition, Release};

/// The name of the group.
const GROUP: &str = "storage.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![
        csi_driver::csi_drivers(release),
        csi_node::csi_nodes(release),
        csi_storage_capacity::csi_storage_capacities(release),
        storage_class::storage_classes(release),
        volume_attachment::volume_attachments(release),
        volume_attributes_class::volume_attributes_classes(release),
    ]
}
