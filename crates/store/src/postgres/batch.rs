//! A batch: many orders as one statement, and so as one round trip and one commit.
//!
//! The statement first moves the runs' headers, each under its guard, and then adds the rows of
//! those runs whose header moved. A refused order is thus no error, and does not hurt its batch.
//! Rows travel as columns, one array each, so the text depends only on which tables are written to.

use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::order::{Kind, NewRun, Order};
use crate::row::Row;

type Value<'a> = Box<dyn ToSql + Sync + Send + 'a>;

/// Made of orders that are all appends or all creations, of different runs, sorted by run: two
/// batches, and whoever else locks runs in that order, can't wait for each other.
pub(super) struct Batch<'a> {
    pub(super) sql: String,
    pub(super) values: Vec<Value<'a>>,
}

/// One column of rows that travel together.
struct Column<'a> {
    name: &'static str,
    kind: &'static str,
    values: Value<'a>,
}

fn column<'a, T, V>(
    name: &'static str,
    kind: &'static str,
    rows: &[T],
    value: impl Fn(&T) -> V,
) -> Column<'a>
where
    Vec<V>: ToSql + Sync + Send + 'a,
{
    let values: Vec<V> = rows.iter().map(value).collect();
    Column {
        name,
        kind,
        values: Box::new(values),
    }
}

const MOVE_HEADERS: &str = "WITH taken AS (
    UPDATE runs SET
        rev = given.rev, nonce = given.nonce, head = given.head, head_sum = given.head_sum,
        status = given.status, ended = given.ended, updated_at = given.updated_at,
        wake_at = given.wake_at,
        owner = CASE WHEN NOT given.release THEN runs.owner END,
        lease_until = CASE WHEN NOT given.release AND runs.owner IS NOT NULL
            THEN clock_timestamp() + given.lease_us * interval '1 microsecond' END
    FROM {given}
    WHERE runs.id = given.run AND runs.fence = given.fence AND runs.rev = given.seen
    RETURNING runs.id, runs.fence, runs.rev, runs.cancel)";

const MAKE_HEADERS: &str = "WITH taken AS (
    INSERT INTO runs (id, fence, rev, nonce, head, head_sum, status, ended, updated_at, wake_at,
        about, about_sum, created_at, workflow, title, keep, owner, lease_until)
    SELECT run, 1, rev, nonce, head, head_sum, status, ended, updated_at, wake_at,
        about, about_sum, created_at, workflow, title, keep, owner,
        clock_timestamp() + lease_us * interval '1 microsecond'
    FROM {given}
    ON CONFLICT (id) DO NOTHING
    RETURNING id, fence, rev, cancel)";

/// A fork's state names the blobs of its origin, so it needs them too.
const SHARE_BLOBS: &str = ", shared AS (
    INSERT INTO blob_refs (run, hash)
    SELECT given.run, refs.hash FROM {given} JOIN blob_refs AS refs ON refs.run = given.origin
    WHERE given.run IN (SELECT id FROM taken)
    ON CONFLICT DO NOTHING)";

