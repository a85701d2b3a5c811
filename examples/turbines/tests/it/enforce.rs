//! Best practices hold for turbines, and each is noticed when it does not hold.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use sprag::field::Errors;
use sprag::rest::{DeleteOptions, Entropy, NameGenerator, ResetFields, Scheme, SubresourceKind, Unreadable, Views};
use sprag::shape::{Shapes, TypeId};
use sprag::testing::enforce::Enforce;
use sprag::{Cx, Definition, GarbageCollection, RestConfig, Stage, Strategy, StrategyConfig, Value};
use sprag_decode::{Decoded, Format};
use turbines::v1::Turbine;

const TURBINES: &str = "turbines.example.dev";

fn server(turbines: Definition) -> sprag::Server {
    sprag::Server::new().feature_gate("TurbineBlades", Stage::Alpha).resource(turbines)
}

/// The practices that turbines do not follow.
fn broken(turbines: Definition) -> BTreeSet<&'static str> {
    let report = Enforce::new().only_group("example.dev").run(&server(turbines)).unwrap();
    assert!(report.findings.iter().all(|finding| finding.resource == TURBINES), "{report}");
    report.findings.iter().map(|finding| finding.practice.name).collect()
}

#[track_caller]
fn check(turbines: Definition, practice: &'static str) {
    assert_eq!(broken(turbines), BTreeSet::from([practice]));
}

/// A strategy that does one thing wrong.
struct Wrong {
    inner: Arc<dyn Strategy>,
    fault: Fault,
    /// The request, as far as the fault needs it.
    sent: Mutex<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    KeepsStatus,
    KeepsSpec,
    KeepsLabels,
    SameUid,
    KeepsGeneration,
    StartsAtFive,
    CountsLabels,
    DropsNothing,
    DropsAll,
    DropsPitch,
    OwnsAll,
}

impl Wrong {
    fn strategy(inner: &Arc<dyn Strategy>, fault: Fault) -> Arc<dyn Strategy> {
        Arc::new(Wrong { inner: inner.clone(), fault, sent: Mutex::default() })
    }

    fn spoil(&self, new: &mut Value, sent: &Value, old: &Value) {
        let member = |path: &[&str]| sent.lookup(path).cloned().unwrap_or_default();
        let metadata = |new: &mut Value, name: &str, value: Value| {
            if let Some(metadata) = new.get_mut("metadata") {
                metadata.insert(name, value);
            }
        };
        match self.fault {
            Fault::KeepsStatus => drop(new.insert("status", member(&["status"]))),
            Fault::KeepsSpec => drop(new.insert("spec", member(&["spec"]))),
            Fault::KeepsLabels => metadata(new, "labels", member(&["metadata", "labels"])),
            Fault::SameUid => metadata(new, "uid", "11111111-1111-4111-8111-111111111111".into()),
            Fault::KeepsGeneration => metadata(new, "generation", member(&["metadata", "generation"])),
            Fault::StartsAtFive => metadata(new, "generation", 5.into()),
            Fault::CountsLabels if old.lookup(&["metadata", "labels"]) != sent.lookup(&["metadata", "labels"]) => {
                let generation = new.lookup(&["metadata", "generation"]).and_then(Value::as_i64).unwrap_or_default();
                metadata(new, "generation", (generation + 1).into());
            }
            Fault::DropsPitch => drop(new.get_mut("spec").and_then(|spec| spec.remove("pitch"))),
            Fault::CountsLabels | Fault::DropsNothing | Fault::DropsAll | Fault::OwnsAll => {}
        }
    }

    fn remember(&self, sent: &Value) {
        *self.sent.lock().unwrap() = sent.clone();
    }

    fn sent(&self) -> Value {
        self.sent.lock().unwrap().clone()
    }
}

impl Strategy for Wrong {
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        self.remember(new);
        match self.fault {
            Fault::DropsNothing => false,
            Fault::DropsAll => self.inner.drop_disabled_fields(cx, new, None),
            _ => self.inner.drop_disabled_fields(cx, new, old),
        }
    }

    fn prepare_for_create(&self, cx: &Cx<'_>, new: &mut Value) {
        self.inner.prepare_for_create(cx, new);
        self.spoil(new, &self.sent(), &Value::Null);
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        self.inner.prepare_for_update(cx, new, old);
        self.spoil(new, &self.sent(), old);
    }

    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        self.inner.validate(cx, new, errors);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        self.inner.validate_update(cx, new, old, errors);
    }

    fn reset_fields(&self) -> ResetFields {
        if self.fault == Fault::OwnsAll { ResetFields::default() } else { self.inner.reset_fields() }
    }

    fn warnings_on_delete(&self, options: &DeleteOptions) -> Vec<String> {
        self.inner.warnings_on_delete(options)
    }
}

