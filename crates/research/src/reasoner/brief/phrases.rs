//! The brief's own sentences, in the language of the question. They speak of the report and its sources only.

use fathom_evidence::Language;

/// The sentences of one language.
pub(super) struct Phrases {
    /// The heading over the passages.
    pub(super) each_source: &'static str,
    /// Before the quotes of two sources that disagree.
    pub(super) disagree: &'static str,
    /// Before what one of them says on the difference.
    pub(super) explains: &'static str,
    /// How the brief was made.
    pub(super) method: &'static str,
    /// Why the question counts as answered.
    pub(super) matched: &'static str,
    /// Why it counts as answered in part.
    pub(super) nearest: &'static str,
    pub(super) nothing_found: &'static str,
    /// Money was asked for, and no amount is told.
    no_money: &'static str,
    /// An amount was asked for in a unit, for which `{}` stands, and none is told.
    no_amount: &'static str,
    /// `{}` stands for the words that are missing.
    not_mentioned: &'static str,
    /// As above, of words that people put otherwise than documents do.
    not_contained: &'static str,
    /// The nearest passages are not in the question's language.
    pub(super) other_language: &'static str,
    or: &'static str,
    quotes: (&'static str, &'static str),
}

impl Phrases {
    /// English where a language has no sentences of its own.
    pub(super) fn for_language(language: Language) -> &'static Self {
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

    /// That the documents do not mention some words.
    pub(super) fn not_mentioned(&self, words: &[&str]) -> String {
        self.not_mentioned.replace("{}", &self.listed(words))
    }

    /// That the documents tell no amount in a unit that was asked for; of money where none was named.
    pub(super) fn no_amount(&self, unit: Option<&str>) -> String {
        let in_unit = unit.map(|unit| self.no_amount.replace("{}", unit));
        in_unit.unwrap_or_else(|| self.no_money.to_owned())
    }

    /// That no document has some words.
    pub(super) fn not_contained(&self, words: &[&str]) -> String {
        self.not_contained.replace("{}", &self.listed(words))
    }

    fn listed(&self, words: &[&str]) -> String {
        let (open, close) = self.quotes;
        let quoted: Vec<String> = words
            .iter()
            .map(|word| format!("{open}{word}{close}"))
            .collect();
        match quoted.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, first)) => format!("{} {} {last}", first.join(", "), self.or),
            None => String::new(),
        }
    }
}

const ENGLISH: Phrases = Phrases {
    each_source: "What each source says",
    disagree: "Two sources disagree:",
    explains: "On the difference, one of them says:",
    method: "The passages that fit the question best, quoted word for word. No language model was used.",
    matched: "The words of the question stand together in the passages quoted.",
    nearest: "These passages fit the question best; no model judged whether they answer it in full.",
    nothing_found: "The documents say nothing on the question. If they are in another language, ask in theirs.",
    no_money: "Your documents do not give an amount of money on this.",
    no_amount: "Your documents do not say how many {}.",
    not_mentioned: "Your documents do not mention {}.",
    not_contained: "No document has the word {}.",
    other_language: "The documents are not in the language of the question: ask in theirs, or use a model.",
    or: "or",
    quotes: ("“", "”"),
};

const GERMAN: Phrases = Phrases {
    each_source: "Was die einzelnen Quellen sagen",
    disagree: "Zwei Quellen widersprechen sich:",
    explains: "Zu diesem Unterschied sagt eine von ihnen:",
    method: "Die Stellen, die am besten zur Frage passen, im Wortlaut. Ein Sprachmodell war nicht beteiligt.",
    matched: "Die Wörter der Frage stehen in den zitierten Stellen beieinander.",
    nearest: "Diese Stellen passen am besten zur Frage; ob sie sie ganz beantworten, hat kein Modell beurteilt.",
    nothing_found: "Die Dokumente sagen zu dieser Frage nichts. Falls sie in einer anderen Sprache geschrieben sind, fragen Sie in dieser.",
    no_money: "Die Dokumente nennen dazu keinen Geldbetrag.",
    no_amount: "Die Dokumente sagen nicht, wie viele {}.",
    not_mentioned: "Die Dokumente sagen nichts über {}.",
    not_contained: "Das Wort {} steht in keinem der Dokumente.",
    other_language: "Die Dokumente sind in einer anderen Sprache geschrieben als die Frage: Fragen Sie in ihrer, oder nutzen Sie ein Modell.",
    or: "oder",
    quotes: ("„", "“"),
};

