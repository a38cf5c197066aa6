//! A small shell process that outlives its owner just long enough to clean up.
//!
//! It waits for its standard input to end. That happens when the owner drops it and also when the
//! owner is interrupted, aborted or killed, so one path covers every end: stop the server at once,
//! remove the folder.

use std::path::Path;
use std::process::{Child, Stdio};

use anyhow::{Context, Result};

use super::place::Place;

/// Arguments: `pg_ctl`, the data folder, the cluster's folder. The stop is bounded; a server that
/// outlasts it ends itself when it misses its folder.
const SCRIPT: &str = r#"
read -r _
"$1" stop -s -D "$2" -m immediate -t 10
rm -rf "$3"
"#;

pub(super) struct Guardian(Child);

impl Guardian {
    pub(super) fn watch(place: &Place) -> Result<Self> {
        let shell = place
            .account
            .command(Path::new("sh"), place.folder.path())
            .args(["-c", SCRIPT, "fathom-pg-guardian"])
            .arg(place.programs.path("pg_ctl"))
            .arg(place.folder.data())
            .arg(place.folder.path())
            // The folder goes away under the guardian.
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start `sh` to watch over the PostgreSQL server")?;
        Ok(Self(shell))
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
