//! Vectors of passages: what an encoder makes of them, kept small, and compared with that of a query one by one.
//!
//! A number of a vector is kept in one byte, with a scale for each vector. They lie by the blocks of passages, so that a text
//! that is moved keeps them and one that is gone takes them along. Search reads them all: it is exact, and takes longer
//! the more there are.

use rusqlite::{Connection, params};

use super::passage_block::{PassagePlace, unpack};
use super::snapshot::Snapshot;

/// Bytes before the numbers of a vector: its scale.
const SCALE_BYTES: usize = size_of::<f32>();

/// Numbers of a query's vector are rounded to so many steps. The sum over a vector stays within 32 bits.
const QUERY_STEPS: f32 = 8_000.0;

/// Passages that an encoder is to encode: one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnencodedPassages {
    block: i64,
    /// Their texts, each after the heading that it stands under.
    pub texts: Vec<String>,
}

/// A query as a vector of length 1, with the model that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryVector {
    /// Only vectors of the same model can be compared with it.
    pub model: String,
    /// Its numbers.
    pub values: Vec<f32>,
}

/// How near each passage is to a query.
pub(super) struct Similarities {
    /// Of each passage; nothing for those without a vector.
    values: Vec<Option<f32>>,
    /// How many have one.
    pub(super) known: usize,
}

impl Similarities {
    pub(super) fn get(&self, passage: usize) -> Option<f32> {
        self.values.get(passage).copied().flatten()
    }

    /// The nearest passages, nearest first.
    pub(super) fn best(&self, most: usize) -> Vec<usize> {
        // The best of many are looked for among numbers above 0; what is farther away is no match.
        let values: Vec<f32> = self.values.iter().map(|one| one.unwrap_or(0.0)).collect();
        let best = fathom_evidence::best(&values, most);
        best.into_iter().map(|hit| hit.doc).collect()
    }

    pub(super) fn read(
        connection: &Connection,
        snapshot: &Snapshot,
        query: &QueryVector,
    ) -> rusqlite::Result<Self> {
        let mut values = vec![None; snapshot.lengths.len()];
        let mut known = 0;
        let asked: Vec<i16> = query
            .values
            .iter()
            .map(|one| step(*one, QUERY_STEPS))
            .collect();
        let wanted = "SELECT block, body FROM vectors WHERE model = ?1";
        let mut rows = connection.prepare_cached(wanted)?;
        let mut rows = rows.query([&query.model])?;
        while let Some(row) = rows.next()? {
            let place = PassagePlace::from_key(row.get(0)?);
            let Some(first) = snapshot.first_passage(place.text) else {
                continue;
            };
            let at = (first + place.number) as usize;
            let bodies = row
                .get_ref(1)?
                .as_blob()?
                .chunks_exact(SCALE_BYTES + asked.len());
            let places = values.get_mut(at..).unwrap_or_default();
            for (value, body) in places.iter_mut().zip(bodies) {
                *value = Some(similarity(&asked, body));
                known += 1;
            }
        }
        Ok(Self { values, known })
    }
}

/// The blocks of the first texts that have no vectors of a model, so many at most.
pub(super) fn unencoded(
    connection: &Connection,
    model: &str,
    blocks: usize,
) -> rusqlite::Result<Vec<UnencodedPassages>> {
    let mut wanted = connection.prepare_cached(
        "SELECT blocks.id, blocks.body FROM blocks
         WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE model = ?1 AND block = blocks.id)
         ORDER BY blocks.id LIMIT ?2",
    )?;
    let mut title =
        connection.prepare_cached("SELECT coalesce(title, '') FROM texts WHERE id = ?1")?;
    let mut rows = wanted.query(params![model, blocks as i64])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let block: i64 = row.get(0)?;
        let text = PassagePlace::from_key(block).text;
        let title: String = title.query_row([text], |row| row.get(0))?;
        let passages = unpack(row.get_ref(1)?.as_blob()?).into_iter();
        let texts = passages.map(|one| {
            let heading = one.sections.last().unwrap_or(&title);
            format!("{heading}. {}", one.text)
        });
        all.push(UnencodedPassages {
            block,
            texts: texts.collect(),
        });
    }
    Ok(all)
}

/// Keeps the vectors of a block, unless its text is gone by now.
pub(super) fn keep(
    connection: &Connection,
    model: &str,
    passages: &UnencodedPassages,
    vectors: &[Vec<f32>],
) -> rusqlite::Result<()> {
    let body: Vec<u8> = vectors.iter().flat_map(|vector| packed(vector)).collect();
    let keep = "INSERT OR REPLACE INTO vectors (model, block, passages, body)
                SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM blocks WHERE id = ?2)";
    let row = params![model, passages.block, vectors.len() as i64, body];
    connection.prepare_cached(keep)?.execute(row).map(drop)
}

/// How many passages have a vector of the model that made most of them.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<i64> {
    let wanted = "SELECT coalesce(max(passages), 0) FROM (SELECT sum(passages) AS passages FROM vectors GROUP BY model)";
    connection
        .prepare_cached(wanted)?
        .query_row([], |row| row.get(0))
}

fn packed(vector: &[f32]) -> Vec<u8> {
    let largest = vector
        .iter()
        .fold(f32::MIN_POSITIVE, |most, one| most.max(one.abs()));
    let scale = largest / f32::from(i8::MAX);
    let numbers = vector.iter().map(|one| step(*one, 1.0 / scale) as i8 as u8);
    scale.to_le_bytes().into_iter().chain(numbers).collect()
}

fn step(value: f32, steps: f32) -> i16 {
    (value * steps).round() as i16
}

fn similarity(query: &[i16], packed: &[u8]) -> f32 {
    let Some((scale, numbers)) = packed.split_first_chunk::<SCALE_BYTES>() else {
        return 0.0;
    };
    let pairs = query.iter().zip(numbers);
    let sum: i32 = pairs
        .map(|(one, other)| i32::from(*one) * i32::from(*other as i8))
        .sum();
    sum as f32 * f32::from_le_bytes(*scale) / QUERY_STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_vector_gives_nearly_the_same_similarity() {
        let vector = |seed: u32| -> Vec<f32> {
            let values = (0..384_u32).map(|n| ((n * 7919 + seed * 104_729) % 1000) as f32 - 499.5);
            let values: Vec<f32> = values.collect();
            let length = values.iter().map(|one| one * one).sum::<f32>().sqrt();
            values.iter().map(|one| one / length).collect()
        };
        let query = vector(1);
        let asked: Vec<i16> = query.iter().map(|one| step(*one, QUERY_STEPS)).collect();
        for seed in 1..20 {
            let other = vector(seed);
            let exact: f32 = query.iter().zip(&other).map(|(a, b)| a * b).sum();
            let kept = similarity(&asked, &packed(&other));
            assert!((exact - kept).abs() < 0.005, "{exact} {kept}");
        }
        assert_eq!(similarity(&asked, b"12"), 0.0);
    }

    #[test]
    fn the_largest_sum_fits() {
        let most = i64::from(i8::MAX) * (QUERY_STEPS as i64) * 16;
        // A vector of length 1 has numbers whose sum is at most the root of their count: 64 for 4096 of them.
        assert!(most * 4 < i64::from(i32::MAX));
    }
}
