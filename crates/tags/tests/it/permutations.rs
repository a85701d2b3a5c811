//! The order of a keyed list never decides which items fail.

use proptest::prelude::*;
use sprag_tags::Dialect;

use crate::api::Api;

const SOURCE: &str = "type T struct {\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\
     \t// +k8s:item(k: \"k1\")=+k8s:subfield(v)=+k8s:maximum=2\n\tF []I `json:\"f\"`\n}\n\
     type I struct {\n\tK string `json:\"k\"`\n\t// +k8s:minimum=1\n\t// +k8s:immutable\n\tV int `json:\"v\"`\n}\n";

type Items = Vec<(u8, i8)>;

/// Items with distinct keys.
fn items() -> impl Strategy<Value = Items> {
    proptest::collection::btree_map(0u8..6, -1i8..4, 0..6).prop_map(|items| items.into_iter().collect())
}

fn object(items: &Items) -> String {
    let items: Vec<String> = items.iter().map(|(k, v)| format!(r#"{{"k": "k{k}", "v": {v}}}"#)).collect();
    format!(r#"{{"f": [{}]}}"#, items.join(","))
}

/// Returns the errors, with positions replaced by keys.
fn failures(api: &Api, old: &Items, new: &Items) -> Vec<String> {
    let mut failures: Vec<String> = api
        .update(&object(old), &object(new))
        .into_iter()
        .map(|mut message| {
            for (at, (key, _)) in new.iter().enumerate() {
                message = message.replace(&format!("f[{at}]"), &format!("f[k{key}!]"));
            }
            message
        })
        .collect();
    failures.sort();
    failures
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn permuting_a_keyed_list_changes_no_verdict(old in items(), new in items(), seed in any::<u64>()) {
        for dialect in [Dialect::Kep, Dialect::Kubernetes] {
            let api = Api::new(dialect, SOURCE);
            let mut shuffled = new.clone();
            shuffled.sort_by_key(|(key, _)| (u64::from(*key) + 1).wrapping_mul(seed | 1).rotate_left(17));
            prop_assert_eq!(failures(&api, &old, &new), failures(&api, &old, &shuffled));
        }
    }
}
