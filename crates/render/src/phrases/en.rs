//! The phrases in English.

use super::{Phrases, Plural, Reasons};

pub(super) const PHRASES: Phrases = Phrases {
    summary: "Summary",
    disagreements: "Where the sources disagree",
    unknown: "What is not known",
    conclusion: "Conclusion",
    method: "How this report was made",
    sources: "Sources",
    proofs: "Proofs",
    contents: "Contents",
    section: "Section",
    asked: "Asked:",
    skip: "Skip to the text",
    partial_title: "Partial report",
    partial_note: "This is a partial report, not a full answer.",
    before_relying: "Before you rely on it",
    answered: "Answered.",
    partly_answered: "Partly answered.",
    not_answered: "Not answered.",
    agree: Plural {
        one: "One source says so",
        many: "{n} sources agree",
    },
    dispute: Plural {
        one: "1 disputes it",
        many: "{n} dispute it",
    },
    cited: Plural {
        one: "1 source cited, {m} read",
        many: "{n} sources cited, {m} read",
    },
    quotes_verified: "quotes verified: {n} of {m}",
    statements_verified: "sentences verified: {n} of {m}",
    no_model: "no language model used",
    review: "reviewed by a model: {n} of 10",
    neither_side: "Neither side clearly outweighs the other; judge for yourself.",
    search_next: "Search next for",
    footer: "Made by Fathom, which says only what a stored passage says.",
    reasons: Reasons {
        nothing_found: "Nothing was found on the question.",
        not_weighed: "The run ended before the sources were weighed.",
        nothing_answers: "The sources say nothing that answers the question.",
        not_in_documents: "Your documents do not mention {subject}.",
        weak_only: "Each point rests on one source, or on sources that disagree.",
        no_short_answer: "The sources bear on it, but no short answer passed the check against them.",
    },
};
