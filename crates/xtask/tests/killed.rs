//! What a private server leaves behind when the process that owns it is killed: nothing.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const GONE_LIMIT: Duration = Duration::from_secs(30);

#[test]
fn a_killed_owner_leaves_nothing_behind() {
    let mut owner = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("postgres")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let url = lines.next().expect("it says where the server is").unwrap();
    assert!(url.starts_with("postgres://"), "{url}");
    let folder = PathBuf::from(lines.next().expect("and where its folder is").unwrap());
    assert!(folder.exists());

    owner.kill().unwrap();
    owner.wait().unwrap();

    let deadline = Instant::now() + GONE_LIMIT;
    while folder.exists() {
        assert!(
            Instant::now() < deadline,
            "{} is still there",
            folder.display()
        );
        thread::sleep(Duration::from_millis(50));
    }
}
