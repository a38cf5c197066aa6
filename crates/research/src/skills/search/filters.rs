//! Which results of the web are wanted: works of some years, news since a day, one language.

use fathom_providers::search::{QueryError, SearchKind, SearchQuery};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bounds on what searches of the web give. Own documents are searched whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchFilters {
    /// The first year of scholarly works.
    pub year_from: Option<i16>,
    /// The last year of scholarly works.
    pub year_to: Option<i16>,
    /// The first day of news; the last 30 days where nothing is said.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub news_since: Option<Date>,
    /// The language of results, as a code such as `en`, where a provider can tell.
    pub language: Option<String>,
}

impl SearchFilters {
    /// The query within these bounds; else which of them cannot be kept.
    pub(crate) fn put(&self, query: SearchQuery) -> Result<SearchQuery, QueryError> {
        let mut query = query.with_years(self.year_from, self.year_to)?;
        if let Some(day) = self.news_since {
            query = query.with_since(day);
        }
        match &self.language {
            Some(code) => query.with_language(code),
            None => Ok(query),
        }
    }

    /// Why no search can keep to these bounds, if none can.
    pub(crate) fn fault(&self) -> Option<QueryError> {
        let query = SearchQuery::parse(SearchKind::Web, "x", Date::ZERO).ok()?;
        self.put(query).err()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_query_keeps_to_the_bounds_that_are_set() {
        let today = date(2026, 11, 18);
        let query = || SearchQuery::parse(SearchKind::News, "street trees", today).unwrap();
        let filters = SearchFilters {
            year_from: Some(2015),
            year_to: Some(2024),
            news_since: Some(date(2026, 1, 1)),
            language: Some("de".to_owned()),
        };
        let bounded = filters.put(query()).unwrap();
        assert_eq!(bounded.years(), (Some(2015), Some(2024)));
        assert_eq!(bounded.since(), Some(date(2026, 1, 1)));
        assert_eq!(bounded.language(), Some("de"));
        assert_eq!(filters.fault(), None);
        assert_eq!(SearchFilters::default().put(query()).unwrap(), query());
        let backwards = SearchFilters {
            year_from: Some(2024),
            ..SearchFilters {
                year_to: Some(2015),
                ..SearchFilters::default()
            }
        };
        assert!(backwards.fault().is_some());
    }
}
