//! Hash maps and sets that are the same in every process.
//!
//! The maps of the standard library hash with a random state, so that a walk through one gives another order in every
//! process. Here the state is fixed. Text that was made to collide makes a map slow, not wrong, and the limits on the
//! size of documents bound how slow.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

pub(crate) type FixedMap<K, V> = HashMap<K, V, FixedState>;
pub(crate) type FixedSet<T> = HashSet<T, FixedState>;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn two_maps_walk_in_the_same_order() {
        let map =
            || -> FixedMap<String, usize> { (0..100).map(|n| (format!("w{n}"), n)).collect() };
        assert!(map().into_iter().eq(map()));
    }

    #[test]
    fn no_other_hash_map_is_used_in_this_crate() {
        fn check(folder: &Path) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    check(&path);
                } else if path.extension().is_some_and(|end| end == "rs")
                    && !path.ends_with("fixed_hash.rs")
                {
                    let code = std::fs::read_to_string(&path).unwrap();
                    for random in ["HashMap", "HashSet", "RandomState"] {
                        assert!(!code.contains(random), "{} uses {random}", path.display());
                    }
                }
            }
        }
        check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    }
}
