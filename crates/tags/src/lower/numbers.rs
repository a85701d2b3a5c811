//! Numbers of fields in protobuf: each is one, and no two fields of a type share it.

use std::collections::BTreeMap;

use sprag_idl::Finding;
use sprag_idl::model::Field;

use crate::lower::Lowering;
use crate::shapes::{Number, protobuf_number};
use crate::types::{DefKind, Universe};

/// Reports every malformed protobuf field number, and every number that a type uses twice.
pub(crate) fn check(universe: &Universe, lowering: &mut Lowering) {
    for (def, data) in universe.defs().filter(|(def, _)| universe.package_of(*def).included) {
        let DefKind::Struct(fields) = &data.kind else { continue };
        let mut known: BTreeMap<u32, &Field> = BTreeMap::new();
        for field in fields.iter().map(|field| &field.field).filter(|field| !field.ignored) {
            let place = || format!("field {}.{}", universe.def_name(def), field.path_name());
            let (span, number) = match protobuf_number(field) {
                Number::None => continue,
                Number::Some { span, number } => (span, number),
                Number::Malformed { span, text } => {
                    let message = format!("{}: {text:?} is no number of a field in protobuf", place());
                    let help =
                        Some("write a number from 1 to 536870911, without 19000 to 19999: +protobuf=1".to_owned());
                    lowering.findings.push(Finding { help, ..Finding::error(span, message) });
                    continue;
                }
            };
            if let Some(other) = known.insert(number, field) {
                let message = format!("{}: {} has the number {number} in protobuf, too", place(), other.path_name());
                lowering.findings.push(Finding::error(span, message));
            }
        }
    }
}
