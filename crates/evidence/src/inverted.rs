//! An inverted index in memory: for each term the texts that have it, and how much it weighs there.
//!
//! Takes rows (the terms of each text with a count or weight); gives scores of all texts for a
//! weighted query, and the best of them. What a term is and how it is weighed is left to those who
//! build one: words ([`crate::bm25`]), characters ([`crate::ngrams`]).

mod best;

pub use best::best;

/// A text that was found, by its number in the order of building.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The text's number, from 0 in the order of building.
    pub doc: usize,
    /// Comparable within one index only.
    pub score: f32,
}

/// The terms of each text, text after text.
#[derive(Default)]
pub(crate) struct Rows {
    /// Where each text's terms end.
    ends: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>) {
        self.entries.extend(entries);
        self.ends.push(self.entries.len());
    }

    /// The terms of one text with their counts; none for a text that is not there.
    pub(crate) fn row(&self, doc: usize) -> &[(u32, f32)] {
        let start = match doc.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let end = self.ends.get(doc).copied();
        start
            .zip(end)
            .and_then(|(start, end)| self.entries.get(start..end))
            .unwrap_or(&[])
    }

    fn iter(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        (0..self.len()).map(|doc| self.row(doc))
    }
}

/// Counts the terms of one text after another without clearing a table in between.
#[derive(Default)]
pub(crate) struct Counter {
    counts: Vec<f32>,
    met: Vec<u32>,
}

impl Counter {
    pub(crate) fn add(&mut self, term: u32, weight: f32) {
        let at = term as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0.0);
        }
        if let Some(count) = self.counts.get_mut(at) {
            if *count == 0.0 {
                self.met.push(term);
            }
            *count += weight;
        }
    }

    /// The terms and their counts in the order in which they were met; the counter is empty after.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (u32, f32)> {
        let counts = &mut self.counts;
        self.met.drain(..).map(|term| {
            let count = counts.get_mut(term as usize).map(std::mem::take);
            (term, count.unwrap_or_default())
        })
    }
}

#[derive(Clone, Copy, Default)]
struct Posting {
    doc: u32,
    weight: f32,
}

/// Rows turned round.
pub(crate) struct Inverted {
    texts: usize,
    /// Where the postings of each term end.
    ends: Vec<usize>,
    postings: Vec<Posting>,
}

impl Inverted {
    /// `weigh` gets the text's number, the count there, and in how many texts the term stands.
    pub(crate) fn new(rows: Rows, weigh: impl Fn(usize, f32, usize) -> f32) -> Self {
        let terms = rows.entries.iter().map(|(term, _)| *term as usize + 1);
        let mut starts = vec![0_usize; terms.max().unwrap_or(0) + 1];
        for (term, _) in &rows.entries {
            starts[*term as usize + 1] += 1;
        }
        let frequencies: Vec<usize> = starts.iter().skip(1).copied().collect();
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut postings = vec![Posting::default(); rows.entries.len()];
        for (doc, row) in rows.iter().enumerate() {
            for (term, count) in row {
                let term = *term as usize;
                postings[starts[term]] = Posting {
                    doc: doc as u32,
                    weight: weigh(doc, *count, frequencies[term]),
                };
                starts[term] += 1;
            }
        }
        // Each start has moved to its term's end.
        starts.pop();
        Self {
            texts: rows.len(),
            ends: starts,
            postings,
        }
    }

    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.texts
    }

    /// In how many texts a term stands.
    pub(crate) fn frequency(&self, term: u32) -> usize {
        self.postings_of(term).len()
    }

    /// What a term weighs in a text; 0 where it does not stand.
    pub(crate) fn weight(&self, term: u32, doc: usize) -> f32 {
        let postings = self.postings_of(term);
        let found = postings.binary_search_by_key(&doc, |posting| posting.doc as usize);
        found
            .ok()
            .and_then(|at| postings.get(at))
            .map_or(0.0, |posting| posting.weight)
    }

    /// The score of every text: the sum over the query's terms of weight there times weight here.
    pub(crate) fn scores(&self, query: &[(u32, f32)]) -> Vec<f32> {
        let mut scores = vec![0.0_f32; self.len()];
        for (term, factor) in query {
            for posting in self.postings_of(*term) {
                if let Some(score) = scores.get_mut(posting.doc as usize) {
                    *score += factor * posting.weight;
                }
            }
        }
        scores
    }

    pub(crate) fn search(&self, query: &[(u32, f32)], top_k: usize) -> Vec<Hit> {
        best(&self.scores(query), top_k)
    }

    fn postings_of(&self, term: u32) -> &[Posting] {
        let at = term as usize;
        let start = match at.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let end = self.ends.get(at).copied();
        start
            .zip(end)
            .and_then(|(start, end)| self.postings.get(start..end))
            .unwrap_or(&[])
    }
}
