//! The date of a work, as far as it is known, and how styles write it.

use jiff::civil::Date;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) year: u16,
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<u8>,
}

impl Published {
    /// Takes `2024`, `2024-05` or `2024-05-17` with whatever follows; of any other form only a year is taken.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let mut parts = text.splitn(3, '-').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit());
            part.get(..digits.unwrap_or(part.len())).unwrap_or_default()
        });
        let year = parts.next().filter(|year| year.len() == 4);
        let Some(year) = year.and_then(|year| year.parse().ok()) else {
            return lone_year(text);
        };
        let month = parts.next().and_then(|month| month.parse().ok());
        let month = month.filter(|month| (1..=12).contains(month));
        let day = parts.next().and_then(|day| day.parse().ok());
        let day = day.filter(|day| month.is_some() && (1..=31).contains(day));
        Some(Self { year, month, day })
    }

    fn of(date: Date) -> Self {
        Self {
            year: date.year().unsigned_abs(),
            month: u8::try_from(date.month()).ok(),
            day: u8::try_from(date.day()).ok(),
        }
    }

    /// `2024, May 17`.
    pub(super) fn year_first(&self) -> String {
        match (self.month_name(), self.day) {
            (Some(month), Some(day)) => format!("{}, {month} {day}", self.year),
            (Some(month), None) => format!("{}, {month}", self.year),
            (None, _) => self.year.to_string(),
        }
    }

    /// `May 17, 2024`, with the month as given by its name.
    fn month_first(&self, name: impl Fn(&'static str) -> String) -> String {
        match (self.month_name().map(name), self.day) {
            (Some(month), Some(day)) => format!("{month} {day}, {}", self.year),
            (Some(month), None) => format!("{month} {}", self.year),
            (None, _) => self.year.to_string(),
        }
    }

    /// `Nov. 17, 2024`, as IEEE writes it.
    pub(super) fn ieee(&self) -> String {
        self.month_first(|name| match name {
            "May" | "June" | "July" => name.to_owned(),
            "September" => "Sept.".to_owned(),
            _ => format!("{}.", name.get(..3).unwrap_or(name)),
        })
    }

    /// `2024 Nov 17`, as medical journals write it.
    pub(super) fn medical(&self) -> String {
        let month = self.month_name().and_then(|name| name.get(..3));
        match (month, self.day) {
            (Some(month), Some(day)) => format!("{} {month} {day}", self.year),
            (Some(month), None) => format!("{} {month}", self.year),
            (None, _) => self.year.to_string(),
        }
    }

    fn month_name(&self) -> Option<&'static str> {
        let at = usize::from(self.month?.checked_sub(1)?);
        MONTHS.get(at).copied()
    }
}

/// `November 16, 2026`.
pub(super) fn long(date: Date) -> String {
    Published::of(date).month_first(str::to_owned)
}

/// `Nov. 16, 2026`.
pub(super) fn ieee(date: Date) -> String {
    Published::of(date).ieee()
}

/// `2026 Nov 16`.
pub(super) fn medical(date: Date) -> String {
    Published::of(date).medical()
}

/// The one year in a text such as "Spring 2019"; nothing if there are several.
fn lone_year(text: &str) -> Option<Published> {
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let years = numbers.filter(|number| number.len() == 4);
    let mut years = years.filter_map(|number| number.parse::<u16>().ok());
    let year = years.next().filter(|year| (1000..=2999).contains(year))?;
    years.next().is_none().then_some(Published {
        year,
        month: None,
        day: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Published::parse(text).map(|date| date.year_first())
    }

    #[test]
    fn a_date_is_taken_as_far_as_it_goes() {
        assert_eq!(read("2024").as_deref(), Some("2024"));
        assert_eq!(read("2024-05").as_deref(), Some("2024, May"));
        assert_eq!(read("2024-05-07T10:00:00Z").as_deref(), Some("2024, May 7"));
        assert_eq!(read("2024-13-07").as_deref(), Some("2024"));
        assert_eq!(read("Spring 2019").as_deref(), Some("2019"));
        assert_eq!(read("Spring 2019 or 2020"), None);
        assert_eq!(read("last week"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn days_are_written_in_words_where_a_style_wants_words() {
        let day = jiff::civil::date(2026, 9, 6);
        assert_eq!(long(day), "September 6, 2026");
        assert_eq!(ieee(day), "Sept. 6, 2026");
        assert_eq!(medical(day), "2026 Sep 6");
    }
}
