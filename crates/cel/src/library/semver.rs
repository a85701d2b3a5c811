//! `kubernetes.Semver`: semantic versions.

use std::cmp::Ordering;

use sprag_field::quote;

use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Func, Overload};
use crate::types::Sig;
use crate::value::{Opaque, Semver, Val};

use super::quantity::estimate_parse;
use super::strings::charge_walk;

const SEMVER: Sig = Sig::Object("kubernetes.Semver");

const fn parser(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::global(function, id, args, result, call).since(33).costs(estimate_parse, charge_walk)
}

const fn member(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::member(function, id, args, result, call).since(33)
}

pub(crate) static TABLE: &[Overload] = &[
    parser("semver", "string_to_semver", &[Sig::String], SEMVER, semver),
    parser("semver", "string_bool_to_semver", &[Sig::String, Sig::Bool], SEMVER, semver),
    parser("isSemver", "is_semver_string", &[Sig::String], Sig::Bool, is_semver),
    parser("isSemver", "is_semver_string_bool", &[Sig::String, Sig::Bool], Sig::Bool, is_semver),
    member("isGreaterThan", "semver_is_greater_than", &[SEMVER, SEMVER], Sig::Bool, is_greater_than),
    member("isLessThan", "semver_is_less_than", &[SEMVER, SEMVER], Sig::Bool, is_less_than),
    member("compareTo", "semver_compare_to", &[SEMVER, SEMVER], Sig::Int, compare_to),
    member("major", "semver_major", &[SEMVER], Sig::Int, |cx, args| number(cx, args, |version| version.major)),
    member("minor", "semver_minor", &[SEMVER], Sig::Int, |cx, args| number(cx, args, |version| version.minor)),
    member("patch", "semver_patch", &[SEMVER], Sig::Int, |cx, args| number(cx, args, |version| version.patch)),
];

fn read<'a>(cx: &Cx<'a>, value: Option<&Val<'a>>) -> Result<&'a Semver<'a>, Trap<'a>> {
    if let Some(Val::Opaque(Opaque::Semver(version))) = value { Ok(version) } else { Err(cx.no_such_overload()) }
}

fn semver<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let parsed = match parse_args(cx, args)? {
        Ok(version) => version,
        Err(why) => return Err(cx.error(format_args!("{why}"))),
    };
    let version = Semver { pre: cx.str(parsed.pre)?, build: cx.str(parsed.build)?, ..parsed };
    cx.keep(version).map(|version| Val::Opaque(Opaque::Semver(version)))
}

fn is_semver<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Bool(parse_args(cx, args)?.is_ok()))
}

type Parsed<'t> = Result<Semver<'t>, String>;

/// Reads the version of a call; the outer error is a call with the wrong types.
fn parse_args<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Result<Parsed<'a>, Trap<'a>> {
    match *args {
        [Val::String(text)] | [Val::String(text), Val::Bool(false)] => Ok(parse(text)),
        [Val::String(text), Val::Bool(true)] => match normalize(text) {
            Ok(text) => Ok(parse(cx.str(&text)?)),
            Err(why) => Ok(Err(why.into())),
        },
        _ => Err(cx.no_such_overload()),
    }
}

/// The version without `v` and leading zeros, and with all three numbers.
fn normalize(text: &str) -> Result<String, &'static str> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
    if parts.len() < 3 {
        if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data");
        }
        parts.resize(3, "0".into());
    }
    Ok(parts.join("."))
}

fn without_leading_zeros(part: &str) -> String {
    let trimmed = part.trim_start_matches('0');
    if part.len() < 2 {
        part.into()
    } else if trimmed.starts_with(|first: char| first.is_ascii_digit()) {
        trimmed.into()
    } else {
        format!("0{trimmed}")
    }
}

fn parse(text: &str) -> Parsed<'_> {
    if text.is_empty() {
        return Err("Version string empty".into());
    }
    let mut parts = text.splitn(3, '.');
    let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("No Major.Minor.Patch elements found".into());
    };
    let major = component("Major", major)?;
    let minor = component("Minor", minor)?;
    let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    let patch = component("Patch", patch)?;
    for part in pre.iter().flat_map(|pre| pre.split('.')) {
        check_pre_release(part)?;
    }
    for part in build.iter().flat_map(|build| build.split('.')) {
        if part.is_empty() {
            return Err("Build meta data is empty".into());
        }
        if !is_alphanumeric(part) {
            return Err(format!("Invalid character(s) found in build meta data {}", quote::go(part)));
        }
    }
    Ok(Semver { major, minor, patch, pre: pre.unwrap_or(""), build: build.unwrap_or("") })
}

