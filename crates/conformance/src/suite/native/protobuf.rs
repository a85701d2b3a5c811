//! Objects as protobuf: `protobuf.json` and `codec-fixtures`.

use super::Native;
use super::tally::Place;
use super::wire::ProtobufPair;

const NOT_SERVED: &str = "protobuf is not served";

/// Runs `protobuf.json`.
pub(super) fn pairs(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.file(group)?;
    let pairs: Vec<ProtobufPair> = document.read_json()?;
    for pair in &pairs {
        if !native.kinds.wants(&pair.api_version, &pair.kind) {
            continue;
        }
        let bytes = sprag_value::base64::decode(&pair.protobuf).map_err(|error| format!("{}: {error}", pair.base))?;
        let place = Place::new(group, &pair.api_version, &pair.kind);
        skip_until_protobuf_is_served(native, &place, &pair.json, &bytes);
    }
    Ok(())
}

/// Runs one of `codec-fixtures`: each `.json` has a `.pb` beside it.
pub(super) fn fixtures(native: &mut Native<'_>, group: &'static str) -> Result<(), String> {
    let document = native.kind_document()?;
    let Some((api_version, kind)) = document.stem().rsplit_once('.') else {
        return Err(format!("{}: no kind in the name", document.name));
    };
    let path = native.folder.join(group).join(format!("{}.pb", document.stem()));
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let place = Place::new(group, api_version, kind);
    skip_until_protobuf_is_served(native, &place, &document.read()?, &bytes);
    Ok(())
}

/// Stands for the two comparisons of a pair, decoding and encoding, which need a codec for protobuf.
fn skip_until_protobuf_is_served(native: &mut Native<'_>, place: &Place, _: &sprag_value::Value, _: &[u8]) {
    native.tally.skip(place, 1, NOT_SERVED);
}
