//! Numbers strings in the order in which they are first met.
//!
//! Every word of every text is looked up in one of these, and most of the time that takes is spent waiting for memory. So all
//! strings lie in one text, the frequent ones near its beginning since they are met first, and the table holds numbers alone.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Strings with their numbers.
#[derive(Default)]
pub(crate) struct Interner {
    strings: Strings,
    table: HashTable<u32>,
}

#[derive(Default)]
struct Strings {
    hasher: FixedState,
    text: String,
    /// Where each string ends in the text.
    ends: Vec<usize>,
}

impl Strings {
    fn get(&self, number: u32) -> Option<&str> {
        let number = number as usize;
        let before = number.checked_sub(1).and_then(|at| self.ends.get(at));
        let start = before.copied().unwrap_or_default();
        self.text.get(start..*self.ends.get(number)?)
    }

    fn hash(&self, string: &str) -> u64 {
        self.hasher.hash_one(string)
    }
}

impl Interner {
    /// How many strings were met.
    pub(crate) fn len(&self) -> usize {
        self.strings.ends.len()
    }

    /// The string that has this number.
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        self.strings.get(number)
    }

    /// All strings in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..).map_while(|number| self.get(number))
    }

    /// The number of a string that was met.
    pub(crate) fn find(&self, string: &str) -> Option<u32> {
        let same = |number: &u32| self.get(*number) == Some(string);
        let found = self.table.find(self.strings.hash(string), same);
        found.copied()
    }

    /// The number of a string: the next one, [`Interner::len`], where it was not met before.
    pub(crate) fn number(&mut self, string: &str) -> u32 {
        if let Some(known) = self.find(string) {
            return known;
        }
        // Texts have fewer than 2^32 bytes long before they have as many words.
        let number = self.len() as u32;
        self.strings.text.push_str(string);
        self.strings.ends.push(self.strings.text.len());
        let strings = &self.strings;
        let again = |other: &u32| strings.hash(strings.get(*other).unwrap_or_default());
        self.table
            .insert_unique(strings.hash(string), number, again);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_numbered_as_they_are_met() {
        let mut interner = Interner::default();
        let words: Vec<String> = (0..2_000).map(|nth| format!("Wörter{nth}")).collect();
        for _ in 0..2 {
            for (nth, word) in (0..).zip(&words) {
                assert_eq!(interner.number(word), nth);
            }
        }
        assert_eq!(interner.len(), words.len());
        assert!(interner.iter().eq(&words));
        assert_eq!(interner.find("Wörter1999"), Some(1_999));
        assert_eq!((interner.find("Wörter"), interner.get(2_000)), (None, None));
        assert_eq!(interner.number(""), 2_000);
        assert_eq!(interner.get(2_000), Some(""));
    }
}
