//! Answers that follow from several places together: counts of participants, the kind of outcome, other answers, and the
//! protocol beside the report.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::article::{Article, HEADING_WORDS_MOST, ReportPart};
use super::numbers::ParticipantFlow;
use super::patterns::{compiled, plain, without_brackets};
use super::phrases::ProvenAnswer;
use crate::rob2::{Answers, SignalAnswer};

/// Up to this share of missing outcome data, nearly all are known.
const NEARLY_ALL: f64 = 0.05;

/// From this difference in losses between the arms, missing data probably depend on the outcome.
const LOSSES_DIFFER: f64 = 0.10;

/// Outcomes that share fewer of their words are different outcomes.
const SAME_OUTCOME: f64 = 0.4;

/// Sentences with fewer of an outcome's words are about something else.
const ON_OUTCOME: f64 = 0.3;

/// What answers are derived from.
pub(super) struct DerivedFrom<'a> {
    pub(super) article: &'a Article,
    pub(super) protocol: Option<&'a Article>,
    pub(super) flow: &'a ParticipantFlow,
    /// The outcome that was named.
    pub(super) outcome: Option<&'a str>,
    /// All answers so far.
    pub(super) answers: &'a Answers,
}

/// An answer, and a sentence of the protocol that it rests on besides.
pub(super) struct DerivedAnswer {
    pub(super) proven: ProvenAnswer,
    pub(super) protocol_sentence: Option<usize>,
}

impl From<ProvenAnswer> for DerivedAnswer {
    fn from(proven: ProvenAnswer) -> Self {
        Self {
            proven,
            protocol_sentence: None,
        }
    }
}

/// What is derived before phrases are looked for: counts and protocols say more than words.
pub(super) fn first(id: &str, from: &DerivedFrom<'_>) -> Option<DerivedAnswer> {
    match id {
        "3.1" => nearly_all(from.flow).map(DerivedAnswer::from),
        "3.4" => losses_differ(from.flow).map(DerivedAnswer::from),
        "4.3" => self_reported(from).map(DerivedAnswer::from),
        "5.2" => by_protocol(from),
        _ => None,
    }
}

/// What is derived where phrases say nothing.
pub(super) fn afterwards(id: &str, from: &DerivedFrom<'_>) -> Option<ProvenAnswer> {
    match id {
        "2.1" | "2.2" => nothing_to_hide(id, from.article),
        "2.6" => all_analysed(from.flow),
        "2.7" => analysed_elsewhere(from.flow),
        "3.2" => Some(ProvenAnswer {
            answer: SignalAnswer::ProbablyNo,
            why: "No analysis was found that shows the result to be unaffected by missing data."
                .to_owned(),
            sentences: Vec::new(),
        }),
        "4.2" => measured_blind(from),
        "4.4" => influence(from),
        _ => None,
    }
}

fn nearly_all(flow: &ParticipantFlow) -> Option<ProvenAnswer> {
    let missing = flow.missing()?;
    let (lost, of, percent) = (missing.missing, missing.of, missing.share * 100.0);
    if missing.at_least && missing.share <= NEARLY_ALL {
        return None;
    }
    let (answer, words) = if missing.share <= NEARLY_ALL {
        (SignalAnswer::Yes, "nearly all are known")
    } else {
        (SignalAnswer::No, "that is more than a few")
    };
    Some(ProvenAnswer {
        answer,
        why: format!(
            "Outcome data are missing for {lost} of {of} participants ({percent:.1} %): {words}."
        ),
        sentences: missing.sentences,
    })
}

fn losses_differ(flow: &ParticipantFlow) -> Option<ProvenAnswer> {
    let differ = flow
        .arms_differ_by()
        .filter(|differ| *differ >= LOSSES_DIFFER)?;
    let points = differ * 100.0;
    Some(ProvenAnswer {
        answer: SignalAnswer::ProbablyYes,
        why: format!("Losses differ between the groups by {points:.0} percentage points."),
        sentences: flow
            .arms
            .first()
            .map(|arm| arm.sentence)
            .into_iter()
            .collect(),
    })
}

