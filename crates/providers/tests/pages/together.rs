//! Several ask for one page at once.

use std::time::Duration;

use fathom_providers::FailureCause;
use fathom_providers::pages::PageSettings;
use futures::future::join_all;

use crate::bench::Luck;
use crate::world::{Act, PagesWorld, answer, say};

const URL: &str = "http://example.com/";

fn slow() -> PagesWorld {
    PagesWorld::new(|at| match at {
        "/robots.txt" => say(404, &[], ""),
        _ => Act::Slowly(answer(200, &[], "worth the wait")),
    })
}

#[tokio::test(start_paused = true)]
async fn a_page_that_many_ask_for_is_fetched_once() {
    let world = slow();
    let door = world.pages(Luck::Least, PageSettings::default());
    let reads = join_all((0..100).map(|_| door.read(URL))).await;
    assert!(
        reads
            .iter()
            .all(|read| read.as_ref().unwrap().bytes == "worth the wait")
    );
    assert_eq!(world.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_shared_too() {
    let world = PagesWorld::new(|at| match at {
        "/robots.txt" => say(404, &[], ""),
        _ => Act::Slowly(answer(500, &[], "")),
    });
    let door = world.pages(Luck::Least, PageSettings::default());
    let reads = join_all((0..100).map(|_| door.read(URL))).await;
    assert!(
        reads
            .iter()
            .all(|read| read.as_ref().unwrap_err().cause == FailureCause::ServerFailed)
    );
    assert_eq!(world.asked().len(), 2, "one call of two attempts");
}

#[tokio::test(start_paused = true)]
async fn when_the_first_goes_away_the_next_fetches() {
    let world = slow();
    let door = world.pages(Luck::Least, PageSettings::default());
    let first = tokio::time::timeout(Duration::from_millis(500), door.read(URL));
    let (gone, second, third) = tokio::join!(first, door.read(URL), door.read(URL));
    assert!(gone.is_err());
    assert_eq!(second.unwrap().bytes, "worth the wait");
    assert_eq!(third.unwrap().bytes, "worth the wait");
    assert_eq!(world.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn when_all_go_away_the_fetch_ends() {
    let pause = Duration::from_millis(100);
    let world = PagesWorld::new(move |at| match at {
        "/robots.txt" => say(404, &[], ""),
        _ => {
            let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
            Act::SayOn(head.to_vec(), b"on and on ".to_vec(), pause)
        }
    });
    let door = world.pages(Luck::Least, PageSettings::default());
    {
        let all = join_all((0..3).map(|_| door.read(URL)));
        let mut all = std::pin::pin!(tokio::time::timeout(Duration::from_secs(5), all));
        tokio::select! {
            _ = &mut all => panic!("the page never ends"),
            () = tokio::time::sleep(Duration::from_secs(2)) => {}
        }
        assert_eq!(
            (world.asked().len(), world.open()),
            (1, 1),
            "it is under way"
        );
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((world.asked().len(), world.open()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn each_waits_no_longer_than_its_own_deadline() {
    let world = slow();
    let door = world.pages(Luck::Least, PageSettings::default());
    let hasty = door.context_until(Duration::from_millis(500));
    // The first has little time, then the second; neither costs the others their page.
    let (first, patient, second) = tokio::join!(
        door.pages.read(URL, &hasty),
        door.read(URL),
        door.pages.read(URL, &hasty)
    );
    assert_eq!(first.unwrap_err().cause, FailureCause::OutOfTime);
    assert_eq!(second.unwrap_err().cause, FailureCause::OutOfTime);
    assert_eq!(patient.unwrap().bytes, "worth the wait");
}
