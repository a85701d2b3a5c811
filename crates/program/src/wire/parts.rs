//! Layouts, resources, and the parts as a whole.

use sprag_release::Releases;

use crate::program::ProgramParts;
use crate::wire::WireError;
use crate::wire::buffer::{Reader, Wire, Writer, wire_enum, wire_struct};
use crate::{
    Column, ColumnType, DefLayout, Form, GatedField, GatedStep, Member, NameFormat, Ranged, RangedItem, Resource,
    ResourceFacts, ResourceScope, TypeLayout,
};

wire_enum!(Form {
    0 = Text,
    1 = NamedText,
    2 = Int,
    3 = Bool,
    4 = Float,
    5 = Bytes,
    6 = Struct(def),
    7 = List(elem),
    8 = Map(key, value),
    9 = Any,
});
wire_struct!(TypeLayout { form, pointer, shape });
wire_struct!(DefLayout { ty, members });
wire_struct!(Member { ty, json, name });
wire_struct!(Resource { def, group, version, kind, go_type, shape, releases, facts });
wire_struct!(ResourceFacts { scope, name_format, has_spec, has_status, gated, selectable, columns });
wire_enum!(ResourceScope { 0 = Namespaced, 1 = Cluster });
wire_enum!(NameFormat { 0 = DnsSubdomain, 1 = DnsLabel, 2 = PathSegment });
wire_struct!(GatedField { gate, path });
wire_enum!(GatedStep { 0 = Field(name), 1 = Each });
wire_struct!(Column { name, ty, format, description, priority, path });
wire_enum!(ColumnType { 0 = Boolean, 1 = Integer, 2 = Number, 3 = String });

wire_struct!(Ranged { releases, item });
wire_enum!(RangedItem { 0 = Field { field, shape, json }, 1 = EnumValue { shape, value }, 2 = Marked { shape, field } });

impl Wire for Releases {
    fn write(&self, to: &mut Writer) {
        to.byte(self.bits());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.byte().map(Releases::from_bits)
    }
}

wire_struct!(ProgramParts { plan, shapes, types, defs, resources, ranges });