/// Few who are missing cannot have been moved or left out in numbers. Of many it is not known why they are missing, and
/// missing data are what the third domain asks about.
fn analysed_elsewhere(flow: &ParticipantFlow) -> Option<ProvenAnswer> {
    let missing = flow
        .missing()
        .filter(|missing| !missing.at_least && missing.share <= NEARLY_ALL)?;
    let percent = missing.share * 100.0;
    Some(ProvenAnswer {
        answer: SignalAnswer::ProbablyNo,
        why: format!("Only {percent:.1} % of those who were randomised are not in the analysis."),
        sentences: missing.sentences,
    })
}

/// Where everybody who was randomised was analysed, nobody was left out for what they received.
fn all_analysed(flow: &ParticipantFlow) -> Option<ProvenAnswer> {
    let missing = flow.missing().filter(|missing| !missing.at_least)?;
    (missing.missing == 0).then(|| ProvenAnswer {
        answer: SignalAnswer::ProbablyYes,
        why: "Everybody who was randomised is in the analysis.".to_owned(),
        sentences: missing.sentences,
    })
}

/// A group that was given nothing of its own; those who waited are told by the pattern below.
const NOTHING_GIVEN: &str = r"\b(control|comparison|comparator|usual[- ]care|standard[- ]care)s?\b( group| arm| participants| patients| subjects| schools| children| women)?( participants| patients| subjects| children| women)? (who |that )?(received|were given|was given|got|underwent|were offered) (no ([a-z-]+ ){0,2}(treatments?|interventions?|therapy|training|supplements?|medications?|drugs?|exercises?|advice|counsell?ing|education|instructions?)|nothing|only (the )?(usual|standard|routine|conventional)|(the )?(usual|routine) (care|treatment|education|activities))\b";
const DISGUISE: &str = r"placebo|\bsham\b|\bdummy\b|unaware|zelen";
const BLINDED: &str = r"\bblind|\bmask(ed|ing)\b";
const WAITED: &str = r"\bno[- ](treatment|intervention) (control|group|arm)|\b(receiv\w+|to|or) no[- ](treatment|intervention)( \(|[,.;]|$| and\b| for\b)|\bwait(ing)?[- ]?list";
const PARTICIPANTS_BLINDED: &str = r"(double|triple)-? ?(blind|mask)|\b(participants?|patients?|subjects|students)\b[^.]{0,40}\b(blind|mask)";

/// Where one group was given nothing and the report never speaks of blinding, everybody knew who was in which group. Those
/// who got nothing at all or waited knew it, even where others were blinded.
fn nothing_to_hide(id: &str, article: &Article) -> Option<ProvenAnswer> {
    static PATTERNS: LazyLock<Option<[Regex; 4]>> = LazyLock::new(|| {
        Some([
            compiled(&format!("{NOTHING_GIVEN}|{WAITED}"))?,
            compiled(&format!("{DISGUISE}|{BLINDED}"))?,
            compiled(WAITED)?,
            compiled(&format!("{DISGUISE}|{PARTICIPANTS_BLINDED}"))?,
        ])
    });
    let [nothing, hidden, waited, disguised] = PATTERNS.as_ref()?;
    let has = |pattern: &Regex, at: usize| {
        let sentence = article.sentences.get(at);
        sentence.is_some_and(|one| one.is_on_this_trial() && pattern.is_match(one.plain.as_bytes()))
    };
    let all = 0..article.sentences.len();
    let never = |pattern: &Regex| !all.clone().any(|at| has(pattern, at));
    let told = |at: &usize| {
        let part = article.sentences.get(*at).map(|one| one.part);
        matches!(
            part,
            Some(ReportPart::Unknown | ReportPart::Abstract | ReportPart::Methods)
        )
    };
    let first = |pattern: &Regex| all.clone().find(|at| told(at) && has(pattern, *at));
    let (at, why) = if never(hidden) {
        let who = if id == "2.1" {
            "participants"
        } else {
            "those who delivered it"
        };
        let why = format!(
            "One group was given no intervention that could be disguised, and blinding is not mentioned, so {who} knew."
        );
        (first(nothing)?, why)
    } else if id == "2.1" && never(disguised) {
        let why = "One group was given nothing or waited, which its participants knew.";
        (first(waited)?, why.to_owned())
    } else {
        return None;
    };
    Some(ProvenAnswer {
        answer: SignalAnswer::ProbablyYes,
        why,
        sentences: vec![at],
    })
}

