//! Values of the wrong type in every field of every kind: nothing panics, and the answer is that of upstream's decoder.

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_rest::{ApiError, Format, Offline, ResourceInfo};
use sprag_shape::{Field, Kind, Shapes, TypeId, TypeRef};
use sprag_value::json;

/// Values of all types of JSON, with the words of Go's decoder for them.
const VALUES: [(&str, &str); 5] =
    [("\"x\"", "string"), ("7", "number"), ("true", "bool"), ("{}", "object"), ("[]", "array")];

/// Fields are looked at this deep.
const MAX_DEPTH: usize = 14;

/// The way to a value: JSON around it, and what errors about it say.
#[derive(Clone)]
struct Place {
    /// The text of the object before and after the value.
    before: String,
    behind: String,
    /// The name in Go of the struct with the field.
    owner: String,
    /// The names of fields on the way, embedded structs included.
    path: String,
}

impl Place {
    fn field(&self, owner: &str, embedded: &str, json: &str) -> Place {
        let owner = owner.rsplit('.').next().unwrap_or_default().to_owned();
        let dot = if self.path.is_empty() { "" } else { "." };
        Place {
            before: format!("{}{{\"{json}\":", self.before),
            behind: format!("}}{}", self.behind),
            path: format!("{}{dot}{embedded}{json}", self.path),
            owner,
        }
    }

    fn inside(&self, open: &str, close: &str) -> Place {
        Place { before: format!("{}{open}", self.before), behind: format!("{close}{}", self.behind), ..self.clone() }
    }
}

struct Walk<'a> {
    offline: &'a Offline,
    resource: &'a Arc<ResourceInfo>,
    version: &'a str,
    shapes: &'a Shapes,
    /// Types that were looked at before, of any kind.
    seen: &'a mut BTreeSet<String>,
    checked: usize,
}

impl Walk<'_> {
    /// Looks at the fields that `owner` adds to the struct `outer`, which errors name.
    fn fields(&mut self, owner: TypeId, outer: TypeId, embedded: &str, at: &Place, depth: usize) {
        let shapes = self.shapes;
        for field in shapes.get(owner).fields() {
            if field.inline {
                // Kinds say their type in members of an embedded struct, too, which decoders read first.
                if &*field.name != "TypeMeta" {
                    let name = shapes.get(field.ty.id).name.rsplit('.').next().unwrap_or_default().to_owned();
                    self.fields(field.ty.id, outer, &format!("{embedded}{name}."), at, depth);
                }
            } else if !["apiVersion", "kind"].contains(&&*field.json) || at.path.contains('.') {
                self.field(outer, embedded, field, at, depth);
            }
        }
    }

    fn field(&mut self, owner: TypeId, embedded: &str, field: &Field, at: &Place, depth: usize) {
        let at = at.field(&self.shapes.get(owner).name, embedded, &field.json);
        self.value(field.ty, &at, depth);
        self.judge(&at, "null").expect("null is nothing");
    }

    fn value(&mut self, ty: TypeRef, at: &Place, depth: usize) {
        let shapes = self.shapes;
        let shape = shapes.get(ty.id);
        for (value, word) in VALUES {
            self.check(ty.id, at, value, word);
        }
        let Some(depth) = depth.checked_sub(1) else { return };
        match &shape.kind {
            Kind::Struct { .. } if shape.name.is_empty() || self.seen.insert(shape.name.to_string()) => {
                self.fields(ty.id, ty.id, "", at, depth);
            }
            Kind::List { elem, .. } => self.value(*elem, &at.inside("[", "]"), depth),
            Kind::Map { value, .. } => self.value(*value, &at.inside("{\"k\":", "}"), depth),
            _ => {}
        }
    }

    fn check(&mut self, ty: TypeId, at: &Place, value: &str, word: &str) {
        let fits: &[&str] = match self.shapes.get(ty).kind {
            Kind::String => &["string"],
            Kind::Bool => &["bool"],
            Kind::Int { .. } | Kind::Float { .. } => &["number"],
            Kind::List { .. } => &["array"],
            Kind::Map { .. } | Kind::Struct { .. } => &["object"],
            // Types with a decoder of their own, or that are anything.
            _ => {
                let _ = self.judge(at, value);
                return;
            }
        };
        let answer = self.judge(at, value);
        if fits.contains(&word) {
            return;
        }
        let kind = &self.resource.definition.kind;
        let expected = format!(
            "{kind} in version \"{}\" cannot be handled as a {kind}: json: cannot unmarshal {word} into Go struct field \
             {}.{} of type {}",
            self.version,
            at.owner,
            at.path,
            self.shapes.go_type(ty)
        );
        let answer = answer.expect_err(&expected).to_string();
        assert_eq!(answer, expected, "{}{value}{}", at.before, at.behind);
        self.checked += 1;
    }

    /// Judges an object with a value at a place. A panic is an internal error.
    fn judge(&mut self, at: &Place, value: &str) -> Result<(), ApiError> {
        let definition = &self.resource.definition;
        let group = if definition.group().is_empty() { String::new() } else { format!("{}/", definition.group()) };
        let rest = at.before.strip_prefix('{').unwrap_or_default();
        let text = format!(
            "{{\"apiVersion\":\"{group}{}\",\"kind\":\"{}\",{rest}{value}{}",
            self.version, definition.kind, at.behind
        );
        let object = json::parse(text.as_bytes()).expect("valid JSON");
        let judged =
            self.offline.judge_text(self.resource, self.version, (text.as_bytes(), Format::Json), &object, None);
        match judged {
            Err(error) if error.code() >= 500 => panic!("{text}: {error}"),
            judged => judged.map(drop),
        }
    }
}

#[test]
fn values_of_the_wrong_type_are_refused_in_every_field() {
    let offline = Offline::default().without_managed_fields();
    let mut seen = BTreeSet::new();
    let mut checked = 0;
    for definition in sprag_kinds::definitions() {
        let resource = offline.resource(definition);
        for version in resource.definition.versions.iter().filter(|version| version.served) {
            let Some((shapes, root)) = resource.definition.scheme.shape(&version.name) else { continue };
            let resource = &resource;
            let version = version.name.as_str();
            let mut walk = Walk { offline: &offline, resource, version, shapes, seen: &mut seen, checked: 0 };
            let start =
                Place { before: String::new(), behind: String::new(), owner: String::new(), path: String::new() };
            walk.fields(root, root, "", &start, MAX_DEPTH);
            assert!(walk.checked > 4, "{}", resource.definition.kind);
            checked += walk.checked;
        }
    }
    assert!(checked > 4_000, "{checked}");
}
