//! Paths from the root of the input to a value, as the reference keeps them.
//!
//! The reference appends to Go slices that share memory, so that appending to one path can change another: the size
//! of `i.list` in `i.list.all(x, x < i.limit)` is looked up as that of `i.limit`. Estimates decide whether an
//! expression is accepted, so the sharing is kept.

use sprag_value::Text;

/// A path: the memory it is in, and how much of that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path {
    buffer: usize,
    len: usize,
}

/// The memory of all paths of one estimate.
#[derive(Default)]
pub(super) struct Paths {
    buffers: Vec<Buffer>,
}

struct Buffer {
    names: Vec<Text>,
    capacity: usize,
}

impl Paths {
    /// A path of one name.
    pub(super) fn start(&mut self, name: &str) -> Path {
        self.append(None, name)
    }

    /// A path with one more name, in the same memory while there is room.
    pub(super) fn append(&mut self, path: Option<Path>, name: &str) -> Path {
        let (len, capacity) = path.map_or((0, 0), |path| (path.len, self.buffers[path.buffer].capacity));
        if let Some(path) = path
            && len < capacity
        {
            let names = &mut self.buffers[path.buffer].names;
            if len < names.len() {
                names[len] = name.into();
            } else {
                names.push(name.into());
            }
            return Path { buffer: path.buffer, len: len + 1 };
        }
        let mut names = path.map_or_else(Vec::new, |path| self.names(path).to_vec());
        names.push(name.into());
        self.buffers.push(Buffer { names, capacity: (capacity * 2).max(1) });
        Path { buffer: self.buffers.len() - 1, len: len + 1 }
    }

    pub(super) fn names(&self, path: Path) -> &[Text] {
        &self.buffers[path.buffer].names[..path.len]
    }
}

#[cfg(test)]
mod tests {
    use super::Paths;

    #[test]
    fn paths_share_memory_like_go_slices() {
        let mut paths = Paths::default();
        let root = paths.start("self");
        let list = paths.append(Some(root), "items");
        let item = paths.append(Some(list), "@items");
        let first = paths.append(Some(item), "a");
        assert_eq!(paths.names(first).last().unwrap(), "a");
        let second = paths.append(Some(item), "b");
        assert_eq!(paths.names(first).last().unwrap(), "b");
        assert_eq!(paths.names(second).len(), 4);
        assert_eq!(paths.names(list).len(), 2);
    }
}
