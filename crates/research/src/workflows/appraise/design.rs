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

/// How a review or an observational study shows itself in the body, where the title does not.
const SIGNS_LEAST: usize = 2;

/// Sentences at the beginning that say what kind of study it is.
const OPENING_SENTENCES: usize = 12;

/// How many sentences on this trial have a sign of the group.
pub(super) fn count(article: &Article, group: &str) -> usize {
    let said = article
        .sentences
        .iter()
        .filter(|one| one.is_on_this_trial());
    said.filter(|one| sign(group, &one.plain).is_some()).count()
}

fn sign(group: &str, plain: &str) -> Option<&'static PatternLine> {
    let mut signs = SIGNS.iter();
    signs.find(|line| line.group == group && line.is_in(plain))
}

/// Why a document cannot be appraised: what it looks like, and by what.
pub(super) fn refusal(article: &Article, title: Option<&str>) -> Option<String> {
    let title = patterns::plain(title.unwrap_or_default());
    let assigned = count(article, "assigned");
    let planned = count(article, "planned");
    let titled_protocol = sign("protocol", &title).is_some();
    let without_results = planned >= PLANS_MANY && !article.parts.contains(&ReportPart::Results);
    let only_plans = assigned == 0 && (planned >= PLANS_LEAST || titled_protocol && planned > 0);
    if only_plans || without_results {
        return Some(
            "it looks like the protocol of a trial: it says what will be done and reports no result. Appraise the report \
             of the results, and give this file as --protocol"
                .to_owned(),
        );
    }
    let opening = article
        .sentences
        .iter()
        .take_while(|one| matches!(one.part, ReportPart::Unknown | ReportPart::Abstract));
    for group in ["review", "observational", "animal"] {
        let by_title = sign(group, &title);
        let in_opening = || {
            let mut first = opening.clone().take(OPENING_SENTENCES);
            first.find_map(|one| sign(group, &one.plain))
        };
        let found = match (group, assigned) {
            // A review speaks of trials that were randomised; others do not.
            ("review", _) => by_title.or_else(|| in_body(article, "searched")),
            (_, 0) => by_title
                .or_else(in_opening)
                .or_else(|| in_body(article, group)),
            _ => None,
        };
        if let Some(line) = found {
            let looks = &line.words;
            return Some(format!(
                "it looks like {looks}, not like the report of a randomised trial"
            ));
        }
    }
    if assigned == 0 && count(article, "by rule") > 0 {
        return Some(
            "its groups were formed by a rule (in turn, by number or by place), not at random, so it is not a randomised \
             trial. ROBINS-I is the tool for such studies"
                .to_owned(),
        );
    }
    if assigned == 0 {
        let why = "no sentence says that participants were assigned at random, so it is not the report of a randomised trial";
        return Some(why.to_owned());
    }
    None
}

/// A sign that enough sentences of the body have.
fn in_body(article: &Article, group: &str) -> Option<&'static PatternLine> {
    let said = article
        .sentences
        .iter()
        .filter(|one| one.is_on_this_trial());
    let mut found = said.filter_map(|one| sign(group, &one.plain));
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
