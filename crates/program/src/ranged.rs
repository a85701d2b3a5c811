//! Declarations that hold in some releases of Kubernetes only.

use std::collections::BTreeMap;

use sprag_release::{Release, Releases};
use sprag_shape::{Field, Kind, Shapes, TypeId as ShapeId, TypeShape};

use crate::program::ProgramParts;
use crate::{Check, Cohort, FieldRef, Plan, TypePlan};

/// A declaration with a range of releases.
#[derive(Clone, Debug)]
pub struct Ranged {
    /// The releases in which it holds.
    pub releases: Releases,
    /// The declaration.
    pub item: RangedItem,
}

/// A declaration that can have a range.
#[derive(Clone, Debug)]
pub enum RangedItem {
    /// A field of a struct.
    Field {
        /// The field as rules know it.
        field: FieldRef,
        /// The shape of the struct.
        shape: ShapeId,
        /// The name of the field in JSON.
        json: String,
    },
    /// A value of an enum.
    EnumValue {
        /// The shape of the enum.
        shape: ShapeId,
        /// The value.
        value: String,
    },
    /// A field that is another one in these releases: required, or with another list type, default or patch strategy.
    Marked {
        /// The shape of the struct.
        shape: ShapeId,
        /// The field, in the place of that of the same name.
        field: Box<Field>,
    },
}

impl ProgramParts {
    /// True if releases differ in anything that is declared.
    pub fn knows_releases(&self) -> bool {
        let in_release = |release: &Release| self.clone().of_release(*release).to_bytes();
        let newest = in_release(&Release::NEWEST);
        self.resources.iter().any(|resource| !resource.releases.is_all())
            || Release::ALL.iter().any(|release| in_release(release) != newest)
    }

    /// The parts that hold in a release.
    #[must_use]
    pub fn of_release(mut self, release: Release) -> ProgramParts {
        let mut gone = Gone::default();
        for ranged in self.ranges.drain(..) {
            gone.add(ranged.item, ranged.releases.contains(release));
        }
        self.plan.retain_release(release);
        if !gone.fields.is_empty() {
            for plan in self.plan.types.iter_mut().flatten() {
                plan.fields.retain(|field| !gone.fields.contains(&field.field));
            }
        }
        for resource in &mut self.resources {
            let is_gone =
                |name: &str| gone.by_shape.get(&resource.shape).is_some_and(|of| of.fields.iter().any(|f| f == name));
            resource.facts.has_spec &= !is_gone("spec");
            resource.facts.has_status &= !is_gone("status");
        }
        if !gone.by_shape.is_empty() {
            let mut types = self.shapes.into_types();
            gone.by_shape.iter().for_each(|(shape, gone)| gone.leave_out(&mut types[shape.0 as usize]));
            self.shapes = Shapes::new(types);
        }
        self
    }
}

impl Plan {
    /// Leaves out the checks that are not run in a release.
    pub fn retain_release(&mut self, release: Release) {
        for plan in self.types.iter_mut().flatten() {
            let TypePlan { cohorts, descend, fields, .. } = plan;
            retain(cohorts, descend, release);
            for field in fields.iter_mut() {
                retain(&mut field.cohorts, &mut field.descend, release);
                // What ended the field may be gone.
                field.ends_unset &= field.cohorts.first().is_some_and(|cohort| cohort.stops > 0);
                for apart in [&mut field.changes, &mut field.calls] {
                    apart.retain(|check| check.releases.contains(release));
                }
            }
        }
    }
}

fn retain(cohorts: &mut [Cohort], descend: &mut Vec<Check>, release: Release) {
    let stays = |check: &Check| check.releases.contains(release);
    for cohort in cohorts.iter_mut().filter(|cohort| !cohort.checks.iter().all(stays)) {
        cohort.stops = cohort.checks.iter().take(cohort.stops).filter(|check| stays(check)).count();
        cohort.checks.retain(stays);
    }
    descend.retain(stays);
}

/// What does not hold in a release, or is different.
#[derive(Default)]
struct Gone {
    fields: Vec<FieldRef>,
    by_shape: BTreeMap<ShapeId, GoneOfShape>,
}

/// Fields and values of one type that do not hold in a release, or are different.
#[derive(Default)]
struct GoneOfShape {
    fields: Vec<String>,
    values: Vec<String>,
    /// Fields that take the place of those of their name.
    marked: Vec<Field>,
}

impl Gone {
    fn add(&mut self, item: RangedItem, holds: bool) {
        match item {
            RangedItem::Field { field, shape, json } if !holds => {
                self.fields.push(field);
                self.by_shape.entry(shape).or_default().fields.push(json);
            }
            RangedItem::EnumValue { shape, value } if !holds => {
                self.by_shape.entry(shape).or_default().values.push(value);
            }
            RangedItem::Marked { shape, field } if holds => self.by_shape.entry(shape).or_default().marked.push(*field),
            _ => {}
        }
    }
}

impl GoneOfShape {
    fn leave_out(&self, ty: &mut TypeShape) {
        if let Kind::Struct { fields, .. } = &mut ty.kind {
            for marked in &self.marked {
                if let Some(field) = fields.to_mut().iter_mut().find(|field| field.json == marked.json) {
                    field.clone_from(marked);
                }
            }
            fields.to_mut().retain(|field| !self.fields.iter().any(|gone| *gone == field.json));
        }
        if !self.values.is_empty() {
            ty.enum_values.to_mut().retain(|value| !self.values.iter().any(|gone| gone == value));
        }
    }
}
