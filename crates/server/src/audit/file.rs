//! The file of the audit log, and its rotation.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sprag_value::MicroTime;

use crate::clock::now;

/// When the file is put aside, and how long old ones are kept. Zero stands for no limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    /// The size at which the file is put aside.
    pub(super) megabytes: u64,
    /// The number of files put aside that are kept.
    pub(super) backups: u64,
    /// The time for which they are kept.
    pub(super) days: u64,
}

/// A file that lines are appended to.
pub(super) struct File {
    path: PathBuf,
    rotation: Rotation,
    open: fs::File,
    size: u64,
}

const MEGABYTE: u64 = 1 << 20;
const DAY: Duration = Duration::from_hours(24);

impl File {
    pub(super) fn open(path: &Path, rotation: Rotation) -> io::Result<File> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let open = append_to(path)?;
        let size = open.metadata()?.len();
        Ok(File { path: path.to_owned(), rotation, open, size })
    }

    /// Puts the file aside under a name with the time, and begins another.
    // As upstream's lumberjack.Logger.rotate.
    fn rotate(&mut self) -> io::Result<()> {
        fs::rename(&self.path, self.backup_name(now()))?;
        self.open = append_to(&self.path)?;
        self.size = 0;
        self.remove_old()
    }

    /// `audit-2026-01-31T12-00-00.000.log` for `audit.log`.
    fn backup_name(&self, time: MicroTime) -> PathBuf {
        let time = time.to_string();
        let time = time[..time.len() - "000Z".len()].replace(':', "-");
        let (stem, extension) = self.name_parts();
        self.path.with_file_name(format!("{stem}-{time}{extension}"))
    }

    fn name_parts(&self) -> (String, String) {
        let part = |text: Option<&std::ffi::OsStr>| text.unwrap_or_default().to_string_lossy().into_owned();
        let extension = part(self.path.extension());
        (part(self.path.file_stem()), if extension.is_empty() { extension } else { format!(".{extension}") })
    }

    /// Removes files put aside that are too many or too old.
    fn remove_old(&self) -> io::Result<()> {
        let (stem, extension) = self.name_parts();
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut backups: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let time = name.strip_prefix(&format!("{stem}-")).and_then(|rest| rest.strip_suffix(&extension));
            if time.is_some_and(|time| time.len() == "2026-01-31T12-00-00.000".len() && time.as_bytes()[10] == b'T') {
                backups.push(entry.path());
            }
        }
        // The newest first: names sort by time.
        backups.sort_unstable_by(|a, b| b.cmp(a));
        let most = usize::try_from(self.rotation.backups).unwrap_or(usize::MAX);
        let age = Duration::from_secs(DAY.as_secs().saturating_mul(self.rotation.days));
        for (at, path) in backups.iter().enumerate() {
            let is_old = || {
                let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
                modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|elapsed| elapsed > age))
            };
            if (most > 0 && at >= most) || (self.rotation.days > 0 && is_old()) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

impl Write for File {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let limit = self.rotation.megabytes.saturating_mul(MEGABYTE);
        if limit > 0 && self.size > 0 && self.size + line.len() as u64 > limit {
            self.rotate()?;
        }
        let written = self.open.write(line)?;
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open.flush()
    }
}

/// Opens a file that only its owner may read: it can hold what secrets hold.
fn append_to(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_is_put_aside_and_few_are_kept() {
        let folder = sprag_storage::testing::Scratch::new("audit").unwrap();
        let path = folder.path().join("logs/audit.log");
        let mut file = File::open(&path, Rotation { megabytes: 1, backups: 2, days: 1 }).unwrap();
        fs::write(path.with_file_name("audit-notes.log"), "mine").unwrap();
        let line = vec![b'x'; 700 << 10];
        for _ in 0..5 {
            file.write_all(&line).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut names: Vec<String> = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names.len(), 4, "two that were put aside, the notes and the log: {names:?}");
        assert_eq!(names[2..], ["audit-notes.log", "audit.log"]);
        assert_eq!(fs::metadata(&path).unwrap().len(), line.len() as u64);
        assert_eq!(
            file.backup_name(MicroTime::from_unix(1, 5_000_000)).file_name().unwrap(),
            "audit-1970-01-01T00-00-01.005.log"
        );
    }

    #[test]
    fn without_a_limit_everything_is_in_one_file() {
        let folder = sprag_storage::testing::Scratch::new("audit").unwrap();
        let path = folder.path().join("audit");
        for _ in 0..2 {
            let mut file = File::open(&path, Rotation { megabytes: 0, backups: 0, days: 0 }).unwrap();
            file.write_all(&vec![b'x'; 2 << 20]).unwrap();
        }
        assert_eq!(fs::metadata(&path).unwrap().len(), 4 << 20);
    }
}
