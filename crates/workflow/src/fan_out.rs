//! Parallel work inside a node, bounded, with results in the order of the items.

use futures::StreamExt;
use futures::stream;

/// Runs `work` on every item, at most `at_once` at a time. Dropping the future drops the work, so a
/// cancel or a deadline ends it too.
pub async fn fan_out<I, T, F, Fut>(items: I, at_once: usize, work: F) -> Vec<T>
where
    I: IntoIterator,
    F: Fn(I::Item) -> Fut,
    Fut: Future<Output = T>,
{
    // Unordered inside, so that one slow item does not hold back the start of those behind it.
    let mut done: Vec<(usize, T)> = stream::iter(items.into_iter().enumerate())
        .map(|(place, item)| {
            let working = work(item);
            async move { (place, working.await) }
        })
        .buffer_unordered(at_once.max(1))
        .collect()
        .await;
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::fan_out;

    #[tokio::test]
    async fn results_keep_the_order_of_the_items_and_no_more_than_the_bound_run_at_once() {
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results = fan_out(0..50_u64, 4, |item| {
            let (running, most) = (&running, &most);
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                for _ in 0..(50 - item) % 7 {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                item * 2
            }
        })
        .await;
        assert_eq!(results, (0..50).map(|item| item * 2).collect::<Vec<u64>>());
        assert_eq!(most.load(Ordering::SeqCst), 4);
    }

    #[tokio::test]
    async fn a_bound_of_zero_still_makes_progress() {
        assert_eq!(fan_out([1, 2], 0, |item| async move { item }).await, [1, 2]);
    }
}