fn is_no(answer: SignalAnswer) -> bool {
    matches!(answer, SignalAnswer::No | SignalAnswer::ProbablyNo)
}

/// What says that those who assessed outcomes did not know the groups.
fn assessed_blind(from: &DerivedFrom<'_>) -> Option<ProvenAnswer> {
    let proven = super::phrases::prove("4.3", crate::rob2::Effect::Assignment, from.article, &[]);
    proven.filter(|one| is_no(one.answer) && !is_on_others(from, one))
}

/// Whether an answer rests on a sentence that lists what was assessed, and the outcome is not among it.
pub(super) fn is_on_others(from: &DerivedFrom<'_>, proven: &ProvenAnswer) -> bool {
    static LISTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compiled(
            r"\b(assessed|evaluated|examined|measured|recorded|scored|questioned)\b.*\b(for|following)\b[^,]*,[^,]*,",
        )
    });
    let wanted = outcome_words(from);
    let sentences = &from.article.sentences;
    let mut rested = proven.sentences.iter().filter_map(|at| sentences.get(*at));
    !wanted.is_empty()
        && rested.any(|one| {
            let listed = without_brackets(&one.plain);
            let lists = LISTED
                .as_ref()
                .is_some_and(|p| p.is_match(listed.as_bytes()));
            lists && shared(&wanted, &words(&one.plain)) == 0.0
        })
}

/// Whoever does not know the groups cannot measure them differently.
fn measured_blind(from: &DerivedFrom<'_>) -> Option<ProvenAnswer> {
    let proven = assessed_blind(from)?;
    Some(ProvenAnswer {
        answer: SignalAnswer::ProbablyNo,
        why: "Those who measured the outcome did not know the groups, so they measured them alike."
            .to_owned(),
        sentences: proven.sentences.into_iter().take(1).collect(),
    })
}

const SELF_REPORTED: &str = r"self-? ?report|self-? ?rated|self-? ?administered|questionnaire|patient-reported|diar(y|ies)|visual analog|quality of life|satisfaction|pain (score|intensity|scale|rating)|\bsf-?36\b|\beq-?5d\b|\bwomac\b|symptom(atic|-free)? days";
const JUDGED: &str = r"self-? ?report|self-? ?rated|questionnaire|patient-reported|diar(y|ies)|visual analog|quality of life|satisfaction|\bpain\b|symptom|severity|clinical(ly)? (judg|improv|assess|response)|rating|depress|anxiety|well-?being|function(ing|al)? (score|scale|status)|walking|global (assessment|impression)";
const OBJECTIVE: &str = r"mortality|\bdeaths?\b|\bdied\b|overall survival|\byear (os|survival)\b|\bpcr\b|polymerase|virologic|antibod(y|ies)|triglycerid|bone mineral density|live births?|laborator|serum|plasma|h(a)?emoglobin|hba1c|glucose|cholesterol|viral load|\bculture|birth ?weight|body weight|\bweight\b|creatinine|blood (pressure|test|count|culture)|automated|registry|register|admission|readmission|fracture|x-? ?ray|radiograph|concentration";

static KINDS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
    Some([
        compiled(SELF_REPORTED)?,
        compiled(JUDGED)?,
        compiled(OBJECTIVE)?,
    ])
});

