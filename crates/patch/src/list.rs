//! A list whose elements are put in and taken out anywhere at little cost, so that the operations of a patch on a long one
//! do not move all of it each.

/// Pieces are split when they are twice as long.
const PIECE: usize = 512;

/// A list in pieces. None of them is empty, and none is longer than twice [`PIECE`].
#[derive(Clone, Debug)]
pub(crate) struct List<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T> List<T> {
    pub(crate) const fn new() -> List<T> {
        List { pieces: Vec::new(), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, element: T) {
        self.len += 1;
        match self.pieces.last_mut() {
            Some(last) if last.len() < PIECE => last.push(element),
            _ => self.pieces.push(vec![element]),
        }
    }

    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        let (piece, at) = self.find(at)?;
        self.pieces[piece].get_mut(at)
    }

    /// Puts an element before the one at a position, or at the end.
    pub(crate) fn insert(&mut self, at: usize, element: T) {
        let Some((piece, at)) = self.find(at) else { return self.push(element) };
        self.len += 1;
        let found = &mut self.pieces[piece];
        found.insert(at, element);
        if found.len() > 2 * PIECE {
            let rest = found.split_off(PIECE);
            self.pieces.insert(piece + 1, rest);
        }
    }

    pub(crate) fn remove(&mut self, at: usize) -> Option<T> {
        let (piece, at) = self.find(at)?;
        self.len -= 1;
        let element = self.pieces[piece].remove(at);
        if self.pieces[piece].is_empty() {
            self.pieces.remove(piece);
        }
        Some(element)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pieces.iter_mut().flatten()
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = T> {
        self.pieces.into_iter().flatten()
    }

    /// The piece that a position is in, and the position in it.
    fn find(&self, mut at: usize) -> Option<(usize, usize)> {
        if at >= self.len {
            return None;
        }
        for (number, piece) in self.pieces.iter().enumerate() {
            match at.checked_sub(piece.len()) {
                Some(rest) => at = rest,
                None => return Some((number, at)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_what_a_vector_does() {
        let mut list = List::new();
        let mut vector = Vec::new();
        let mut random = 7_u64;
        for number in 0..20_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = usize::try_from(random >> 8).unwrap() % (vector.len() + 1);
            // First it grows, then it shrinks.
            let grows = if number < 12_000 { random % 8 > 1 } else { random % 8 < 2 };
            if grows {
                let at = if random.is_multiple_of(3) { 0 } else { at };
                list.insert(at, number);
                vector.insert(at, number);
            } else if at < vector.len() {
                assert_eq!(list.remove(at), Some(vector.remove(at)));
            } else {
                assert_eq!((list.remove(at), list.get_mut(at)), (None, None));
                list.push(number);
                vector.push(number);
            }
            if at < vector.len() {
                assert_eq!(list.get_mut(at), vector.get_mut(at));
            }
            assert_eq!(list.len(), vector.len());
        }
        assert!(list.pieces.iter().all(|piece| (1..=2 * PIECE).contains(&piece.len())));
        assert!(list.iter().eq(&vector) && list.iter_mut().eq(vector.iter_mut()));
        assert!(list.into_iter().eq(vector));
    }
}
