//! CSI drivers: what the cluster has to know of them.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors};
use sprag_rest::{Column, Definition, Fact, FeatureGates, Release, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::GROUP;
use crate::checks::validate_immutable;
use crate::columns::{boolean, text};
use crate::core::persistent_volume_claim::member;
use crate::core::pod::Seen;
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::storage_v1::{CSIDriver, CSIDriverSpec, TokenRequest};

const PERSISTENT: &str = "Persistent";
const MODES: &[&str] = &[PERSISTENT, "Ephemeral"];

/// Seconds that tokens are valid at most.
const MAX_EXPIRATION: i64 = 1 << 32;

const TOKENS_ARE_LOGGED: &str = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to \
    prevent possible logging of tokens in volume attributes";

/// The definition of `csidrivers`.
pub(super) fn csi_drivers(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .prepare_for_update(|_, new: &mut Value, old| {
            if !program::same_pointer("v1.CSIDriverSpec", new.get("spec"), old.get("spec")) {
                meta::set_generation(new, meta::generation(old).saturating_add(1));
            }
        })
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(driver(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_spec(driver(new), &cx.root(), errors);
            validate_change(driver(new), driver(old), &cx.root().child("spec"), errors);
        })
        .warnings_on_create(|cx, new| warnings(cx.gates.release(), driver(new)))
        .warnings_on_update(|cx, new, old| {
            let tokens =
                |driver: CSIDriverSpec<'_>| driver.as_value().get("tokenRequests").cloned().unwrap_or_default();
            let is_same = tokens(driver(new)).semantic_eq(&tokens(driver(old)));
            if is_same { Vec::new() } else { warnings(cx.gates.release(), driver(new)) }
        })
        .allow_unconditional_update(false)
        .without_generation();
    let resource = program::resource(release, GROUP, "v1", "CSIDriver").complete_with(complete_with);
    let mut definition = resource.strategy(strategy).define();
    definition.returns_deleted_object = true;
    definition.versions[0].columns = columns();
    definition
}

fn driver(object: &Value) -> CSIDriverSpec<'_> {
    let driver: CSIDriver<'_> = View::view(Some(object));
    driver.spec()
}

/// The field that has a default while its feature is on.
const GATED: &str = "preventPodSchedulingIfMissing";

/// Makes the function that completes drivers while features are on or off as they are.
fn complete_with(gates: &FeatureGates) -> impl Fn(&mut Value) + Send + Sync + use<> {
    let has_gated = gates.enabled("VolumeLimitScaling");
    move |object| complete(object, has_gated)
}

/// The end of upstream's `SetDefaults_CSIDriver`; constants are in the declaration.
fn complete(object: &mut Value, has_gated: bool) {
    member(object, "spec", |spec| {
        if has_gated && spec.get(GATED).is_none_or(Value::is_null) {
            spec.insert(GATED, false);
        }
        if spec.get("volumeLifecycleModes").and_then(Value::as_array).is_none_or(|modes| modes.is_empty()) {
            spec.insert("volumeLifecycleModes", vec![Value::from(PERSISTENT)]);
        }
    });
}

/// As upstream's `validation.validateCSIDriverSpec`, without the fields that have defaults and are never unset.
fn validate_spec(spec: CSIDriverSpec<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    spec.check_fs_group_policy(&at, errors);
    validate_token_requests(spec.token_requests(), &at.child("tokenRequests"), errors);
    // As upstream, which blames the list.
    for mode in spec.volume_lifecycle_modes().iter().filter(|mode| !MODES.contains(mode)) {
        let error = Error::not_supported(&at.child("volumeLifecycleModes"), BadValue::json_str(mode), MODES);
        errors.push(error);
    }
    spec.check_node_allocatable_update_period_seconds(&at, errors);
    if let Some(in_secrets) = spec.service_account_token_in_secrets().filter(|_| spec.token_requests().is_empty()) {
        let detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        errors.push(Error::invalid(&at.child("serviceAccountTokenInSecrets"), in_secrets, detail));
    }
}

/// As upstream's `validation.validateTokenRequests`.
fn validate_token_requests(requests: List<'_, TokenRequest<'_>>, at: &At<'_>, errors: &mut Errors) {
    let mut audiences = Seen::new();
    for (index, request) in requests.iter().enumerate() {
        let at = at.index(index);
        let audience = request.audience();
        if !audiences.insert(audience) {
            errors.push(Error::duplicate(&at.child("audience"), audience));
            continue;
        }
        request.check_expiration_seconds(&at, errors);
        if let Some(seconds) = request.expiration_seconds().filter(|seconds| *seconds > MAX_EXPIRATION) {
            let at = at.child("expirationSeconds");
            errors.push(Error::invalid(&at, seconds, "may not specify a duration larger than 2^32 seconds"));
        }
    }
}

/// The end of upstream's `validation.ValidateCSIDriverUpdate`.
fn validate_change(new: CSIDriverSpec<'_>, old: CSIDriverSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let attach = new.attach_required();
    let shown = || attach.map_or(BadValue::Nil, BadValue::from);
    // As upstream, which misspells the field.
    validate_immutable(attach == old.attach_required(), shown, &at.child("attachedRequired"), errors);
    new.check_volume_lifecycle_modes_update(old, at, errors);
}

/// As upstream's `csidriver.csiDriverStrategy.WarningsOnCreate`.
fn warnings(release: Release, spec: CSIDriverSpec<'_>) -> Vec<String> {
    let is_unsaid = release.has(Fact::WarnsOfLoggedTokens)
        && !spec.token_requests().is_empty()
        && spec.service_account_token_in_secrets().is_none();
    is_unsaid.then(|| TOKENS_ARE_LOGGED.to_owned()).into_iter().collect()
}

/// As upstream's `printers.printCSIDriver`.
fn columns() -> Vec<Column> {
    vec![
        boolean("AttachRequired", "Whether volumes have to be attached.", |object| {
            driver(object).attach_required().unwrap_or(true)
        }),
        boolean("PodInfoOnMount", "Whether the driver wants to know the pod.", |object| {
            driver(object).pod_info_on_mount().unwrap_or_default()
        }),
        boolean("StorageCapacity", "Whether scheduling considers capacity.", |object| {
            driver(object).storage_capacity().unwrap_or_default()
        }),
        text("TokenRequests", "Audiences of the tokens that the driver needs.", |object| {
            let requests = driver(object).token_requests();
            if driver(object).as_value().get("tokenRequests").is_none_or(Value::is_null) {
                return "<unset>".into();
            }
            requests.iter().map(|request| request.audience()).collect::<Vec<_>>().join(",").into()
        }),
        boolean("RequiresRepublish", "Whether volumes are published again.", |object| {
            driver(object).requires_republish().unwrap_or_default()
        }),
        text("Modes", "Kinds of volumes that the driver supports.", |object| {
            let modes = driver(object).volume_lifecycle_modes().iter().collect::<Vec<_>>().join(",");
            if modes.is_empty() { "<none>".into() } else { modes.into() }
        }),
        Column::age(),
    ]
}
