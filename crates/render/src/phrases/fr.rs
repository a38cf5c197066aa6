//! The phrases in French.

use super::{Phrases, Plural, Reasons};

pub(super) const PHRASES: Phrases = Phrases {
    summary: "Résumé",
    disagreements: "Ce sur quoi les sources se contredisent",
    unknown: "Ce que l’on ne sait pas",
    conclusion: "Conclusion",
    method: "Comment ce rapport a été établi",
    sources: "Sources",
    proofs: "Preuves",
    contents: "Sommaire",
    section: "Section",
    asked: "Question posée :",
    skip: "Aller au texte",
    partial_title: "Rapport partiel",
    partial_note: "Ceci est un rapport partiel, et non une réponse complète.",
    before_relying: "Avant de vous y fier",
    answered: "Question résolue.",
    partly_answered: "Réponse partielle.",
    not_answered: "Sans réponse.",
    agree: Plural {
        one: "Une source le dit",
        many: "{n} sources concordent",
    },
    dispute: Plural {
        one: "1 dit le contraire",
        many: "{n} disent le contraire",
    },
    cited: Plural {
        one: "1 source citée, {m} lues",
        many: "{n} sources citées, {m} lues",
    },
    quotes_verified: "citations vérifiées : {n} sur {m}",
    statements_verified: "phrases vérifiées : {n} sur {m}",
    no_model: "sans modèle de langage",
    review: "relu par un modèle : {n} sur 10",
    neither_side: "Aucun des deux camps ne l’emporte nettement ; à vous de juger.",
    search_next: "À chercher ensuite :",
    footer: "Établi par Fathom, qui ne dit que ce que dit un passage conservé.",
    reasons: Reasons {
        nothing_found: "Rien n’a été trouvé sur cette question.",
        not_weighed: "Le travail s’est arrêté avant que les sources aient été évaluées.",
        nothing_answers: "Les sources ne disent rien qui réponde à la question.",
        not_in_documents: "Vos documents ne mentionnent pas {subject}.",
        weak_only: "Chaque point repose sur une seule source, ou sur des sources qui se contredisent.",
        no_short_answer: "Les sources abordent la question, mais aucune réponse courte n’a résisté à la vérification.",
    },
};
