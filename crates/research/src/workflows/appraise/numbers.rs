//! How many participants were randomised, lost and analysed: read from sentences that count them.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use super::article::Article;
use super::patterns::compiled;

/// A number of participants, and the sentence that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrialCount {
    pub(super) number: u64,
    pub(super) sentence: usize,
}

/// What became of one arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArmLoss {
    pub(super) name: String,
    pub(super) lost: u64,
    pub(super) of: u64,
    pub(super) sentence: usize,
}

/// What became of the participants. What the report does not count is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ParticipantFlow {
    pub(super) randomised: Option<TrialCount>,
    pub(super) analysed: Option<TrialCount>,
    pub(super) lost: Option<TrialCount>,
    pub(super) arms: Vec<ArmLoss>,
}

/// The share of participants without outcome data, and the sentences that give it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MissingShare {
    pub(super) share: f64,
    pub(super) missing: u64,
    pub(super) of: u64,
    /// Whether others may be counted elsewhere, as where a sentence tells of some who withdrew.
    pub(super) at_least: bool,
    pub(super) sentences: Vec<usize>,
}

const RANDOMISED: &str = r"\b([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6}) (?:\([^)]*\) )?(?:[a-z0-9-]+ ){0,8}?(?:were|was|had been|underwent) (?:then |subsequently |finally )?(?:randomi[sz]ed|randomly (?:assigned|allocated)|randomi[sz]ation)";
const RANDOMISED_TO: &str = r"\b(?:randomi[sz]ed|randomly (?:assigned|allocated)) (?:a total of )?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6}) (?:[a-z-]+ ){0,4}?(?:participants|patients|subjects|women|men|children|infants|adults|people|volunteers)";
const ANALYSED: &str = r"\b([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6}) (?:\([^)]*\) )?(?:of (?:the )?[0-9,]+ )?(?:[a-z-]+ ){0,6}?(?:were |was )?(?:analy[sz]ed|included in the (?:[a-z-]+ ){0,3}analys[ie]s|available for (?:[a-z-]+ ){0,3}analysis|completed (?:the )?(?:[a-z0-9-]+ )?(?:study|trial|follow-up))";
const LOST: &str = r"\b([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6}) (?:\([^)]*\) )?(?:of (?:the )?[0-9,]+ )?(?:[a-z-]+ ){0,6}?(?:were |was )?(?:lost to follow-? ?up|dropped out|withdrew|did not complete (?:the )?(?:study|trial|follow-? ?up)|discontinued)";
const ARM: &str = r"\b([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6}) (?:\([^)]*\) )?(?:of|out of) (?:the )?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6})(?: \([^)]*\))? (?:[a-z-]+ ){0,8}?(?:in|from|assigned to|allocated to|of) (?:the )?([a-z][a-z -]{1,30}?) (?:group|arm)\b";
/// One arm of several, and what was only planned, is not the number of all who were randomised.
const NOT_ALL: &str = r"randomi[sz]ed to [^.]{0,100} and (?:[0-9,]+) to\b|\bif we had|\bwould\b|planned|required|needed|sample size|\bpower\b";
/// One arm of several is not the number of all who were analysed.
const ONE_ARM: &str = r"\bin (?:the|each) [a-z +-]{1,40}? (?:group|arm)\b";
const LOSS_WORDS: &str = r"\blost\b|dropped out|withdr|missing|did not (?:complete|return|attend)|no follow-up|discontinued|attrition|losses";
const KNOWN_WORDS: &str =
    r"available|completed|analy[sz]ed|provided|attended|were assessed|followed up";

static PATTERNS: LazyLock<Option<[Regex; 9]>> = LazyLock::new(|| {
    Some([
        compiled(RANDOMISED)?,
        compiled(RANDOMISED_TO)?,
        compiled(ANALYSED)?,
        compiled(LOST)?,
        compiled(ARM)?,
        compiled(LOSS_WORDS)?,
        compiled(KNOWN_WORDS)?,
        compiled(NOT_ALL)?,
        compiled(ONE_ARM)?,
    ])
});

