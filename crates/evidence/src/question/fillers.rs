//! Takes out of a question what people say and do not ask: "eigentlich", "please", "en fait".

use std::sync::LazyLock;

use crate::fixed_hash::FixedMap;
use crate::terms::words;
use crate::{Language, lists};

const FILLERS: &str = include_str!("fillers.txt");

/// The most words of one filler.
const PHRASE_MAX_WORDS: usize = 6;

type Phrases = FixedMap<&'static str, Vec<Vec<String>>>;

/// Fillers by language, as their words; the longest first.
static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let languages = ["en", "de", "fr", "es", "it", "pt", "nl"];
    let phrases = |code| {
        let entries = lists::entries(FILLERS, code).into_iter();
        let mut phrases: Vec<Vec<String>> = entries.map(small_words).collect();
        phrases.sort_by_key(|words| std::cmp::Reverse(words.len()));
        phrases
    };
    languages
        .into_iter()
        .map(|code| (code, phrases(code)))
        .collect()
});

fn small_words(text: &str) -> Vec<String> {
    let spans = words(text).filter_map(|span| span.of(text));
    spans.map(str::to_lowercase).collect()
}

/// The question without its fillers. What is nothing but fillers stays as it is.
pub fn without_fillers(question: &str, language: Language) -> String {
    let Some(phrases) = PHRASES.get(language.code()) else {
        return question.to_owned();
    };
    let spans: Vec<_> = words(question).collect();
    let small = |span: &crate::Span| span.of(question).unwrap_or_default().to_lowercase();
    let said: Vec<String> = spans.iter().map(small).collect();
    let mut kept = String::with_capacity(question.len());
    let (mut copied, mut at, mut words_left) = (0, 0, said.len());
    while at < said.len() {
        let rest = &said[at..said.len().min(at + PHRASE_MAX_WORDS)];
        // "just-in-time" is one word to a reader.
        let joined = |phrase: &[String]| {
            let (first, last) = (spans[at], spans[at + phrase.len() - 1]);
            question[..first.start].ends_with('-') || question[last.end..].starts_with('-')
        };
        let mut phrases = phrases.iter();
        let filler = phrases.find(|phrase| rest.starts_with(phrase) && !joined(phrase));
        let Some(filler) = filler else {
            at += 1;
            continue;
        };
        kept.push_str(&question[copied..spans[at].start]);
        copied = spans[at + filler.len() - 1].end;
        at += filler.len();
        words_left -= filler.len();
    }
    if words_left == 0 {
        return question.to_owned();
    }
    kept.push_str(&question[copied..]);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::without_fillers;
    use crate::Language;

    #[test]
    fn what_is_said_and_not_asked_goes() {
        let cases = [
            (
                "de",
                "was ist eigentlich ein Metapaket?",
                "was ist ein Metapaket?",
            ),
            (
                "en",
                "Please tell me: how do I just sort it?",
                ": how do I sort it?",
            ),
            (
                "fr",
                "En fait, où est le fichier, s'il vous plaît ?",
                ", où est le fichier, ?",
            ),
            (
                "es",
                "¿Qué es, por favor, un enlace?",
                "¿Qué es, , un enlace?",
            ),
            ("it", "Quindi come si installa?", "come si installa?"),
            (
                "pt",
                "Na verdade, o que é um pacote?",
                ", o que é um pacote?",
            ),
            ("nl", "Wat is dat nou eigenlijk?", "Wat is dat ?"),
        ];
        for (code, question, wanted) in cases {
            let language: Language = code.parse().unwrap();
            assert_eq!(without_fillers(question, language), wanted, "{code}");
        }
    }

    #[test]
    fn a_question_of_fillers_alone_stays() {
        assert_eq!(without_fillers("please", Language::ENGLISH), "please");
    }

    #[test]
    fn a_part_of_a_joined_word_is_no_filler() {
        let question = "is the just-in-time compiler on?";
        assert_eq!(without_fillers(question, Language::ENGLISH), question);
    }
}
