//! Who is said to know the assignment, and who is not: read from the words around "blinded", "masked" and "unaware".
//!
//! Takes a sentence in plain form; gives what it says of participants, carers and assessors. Those who only analysed the
//! data are none of the three. Names of a whole trial, such as "double-blind", are left to the phrase rules.

mod grammar;

use regex::bytes::Regex;

use self::grammar::{GRAMMAR, Grammar};
use super::patterns::without_brackets;

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

/// How people are spoken of: what the sentence has them do, and whether it says that they knew.
#[derive(Clone, Copy)]
struct Told {
    assessed: bool,
    delivered: bool,
    knew: bool,
}

struct Statement {
    parties: Vec<TrialParty>,
    knew: bool,
}

/// Other spellings of the words for somebody who knew.
const NOT_BLINDED: [(&str, &str); 5] = [
    ("non-blinded", "unblinded"),
    ("nonblinded", "unblinded"),
    ("un-blinded", "unblinded"),
    ("non-masked", "unmasked"),
    ("nonmasked", "unmasked"),
];

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
    let plain = NOT_BLINDED
        .iter()
        .fold(plain, |plain, (word, usual)| plain.replace(word, usual));
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
            let elsewhere = self.other_matter.is_match(near.as_bytes());
            if elsewhere || !on_assignment && (verbal || of_something || word.contains(' ')) {
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
            let unblinded = matches!(word, "unblinded" | "unmasked");
            let event = self.counted.is_match(clause.as_bytes())
                || self.unblinding_event.is_match(near.as_bytes());
            if !denied && (self.unsure.is_match(clause.as_bytes()) || unblinded && event) {
                continue;
            }
            let knows = ["unblinded", "unmasked", "aware", "knew", "told", "informed"]
                .iter()
                .any(|knowing| word.starts_with(knowing));
            let helped = found.get(1).is_some() || verbal && !word.starts_with("without");
            let knew = knows != denied;
            let mut parties = self.subject(clause, helped, knew);
            let in_passing = found.get(1).is_none()
                || ["who ", "that ", "which "]
                    .iter()
                    .any(|pronoun| before.ends_with(pronoun));
            if in_passing && self.then_assessed(after) {
                as_assessors(&mut parties);
            }
            if !knew && self.afterwards.is_match(clause.as_bytes()) {
                parties.retain(|party| *party != TrialParty::Carers);
            }
            said.push(Statement { parties, knew });
        }
        said
    }

    /// Whether those of whom a sentence tells in passing what they knew are said to have assessed, by what comes after.
    fn then_assessed(&self, after: &str) -> bool {
        let after = after.split(['.', ';']).next().unwrap_or_default();
        let Some(verb) = self.then_assessed.find(after.as_bytes()) else {
            return false;
        };
        let between = &after.as_bytes()[..verb.start()];
        !self.other_subject.is_match(between)
    }

    /// "Blinding of participants was not possible", "blinded outcome assessment", "by a masked physiotherapist".
    fn told_by_noun(&self, plain: &str) -> Vec<Statement> {
        let bytes = plain.as_bytes();
        let mut said = Vec::new();
        if self.not_blind.is_match(bytes) {
            said.push(Statement {
                parties: vec![TrialParty::Participants, TrialParty::Carers],
                knew: true,
            });
        }
        for (pattern, knew) in [(&self.not_possible, true), (&self.kept_from, false)] {
            for found in pattern.captures_iter(bytes) {
                let begins = found.get(0).map_or(0, |whole| whole.start());
                if !knew && self.denies(plain, begins) {
                    continue;
                }
                let people = found.iter().skip(1).flatten().next();
                let people = people.map_or("", |people| &plain[people.start()..people.end()]);
                let parties = self.listed(
                    people,
                    Told {
                        assessed: false,
                        delivered: false,
                        knew,
                    },
                );
                said.push(Statement { parties, knew });
            }
        }
        let assessment = self.blind_assessment.find(bytes);
        if assessment.is_some_and(|found| !self.denies(plain, found.start())) {
            said.push(Statement {
                parties: vec![TrialParty::Assessors],
                knew: false,
            });
        }
        for found in self.blinded_person.captures_iter(bytes) {
            let Some((whole, person)) = found.get(0).zip(found.get(2)) else {
                continue;
            };
            let before = &plain[..whole.start()];
            let unblinded = found.get(1).is_some();
            let knew = unblinded || self.denied_anywhere.is_match(before.as_bytes());
            // "By a blinded nurse who did not treat them": what is denied may be something else.
            if !knew && self.denies(plain, whole.start()) {
                continue;
            }
            let assessed = self.assesses.is_match(before.as_bytes());
            let first = plain[person.start()..person.end()].split(' ').next();
            let told = Told {
                assessed,
                delivered: self.delivered.is_match(before.as_bytes()),
                knew,
            };
            said.push(Statement {
                parties: self.party(first.unwrap_or_default(), told),
                knew,
            });
        }
        said
    }

    /// Whether the sentence may deny the blinding that is told at a place.
    fn denies(&self, plain: &str, at: usize) -> bool {
        let bytes = plain.as_bytes();
        self.denied_anywhere.is_match(bytes)
            || self.unsure_anywhere.is_match(bytes)
            || self.denied_before.is_match(&bytes[..at])
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
        let told = |assessed, delivered| Told {
            assessed,
            delivered,
            knew,
        };
        let helping = self.helping.find(clause.as_bytes());
        let clause = helping.map_or(clause, |helping| &clause[..helping.start()]);
        let by = clause.rfind("by ").filter(|at| {
            *at == 0 || clause.as_bytes().get(at.wrapping_sub(1)).copied() == Some(b' ')
        });
        match by {
            Some(at) => {
                let before = &clause.as_bytes()[..at];
                let assessed = self.assesses.is_match(before);
                let delivered = self.delivered.is_match(before);
                self.listed(&clause[at + 3..], told(assessed, delivered))
            }
            None if helped => self.listed(clause, told(false, false)),
            None => {
                let words: Vec<&str> = clause.split_whitespace().collect();
                let last = words.len().saturating_sub(4);
                self.listed(
                    &words.get(last..).unwrap_or_default().join(" "),
                    told(false, false),
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
        let (name, description) = (people[..at].trim(), &people.as_bytes()[at..]);
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
        if told.delivered && !told.assessed {
            return vec![TrialParty::Carers];
        }
        if told.assessed || name_is(&self.assessor) || self.assesses.is_match(description) {
            return vec![TrialParty::Assessors];
        }
        // Whoever works in a laboratory only measures, and others may assess.
        if people.contains("laborator") {
            let assess = if told.knew {
                None
            } else {
                Some(TrialParty::Assessors)
            };
            return assess.into_iter().collect();
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

/// Carers of whom the sentence tells that they assessed, as assessors.
fn as_assessors(parties: &mut Vec<TrialParty>) {
    let cared = parties.contains(&TrialParty::Carers);
    parties.retain(|party| *party != TrialParty::Carers);
    if cared && !parties.contains(&TrialParty::Assessors) {
        parties.push(TrialParty::Assessors);
    }
}

#[cfg(test)]
mod tests;
