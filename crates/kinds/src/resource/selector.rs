//! CEL expressions on devices: the environment they are compiled in, and their cost.

use std::sync::{Arc, LazyLock};

use sprag_cel::{DeclField, DeclType, Declarations, Env, Name, Program, Type, TypeProvider, Variable};
use sprag_field::{Error, Errors, Path};
use sprag_rest::{FeatureGates, Release};

/// The bytes of the longest expression.
const MAX_LENGTH: usize = 10 * 1024;
/// Maximum cost of an expression, and of all derived attributes of a claim together.
pub(super) const MAX_COST: u64 = 1_000_000;

const MAX_DOMAIN: u64 = 63;
const MAX_IDENTIFIER: u64 = 32;
const MAX_VALUE: u64 = 64;
/// Attributes and capacities of a device.
const MAX_ENTRIES: u64 = 32;
const DEVICE: &str = "kubernetes.DRADevice";

/// The required result of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Tells if a device matches.
    Selector,
    /// The value of an attribute.
    DerivedAttribute,
}

/// Features that change what expressions see.
#[derive(Clone, Copy)]
pub(super) struct Features {
    pub(super) consumable_capacity: bool,
    list_attributes: bool,
}

impl Features {
    pub(super) fn new(gates: &FeatureGates) -> Features {
        Features {
            consumable_capacity: gates.enabled("DRAConsumableCapacity"),
            list_attributes: gates.enabled("DRAListTypeAttributes"),
        }
    }

    fn device(self) -> &'static Device {
        static DEVICES: LazyLock<[Device; 4]> = LazyLock::new(|| {
            [(false, false), (true, false), (false, true), (true, true)].map(|(capacity, lists)| {
                Device::new(Features { consumable_capacity: capacity, list_attributes: lists })
            })
        });
        &DEVICES[usize::from(self.consumable_capacity) + 2 * usize::from(self.list_attributes)]
    }
}

/// The variable `device` and its type, as upstream's `cel.newCompiler` declares them.
struct Device {
    ty: DeclType,
    attribute: Type,
    variables: [Variable; 1],
}

impl Device {
    fn new(features: Features) -> Device {
        let text = |max| Arc::new(DeclType::scalar(Type::String, max));
        // Loops cannot run over `any`, and can over `dyn`.
        let attribute = if features.list_attributes { Type::Dyn } else { Type::Any };
        let by_name = |value: DeclType| {
            let inner = DeclType::map(text(MAX_IDENTIFIER), Arc::new(value), MAX_ENTRIES);
            Arc::new(DeclType::map(text(MAX_DOMAIN), Arc::new(inner), MAX_ENTRIES))
        };
        let attributes = by_name(DeclType::scalar(attribute.clone(), MAX_VALUE));
        let capacity = by_name(DeclType::scalar(Type::Object(Name::Static("kubernetes.Quantity")), 0));
        let mut fields = vec![("driver", text(MAX_DOMAIN)), ("attributes", attributes), ("capacity", capacity)];
        if features.consumable_capacity {
            fields.push(("allowMultipleAllocations", Arc::new(DeclType::scalar(Type::Bool, 1))));
        }
        let field = |(name, ty): (&str, _)| DeclField { name: name.to_owned(), key: name.to_owned(), ty };
        let fields = fields.into_iter().map(field).collect();
        let variables = [Variable::new("device", Type::Object(Name::Static(DEVICE)))];
        Device { ty: DeclType::object(Name::Static(DEVICE), fields, 0), attribute, variables }
    }
}

impl TypeProvider for Device {
    fn object(&self, name: &str) -> Option<&DeclType> {
        (name == DEVICE).then_some(&self.ty)
    }

    fn sizes(&self) -> Option<&DeclType> {
        Some(&self.ty)
    }

    fn variable_sizes(&self, name: &str) -> Option<&DeclType> {
        (name == "device").then_some(&self.ty)
    }

    // As upstream's cel.sizeEstimator: attributes have the same size, whatever their names.
    fn member_sizes<'t>(&'t self, of: &'t DeclType, name: &str) -> Option<&'t DeclType> {
        let attribute = || of.element.as_deref().filter(|element| element.ty == self.attribute);
        of.field(name).map(|field| &*field.ty).or_else(attribute)
    }
}

/// The reasons why an expression is rejected.
enum Refused {
    Invalid(String),
    Internal(String),
}

