//! `fathom token`: who may use the service.

use crate::cli::TokenCommand;
use crate::exit::{Exit, Result};
use crate::screen;
use crate::settings::Settings;
use crate::tokens::TokenFile;

pub fn run(command: TokenCommand, settings: &Settings) -> Result<Exit> {
    let file = TokenFile::in_home(&settings.home);
    match command {
        TokenCommand::Add { owner } => {
            let (stored, token) = file.add(&owner)?;
            screen::tell(&format!(
                "Token {} of {owner}. It is shown this once:",
                stored.id
            ));
            screen::print_line(&token)?;
        }
        TokenCommand::List => {
            let tokens = file.list()?;
            for token in &tokens {
                let added = token.created_at.round(jiff::Unit::Second);
                let added = added.unwrap_or(token.created_at);
                screen::print_line(&format!("{}  {added}  {}", token.id, token.owner))?;
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
