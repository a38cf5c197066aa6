//! `fathom token`: who may use the service.

use crate::cli::{CapArgs, CapName, TokenCommand};
use crate::exit::{Exit, Result};
use crate::screen;
use crate::settings::Settings;
use crate::tokens::{OwnerCaps, TokenFile};

pub fn run(command: TokenCommand, settings: &Settings) -> Result<Exit> {
    let file = TokenFile::in_home(&settings.home);
    match command {
        TokenCommand::Add { owner, caps } => {
            let (stored, token) = file.add(&owner, given(&caps))?;
            screen::tell(&format!(
                "Token {} of {owner}. It is shown this once:",
                stored.id
            ));
            screen::print_line(&token)?;
        }
        TokenCommand::Limit { owner, caps, clear } => {
            let caps = file.limit(&owner, |set| given(&caps).or(without(set, &clear)))?;
            let told = told(caps);
            screen::tell(&format!("Changed what {owner} may use{told}."));
        }
        TokenCommand::List => {
            let tokens = file.list()?;
            for token in &tokens {
                let added = token.created_at.round(jiff::Unit::Second);
                let added = added.unwrap_or(token.created_at);
                let caps = told(token.caps);
                screen::print_line(&format!("{}  {added}  {}{caps}", token.id, token.owner))?;
            }
            if tokens.is_empty() {
                screen::tell("There are no tokens. Add one with: fathom token add OWNER");
            }
        }
        TokenCommand::Revoke { id } => {
            let revoked = file.revoke(&id)?;
            screen::tell(&format!("Revoked token {id} of {}.", revoked.owner));
        }
    }
    Ok(Exit::Complete)
}

fn given(caps: &CapArgs) -> OwnerCaps {
    OwnerCaps {
        max_runs: caps.max_runs,
        max_tokens: caps.max_tokens,
        max_cost_micros: caps.max_cost,
    }
}

/// Caps without those that are taken away.
fn without(mut caps: OwnerCaps, clear: &[CapName]) -> OwnerCaps {
    for cap in clear {
        match cap {
            CapName::Runs => caps.max_runs = None,
            CapName::Tokens => caps.max_tokens = None,
            CapName::Cost => caps.max_cost_micros = None,
        }
    }
    caps
}

/// The caps behind a name; nothing where there are none.
fn told(caps: OwnerCaps) -> String {
    let runs = caps.max_runs.map(|most| format!("{most} runs at a time"));
    let tokens = caps.max_tokens.map(|most| format!("{most} tokens a day"));
    let cost = caps.max_cost_micros;
    let cost = cost.map(|most| format!("{} dollars a day", most as f64 / 1e6));
    let caps: Vec<String> = [runs, tokens, cost].into_iter().flatten().collect();
    if caps.is_empty() {
        return String::new();
    }
    format!(": at most {}", caps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_taken_away_only_where_that_is_said() {
        let set = OwnerCaps {
            max_runs: Some(4),
            max_tokens: Some(10),
            max_cost_micros: Some(5),
        };
        let caps = without(set, &[CapName::Cost]);
        assert_eq!(told(caps), ": at most 4 runs at a time, 10 tokens a day");
        assert_eq!(without(set, &[]), set);
    }
}
