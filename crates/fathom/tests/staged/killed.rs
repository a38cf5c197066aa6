//! The program is killed in the middle of its work, again and again, and taken up by another process each time.
//!
//! No run is lost, no recorded call is made again (`log` states the rule), and the report is the one that an unkilled
//! run gives, apart from times. `FATHOM_KILLS=1000` makes it the full proof, `FATHOM_SEED=7` the same again.

use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use fathom_testworld::{Judgement, Reply, Script};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::log::{Life, Log, judge, timeless};
use super::refine::{poor_plan, refining};
use super::world::{QUESTION, World, caveats, pages};

const KILLS: usize = 30;
const KILLS_A_RUN: usize = 5;

/// Runs under way at once: what they wait for most is the lease of the dead.
const AT_ONCE: usize = 5;

/// The stage takes as long for every answer, so that kills fall before, in and after calls.
const DELAY: Duration = Duration::from_millis(15);

/// The DOI of a cited work, which the register says is retracted.
const WORK: &str = "10.5555/trees";

/// What a second draft says that a first does not.
const SECOND: &str = "In short";

/// A run of two drafts, whose sentences are judged, and of a query that is refined: the review sees by the words of a draft whether it is the first, so
/// that a killed process may ask again and hear the same.
fn script() -> Script {
    let script = Script::sensible(pages()).answering(|prompt, _| match prompt.judgement {
        Judgement::Plan => Some(poor_plan(prompt)),
        Judgement::Action => Some(refining(prompt)),
        Judgement::Section => {
            let second = prompt
                .user
                .contains("A reviewer of the last version found:");
            let lead = if second {
                SECOND
            } else {
                "As one source has it"
            };
            // Each section has a sentence of its own.
            let own = ["cooling", "water", "cost"];
            let own = own
                .iter()
                .find(|aspect| prompt.user.contains(&format!("“The {aspect}”")));
            let number = prompt.passage_with(own?)?;
            let passages = prompt.passages();
            let (_, text) = passages.iter().find(|(known, _)| *known == number)?;
            let quote = text.split(". ").next()?.trim_end_matches('.');
            let (quoted, led) = (format!("“{quote}”"), format!("{lead}, “{quote}”"));
            Some(Reply::sentences(&[(&[number], &quoted), (&[number], &led)]))
        }
        Judgement::Review if !prompt.user.contains(SECOND) => Some(Reply::review(6.0)),
        _ => None,
    });
    let record = serde_json::json!({
        "DOI": WORK,
        "title": ["Street trees and cooling"],
        "updated-by": [{ "type": "retraction", "DOI": "10.5555/notice" }],
    });
    script.with_work(0, WORK, Some(record)).taking(DELAY)
}

fn number(variable: &str, otherwise: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn a_killed_run_is_taken_up_repeats_nothing_recorded_and_ends_in_the_same_report() {
    let kills = number("FATHOM_KILLS", KILLS);
    let seed = number("FATHOM_SEED", rand::random::<u16>().into());
    println!("seed {seed}");
    let whole = World::open(script());
    let report = whole.report(&[]).complete();
    assert!(caveats(&report).contains("retracted"), "{report}");
    assert_eq!(whole.count("work", |call| call.key == WORK), 1);
    assert_eq!(whole.judgements(), [1, 1, 6, 2, 2]);
    for (judgement, calls) in [("Support ", 6), ("Action ", 3)] {
        let asked = whole.count("model", |call| call.key.starts_with(judgement));
        assert_eq!(asked, calls, "{judgement}");
    }
    let expected = timeless(&whole, &only_run(&whole));
    let done = Mutex::new((0, 0));
    std::thread::scope(|scope| {
        for worker in 0..AT_ONCE {
            let (done, expected) = (&done, &expected);
            scope.spawn(move || {
                let mut chance = StdRng::seed_from_u64((seed * AT_ONCE + worker) as u64);
                while done.lock().unwrap().0 < kills {
                    let killed = killed_run(&mut chance, expected);
                    let mut done = done.lock().unwrap();
                    done.0 += killed;
                    done.1 += 1;
                }
            });
        }
    });
    let (killed, runs) = *done.lock().unwrap();
    println!("{killed} kills over {runs} runs, none lost, nothing repeated, seed {seed}");
}

#[test]
fn a_run_whose_process_died_says_so_in_the_list() {
    let world = World::open(script());
    let mut child = started(&world, &["report", QUESTION, "-q"]);
    while world.stage.moments() < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let listed = world.run(&["runs", "list"]);
    assert!(!listed.out.contains("stopped"), "{}", listed.out);
    child.kill().unwrap();
    child.wait().unwrap();
    // Its lease holds for a second more.
    let mut told = String::new();
    for _ in 0..500 {
        told = world.run(&["runs", "list"]).out;
        if told.contains("stopped") {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(told.contains("stopped"), "{told}");
}

/// One run with some kills; gives how many fell before it ended.
fn killed_run(chance: &mut StdRng, expected: &str) -> usize {
    let world = World::open(script());
    let mut lives = vec![Life {
        from: 0,
        recorded: Default::default(),
    }];
    let mut child = started(&world, &["report", QUESTION, "-q"]);
    let mut id = None;
    for _ in 0..chance.random_range(1..=KILLS_A_RUN) {
        if !killed(&world, &mut child, chance) {
            break;
        }
        let run = only_run(&world);
        let recorded = Log::of(&world, &run).recorded();
        // What the dead process had sent has arrived by now, for the log was read in the meantime.
        let from = world.stage.calls().len();
        lives.push(Life { from, recorded });
        child = started(&world, &["runs", "resume", &run, "-q"]);
        id = Some(run);
    }
    let status = child.wait().unwrap();
    let id = id.unwrap_or_else(|| only_run(&world));
    assert_eq!(status.code(), Some(0), "run {id} is lost");
    judge(&world.stage.calls(), &lives, &Log::of(&world, &id));
    assert_eq!(timeless(&world, &id), expected, "another report");
    lives.len() - 1
}

fn started(world: &World, words: &[&str]) -> Child {
    let mut command = world.command(words);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Kills the process a chosen number of moments on; not if it ends before.
fn killed(world: &World, child: &mut Child, chance: &mut StdRng) -> bool {
    let moment = world.stage.moments() + chance.random_range(1..=10);
    while world.stage.moments() < moment {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(DELAY.mul_f64(chance.random_range(0.0..1.0)));
    let ended = child.try_wait().unwrap().is_some();
    if !ended {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    !ended
}

fn only_run(world: &World) -> String {
    let listed = world.run(&["runs", "list", "--json"]).out;
    let run: serde_json::Value = serde_json::from_str(listed.trim()).unwrap();
    run["about"]["id"].as_str().unwrap().to_owned()
}
