//! What an answer says by itself, in the language of its question. A language without a table gets English.

use fathom_evidence::Language;

/// The words of one language.
pub(super) struct AnswerWords {
    pub(super) page: &'static str,
    pub(super) line: &'static str,
    /// Before the question in full.
    pub(super) understood_as: &'static str,
    pub(super) confidence: &'static str,
    /// Quality, coverage, relevance, results.
    pub(super) measures: [&'static str; 4],
    /// `{why}` stands for the measures that fell short.
    pub(super) searched_again: &'static str,
    pub(super) still_poor: &'static str,
    /// `{stage}` stands for the stage that was under way.
    pub(super) timeout: &'static str,
    /// The same where something had been found by then.
    pub(super) cut_short: &'static str,
    pub(super) error: &'static str,
    /// `{name}` stands for a model.
    pub(super) written_by: &'static str,
    pub(super) quotes_only: &'static str,
    /// Behind a sentence that its passages were not found to say.
    pub(super) unconfirmed: &'static str,
}

impl AnswerWords {
    pub(super) fn new(language: Language) -> &'static Self {
        match language.code() {
            "de" => &GERMAN,
            "fr" => &FRENCH,
            "es" => &SPANISH,
            "it" => &ITALIAN,
            "pt" => &PORTUGUESE,
            "nl" => &DUTCH,
            _ => &ENGLISH,
        }
    }
}

const ENGLISH: AnswerWords = AnswerWords {
    page: "page",
    line: "line",
    understood_as: "Understood as:",
    confidence: "confidence",
    measures: ["quality", "coverage", "relevance", "results"],
    searched_again: "Searched a second time, with more words, because of {why}.",
    still_poor: "The second search found little better ({why}); check the passages yourself.",
    timeout: "No answer: the time was used up in the stage “{stage}”.",
    cut_short: "The time was used up in the stage “{stage}”: the answer rests on what was found until then.",
    error: "No answer: the stage “{stage}” failed.",
    written_by: "Written by {name} from the passages below alone.",
    quotes_only: "Quoted word for word; no language model was used.",
    unconfirmed: "not confirmed",
};

const GERMAN: AnswerWords = AnswerWords {
    page: "Seite",
    line: "Zeile",
    understood_as: "Verstanden als:",
    confidence: "Zuversicht",
    measures: ["Güte", "Abdeckung", "Relevanz", "Treffer"],
    searched_again: "Ein zweites Mal mit mehr Wörtern gesucht, wegen {why}.",
    still_poor: "Auch die zweite Suche fand wenig Besseres ({why}); prüfen Sie die Stellen selbst.",
    timeout: "Keine Antwort: Die Zeit war im Abschnitt „{stage}“ aufgebraucht.",
    cut_short: "Die Zeit war im Abschnitt „{stage}“ aufgebraucht: Die Antwort beruht auf dem, was bis dahin gefunden war.",
    error: "Keine Antwort: Der Abschnitt „{stage}“ ist gescheitert.",
    written_by: "Von {name} allein aus den folgenden Stellen geschrieben.",
    quotes_only: "Wörtlich zitiert; ein Sprachmodell war nicht beteiligt.",
    unconfirmed: "nicht bestätigt",
};

const FRENCH: AnswerWords = AnswerWords {
    page: "page",
    line: "ligne",
    understood_as: "Compris comme :",
    confidence: "confiance",
    measures: ["qualité", "couverture", "pertinence", "résultats"],
    searched_again: "Recherché une seconde fois avec plus de mots, à cause de {why}.",
    still_poor: "La seconde recherche n'a guère trouvé mieux ({why}) ; vérifiez les passages vous-même.",
    timeout: "Aucune réponse : le temps était écoulé à l'étape « {stage} ».",
    cut_short: "Le temps était écoulé à l'étape « {stage} » : la réponse repose sur ce qui était trouvé jusque-là.",
    error: "Aucune réponse : l'étape « {stage} » a échoué.",
    written_by: "Rédigé par {name} à partir des seuls passages ci-dessous.",
    quotes_only: "Cité mot pour mot ; aucun modèle de langage n'a été utilisé.",
    unconfirmed: "non confirmé",
};