/// As upstream's `validation.validateCELExpression`, of an expression that is not stored yet. Returns what the expression
/// costs, if that is known.
pub(super) fn validate_expression(
    expression: &str,
    purpose: Purpose,
    features: Features,
    at: &Path<'_>,
    errors: &mut Errors,
) -> Option<u64> {
    if expression.len() > MAX_LENGTH {
        errors.push(Error::too_long(at, 10 * 1024));
        return None;
    }
    match compile(expression, purpose, features, errors.release()) {
        Ok(cost) => {
            if cost > MAX_COST {
                errors.push(Error::forbidden(at, "too complex, exceeds cost limit"));
            }
            return Some(cost);
        }
        Err(Refused::Invalid(detail)) => errors.push(Error::invalid(at, expression, detail)),
        Err(Refused::Internal(detail)) => errors.push(Error::internal(at, detail)),
    }
    None
}

/// The largest cost of an expression, as upstream's `cel.CompileCELExpression`.
fn compile(expression: &str, purpose: Purpose, features: Features, release: Release) -> Result<u64, Refused> {
    let device = features.device();
    let declarations = Declarations { variables: &device.variables, types: device, container: "" };
    // Attributes that are lists come with `includes`, which is newer than what new expressions have.
    let env = if features.list_attributes { Env::stored_devices(release) } else { Env::new_devices(release) };
    let checked = env.compile(expression, declarations);
    let checked = checked.map_err(|issues| Refused::Invalid(format!("compilation failed: {issues}")))?;
    let ty = checked.result_type();
    let misfit = match purpose {
        Purpose::Selector if ty == Type::Bool || ty == device.attribute => None,
        Purpose::Selector => Some("must evaluate to bool or the unknown type, not "),
        Purpose::DerivedAttribute if is_attribute(&ty, features.list_attributes) => None,
        Purpose::DerivedAttribute if features.list_attributes => Some(
            "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars, not ",
        ),
        Purpose::DerivedAttribute => {
            Some("must evaluate to a primitive scalar (string, integer, boolean, semver), not ")
        }
    };
    if let Some(text) = misfit {
        return Err(Refused::Invalid(format!("{text}{}", declared_name(&ty))));
    }
    Program::new(&checked).map_err(|error| Refused::Internal(format!("program instantiation failed: {error}")))?;
    Ok(checked.cost(device).max)
}

/// As upstream's `compiler.isAllowedDerivedAttributeType`.
fn is_attribute(ty: &Type, allow_list: bool) -> bool {
    let is_scalar = |ty: &Type| match ty {
        Type::Bool | Type::Int | Type::String | Type::Any | Type::Dyn => true,
        Type::Object(name) => &**name == "kubernetes.Semver",
        _ => false,
    };
    is_scalar(ty) || allow_list && matches!(ty, Type::List(element) if is_scalar(element))
}

