//! What a call costs through the whole layer, against a bare reqwest call to the same server in the same run.

use std::time::Instant;

use anyhow::Result;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::doors::{self, Door};
use super::server::Server;
use crate::figure::{Figure, median};

/// The two take turns so often, so that what disturbs one disturbs the other.
const ROUNDS: usize = 25;
const CALLS: usize = 400;
const WARM_UP: usize = 200;

/// What the layer may cost.
const TARGET: f64 = 1.15;

/// Calls are made from a task, as a run makes them.
pub(super) async fn measure() -> Result<()> {
    tokio::spawn(compare_all()).await?
}

async fn compare_all() -> Result<()> {
    let server = Server::start(doors::served(), false).await?;
    for door in doors::all(&server)? {
        for in_flight in [1, 16] {
            compare(&door, in_flight).await?;
        }
    }
    Ok(())
}

async fn compare(door: &Door, in_flight: usize) -> Result<()> {
    time(&door.layered, WARM_UP, in_flight).await?;
    time(&door.bare, WARM_UP, in_flight).await?;
    let (mut layered, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Whoever is second finds the caches warm, so they change places.
        let (ours, theirs) = if round % 2 == 0 {
            let ours = time(&door.layered, CALLS, in_flight).await?;
            (ours, time(&door.bare, CALLS, in_flight).await?)
        } else {
            let theirs = time(&door.bare, CALLS, in_flight).await?;
            (time(&door.layered, CALLS, in_flight).await?, theirs)
        };
        layered.push(ours);
        bare.push(theirs);
        ratios.push(ours / theirs);
    }
    Figure::named("overhead of a call")
        .with("door", door.name)
        .with("answer_bytes", door.answer_bytes)
        .with("in_flight", in_flight)
        .with("rounds", ROUNDS)
        .number("layered_us", median(layered))
        .number("bare_us", median(bare))
        .number("ratio", median(ratios))
        .number("target", TARGET)
        .print();
    Ok(())
}

/// Microseconds a call, over so many calls.
async fn time(call: &super::doors::DoorCall, calls: usize, in_flight: usize) -> Result<f64> {
    let begun = Instant::now();
    stream::iter(0..calls)
        .map(|_| Ok::<_, anyhow::Error>(call()))
        .try_buffer_unordered(in_flight)
        .try_for_each(|()| async { Ok(()) })
        .await?;
    Ok(begun.elapsed().as_secs_f64() * 1e6 / calls as f64)
}
