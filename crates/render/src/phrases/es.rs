//! The phrases in Spanish.

use super::{Phrases, Plural, Reasons};

pub(super) const PHRASES: Phrases = Phrases {
    summary: "Resumen",
    disagreements: "En qué discrepan las fuentes",
    unknown: "Lo que no se sabe",
    conclusion: "Conclusión",
    method: "Cómo se elaboró este informe",
    sources: "Fuentes",
    proofs: "Pruebas",
    contents: "Contenido",
    section: "Sección",
    asked: "Pregunta:",
    skip: "Ir al texto",
    partial_title: "Informe parcial",
    partial_note: "Este es un informe parcial, no una respuesta completa.",
    before_relying: "Antes de fiarse de él",
    answered: "Respondida.",
    partly_answered: "Respondida en parte.",
    not_answered: "Sin respuesta.",
    agree: Plural {
        one: "Lo dice una fuente",
        many: "{n} fuentes coinciden",
    },
    dispute: Plural {
        one: "1 dice lo contrario",
        many: "{n} dicen lo contrario",
    },
    cited: Plural {
        one: "1 fuente citada, {m} leídas",
        many: "{n} fuentes citadas, {m} leídas",
    },
    quotes_verified: "citas comprobadas: {n} de {m}",
    statements_verified: "frases comprobadas: {n} de {m}",
    no_model: "sin modelo de lenguaje",
    review: "revisado por un modelo: {n} de 10",
    neither_side: "Ninguna de las partes pesa claramente más; juzgue usted.",
    search_next: "Busque a continuación",
    footer: "Elaborado por Fathom, que solo dice lo que dice un pasaje guardado.",
    reasons: Reasons {
        nothing_found: "No se encontró nada sobre la pregunta.",
        not_weighed: "El trabajo terminó antes de que se valoraran las fuentes.",
        nothing_answers: "Las fuentes no dicen nada que responda a la pregunta.",
        not_in_documents: "Sus documentos no mencionan {subject}.",
        weak_only: "Cada punto se apoya en una sola fuente, o en fuentes que discrepan.",
        no_short_answer: "Las fuentes tratan la cuestión, pero ninguna respuesta breve superó la comprobación.",
    },
};
