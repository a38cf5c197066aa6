//! Harm done to rows: a value changed, a row deleted. One list of harms for both databases, which
//! differ in how a changed value is written.

use anyhow::{Context as _, Result};
use fathom_workflow::RunId;
use rand::Rng;
use rand::rngs::SmallRng;

use super::database::SpecimenDatabase;

/// One kind of harm to one table.
#[derive(Clone, Debug)]
pub(super) struct RowHarm {
    table: String,
    /// The column to change, and its type; without one a row is deleted.
    column: Option<(String, String)>,
    /// The columns that tell a row from all others.
    place: String,
}

/// A row deleted in every table, and a value changed in every column.
pub(super) async fn every_harm(database: &SpecimenDatabase) -> Result<Vec<RowHarm>> {
    let mut harms: Vec<RowHarm> = Vec::new();
    for row in database.query(database.columns_sql()).await? {
        let [table, column, place, kind] = row.try_into().ok().context("a row of four")?;
        let harm = |column| RowHarm {
            table: table.clone(),
            column,
            place: place.clone(),
        };
        if harms.last().is_none_or(|last| last.table != table) {
            harms.push(harm(None));
        }
        harms.push(harm(Some((column, kind))));
    }
    Ok(harms)
}

impl RowHarm {
    /// Does it to a row drawn by chance, and says whose it was. A column that is empty in every row
    /// is left, and so is what nobody refers to any more since the harm before this one.
    pub(super) async fn harm(
        &self,
        database: &SpecimenDatabase,
        rng: &mut SmallRng,
    ) -> Result<Option<RunId>> {
        let (table, place) = (&self.table, &self.place);
        let filled = match &self.column {
            Some((column, _)) => format!("{column} IS NOT NULL"),
            None => "true".into(),
        };
        let rows = format!("FROM {table} WHERE {filled}");
        let count = database.value(format!("SELECT count(*) {rows}")).await?;
        let count: u64 = count.parse()?;
        if count == 0 {
            return Ok(None);
        }
        let (nth, draw) = (rng.random_range(0..count), rng.random_range(0..1 << 20));
        let one = format!("{rows} ORDER BY {place} LIMIT 1 OFFSET {nth}");
        let owner = match table.as_str() {
            "runs" => "id",
            "blobs" => "(SELECT run FROM blob_refs WHERE blob_refs.hash = blobs.hash LIMIT 1)",
            _ => "run",
        };
        let owner = database.value(format!("SELECT {owner} {one}")).await?;
        if owner.is_empty() {
            return Ok(None);
        }
        let act = match &self.column {
            None => format!("DELETE FROM {table}"),
            Some((column, kind)) => {
                let changed = if database.is_server() {
                    changed_in_postgres(column, kind, draw)
                } else {
                    changed_in_sqlite(column, kind, draw)
                };
                format!("UPDATE {table} SET {column} = {changed}")
            }
        };
        let this = format!("WHERE ({place}) = (SELECT {place} {one})");
        database.query(format!("{act} {this}")).await?;
        Ok(Some(owner.parse()?))
    }
}

/// An expression for the value with one byte, letter or bit changed.
fn changed_in_sqlite(column: &str, kind: &str, draw: u32) -> String {
    // A key's bit is one that no other key has set.
    let bit = 1 << if kind == "key" { 20 } else { draw % 20 };
    let at = format!("{draw} % max(length({column}), 1)");
    let replaced = |old: &str, new: &str| {
        format!(
            "substr({column}, 1, {at}) || CASE substr({column}, 1 + {at}, 1) WHEN {old} THEN {new} \
             ELSE {old} END || substr({column}, 2 + {at})"
        )
    };
    let (bytes, text) = (replaced("x'07'", "x'08'"), replaced("'x'", "'y'"));
    format!(
        "CASE typeof({column}) WHEN 'blob' THEN CAST({bytes} AS BLOB) WHEN 'text' THEN {text} \
         ELSE ({column} | {bit}) - ({column} & {bit}) END"
    )
}

/// An expression for the value with one byte, letter or bit changed.
fn changed_in_postgres(column: &str, kind: &str, draw: u32) -> String {
    match kind {
        "bytea" => format!(
            "CASE length({column}) WHEN 0 THEN '\\x07'::bytea ELSE set_byte({column}, \
             {draw} % length({column}), get_byte({column}, {draw} % length({column})) # {}) END",
            1 + draw % 255
        ),
        "text" => format!(
            "overlay({column} PLACING CASE substr({column}, 1 + {draw} % length({column}), 1) \
             WHEN 'x' THEN 'y' ELSE 'x' END FROM 1 + {draw} % length({column}) FOR 1)"
        ),
        "uuid" => format!(
            "overlay({column}::text PLACING translate(right({column}::text, 1), \
             '0123456789abcdef', '123456789abcdef0') FROM 36 FOR 1)::uuid"
        ),
        "boolean" => format!("NOT {column}"),
        "timestamp with time zone" => format!("{column} + interval '1 year'"),
        // Keys get a bit that no other key has set.
        "smallint" => format!("({column} # 4)::smallint"),
        _ if matches!(column, "step" | "first") => format!("{column} # {}", 1 << 20),
        _ => format!("{column} # {}", 1 << (draw % 12)),
    }
}
