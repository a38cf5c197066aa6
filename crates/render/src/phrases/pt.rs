//! The phrases in Portuguese.

use super::{Phrases, Plural, Reasons};

pub(super) const PHRASES: Phrases = Phrases {
    summary: "Resumo",
    disagreements: "Onde as fontes discordam",
    unknown: "O que não se sabe",
    conclusion: "Conclusão",
    method: "Como este relatório foi feito",
    sources: "Fontes",
    proofs: "Provas",
    contents: "Conteúdo",
    section: "Secção",
    asked: "Pergunta:",
    skip: "Ir para o texto",
    partial_title: "Relatório parcial",
    partial_note: "Este é um relatório parcial, não uma resposta completa.",
    before_relying: "Antes de confiar nele",
    answered: "Respondida.",
    partly_answered: "Respondida em parte.",
    not_answered: "Sem resposta.",
    agree: Plural {
        one: "Uma fonte o diz",
        many: "{n} fontes concordam",
    },
    dispute: Plural {
        one: "1 diz o contrário",
        many: "{n} dizem o contrário",
    },
    cited: Plural {
        one: "1 fonte citada, {m} lidas",
        many: "{n} fontes citadas, {m} lidas",
    },
    quotes_verified: "citações verificadas: {n} de {m}",
    statements_verified: "frases verificadas: {n} de {m}",
    no_model: "sem modelo de linguagem",
    review: "revisto por um modelo: {n} de 10",
    neither_side: "Nenhum dos lados pesa claramente mais; julgue por si.",
    search_next: "A pesquisar a seguir:",
    footer: "Feito por Fathom, que só diz o que diz uma passagem guardada.",
    reasons: Reasons {
        nothing_found: "Nada foi encontrado sobre a pergunta.",
        not_weighed: "O trabalho terminou antes de as fontes serem avaliadas.",
        nothing_answers: "As fontes não dizem nada que responda à pergunta.",
        not_in_documents: "Os seus documentos não mencionam {subject}.",
        weak_only: "Cada ponto assenta numa só fonte, ou em fontes que discordam.",
        no_short_answer: "As fontes tratam da questão, mas nenhuma resposta breve passou na verificação.",
    },
};
