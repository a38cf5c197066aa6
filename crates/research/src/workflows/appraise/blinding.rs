//! Who is said to know the assignment, and who is not: read from the words around "blinded", "masked" and "unaware".
//!
//! Takes a sentence in plain form; gives what it says of participants, carers and assessors. Those who only analysed the
//! data are none of the three. Names of a whole trial, such as "double-blind", are left to the phrase rules.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::patterns::compiled;

/// Those whose knowledge of the assignment the tool asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrialParty {
    Participants,
    Carers,
    Assessors,
}

/// Whether a sentence says that the party knew the assignment; nothing where it says nothing of it, or both.
pub(super) fn knew(party: TrialParty, plain: &str) -> Option<bool> {
    let said = statements(plain);
    let own = said.iter().filter(|one| one.parties.contains(&party));
    let mut knew: Vec<bool> = own.map(|one| one.knew).collect();
    knew.dedup();
    match knew[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// How people are spoken of: whether the sentence has them assess something, and whether it says that they knew.
#[derive(Clone, Copy)]
struct Told {
    assessed: bool,
    knew: bool,
}

struct Statement {
    parties: Vec<TrialParty>,
    knew: bool,
}

/// Somebody's knowledge, told by a verb or an adjective: 1 the helping verb, 2 a denial, 3 the telling word.
const STATE: &str = r"(?:\b(were|was|are|is|remained|stayed|kept|be|been|being) )?(?:(?:all|both|each|also|fully|completely|therefore|thus|still|kept|deliberately) )*(?:(not) )?(?:(?:all|both|fully|completely|being) )*\b(blinded|masked|unblinded|unmasked|(?:blind|unaware|aware|ignorant) (?:to|of|as to|about|regarding|which)|did not know|had no knowledge|without knowledge|knew|told|informed)\b";
/// A denial before the telling word: "neither … nor … were blinded", "could not be masked".
const DENIED: &str = r"\b(neither|nobody|none|no one)\b|\b(not|never|cannot) (be |been )?$";
const DENIED_ANYWHERE: &str = r"\b(not|neither|never|cannot|nobody|none|no one)\b";
/// What was known for a while, or by those who only enrolled, is another matter.
const ONLY_THEN: &str = r"up to th(is|at) point|at th(is|at) (point|time|stage)|until (after )?(they|randomi|allocation|assignment|baseline)";
const ENROLS: &str = r"\b(enrol|recruitment|consent)";
/// The rest of a verb whose last word tells: "could not | be blinded".
const HELPING: &str =
    r"\b(could|can|cannot|would|should|will|may|might|had|have|has|did|do)( not| never| also)? ?$";
/// A verb in a list of people: those before it belong to another clause.
const OTHER_CLAUSE: &str = r"\b(did|does|were|was|had|has|is|are|will|could|can)\b";
/// What the knowledge must be about, where the telling word alone does not say it.
const ASSIGNMENT: &str = r"group|allocat|assign|treatment|intervention|\barms?\b|condition|randomi|placebo|which|technique|procedure|graft|device|\bdrug|medication|solution|regimen|exposure|program";
/// The assignment itself, right after a word that may speak of anything.
const OWN_GROUP: &str = r"^(?: (?:of|about|as to|to|in|by))*(?: (?:the|their|his|her|which|what))*(?: (?:treatment|group|study|trial|intervention))* (?:allocation|assignment|group|arm|treatment)\b";
/// A statement with an exception says nothing sure of those who gave the interventions.
const EXCEPTION: &str = r"\b(except|apart from|other than|with the exception)";
const BOUNDARY: &str = r"[.;:]|, (?:but|so|which|although|though) |\b(?:while|whereas|because|although|so that|that|where) ";
const NOT_POSSIBLE: &str = r"(?:not (?:possible|feasible|practicable|practical)|impossible|unable) to (?:blind|mask) ([^.;]{3,80})|(?:blinding|masking) of ([^.;]{3,80}?) (?:was|were|is) (?:not (?:possible|feasible|attempted|done)|impossible|unfeasible)";
const KEPT_FROM: &str = r"(?:blinding|masking) of ([^.;]{3,80}?) (?:was|were) (?:ensured|maintained|achieved|preserved)";
const BLIND_ASSESSMENT: &str = r"\b(?:blinded|masked) (?:outcome |end-?point |independent |central )*(?:assess|evaluat|rater|examiner|observer|adjudicat|reader|reading|interpretation)|\bblind (?:outcome |end-?point )?(?:assess|evaluat|rater|examiner|observer)";
const BLINDED_PERSON: &str = r"\bby (?:[a-z,-]+ ){0,4}?(?:blinded|masked) ([a-z]+(?: [a-z]+){0,2})";

/// Where the description of a person begins: "staff | caring for patients".
const DESCRIPTION: &str = r"\b(?:who|that|which|caring|treating|performing|responsible|involved|assessing|evaluating|conducting|collecting|measuring|recording|administering|delivering|analy[sz]ing|interviewing|reading|engaged|randomi[sz]ed|assigned|allocated|receiving|in|to|for|of|with|at|from|on|during)\b";
const ANALYSES: &str = r"analy[sz]|statistic";
const ASSESSES: &str = r"assess|evaluat|measur|outcome|interview|recorded|recording|read(?:s|ing)?\b|scor|rated|rating|graded|collect|examin|adjudicat|interpret|determin";
const DELIVERS: &str = r"treat|caring|care\b|administ|deliver|giving|provid|perform|inject|manag";

const PARTICIPANT: &str = r"\b(?:participant|patient|subject|volunteer|mother|parent|student|girl|boy|infant|resident|client|pupil|adult)s?$|\b(?:women|men|children|families|people|carers and patients)$";
const ASSESSOR: &str = r"\b(?:assessor|evaluator|rater|examiner|observer|adjudicator|interviewer|radiologist|pathologist|technician|reader|cytologist|neurophysiologist|echocardiographer|researcher|experimenter)s?$|\binvestigator$|\b(?:outcome|adjudication|endpoint|end point)\b";
const STAFF: &str = r"\b(?:investigators|staff|personnel|study team)$";
const CARER: &str = r"\b(?:clinician|physician|doctor|nurse|therapist|physiotherapist|surgeon|carer|caregiver|giver|provider|teacher|instructor|trainer|an(?:a)?esthetist|an(?:a)?esthesiologist|dentist|operator|counsell?or|worker)s?$|\bmidwives$|\bmidwife$";
const ANYBODY: &str = r"\b(?:individual|person|author|one|specialist|expert|colleague|assistant|student)s?$|\b(?:people|those|someone|somebody)$";

/// The patterns above, compiled. All are part of the program, and a test holds that they can be read.
struct Grammar {
    state: Regex,
    denied: Regex,
    assignment: Regex,
    own_group: Regex,
    denied_anywhere: Regex,
    only_then: Regex,
    enrols: Regex,
    other_clause: Regex,
    helping: Regex,
    exception: Regex,
    boundary: Regex,
    not_possible: Regex,
    kept_from: Regex,
    blind_assessment: Regex,
    blinded_person: Regex,
    description: Regex,
    analyses: Regex,
    assesses: Regex,
    delivers: Regex,
    participant: Regex,
    assessor: Regex,
    staff: Regex,
    carer: Regex,
    anybody: Regex,
}

static GRAMMAR: LazyLock<Option<Grammar>> = LazyLock::new(|| {
    Some(Grammar {
        state: compiled(STATE)?,
        denied: compiled(DENIED)?,
        assignment: compiled(ASSIGNMENT)?,
        own_group: compiled(OWN_GROUP)?,
        denied_anywhere: compiled(DENIED_ANYWHERE)?,
        only_then: compiled(ONLY_THEN)?,
        enrols: compiled(ENROLS)?,
        other_clause: compiled(OTHER_CLAUSE)?,
        helping: compiled(HELPING)?,
        exception: compiled(EXCEPTION)?,
        boundary: compiled(BOUNDARY)?,
        not_possible: compiled(NOT_POSSIBLE)?,
        kept_from: compiled(KEPT_FROM)?,
        blind_assessment: compiled(BLIND_ASSESSMENT)?,
        blinded_person: compiled(BLINDED_PERSON)?,
        description: compiled(DESCRIPTION)?,
        analyses: compiled(ANALYSES)?,
        assesses: compiled(ASSESSES)?,
        delivers: compiled(DELIVERS)?,
        participant: compiled(PARTICIPANT)?,
        assessor: compiled(ASSESSOR)?,
        staff: compiled(STAFF)?,
        carer: compiled(CARER)?,
        anybody: compiled(ANYBODY)?,
    })
});

fn statements(plain: &str) -> Vec<Statement> {
    let Some(grammar) = GRAMMAR.as_ref() else {
        return Vec::new();
    };
    // Most sentences speak of something else.
    if ![
        "blind", "mask", "aware", "know", "knew", "told", "informed", "ignorant",
    ]
    .iter()
    .any(|word| plain.contains(word))
    {
        return Vec::new();
    }
    let plain = without_brackets(plain);
    let mut said = grammar.told_by_verb(&plain);
    said.extend(grammar.told_by_noun(&plain));
    if grammar.exception.is_match(plain.as_bytes()) {
        for one in &mut said {
            one.parties.retain(|party| *party != TrialParty::Carers);
        }
    }
    said
}

impl Grammar {
    /// "Patients and nurses were masked", "by assessors who did not know the groups", "an observer blinded to allocation".
    fn told_by_verb(&self, plain: &str) -> Vec<Statement> {
        let mut said = Vec::new();
        for found in self.state.captures_iter(plain.as_bytes()) {
            let (Some(whole), Some(word)) = (found.get(0), found.get(3)) else {
                continue;
            };
            let (before, after) = (&plain[..whole.start()], &plain[whole.end()..]);
            let word = &plain[word.start()..word.end()];
            let verbal = [
                "did not know",
                "had no",
                "without",
                "knew",
                "told",
                "informed",
            ]
            .iter()
            .any(|verb| word.starts_with(verb));
            let near: String = after.chars().take(80).collect();
            let on_assignment = self.assignment.is_match(near.as_bytes());
            let of_something = [" to ", " of ", " as to ", " for "]
                .iter()
                .any(|link| near.starts_with(link));
            if !on_assignment && (verbal || of_something || word.contains(' ')) {
                continue;
            }
            // People are told and informed of much.
            let informed = matches!(word, "told" | "informed");
            if informed && !self.own_group.is_match(near.as_bytes()) {
                continue;
            }
            let clause = self.clause(before);
            if self.only_then.is_match(plain.as_bytes()) || self.enrols.is_match(clause.as_bytes())
            {
                continue;
            }
            let denied = found.get(2).is_some() || self.denied.is_match(clause.as_bytes());
            let knows = ["unblinded", "unmasked", "aware", "knew", "told", "informed"]
                .iter()
                .any(|knowing| word.starts_with(knowing));
            let helped = found.get(1).is_some() || verbal && !word.starts_with("without");
            let knew = knows != denied;
            said.push(Statement {
                parties: self.subject(clause, helped, knew),
                knew,
            });
        }
        said
    }

    /// "Blinding of participants was not possible", "blinded outcome assessment", "by a masked physiotherapist".
    fn told_by_noun(&self, plain: &str) -> Vec<Statement> {
        let bytes = plain.as_bytes();
        let mut said = Vec::new();
        for (pattern, knew) in [(&self.not_possible, true), (&self.kept_from, false)] {
            for found in pattern.captures_iter(bytes) {
                let people = found.iter().skip(1).flatten().next();
                let people = people.map_or("", |people| &plain[people.start()..people.end()]);
                let parties = self.listed(
                    people,
                    Told {
                        assessed: false,
                        knew,
                    },
                );
                said.push(Statement { parties, knew });
            }
        }
        let denied = self.denied_anywhere.is_match(bytes);
        if self.blind_assessment.is_match(bytes) && !denied {
            said.push(Statement {
                parties: vec![TrialParty::Assessors],
                knew: false,
            });
        }
        for found in self.blinded_person.captures_iter(bytes) {
            let Some((whole, person)) = found.get(0).zip(found.get(1)) else {
                continue;
            };
            let assessed = self.assesses.is_match(plain[..whole.start()].as_bytes());
            let first = plain[person.start()..person.end()].split(' ').next();
            let told = Told {
                assessed,
                knew: denied,
            };
            said.push(Statement {
                parties: self.party(first.unwrap_or_default(), told),
                knew: denied,
            });
        }
        said
    }

    /// The end of the text before a verb that belongs to it.
    fn clause<'t>(&self, before: &'t str) -> &'t str {
        // "Assessors who were masked": the pronoun stands for the people before it.
        let before = ["who ", "that ", "which "]
            .iter()
            .find_map(|pronoun| before.strip_suffix(pronoun))
            .unwrap_or(before);
        let last = self.boundary.find_iter(before.as_bytes()).last();
        last.map_or(before, |last| &before[last.end()..])
    }

    /// The people whom a clause is about: its subject where a helping verb follows, else those it names last.
    fn subject(&self, clause: &str, helped: bool, knew: bool) -> Vec<TrialParty> {
        let told = |assessed| Told { assessed, knew };
        let helping = self.helping.find(clause.as_bytes());
        let clause = helping.map_or(clause, |helping| &clause[..helping.start()]);
        let by = clause.rfind("by ").filter(|at| {
            *at == 0 || clause.as_bytes().get(at.wrapping_sub(1)).copied() == Some(b' ')
        });
        match by {
            Some(at) => {
                let assessed = self.assesses.is_match(clause[..at].as_bytes());
                self.listed(&clause[at + 3..], told(assessed))
            }
            None if helped => self.listed(clause, told(false)),
            None => {
                let words: Vec<&str> = clause.split_whitespace().collect();
                let last = words.len().saturating_sub(4);
                self.listed(
                    &words.get(last..).unwrap_or_default().join(" "),
                    told(false),
                )
            }
        }
    }

    fn listed(&self, people: &str, told: Told) -> Vec<TrialParty> {
        let parts = people.split([',', '/']);
        let parts = parts
            .flat_map(|part| part.split(" and "))
            .flat_map(|part| part.split(" or "))
            .flat_map(|part| part.split(" nor "));
        let mut parties = Vec::new();
        for part in parts {
            if self.other_clause.is_match(part.as_bytes()) {
                parties.clear();
                continue;
            }
            for party in self.party(part.trim(), told) {
                if !parties.contains(&party) {
                    parties.push(party);
                }
            }
        }
        parties
    }

    /// What one kind of people did in the trial, by what is said of them and then by what they are called.
    fn party(&self, people: &str, told: Told) -> Vec<TrialParty> {
        let described = self.description.find(people.as_bytes());
        let at = described.map_or(people.len(), |found| found.start());
        let (name, description) = (people[..at].trim(), people[at..].as_bytes());
        let name_is = |pattern: &Regex| pattern.is_match(name.as_bytes());
        if name_is(&self.participant) && !told.assessed {
            return vec![TrialParty::Participants];
        }
        let known = [&self.assessor, &self.staff, &self.carer, &self.anybody];
        if name.is_empty()
            || self.analyses.is_match(people.as_bytes())
            || !known.into_iter().any(name_is)
        {
            return Vec::new();
        }
        if told.assessed || name_is(&self.assessor) || self.assesses.is_match(description) {
            return vec![TrialParty::Assessors];
        }
        if self.delivers.is_match(description) || name_is(&self.carer) {
            return vec![TrialParty::Carers];
        }
        match (name_is(&self.staff), told.knew) {
            // Staff who are kept from knowing cannot assess with knowledge; of staff who know, others may assess.
            (true, false) => vec![TrialParty::Carers, TrialParty::Assessors],
            (true, true) => vec![TrialParty::Carers],
            (false, _) => Vec::new(),
        }
    }
}

