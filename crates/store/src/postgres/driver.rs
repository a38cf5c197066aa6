//! What moves a connection's bytes, run by whoever waits for an answer over it.
//!
//! A task of its own would have to be woken for each request and would have to wake the caller for
//! each answer, which takes a lone run about as long as the database's work. So the caller's task
//! writes to the socket and reads from it. While nobody asks for anything nothing is moved; a loss
//! in the meantime is found by the look that precedes the next use.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Ends when the connection does.
pub(super) type Moving = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) struct Driver {
    /// `None` once the connection has ended. One caller uses a connection at a time, so nobody ever
    /// waits for this lock.
    moving: Mutex<Option<Moving>>,
}

impl Driver {
    pub(super) fn of(moving: Moving) -> Self {
        Self {
            moving: Mutex::new(Some(moving)),
        }
    }

    /// Waits for an answer, and moves the bytes meanwhile. If the connection ends, the answer says so.
    pub(super) async fn answer<T>(&self, asked: impl Future<Output = T>) -> T {
        let mut asked = pin!(asked);
        poll_fn(|context| {
            // The first poll hands the request over; only then is there something to send.
            if let Poll::Ready(answer) = asked.as_mut().poll(context) {
                return Poll::Ready(answer);
            }
            self.go_on(context);
            asked.as_mut().poll(context)
        })
        .await
    }

    /// Whether the connection has ended, for all that has arrived by now.
    pub(super) fn has_ended(&self) -> bool {
        self.go_on(&mut Context::from_waker(Waker::noop()))
    }

    /// Moves what can be moved now. True if the connection has ended; letting go of its moving part
    /// then tells everybody who waits.
    fn go_on(&self, context: &mut Context<'_>) -> bool {
        let mut moving = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(under_way) = moving.as_mut() else {
            return true;
        };
        let has_ended = under_way.as_mut().poll(context).is_ready();
        if has_ended {
            *moving = None;
        }
        has_ended
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::sync::oneshot;

    use super::Driver;

    #[test]
    fn whoever_waits_moves_what_it_waits_for() {
        let (reply, answer) = oneshot::channel();
        let driver = Driver::of(Box::pin(async move {
            let _ = reply.send("moved");
            std::future::pending().await
        }));
        assert_eq!(driver.answer(answer).now_or_never(), Some(Ok("moved")));
        assert!(!driver.has_ended());
    }

    #[test]
    fn who_waits_for_a_connection_that_ends_is_told() {
        let (owed, answer) = oneshot::channel::<()>();
        let driver = Driver::of(Box::pin(async move {
            let _still_owed = owed;
        }));
        let told = driver.answer(answer).now_or_never();
        assert!(told.is_some_and(|answer| answer.is_err()));
    }

    #[test]
    fn a_connection_that_ended_while_idle_is_found_out() {
        let driver = Driver::of(Box::pin(std::future::ready(())));
        assert!(driver.has_ended());
        assert!(driver.has_ended(), "and it stays so");
    }
}
