//! What became of each order of a batch: read from what the batch gave back, and asked for where it
//! gave nothing.

use std::collections::HashMap;

use fathom_workflow::RunId;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::link::Link;
use super::order::Order;
use crate::row::is_wanted;

/// What became of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Taken {
        fence: i64,
        rev: i64,
        cancel: bool,
    },
    /// There is no such run.
    Missing,
    /// The run is not as the order expects it.
    Refused,
}

/// The fates of `orders`, given the rows of those that were `taken`.
pub(super) async fn fates(
    link: &Link,
    orders: &[&Order],
    taken: &[Row],
) -> Result<Vec<Fate>, Fault> {
    let mut fates = HashMap::with_capacity(orders.len());
    for row in taken {
        fates.insert(row.try_get::<_, Uuid>(0)?, taken_fate(row)?);
    }
    let ids = orders.iter().map(|order| *order.run.as_uuid());
    let others: Vec<Uuid> = ids.filter(|id| !fates.contains_key(id)).collect();
    if !others.is_empty() {
        explain_refusals(link, orders, &others, &mut fates).await?;
    }
    let fate = |order: &&Order| fates.get(order.run.as_uuid()).copied();
    Ok(orders
        .iter()
        .map(|order| fate(order).unwrap_or(Fate::Missing))
        .collect())
}

const STANDING: &str = "SELECT id, fence, rev, cancel, nonce FROM runs WHERE id = ANY($1)";

/// Finds out why orders were not taken: most often because they had been, and the reply was lost.
async fn explain_refusals(
    link: &Link,
    orders: &[&Order],
    runs: &[Uuid],
    fates: &mut HashMap<Uuid, Fate>,
) -> Result<(), Fault> {
    for row in link.rows(STANDING, &[&runs]).await? {
        let id: Uuid = row.try_get(0)?;
        let (rev, nonce): (i64, i64) = (row.try_get(2)?, row.try_get(4)?);
        let order = orders.iter().find(|order| *order.run.as_uuid() == id);
        let was_taken = order.is_some_and(|order| order.rev == rev && order.nonce == nonce);
        let fate = if was_taken {
            taken_fate(&row)?
        } else {
            Fate::Refused
        };
        fates.insert(id, fate);
    }
    Ok(())
}

fn taken_fate(row: &Row) -> Result<Fate, Fault> {
    Ok(Fate::Taken {
        fence: row.try_get(1)?,
        rev: row.try_get(2)?,
        cancel: is_wanted(RunId::from_uuid(row.try_get(0)?), row.try_get(3)?)?,
    })
}