impl ParticipantFlow {
    /// Reads the first count of each kind.
    pub(super) fn read(article: &Article) -> Self {
        let mut flow = Self::default();
        let Some(
            [
                randomised,
                randomised_to,
                analysed,
                lost,
                arm,
                loss_words,
                known_words,
                not_all,
                one_arm,
            ],
        ) = &*PATTERNS
        else {
            return flow;
        };
        for (sentence, one) in article.sentences.iter().enumerate() {
            if !one.is_on_this_trial() {
                continue;
            }
            let plain = one.plain.as_bytes();
            let count = |pattern: &Regex| counted(pattern, plain, sentence);
            if flow.randomised.is_none() && !not_all.is_match(plain) {
                flow.randomised = count(randomised).or_else(|| count(randomised_to));
            }
            if flow.analysed.is_none() && !one_arm.is_match(plain) {
                flow.analysed = count(analysed);
            }
            flow.lost = flow.lost.or_else(|| count(lost));
            let says_lost = loss_words.is_match(plain);
            if flow.arms.len() < 2 && (says_lost || known_words.is_match(plain)) {
                let arms: Vec<ArmLoss> = arm
                    .captures_iter(plain)
                    .filter_map(|found| loss(&found, says_lost, sentence))
                    .collect();
                if arms.len() >= 2 {
                    flow.arms = arms;
                }
            }
        }
        flow
    }

    /// The share without outcome data: by arm, else randomised less analysed, else at least those who are told as lost.
    pub(super) fn missing(&self) -> Option<MissingShare> {
        let share = |missing: u64, of: u64, at_least: bool, sentences: Vec<usize>| {
            let share = missing as f64 / of as f64;
            (of > 0 && missing <= of).then_some(MissingShare {
                share,
                missing,
                of,
                at_least,
                sentences,
            })
        };
        if let Some(first) = self.arms.first() {
            let lost = self.arms.iter().map(|arm| arm.lost).sum();
            let of = self.arms.iter().map(|arm| arm.of).sum();
            return share(lost, of, false, vec![first.sentence]);
        }
        let randomised = self.randomised?;
        let both = |other: TrialCount| {
            let mut sentences = vec![randomised.sentence, other.sentence];
            sentences.dedup();
            sentences
        };
        let left = |analysed: &TrialCount| randomised.number.checked_sub(analysed.number);
        if let Some((analysed, missing)) = self.analysed.and_then(|one| Some((one, left(&one)?))) {
            return share(missing, randomised.number, false, both(analysed));
        }
        let lost = self.lost?;
        share(lost.number, randomised.number, true, both(lost))
    }

    /// By how much the arms differ in their share of losses.
    pub(super) fn arms_differ_by(&self) -> Option<f64> {
        let shares = || {
            self.arms
                .iter()
                .map(|arm| arm.lost as f64 / arm.of.max(1) as f64)
        };
        let most = shares().fold(f64::MIN, f64::max);
        let least = shares().fold(f64::MAX, f64::min);
        (self.arms.len() >= 2).then_some(most - least)
    }
}

/// Words after a number that tell that it counts something else.
const OTHER_UNITS: [&str; 12] = [
    "year", "month", "week", "day", "centre", "center", "site", "clinic", "hospital", "mg",
    "percent", "countr",
];

fn counted(pattern: &Regex, plain: &[u8], sentence: usize) -> Option<TrialCount> {
    pattern.captures_iter(plain).find_map(|found| {
        let digits = found.get(1)?;
        let after = String::from_utf8_lossy(plain.get(digits.end()..)?).into_owned();
        let next = after.trim_start();
        let other = next.starts_with('%') || OTHER_UNITS.iter().any(|unit| next.starts_with(unit));
        let number = number(digits.as_bytes())?;
        (!other && number >= 2).then_some(TrialCount { number, sentence })
    })
}

fn loss(found: &Captures<'_>, says_lost: bool, sentence: usize) -> Option<ArmLoss> {
    let part = |at: usize| Some(found.get(at)?.as_bytes());
    let (some, of) = (number(part(1)?)?, number(part(2)?)?);
    let missing = if says_lost {
        Some(some)
    } else {
        of.checked_sub(some)
    };
    let lost = missing.filter(|lost| *lost <= of && of > 0)?;
    let name = String::from_utf8_lossy(part(3)?).trim().to_owned();
    Some(ArmLoss {
        name,
        lost,
        of,
        sentence,
    })
}

fn number(digits: &[u8]) -> Option<u64> {
    let digits = digits
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .copied()
        .collect();
    String::from_utf8(digits).ok()?.parse().ok()
}