/// Participants who report the outcome themselves are its assessors, whoever collects what they report: if they knew their
/// group, assessors did; if that is not known, neither is this.
fn self_reported(from: &DerivedFrom<'_>) -> Option<ProvenAnswer> {
    let [reported, _, _] = KINDS.as_ref()?;
    let at = outcome_sentence(from.article, from.outcome)?;
    let sentence = from.article.sentences.get(at)?;
    if !reported.is_match(primary_clause(&sentence.plain).as_bytes()) {
        return None;
    }
    let (answer, why) = match from.answers.get("2.1") {
        SignalAnswer::Yes | SignalAnswer::ProbablyYes => (
            SignalAnswer::ProbablyYes,
            "Participants reported the outcome themselves and knew their assignment.",
        ),
        SignalAnswer::NoInformation if assessed_blind(from).is_some() => (
            SignalAnswer::NoInformation,
            "Participants reported the outcome themselves, and whether they knew their assignment is open.",
        ),
        SignalAnswer::NoInformation
        | SignalAnswer::ProbablyNo
        | SignalAnswer::No
        | SignalAnswer::NotApplicable => return None,
    };
    Some(ProvenAnswer {
        answer,
        why: why.to_owned(),
        sentences: vec![at],
    })
}

/// A sentence on the primary outcome without what it says of secondary ones.
fn primary_clause(plain: &str) -> &str {
    let end = ["secondary", ";"]
        .iter()
        .filter_map(|word| plain.find(word));
    // What begins with secondary outcomes tells the primary one behind them.
    let end = end.filter(|at| plain[..*at].contains("primary")).min();
    end.map_or(plain, |end| &plain[..end])
}

/// Whether knowing the group could sway the measurement, by the kind of outcome.
fn influence(from: &DerivedFrom<'_>) -> Option<ProvenAnswer> {
    let [_, judged, objective] = KINDS.as_ref()?;
    let at = outcome_sentence(from.article, from.outcome)?;
    let sentence = from.article.sentences.get(at)?;
    let named = from.outcome.map(plain);
    let clause = primary_clause(&sentence.plain);
    let text = named.as_deref().unwrap_or(clause).as_bytes();
    // Such an outcome has parts of both kinds.
    let mixed = ["progression", "recurrence", "composite"]
        .iter()
        .any(|word| String::from_utf8_lossy(text).contains(word));
    if mixed {
        return None;
    }
    let (answer, why) = if judged.is_match(text) {
        (
            SignalAnswer::ProbablyYes,
            "The outcome rests on somebody's judgement or report.",
        )
    } else if objective.is_match(text) {
        (
            SignalAnswer::ProbablyNo,
            "The outcome leaves little room for judgement.",
        )
    } else {
        return None;
    };
    Some(ProvenAnswer {
        answer,
        why: why.to_owned(),
        sentences: vec![at],
    })
}

/// The sentence that says what the outcome is: the one with the named outcome's words, else the primary outcome's.
pub(super) fn outcome_sentence(article: &Article, outcome: Option<&str>) -> Option<usize> {
    static PRIMARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compiled(r"\b(primary|main|principal) (outcome|end-? ?point|efficacy|variable)")
    });
    let primary = |at: &usize| {
        let sentence = article.sentences.get(*at);
        // A heading that names the outcome says nothing of it.
        let sentence = sentence.filter(|one| one.plain.split(' ').count() > HEADING_WORDS_MOST);
        sentence.is_some_and(|one| {
            PRIMARY
                .as_ref()
                .is_some_and(|p| p.is_match(one.plain.as_bytes()))
        })
    };
    let in_part = |part: ReportPart| {
        let all = 0..article.sentences.len();
        all.filter(move |at| {
            article
                .sentences
                .get(*at)
                .is_some_and(|one| one.part == part)
        })
    };
    let parts = [
        ReportPart::Methods,
        ReportPart::Abstract,
        ReportPart::Unknown,
        ReportPart::Results,
    ];
    if let Some(outcome) = outcome {
        let wanted = words(outcome);
        let has = |at: &usize| {
            let sentence = article.sentences.get(*at);
            sentence.is_some_and(|one| shared(&wanted, &words(&one.plain)) >= 0.5)
        };
        return parts.into_iter().find_map(|part| in_part(part).find(has));
    }
    parts
        .into_iter()
        .find_map(|part| in_part(part).find(primary))
}

/// The telling words of the outcome: the named one, else the primary one.
fn outcome_words(from: &DerivedFrom<'_>) -> BTreeSet<String> {
    let named = from.outcome.map(words);
    let primary = || {
        let at = outcome_sentence(from.article, None)?;
        let sentence = from.article.sentences.get(at)?;
        Some(words(primary_clause(&sentence.plain)))
    };
    named.or_else(primary).unwrap_or_default()
}