const SPANISH: AnswerWords = AnswerWords {
    page: "página",
    line: "línea",
    understood_as: "Entendido como:",
    confidence: "confianza",
    measures: ["calidad", "cobertura", "relevancia", "resultados"],
    searched_again: "Se buscó una segunda vez con más palabras, por {why}.",
    still_poor: "La segunda búsqueda apenas encontró algo mejor ({why}); compruebe los pasajes usted mismo.",
    timeout: "Sin respuesta: el tiempo se agotó en la etapa «{stage}».",
    cut_short: "El tiempo se agotó en la etapa «{stage}»: la respuesta se apoya en lo encontrado hasta entonces.",
    error: "Sin respuesta: la etapa «{stage}» falló.",
    written_by: "Escrito por {name} solo a partir de los pasajes siguientes.",
    quotes_only: "Citado palabra por palabra; no se usó ningún modelo de lenguaje.",
    unconfirmed: "no confirmado",
};

const ITALIAN: AnswerWords = AnswerWords {
    page: "pagina",
    line: "riga",
    understood_as: "Inteso come:",
    confidence: "fiducia",
    measures: ["qualità", "copertura", "pertinenza", "risultati"],
    searched_again: "Cercato una seconda volta con più parole, per {why}.",
    still_poor: "La seconda ricerca ha trovato poco di meglio ({why}); controlla tu stesso i passi.",
    timeout: "Nessuna risposta: il tempo è finito nella fase «{stage}».",
    cut_short: "Il tempo è finito nella fase «{stage}»: la risposta poggia su quanto trovato fino ad allora.",
    error: "Nessuna risposta: la fase «{stage}» è fallita.",
    written_by: "Scritto da {name} solo dai passi seguenti.",
    quotes_only: "Citato parola per parola; non è stato usato alcun modello linguistico.",
    unconfirmed: "non confermato",
};

const PORTUGUESE: AnswerWords = AnswerWords {
    page: "página",
    line: "linha",
    understood_as: "Entendido como:",
    confidence: "confiança",
    measures: ["qualidade", "cobertura", "relevância", "resultados"],
    searched_again: "Pesquisado uma segunda vez com mais palavras, por {why}.",
    still_poor: "A segunda pesquisa pouco encontrou de melhor ({why}); verifique as passagens.",
    timeout: "Sem resposta: o tempo esgotou-se na etapa “{stage}”.",
    cut_short: "O tempo esgotou-se na etapa “{stage}”: a resposta assenta no que se encontrou até então.",
    error: "Sem resposta: a etapa “{stage}” falhou.",
    written_by: "Escrito por {name} apenas a partir das passagens abaixo.",
    quotes_only: "Citado palavra por palavra; nenhum modelo de linguagem foi usado.",
    unconfirmed: "não confirmado",
};

const DUTCH: AnswerWords = AnswerWords {
    page: "pagina",
    line: "regel",
    understood_as: "Begrepen als:",
    confidence: "vertrouwen",
    measures: ["kwaliteit", "dekking", "relevantie", "resultaten"],
    searched_again: "Een tweede keer gezocht met meer woorden, vanwege {why}.",
    still_poor: "De tweede zoektocht vond weinig beters ({why}); controleer de passages zelf.",
    timeout: "Geen antwoord: de tijd was op in de stap “{stage}”.",
    cut_short: "De tijd was op in de stap “{stage}”: het antwoord berust op wat tot dan gevonden was.",
    error: "Geen antwoord: de stap “{stage}” is mislukt.",
    written_by: "Geschreven door {name} uit alleen de passages hieronder.",
    quotes_only: "Woord voor woord geciteerd; er is geen taalmodel gebruikt.",
    unconfirmed: "niet bevestigd",
};
