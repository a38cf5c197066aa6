//! The phrases in Dutch.

use super::{Phrases, Plural, Reasons};

pub(super) const PHRASES: Phrases = Phrases {
    summary: "Samenvatting",
    disagreements: "Waarover de bronnen het oneens zijn",
    unknown: "Wat niet bekend is",
    conclusion: "Conclusie",
    method: "Hoe dit rapport tot stand kwam",
    sources: "Bronnen",
    proofs: "Bewijsplaatsen",
    contents: "Inhoud",
    section: "Paragraaf",
    asked: "Gevraagd:",
    skip: "Naar de tekst",
    partial_title: "Deelrapport",
    partial_note: "Dit is een deelrapport, geen volledig antwoord.",
    before_relying: "Voordat u erop vertrouwt",
    answered: "Beantwoord.",
    partly_answered: "Gedeeltelijk beantwoord.",
    not_answered: "Niet beantwoord.",
    agree: Plural {
        one: "Eén bron zegt dit",
        many: "{n} bronnen zijn het eens",
    },
    dispute: Plural {
        one: "1 spreekt het tegen",
        many: "{n} spreken het tegen",
    },
    cited: Plural {
        one: "1 bron geciteerd, {m} gelezen",
        many: "{n} bronnen geciteerd, {m} gelezen",
    },
    quotes_verified: "gecontroleerde citaten: {n} van {m}",
    statements_verified: "gecontroleerde zinnen: {n} van {m}",
    no_model: "zonder taalmodel",
    review: "beoordeeld door een model: {n} van 10",
    neither_side: "Geen van beide kanten weegt duidelijk zwaarder; oordeel zelf.",
    search_next: "Zoek vervolgens naar",
    footer: "Gemaakt door Fathom, dat alleen zegt wat een bewaarde passage zegt.",
    reasons: Reasons {
        nothing_found: "Over deze vraag is niets gevonden.",
        not_weighed: "De run eindigde voordat de bronnen waren gewogen.",
        nothing_answers: "De bronnen zeggen niets dat de vraag beantwoordt.",
        not_in_documents: "Uw documenten noemen {subject} niet.",
        weak_only: "Elk punt berust op één bron, of op bronnen die het oneens zijn.",
        no_short_answer: "De bronnen gaan over de vraag, maar geen kort antwoord doorstond de controle.",
    },
};
