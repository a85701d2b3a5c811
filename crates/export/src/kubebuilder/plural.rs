//! Plurals as controller-gen makes them of kinds, which leaves it to `flect.Pluralize`.

/// Endings and what they become; the first that fits counts. A word that ends like a plural of the list is one already.
const ENDINGS: &[(&str, &str)] = &[
    // Words of flect's dictionary that kinds are likely to end with.
    ("information", "information"),
    ("equipment", "equipment"),
    ("criterion", "criteria"),
    ("medium", "media"),
    ("media", "media"),
    ("series", "series"),
    ("species", "species"),
    ("chassis", "chassis"),
    ("person", "people"),
    ("child", "children"),
    ("human", "humans"),
    ("woman", "women"),
    ("man", "men"),
    ("mouse", "mice"),
    ("index", "indices"),
    ("vertex", "vertices"),
    ("appendix", "appendices"),
    ("crisis", "crises"),
    ("thesis", "theses"),
    ("genesis", "geneses"),
    ("basis", "bases"),
    ("base", "bases"),
    ("focus", "foci"),
    ("locus", "loci"),
    ("radius", "radii"),
    ("corpus", "corpora"),
    ("quota", "quotas"),
    ("agenda", "agendas"),
    ("formula", "formulas"),
    ("cause", "causes"),
    ("clause", "clauses"),
    ("pause", "pauses"),
    ("house", "houses"),
    ("move", "moves"),
    ("hive", "hives"),
    ("cookie", "cookies"),
    ("news", "news"),
    // Endings in flect's order.
    ("tive", "tives"),
    ("eaf", "eaves"),
    ("oaf", "oaves"),
    ("afe", "aves"),
    ("arf", "arves"),
    ("rfe", "rves"),
    ("rf", "rves"),
    ("lf", "lves"),
    ("fe", "ves"),
    ("ay", "ays"),
    ("ey", "eys"),
    ("oy", "oys"),
    ("quy", "quies"),
    ("uy", "uys"),
    ("y", "ies"),
    ("eau", "eaux"),
    ("ium", "ia"),
    ("seum", "seums"),
    ("eum", "ea"),
    ("dum", "da"),
    ("ulum", "ula"),
    ("imum", "ima"),
    ("trum", "tra"),
    ("atum", "ata"),
    ("entum", "enta"),
    ("trix", "trices"),
    ("gnosis", "gnoses"),
    ("opsis", "opses"),
    ("ysis", "yses"),
    ("ouse", "ouses"),
    ("us", "uses"),
    ("ch", "ches"),
    ("io", "ios"),
    ("sh", "shes"),
    ("ss", "sses"),
    ("ez", "ezzes"),
    ("iz", "izzes"),
    ("tz", "tzes"),
    ("zz", "zzes"),
    ("ano", "anos"),
    ("lo", "los"),
    ("to", "tos"),
    ("oo", "oos"),
    ("o", "oes"),
    ("x", "xes"),
];

/// The plural of a kind in lower case.
pub(crate) fn pluralize(singular: &str) -> String {
    for (ending, plural) in ENDINGS {
        if singular.ends_with(plural) {
            return singular.to_owned();
        }
        if let Some(stem) = singular.strip_suffix(ending) {
            return format!("{stem}{plural}");
        }
    }
    if singular.ends_with('s') { singular.to_owned() } else { format!("{singular}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_those_of_controller_gen() {
        for (singular, plural) in [
            ("widget", "widgets"),
            ("xmesh", "xmeshes"),
            ("gateway", "gateways"),
            ("policy", "policies"),
            ("ingress", "ingresses"),
            ("nodestatus", "nodestatuses"),
            ("redis", "redis"),
            ("dns", "dns"),
            ("prometheus", "prometheuses"),
            ("mailbox", "mailboxes"),
            ("branch", "branches"),
            ("searchindex", "searchindices"),
            ("database", "databases"),
            ("alertmanager", "alertmanagers"),
            ("kubernetes", "kubernetes"),
            ("scenario", "scenarios"),
        ] {
            assert_eq!(pluralize(singular), plural);
        }
    }
}
