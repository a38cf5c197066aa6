//! The phrases in Italian.

use super::{Phrases, Plural, Reasons};

pub(super) const PHRASES: Phrases = Phrases {
    summary: "Sintesi",
    disagreements: "Dove le fonti non concordano",
    unknown: "Che cosa non si sa",
    conclusion: "Conclusione",
    method: "Come è nato questo rapporto",
    sources: "Fonti",
    proofs: "Prove",
    contents: "Indice",
    section: "Sezione",
    asked: "Domanda:",
    skip: "Vai al testo",
    partial_title: "Rapporto parziale",
    partial_note: "Questo è un rapporto parziale, non una risposta completa.",
    before_relying: "Prima di farvi affidamento",
    answered: "La domanda ha una risposta.",
    partly_answered: "Risposta parziale.",
    not_answered: "Nessuna risposta.",
    agree: Plural {
        one: "Lo dice una fonte",
        many: "{n} fonti concordano",
    },
    dispute: Plural {
        one: "1 dice il contrario",
        many: "{n} dicono il contrario",
    },
    cited: Plural {
        one: "1 fonte citata, {m} lette",
        many: "{n} fonti citate, {m} lette",
    },
    quotes_verified: "citazioni verificate: {n} su {m}",
    statements_verified: "frasi verificate: {n} su {m}",
    no_model: "senza modello linguistico",
    review: "rivisto da un modello: {n} su 10",
    neither_side: "Nessuna delle due parti prevale chiaramente; giudicate voi.",
    search_next: "Da cercare in seguito:",
    footer: "Redatto da Fathom, che dice solo ciò che dice un passo conservato.",
    reasons: Reasons {
        nothing_found: "Non è stato trovato nulla sulla domanda.",
        not_weighed: "Il lavoro è finito prima che le fonti fossero valutate.",
        nothing_answers: "Le fonti non dicono nulla che risponda alla domanda.",
        not_in_documents: "I vostri documenti non menzionano {subject}.",
        weak_only: "Ogni punto poggia su una sola fonte, o su fonti che non concordano.",
        no_short_answer: "Le fonti trattano la questione, ma nessuna risposta breve ha superato la verifica.",
    },
};