fn creates(fault: Fault) -> Definition {
    let turbines = turbines::turbines();
    Definition { create: Wrong::strategy(&turbines.create, fault), ..turbines }
}

fn updates(fault: Fault) -> Definition {
    let turbines = turbines::turbines();
    Definition { update: Wrong::strategy(&turbines.update, fault), ..turbines }
}

fn writes(fault: Fault) -> Definition {
    let turbines = creates(fault);
    Definition { update: Wrong::strategy(&turbines.update, fault), ..turbines }
}

fn writes_status(fault: Fault) -> Definition {
    let mut turbines = turbines::turbines();
    for subresource in turbines.versions.iter_mut().flat_map(|version| &mut version.subresources) {
        if let SubresourceKind::Part(strategy) = &mut subresource.kind
            && subresource.name == "status"
        {
            *strategy = Wrong::strategy(strategy, fault);
        }
    }
    turbines
}

fn configured(strategy: StrategyConfig<Turbine>) -> Definition {
    RestConfig::new("example.dev", "v1", "turbines").strategy(strategy).define()
}

#[test]
fn turbines_follow_best_practices() {
    assert_eq!(broken(turbines::turbines()), BTreeSet::new());
}

#[test]
fn an_update_that_creates_is_noticed() {
    check(configured(StrategyConfig::new().allow_create_on_update(true)), "create-on-update");
}

#[test]
fn an_update_that_needs_a_version_is_noticed() {
    check(configured(StrategyConfig::new().allow_unconditional_update(false)), "unconditional-update");
}

#[test]
fn a_delete_that_orphans_is_noticed() {
    let strategy = StrategyConfig::new().garbage_collection(GarbageCollection::OrphanDependents);
    check(configured(strategy), "delete-dependents");
}

#[test]
fn names_that_are_not_made_up_are_noticed() {
    struct Same;

    impl NameGenerator for Same {
        fn generate(&self, base: &str, _: &dyn Entropy) -> String {
            base.trim_end_matches('-').to_owned()
        }
    }

    let turbines = RestConfig::<Turbine>::new("example.dev", "v1", "turbines").name_generator(Same);
    check(turbines.define(), "generate-name");
}

#[test]
fn a_status_that_is_not_wiped_is_noticed() {
    check(creates(Fault::KeepsStatus), "status-wiped-on-create");
    check(updates(Fault::KeepsStatus), "status-wiped-on-update");
}

#[test]
fn a_status_update_that_writes_more_is_noticed() {
    check(writes_status(Fault::KeepsSpec), "spec-reset-on-status-update");
    check(writes_status(Fault::KeepsLabels), "metadata-reset-on-status-update");
}

#[test]
fn metadata_that_is_not_reset_is_noticed() {
    check(creates(Fault::SameUid), "metadata-reset-on-create");
    assert!(broken(updates(Fault::KeepsGeneration)).contains("metadata-reset-on-update"));
}

#[test]
fn a_wrong_generation_is_noticed() {
    check(creates(Fault::StartsAtFive), "generation-starts-at-one");
    check(updates(Fault::CountsLabels), "generation-counts-spec");
}

#[test]
fn fields_that_are_dropped_wrongly_are_noticed() {
    check(creates(Fault::DropsNothing), "gated-fields-dropped");
    check(updates(Fault::DropsAll), "gated-fields-kept-in-use");
    check(creates(Fault::DropsPitch), "ungated-fields-kept");
}

#[test]
fn owners_of_wiped_fields_are_noticed() {
    check(writes(Fault::OwnsAll), "wiped-fields-unowned");
}

#[test]
fn a_version_that_loses_a_field_is_noticed() {
    let without_size = |mut turbine: Turbine| {
        turbine.spec.pitch = None;
        turbine.spec.size = 7;
        turbine
    };
    let turbines = RestConfig::<Turbine>::new("example.dev", "v1", "turbines");
    let turbines = turbines.version::<Turbine>("v1beta1", |turbine| turbine, without_size);
    check(turbines.define(), "round-trip");
}

#[test]
fn a_kind_without_an_example_is_noticed() {
    let never = StrategyConfig::<Turbine>::new().validate(|_, _, errors: &mut Errors| {
        let path = sprag::field::Path::new("spec");
        errors.push(sprag::field::Error::forbidden(&path, "never"));
    });
    check(configured(never), "example");
}

