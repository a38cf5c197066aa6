//! How many participants were randomised, lost and analysed: read from sentences that count them.

mod numerals;
mod patterns;

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use self::patterns::{CountPatterns, PATTERNS};
use super::article::{Article, ReportPart};
use super::patterns::without_brackets;

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

/// Fewer people are hardly all who were randomised or analysed.
const COUNT_LEAST: u64 = 8;

/// A larger share is more likely a count of something else, such as a subgroup.
const MISSING_MOST: f64 = 0.4;

impl ParticipantFlow {
    /// Reads the first count of each kind.
    pub(super) fn read(article: &Article) -> Self {
        let Some(patterns) = PATTERNS.as_ref() else {
            return Self::default();
        };
        let sentences = article.sentences.iter().enumerate();
        let own = sentences.filter(|(_, one)| one.is_on_this_trial());
        let own: Vec<CountedSentence> = own
            .map(|(at, one)| CountedSentence {
                at,
                part: one.part,
                text: numerals::in_digits(&one.plain),
            })
            .collect();
        let (randomised, begun) = patterns.randomised(&own);
        let mut flow = Self {
            randomised,
            ..Self::default()
        };
        for one in &own {
            flow.arms_of(patterns, one);
            flow.analysed = flow.analysed.or_else(|| patterns.analysed(one, randomised));
            let in_trial =
                one.part == ReportPart::Abstract || begun.is_none_or(|begun| one.at >= begun);
            if in_trial && flow.lost.is_none() {
                flow.lost = patterns.lost(one);
            }
        }
        flow
    }

    fn arms_of(&mut self, patterns: &CountPatterns, one: &CountedSentence) {
        let says_lost = one.has(&patterns.loss_words);
        if self.arms.len() >= 2 || !(says_lost || one.has(&patterns.known_words)) {
            return;
        }
        let found = patterns.arm.captures_iter(one.text.as_bytes());
        let arms: Vec<ArmLoss> = found
            .filter_map(|found| loss(&found, says_lost, one.at))
            .collect();
        if arms.len() >= 2 {
            self.arms = arms;
        }
    }

