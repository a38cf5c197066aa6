//! What a sub-question is after: the terms that an answer has, and what sort of answer it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use fathom_evidence::terms::Terms;
use fathom_evidence::validate::times::NamedTimes;
use fathom_evidence::{Language, question};

use crate::measure::Measure;
use crate::plan::{Plan, SubQuestionId};
use crate::question::Question;
use crate::words;

/// What a term of the whole question counts beside one of the sub-question itself.
const WHOLE_SHARE: f64 = 0.5;

/// A sub-question is looked for by its own text, so many of its queries, and once with words that mean the same.
const QUERIES_MOST: usize = 2;

/// Words of the sort of answer that join the widened question.
const CUES_MOST: usize = 6;

/// Of each term, the terms that may stand for it.
static SYNONYMS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let terms = Terms::new(Language::ENGLISH);
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for group in words::lists("synonyms") {
        let group: BTreeSet<String> = group.iter().map(|word| terms.term(word)).collect();
        for term in &group {
            let others = group.iter().filter(|other| *other != term).cloned();
            all.entry(term.clone()).or_default().extend(others);
        }
    }
    all
});

/// Of each term, the terms of the units that tell of it.
static UNITS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let terms = Terms::new(Language::ENGLISH);
    let named = words::named("told by");
    named
        .map(|(thing, units)| {
            let units = units.iter().map(|unit| terms.term(unit));
            (terms.term(thing), units.collect())
        })
        .collect()
});

static GENERIC: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let terms = Terms::new(Language::ENGLISH);
    words::all("generic").map(|word| terms.term(word)).collect()
});

pub(super) struct QuestionProfile {
    pub(super) id: SubQuestionId,
    /// The sub-question itself.
    pub(super) text: String,
    /// What passages are looked for with.
    pub(super) asks: Vec<String>,
    /// Terms and what each counts before its rarity.
    pub(super) terms: BTreeMap<String, f64>,
    /// What the question turns on, unless this sub-question asks for something else: a sentence that says nothing
    /// of it is on another matter.
    pub(super) core: BTreeSet<String>,
    /// The name of the sort of answer; nothing where the words do not tell.
    pub(super) aspect: Option<&'static str>,
    /// What the question wants measured, and the times it names.
    pub(super) measure: Measure,
    pub(super) when: NamedTimes,
    /// The terms of what the question is about, and of each of those that it compares.
    pub(super) subject: BTreeSet<String>,
    pub(super) compared: Vec<BTreeSet<String>>,
}

impl QuestionProfile {
    pub(super) fn new(
        id: SubQuestionId,
        plan: &Plan,
        question: &Question,
        terms: &Terms,
    ) -> Option<Self> {
        let text = &plan.sub_question(id)?.text;
        let queries = plan.queries.iter().filter(|query| query.serves == id);
        let mut asks = vec![text.clone()];
        for query in queries.take(QUERIES_MOST) {
            if !asks.contains(&query.text) {
                asks.push(query.text.clone());
            }
        }
        let whole: BTreeSet<String> = terms.telling(question.text()).into_iter().collect();
        let mut wanted = BTreeMap::new();
        for term in &whole {
            wanted.insert(term.clone(), WHOLE_SHARE);
        }
        // A word of a template is wanted only where the asker used it too.
        for term in asks.iter().flat_map(|ask| terms.telling(ask)) {
            if whole.contains(&term) || !GENERIC.contains(&term) {
                wanted.insert(term, 1.0);
            }
        }
        if wanted.len() > 1 {
            wanted.retain(|term, _| !GENERIC.contains(term) || whole.len() == 1);
        }
        let core = core(question.text(), text, terms);
        let aspect = aspect(text);
        asks.push(widened(&wanted, aspect));
        let reading = question::read(question.text());
        let telling = |text: &str| terms.telling(text).into_iter().collect();
        Some(Self {
            id,
            text: text.clone(),
            asks,
            terms: wanted,
            core,
            aspect,
            measure: Measure::parse(question.text()),
            when: NamedTimes::read(question.text()),
            subject: reading.subject.as_deref().map(telling).unwrap_or_default(),
            compared: reading.compared.iter().map(|one| telling(one)).collect(),
        })
    }
}

/// The terms that a question turns on: those of the outcome, else of what is said of the subject, else of what is
/// asked of it ("what does a tree cost" turns on the cost), else of the subject.
fn core(question: &str, sub_question: &str, terms: &Terms) -> BTreeSet<String> {
    let telling = |text: &str| -> BTreeSet<String> { terms.telling(text).into_iter().collect() };
    let reading = question::read(question);
    let subject = reading.subject.as_deref().map(telling).unwrap_or_default();
    let said = reading
        .statement
        .as_deref()
        .map(telling)
        .unwrap_or_default();
    let said: BTreeSet<String> = said.difference(&subject).cloned().collect();
    let whole = telling(question);
    let asked = whole.difference(&subject);
    let asked: BTreeSet<String> = asked
        .filter(|term| !GENERIC.contains(*term))
        .cloned()
        .collect();
    let core = match reading.outcome.as_deref().map(telling) {
        Some(outcome) => outcome,
        None if !said.is_empty() => said,
        None if !subject.is_empty() && !asked.is_empty() => asked,
        None => subject,
    };
    let core = if core.is_empty() { whole.clone() } else { core };
    let own = telling(sub_question);
    let own_matter = |term: &&String| !whole.contains(*term) && !GENERIC.contains(*term);
    let elsewhere = own.iter().filter(own_matter).count() > 0 && own.is_disjoint(&core);
    let others = words::holds(&sub_question.to_lowercase(), "other");
    if elsewhere || others {
        BTreeSet::new()
    } else {
        core
    }
}

/// What is wanted, with words that mean the same and words of the sort of answer.
fn widened(wanted: &BTreeMap<String, f64>, aspect: Option<&str>) -> String {
    let mut said: Vec<&str> = wanted.keys().map(String::as_str).collect();
    let alike: BTreeSet<&str> = wanted
        .keys()
        .flat_map(|term| synonyms(term))
        .map(String::as_str)
        .collect();
    said.extend(alike);
    let cues = aspect.map_or(&[][..], |aspect| words::list("cues", aspect));
    said.extend(cues.iter().take(CUES_MOST));
    said.join(" ")
}

/// What sort of answer a sub-question wants, by its words.
fn aspect(text: &str) -> Option<&'static str> {
    // What is quoted in it is the asker's own question.
    let lower = text.to_lowercase();
    let own = match (lower.find('“'), lower.rfind('”')) {
        (Some(open), Some(close)) if open < close => {
            let after = close + '”'.len_utf8();
            format!("{}{}", &lower[..open], &lower[after..])
        }
        _ => lower,
    };
    let mut aspects = words::named("aspects");
    let fits = |said: &&[&str]| said.iter().any(|word| words::holds(&own, word));
    aspects.find(|(_, said)| fits(said)).map(|(name, _)| name)
}

/// The terms that may stand for a term.
pub(crate) fn synonyms(term: &str) -> impl Iterator<Item = &'static String> {
    SYNONYMS.get(term).into_iter().flatten()
}

/// The terms of the units by which a sentence tells of a thing without its name.
pub(super) fn units_of(term: &str) -> impl Iterator<Item = &'static String> {
    UNITS.get(term).into_iter().flatten()
}