impl<'a> Batch<'a> {
    pub(super) fn of(orders: &[&'a Order]) -> Self {
        let mut batch = Self {
            sql: String::new(),
            values: Vec::new(),
        };
        batch.headers(orders);
        batch.steps(orders);
        batch.snapshots(orders);
        batch.entries(orders);
        batch.events(orders);
        batch.blobs(orders);
        batch
            .sql
            .push_str(" SELECT id, fence, rev, cancel FROM taken");
        batch
    }

    fn headers(&mut self, orders: &[&'a Order]) {
        let mut columns = vec![
            column("run", "uuid", orders, |o| *o.run.as_uuid()),
            column("rev", "bigint", orders, |o| o.rev),
            column("nonce", "bigint", orders, |o| o.nonce),
            column("lease_us", "bigint", orders, |o| o.lease_us),
            column("head", "bytea", orders, |o| o.write.head.meta.as_slice()),
            column("head_sum", "bytea", orders, |o| o.write.head.sum.as_slice()),
            column("status", "text", orders, |o| o.write.head.status.as_str()),
            column("ended", "boolean", orders, |o| o.write.head.ended),
            column("updated_at", "bigint", orders, |o| o.write.head.updated_at),
            column("wake_at", "bigint", orders, |o| o.write.head.wake_at),
        ];
        let appends: Vec<_> = orders.iter().filter_map(|o| guard(o)).collect();
        if !appends.is_empty() {
            columns.extend([
                column("fence", "bigint", &appends, |(fence, _, _)| *fence),
                column("seen", "bigint", &appends, |(_, seen, _)| *seen),
                column("release", "boolean", &appends, |(_, _, release)| *release),
            ]);
            return self.section(MOVE_HEADERS, columns);
        }
        let made: Vec<_> = orders.iter().filter_map(|o| new_run(o)).collect();
        columns.extend([
            column("about", "bytea", &made, |(_, new)| new.about.as_slice()),
            column("about_sum", "bytea", &made, |(_, new)| {
                new.about_sum.as_slice()
            }),
            column("created_at", "bigint", &made, |(_, new)| new.created_at),
            column("workflow", "text", &made, |(_, new)| new.workflow.as_str()),
            column("title", "text", &made, |(_, new)| new.title.as_str()),
            column("keep", "text", &made, |(_, new)| new.keep),
            column("owner", "text", &made, |(_, new)| new.owner.as_str()),
        ]);
        self.section(MAKE_HEADERS, columns);
        let forks: Vec<_> = made
            .iter()
            .filter(|(_, new)| new.origin.is_some())
            .collect();
        if !forks.is_empty() {
            let columns = vec![
                column("run", "uuid", &forks, |(run, _)| *run),
                column("origin", "uuid", &forks, |(_, new)| new.origin),
            ];
            self.section(SHARE_BLOBS, columns);
        }
    }

    fn steps(&mut self, orders: &[&'a Order]) {
        let rows: Vec<_> = orders
            .iter()
            .filter_map(|o| o.write.step.as_ref().map(|(step, row)| (*o, *step, row)))
            .collect();
        let mut columns = vec![
            column("run", "uuid", &rows, |(o, _, _)| *o.run.as_uuid()),
            column("step", "bigint", &rows, |(_, step, _)| *step),
            column("base", "boolean", &rows, |(o, _, _)| o.whole_state),
        ];
        columns.extend(row_columns(&rows, |(_, _, row)| row));
        self.insert("steps", rows.len(), columns, "");
    }

    fn snapshots(&mut self, orders: &[&'a Order]) {
        let rows: Vec<_> = orders
            .iter()
            .filter_map(|o| {
                o.write
                    .snapshot
                    .as_ref()
                    .map(|(step, row)| (*o, *step, row))
            })
            .collect();
        let mut columns = vec![
            column("run", "uuid", &rows, |(o, _, _)| *o.run.as_uuid()),
            column("step", "bigint", &rows, |(_, step, _)| *step),
        ];
        columns.extend(row_columns(&rows, |(_, _, row)| row));
        self.insert("snapshots", rows.len(), columns, "");
    }

    fn entries(&mut self, orders: &[&'a Order]) {
        let mut rows = Vec::new();
        for order in orders {
            rows.extend(order.write.entries.iter().map(|entry| (*order, entry)));
        }
        let mut columns = vec![
            column("run", "uuid", &rows, |(o, _)| *o.run.as_uuid()),
            column("step", "bigint", &rows, |(_, entry)| entry.step),
            column("key", "bytea", &rows, |(_, entry)| entry.key.as_bytes()),
            column("part", "smallint", &rows, |(_, entry)| entry.part),
        ];
        columns.extend(row_columns(&rows, |(_, entry)| &entry.row));
        self.insert("entries", rows.len(), columns, "");
    }

    fn events(&mut self, orders: &[&'a Order]) {
        let rows: Vec<_> = orders
            .iter()
            .filter_map(|o| o.write.events.as_ref().map(|events| (*o, events)))
            .collect();
        let columns = vec![
            column("run", "uuid", &rows, |(o, _)| *o.run.as_uuid()),
            column("first", "bigint", &rows, |(_, events)| events.first),
            column("last", "bigint", &rows, |(_, events)| events.last),
            column("meta", "bytea", &rows, |(_, events)| events.meta.as_slice()),
            column("sum", "bytea", &rows, |(_, events)| events.sum.as_slice()),
        ];
        self.insert("events", rows.len(), columns, "");
    }

    fn blobs(&mut self, orders: &[&'a Order]) {
        let mut rows = Vec::new();
        for order in orders {
            rows.extend(order.write.blobs.iter().map(|blob| (*order, blob)));
        }
        // Two batches that bring the same blobs wait for each other in one order.
        rows.sort_by_key(|(_, blob)| blob.hash);
        let columns = vec![
            column("run", "uuid", &rows, |(o, _)| *o.run.as_uuid()),
            column(
                "hash",
                "bytea",
                &rows,
                |(_, blob)| &blob.hash.as_bytes()[..],
            ),
            column("bytes", "bytea", &rows, |(_, blob)| &*blob.bytes),
        ];
        self.insert("blobs", rows.len(), columns, " ON CONFLICT DO NOTHING");
        let columns = vec![
            column("run", "uuid", &rows, |(o, _)| *o.run.as_uuid()),
            column(
                "hash",
                "bytea",
                &rows,
                |(_, blob)| &blob.hash.as_bytes()[..],
            ),
        ];
        self.insert("blob_refs", rows.len(), columns, " ON CONFLICT DO NOTHING");
    }

    /// Adds `count` rows to `table`, those of refused runs left out.
    fn insert(&mut self, table: &str, count: usize, columns: Vec<Column<'a>>, twice: &str) {
        if count == 0 {
            return;
        }
        // A blob belongs to no run; its `run` column only says with whom it comes.
        let written = columns.iter().map(|column| column.name);
        let written: Vec<_> = written
            .filter(|name| table != "blobs" || *name != "run")
            .collect();
        let written = written.join(", ");
        let section = format!(
            ", {table}_added AS (INSERT INTO {table} ({written}) SELECT {written} FROM {{given}} \
             WHERE given.run IN (SELECT id FROM taken){twice})"
        );
        self.section(&section, columns);
    }

    /// Adds a part of the statement, with the rows that it calls `{given}`.
    fn section(&mut self, text: &str, columns: Vec<Column<'a>>) {
        let mut arrays = Vec::with_capacity(columns.len());
        let mut names = Vec::with_capacity(columns.len());
        for column in columns {
            self.values.push(column.values);
            arrays.push(format!("${}::{}[]", self.values.len(), column.kind));
            names.push(column.name);
        }
        let given = format!(
            "unnest({}) AS given ({})",
            arrays.join(", "),
            names.join(", ")
        );
        self.sql.push_str(&text.replace("{given}", &given));
    }
}

fn guard(order: &Order) -> Option<(i64, i64, bool)> {
    match order.kind {
        Kind::Append {
            fence,
            seen,
            release,
        } => Some((fence, seen, release)),
        Kind::Create(_) => None,
    }
}

fn new_run(order: &Order) -> Option<(Uuid, &NewRun)> {
    match &order.kind {
        Kind::Append { .. } => None,
        Kind::Create(new) => Some((*order.run.as_uuid(), new)),
    }
}

fn row_columns<'a, T>(rows: &[T], row: impl Fn(&T) -> &'a Row) -> [Column<'a>; 4] {
    [
        column("meta", "bytea", rows, |r| row(r).meta.as_slice()),
        column("body", "bytea", rows, |r| row(r).body.inline()),
        column("blob", "bytea", rows, |r| row(r).body.apart()),
        column("sum", "bytea", rows, |r| row(r).sum.as_slice()),
    ]
}