const FRENCH: Phrases = Phrases {
    each_source: "Ce que dit chaque source",
    disagree: "Deux sources se contredisent :",
    explains: "Sur cet écart, l'une d'elles précise :",
    method: "Les passages qui répondent le mieux à la question, cités mot pour mot. Aucun modèle de langage n'a été utilisé.",
    matched: "Les mots de la question se trouvent réunis dans les passages cités.",
    nearest: "Ce sont les passages les plus proches de la question ; aucun modèle n'a jugé s'ils y répondent entièrement.",
    nothing_found: "Les documents ne disent rien sur cette question. S'ils sont dans une autre langue, posez-la dans la leur.",
    no_money: "Vos documents ne mentionnent aucune somme d’argent à ce sujet.",
    no_amount: "Vos documents ne disent pas combien de {}.",
    not_mentioned: "Vos documents ne mentionnent pas {}.",
    not_contained: "Le mot {} ne figure dans aucun document.",
    other_language: "Les documents sont rédigés dans une autre langue que la question : posez-la dans la leur, ou utilisez un modèle.",
    or: "ni",
    quotes: ("« ", " »"),
};

const SPANISH: Phrases = Phrases {
    each_source: "Lo que dice cada fuente",
    disagree: "Dos fuentes se contradicen:",
    explains: "Sobre la diferencia, una de ellas dice:",
    method: "Los pasajes que mejor responden a la pregunta, citados palabra por palabra. No se usó ningún modelo de lenguaje.",
    matched: "Las palabras de la pregunta aparecen juntas en los pasajes citados.",
    nearest: "Estos pasajes son los más cercanos a la pregunta; ningún modelo ha juzgado si la responden por completo.",
    nothing_found: "Los documentos no dicen nada sobre la pregunta. Si están en otro idioma, pregunte en el suyo.",
    no_money: "Los documentos no mencionan ninguna cantidad de dinero al respecto.",
    no_amount: "Los documentos no indican la cantidad en {}.",
    not_mentioned: "Sus documentos no mencionan {}.",
    not_contained: "La palabra {} no figura en los documentos.",
    other_language: "Los documentos están en otro idioma que la pregunta: pregunte en el suyo, o use un modelo.",
    or: "ni",
    quotes: ("«", "»"),
};

const ITALIAN: Phrases = Phrases {
    each_source: "Che cosa dice ogni fonte",
    disagree: "Due fonti si contraddicono:",
    explains: "Sulla differenza, una di esse dice:",
    method: "I passi che meglio rispondono alla domanda, citati parola per parola. Non è stato usato alcun modello linguistico.",
    matched: "Le parole della domanda stanno insieme nei passi citati.",
    nearest: "Questi passi sono i più vicini alla domanda; nessun modello ha giudicato se rispondano del tutto.",
    nothing_found: "I documenti non dicono nulla sulla domanda. Se sono in un'altra lingua, chieda nella loro.",
    no_money: "I documenti non indicano alcuna somma di denaro al riguardo.",
    no_amount: "I documenti non indicano la quantità in {}.",
    not_mentioned: "I documenti non menzionano {}.",
    not_contained: "Nessun documento contiene la parola {}.",
    other_language: "I documenti sono in una lingua diversa dalla domanda: chieda nella loro, o usi un modello.",
    or: "né",
    quotes: ("«", "»"),
};

const PORTUGUESE: Phrases = Phrases {
    each_source: "O que diz cada fonte",
    disagree: "Duas fontes se contradizem:",
    explains: "Sobre a diferença, uma delas diz:",
    method: "As passagens que melhor respondem à pergunta, citadas palavra por palavra. Nenhum modelo de linguagem foi usado.",
    matched: "As palavras da pergunta aparecem juntas nas passagens citadas.",
    nearest: "Estas passagens são as mais próximas da pergunta; nenhum modelo avaliou se a respondem por completo.",
    nothing_found: "Os documentos não dizem nada sobre a pergunta. Se estão noutra língua, pergunte na deles.",
    no_money: "Os documentos não indicam nenhuma quantia em dinheiro sobre isto.",
    no_amount: "Os documentos não indicam a quantidade em {}.",
    not_mentioned: "Os seus documentos não mencionam {}.",
    not_contained: "Nenhum documento contém a palavra {}.",
    other_language: "Os documentos estão noutra língua que a pergunta: pergunte na deles, ou use um modelo.",
    or: "nem",
    quotes: ("“", "”"),
};

const DUTCH: Phrases = Phrases {
    each_source: "Wat elke bron zegt",
    disagree: "Twee bronnen spreken elkaar tegen:",
    explains: "Over het verschil zegt een ervan:",
    method: "De passages die het best bij de vraag passen, woord voor woord geciteerd. Er is geen taalmodel gebruikt.",
    matched: "De woorden van de vraag staan bij elkaar in de geciteerde passages.",
    nearest: "Deze passages passen het best bij de vraag; geen model heeft beoordeeld of ze die volledig beantwoorden.",
    nothing_found: "De documenten zeggen niets over de vraag. Zijn ze in een andere taal, vraag dan in die taal.",
    no_money: "De documenten noemen hierover geen geldbedrag.",
    no_amount: "De documenten zeggen niet hoeveel {}.",
    not_mentioned: "De documenten vermelden {} niet.",
    not_contained: "Geen enkel document bevat het woord {}.",
    other_language: "De documenten zijn in een andere taal dan de vraag: stel die in hun taal, of gebruik een model.",
    or: "of",
    quotes: ("“", "”"),
};
