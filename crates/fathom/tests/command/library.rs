use super::sandbox::{QUESTION, Sandbox};

#[test]
fn added_folders_are_listed_searched_used_and_removed() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["library", "list"]).out, "");
    let added = sandbox.run(&["library", "add", "library"]);
    assert_eq!(added.code, 0, "{}", added.err);
    assert!(added.out.contains("library: 3 documents"), "{}", added.out);
    sandbox.run(&["library", "add", "library"]);
    let listed = sandbox.run(&["library", "list"]).out;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(listed.contains("(3 files)"), "{listed}");
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
        added.out.contains("night.md: 1 document\n"),
        "{}",
        added.out
    );
    let listed = sandbox.run(&["library", "list"]).out;
    assert!(listed.contains("night.md  (1 file)"), "{listed}");
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
