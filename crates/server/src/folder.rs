//! The data folder: for its owner only, and nothing of it ends up in a repository.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::Error;

/// Files of the server in its data folder.
const OWN: [&str; 5] = [".gitignore", "kubeconfig", "pki", "store", "token"];
/// The certificate and key of earlier releases, which kept them on disk.
const OLD: [&str; 2] = ["pki/server.crt", "pki/server.key"];
/// File modes for the owner only, and the permission bits of group and others.
const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
#[cfg(unix)]
const OTHERS: u32 = 0o077;

/// Creates the folder if missing, and restricts it to the owner and out of git. A folder that holds more than
/// the server's own files keeps its permissions.
pub fn prepare(folder: &Path) -> Result<(), Error> {
    make(folder)?;
    let ignored = folder.join(".gitignore");
    if !ignored.exists() {
        write_private(&ignored, &format!("/{}\n", OWN.join("\n/")))?;
    }
    let entries = fs::read_dir(folder).map_err(|error| Error::file("list", folder, error))?;
    let is_own = |name: &std::ffi::OsStr| OWN.iter().any(|own| name == *own);
    if entries.flatten().all(|entry| is_own(&entry.file_name())) {
        restrict(folder, PRIVATE_FOLDER);
    }
    let pki = folder.join("pki");
    restrict(&pki, PRIVATE_FOLDER);
    for old in OLD.map(|name| folder.join(name)).iter().filter(|path| path.exists()) {
        fs::remove_file(old).map_err(|error| Error::file("remove", old, error))?;
    }
    // The token is not among them: one that others could read is refused.
    for file in ["kubeconfig", "pki/ca.crt", "pki/ca.key", "pki/sa.key"] {
        restrict(&folder.join(file), PRIVATE_FILE);
    }
    Ok(())
}

/// The text of a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::file("read", path, error)),
    }
}

/// Writes a file that only its owner can read, all or nothing.
pub(crate) fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    make(path.parent().unwrap_or(Path::new(".")))?;
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE_FILE);
    let write = || -> std::io::Result<()> {
        let mut file = options.open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|error| Error::file("write", path, error))
}

fn make(folder: &Path) -> Result<(), Error> {
    build(folder, fs::DirBuilder::new().recursive(true))
}

/// Creates a folder for its owner only. One that exists already may be somebody else's and is an error.
pub(crate) fn make_new(folder: &Path) -> Result<(), Error> {
    build(folder, &mut fs::DirBuilder::new())
}

fn build(folder: &Path, builder: &mut fs::DirBuilder) -> Result<(), Error> {
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, PRIVATE_FOLDER);
    builder.create(folder).map_err(|error| Error::file("make", folder, error))
}

/// The mode of a file that others than its owner may use; nothing if none may.
#[cfg(unix)]
pub(crate) fn open_mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & OTHERS != 0).then_some(mode)
}

#[cfg(not(unix))]
pub(crate) fn open_mode(_: &Path) -> Option<u32> {
    None
}

/// Takes from others what they may do with a path that is there.
fn restrict(path: &Path, mode: u32) {
    let Some(was) = open_mode(path) else { return };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let was = format!("{was:04o}");
        match fs::set_permissions(path, fs::Permissions::from_mode(mode)) {
            Ok(()) => tracing::warn!(path = %path.display(), was, "others could read this; now only its owner can"),
            Err(error) => tracing::warn!(path = %path.display(), was, %error, "others can read this"),
        }
    }
    #[cfg(not(unix))]
    let _ = (was, mode);
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use sprag_storage::testing::Scratch;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_new_folder_is_private_and_ignored() {
        let scratch = Scratch::new("folder").unwrap();
        let folder = scratch.path().join("deep/.sprag");
        prepare(&folder).unwrap();
        assert_eq!((mode(&folder), mode(&folder.join(".gitignore"))), (0o700, 0o600));
        let ignored = fs::read_to_string(folder.join(".gitignore")).unwrap();
        assert_eq!(ignored, "/.gitignore\n/kubeconfig\n/pki\n/store\n/token\n");
    }

    #[test]
    fn an_older_folder_is_closed() {
        let scratch = Scratch::new("older").unwrap();
        let folder = scratch.path().join(".sprag");
        fs::create_dir_all(folder.join("pki")).unwrap();
        for file in ["kubeconfig", "pki/ca.crt", "pki/server.key"] {
            fs::write(folder.join(file), "x").unwrap();
            fs::set_permissions(folder.join(file), fs::Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        prepare(&folder).unwrap();
        assert_eq!((mode(&folder), mode(&folder.join("pki")), mode(&folder.join("kubeconfig"))), (0o700, 0o700, 0o600));
        assert!(!folder.join("pki/server.key").exists(), "it is not used any more");
    }

    #[test]
    fn a_folder_with_other_things_in_it_keeps_its_mode_and_its_files() {
        let scratch = Scratch::new("shared").unwrap();
        fs::write(scratch.path().join("main.go"), "x").unwrap();
        fs::write(scratch.path().join(".gitignore"), "target\n").unwrap();
        fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
        prepare(scratch.path()).unwrap();
        assert_eq!(mode(scratch.path()), 0o755);
        assert_eq!(fs::read_to_string(scratch.path().join(".gitignore")).unwrap(), "target\n");
    }
}
