//! Themes: what several findings or passages have in common.
//!
//! Takes texts; gives groups with a name each. Texts are compared by their rarer words. Where the
//! material allows there are 3 to 5 themes of 2 or more texts; what fits no theme is left over.

use serde::{Deserialize, Serialize};

use crate::Language;
use crate::capital::capital;
use crate::phrases::phrases;
use crate::terms::Terms;
use crate::vector::{Vector, centre, cosine, vectors};

/// More texts are not grouped; those after are left over.
const MAX_TEXTS: usize = 2_000;

const MAX_THEMES: usize = 5;
const MIN_MEMBERS: usize = 2;

/// Rounds in which texts may change to a nearer theme.
const ROUNDS: usize = 12;

/// A text less like its theme than this is left over.
const ALIKE: f64 = 0.08;

/// Phrases of a theme that are weighed as its name, and the words from which on a name gains nothing.
const LABELS_WEIGHED: usize = 40;
const LABEL_WORDS: usize = 3;

/// A matter that several texts speak of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Theme {
    /// A phrase of its texts, as they write it.
    pub label: String,
    /// Places in the list that was given, in order; the largest theme comes first.
    pub members: Vec<usize>,
}

/// Groups texts into themes. The same texts give the same themes.
pub fn themes(texts: &[&str], language: Language) -> Vec<Theme> {
    let texts = &texts[..texts.len().min(MAX_TEXTS)];
    let vectors = vectors(texts, &Terms::new(language));
    let mut centres = seeds(&vectors, (texts.len() / MIN_MEMBERS).min(MAX_THEMES));
    let mut groups = Vec::new();
    for _ in 0..ROUNDS {
        let next = assigned(&vectors, &centres);
        if next == groups {
            break;
        }
        groups = next;
        // A theme of one text is none: its text goes to the nearest of the others.
        groups.retain(|group| group.len() >= MIN_MEMBERS);
        centres = groups
            .iter()
            .map(|group| centre(group.iter().map(|at| &vectors[*at])))
            .collect();
    }
    groups.retain(|group| group.len() >= MIN_MEMBERS);
    groups.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    named(texts, groups)
}

/// Texts to begin with: each far from those before it, and with others near it.
fn seeds(vectors: &[Vector], wanted: usize) -> Vec<Vector> {
    let whole = centre(vectors.iter());
    let common: Vec<f64> = vectors
        .iter()
        .map(|vector| cosine(vector, &whole))
        .collect();
    let mut seeds: Vec<usize> = Vec::new();
    while seeds.len() < wanted {
        let value = |at: usize| {
            let near = seeds
                .iter()
                .map(|seed| cosine(&vectors[at], &vectors[*seed]))
                .fold(0.0, f64::max);
            common[at].sqrt() * (1.0 - near)
        };
        let open = (0..vectors.len()).filter(|at| !seeds.contains(at) && value(*at) > 0.0);
        let Some(best) = open.max_by(|a, b| value(*a).total_cmp(&value(*b)).then(b.cmp(a))) else {
            break;
        };
        seeds.push(best);
    }
    seeds.into_iter().map(|at| vectors[at].clone()).collect()
}

/// The texts of each centre, in order.
fn assigned(vectors: &[Vector], centres: &[Vector]) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); centres.len()];
    for (at, vector) in vectors.iter().enumerate() {
        let near = centres
            .iter()
            .map(|centre| cosine(vector, centre))
            .enumerate();
        let best = near.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        if let Some((nth, _)) = best.filter(|(_, alike)| *alike >= ALIKE) {
            groups[nth].push(at);
        }
    }
    groups
}

/// Names each group by the phrase that most of its texts and fewest of the others have.
fn named(texts: &[&str], groups: Vec<Vec<usize>>) -> Vec<Theme> {
    let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let mut taken: Vec<String> = Vec::new();
    let mut themes = Vec::new();
    for members in groups {
        let inside: Vec<&str> = members.iter().map(|at| texts[*at]).collect();
        let found = phrases(&inside, LABELS_WEIGHED);
        let free = found.iter().filter_map(|phrase| {
            let key = phrase.text.to_lowercase();
            let worth = label_worth(&key, &members, &lower);
            (!taken.contains(&key)).then_some((worth, phrase))
        });
        let best = free
            .max_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| other.text.cmp(&one.text)));
        let label = match best {
            Some((_, phrase)) => phrase.text.clone(),
            None => format!("Theme {}", taken.len() + 1),
        };
        taken.push(label.to_lowercase());
        themes.push(Theme {
            label: capital(&label),
            members,
        });
    }
    themes
}

/// How well a phrase in small letters names the texts of one group among all.
fn label_worth(phrase: &str, members: &[usize], lower: &[String]) -> f64 {
    let holds = |text: &&String| text.contains(phrase);
    let held = lower.iter().filter(holds).count().max(1) as f64;
    let own = members.iter().filter_map(|at| lower.get(*at));
    let own = own.filter(holds).count() as f64;
    let words = phrase.split(' ').count().min(LABEL_WORDS) as f64;
    // A figure tells one text's result, not what several are about.
    if phrase.contains(|c: char| c.is_ascii_digit()) {
        return 0.0;
    }
    own / members.len().max(1) as f64 * (own / held) * (1.0 + words) / 2.0
}

#[cfg(test)]
mod tests {
    use super::themes;
    use crate::Language;

    const TEXTS: [&str; 9] = [
        "Energy use fell by a third with heat pumps.",
        "Noise at night disturbed some neighbours.",
        "Installation cost was the main barrier for owners.",
        "Energy use in winter fell less than expected.",
        "Neighbours reported little noise in summer.",
        "The installation cost fell after the subsidy.",
        "Lower energy use cut the bills of most houses.",
        "Noise was measured at the border of each garden.",
        "Installation cost differs between towns.",
    ];

    #[test]
    fn texts_on_one_matter_come_together_under_its_name() {
        let found = themes(&TEXTS, Language::ENGLISH);
        assert!((3..=5).contains(&found.len()), "{found:?}");
        assert!(found.iter().all(|theme| theme.members.len() >= 2));
        let labels: Vec<&str> = found.iter().map(|theme| theme.label.as_str()).collect();
        assert!(
            labels.contains(&"Energy use") && labels.contains(&"Installation cost"),
            "{labels:?}"
        );
    }

    #[test]
    fn no_text_is_in_two_themes() {
        let found = themes(&TEXTS, Language::ENGLISH);
        let mut all: Vec<usize> = found
            .iter()
            .flat_map(|theme| theme.members.clone())
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn too_little_gives_no_theme() {
        assert!(themes(&[], Language::ENGLISH).is_empty());
        assert!(themes(&["One text."], Language::ENGLISH).is_empty());
        assert!(themes(&["", "", ""], Language::ENGLISH).is_empty());
    }
}
