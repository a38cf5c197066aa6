//! Names of authors, taken apart as a reference list needs them.
//!
//! Takes a name as a source gives it ("Ada van Dorn", "van Dorn, Ada", "Dorn AB", "Town Council of Orsby"); gives the
//! family name and the given names, or the name of a body, which is never turned around.

use super::clean;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Author {
    Person {
        family: String,
        given: Vec<String>,
        /// Such as "Jr.".
        suffix: Option<String>,
    },
    /// An institution, or a name that is not to be taken apart.
    Body(String),
}

/// The authors of a work. A source may name some and say that there are more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Authors {
    pub(super) named: Vec<Author>,
    pub(super) more: bool,
}

impl Authors {
    pub(super) fn parse(names: &[String]) -> Self {
        let mut authors = Self::default();
        for name in names {
            let name = clean::line(name);
            let marks = ["et al.", "et al", "and others"];
            let bare = marks.iter().find_map(|mark| without(&name, mark));
            authors.more |= bare.is_some();
            let name = bare.unwrap_or(&name).trim_matches([' ', ',', ';']);
            if !name.is_empty() {
                authors.named.push(Author::parse(name));
            }
        }
        authors
    }
}

/// The name without a mark at its end; nothing if the mark is not there.
fn without<'a>(name: &'a str, mark: &str) -> Option<&'a str> {
    let (head, tail) = name.split_at_checked(name.len().checked_sub(mark.len())?)?;
    tail.eq_ignore_ascii_case(mark).then_some(head)
}

/// Words that only the name of a body holds, in lower case.
const BODY_WORDS: &str = include_str!("author/bodies.txt");

/// Small words that open a family name.
const PARTICLES: &str = include_str!("author/particles.txt");

/// Particles that some families write with a capital.
const CAPITAL_PARTICLES: &[&str] = &["De", "Del", "Di", "Du", "Van", "Von"];

const SUFFIXES: &[&str] = &["Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV"];

impl Author {
    fn parse(name: &str) -> Self {
        let body = || Self::Body(name.to_owned());
        let words: Vec<&str> = name.split(' ').collect();
        if words.len() < 2 || is_body(&words) {
            return body();
        }
        match name.split_once(',') {
            Some((family, rest)) => turned(family.trim(), rest.trim()).unwrap_or_else(body),
            None => straight(words).unwrap_or_else(body),
        }
    }
}

fn listed(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|listed| listed == word)
}

fn is_body(words: &[&str]) -> bool {
    let tell_tale = |word: &&str| {
        let word = word.trim_end_matches(',').to_lowercase();
        listed(BODY_WORDS, &word) || word.chars().any(|c| c.is_ascii_digit())
    };
    // Scripts without capitals put the family name where they put it; such a name stays as it is.
    let no_capital = !words
        .iter()
        .any(|word| word.chars().any(char::is_uppercase));
    words.iter().any(tell_tale) || no_capital
}

/// "Family, Given", "Family, Given, Jr." or "Given Family, Jr.".
fn turned(family: &str, rest: &str) -> Option<Author> {
    if SUFFIXES.contains(&rest) {
        let plain = straight(family.split(' ').collect())?;
        return Some(with_suffix(plain, rest));
    }
    let (given, suffix) = match rest.split_once(',') {
        Some((given, suffix)) => (given.trim(), Some(suffix.trim().to_owned())),
        None => (rest, None),
    };
    if family.is_empty() || given.is_empty() {
        return None;
    }
    Some(Author::Person {
        family: family.to_owned(),
        given: given_names(&given.split(' ').collect::<Vec<_>>()),
        suffix,
    })
}

/// "Given Family" with its particles, or "Family AB".
fn straight(mut words: Vec<&str>) -> Option<Author> {
    let last = *words.last()?;
    if words.len() > 2 && SUFFIXES.contains(&last) {
        words.pop();
        return straight(words).map(|author| with_suffix(author, last));
    }
    let (family, given) = if initials_behind(&words) {
        words.split_at_checked(words.len() - 1)?
    } else {
        let (given, family) = words.split_at_checked(family_start(&words))?;
        (family, given)
    };
    Some(Author::Person {
        family: family.join(" "),
        given: given_names(given),
        suffix: None,
    })
}

fn with_suffix(author: Author, word: &str) -> Author {
    match author {
        Author::Person { family, given, .. } => Author::Person {
            family,
            given,
            suffix: Some(word.to_owned()),
        },
        Author::Body(name) => Author::Body(name),
    }
}

