//! The passages that have a term, and how often: one list of bytes a term.

use super::bytes::{ByteReader, put_number};

/// A list under construction. Passages are added in rising order.
#[derive(Clone, Default)]
pub(super) struct PostingList {
    passages: u32,
    /// One more than the last passage.
    next: u32,
    bytes: Vec<u8>,
}

impl PostingList {
    pub(super) fn push(&mut self, passage: u32, count: u32) {
        let gap = u64::from(passage.saturating_sub(self.next));
        // Most words stand once: then the count needs no byte.
        put_number(&mut self.bytes, gap << 1 | u64::from(count == 1));
        if count != 1 {
            put_number(&mut self.bytes, u64::from(count));
        }
        self.next = passage + 1;
        self.passages += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.passages == 0
    }

    /// As it is kept.
    pub(super) fn encoded(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.bytes.len() + 5);
        put_number(&mut all, u64::from(self.passages));
        all.extend_from_slice(&self.bytes);
        all
    }
}

/// A kept list.
#[derive(Clone, Copy)]
pub(super) struct Postings<'b>(&'b [u8]);

impl<'b> Postings<'b> {
    pub(super) fn new(encoded: &'b [u8]) -> Self {
        Self(encoded)
    }

    /// How many passages have the term.
    pub(super) fn passages(&self) -> usize {
        ByteReader::new(self.0).number().unwrap_or_default() as usize
    }

    /// Hands over each passage with its count.
    pub(super) fn each(&self, mut take: impl FnMut(u32, u32)) {
        let mut reader = ByteReader::new(self.0);
        let passages = reader.number().unwrap_or_default();
        let mut next = 0_u32;
        for _ in 0..passages {
            let Some(gap) = reader.number() else { return };
            let count = match gap & 1 {
                1 => Some(1),
                _ => reader.number(),
            };
            let Some(count) = count else { return };
            let passage = next.saturating_add((gap >> 1) as u32);
            take(passage, count as u32);
            next = passage.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_made() {
        let given = [(0, 1), (1, 3), (500, 1), (100_000, 70)];
        let mut list = PostingList::default();
        for (passage, count) in given {
            list.push(passage, count);
        }
        let encoded = list.encoded();
        let kept = Postings::new(&encoded);
        assert_eq!(kept.passages(), given.len());
        let mut read = Vec::new();
        kept.each(|passage, count| read.push((passage, count)));
        assert_eq!(read, given);
        // A list that was cut off gives what is left of it.
        let mut left = 0;
        Postings::new(&encoded[..3]).each(|_, _| left += 1);
        assert_eq!(left, 1);
    }
}
