//! Ctrl-C, and the system's wish that the program end: the run stops without waiting for slow answers, begins nothing more, and can be taken up.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fathom_testworld::{Judgement, Reply, Script};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::log::{Life, Log, judge};
use super::world::{QUESTION, Ran, World, pages};

/// Starts a run, and sends it a signal once so much has happened on the stage.
fn stopped(world: &World, signal: &str, until: impl Fn(&World) -> bool) -> (Ran, usize, Duration) {
    let mut command = world.command(&["report", QUESTION, "--json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !until(world) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        std::thread::sleep(Duration::from_millis(1));
    }
    let begun = world.stage.calls().len();
    let asked = Instant::now();
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &id]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let ran = Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    };
    (ran, begun, asked.elapsed())
}

#[test]
fn ctrl_c_waits_for_no_answer_begins_nothing_and_loses_nothing() {
    loses_nothing("INT", 130);
}

#[test]
fn sigterm_behaves_as_ctrl_c_with_a_code_of_its_own() {
    loses_nothing("TERM", 143);
}

fn loses_nothing(signal: &str, code: i32) {
    // The first three sections never come; those asked for later do.
    let script = Script::sensible(pages()).answering(|prompt, before| {
        (prompt.judgement == Judgement::Section && before < 3).then_some(Reply::Hangs)
    });
    let world = World::open(script);
    let (ran, begun, took) = stopped(&world, signal, |world| {
        let framed = world.count("model", |call| call.key.starts_with("Frame "));
        world.judgements()[2..4] == [3, 1] && framed == 2
    });
    println!("stopped after {took:?}");
    assert_eq!(ran.code, code, "{}", ran.err);
    let result = ran.result();
    assert_eq!(result["status"], "cancelled");
    assert_eq!(
        world.stage.calls().len(),
        begun,
        "a call began after the stop"
    );
    let id = result["run"].as_str().unwrap();
    let how = format!("Stopped. Continue with: fathom runs resume {id}");
    assert!(ran.err.contains(&how), "{}", ran.err);
    world
        .run(&["runs", "resume", id, "--json", "-q"])
        .complete();
    assert_eq!(world.judgements(), [1, 1, 6, 1, 1]);
    assert_eq!(world.count("search", |_| true), 3);
    assert_eq!(world.count("page", |_| true), 3);
}

#[test]
fn a_run_stopped_anywhere_is_taken_up_and_repeats_nothing_recorded() {
    let seed: u64 = rand::random();
    let mut chance = StdRng::seed_from_u64(seed);
    println!("seed {seed}");
    for (signal, code) in [("INT", 130), ("TERM", 143), ("INT", 130), ("TERM", 143)] {
        let script = Script::sensible(pages()).taking(Duration::from_millis(40));
        let world = World::open(script);
        let moment = chance.random_range(1..=22);
        let (ran, _, took) = stopped(&world, signal, |world| world.stage.moments() >= moment);
        assert_eq!(ran.code, code, "{}", ran.err);
        let result = ran.result();
        let id = result["run"].as_str().unwrap();
        let recorded = Log::of(&world, id).recorded();
        let from = world.stage.calls().len();
        println!("stopped after {moment} moments in {took:?}");
        world
            .run(&["runs", "resume", id, "--json", "-q"])
            .complete();
        let first = Life {
            from: 0,
            recorded: Default::default(),
        };
        judge(
            &world.stage.calls(),
            &[first, Life { from, recorded }],
            &Log::of(&world, id),
        );
    }
}
