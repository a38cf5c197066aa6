//! The patterns by which counts of participants are read, over sentences with their numbers in digits.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::patterns::compiled;

// In the patterns, {N} is a number, {P} a kind of participants, and {W} a word, which may be a year or an age but no other number.
const NUMBER: &str = r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6})";
const PEOPLE: &str = r"(?:participants?|patients?|out-?patients|in-?patients|subjects|women|men|children|infants|neonates|newborns|adults|adolescents|people|persons|volunteers|students|individuals|girls|boys|mothers|couples|families|residents|employees|workers|smokers|survivors|athletes|cases|eyes|schools|villages|clusters|practices|manuscripts)";
const WORD: &str = r"(?:(?:[a-z][a-z'-]*|(?:19|20)[0-9]{2}|[0-9]{1,2}(?:-[0-9]{1,2})? (?:years|months|weeks|days|y|yr)) )";
const RANDOMISED: &str = r"\b{N} (?:\([^)]*\) )?(?:{W}{0,6}?{P} (?:\([^)]*\) )?{W}{0,16}?)?(?:were|was|being|had been|underwent) (?:{W}{0,4}?and )?(?:then |subsequently |finally |also )?(?:randomi[sz]ed|randomly (?:assigned|allocated|divided|distributed)|(?:assigned|allocated|divided) randomly|(?:assigned|allocated) at random|randomi[sz]ation)";
const RANDOMISED_TO: &str =
    r"\b(?:randomi[sz]ed|randomly (?:assigned|allocated)) (?:a total of )?{N} {W}{0,4}?{P}\b";
const RANDOMISED_OF: &str =
    r"\bof (?:the |all )?{N} (?:{W}{0,2}?{P} )?(?:who were )?randomi[sz]ed(?:[,.]| {P}\b| at\b)";
const ENROLLED: &str = r"\b{N} (?:\([^)]*\) )?{W}{0,3}?{P} (?:with {W}{1,4}?)?(?:were |was )?(?:enrolled|enroled|recruited|included in the (?:study|trial))\b";
const ANALYSED: &str = r"\b{N} (?:\([^)]*\) )?(?:of (?:the )?[0-9,]+ )?(?:{W}{0,4}?{P} (?:\([^)]*\) )?)?(?:were |was )?(?:analy[sz]ed|included in the (?:itt\b|intention|(?:[a-z-]+ ){0,3}analys[ie]s)|available for (?:[a-z-]+ ){0,3}analysis|completed (?:the )?(?:[a-z0-9-]+ )?(?:study|trial|follow-up|protocol))";
const KNOWN_OF: &str = r"\b{N} ?(?:/|of|out of)(?: the)? ?{N} (?:\([^)]*\) )?{W}{0,4}?(?:attended|completed|returned|were (?:followed|available|assessed|analy[sz]ed|re-?assessed|included in (?:the|these|all) (?:[a-z-]+ )?analys[ie]s)|provided|remained)";
const AT_TIMES: &str = r"\b{N} (?:{W}{0,3}?)at [0-9]+ (?:weeks?|months?|years?|days?)\b";
/// A number at a time may be a measurement instead of a count of people.
const MEASURED: &str = r"\b(?:scores?|scored|means?|medians?|averages?|averaged|values?|levels?|rates?|points?|index)\b";
const BOTH_ARMS: &str = r"\b{N} (?:\([^)]*\) )?{W}{0,4}?in the [a-z][a-z +-]{0,40}?(?:group|arm)\b(?: \([^)]*\))?,? and {N} (?:\([^)]*\) )?{W}{0,4}?in the [a-z][a-z +-]{0,40}?(?:group|arm)\b";
const PAIR: &str = r"\b{N} (?:\([^)]*\) )?and {N} (?:\([^)]*\) )?{W}{0,8}?(?:in|of|from) the [a-z0-9/][a-z0-9/+ -]{0,60}? and [a-z0-9/+ -]{1,40}? (?:groups|arms)";
const LOST: &str = r"\b{N} (?:\([^)]*\) )?(?:of (?:the )?[0-9,]+ )?(?:{W}{0,4}?{P} (?:\([^)]*\) )?)?(?:{W}{0,4}?)(?:were |was )?(?:lost to follow-? ?up|dropped out|withdrew|withdrawn from the (?:study|trial)|excluded from (?:the )?(?:final |primary |main )?analys[ie]s|unavailable for|did not complete (?:the )?(?:study|trial|follow-? ?up)|discontinued (?:the )?(?:study|trial)(?: early| prematurely)?(?:[.,;]|$| (?:before|because|due|for|at|after|\()))";
const ARM: &str = r"\b{N} (?:\([^)]*\) )?(?:of|out of) (?:the )?{N}(?: \([^)]*\))? (?:[a-z-]+ ){0,8}?(?:in|from|assigned to|allocated to|of) (?:the )?([a-z][a-z -]{1,30}?) (?:group|arm)\b";
/// One arm of several, and what was only planned, is not the number of all who were randomised.
const SOME_ARMS: &str = r"randomi[sz]ed to [^.]{0,100} and (?:[0-9,]+) ";
const PLANNED: &str = r"\bif we had|\bwould\b|planned|required|needed|sample size|\bpower\b|\baimed\b|expected|interim|at that time|so far";
/// One arm of several is not the number of all who were analysed.
const ONE_ARM: &str = r"\bin (?:the|each) [a-z +-]{1,40}? (?:group|arm)\b";
/// Who left before the trial began is no loss of it.
const BEFORE: &str = r"(?:before|prior to) (?:randomi|allocation|assignment)|screen|eligib|by lot\b|\brun-in\b|\blead-in\b|\bbaseline[- ]period|(?:selection|inclusion|entry) criteria|samples (?:were|was) available|\boriginal (?:[a-z-]+ ){0,3}(?:study|trial)\b";
const LOSS_WORDS: &str = r"\blost\b|dropped out|withdr|missing|did not (?:complete|return|attend)|no follow-up|discontinued|attrition|losses|unavailable";
const KNOWN_WORDS: &str =
    r"available|completed|analy[sz]ed|analys[ie]s|provided|attended|were assessed|followed up";

