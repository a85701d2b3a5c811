//! Objects as protobuf: `protobuf.json` and `codec-fixtures`. Each pair is an object in JSON and the same object in protobuf; both are
//! taken to the other form and back.

use sprag_decode::protobuf::{self, ProtobufError};
use sprag_decode::typed;
use sprag_shape::{Kind, Shapes, TypeId, messages};
use sprag_value::Value;

use super::Native;
use super::answer::Verdict;
use super::tally::Place;
use super::wire::ProtobufPair;
use super::world::World;

/// Runs `protobuf.json`.
pub(super) fn pairs(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let pairs: Vec<ProtobufPair> = document.read_json()?;
    let world = native.world()?;
    for pair in pairs.iter().step_by(native.every) {
        let bytes = sprag_value::base64::decode(&pair.protobuf).map_err(|error| format!("{}: {error}", pair.base))?;
        let kind = (pair.api_version.as_str(), pair.kind.as_str());
        run_pair(native, &world, group, kind, &pair.base, (&pair.json, &bytes));
    }
    Ok(())
}

/// Runs one of `codec-fixtures`: each `.json` has a `.pb` beside it.
pub(super) fn fixtures(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.kind_document()?;
    let api_version_and_kind = document.stem().rsplit_once('.').and_then(|(api_version, kind)| {
        let (api_group, version) = api_version.rsplit_once('.')?;
        let api_group = if api_group == "core" { "" } else { api_group };
        Some((sprag_rest::api_version(api_group, version), kind))
    });
    let Some((api_version, kind)) = api_version_and_kind else {
        return Err(format!("{}: no kind in the name", document.name));
    };
    let path = native.folder.join(group).join(format!("{}.pb", document.stem()));
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let world = native.world()?;
    run_pair(native, &world, group, (&api_version, kind), "fixture", (&document.read()?, &bytes));
    Ok(())
}

fn run_pair(
    native: &mut Native<'_>,
    world: &World<'_>,
    group: &'static str,
    (api_version, kind): (&str, &str),
    id: &str,
    (object, bytes): (&Value, &[u8]),
) {
    if !native.kinds.wants(api_version, kind) {
        return;
    }
    let place = Place::new(group, api_version, kind);
    let served = world.served(api_version, kind);
    let general = messages::of_kind(kind).filter(|_| api_version == "v1");
    let message = match (&served, general) {
        (Some(served), _) => served.definition.message(&served.version),
        // Types shared by all kinds: statuses, options of requests.
        (None, Some(id)) => Some((messages::shapes(), id)),
        (None, None) => return native.tally.not_served(&place, 1),
    };
    let verdict = match message {
        Some(message) => verdict((api_version, kind), message, object, bytes),
        None => Verdict::cannot_run("the kind has no protobuf"),
    };
    native.tally.case(&place, id, verdict);
}

fn verdict(kind: (&str, &str), (shapes, id): (&Shapes, TypeId), object: &Value, bytes: &[u8]) -> Verdict {
    let object = match typed::decode_parsed(shapes, id, object) {
        Ok(decoded) => carried(shapes, id, &decoded.value),
        Err(error) => return Verdict::cannot_run(&format!("recorded object: {error}")),
    };
    compare(kind, (shapes, id), &object, bytes).unwrap_or_else(|error| Verdict::cannot_run(&error.to_string()))
}

fn compare(
    (api_version, kind): (&str, &str),
    (shapes, id): (&Shapes, TypeId),
    object: &Value,
    bytes: &[u8],
) -> Result<Verdict, ProtobufError> {
    let mut verdict = Verdict::default();
    let encoded = protobuf::encode(shapes, id, object)?;
    verdict.values("JSON to protobuf to JSON", object, &protobuf::decode(shapes, id, &encoded)?);
    let envelope = protobuf::open(bytes)?;
    let decoded = protobuf::decode(shapes, id, envelope.message)?;
    verdict.values("protobuf to JSON", object, &decoded);
    let sealed = protobuf::seal(api_version, kind, &protobuf::encode(shapes, id, &decoded)?);
    verdict.texts("protobuf to JSON to protobuf", &bytes.escape_ascii().to_string(), &sealed.escape_ascii().to_string());
    Ok(verdict)
}

/// The object as far as protobuf has it: a type that is said in a part of an object is not there.
fn carried(shapes: &Shapes, id: TypeId, value: &Value) -> Value {
    match (&shapes.get(id).kind, value) {
        (Kind::Struct { .. }, Value::Object(members)) => {
            let is_carried = |json: &str| shapes.field(id, json).is_some_and(|field| field.protobuf != 0);
            let kept = members.iter().filter(|(key, _)| is_carried(key) && shapes.embedding(id, key) != ["TypeMeta"]);
            let ty = |key: &str| shapes.field(id, key).map_or(id, |field| field.ty.id);
            kept.map(|(key, member)| (key, carried(shapes, ty(key), member))).collect()
        }
        (Kind::List { elem, .. }, Value::Array(elements)) => {
            elements.iter().map(|element| carried(shapes, elem.id, element)).collect()
        }
        (Kind::Map { value: ty, .. }, Value::Object(members)) => {
            members.iter().map(|(key, member)| (key, carried(shapes, ty.id, member))).collect()
        }
        (_, value) => value.clone(),
    }
}
