//! What tokens cost, in whole numbers, so that a sum of costs is exact.

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
}