#[test]
fn stale_code_is_noticed() {
    let stale = || Err("src/generated/v1.rs is stale: run sprag gen".to_owned());
    let report = Enforce::new().only_group("example.dev").generated(stale).run(&server(turbines::turbines())).unwrap();
    let found: Vec<&str> = report.findings.iter().map(|finding| finding.practice.name).collect();
    assert_eq!(found, ["generated-code"]);
    assert!(report.to_string().contains("*: generated-code: src/generated/v1.rs is stale: run sprag gen"), "{report}");
}

/// Runs with exceptions on turbines whose updates need a resource version.
fn with_exceptions(name: &str, entries: &str) -> Result<sprag::testing::enforce::Report, String> {
    let file = std::env::temp_dir().join(format!("sprag-exceptions-{name}-{}.yaml", std::process::id()));
    std::fs::write(&file, format!("apiVersion: sprag.dev/v1alpha1\nkind: ApiExceptions\nexceptions:\n{entries}"))
        .unwrap();
    let turbines = configured(StrategyConfig::new().allow_unconditional_update(false));
    let report = Enforce::new().only_group("example.dev").exceptions(&file).run(&server(turbines));
    std::fs::remove_file(file).unwrap();
    report
}

#[test]
fn an_exception_covers_what_it_names_and_is_needed() {
    let entry = |practice: &str, fields: &str| {
        format!("- {{resource: {TURBINES}, practice: {practice}, {fields}reason: two writers, approver: ann}}\n")
    };
    let report = with_exceptions("needed", &entry("unconditional-update", "")).unwrap();
    assert!(report.is_clean() && report.excepted.len() == 1, "{report}");

    let more = entry("unconditional-update", "") + &entry("openapi", "");
    let report = with_exceptions("unneeded", &more).unwrap();
    assert_eq!(report.unneeded, [format!("{TURBINES}: openapi: the practice is followed")]);
    assert!(!report.is_clean());

    let fields = entry("unconditional-update", "fields: [metadata.resourceVersion, metadata.uid], ");
    let report = with_exceptions("fields", &fields).unwrap();
    assert_eq!(
        report.unneeded,
        [format!("{TURBINES}: unconditional-update: the practice is followed by metadata.uid")]
    );

    let gone = entry("unconditional-update", "") + &entry("openapi", "").replace(TURBINES, "mills.example.dev");
    let report = with_exceptions("gone", &gone).unwrap();
    assert_eq!(report.unneeded, ["mills.example.dev: openapi: no such resource is served"]);

    // Practices of `sprag api diff` may stand in the same file.
    let both = entry("unconditional-update", "") + &entry("new-field-gated", "");
    assert!(with_exceptions("both", &both).unwrap().is_clean());

    let said = with_exceptions("unknown", &entry("unconditional-updates", "")).unwrap_err();
    assert!(said.ends_with("unknown practice \"unconditional-updates\"; did you mean unconditional-update?"), "{said}");
}

/// The call panics with what is wrong, be it the file.
#[test]
#[should_panic(expected = "Cargo.toml: ")]
fn one_call_in_a_test_is_enough() {
    sprag::testing::enforce(&server(turbines::turbines()), "Cargo.toml");
}

/// A scheme that cannot say what objects look like.
struct Shapeless(Arc<dyn Scheme>);

impl Scheme for Shapeless {
    fn hub<'a>(&'a self, requested: &'a str) -> &'a str {
        self.0.hub(requested)
    }

    fn shape(&self, _: &str) -> Option<(&Shapes, TypeId)> {
        None
    }

    fn read(&self, version: &str, text: &[u8], format: Format, strict: bool) -> Result<Decoded, Unreadable> {
        self.0.read(version, text, format, strict)
    }

    fn complete(&self, version: &str, object: &mut Value) -> Result<(), String> {
        self.0.complete(version, object)
    }

    fn convert(&self, object: Value, from: &str, to: &str) -> Result<Value, String> {
        self.0.convert(object, from, to)
    }
}

#[test]
fn a_kind_without_generated_code_and_schema_is_noticed() {
    let turbines = turbines::turbines();
    let shapeless = Definition { scheme: Arc::new(Shapeless(turbines.scheme.clone())), ..turbines };
    assert_eq!(broken(shapeless), BTreeSet::from(["example", "generated-code", "openapi"]));
}
