//! `fathom config`: every setting, its value, and where it came from.

use crate::exit::{Exit, Result};
use crate::screen::{self, TextStyle};
use crate::settings::Settings;

/// Longer values push their origin to the right rather than all of them.
const VALUE_WIDTH: usize = 28;

pub fn run(settings: &Settings) -> Result<Exit> {
    let shown = settings.shown();
    let widest = shown.iter().map(|one| one.name.len()).max().unwrap_or(0);
    let coloured = screen::stdout_is_coloured();
    let mut text = String::new();
    for one in shown {
        let style = match one.origin {
            Some(_) => TextStyle::PLAIN,
            None => TextStyle::DIM,
        };
        let origin = one.origin.as_deref().unwrap_or("default");
        let line = format!(
            "{:<widest$}  {:<VALUE_WIDTH$}  {}",
            one.name, one.value, origin
        );
        text.push_str(&style.paint(&screen::harmless(&line), coloured));
        text.push('\n');
    }
    screen::print(&text)?;
    Ok(Exit::Complete)
}
