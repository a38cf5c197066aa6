//! The settings a cluster runs with, as text for the end of `postgresql.conf`.

use std::path::Path;

use super::Options;

/// The last mention of a name wins, so the caller's settings come last.
pub(super) fn text(folder: &Path, options: &Options) -> String {
    let socket_folder = folder.display().to_string();
    let own = [
        ("listen_addresses", "127.0.0.1"),
        ("unix_socket_directories", &socket_folder),
        ("max_connections", "200"),
        ("shared_buffers", "64MB"),
        // Benchmarks without it would promise speeds that no careful user gets.
        ("fsync", "on"),
    ];
    let extra = options
        .extra_settings
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let lines = own
        .into_iter()
        .chain(extra)
        .map(|(name, value)| line(name, value));
    format!("\n# Fathom's tests\n{}", lines.collect::<String>())
}

fn line(name: &str, value: &str) -> String {
    format!(
        "{name} = '{}'\n",
        value.replace('\\', "\\\\").replace('\'', "''")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_settings_come_last() {
        let options = Options {
            extra_settings: vec![("fsync".into(), "off".into())],
        };

        let text = text(Path::new("/folder"), &options);

        assert!(text.contains("fsync = 'on'"));
        assert!(text.ends_with("fsync = 'off'\n"));
    }

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        assert_eq!(
            line("search_path", r"it's a \ here"),
            "search_path = 'it''s a \\\\ here'\n"
        );
    }
}
