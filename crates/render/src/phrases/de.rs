//! The phrases in German.

use super::{Phrases, Plural, Reasons};

pub(super) const PHRASES: Phrases = Phrases {
    summary: "Zusammenfassung",
    disagreements: "Worin sich die Quellen widersprechen",
    unknown: "Was offen bleibt",
    conclusion: "Fazit",
    method: "Wie dieser Bericht entstanden ist",
    sources: "Quellen",
    proofs: "Belege",
    contents: "Inhalt",
    section: "Abschnitt",
    asked: "Gefragt war:",
    skip: "Zum Text springen",
    partial_title: "Teilbericht",
    partial_note: "Dies ist ein Teilbericht, keine vollständige Antwort.",
    before_relying: "Bevor Sie sich darauf verlassen",
    answered: "Beantwortet.",
    partly_answered: "Teilweise beantwortet.",
    not_answered: "Nicht beantwortet.",
    agree: Plural {
        one: "Eine Quelle sagt das",
        many: "{n} Quellen stimmen überein",
    },
    dispute: Plural {
        one: "1 widerspricht",
        many: "{n} widersprechen",
    },
    cited: Plural {
        one: "1 Quelle zitiert, {m} gelesen",
        many: "{n} Quellen zitiert, {m} gelesen",
    },
    quotes_verified: "geprüfte Zitate: {n} von {m}",
    statements_verified: "geprüfte Sätze: {n} von {m}",
    no_model: "ohne Sprachmodell",
    review: "Durchsicht durch ein Modell: {n} von 10",
    neither_side: "Keine Seite überwiegt klar; urteilen Sie selbst.",
    search_next: "Suchen Sie als Nächstes nach",
    footer: "Erstellt von Fathom. Hier steht nur, was eine gespeicherte Textstelle sagt.",
    reasons: Reasons {
        nothing_found: "Zu dieser Frage wurde nichts gefunden.",
        not_weighed: "Der Lauf endete, bevor die Quellen ausgewertet waren.",
        nothing_answers: "Die Quellen sagen nichts, was die Frage beantwortet.",
        not_in_documents: "Ihre Dokumente erwähnen {subject} nicht.",
        weak_only: "Jeder Punkt stützt sich auf nur eine Quelle oder auf Quellen, die sich widersprechen.",
        no_short_answer: "Die Quellen behandeln die Frage, aber keine kurze Antwort hielt der Prüfung an ihnen stand.",
    },
};
