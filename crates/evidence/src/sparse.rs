//! Learned sparse retrieval: ranks texts by the terms a model gives them.
//!
//! Takes texts and an encoder; gives an index whose score is the dot product of term weights.

use crate::encode::{EncoderError, SparseEncoder};
use crate::fixed_hash::FixedMap;
use crate::inverted::{Hit, Inverted, Rows};

/// An index over encoded texts.
pub struct SparseIndex {
    index: Inverted,
    /// The model's numbers of terms may be large and far apart; these are not.
    ids: FixedMap<u32, u32>,
}

impl SparseIndex {
    /// Encodes the texts in their order; fails with the first that the encoder cannot do.
    pub fn build<T: AsRef<str>>(
        texts: impl IntoIterator<Item = T>,
        encoder: &dyn SparseEncoder,
    ) -> Result<Self, EncoderError> {
        let mut ids = FixedMap::default();
        let mut rows = Rows::default();
        for text in texts {
            let encoded = usable(encoder.encode(text.as_ref())?);
            let known = encoded.into_iter().map(|(term, weight)| {
                let next = ids.len() as u32;
                (*ids.entry(term).or_insert(next), weight)
            });
            rows.push(known.collect::<Vec<_>>());
        }
        Ok(Self {
            index: Inverted::new(rows, |_, weight, _| weight),
            ids,
        })
    }

    /// The best texts, best first; of equal ones the earlier.
    pub fn search(
        &self,
        question: &str,
        top_k: usize,
        encoder: &dyn SparseEncoder,
    ) -> Result<Vec<Hit>, EncoderError> {
        let encoded = usable(encoder.encode_question(question)?);
        let query: Vec<(u32, f32)> = encoded
            .into_iter()
            .filter_map(|(term, weight)| Some((*self.ids.get(&term)?, weight)))
            .collect();
        Ok(self.index.search(&query, top_k))
    }
}

/// Each term once, with a weight above 0: models are not trusted to keep to that.
fn usable(mut encoded: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    encoded.retain(|(_, weight)| weight.is_finite() && *weight > 0.0);
    encoded.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    encoded.dedup_by_key(|(term, _)| *term);
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters as terms; each capital letter weighs 2.
    struct Letters;

    impl SparseEncoder for Letters {
        fn name(&self) -> &str {
            "letters"
        }

        fn encode(&self, text: &str) -> Result<Vec<(u32, f32)>, EncoderError> {
            if text.contains('!') {
                return Err(EncoderError {
                    model: "letters".into(),
                    why: "it is loud".into(),
                });
            }
            let weight = |c: char| if c.is_uppercase() { 2.0 } else { 1.0 };
            let terms = text
                .chars()
                .map(|c| (c.to_ascii_lowercase() as u32, weight(c)));
            Ok(terms.chain([(7, f32::NAN)]).collect())
        }
    }

    #[test]
    fn the_score_is_the_dot_product_of_weights() {
        let index = SparseIndex::build(["ab", "Ab", "c"], &Letters).unwrap();
        let hits = index.search("Axb", 5, &Letters).unwrap();
        let found: Vec<(usize, f32)> = hits.iter().map(|hit| (hit.doc, hit.score)).collect();
        assert_eq!(found, [(1, 5.0), (0, 3.0)]);
    }

    #[test]
    fn what_the_encoder_cannot_do_is_told() {
        let index = SparseIndex::build(["ab"], &Letters).unwrap();
        let error = index.search("!", 5, &Letters).unwrap_err();
        assert_eq!(
            error.to_string(),
            "letters could not encode a text: it is loud"
        );
        assert!(SparseIndex::build(["!"], &Letters).is_err());
    }

    #[test]
    fn nothing_is_found_where_nothing_is_or_nothing_is_known() {
        let none = SparseIndex::build(Vec::<&str>::new(), &Letters).unwrap();
        assert!(none.search("ab", 5, &Letters).unwrap().is_empty());
        let index = SparseIndex::build(["ab", "ab"], &Letters).unwrap();
        assert!(index.search("", 5, &Letters).unwrap().is_empty());
        assert!(index.search("xyz", 5, &Letters).unwrap().is_empty());
        assert!(index.search("a", 0, &Letters).unwrap().is_empty());
        let all = index.search("a", 99, &Letters).unwrap();
        let found: Vec<usize> = all.iter().map(|hit| hit.doc).collect();
        assert_eq!(found, [0, 1]);
    }
}
