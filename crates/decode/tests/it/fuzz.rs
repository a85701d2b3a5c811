//! Mutated texts through the bodies for fuzzing.

use sprag_decode::fuzz;

use crate::random::Random;

const SEEDS: [&str; 7] = [
    "a: &x {b: 1, c: [~, yes, 0x1F]}\nd:\n  <<: *x\n  e: |+\n    text\n\n  f: >-\n    one\n    two\n",
    "- \"q\\u00e9 \\\n   r\"\n- 's ''t'''\n- ? k\n  : v\n- !!binary aGk=\n- !x y\n",
    "%YAML 1.1\n---\na: 1.5\n...\n---\n# c\nb: [a: b, {c}]\n",
    "apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n",
    r#"{"kind":"PodList","items":[{"a":1,"a":2}],"metadata":{"labels":{"x/y":"z"},"zz":1}}"#,
    r#"{"metadata":{"name":5,"ownerReferences":[{"kind":"K"}],"creationTimestamp":"2024-01-01T00:00:00Z"}}"#,
    "{\"a\":[1,2.5,1e400,\"\\ud83d\\ude00\\udead\"]}{\"b\":null} x",
];

const SPICE: &[u8] = b"[]{}\",:\\-?&*!|>'%@`#~<. \n\t\r\x00\x7F\x80\xC2\x85\xE2\xFF0ae";

fn mutated(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..random.below(8) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] = SPICE[random.below(SPICE.len())],
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, SPICE[random.below(SPICE.len())]),
            3 => bytes.extend_from_within(at..),
            _ => bytes.truncate(at + 1),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn mutations_of_seeds_hold() {
    let mut random = Random(0x5EED);
    for _ in 0..6_000 {
        let bytes = mutated(&mut random);
        fuzz::yaml(&bytes);
        fuzz::json(&bytes);
        fuzz::stream(&bytes);
    }
}

#[test]
fn random_bytes_hold() {
    let mut random = Random(0xB17E5);
    for _ in 0..3_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| SPICE[random.below(SPICE.len())]).collect();
        fuzz::yaml(&bytes);
        fuzz::json(&bytes);
        fuzz::stream(&bytes);
    }
}
