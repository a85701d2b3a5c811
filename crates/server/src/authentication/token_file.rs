//! The file of static tokens: `token,user,uid,"group1,group2"`, one a line, as upstream's `tokenfile.NewCSV` reads it.

use sprag_rest::User;

/// The most bytes a file may have.
const MAX_BYTES: usize = 16 << 20;

/// The tokens of a file with their users; `path` is named in errors.
///
/// # Errors
///
/// If the text is not CSV, or a line has fewer than three fields.
pub(crate) fn read(path: &str, text: &str) -> Result<Vec<(String, User)>, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("token file '{path}' has more than {MAX_BYTES} bytes"));
    }
    let mut users: Vec<(String, User)> = Vec::new();
    for (at, record) in records(text)?.into_iter().enumerate() {
        let [token, name, uid, groups @ ..] = record.as_slice() else {
            let found = record.len();
            let columns = "(token, user name, user uid)";
            return Err(format!("token file '{path}' must have at least 3 columns {columns}, found {found}"));
        };
        let number = at + 1;
        if token.is_empty() {
            tracing::warn!("empty token has been found in token file '{path}', record number '{number}'");
            continue;
        }
        // As Go's strings.Split: an empty list of groups is one group without a name.
        let groups = groups.first().map(|groups| groups.split(',').map(str::to_owned).collect()).unwrap_or_default();
        let user = User { name: name.clone(), uid: uid.clone(), groups, extra: Vec::new() };
        match users.iter_mut().find(|(known, _)| known == token) {
            Some((_, known)) => {
                tracing::warn!("duplicate token has been found in token file '{path}', record number '{number}'");
                *known = user;
            }
            None => users.push((token.clone(), user)),
        }
    }
    Ok(users)
}

/// The records of CSV, as Go's `csv.Reader` reads them. Empty lines are none.
fn records(text: &str) -> Result<Vec<Vec<String>>, String> {
    let mut records = Vec::new();
    let mut lines = text.split_inclusive('\n').enumerate();
    while let Some((number, line)) = lines.next() {
        let start = number + 1;
        let mut rest = line.trim_end_matches('\n').trim_end_matches('\r').to_owned();
        if rest.is_empty() {
            continue;
        }
        let mut fields = Vec::new();
        let mut at = start;
        loop {
            let (field, more) = if rest.starts_with('"') {
                quoted_field(&mut rest, &mut at, &mut || lines.next().map(|(_, line)| line.to_owned()), start)?
            } else {
                bare_field(&mut rest, at, start)?
            };
            fields.push(field);
            if !more {
                break;
            }
        }
        records.push(fields);
    }
    Ok(records)
}

/// A field without quotes, and whether another one follows.
fn bare_field(rest: &mut String, at: usize, start: usize) -> Result<(String, bool), String> {
    let end = rest.find(',');
    let field = rest[..end.unwrap_or(rest.len())].to_owned();
    if field.contains('"') {
        return Err(failure(start, at, "bare \" in non-quoted field"));
    }
    *rest = end.map(|end| rest[end + 1..].to_owned()).unwrap_or_default();
    Ok((field, end.is_some()))
}

/// A field in quotes, which may go over several lines, and whether another one follows.
fn quoted_field(
    rest: &mut String,
    at: &mut usize,
    next_line: &mut dyn FnMut() -> Option<String>,
    start: usize,
) -> Result<(String, bool), String> {
    let mut field = String::new();
    *rest = rest[1..].to_owned();
    loop {
        let Some(quote) = rest.find('"') else {
            field.push_str(rest);
            field.push('\n');
            *at += 1;
            let line =
                next_line().ok_or_else(|| failure(start, *at - 1, "extraneous or missing \" in quoted-field"))?;
            line.trim_end_matches('\n').trim_end_matches('\r').clone_into(rest);
            continue;
        };
        field.push_str(&rest[..quote]);
        let after = rest[quote + 1..].to_owned();
        match after.chars().next() {
            Some('"') => {
                field.push('"');
                after[1..].clone_into(rest);
            }
            Some(',') => {
                after[1..].clone_into(rest);
                return Ok((field, true));
            }
            None => {
                rest.clear();
                return Ok((field, false));
            }
            Some(_) => return Err(failure(start, *at, "extraneous or missing \" in quoted-field")),
        }
    }
}

fn failure(start: usize, at: usize, why: &str) -> String {
    if start == at {
        format!("parse error on line {at}: {why}")
    } else {
        format!("record on line {start}; parse error on line {at}: {why}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Token, name, uid and groups.
    type Expected<'e> = (&'e str, &'e str, &'e str, &'e [&'e str]);

    #[track_caller]
    fn check(text: &str, expected: Result<&[Expected<'_>], &str>) {
        let found = read("f", text);
        let found = found.as_ref().map(|users| {
            let fields = users.iter().map(|(token, user)| {
                (
                    token.as_str(),
                    user.name.as_str(),
                    user.uid.as_str(),
                    user.groups.iter().map(String::as_str).collect(),
                )
            });
            fields.collect::<Vec<(_, _, _, Vec<&str>)>>()
        });
        let expected = expected.map(|users| users.iter().map(|(a, b, c, d)| (*a, *b, *c, d.to_vec())).collect());
        assert_eq!(found.map_err(String::as_str), expected, "{text:?}");
    }

    #[test]
    fn tokens_have_users_and_groups() {
        check("t,ann,1", Ok(&[("t", "ann", "1", &[])]));
        check("t,ann,1,\"a,b\"\r\n\nu,bob,2,c\n", Ok(&[("t", "ann", "1", &["a", "b"]), ("u", "bob", "2", &["c"])]));
        check("t,\"an\"\"n\",1,\n", Ok(&[("t", "an\"n", "1", &[""])]));
        check("t,\"a\nn\",1\n", Ok(&[("t", "a\nn", "1", &[])]));
        check("t,ann,1,a,b,c", Ok(&[("t", "ann", "1", &["a"])]));
        check(" t,ann,1", Ok(&[(" t", "ann", "1", &[])]));
        check(",ann,1\nt,bob,2\nt,eve,3", Ok(&[("t", "eve", "3", &[])]));
        check("", Ok(&[]));
    }

    #[test]
    fn what_is_not_csv_is_refused() {
        check("t,ann", Err("token file 'f' must have at least 3 columns (token, user name, user uid), found 2"));
        check("# c\nt,a,1", Err("token file 'f' must have at least 3 columns (token, user name, user uid), found 1"));
        check("t,a\"n,1", Err("parse error on line 1: bare \" in non-quoted field"));
        check("t,\"a\"n,1", Err("parse error on line 1: extraneous or missing \" in quoted-field"));
        check("t,\"ann,1\nu", Err("record on line 1; parse error on line 2: extraneous or missing \" in quoted-field"));
    }
}
