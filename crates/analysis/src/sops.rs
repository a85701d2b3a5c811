//! Objects that SOPS has encrypted: values that cannot be read are taken for any value, all else is validated.

use sprag_value::Value;

/// The member that SOPS adds.
const MEMBER: &str = "sops";

/// Begins and ends an encrypted value.
const BEGIN: &str = "ENC[";
const END: &str = "]";

/// Maximum number of encrypted values that are looked for.
const MAX_VALUES: usize = 100_000;

/// Takes out what SOPS added, puts a value of the same type in the place of each encrypted one, and returns the paths of those. None if
/// the object is not encrypted.
pub(crate) fn open(object: &mut Value) -> Option<Vec<String>> {
    let metadata = object.get(MEMBER)?;
    if metadata.get("mac").is_none() && metadata.get("version").is_none() {
        return None;
    }
    object.remove(MEMBER);
    let mut paths = Vec::new();
    visit(object, &mut String::new(), &mut paths);
    Some(paths)
}

/// True if a field is one of these, or in one of them.
pub(crate) fn is_encrypted(paths: &[String], field: &str) -> bool {
    let field = plain(field);
    paths
        .iter()
        .any(|path| field.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

fn visit(value: &mut Value, path: &mut String, paths: &mut Vec<String>) {
    if paths.len() >= MAX_VALUES {
        return;
    }
    if let Some(replacement) = value.as_str().and_then(decrypted) {
        *value = replacement;
        return paths.push(plain(path));
    }
    let length = path.len();
    match value {
        Value::Object(members) => {
            for (key, member) in members.iter_mut() {
                path.push('.');
                path.push_str(key.as_str());
                visit(member, path, paths);
                path.truncate(length);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.as_mut_slice().iter_mut().enumerate() {
                path.push('.');
                path.push_str(&index.to_string());
                visit(element, path, paths);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// A value of the type that an encrypted one says it has.
fn decrypted(text: &str) -> Option<Value> {
    let inner = text.strip_prefix(BEGIN)?.strip_suffix(END)?;
    let kind = inner.rsplit_once("type:")?.1;
    Some(match kind {
        "int" => Value::from(0_i64),
        "float" => Value::from(0.0),
        "bool" => Value::from(false),
        _ => Value::from(""),
    })
}

/// A path with dots between all of its parts.
fn plain(path: &str) -> String {
    path.trim_start_matches('.').replace('[', ".").replace(']', "")
}

#[cfg(test)]
mod tests {
    use sprag_decode::yaml;

    use super::*;

    #[test]
    fn encrypted_values_keep_their_types() {
        let text = "kind: A\ndata:\n  tls.crt: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\nspec: {list: [{m: 'ENC[AES256_GCM,data:x,iv:y,tag:z,type:int]'}]}\nsops: {mac: m}\n";
        let mut object = yaml::decode(text.as_bytes()).unwrap();
        let paths = open(&mut object).unwrap();
        assert_eq!(paths, ["data.tls.crt", "spec.list.0.m"]);
        assert_eq!(object, yaml::decode(b"kind: A\ndata: {tls.crt: ''}\nspec: {list: [{m: 0}]}\n").unwrap());
        assert!(is_encrypted(&paths, "data[tls.crt]") && is_encrypted(&paths, "spec.list[0].m"));
        assert!(!is_encrypted(&paths, "data") && !is_encrypted(&paths, "data[tls.crtx]"));
    }

    #[test]
    fn other_members_of_that_name_are_left_alone() {
        let mut object = yaml::decode(b"sops: {a: 'ENC[x]'}").unwrap();
        assert_eq!(open(&mut object), None);
        assert!(object.get("sops").is_some());
    }
}
