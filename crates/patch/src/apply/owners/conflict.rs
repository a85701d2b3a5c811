//! Fields that are owned by others.

use std::collections::BTreeMap;

use sprag_field::quote;

use crate::apply::fields::set::{FieldSet, display_path};
use crate::apply::owners::managed::{ManagerId, Operation};
use crate::{Cause, Conflicts};

/// The fields owned by each manager.
pub(in crate::apply) type Owners = BTreeMap<ManagerId, FieldSet>;

/// The error that names all owners, sorted as the reference sorts them in its message.
pub(in crate::apply) fn conflicts(owners: &Owners) -> Conflicts {
    let mut owners: Vec<_> = owners.iter().collect();
    owners.sort_by_cached_key(|(id, _)| id.sort_key());
    let mut causes = Vec::new();
    let mut lines = Vec::new();
    for (id, set) in owners {
        let owner = describe(id);
        lines.push(format!("conflicts with {owner}:"));
        set.for_each(&mut |path| {
            let field = display_path(path);
            lines.push(format!("- {field}"));
            causes.push(Cause { message: format!("conflict with {owner}"), field });
        });
    }
    let message = match causes.as_slice() {
        [only] => format!("Apply failed with 1 conflict: {}: {}", only.message, only.field),
        _ => format!("Apply failed with {} conflicts: {}", causes.len(), lines.join("\n")),
    };
    Conflicts { message, causes }
}

fn describe(id: &ManagerId) -> String {
    let subresource = match id.subresource.as_str() {
        "" => String::new(),
        name => format!(" with subresource {}", quote::go(name)),
    };
    let version = match id.operation {
        Operation::Update => format!(" using {}", id.api_version),
        Operation::Apply => String::new(),
    };
    format!("{}{subresource}{version}", quote::go(&id.manager))
}
