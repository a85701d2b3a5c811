//! The files of the suite, as they are written. Objects and patches keep their texts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use sprag_value::Value;

/// A file about one kind: `mutation`, `upstream`, `targeted`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KindFile<'a> {
    pub(super) api_version: String,
    pub(super) kind: String,
    #[serde(borrow, default)]
    pub(super) bases: BTreeMap<String, Base<'a>>,
    #[serde(borrow)]
    pub(super) cases: Vec<Case<'a>>,
}

/// An object that cases change.
#[derive(Debug, Deserialize)]
pub(super) struct Base<'a> {
    #[serde(borrow)]
    pub(super) object: &'a RawValue,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
    #[serde(borrow, default)]
    pub(super) stored: Option<&'a RawValue>,
}

/// One write of an object.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Case<'a> {
    pub(super) id: String,
    pub(super) op: String,
    /// The base that `patch` changes, in `mutation`.
    #[serde(default)]
    pub(super) base: String,
    #[serde(borrow, default)]
    pub(super) patch: Option<&'a RawValue>,
    /// What `patch` changes in place of the base, for releases that do not know all of it.
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    /// The whole object, in other files.
    #[serde(borrow, default)]
    pub(super) object: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) old: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
    /// The answer without `fieldValidation`.
    #[serde(borrow, default)]
    pub(super) answer_default: Option<Answer<'a>>,
    /// Two recordings had the causes in different orders.
    #[serde(default)]
    pub(super) causes_unordered: bool,
}

/// One create of `default-admission.json`.
#[derive(Debug, Deserialize)]
pub(super) struct AdmissionCase<'a> {
    pub(super) name: String,
    #[serde(borrow)]
    pub(super) object: &'a RawValue,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
}

/// One create of `duplicate-keys.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DuplicateCase<'a> {
    pub(super) id: String,
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) body: String,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
    #[serde(borrow)]
    pub(super) answer_default: Answer<'a>,
}

/// One request of `subresources.json`.
#[derive(Debug, Deserialize)]
pub(super) struct SubresourceCase<'a> {
    pub(super) name: String,
    #[serde(borrow)]
    pub(super) stored: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub(super) request: Step<'a>,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
}

/// A request. Its answer stands beside it or in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step<'a> {
    pub(super) method: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) content_type: Option<String>,
    #[serde(default)]
    pub(super) accept: Option<String>,
    #[serde(borrow, default)]
    pub(super) body: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) body_text: Option<String>,
    /// A JSON Patch that makes the body of the live object.
    #[serde(borrow, default)]
    pub(super) body_from_live: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) answer: Option<Answer<'a>>,
}

/// An answer of the reference.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer<'a> {
    pub(super) code: u16,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) details: Option<Value>,
    #[serde(default)]
    pub(super) causes: Vec<Cause>,
    #[serde(default)]
    pub(super) message: Option<String>,
    /// The body where it is no JSON.
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) content_type: Option<String>,
    #[serde(borrow, default)]
    pub(super) object: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) result_from_base: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) result_from_sent: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) managed_fields: Option<Vec<Value>>,
    /// Kind, metadata and names of a list.
    #[serde(default)]
    pub(super) list: Option<Value>,
    #[serde(default)]
    pub(super) events: Option<Vec<Value>>,
    /// Present if a body is protobuf: it has the magic number.
    #[serde(default)]
    pub(super) magic: Option<serde::de::IgnoredAny>,
    /// And its type, for lists also the number of items and the fields of the list and of each item.
    #[serde(default)]
    pub(super) api_version: Option<String>,
    #[serde(default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) items: Option<usize>,
    #[serde(default)]
    pub(super) list_fields: Vec<u64>,
    #[serde(default)]
    pub(super) item_fields: Vec<Vec<u64>>,
    /// The body of a watch is nothing but frames.
    #[serde(default)]
    pub(super) all_bytes_framed: bool,
    /// The reference closes the connection.
    #[serde(default)]
    pub(super) closed: bool,
}

/// A cause of a refusal.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    #[serde(default)]
    pub(super) reason: String,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) field: String,
}

/// One object of `conversions.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Conversion<'a> {
    pub(super) id: String,
    #[serde(borrow)]
    pub(super) stored: &'a RawValue,
    pub(super) other: Value,
    #[serde(default)]
    pub(super) same: Option<Value>,
}

/// A file of `tables`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TableFile<'a> {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) columns: Value,
    #[serde(borrow)]
    pub(super) rows: Vec<TableRow<'a>>,
}