/// The patterns above, compiled. All are part of the program; a test holds that they can be read.
pub(super) struct CountPatterns {
    pub(super) randomised: [Regex; 3],
    pub(super) enrolled: Regex,
    pub(super) analysed: Regex,
    pub(super) known_of: Regex,
    pub(super) at_times: Regex,
    pub(super) measured: Regex,
    pub(super) by_arm: [Regex; 2],
    pub(super) lost: Regex,
    pub(super) arm: Regex,
    pub(super) some_arms: Regex,
    pub(super) planned: Regex,
    pub(super) one_arm: Regex,
    pub(super) before: Regex,
    pub(super) loss_words: Regex,
    pub(super) known_words: Regex,
}

pub(super) static PATTERNS: LazyLock<Option<CountPatterns>> = LazyLock::new(|| {
    let counting = |pattern: &str| {
        compiled(
            &pattern
                .replace("{N}", NUMBER)
                .replace("{W}", WORD)
                .replace("{P}", PEOPLE),
        )
    };
    Some(CountPatterns {
        randomised: [
            counting(RANDOMISED)?,
            counting(RANDOMISED_TO)?,
            counting(RANDOMISED_OF)?,
        ],
        enrolled: counting(ENROLLED)?,
        analysed: counting(ANALYSED)?,
        known_of: counting(KNOWN_OF)?,
        at_times: counting(AT_TIMES)?,
        measured: compiled(MEASURED)?,
        by_arm: [counting(BOTH_ARMS)?, counting(PAIR)?],
        lost: counting(LOST)?,
        arm: counting(ARM)?,
        some_arms: compiled(SOME_ARMS)?,
        planned: compiled(PLANNED)?,
        one_arm: compiled(ONE_ARM)?,
        before: compiled(BEFORE)?,
        loss_words: compiled(LOSS_WORDS)?,
        known_words: compiled(KNOWN_WORDS)?,
    })
});
