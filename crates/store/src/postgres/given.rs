//! Rows on their way into a statement, as a table that the statement can read from.
//!
//! Many rows travel as columns, one array each, so that one text serves any number of them. A single
//! row travels as plain values: unfolding arrays would double what a lone append costs the server.

use tokio_postgres::types::ToSql;

use crate::row::Row;

pub(super) type Value<'a> = Box<dyn ToSql + Sync + Send + 'a>;

pub(super) struct Given<'a, 'r, T> {
    rows: &'r [T],
    pub(super) names: Vec<&'static str>,
    kinds: Vec<&'static str>,
    values: Vec<Value<'a>>,
}

impl<'a, 'r, T> Given<'a, 'r, T> {
    pub(super) fn of(rows: &'r [T]) -> Self {
        Self {
            rows,
            names: Vec::new(),
            kinds: Vec::new(),
            values: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn is_single(&self) -> bool {
        self.rows.len() == 1
    }

    /// Adds a column of that name and type.
    pub(super) fn with<V>(
        mut self,
        name: &'static str,
        kind: &'static str,
        value: impl Fn(&T) -> V,
    ) -> Self
    where
        V: ToSql + Sync + Send + 'a,
    {
        self.names.push(name);
        self.kinds.push(kind);
        self.values.push(match self.rows {
            [only] => Box::new(value(only)),
            rows => Box::new(rows.iter().map(value).collect::<Vec<V>>()),
        });
        self
    }

    /// Adds the columns of a record.
    pub(super) fn with_record(self, row: impl Fn(&T) -> &'a Row) -> Self {
        self.with("meta", "bytea", |r| row(r).meta.as_slice())
            .with("body", "bytea", |r| row(r).body.inline())
            .with("blob", "bytea", |r| row(r).body.apart())
            .with("sum", "bytea", |r| row(r).sum.as_slice())
    }

    /// The table's text, called `given`, and its values, the first of which is number `first`.
    pub(super) fn table(self, first: usize) -> (String, Vec<Value<'a>>) {
        let array = if self.is_single() { "" } else { "[]" };
        let numbered = (first..).zip(&self.kinds);
        let values: Vec<String> = numbered
            .map(|(number, kind)| format!("${number}::{kind}{array}"))
            .collect();
        let (values, names) = (values.join(", "), self.names.join(", "));
        let table = match self.is_single() {
            true => format!("(VALUES ({values})) AS given ({names})"),
            false => format!("unnest({values}) AS given ({names})"),
        };
        (table, self.values)
    }
}
