//! `\p{…}`: the categories and scripts of Unicode 15.0, the version Go ships.

use std::collections::BTreeMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Literal};

/// The classes that were asked for: there are as many as names that Go knows, at most.
static ASKED: RwLock<BTreeMap<String, ClassUnicode>> = RwLock::new(BTreeMap::new());

/// The characters a name stands for, if Go knows the name; case, `_`, `-` and blanks do not matter.
pub(crate) fn class(name: &str) -> Option<ClassUnicode> {
    let key = key(name);
    if let Some(class) = ASKED.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Some(class.clone());
    }
    let class = new_class(&key)?;
    ASKED.write().unwrap_or_else(PoisonError::into_inner).insert(key, class.clone());
    Some(class)
}

fn new_class(key: &str) -> Option<ClassUnicode> {
    match key {
        "any" => return Some(ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)])),
        "ascii" => return Some(ClassUnicode::new([ClassUnicodeRange::new('\0', '\u{7f}')])),
        "assigned" => {
            let mut class = category("Cn");
            class.negate();
            return Some(class);
        }
        _ => {}
    }
    if let Some(short) = lookup(CATEGORIES, key) {
        return Some(category(short));
    }
    SCRIPTS.binary_search(&key).ok().map(|_| restricted(&format!("sc={key}")))
}

/// True if the name is one of the category of cased letters.
pub(crate) fn is_cased_letter(name: &str) -> bool {
    lookup(CATEGORIES, &key(name)) == Some("LC")
}

fn key(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Reports whether Go calls this a letter or a digit.
pub(crate) fn is_letter_or_digit(c: char) -> bool {
    static CLASS: LazyLock<ClassUnicode> = LazyLock::new(|| {
        let mut class = category("L");
        class.union(&category("Nd"));
        class
    });
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let after = CLASS.ranges().partition_point(|range| range.end() < c);
    CLASS.ranges().get(after).is_some_and(|range| range.start() <= c)
}

/// The characters of a general category.
pub(crate) fn category(short: &str) -> ClassUnicode {
    match short {
        // Surrogates never occur in text.
        "Cs" => ClassUnicode::empty(),
        // Characters that a later version assigned are still unassigned here.
        "C" | "Cn" => {
            let mut class = table(&format!("gc={short}"));
            class.negate();
            class.intersect(&known());
            class.negate();
            class
        }
        "Mc" => {
            let mut class = restricted("gc=Mc");
            class.difference(&reclassified());
            class
        }
        "Mn" => {
            let mut class = restricted("gc=Mn");
            class.union(&reclassified());
            class
        }
        _ => restricted(&format!("gc={short}")),
    }
}

/// The one character that moved to another category after 15.0: from Mn to Mc.
fn reclassified() -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new('\u{1171e}', '\u{1171e}')])
}

/// The characters that Unicode 15.0 knows.
pub(crate) fn known() -> ClassUnicode {
    table("age=15.0")
}

fn restricted(query: &str) -> ClassUnicode {
    let mut class = table(query);
    class.intersect(&known());
    class
}

/// The characters with a property, as the tables of `regex-syntax` have them.
fn table(query: &str) -> ClassUnicode {
    let parsed = regex_syntax::parse(&format!("\\p{{{query}}}"));
    match parsed.map(Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        // A class of one character comes back as that character.
        Ok(HirKind::Literal(Literal(bytes))) => {
            let text = String::from_utf8_lossy(&bytes);
            ClassUnicode::new(text.chars().map(|c| ClassUnicodeRange::new(c, c)))
        }
        _ => ClassUnicode::empty(),
    }
}

