//! Prices of models as a person writes them: `my-model 1.25 10, another 0.5 2 0.05`, in dollars for a million tokens of
//! requests, of answers and, where it is given, of requests that were still in the cache.

use fathom_providers::model::{ModelPrices, TokenPrice};

use crate::exit::{Problem, Result};

/// Dearer tokens than these are a slip of the pen.
const DOLLARS_MOST: f64 = 10_000.0;

/// The published prices, with those of this text in their place.
pub(super) fn parse(text: &str) -> Result<ModelPrices> {
    let mut prices = ModelPrices::published();
    for entry in text.split(',').map(str::trim) {
        let words: Vec<&str> = entry.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [model, input, output] => prices.set(model, price(entry, input, output, None)?),
            [model, input, output, cached] => {
                prices.set(model, price(entry, input, output, Some(cached))?);
            }
            _ => return Err(unreadable(entry)),
        }
    }
    Ok(prices)
}

fn price(entry: &str, input: &str, output: &str, cached: Option<&str>) -> Result<TokenPrice> {
    let micros = |dollars: &str| {
        let dollars = dollars.parse::<f64>().ok();
        let dollars = dollars.filter(|dollars| (0.0..=DOLLARS_MOST).contains(dollars));
        dollars
            .map(|dollars| (dollars * 1e6).round() as u64)
            .ok_or_else(|| unreadable(entry))
    };
    Ok(TokenPrice {
        input_micros: micros(input)?,
        output_micros: micros(output)?,
        cached_micros: cached.map(micros).transpose()?,
    })
}

fn unreadable(entry: &str) -> Problem {
    Problem::usage(format!("the price \"{entry}\" in model.prices cannot be read")).advise(
        "Write the model and dollars for a million tokens in and out: model.prices = \"my-model 1.25 10\"",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_and_go_before_the_published_ones() {
        let prices = parse("my-model 1.25 10, gpt-4o 1 2 0.5").unwrap();
        let own = prices.find("my-model").unwrap();
        assert_eq!(
            (own.input_micros, own.output_micros),
            (1_250_000, 10_000_000)
        );
        assert_eq!(own.cached_micros, None);
        let changed = prices.find("gpt-4o-2024-08-06").unwrap();
        assert_eq!(changed.cached_micros, Some(500_000));
        assert!(prices.find("gpt-4o-mini").is_some());
        for wrong in [
            "my-model",
            "my-model 1",
            "my-model 1 -2",
            "my-model 1 NaN",
            "a b c d e",
        ] {
            assert!(
                parse(wrong)
                    .err()
                    .unwrap()
                    .to_string()
                    .contains("model.prices"),
                "{wrong}"
            );
        }
    }
}