    /// The share without outcome data: by arm, else randomised less analysed, else at least those who are told as lost.
    pub(super) fn missing(&self) -> Option<MissingShare> {
        let share = |missing: u64, of: u64, at_least: bool, sentences: Vec<usize>| {
            let share = missing as f64 / of as f64;
            (of > 0 && missing <= of && share <= MISSING_MOST).then_some(MissingShare {
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
            // Who left may be counted neither among the randomised nor among the analysed.
            return match self.lost.filter(|lost| lost.number > missing) {
                Some(lost) => share(lost.number, randomised.number, false, both(lost)),
                None => share(missing, randomised.number, false, both(analysed)),
            };
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

/// A sentence of the report with its numbers in digits.
struct CountedSentence {
    at: usize,
    part: ReportPart,
    text: String,
}

impl CountedSentence {
    fn has(&self, pattern: &Regex) -> bool {
        pattern.is_match(self.text.as_bytes())
    }

    fn count(&self, pattern: &Regex, least: u64) -> Option<TrialCount> {
        let text = self.text.as_bytes();
        let mut all = pattern.captures_iter(text);
        all.find_map(|found| {
            let digits = found.get(1)?;
            let number = number(digits.as_bytes())?;
            let other = is_something_else(&self.text, digits.start(), digits.end(), number);
            (!other && number >= least).then_some(TrialCount {
                number,
                sentence: self.at,
            })
        })
    }

    /// The sum of two numbers, one for each arm.
    fn sum(&self, pattern: &Regex) -> Option<TrialCount> {
        let found = pattern.captures(self.text.as_bytes())?;
        let part = |at: usize| number(found.get(at)?.as_bytes());
        // Two of three arms are not all.
        let arms = self.text.matches(" group").count() + self.text.matches(" arm").count();
        if arms > 2 {
            return None;
        }
        Some(TrialCount {
            number: part(1)? + part(2)?,
            sentence: self.at,
        })
    }
}

impl CountPatterns {
    /// How many were randomised, and the first sentence of the body that tells of it. Where none counts them, all who were
    /// enrolled are taken.
    fn randomised(&self, own: &[CountedSentence]) -> (Option<TrialCount>, Option<usize>) {
        let counted = |one: &CountedSentence| {
            let all = !one.has(&self.some_arms) && !one.has(&self.planned);
            all.then(|| {
                self.randomised
                    .iter()
                    .find_map(|way| one.count(way, COUNT_LEAST))
            })?
        };
        let mut body = own.iter().filter(|one| one.part != ReportPart::Abstract);
        let begun = body.find(|one| counted(one).is_some()).map(|one| one.at);
        let all = own.iter().find_map(counted);
        let enrolled = || {
            let mut stated = own
                .iter()
                .filter(|one| !one.has(&self.planned) && !one.has(&self.before));
            stated.find_map(|one| one.count(&self.enrolled, COUNT_LEAST))
        };
        (all.or_else(enrolled), begun)
    }

    fn analysed(
        &self,
        one: &CountedSentence,
        randomised: Option<TrialCount>,
    ) -> Option<TrialCount> {
        if one.has(&self.loss_words) {
            return None;
        }
        if let Some(left) = self.left_at_last(one, randomised) {
            return Some(left);
        }
        if !one.has(&self.known_words) {
            return None;
        }
        let by_arm = self.by_arm.iter().find_map(|way| one.sum(way));
        if by_arm.is_some() {
            return by_arm;
        }
        let of_all = self
            .known_of
            .captures(without_brackets(&one.text).as_bytes())
            .and_then(|found| {
                let part = |at: usize| number(found.get(at)?.as_bytes());
                let (some, of) = (part(1)?, part(2)?);
                (randomised?.number == of).then_some(TrialCount {
                    number: some,
                    sentence: one.at,
                })
            });
        of_all.or_else(|| {
            // What is counted by arm in brackets adds up to the number before them.
            let whole = !self
                .one_arm
                .is_match(without_brackets(&one.text).as_bytes());
            whole.then(|| one.count(&self.analysed, COUNT_LEAST))?
        })
    }

    /// The last of several counts at later times, in the sentence that counts those who were randomised.
    fn left_at_last(
        &self,
        one: &CountedSentence,
        randomised: Option<TrialCount>,
    ) -> Option<TrialCount> {
        let all = randomised.filter(|all| all.sentence == one.at)?;
        if one.has(&self.measured) {
            return None;
        }
        let counts = self.at_times.captures_iter(one.text.as_bytes());
        let counts: Vec<u64> = counts
            .filter_map(|found| {
                let digits = found.get(1)?;
                let number = number(digits.as_bytes())?;
                let other = is_something_else(&one.text, digits.start(), digits.end(), number);
                (!other).then_some(number)
            })
            .collect();
        let last = *counts.last().filter(|_| counts.len() > 1)?;
        (last <= all.number).then_some(TrialCount {
            number: last,
            sentence: one.at,
        })
    }

    fn lost(&self, one: &CountedSentence) -> Option<TrialCount> {
        if one.has(&self.before) {
            return None;
        }
        let says_lost = one.has(&self.loss_words);
        let by_arm = says_lost.then(|| self.by_arm.iter().find_map(|way| one.sum(way)));
        by_arm.flatten().or_else(|| one.count(&self.lost, 1))
    }
}

/// Words after a number that tell that it counts something else.
const OTHER_UNITS: [&str; 12] = [
    "year", "month", "week", "day", "centre", "center", "site", "clinic", "hospital", "mg",
    "percent", "countr",
];

/// Words before a number that make it a limit.
const BEFORE_LIMITS: [&str; 9] = [">", "<", "≥", "≤", "±", "than", "least", "above", "below"];

/// Words before a number that make it a year.
static BEFORE_YEARS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "january february march april may june july august september october november december in since \
     from until during between"
        .split(' ')
        .collect()
});

fn is_something_else(text: &str, start: usize, end: usize, number: u64) -> bool {
    let next = text.get(end..).unwrap_or_default().trim_start();
    let before = text.get(..start).unwrap_or_default();
    let word = before.split_whitespace().next_back().unwrap_or_default();
    let in_brackets = before.matches('(').count() > before.matches(')').count();
    let part_of_more =
        in_brackets || before.ends_with(['/', '(', '.', '=', '-']) || BEFORE_LIMITS.contains(&word);
    let year = (1900..2100).contains(&number) && BEFORE_YEARS.contains(&word);
    year || part_of_more
        || next.starts_with('%')
        || OTHER_UNITS.iter().any(|unit| next.starts_with(unit))
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
    if name == "the" {
        return None;
    }
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

#[cfg(test)]
mod tests {
    #[test]
    fn every_pattern_can_be_read() {
        assert!(super::PATTERNS.is_some());
    }
}