fn lookup(names: &[(&str, &'static str)], key: &str) -> Option<&'static str> {
    names.binary_search_by_key(&key, |(name, _)| name).ok().and_then(|found| names.get(found)).map(|(_, short)| *short)
}

/// The names of general categories, sorted, with their short forms.
const CATEGORIES: &[(&str, &str)] = &[
    ("c", "C"),
    ("casedletter", "LC"),
    ("cc", "Cc"),
    ("cf", "Cf"),
    ("closepunctuation", "Pe"),
    ("cn", "Cn"),
    ("cntrl", "Cc"),
    ("co", "Co"),
    ("combiningmark", "M"),
    ("connectorpunctuation", "Pc"),
    ("control", "Cc"),
    ("cs", "Cs"),
    ("currencysymbol", "Sc"),
    ("dashpunctuation", "Pd"),
    ("decimalnumber", "Nd"),
    ("digit", "Nd"),
    ("enclosingmark", "Me"),
    ("finalpunctuation", "Pf"),
    ("format", "Cf"),
    ("initialpunctuation", "Pi"),
    ("l", "L"),
    ("lc", "LC"),
    ("letter", "L"),
    ("letternumber", "Nl"),
    ("lineseparator", "Zl"),
    ("ll", "Ll"),
    ("lm", "Lm"),
    ("lo", "Lo"),
    ("lowercaseletter", "Ll"),
    ("lt", "Lt"),
    ("lu", "Lu"),
    ("m", "M"),
    ("mark", "M"),
    ("mathsymbol", "Sm"),
    ("mc", "Mc"),
    ("me", "Me"),
    ("mn", "Mn"),
    ("modifierletter", "Lm"),
    ("modifiersymbol", "Sk"),
    ("n", "N"),
    ("nd", "Nd"),
    ("nl", "Nl"),
    ("no", "No"),
    ("nonspacingmark", "Mn"),
    ("number", "N"),
    ("openpunctuation", "Ps"),
    ("other", "C"),
    ("otherletter", "Lo"),
    ("othernumber", "No"),
    ("otherpunctuation", "Po"),
    ("othersymbol", "So"),
    ("p", "P"),
    ("paragraphseparator", "Zp"),
    ("pc", "Pc"),
    ("pd", "Pd"),
    ("pe", "Pe"),
    ("pf", "Pf"),
    ("pi", "Pi"),
    ("po", "Po"),
    ("privateuse", "Co"),
    ("ps", "Ps"),
    ("punct", "P"),
    ("punctuation", "P"),
    ("s", "S"),
    ("sc", "Sc"),
    ("separator", "Z"),
    ("sk", "Sk"),
    ("sm", "Sm"),
    ("so", "So"),
    ("spaceseparator", "Zs"),
    ("spacingmark", "Mc"),
    ("surrogate", "Cs"),
    ("symbol", "S"),
    ("titlecaseletter", "Lt"),
    ("unassigned", "Cn"),
    ("uppercaseletter", "Lu"),
    ("z", "Z"),
    ("zl", "Zl"),
    ("zp", "Zp"),
    ("zs", "Zs"),
];

/// The names of scripts, sorted.
const SCRIPTS: &[&str] = &[
    "adlam",
    "ahom",
    "anatolianhieroglyphs",
    "arabic",
    "armenian",
    "avestan",
    "balinese",
    "bamum",
    "bassavah",
    "batak",
    "bengali",
    "bhaiksuki",
    "bopomofo",
    "brahmi",
    "braille",
    "buginese",
    "buhid",
    "canadianaboriginal",
    "carian",
    "caucasianalbanian",
    "chakma",
    "cham",
    "cherokee",
    "chorasmian",
    "common",
    "coptic",
    "cuneiform",
    "cypriot",
    "cyprominoan",
    "cyrillic",
    "deseret",
    "devanagari",
    "divesakuru",
    "dogra",
    "duployan",
    "egyptianhieroglyphs",
    "elbasan",
    "elymaic",
    "ethiopic",
    "georgian",
    "glagolitic",
    "gothic",
    "grantha",
    "greek",
    "gujarati",
    "gunjalagondi",
    "gurmukhi",
    "han",
    "hangul",
    "hanifirohingya",
    "hanunoo",
    "hatran",
    "hebrew",
    "hiragana",
    "imperialaramaic",
    "inherited",
    "inscriptionalpahlavi",
    "inscriptionalparthian",
    "javanese",
    "kaithi",
    "kannada",
    "katakana",
    "kawi",
    "kayahli",
    "kharoshthi",
    "khitansmallscript",
    "khmer",
    "khojki",
    "khudawadi",
    "lao",
    "latin",
    "lepcha",
    "limbu",
    "lineara",
    "linearb",
    "lisu",
    "lycian",
    "lydian",
    "mahajani",
    "makasar",
    "malayalam",
    "mandaic",
    "manichaean",
    "marchen",
    "masaramgondi",
    "medefaidrin",
    "meeteimayek",
    "mendekikakui",
    "meroiticcursive",
    "meroitichieroglyphs",
    "miao",
    "modi",
    "mongolian",
    "mro",
    "multani",
    "myanmar",
    "nabataean",
    "nagmundari",
    "nandinagari",
    "newa",
    "newtailue",
    "nko",
    "nushu",
    "nyiakengpuachuehmong",
    "ogham",
    "olchiki",
    "oldhungarian",
    "olditalic",
    "oldnortharabian",
    "oldpermic",
    "oldpersian",
    "oldsogdian",
    "oldsoutharabian",
    "oldturkic",
    "olduyghur",
    "oriya",
    "osage",
    "osmanya",
    "pahawhhmong",
    "palmyrene",
    "paucinhau",
    "phagspa",
    "phoenician",
    "psalterpahlavi",
    "rejang",
    "runic",
    "samaritan",
    "saurashtra",
    "sharada",
    "shavian",
    "siddham",
    "signwriting",
    "sinhala",
    "sogdian",
    "sorasompeng",
    "soyombo",
    "sundanese",
    "sylotinagri",
    "syriac",
    "tagalog",
    "tagbanwa",
    "taile",
    "taitham",
    "taiviet",
    "takri",
    "tamil",
    "tangsa",
    "tangut",
    "telugu",
    "thaana",
    "thai",
    "tibetan",
    "tifinagh",
    "tirhuta",
    "toto",
    "ugaritic",
    "vai",
    "vithkuqi",
    "wancho",
    "warangciti",
    "yezidi",
    "yi",
    "zanabazarsquare",
];

#[cfg(test)]
mod tests;
