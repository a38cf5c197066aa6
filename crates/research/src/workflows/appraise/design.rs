//! What kind of study a document reports, and whether RoB 2 is the tool for it.

use std::sync::LazyLock;

use super::article::{Article, ArticleSentence, ReportPart};
use super::patterns::{self, PatternLine};

static SIGNS: LazyLock<Vec<PatternLine>> =
    LazyLock::new(|| patterns::read(include_str!("design.txt")));

/// How many sentences speak of the future before a document is taken for a protocol.
const PLANS_LEAST: usize = 4;

/// So many sentences on the future make a protocol of a document without results, even if it calls its trial randomised.
const PLANS_MANY: usize = 5;

/// So many sentences with the words of trials make a text with plans the plan of a trial; manuals have plans too.
const TRIAL_WORDS_LEAST: usize = 2;

/// How a review or an observational study shows itself in the body, where the title does not.
const SIGNS_LEAST: usize = 2;

/// Sentences at the beginning that say what kind of study it is.
const OPENING_SENTENCES: usize = 12;

/// How many sentences on this trial have a sign of the group.
pub(super) fn count(article: &Article, group: &str) -> usize {
    own(article)
        .filter(|one| sign(group, &one.plain).is_some())
        .count()
}

/// The sentences on this trial.
fn own(article: &Article) -> impl Iterator<Item = &ArticleSentence> {
    let all = article.sentences.iter();
    all.filter(|one| one.is_on_this_trial())
}

fn sign(group: &str, plain: &str) -> Option<&'static PatternLine> {
    let mut signs = SIGNS.iter();
    signs.find(|line| line.group == group && line.is_in(plain))
}

/// Why a document cannot be appraised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// What it looks like, and by what.
    pub(super) why: String,
    /// Whether it is the plan of a trial: a protocol or a register entry, which belongs beside the report.
    pub(super) is_plan: bool,
}

impl Refusal {
    fn plan(why: &str) -> Self {
        let why = why.to_owned();
        Self { why, is_plan: true }
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        let is_plan = false;
        Self { why, is_plan }
    }
}

const PROTOCOL: &str = "it looks like the protocol of a trial: it says what will be done and reports no result. Appraise the report \
                        of the results, and give this file as --protocol";
const REGISTER_ENTRY: &str = "it looks like the entry of a trial in a register, which reports no result. Appraise the report of the \
                              results, and give this file as --protocol";
const OF_OTHERS: &str = "it has neither methods nor results of its own and speaks of the trials of others, so it looks like a review \
                         or commentary, not like the report of a randomised trial";
const BY_RULE: &str = "its groups were formed by a rule (in turn, by number or by place), not at random, so it is not a randomised \
                       trial. ROBINS-I is the tool for such studies";
const NOT_RANDOM: &str =
    "it says that participants were not assigned at random. ROBINS-I is the tool for such studies";
const NOT_ASSIGNED: &str = "no sentence says that participants were assigned at random, so it is not the report of a randomised trial";

/// What keeps a document from being appraised, if anything does.
pub(super) fn refusal(article: &Article, title: Option<&str>) -> Option<Refusal> {
    let title = patterns::plain(title.unwrap_or_default());
    let assigned = count(article, "assigned");
    if let Some(why) = plan(article, &title, assigned) {
        return Some(Refusal::plan(why));
    }
    if let Some(kind) = other_kind(article, &title, assigned) {
        let why = format!("it looks like {kind}, not like the report of a randomised trial");
        return Some(why.into());
    }
    let has = |part| article.parts.contains(&part);
    // Some who were not randomised are told of in trials too.
    let why = if count(article, "not random") > 0 && !is_designed(article, "assigned") {
        NOT_RANDOM
    } else if assigned == 0 && count(article, "by rule") > 0 {
        BY_RULE
    } else if assigned == 0 {
        NOT_ASSIGNED
    } else if !article.parts.is_empty()
        && !has(ReportPart::Methods)
        && !has(ReportPart::Results)
        && count(article, "own") == 0
    {
        OF_OTHERS
    } else {
        return None;
    };
    Some(why.to_owned().into())
}