/// The sentences that have telling words of the outcome, in the order of the report.
pub(super) fn on_outcome(from: &DerivedFrom<'_>) -> Vec<usize> {
    let wanted = outcome_words(from);
    let all = from.article.sentences.iter().enumerate();
    let shares = |plain: &str| shared(&wanted, &words(plain)) >= ON_OUTCOME;
    all.filter(|(_, one)| shares(&one.plain))
        .map(|(at, _)| at)
        .collect()
}

/// What sentences on the most different outcomes have in common, by the first letters.
const OF_ANY_OUTCOME: &str = "score basel group week weeks month day days year years diffe patie parti subje treat inter measu \
                              outco varia compa contr place defin numbe level total scale asses time effic rate point \
                              one two three all for not are has which each both any using used based follo";

/// Whether an answer rests on a sentence about the outcome. The primary one is described at length, so a word of it will do;
/// where the report tells of none, any sentence will.
pub(super) fn is_on_outcome(from: &DerivedFrom<'_>, proven: &ProvenAnswer) -> bool {
    if from.outcome.is_some() {
        let about = on_outcome(from);
        return proven.sentences.iter().any(|at| about.contains(at));
    }
    let mut wanted = outcome_words(from);
    wanted.retain(|word| !OF_ANY_OUTCOME.split_whitespace().any(|any| any == word));
    let sentences = &from.article.sentences;
    let mut rested = proven.sentences.iter().filter_map(|at| sentences.get(*at));
    wanted.is_empty() || rested.any(|one| shared(&wanted, &words(&one.plain)) > 0.0)
}

/// Whether the primary outcome of the report is that of the protocol.
fn by_protocol(from: &DerivedFrom<'_>) -> Option<DerivedAnswer> {
    let protocol = from.protocol?;
    let planned_at = outcome_sentence(protocol, None)?;
    let reported_at = outcome_sentence(from.article, from.outcome)?;
    let planned = words(&protocol.sentences.get(planned_at)?.plain);
    let reported = words(&from.article.sentences.get(reported_at)?.plain);
    let same = shared(&reported, &planned).max(shared(&planned, &reported)) >= SAME_OUTCOME;
    let (answer, why) = if same {
        (
            SignalAnswer::ProbablyNo,
            "The outcome is the one that the protocol names.",
        )
    } else {
        (
            SignalAnswer::ProbablyYes,
            "The outcome is not the one that the protocol names.",
        )
    };
    Some(DerivedAnswer {
        proven: ProvenAnswer {
            answer,
            why: why.to_owned(),
            sentences: vec![reported_at],
        },
        protocol_sentence: Some(planned_at),
    })
}

/// Words that every sentence on an outcome has.
const COMMON: [&str; 24] = [
    "primary",
    "main",
    "principal",
    "outcome",
    "outcomes",
    "endpoint",
    "point",
    "was",
    "were",
    "the",
    "and",
    "with",
    "from",
    "measured",
    "assessed",
    "will",
    "change",
    "between",
    "trial",
    "study",
    "this",
    "that",
    "after",
    "mean",
];

/// The telling words of a text, by their first letters: "walking" and "walked" are one.
fn words(text: &str) -> BTreeSet<String> {
    let plain = plain(text);
    let words = plain.split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| word.len() > 2 && !COMMON.contains(word));
    telling.map(|word| word.chars().take(5).collect()).collect()
}

/// The share of the wanted words that are there.
fn shared(wanted: &BTreeSet<String>, there: &BTreeSet<String>) -> f64 {
    let both = wanted.intersection(there).count();
    both as f64 / wanted.len().max(1) as f64
}

/// Whether the report speaks of the outcome at all: most of its words stand in it.
pub(super) fn reports_outcome(article: &Article, outcome: &str) -> bool {
    let wanted = words(outcome);
    let all: BTreeSet<String> = article
        .sentences
        .iter()
        .flat_map(|one| words(&one.plain))
        .collect();
    wanted.is_empty() || shared(&wanted, &all) > 0.5
}
