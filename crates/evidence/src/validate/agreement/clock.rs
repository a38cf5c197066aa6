//! Clock times: "15:00", "3:30 pm", "3 p.m." and "1 to 3pm" as hours of the day.
//!
//! Takes a text and one word of it; gives the hour that begins there, 0 to 24. What time of day an hour falls in is
//! left to others.

use crate::Span;

/// The two halves of the day by which hours up to twelve are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Morning,
    Evening,
}

impl Half {
    fn hour(self, told: u32) -> u32 {
        match self {
            Self::Morning => told % 12,
            Self::Evening => told % 12 + 12,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Morning => Self::Evening,
            Self::Evening => Self::Morning,
        }
    }
}

/// A time as it is written.
struct Written<'t> {
    hour: u32,
    minutes: bool,
    half: Option<Half>,
    behind: &'t str,
}

/// The hour that a word begins to tell. Minutes tell none.
pub(super) fn hour(text: &str, word: Span) -> Option<u32> {
    let before = text.get(..word.start)?;
    if before.ends_with(':') {
        return None;
    }
    let one = written(text.get(word.start..)?)?;
    let small = (1..=12).contains(&one.hour);
    match one.half {
        Some(half) if small => Some(half.hour(one.hour)),
        Some(_) => None,
        None => {
            let until = if small { until(one.behind) } else { None };
            let told = until.map(|(hour, half)| {
                // "From 11 to 3 pm" begins in the other half of the day.
                let same = one.hour % 12 <= hour % 12;
                if same { half } else { half.other() }.hour(one.hour)
            });
            told.or((one.minutes && one.hour <= 24).then_some(one.hour))
        }
    }
}

/// Whether a word belongs to a time that is told by a half of the day: "3pm", and "pm" behind a figure.
pub(super) fn is_part(text: &str, word: Span) -> bool {
    let letters = || {
        let before = text.get(..word.start).unwrap_or_default();
        let figure = before.trim_end_matches(BLANKS);
        let here = text.get(word.start..).unwrap_or_default();
        figure.ends_with(|c: char| c.is_ascii_digit()) && half(here).is_some()
    };
    hour(text, word).is_some() || letters()
}

const BLANKS: [char; 4] = [' ', '\u{00A0}', '\u{2009}', '\u{202F}'];

/// The time at the beginning of a text.
fn written(text: &str) -> Option<Written<'_>> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(end.min(3))?;
    let hour = digits.parse().ok()?;
    let two = |rest| behind_two(':', rest);
    // Seconds may stand behind the minutes.
    let colon = two(rest).map(|rest| two(rest).unwrap_or(rest));
    let point = behind_two('.', rest);
    let (minutes, rest) = match (colon, point) {
        (Some(rest), _) => (true, rest),
        // "3.30" is a time only where "pm" says so.
        (None, Some(rest)) if half(rest.trim_start_matches(BLANKS)).is_some() => (true, rest),
        _ => (false, rest),
    };
    let behind = rest.trim_start_matches(BLANKS);
    Some(Written {
        hour,
        minutes,
        half: half(behind),
        behind,
    })
}

/// What stands behind a sign and the two digits of minutes or seconds.
fn behind_two(sign: char, text: &str) -> Option<&str> {
    let digits = text.strip_prefix(sign)?;
    match digits.as_bytes() {
        [b'0'..=b'5', b'0'..=b'9', ..] => digits.get(2..),
        _ => None,
    }
}

/// The time with a half of the day that ends a range: "to 3 pm".
fn until(behind: &str) -> Option<(u32, Half)> {
    let joins = ["to ", "and ", "until ", "–", "-"];
    let end = joins.iter().find_map(|join| behind.strip_prefix(join))?;
    let end = written(end.trim_start_matches(BLANKS))?;
    let half = end.half.filter(|_| (1..=12).contains(&end.hour))?;
    Some((end.hour, half))
}

/// "am", "a.m.", "PM" and the like at the beginning of a text. "pM" is a unit.
fn half(text: &str) -> Option<Half> {
    let mut letters = text.chars();
    let first = letters.next()?;
    let rest = letters.as_str();
    let second = rest.strip_prefix('.').unwrap_or(rest);
    let behind = second.strip_prefix(['m', 'M'])?;
    if behind.starts_with(char::is_alphanumeric) || text.starts_with("pM") {
        return None;
    }
    match first {
        'a' | 'A' => Some(Half::Morning),
        'p' | 'P' => Some(Half::Evening),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms;

    fn hours(text: &str) -> Vec<u32> {
        let words = terms::words(text);
        words.filter_map(|word| hour(text, word)).collect()
    }

    #[test]
    fn hours_are_told_with_and_without_a_half_of_the_day() {
        for (text, told) in [
            ("at 15:00", vec![15]),
            ("at 3:00", vec![3]),
            ("at 3:05 pm", vec![15]),
            ("at 3:05:10 P.M.", vec![15]),
            ("at 3.30 pm", vec![15]),
            ("at 3pm", vec![15]),
            ("at 3 p.m.", vec![15]),
            ("at 3 A.M.", vec![3]),
            ("at 12 am", vec![0]),
            ("at 12:30pm", vec![12]),
            ("from 1:00 to 3:00 pm", vec![13, 15]),
            ("11–3 pm", vec![11, 15]),
            ("between 10 and 2 am", vec![22, 2]),
        ] {
            assert_eq!(hours(text), told, "{text}");
        }
    }

    #[test]
    fn other_figures_are_no_hours() {
        for text in [
            "5 amps",
            "3.30 euros",
            "13 pm",
            "4 pM",
            "25:00",
            "2 to 4 °C",
            "in 2019",
        ] {
            assert_eq!(hours(text), [0; 0], "{text}");
        }
    }
}
