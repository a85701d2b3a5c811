//! The server's certificate authority and the administrator's token.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Error;
use crate::certificates::Authority;
use crate::folder::{self, write_private};

const TOKEN_BYTES: usize = 32;
/// A shorter token in our own file was not made by us, and can be guessed.
const MIN_TOKEN_CHARS: usize = 16;

/// The authority and the token of a server.
pub(crate) struct Identity {
    pub(crate) authority: Authority,
    /// The administrator's token.
    pub(crate) token: String,
}

impl Identity {
    /// A new one, with this token if there is one.
    pub(crate) fn new(token: Option<String>) -> Result<Identity, Error> {
        let token = token.map_or_else(random_token, |token| check_given("the token", &token))?;
        Ok(Identity { authority: Authority::new(now())?, token })
    }

    /// The one in a folder; what is missing is made, and an authority that ends soon is replaced.
    pub(crate) fn in_folder(folder: &Path, token: Option<String>) -> Result<Identity, Error> {
        let token = match token {
            Some(token) => check_given("the token", &token)?,
            None => own_token(&folder.join("token"))?,
        };
        let [certificate, key] = authority_files(folder);
        if let Some(authority) = read_authority(folder)?.filter(|authority| !authority.ends_soon(now())) {
            return Ok(Identity { authority, token });
        }
        if certificate.exists() {
            tracing::warn!("the certificate authority is replaced: clients have to read the kubeconfig again");
        }
        let authority = Authority::new(now())?;
        write_private(&key, authority.key())?;
        write_private(&certificate, authority.certificate())?;
        Ok(Identity { authority, token })
    }

    /// The authority in a folder, which must be there.
    pub(crate) fn authority_in(folder: &Path) -> Result<Authority, Error> {
        let missing = || {
            let folder = folder.display();
            Error::Usage(format!(
                "{folder}: no certificate authority there: start `sprag serve` once, or give --data-dir"
            ))
        };
        read_authority(folder)?.ok_or_else(missing)
    }
}

fn authority_files(folder: &Path) -> [PathBuf; 2] {
    ["ca.crt", "ca.key"].map(|name| folder.join("pki").join(name))
}

fn read_authority(folder: &Path) -> Result<Option<Authority>, Error> {
    let [certificate, key] = authority_files(folder);
    let read = folder::read(&certificate)?.zip(folder::read(&key)?);
    Ok(read.and_then(|(certificate, key)| Authority::read(&certificate, &key)))
}

/// Seconds since 1970, by the clock that clients judge certificates by.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The token in the server's file, created if missing. Short tokens and files readable by others are rejected.
fn own_token(path: &Path) -> Result<String, Error> {
    let Some(text) = folder::read(path)? else {
        let token = random_token()?;
        write_private(path, &token)?;
        return Ok(token);
    };
    let token = text.trim();
    let refuse = |why: String| {
        let advice = "delete the file, and the next start makes a new token";
        Err(Error::Usage(format!("token file {}: {why}: {advice}", path.display())))
    };
    if token.is_empty() {
        return refuse("it is blank".into());
    }
    if token.chars().count() < MIN_TOKEN_CHARS {
        return refuse(format!("it has fewer than {MIN_TOKEN_CHARS} characters"));
    }
    if let Some(mode) = folder::open_mode(path) {
        return refuse(format!("others can read it (mode {mode:04o}), and whoever has it may do everything"));
    }
    Ok(token.to_owned())
}

/// The secret in a file named by a flag. A blank one is rejected; its permissions are not checked.
pub(crate) fn given_secret(flag: &str, path: &Path) -> Result<String, Error> {
    let text = folder::read(path).and_then(|text| text.ok_or_else(|| Error::missing_file(path)));
    let text = text.map_err(|error| error.of_flag(flag))?;
    if let Some(mode) = folder::open_mode(path) {
        tracing::warn!(path = %path.display(), mode = format!("{mode:04o}"), "{flag}: others can read this file");
    }
    check_given(&format!("{flag} {}", path.display()), &text)
}

fn check_given(what: &str, text: &str) -> Result<String, Error> {
    let token = text.trim();
    if token.is_empty() {
        return Err(Error::Usage(format!("{what}: it is blank: put a secret there")));
    }
    Ok(token.to_owned())
}

pub(crate) fn random_token() -> Result<String, Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Error::Randomness(error.to_string()))?;
    Ok(sprag_value::base64::RAW_URL.encode(&bytes))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use sprag_storage::testing::Scratch;

    use super::*;

    #[track_caller]
    fn check_own(text: &str, mode: u32, expected: Result<&str, &str>) {
        let folder = Scratch::new("token").expect("there is room");
        let path = folder.path().join("token");
        let written =
            fs::write(&path, text).and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(mode)));
        written.expect("the folder can be written");
        let found = own_token(&path).map_err(|error| error.to_string());
        let refused = |why| {
            format!("token file {}: {why}: delete the file, and the next start makes a new token", path.display())
        };
        assert_eq!(found, expected.map(str::to_owned).map_err(refused), "{text:?} {mode:o}");
    }

    #[test]
    fn a_token_that_can_be_guessed_or_read_is_refused() {
        check_own("0123456789abcdef\n", 0o600, Ok("0123456789abcdef"));
        check_own("0123456789abcdef", 0o400, Ok("0123456789abcdef"));
        for blank in ["", " ", "\n\n", "\t \r\n"] {
            check_own(blank, 0o600, Err("it is blank"));
        }
        check_own("0123456789abcde", 0o600, Err("it has fewer than 16 characters"));
        for mode in [0o644, 0o640, 0o604] {
            let why = format!("others can read it (mode {mode:04o}), and whoever has it may do everything");
            check_own("0123456789abcdef", mode, Err(&why));
        }
    }

    #[test]
    fn a_missing_token_is_made_for_its_owner_only() {
        let folder = Scratch::new("no-token").unwrap();
        let path = folder.path().join("token");
        let token = own_token(&path).unwrap();
        assert!(token.len() > MIN_TOKEN_CHARS);
        assert_eq!(folder::open_mode(&path), None);
        assert_eq!(own_token(&path).unwrap(), token);
    }

    #[test]
    fn a_file_given_by_flag_may_be_open_but_not_blank() {
        let folder = Scratch::new("given").unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "short\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(given_secret("--token-file", &path).unwrap(), "short");
        fs::write(&path, " \n").unwrap();
        let error = given_secret("--token-file", &path).unwrap_err().to_string();
        assert_eq!(error, format!("--token-file {}: it is blank: put a secret there", path.display()));
        assert!(given_secret("--token-file", &folder.path().join("missing")).is_err());
        assert!(Identity::new(Some(" ".into())).is_err());
    }
}