/// Why a document is the plan of a trial and no report of it.
fn plan(article: &Article, title: &str, assigned: usize) -> Option<&'static str> {
    if article.parts.contains(&ReportPart::Results) && assigned > 0 {
        return None;
    }
    let planned = count(article, "planned");
    let titled = sign("protocol", title).is_some();
    let only_plans = assigned == 0 && (planned >= PLANS_LEAST || titled && planned > 0);
    let on_trial = titled || count(article, "trial") >= TRIAL_WORDS_LEAST;
    if on_trial && (only_plans || planned >= PLANS_MANY) {
        return Some(PROTOCOL);
    }
    let registered = sign("register", title).is_some() || count(article, "register") > 0;
    let fields = count(article, "register field");
    (registered && fields >= SIGNS_LEAST).then_some(REGISTER_ENTRY)
}

/// The kind of study that a document reports where that is no randomised trial, in words for people.
fn other_kind(article: &Article, title: &str, assigned: usize) -> Option<&'static str> {
    let opening = article
        .sentences
        .iter()
        .take_while(|one| matches!(one.part, ReportPart::Unknown | ReportPart::Abstract));
    for group in ["review", "pooled", "observational", "animal"] {
        let by_title = sign(group, title);
        let in_opening = || {
            let mut first = opening.clone().take(OPENING_SENTENCES);
            first.find_map(|one| sign(group, &one.plain))
        };
        let found = match (group, assigned) {
            // A review speaks of trials that were randomised; others do not.
            ("review", _) => by_title.or_else(|| in_body(article, "searched")),
            ("pooled", _) => by_title.or_else(|| in_body(article, group)),
            // Animals may be randomised, but the tool is for people.
            ("animal", 1..) => own(article).find_map(|one| sign("animals assigned", &one.plain)),
            (_, 0) => by_title
                .or_else(in_opening)
                .or_else(|| in_body(article, group)),
            _ => None,
        };
        if let Some(line) = found {
            return Some(&line.words);
        }
    }
    None
}

/// A sign that enough sentences of the body have.
fn in_body(article: &Article, group: &str) -> Option<&'static PatternLine> {
    let mut found = own(article).filter_map(|one| sign(group, &one.plain));
    found.nth(SIGNS_LEAST - 1)
}

/// Whether a report says of its own trial that it has this design: at the beginning or in the methods, or twice anywhere.
fn is_designed(article: &Article, group: &str) -> bool {
    let telling = |one: &&ArticleSentence| {
        matches!(
            one.part,
            ReportPart::Unknown | ReportPart::Abstract | ReportPart::Methods
        )
    };
    let mut told = article.sentences.iter().filter(telling);
    told.any(|one| sign(group, &one.plain).is_some()) || count(article, group) >= SIGNS_LEAST
}

/// A note for designs that need another variant of the tool.
pub(super) fn variant_note(article: &Article) -> Option<String> {
    let (group, words) = if is_designed(article, "cluster") {
        (
            "cluster-randomised trial",
            "a further domain on when participants were recruited",
        )
    } else if is_designed(article, "crossover") {
        (
            "crossover trial",
            "a further domain on period and carry-over effects",
        )
    } else {
        return None;
    };
    Some(format!(
        "This looks like a {group}. RoB 2 has a variant of its own for it, with {words}; the judgements here follow the tool \
         for parallel groups and need that part added."
    ))
}

/// What is missing from a report that has headings.
pub(super) fn missing_parts(article: &Article) -> Option<String> {
    if article.parts.is_empty() {
        return Some(
            "The text has no headings that are known, so sections could not be told apart."
                .to_owned(),
        );
    }
    (!article.parts.contains(&ReportPart::Methods)).then(|| {
        "No methods section was found: questions about how the trial was run may be unanswered for that reason alone.".to_owned()
    })
}