/// A sentence without what stands in brackets.
fn without_brackets(plain: &str) -> String {
    let (mut out, mut depth) = (String::with_capacity(plain.len()), 0_u32);
    for letter in plain.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    out.replace("  ", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_apart_by_what_is_said_of_them() {
        assert!(GRAMMAR.is_some(), "every pattern can be read");
        use TrialParty::{Assessors, Carers, Participants};
        let none: &[TrialParty] = &[];
        for (sentence, blind, aware) in [
            (
                "the hospital staff caring for postoperative patients was blinded for group allocation.",
                &[Carers][..],
                none,
            ),
            (
                "the investigators who carried out the study data analysis were blinded to patients' treatment assignment.",
                none,
                none,
            ),
            (
                "study participants and response assessors were masked to treatment allocation.",
                &[Participants, Assessors],
                none,
            ),
            (
                "all staff engaged in the trial were blinded as to the treatment group of each child, apart from those in the clinic.",
                &[Assessors],
                none,
            ),
            (
                "ctni was measured in the laboratory of our hospital by individuals unaware of the group allocation.",
                &[Assessors],
                none,
            ),
            (
                "participants were not told in advance that there would be homework.",
                none,
                none,
            ),
            (
                "participants were not told in advance that there would be homework assignments.",
                none,
                none,
            ),
            (
                "patients were managed by an observer blinded to group allocation.",
                &[Assessors],
                none,
            ),
            (
                "neither the participants nor the therapists were blinded.",
                none,
                &[Participants, Carers],
            ),
            (
                "patients could not be blinded, but outcome assessors were unaware of the assignment.",
                &[Assessors],
                &[Participants],
            ),
            (
                "participants and instructors could not be blinded to the programme.",
                none,
                &[Participants, Carers],
            ),
            (
                "baseline evaluation was done by a blinded physiotherapist.",
                &[Assessors],
                none,
            ),
            (
                "blinding of participants and personnel was not possible.",
                none,
                &[Participants, Carers],
            ),
            (
                "parents were informed about the purpose of the study.",
                none,
                none,
            ),
            ("a laryngeal mask was placed in all patients.", none, none),
            ("the statistician was masked to the groups.", none, none),
        ] {
            for party in [Participants, Carers, Assessors] {
                let expected = match (blind.contains(&party), aware.contains(&party)) {
                    (true, false) => Some(false),
                    (false, true) => Some(true),
                    _ => None,
                };
                assert_eq!(knew(party, sentence), expected, "{party:?}: {sentence}");
            }
        }
    }
}