/// One object and its cells.
#[derive(Debug, Deserialize)]
pub(super) struct TableRow<'a> {
    #[serde(borrow)]
    pub(super) object: &'a RawValue,
    pub(super) cells: Value,
    /// The columns, where they are not those of the file.
    #[serde(default)]
    pub(super) columns: Option<Value>,
}

/// An object in both forms: `protobuf.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProtobufPair {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) base: String,
    pub(super) json: Value,
    /// Base64.
    pub(super) protobuf: String,
}

/// The owners of a new object: `managedfields.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Owners {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) base: String,
    pub(super) managed_fields: Value,
}

/// Discovery, selectors and tables of a kind: `facts.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Facts {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) singular_name: String,
    pub(super) namespaced: bool,
    #[serde(default)]
    pub(super) short_names: Vec<String>,
    #[serde(default)]
    pub(super) categories: Vec<String>,
    pub(super) verbs: Vec<String>,
    pub(super) storage_version_hash_present: bool,
    pub(super) subresources: Vec<SubresourceFacts>,
    #[serde(default)]
    pub(super) field_selectors: Option<Vec<String>>,
    #[serde(default)]
    pub(super) columns: Option<Value>,
}

/// Discovery of a subresource.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SubresourceFacts {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) group: Option<String>,
    pub(super) version: Option<String>,
    pub(super) verbs: Vec<String>,
}

/// `schema-facts.json`.
#[derive(Debug, Deserialize)]
pub(super) struct SchemaFacts {
    /// The definitions of kinds.
    pub(super) roots: BTreeMap<String, String>,
    pub(super) definitions: BTreeMap<String, Value>,
}

/// Increments of `metadata.generation`: `generation.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Generation {
    #[serde(rename = "generationOnCreate")]
    pub(super) on_create: Option<i64>,
    pub(super) accepted_changes_that_bumped: BTreeMap<String, u64>,
    pub(super) accepted_changes_that_did_not: BTreeMap<String, u64>,
}

/// A file of `patch/requests`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PatchFile<'a> {
    pub(super) api_version: String,
    pub(super) kind: String,
    #[serde(borrow)]
    pub(super) stored: &'a RawValue,
    #[serde(borrow)]
    pub(super) cases: Vec<PatchCase<'a>>,
}

/// One patch of the stored object.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PatchCase<'a> {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
    #[serde(default)]
    pub(super) subresource: String,
    #[serde(default)]
    pub(super) query: String,
    #[serde(default)]
    pub(super) content_type: Option<String>,
    #[serde(borrow, default)]
    pub(super) body: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) body_text: Option<String>,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
}

/// A file of `patch/apply`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApplyFile<'a> {
    pub(super) api_version: String,
    pub(super) kind: String,
    #[serde(borrow)]
    pub(super) sequences: Vec<Sequence<'a>>,
}

/// Requests that follow each other: of `patch/apply` and `patch/deletes.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Sequence<'a> {
    pub(super) id: String,
    #[serde(borrow, default)]
    pub(super) stored: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub(super) steps: Vec<Step<'a>>,
}

/// `patch/lists.json`.
#[derive(Debug, Deserialize)]
pub(super) struct ListFile<'a> {
    #[serde(borrow)]
    pub(super) setup: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub(super) cases: Vec<ListCase<'a>>,
}

/// One list or watch.
#[derive(Debug, Deserialize)]
pub(super) struct ListCase<'a> {
    pub(super) group: String,
    pub(super) id: String,
    #[serde(borrow)]
    pub(super) request: Step<'a>,
    #[serde(borrow)]
    pub(super) answer: Answer<'a>,
}

/// One scenario of `patch/kubectl.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Scenario<'a> {
    pub(super) scenario: String,
    #[serde(borrow)]
    pub(super) commands: Vec<Command<'a>>,
}

/// One command, and the requests it made.
#[derive(Debug, Deserialize)]
pub(super) struct Command<'a> {
    pub(super) command: String,
    #[serde(borrow, default)]
    pub(super) requests: Vec<KubectlRequest<'a>>,
}

/// A request of kubectl, and what is known of its answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KubectlRequest<'a> {
    pub(super) method: String,
    pub(super) path: String,
    #[serde(default)]
    pub(super) content_type: Option<String>,
    #[serde(default)]
    pub(super) accept: Option<String>,
    #[serde(borrow, default)]
    pub(super) body: Option<&'a RawValue>,
    /// Bytes that are no JSON; those that are not text are lost.
    #[serde(default)]
    pub(super) body_text: Option<String>,
    pub(super) code: u16,
    #[serde(default)]
    pub(super) response_type: Option<String>,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
}
