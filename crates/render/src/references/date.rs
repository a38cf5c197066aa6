//! The date of a work, as far as it is known.

use jiff::civil::Date;

/// A year, and what else of the date is known. Months and days count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PublicationDate {
    pub(crate) year: u16,
    pub(crate) month: Option<u8>,
    pub(crate) day: Option<u8>,
}

impl PublicationDate {
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

    pub(super) fn from_day(date: Date) -> Self {
        Self {
            year: date.year().unsigned_abs(),
            month: u8::try_from(date.month()).ok(),
            day: u8::try_from(date.day()).ok(),
        }
    }
}

/// The one year in a text such as "Spring 2019"; nothing if there are several.
fn lone_year(text: &str) -> Option<PublicationDate> {
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let years = numbers.filter(|number| number.len() == 4);
    let mut years = years.filter_map(|number| number.parse::<u16>().ok());
    let year = years.next().filter(|year| (1000..=2999).contains(year))?;
    years.next().is_none().then_some(PublicationDate {
        year,
        month: None,
        day: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(u16, Option<u8>, Option<u8>)> {
        PublicationDate::parse(text).map(|date| (date.year, date.month, date.day))
    }

    #[test]
    fn a_date_is_taken_as_far_as_it_goes() {
        assert_eq!(read("2024"), Some((2024, None, None)));
        assert_eq!(read("2024-05"), Some((2024, Some(5), None)));
        let day = Some((2024, Some(5), Some(7)));
        assert_eq!(read("2024-05-07T10:00:00Z"), day);
        assert_eq!(read("2024-13-07"), Some((2024, None, None)));
        assert_eq!(read("Spring 2019"), Some((2019, None, None)));
        assert_eq!(read("Spring 2019 or 2020"), None);
        assert_eq!(read("last week"), None);
        assert_eq!(read(""), None);
    }
}