/// A type as Go's `types.Type.String` writes it, which is not as messages of the checker do.
fn declared_name(ty: &Type) -> String {
    match ty {
        Type::List(inner) | Type::Optional(inner) | Type::Type(Some(inner)) => {
            format!("{}({})", ty.name(), declared_name(inner))
        }
        Type::Map(pair) => format!("map({}, {})", declared_name(&pair.0), declared_name(&pair.1)),
        ty => ty.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, purpose: Purpose, expected: &str) {
        let mut errors = Errors::new();
        let features = Features { consumable_capacity: true, list_attributes: false };
        validate_expression(expression, purpose, features, &Path::new("e"), &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert!(texts.join("\n").starts_with(expected), "{texts:?}");
        assert_eq!(expected.is_empty(), texts.is_empty(), "{texts:?}");
    }

    #[test]
    fn selectors_see_the_device_and_yield_a_truth_value() {
        for accepted in [
            "device.driver == 'gpu.example.com'",
            "device.attributes['gpu.example.com'].model",
            "device.attributes['gpu.example.com'].version.isGreaterThan(semver('1.0.0'))",
            "device.capacity['gpu.example.com'].memory.compareTo(quantity('1Gi')) >= 0",
            "cel.bind(gpu, device.attributes['gpu.example.com'], gpu.fast && gpu.model == 'a')",
            "device.allowMultipleAllocations",
        ] {
            check(accepted, Purpose::Selector, "");
        }
        check(
            "1 + 1",
            Purpose::Selector,
            "e: Invalid value: \"1 + 1\": must evaluate to bool or the unknown type, not int",
        );
        check(
            "duration('1s')",
            Purpose::Selector,
            "e: Invalid value: \"duration('1s')\": must evaluate to bool or the unknown type, not google.protobuf.Duration",
        );
        check(
            "device.nothing",
            Purpose::Selector,
            "e: Invalid value: \"device.nothing\": compilation failed: ERROR: <input>:1:7: undefined field 'nothing'",
        );
        check(
            "cel.bind(1, 2, true)",
            Purpose::Selector,
            "e: Invalid value: \"cel.bind(1, 2, true)\": compilation failed: ERROR: <input>:1:10: cel.bind() variable names must be simple identifiers",
        );
    }

    /// The largest cost of an expression.
    #[track_caller]
    fn check_cost(expression: &str, list_attributes: bool, expected: u64) {
        let mut errors = Errors::new();
        let features = Features { consumable_capacity: true, list_attributes };
        let cost = validate_expression(expression, Purpose::Selector, features, &Path::new("e"), &mut errors);
        assert_eq!(
            cost,
            Some(expected),
            "{expression} {:?}",
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        );
    }

    #[test]
    fn costs_are_those_of_upstream() {
        let attributes = r#"device.attributes["dra.example.com"]"#;
        let capacity = r#"device.capacity["dra.example.com"]"#;
        for (expression, cost) in [
            (r#""no-such-domain" in device.attributes"#.to_owned(), 3),
            (r#"device.driver == """#.to_owned(), 2),
            (r#"device.driver == "dra.example.com""#.to_owned(), 4),
            (format!("{attributes}.name"), 4),
            (format!(r#"{attributes}["name"]"#), 4),
            (format!("cel.bind(dra, {attributes}, dra.name)"), 15),
            (format!("{attributes}.name > 0"), 5),
            (format!(r#"{attributes}.name == "fish""#), 5),
            (format!("{attributes}.names.size() == 2"), 6),
            (format!("1 in {attributes}.names"), 68),
            (format!(r#"{attributes}.name.isGreaterThan(semver("0.0.1"))"#), 6),
            (format!(r#"{attributes}.name.isGreaterThan(semver("v0.0.1", true)) && isSemver("v1.0.0", true)"#), 7),
            (format!(r#"{attributes}.services.split("example").size() >= 2"#), 19),
            (format!(r#"{attributes}.services.matches("[^a]?sym")"#), 18),
            (format!("{attributes}.a && {attributes}.b && {attributes}.c"), 12),
            (r#"device.attributes.exists_one(x, x == "dra.example.com")"#.to_owned(), 164),
            (format!(r#"{attributes}.exists_one(x, x == "services")"#), 133),
            (format!(r#"{capacity}.name.isGreaterThan(quantity("1Ki"))"#), 6),
            (format!(r#""name" in {capacity} && {capacity}.name.isGreaterThan(quantity("1Ki"))"#), 10),
            (format!(r#"!("name" in {capacity}) || {capacity}.name.isGreaterThan(quantity("1Ki"))"#), 11),
            (r#"device.capacity.exists_one(x, x == "dra.example.com")"#.to_owned(), 164),
            (format!(r#"{capacity}.exists_one(x, x == "memory")"#), 133),
            ("device.allowMultipleAllocations == true".to_owned(), 3),
        ] {
            check_cost(&expression, false, cost);
        }
        for (expression, cost) in [
            (format!("{attributes}.names.exists(x, x > 0)"), 5 + 6 * 64),
            (format!(r#"{attributes}.names.all(x, x != "")"#), 5 + 4 * 64),
            (format!(r#"{attributes}.name.exists(x, x.isGreaterThan(semver("0.0.1")))"#), 5 + 7 * 64),
            (format!(r#"{attributes}.name.includes("fish")"#), 4 + 64),
            (format!(r#"{attributes}.name.includes(semver("1.0.0"))"#), 4 + 64 + 1),
        ] {
            check_cost(&expression, true, cost);
        }
    }

    #[test]
    fn loops_do_not_run_over_attributes_unless_they_may_be_lists() {
        let expression = "device.attributes['a'].b.exists(x, x == 1)";
        check(
            expression,
            Purpose::Selector,
            "e: Invalid value: \"device.attributes['a'].b.exists(x, x == 1)\": compilation failed: ERROR: <input>:1:23: expression of type 'any' cannot be range of a comprehension",
        );
        let features = Features { consumable_capacity: true, list_attributes: true };
        let mut errors = Errors::new();
        assert!(validate_expression(expression, Purpose::Selector, features, &Path::new("e"), &mut errors).is_some());
        assert!(errors.is_empty());
    }

    #[test]
    fn derived_attributes_are_scalars() {
        check("device.driver", Purpose::DerivedAttribute, "");
        check(
            "device.attributes",
            Purpose::DerivedAttribute,
            "e: Invalid value: \"device.attributes\": must evaluate to a primitive scalar (string, integer, boolean, semver), not map(string, map(string, google.protobuf.Any))",
        );
    }
}