/// One of the three numbers.
fn component(name: &str, text: &str) -> Result<u64, String> {
    if !is_numeric(text) {
        return Err(format!("Invalid character(s) found in {} number {}", name.to_lowercase(), quote::go(text)));
    }
    if has_leading_zeros(text) {
        return Err(format!("{name} number must not contain leading zeroes {}", quote::go(text)));
    }
    unsigned(text)
}

fn check_pre_release(part: &str) -> Result<(), String> {
    if part.is_empty() {
        return Err("Prerelease is empty".into());
    }
    if is_numeric(part) {
        if has_leading_zeros(part) {
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {}", quote::go(part)));
        }
        return unsigned(part).map(|_| ());
    }
    if is_alphanumeric(part) {
        Ok(())
    } else {
        Err(format!("Invalid character(s) found in prerelease {}", quote::go(part)))
    }
}

/// Digits as a number; otherwise Go's parse error.
fn unsigned(digits: &str) -> Result<u64, String> {
    digits.parse().map_err(|_| {
        let why = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {why}", quote::go(digits))
    })
}

fn is_numeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_alphanumeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_leading_zeros(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

/// Precedence: numbers first, then pre-releases, which come before the release. Builds do not count.
pub(crate) fn precedence(a: &Semver<'_>, b: &Semver<'_>) -> Ordering {
    let numbers = |version: &Semver<'_>| (version.major, version.minor, version.patch);
    numbers(a).cmp(&numbers(b)).then_with(|| match (a.pre.is_empty(), b.pre.is_empty()) {
        (false, false) => compare_pre_releases(a.pre, b.pre),
        (a_is_release, b_is_release) => a_is_release.cmp(&b_is_release),
    })
}

fn compare_pre_releases(a: &str, b: &str) -> Ordering {
    let key = |part| match (is_numeric(part), part.parse::<u64>()) {
        // Numbers come before words.
        (true, Ok(number)) => (false, number, ""),
        _ => (true, 0, part),
    };
    a.split('.').map(key).cmp(b.split('.').map(key))
}

fn order<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Result<Ordering, Trap<'a>> {
    Ok(precedence(read(cx, args.first())?, read(cx, args.get(1))?))
}

fn is_greater_than<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Bool(order(cx, args)?.is_gt()))
}

fn is_less_than<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Bool(order(cx, args)?.is_lt()))
}

fn compare_to<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Int(order(cx, args)? as i64))
}

fn number<'a>(cx: &Cx<'a>, args: &[Val<'a>], part: fn(&Semver<'_>) -> u64) -> Outcome<'a> {
    Ok(Val::Int(part(read(cx, args.first())?).cast_signed()))
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn versions_are_read_strictly() {
        check("semver('1.2.3-alpha.1+build.5')", "1.2.3-alpha.1+build.5");
        check("semver('')", "Version string empty");
        check("semver('v1.2.3')", r#"Invalid character(s) found in major number "v1""#);
        check("semver('1.02.3')", r#"Minor number must not contain leading zeroes "02""#);
        check("semver('1.2.')", r#"strconv.ParseUint: parsing "": invalid syntax"#);
        check(
            "semver('1.2.99999999999999999999')",
            r#"strconv.ParseUint: parsing "99999999999999999999": value out of range"#,
        );
        check("semver('1.2.3-')", "Prerelease is empty");
        check("semver('1.2.3-01')", r#"Numeric PreRelease version must not contain leading zeroes "01""#);
        check("semver('1.2.3-a_b')", r#"Invalid character(s) found in prerelease "a_b""#);
        check("semver('1.2.3+a..b')", "Build meta data is empty");
        check("semver('1.2.3+é')", r#"Invalid character(s) found in build meta data "é""#);
    }

    #[test]
    fn versions_are_normalized_on_request() {
        check("semver('v01.02', true)", "1.2.0");
        check("semver('000', true)", "0.0.0");
        check("semver('1.2.03-rc.1', true)", "1.2.3-rc.1");
        check("semver('1.0-x', true)", "short version cannot contain PreRelease/Build meta data");
        check("isSemver('v1', true)", "true");
        check("isSemver('vv1', true)", "false");
    }

    #[test]
    fn precedence_ignores_builds() {
        check("semver('1.0.0-alpha').isLessThan(semver('1.0.0-alpha.beta'))", "true");
        check("semver('1.0.0-2').isLessThan(semver('1.0.0-a'))", "true");
        check("semver('1.0.0').isGreaterThan(semver('1.0.0-rc'))", "true");
        check("semver('1.2.3+a') == semver('1.2.3+b')", "true");
        check("semver('18446744073709551615.0.0').major()", "-1");
    }
}
