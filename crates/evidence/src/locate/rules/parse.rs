//! Reads rules from text: a name in brackets, then lines `asks:`, `sections:`, `phrases:`, each
//! with parts between bars. A kind of line may be repeated.

use super::LocatorRule;

/// What is wrong with a text of rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the rules: {what}")]
pub struct RuleError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

pub(super) fn rules(text: &str) -> Result<Vec<LocatorRule>, RuleError> {
    let mut rules: Vec<LocatorRule> = Vec::new();
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        let wrong = |what: String| RuleError { line, what };
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if let Some(name) = content
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            rules.push(LocatorRule {
                name: name.to_owned(),
                ..LocatorRule::default()
            });
            continue;
        }
        let rule = rules
            .last_mut()
            .ok_or_else(|| wrong("a name in brackets must come first".into()))?;
        read_line(rule, content).map_err(wrong)?;
    }
    Ok(rules)
}

fn read_line(rule: &mut LocatorRule, content: &str) -> Result<(), String> {
    let (kind, rest) = content
        .split_once(':')
        .ok_or_else(|| format!("\"{content}\" has no colon"))?;
    let parts = rest
        .split('|')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    match kind.trim() {
        "asks" => rule.asks.extend(parts.map(str::to_lowercase)),
        "phrases" => rule.phrases.extend(parts.map(String::from)),
        "sections" => {
            for part in parts {
                rule.sections.push(weighted(part)?);
            }
        }
        other => return Err(format!("\"{other}\" is none of asks, sections, phrases")),
    }
    Ok(())
}

/// `results 0.8`: what a title has, and what that is worth.
fn weighted(part: &str) -> Result<(String, f32), String> {
    let (title, weight) = part
        .rsplit_once(' ')
        .ok_or_else(|| format!("\"{part}\" has no weight after it"))?;
    match weight.parse::<f32>() {
        Ok(weight) if weight.is_finite() => Ok((title.trim().to_lowercase(), weight)),
        _ => Err(format!("\"{weight}\" after \"{title}\" is no number")),
    }
}