/// Whether a name ends in bare initials, as medical indexes write it: "Dorn AB".
fn initials_behind(words: &[&str]) -> bool {
    let bare = |word: &&str| word.chars().count() <= 3 && word.chars().all(char::is_uppercase);
    let written_out = |word: &&str| word.chars().any(char::is_lowercase);
    match words {
        [family @ .., last] => bare(last) && family.iter().any(written_out),
        [] => false,
    }
}

/// Where the family name begins: at its first particle, else at the last word.
fn family_start(words: &[&str]) -> usize {
    let last = words.len().saturating_sub(1);
    let particle = |(at, word): (usize, &&str)| {
        let capital = at > 0 && CAPITAL_PARTICLES.contains(word);
        listed(PARTICLES, word) || capital
    };
    let inner = words.iter().enumerate().take(last);
    let first = inner.clone().position(particle);
    first.unwrap_or(last)
}

/// Given names one by one; "J.A." is two.
fn given_names(words: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for word in words {
        let bare = word.chars().count() <= 3 && word.chars().all(char::is_uppercase);
        if bare && !word.contains('-') {
            names.extend(word.chars().map(|c| format!("{c}.")));
        } else if word.matches('.').count() > 1 && !word.contains('-') {
            let parts = word.split('.').filter(|part| !part.is_empty());
            names.extend(parts.map(|part| format!("{part}.")));
        } else if !word.is_empty() {
            names.push((*word).to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "J. A." of "Jean Ada", "J.-P." of "Jean-Paul".
    fn initials(given: &[String]) -> String {
        let of_name = |name: &String| {
            let parts = name.split('-').filter_map(|part| part.chars().next());
            let parts: Vec<String> = parts.map(|c| format!("{}.", c.to_uppercase())).collect();
            parts.join("-")
        };
        given.iter().map(of_name).collect::<Vec<_>>().join(" ")
    }

    fn parts(name: &str) -> (String, String, String) {
        match Author::parse(name) {
            Author::Person {
                family,
                given,
                suffix,
            } => (family, initials(&given), suffix.unwrap_or_default()),
            Author::Body(name) => (name, String::new(), String::new()),
        }
    }

    fn person(name: &str, family: &str, initials: &str) {
        let expected = (family.to_owned(), initials.to_owned(), String::new());
        assert_eq!(parts(name), expected, "{name}");
    }

    #[test]
    fn a_person_is_found_in_every_way_a_name_is_written() {
        person("Ada Lind", "Lind", "A.");
        person("Lind, Ada", "Lind", "A.");
        person("Lind, Ada Bea", "Lind", "A. B.");
        person("Lind AB", "Lind", "A. B.");
        person("A. B. Lind", "Lind", "A. B.");
        person("A.B. Lind", "Lind", "A. B.");
        person("Jean-Paul Morel", "Morel", "J.-P.");
        person("Íris Östberg", "Östberg", "Í.");
        person("Анна Петрова", "Петрова", "А.");
        person("María García-López", "García-López", "M.");
    }

    #[test]
    fn particles_belong_to_the_family_name() {
        person("Ada van der Berg", "van der Berg", "A.");
        person("van der Berg, Ada", "van der Berg", "A.");
        person("Bo Van Dorn", "Van Dorn", "B.");
        person("Luís da Silva", "da Silva", "L.");
        person("van Gogh", "van Gogh", "");
    }

    #[test]
    fn a_suffix_is_kept_apart() {
        for name in ["Ada Lind, Jr.", "Ada Lind Jr.", "Lind, Ada, Jr."] {
            let expected = ("Lind".to_owned(), "A.".to_owned(), "Jr.".to_owned());
            assert_eq!(parts(name), expected, "{name}");
        }
    }

    #[test]
    fn a_body_is_never_turned_around() {
        let bodies = [
            "Orsby Town Council",
            "University of Halvern",
            "Department of Parks, Orsby",
            "WHO",
            "Cooling Streets Collaboration",
            "王小明",
            "王 小明",
            "دينا خليل",
            "Halvern 2030",
        ];
        for name in bodies {
            assert_eq!(Author::parse(name), Author::Body(name.to_owned()));
        }
    }

    #[test]
    fn others_that_are_not_named_are_remembered() {
        let names = ["Ada Lind", "Bo Moss et al.", " "].map(str::to_owned);
        let authors = Authors::parse(&names);
        assert_eq!(authors.named.len(), 2);
        assert!(authors.more);
        let names = ["Ada Lind", "et al."].map(str::to_owned);
        assert_eq!(Authors::parse(&names).named.len(), 1);
        let odd = ["\u{130}t al.", "é", "王王"].map(str::to_owned);
        assert!(!Authors::parse(&odd).more);
    }
}
