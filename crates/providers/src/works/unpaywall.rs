//! Where a work may be read for free, in Unpaywall's JSON.

use serde::{Deserialize, Serialize};

use serde_json::Value;

use super::fields;
use crate::Doi;

/// A copy that is free to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenCopy {
    /// The copy itself where that is known, else the page that leads to it.
    pub url: String,
    /// The address is that of a PDF.
    pub is_pdf: bool,
    /// As the register names it, such as `cc-by`.
    pub licence: Option<String>,
    /// `publishedVersion`, `acceptedVersion` or `submittedVersion`.
    pub version: Option<String>,
}

/// The best copy. The outer none is an answer of another shape, the inner one a work without a free copy.
pub(super) fn copy(answer: &Value, _asked: &Doi) -> Option<Option<OpenCopy>> {
    answer.get("doi")?;
    let Some(best) = answer
        .get("best_oa_location")
        .filter(|best| matches!(best, Value::Object(_)))
    else {
        return Some(None);
    };
    let address = |key: &str| best.get(key)?.as_str().map(str::to_owned);
    let pdf = address("url_for_pdf");
    let is_pdf = pdf.is_some();
    let url = pdf.or_else(|| address("url_for_landing_page").or_else(|| address("url")));
    Some(url.map(|url| OpenCopy {
        url,
        is_pdf,
        licence: fields::text(best, "license"),
        version: fields::text(best, "version"),
    }))
}
