//! Which passages of the sources at hand bear on a sub-question, best first.
//!
//! A library ranks its passages over all its documents, which no ranking of the few that were read can do as well: its
//! order is kept. Documents from elsewhere are ranked here.

use std::collections::BTreeMap;

use fathom_evidence::Language;
use fathom_evidence::fusion::{Ranking, fuse};
use fathom_evidence::locate::{LocateSettings, PassageEntry, PassageIndex, PassageKey};
use fathom_evidence::passage::{Passage, PassageId};

use super::{LocateTask, Reading};
use crate::plan::{QueryId, SubQuestionId};
use crate::source::Source;

/// The place of a passage: its reading among those kept, and its place there.
type PassagePosition = (usize, usize);

/// What each query for a sub-question found, with its rank there.
type ByQuery = BTreeMap<QueryId, Vec<(u32, PassagePosition)>>;

/// What the ranking of a query in other words counts beside that of the first.
const OTHER_WORDS: f32 = 0.25;

/// The passages of all readings, ready to be ranked.
pub(super) struct RankedPassages<'r> {
    readings: Vec<&'r Reading>,
    /// Of each sub-question, what searches of a library found for it, best first.
    searched: BTreeMap<SubQuestionId, Vec<PassagePosition>>,
    /// Readings that no search looked into.
    others: RankedHere,
    /// All readings, for a sub-question that no search of a library was made for.
    all: RankedHere,
}

impl<'r> RankedPassages<'r> {
    pub(super) fn new(task: &LocateTask<'_>, readings: Vec<&'r Reading>) -> Self {
        let source = |reading: &Reading| -> Option<&Source> {
            let at = (reading.source.0 as usize).checked_sub(1)?;
            task.sources.get(at).map(AsRef::as_ref)
        };
        let mut found: BTreeMap<SubQuestionId, ByQuery> = BTreeMap::new();
        for (nth, reading) in readings.iter().enumerate() {
            for one in source(reading).iter().flat_map(|source| &source.passages) {
                let asked = task.queries.get(one.query.0 as usize);
                let place = position(reading, &one.passage);
                if let (Some(asked), Some(at)) = (asked, place) {
                    let serves = found.entry(asked.query.serves).or_default();
                    let by_query = serves.entry(one.query).or_default();
                    by_query.push((one.rank, (nth, at)));
                }
            }
        }
        let searched: BTreeMap<SubQuestionId, Vec<PassagePosition>> = found
            .into_iter()
            .map(|(id, by_query)| (id, best_first(by_query)))
            .collect();
        let looked_into =
            |reading: &Reading| source(reading).is_some_and(|source| !source.passages.is_empty());
        let unserved = task.plan.ids().any(|id| !searched.contains_key(&id));
        Self {
            others: RankedHere::new(&readings, task.language, |reading| !looked_into(reading)),
            all: RankedHere::new(&readings, task.language, |_| unserved),
            searched,
            readings,
        }
    }

    pub(super) fn readings(&self) -> &[&'r Reading] {
        &self.readings
    }

    /// The best passages for a sub-question.
    pub(super) fn best(
        &self,
        id: SubQuestionId,
        question: &str,
        most: usize,
    ) -> Vec<(&'r Reading, &'r Passage)> {
        let places = match self.searched.get(&id) {
            None => self.all.ranked(question, most),
            Some(searched) => joined(searched.clone(), self.others.ranked(question, most)),
        };
        let passage = |(reading, at): PassagePosition| {
            let reading: &'r Reading = self.readings.get(reading)?;
            Some((reading, reading.passages.get(at)?))
        };
        places.into_iter().filter_map(passage).take(most).collect()
    }
}

/// The rankings of all queries for one sub-question as one. The first query has the person's own words and counts most: what
/// others add must not push out what it found.
fn best_first(by_query: ByQuery) -> Vec<PassagePosition> {
    let weights = std::iter::once(1.0).chain(std::iter::repeat(OTHER_WORDS));
    let rankings = by_query.into_values().zip(weights);
    let rankings = rankings.map(|(mut places, weight)| {
        places.sort_unstable();
        let places = places.into_iter().map(|(_, place)| (place, 0.0, ()));
        Ranking {
            locator: String::new(),
            weight,
            found: places.collect(),
        }
    });
    let fused = fuse(rankings);
    fused.into_iter().map(|one| one.item).collect()
}

fn position(reading: &Reading, id: &PassageId) -> Option<usize> {
    reading.passages.iter().position(|known| known.id == *id)
}

/// Two rankings as one, by reciprocal ranks.
fn joined(searched: Vec<PassagePosition>, ranked: Vec<PassagePosition>) -> Vec<PassagePosition> {
    let ranking = |name: &str, places: Vec<PassagePosition>| Ranking {
        locator: name.to_owned(),
        weight: 1.0,
        found: places.into_iter().map(|place| (place, 0.0, ())).collect(),
    };
    let fused = fuse(vec![
        ranking("library", searched),
        ranking("sources", ranked),
    ]);
    fused.into_iter().map(|one| one.item).collect()
}

/// An index over some readings.
struct RankedHere {
    index: PassageIndex,
    places: BTreeMap<PassageKey, PassagePosition>,
}

impl RankedHere {
    fn new(readings: &[&Reading], language: Language, wanted: impl Fn(&Reading) -> bool) -> Self {
        let mut entries = Vec::new();
        let mut places = BTreeMap::new();
        for (nth, reading) in readings.iter().enumerate() {
            if !wanted(reading) {
                continue;
            }
            let name = reading.source.0.to_string();
            let own = PassageEntry::from_document(&name, &reading.document, &reading.passages);
            places.extend(own.iter().map(|one| (one.key.clone(), (nth, one.passage))));
            entries.extend(own);
        }
        Self {
            index: PassageIndex::new(entries, language),
            places,
        }
    }

    fn ranked(&self, question: &str, most: usize) -> Vec<PassagePosition> {
        let settings = LocateSettings {
            per_query_top_n: most,
            top_k: most,
            ..LocateSettings::default()
        };
        let found = self.index.locate(question, &settings);
        let place = |candidate: &fathom_evidence::locate::PassageCandidate| {
            self.places.get(&candidate.key).copied()
        };
        found.iter().filter_map(place).collect()
    }
}
