//! What tokens cost, in whole numbers, so that a sum of costs is exact.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::completion::TokenUsage;

/// Dollars for a million tokens, in millionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenPrice {
    /// Millionths of a dollar for a million tokens of a request.
    pub input_micros: u64,
    /// Millionths of a dollar for a million tokens of an answer.
    pub output_micros: u64,
    /// For input that was still in the cache; as other input, if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_micros: Option<u64>,
}

impl TokenPrice {
    /// What these tokens cost, to the last fraction.
    pub fn cost(&self, usage: &TokenUsage) -> ModelCost {
        let cached = usage.cached.min(usage.input);
        let cost = |tokens: u64, micros: u64| tokens.saturating_mul(micros);
        // A millionth of a dollar for a million tokens is a millionth of a millionth for one.
        ModelCost(
            cost(usage.input - cached, self.input_micros)
                .saturating_add(cost(
                    cached,
                    self.cached_micros.unwrap_or(self.input_micros),
                ))
                .saturating_add(cost(usage.output, self.output_micros)),
        )
    }
}

/// List prices in thousandths of a dollar for a million tokens: of requests, of answers, of input that was still in the
/// cache. As published in 2026; whoever pays others sets them.
const PUBLISHED: &[(&str, u64, u64, u64)] = &[
    ("gpt-4o", 2_500, 10_000, 1_250),
    ("gpt-4o-mini", 150, 600, 75),
    ("gpt-4.1", 2_000, 8_000, 500),
    ("gpt-4.1-mini", 400, 1_600, 100),
    ("gpt-4.1-nano", 100, 400, 25),
    ("gpt-5", 1_250, 10_000, 125),
    ("gpt-5.1", 1_250, 10_000, 125),
    ("gpt-5.2", 1_750, 14_000, 175),
    ("gpt-5.4", 2_500, 15_000, 250),
    ("gpt-5.4-mini", 750, 4_500, 75),
    ("gpt-5.4-nano", 200, 1_250, 20),
    ("gpt-5.5", 5_000, 30_000, 500),
    ("gpt-5-mini", 250, 2_000, 25),
    ("gpt-5-nano", 50, 400, 5),
    ("o4-mini", 1_100, 4_400, 275),
    ("claude-opus-4", 15_000, 75_000, 1_500),
    ("claude-opus-4-1", 15_000, 75_000, 1_500),
    ("claude-opus-4-5", 5_000, 25_000, 500),
    ("claude-opus-4-6", 5_000, 25_000, 500),
    ("claude-opus-4-7", 5_000, 25_000, 500),
    ("claude-opus-4-8", 5_000, 25_000, 500),
    ("claude-opus-5", 5_000, 25_000, 500),
    ("claude-sonnet-4", 3_000, 15_000, 300),
    ("claude-sonnet-4-5", 3_000, 15_000, 300),
    ("claude-sonnet-4-6", 3_000, 15_000, 300),
    ("claude-sonnet-5", 3_000, 15_000, 300),
    ("claude-haiku-4-5", 1_000, 5_000, 100),
    ("claude-3-5-haiku", 800, 4_000, 80),
    ("gemini-2.5-pro", 1_250, 10_000, 125),
    ("gemini-2.5-flash", 300, 2_500, 30),
    ("gemini-2.5-flash-lite", 100, 400, 10),
];

/// Prices by the names of models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelPrices(BTreeMap<String, TokenPrice>);

impl ModelPrices {
    /// The list prices that are known here.
    pub fn published() -> Self {
        let price = |(name, input, output, cached): &(&str, u64, u64, u64)| {
            let price = TokenPrice {
                input_micros: input * 1_000,
                output_micros: output * 1_000,
                cached_micros: Some(cached * 1_000),
            };
            ((*name).to_owned(), price)
        };
        Self(PUBLISHED.iter().map(price).collect())
    }

    /// With this price for a model, in the place of another that was known.
    pub fn set(&mut self, model: &str, price: TokenPrice) {
        self.0.insert(model.to_owned(), price);
    }

    /// The price of a model. A name with its maker before it, or with a date or `latest` behind it, is that model's:
    /// `openai/gpt-4o-2024-08-06` costs what `gpt-4o` does.
    pub fn find(&self, name: &str) -> Option<&TokenPrice> {
        let bare = name.rsplit('/').next().unwrap_or(name);
        let undated = without_date(bare);
        let mut names = [name, bare, undated].into_iter();
        names.find_map(|name| self.0.get(name))
    }
}

/// `gpt-4o` for `gpt-4o-2024-08-06`, `claude-sonnet-4` for `claude-sonnet-4-20250514` or `claude-sonnet-4-latest`.
fn without_date(name: &str) -> &str {
    let mut parts: Vec<&str> = name.split('-').collect();
    let digits = |part: &&str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let dropped = match parts.as_slice() {
        [_, .., "latest"] => 1,
        [_, .., day] if digits(day, 8) => 1,
        [_, .., year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2) => 3,
        _ => 0,
    };
    parts.truncate(parts.len() - dropped);
    let kept = parts.iter().map(|part| part.len() + 1).sum::<usize>() - 1;
    name.get(..kept).unwrap_or(name)
}

/// Money, in millionths of a millionth of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelCost(pub u64);

const PICOS: u64 = 1_000_000_000_000;

impl ModelCost {
    /// To be shown; sums are made in whole units.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / PICOS as f64
    }
}

impl AddAssign for ModelCost {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl fmt::Display for ModelCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${:.4}", self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_exact_and_cached_input_has_its_own_price() {
        let price = TokenPrice {
            input_micros: 2_500_000,
            output_micros: 10_000_000,
            cached_micros: Some(1_250_000),
        };
        let usage = TokenUsage {
            input: 1_001,
            output: 10,
            cached: 1_000,
            estimated: false,
        };
        let one = price.cost(&usage);
        assert_eq!(one, ModelCost(2_500_000 + 1_250_000_000 + 100_000_000));
        let mut sum = ModelCost::default();
        (0..10_000).for_each(|_| sum += one);
        assert_eq!(sum, ModelCost(one.0 * 10_000));
        assert_eq!(sum.to_string(), "$13.5250");
    }

    #[test]
    fn a_dated_name_or_one_with_its_maker_has_the_price_of_its_model() {
        let prices = ModelPrices::published();
        for (name, model) in [
            ("gpt-4o-2024-08-06", "gpt-4o"),
            ("openai/gpt-4o-mini", "gpt-4o-mini"),
            ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
            ("claude-sonnet-4-20250514", "claude-sonnet-4"),
            ("anthropic/claude-3-5-haiku-latest", "claude-3-5-haiku"),
            ("gpt-5.1-2025-11-13", "gpt-5.1"),
            ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ] {
            assert_eq!(prices.find(name), prices.find(model), "{name}");
            assert!(prices.find(name).is_some(), "{name}");
        }
        for name in ["gpt-4o-audio", "qwen2.5:1.5b", "latest", "", "20240806"] {
            assert_eq!(prices.find(name), None, "{name}");
        }
    }
}
