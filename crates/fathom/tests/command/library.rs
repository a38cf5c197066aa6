use std::process::Stdio;

use super::sandbox::{QUESTION, Sandbox};

#[test]
fn added_folders_are_listed_searched_used_and_removed() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["library", "list"]).out, "");
    let added = sandbox.run(&["library", "add", "library"]);
    assert_eq!(added.code, 0, "{}", added.err);
    assert!(
        added.out.starts_with("default: 3 documents, "),
        "{}",
        added.out
    );
    sandbox.run(&["library", "add", "library"]);
    let listed = sandbox.run(&["library", "list"]).out;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(listed.starts_with("default: 3 documents, "), "{listed}");
    let found = sandbox
        .run(&["library", "search", "heat at night", "--limit", "1"])
        .out;
    assert!(found.starts_with("Night heat"), "{found}");
    let found = sandbox
        .run(&["library", "search", "light paving", "--json"])
        .out;
    let first: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert_eq!(first["name"], "paving.txt");
    let ran = sandbox.run(&["report", QUESTION, "-q"]);
    assert!(ran.out.starts_with("# "), "{}", ran.err);
    assert_eq!(sandbox.run(&["library", "remove", "library"]).code, 0);
    assert_eq!(sandbox.run(&["library", "list"]).out, "");
    assert_eq!(sandbox.run(&["library", "remove", "library"]).code, 2);
}

#[test]
fn one_file_is_a_library() {
    let sandbox = Sandbox::new();
    let words = ["report", QUESTION, "--library", "library/night.md", "-q"];
    let ran = sandbox.run(&words);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    assert!(ran.out.contains("night.md"), "{}", ran.out);
    let added = sandbox.run(&["library", "add", "library/night.md"]);
    assert!(
        added.out.starts_with("default: 1 document, "),
        "{}",
        added.out
    );
    let listed = sandbox.run(&["library", "list"]).out;
    assert!(listed.ends_with("night.md\n"), "{listed}");
}

#[test]
fn a_search_without_a_library_says_what_to_do() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.run(&["library", "search", "trees"]).err, @r"
    error: There is no library to search.
    Give --library DIR, or add one: fathom library add DIR
    ");
    assert_eq!(sandbox.run(&["library", "add", "nowhere"]).code, 2);
}

#[test]
fn a_run_that_is_taken_up_elsewhere_finds_its_library_again() {
    let sandbox = Sandbox::new();
    let id = sandbox.waiting("plan");
    let mut command = sandbox.command();
    command
        .args(["runs", "review", &id, "approve"])
        .current_dir("/");
    let output = command.output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("1.9 °C cooler"), "{out}");
}

#[test]
fn a_named_library_is_searched_by_its_name_and_goes_as_a_whole() {
    let sandbox = Sandbox::new();
    let added = sandbox.run(&["library", "add", "library/night.md", "--library", "nights"]);
    assert!(
        added.out.starts_with("nights: 1 document, "),
        "{}",
        added.err
    );
    let found = sandbox.run(&["library", "search", "heat", "--library", "nights", "--json"]);
    assert!(found.out.contains("night.md"), "{}", found.err);
    let report = sandbox.run(&["report", QUESTION, "-q", "--library", "nights"]);
    assert!([0, 3].contains(&report.code), "{}", report.err);
    assert!(report.out.contains("night.md"), "{}", report.out);
    assert_eq!(
        sandbox
            .run(&["library", "add", "library", "--library", "a/b"])
            .code,
        2
    );
    assert_eq!(
        sandbox
            .run(&["library", "remove", "--library", "nights"])
            .code,
        0
    );
    assert_eq!(sandbox.run(&["library", "list"]).out, "");
    assert_eq!(
        sandbox
            .run(&["library", "remove", "--library", "nights"])
            .code,
        2
    );
}

#[test]
fn what_was_left_out_is_listed_with_its_reason() {
    let sandbox = Sandbox::new();
    let large = std::fs::File::create(sandbox.path("library/large.txt")).unwrap();
    large.set_len(2 << 30).unwrap();
    sandbox.file("library/photo.png", b"\x89PNG\r\n\x1a\n");
    let added = sandbox.run(&["library", "add", "library"]);
    assert_eq!(added.code, 0, "{}", added.err);
    assert!(added.out.contains("3 documents"), "{}", added.out);
    assert!(added.out.ends_with("2 files skipped\n"), "{}", added.out);
    let listed = sandbox.run(&["library", "list", "--skipped"]).out;
    assert!(
        listed.contains("  skipped large.txt: it has 2048 MiB"),
        "{listed}"
    );
    assert!(listed.contains("  skipped photo.png: "), "{listed}");
}

/// The documents that an index says it has; 0 before there is one.
fn committed(index: &std::path::Path) -> i64 {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(index, flags);
    let counted = connection.and_then(|connection| {
        let wanted = "SELECT count(text) + (SELECT count(*) FROM segments) FROM files";
        connection.query_row(wanted, [], |row| row.get(0))
    });
    counted.unwrap_or(0)
}

#[test]
fn a_library_whose_indexing_is_killed_thirty_times_loses_and_doubles_nothing() {
    const FILES: usize = 400;
    const KILLS: i64 = 30;
    let sandbox = Sandbox::new();
    for nth in 0..FILES {
        let text = format!("# Street {nth}\n\nIn street word{nth}x there are {nth} trees. ")
            .repeat(1 + nth % 40);
        sandbox.file(&format!("many/{nth}.md"), text);
    }
    let update = ["library", "update", "--library", "many"];
    let index = |sandbox: &Sandbox| {
        let unnamed = std::fs::read_dir(sandbox.path("home/libraries/unnamed"));
        let folder = unnamed.ok()?.next()?.ok()?.path();
        Some(folder.join("index.sqlite"))
    };
    for nth in 0..KILLS {
        let mut command = sandbox.command();
        command
            .args(update)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let before = index(&sandbox).map_or(0, |index| committed(&index));
        // Some are killed while they start, others once they have written something.
        for _ in 0..20_000 * (nth % 4) {
            let now = index(&sandbox).map_or(0, |index| committed(&index));
            if now != before || child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let done = sandbox.run(&update);
    let fresh = Sandbox::new();
    let elsewhere = sandbox.path("many");
    let whole = fresh.run(&[
        "library",
        "update",
        "--library",
        elsewhere.to_str().unwrap(),
    ]);
    let counts = |out: &str| out.split_once(": ").map(|(_, counts)| counts.to_owned());
    assert!(
        done.out.contains("400 documents"),
        "{} {}",
        done.out,
        done.err
    );
    assert_eq!(counts(&done.out), counts(&whole.out));
    for nth in [0, 17, 399] {
        let word = format!("word{nth}x");
        let found = sandbox
            .run(&["library", "search", &word, "--library", "many", "--json"])
            .out;
        let first: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
        assert_eq!(first["name"], format!("{nth}.md"), "{found}");
    }
}
