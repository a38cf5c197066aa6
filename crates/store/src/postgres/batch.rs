//! A batch: many orders as one statement, and so as one round trip and one commit.
//!
//! The statement first moves the runs' headers, each under its guard, and then adds the rows of
//! those runs whose header moved. A refused order is thus no error, and does not hurt its batch.
//! Its text depends only on which tables get none, one or many rows, and is made once for each such
//! [`Shape`]: to put it together takes longer than all else that a client does for a lone append.

use std::collections::HashSet;

use fathom_workflow::record::Blob;

use super::given::{Given, Table, Value};
use super::order::{Kind, NewRun, Order};

/// Made of orders that are all appends or all creations, of different runs, sorted by run: two
/// batches, and whoever else locks runs in that order, can't wait for each other.
pub(super) struct Batch<'a> {
    pub(super) shape: Shape,
    sections: Vec<Section>,
    pub(super) values: Vec<Value<'a>>,
}

/// For each part that a statement can have, how many rows it brings: a digit of base three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shape(u32);

/// A part of the statement.
struct Section {
    what: What,
    given: Table,
}

enum What {
    /// Says what to do with the rows that it calls `{given}`.
    Says(&'static str),
    /// Adds the rows to a table, those of refused runs left out.
    Adds {
        table: &'static str,
        twice: &'static str,
    },
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

const TAKEN: &str = " SELECT id, fence, rev, cancel FROM taken";

impl<'a> Batch<'a> {
    /// The bytes of blobs that are `known` are left out.
    pub(super) fn of(orders: &[&'a Order], known: &HashSet<Vec<u8>>) -> Self {
        let mut batch = Self {
            shape: Shape::default(),
            sections: Vec::new(),
            values: Vec::new(),
        };
        batch.headers(orders);
        batch.steps(orders);
        batch.snapshots(orders);
        batch.entries(orders);
        batch.events(orders);
        batch.blobs(orders, known);
        batch
    }

    pub(super) fn sql(&self) -> String {
        let mut sql: String = self.sections.iter().map(Section::sql).collect();
        sql.push_str(TAKEN);
        sql
    }

    fn headers(&mut self, orders: &[&'a Order]) {
        let (mut moved, mut made) = (Vec::new(), Vec::new());
        for order in orders {
            match &order.kind {
                Kind::Append(guard) => moved.push((*order, guard)),
                Kind::Create(new) => made.push((*order, &**new)),
            }
        }
        let given = with_header(Given::of(&moved), |(o, _)| o)
            .with("fence", "bigint", |(_, guard)| guard.fence)
            .with("seen", "bigint", |(_, guard)| guard.seen)
            .with("release", "boolean", |(_, guard)| guard.release);
        self.section(What::Says(MOVE_HEADERS), given);
        self.new_headers(&made);
    }

    fn new_headers(&mut self, made: &[(&'a Order, &'a NewRun)]) {
        let given = with_header(Given::of(made), |(o, _)| o)
            .with("about", "bytea", |(_, new)| new.about.as_slice())
            .with("about_sum", "bytea", |(_, new)| new.about_sum.as_slice())
            .with("created_at", "bigint", |(_, new)| new.created_at)
            .with("workflow", "text", |(_, new)| new.workflow.as_str())
            .with("title", "text", |(_, new)| new.title.as_str())
            .with("keep", "text", |(_, new)| new.keep)
            .with("owner", "text", |(_, new)| new.owner.as_str());
        self.section(What::Says(MAKE_HEADERS), given);
        let forks = made.iter().filter(|(_, new)| new.origin.is_some());
        let forks: Vec<_> = forks.collect();
        let given = Given::of(&forks)
            .with("run", "uuid", |(o, _)| *o.run.as_uuid())
            .with("origin", "uuid", |(_, new)| new.origin);
        self.section(What::Says(SHARE_BLOBS), given);
    }

    fn steps(&mut self, orders: &[&'a Order]) {
        let recorded = |order: &&'a Order| Some((*order, order.write.step.as_ref()?));
        let rows: Vec<_> = orders.iter().filter_map(recorded).collect();
        let given = Given::of(&rows)
            .with("run", "uuid", |(o, _)| *o.run.as_uuid())
            .with("step", "bigint", |(_, (step, _))| *step)
            .with("base", "boolean", |(o, _)| o.whole_state)
            .with_record(|(_, (_, row))| row);
        self.insert("steps", given, "");
    }

    fn snapshots(&mut self, orders: &[&'a Order]) {
        let taken = |order: &&'a Order| Some((*order, order.write.snapshot.as_ref()?));
        let rows: Vec<_> = orders.iter().filter_map(taken).collect();
        let given = Given::of(&rows)
            .with("run", "uuid", |(o, _)| *o.run.as_uuid())
            .with("step", "bigint", |(_, (step, _))| *step)
            .with_record(|(_, (_, row))| row);
        self.insert("snapshots", given, "");
    }

    fn entries(&mut self, orders: &[&'a Order]) {
        let mut rows = Vec::new();
        for order in orders {
            rows.extend(order.write.entries.iter().map(|entry| (*order, entry)));
        }
        let given = Given::of(&rows)
            .with("run", "uuid", |(o, _)| *o.run.as_uuid())
            .with("step", "bigint", |(_, entry)| entry.step)
            .with("key", "bytea", |(_, entry)| entry.key.as_bytes())
            .with("part", "smallint", |(_, entry)| entry.part)
            .with_record(|(_, entry)| &entry.row);
        self.insert("entries", given, "");
    }

    fn events(&mut self, orders: &[&'a Order]) {
        let brought = |order: &&'a Order| Some((*order, order.write.events.as_ref()?));
        let rows: Vec<_> = orders.iter().filter_map(brought).collect();
        let given = Given::of(&rows)
            .with("run", "uuid", |(o, _)| *o.run.as_uuid())
            .with("first", "bigint", |(_, events)| events.first)
            .with("last", "bigint", |(_, events)| events.last)
            .with("meta", "bytea", |(_, events)| events.meta.as_slice())
            .with("sum", "bytea", |(_, events)| events.sum.as_slice());
        self.insert("events", given, "");
    }

    fn blobs(&mut self, orders: &[&'a Order], known: &HashSet<Vec<u8>>) {
        let mut rows = Vec::new();
        for order in orders {
            rows.extend(order.write.blobs.iter().map(|blob| (*order, blob)));
        }
        // Two batches that bring the same blobs wait for each other in one order.
        rows.sort_by_key(|(_, blob)| blob.hash);
        let unknown = |(_, blob): &&(_, &Blob)| !known.contains(&blob.hash.as_bytes()[..]);
        let new: Vec<_> = rows.iter().filter(unknown).collect();
        let given = Given::of(&new)
            .with("run", "uuid", |(o, _)| *o.run.as_uuid())
            .with("hash", "bytea", |(_, blob)| &blob.hash.as_bytes()[..])
            .with("bytes", "bytea", |(_, blob)| &*blob.bytes);
        self.insert("blobs", given, " ON CONFLICT DO NOTHING");
        let given = Given::of(&rows)
            .with("run", "uuid", |(o, _)| *o.run.as_uuid())
            .with("hash", "bytea", |(_, blob)| &blob.hash.as_bytes()[..]);
        self.insert("blob_refs", given, " ON CONFLICT DO NOTHING");
    }

    fn insert<T>(&mut self, table: &'static str, given: Given<'a, '_, T>, twice: &'static str) {
        self.section(What::Adds { table, twice }, given);
    }

    /// Adds a part, if there are rows for it.
    fn section<T>(&mut self, what: What, given: Given<'a, '_, T>) {
        self.shape = Shape(self.shape.0 * 3 + given.count());
        if given.count() == 0 {
            return;
        }
        let (given, values) = given.apart(self.values.len() + 1);
        self.sections.push(Section { what, given });
        self.values.extend(values);
    }
}

impl Section {
    fn sql(&self) -> String {
        let given = self.given.sql();
        let (table, twice) = match self.what {
            What::Says(text) => return text.replace("{given}", &given),
            What::Adds { table, twice } => (table, twice),
        };
        // A blob belongs to no run; its `run` column only says with whom it comes.
        let names = self.given.names.iter().copied();
        let names: Vec<_> = names
            .filter(|name| table != "blobs" || *name != "run")
            .collect();
        let names = names.join(", ");
        // For one row a plain join is set up in less time than the look into a list; of many the order must be kept.
        let guard = match self.given.is_single {
            true => "JOIN taken ON taken.id = given.run",
            false => "WHERE given.run IN (SELECT id FROM taken)",
        };
        format!(
            ", {table}_added AS (INSERT INTO {table} ({names}) SELECT {names} FROM {given} \
             {guard}{twice})"
        )
    }
}

/// Adds what every header holds.
fn with_header<'a, 'r, T>(
    given: Given<'a, 'r, T>,
    order: impl Fn(&T) -> &'a Order,
) -> Given<'a, 'r, T> {
    given
        .with("run", "uuid", |r| *order(r).run.as_uuid())
        .with("rev", "bigint", |r| order(r).rev)
        .with("nonce", "bigint", |r| order(r).nonce)
        .with("lease_us", "bigint", |r| order(r).lease_us)
        .with("head", "bytea", |r| order(r).write.head.meta.as_slice())
        .with("head_sum", "bytea", |r| order(r).write.head.sum.as_slice())
        .with("status", "text", |r| order(r).write.head.status.as_str())
        .with("ended", "boolean", |r| order(r).write.head.ended)
        .with("updated_at", "bigint", |r| order(r).write.head.updated_at)
        .with("wake_at", "bigint", |r| order(r).write.head.wake_at)
}
