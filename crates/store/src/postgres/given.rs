//! Rows on their way into a statement, as a table that the statement can read from.
//!
//! Many rows travel as columns, one array each, so that one text serves any number of them. A single
//! row travels as plain values: unfolding arrays would double what a lone append costs the server.

use tokio_postgres::types::ToSql;

use crate::row::Row;

pub(super) type Value<'a> = Box<dyn ToSql + Sync + Send + 'a>;

pub(super) struct Given<'a, 'r, T> {
    rows: &'r [T],
    names: Vec<&'static str>,
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

    fn is_single(&self) -> bool {
        self.rows.len() == 1
    }

    /// How many rows there are, as far as a statement's text depends on it: none, one, or many.
    pub(super) fn count(&self) -> u32 {
        match self.rows {
            [] => 0,
            [_] => 1,
            [_, _, ..] => 2,
        }
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
        self.values.push(match self.rows {
            [] => return self,
            [only] => Box::new(value(only)),
            rows => Box::new(rows.iter().map(value).collect::<Vec<V>>()),
        });
        self.names.push(name);
        self.kinds.push(kind);
        self
    }

    /// Adds the columns of a record.
    pub(super) fn with_record(self, row: impl Fn(&T) -> &'a Row) -> Self {
        self.with("meta", "bytea", |r| row(r).meta.as_slice())
            .with("body", "bytea", |r| row(r).body.inline())
            .with("blob", "bytea", |r| row(r).body.apart())
            .with("sum", "bytea", |r| row(r).sum.as_slice())
    }

    /// What the statement says of these rows, and their values, the first of which is number `first`.
    pub(super) fn apart(self, first: usize) -> (Table, Vec<Value<'a>>) {
        let table = Table {
            is_single: self.is_single(),
            first,
            names: self.names,
            kinds: self.kinds,
        };
        (table, self.values)
    }
}

/// Given rows as a statement names them, without their values.
pub(super) struct Table {
    pub(super) is_single: bool,
    first: usize,
    pub(super) names: Vec<&'static str>,
    kinds: Vec<&'static str>,
}

impl Table {
    /// The table's text. It is called `given`.
    pub(super) fn sql(&self) -> String {
        let array = if self.is_single { "" } else { "[]" };
        let numbered = (self.first..).zip(&self.kinds);
        let values: Vec<String> = numbered
            .map(|(number, kind)| format!("${number}::{kind}{array}"))
            .collect();
        let (values, names) = (values.join(", "), self.names.join(", "));
        match self.is_single {
            true => format!("(VALUES ({values})) AS given ({names})"),
            false => format!("unnest({values}) AS given ({names})"),
        }
    }
}
