//! Harm done to the rows of a SQLite file: a value changed, a row deleted.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, Result};
use fathom_workflow::RunId;
use rand::Rng;
use rand::rngs::SmallRng;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use uuid::Uuid;

use super::judge::Harmed;

/// One kind of harm to one table.
#[derive(Clone, Debug)]
pub(super) struct RowChange {
    pub(super) table: String,
    /// The column to change; without one a row is deleted.
    pub(super) column: Option<String>,
}

impl fmt::Display for RowChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "{}.{column} changed", self.table),
            None => write!(f, "a row of {} deleted", self.table),
        }
    }
}

/// Every change that can be made to the tables.
pub(super) fn changes(path: &Path) -> Result<Vec<RowChange>> {
    let connection = Connection::open(path)?;
    let mut statement = connection.prepare(
        "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
          WHERE m.type = 'table' ORDER BY 1, c.cid",
    )?;
    let mut rows = statement.query([])?;
    let mut changes: Vec<RowChange> = Vec::new();
    while let Some(row) = rows.next()? {
        let (table, column): (String, String) = (row.get(0)?, row.get(1)?);
        if changes.last().is_none_or(|last| last.table != table) {
            changes.push(RowChange {
                table: table.clone(),
                column: None,
            });
        }
        changes.push(RowChange {
            table,
            column: Some(column),
        });
    }
    Ok(changes)
}

/// Makes a change to some row, and says whose it was. `None` if no row has that column filled.
pub(super) fn apply(path: &Path, change: &RowChange, rng: &mut SmallRng) -> Result<Option<Harmed>> {
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")?;
    let RowChange { table, column } = change;
    let keys: Vec<String> = connection
        .prepare("SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")?
        .query_map([table], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let wanted = column.as_ref().unwrap_or(&keys[0]);
    let filled = format!("FROM {table} WHERE {wanted} IS NOT NULL");
    let count: u32 =
        connection.query_row(&format!("SELECT count(*) {filled}"), [], |row| row.get(0))?;
    if count == 0 {
        return Ok(None);
    }
    let nth = rng.random_range(0..count);
    let columns = format!("{wanted}, {}", keys.join(", "));
    let row: Vec<Value> = connection.query_row(
        &format!("SELECT {columns} {filled} LIMIT 1 OFFSET {nth}"),
        [],
        |row| (0..=keys.len()).map(|at| row.get(at)).collect(),
    )?;
    let (value, key) = row.split_first().context("a row has a value")?;
    let harmed = owner(&connection, table, key)?;

    let place: Vec<String> = (1..)
        .zip(&keys)
        .map(|(at, key)| format!("{key} = ?{at}"))
        .collect();
    let place = place.join(" AND ");
    let mut given = key.to_vec();
    let sql = match column {
        None => format!("DELETE FROM {table} WHERE {place}"),
        Some(column) => {
            given.push(changed(value, keys.contains(column), rng));
            format!(
                "UPDATE {table} SET {column} = ?{} WHERE {place}",
                given.len()
            )
        }
    };
    connection.execute(&sql, params_from_iter(given))?;
    Ok(Some(harmed))
}

/// The run that the row with this key belongs to.
fn owner(connection: &Connection, table: &str, key: &[Value]) -> Result<Harmed> {
    let id = match table {
        "blobs" => connection.query_row(
            "SELECT run FROM blob_refs WHERE hash = ?1",
            [&key[0]],
            |row| row.get(0),
        )?,
        _ => key[0].clone(),
    };
    let Value::Blob(id) = id else {
        anyhow::bail!("{table} has no run's id in its key");
    };
    Ok(Harmed::Run(RunId::from_uuid(Uuid::from_slice(&id)?)))
}

/// The value with one byte, letter or bit changed. A key's bit is one that no other key has set.
fn changed(value: &Value, is_key: bool, rng: &mut SmallRng) -> Value {
    match value {
        Value::Blob(bytes) if !bytes.is_empty() => {
            let mut bytes = bytes.clone();
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= rng.random_range(1..=255_u8);
            Value::Blob(bytes)
        }
        Value::Text(text) if !text.is_empty() => {
            let mut letters: Vec<char> = text.chars().collect();
            let at = rng.random_range(0..letters.len());
            letters[at] = if letters[at] == 'x' { 'y' } else { 'x' };
            Value::Text(letters.into_iter().collect())
        }
        Value::Integer(number) if is_key => Value::Integer(number ^ (1 << 20)),
        Value::Integer(number) if rng.random_bool(0.5) => Value::Integer(number ^ 1),
        Value::Integer(number) => Value::Integer(number ^ (1 << rng.random_range(0..20))),
        Value::Blob(_) | Value::Text(_) | Value::Real(_) | Value::Null => Value::Integer(7),
    }
}
