//! Groups in a SQLite database.
//!
//! A write is acknowledged when it is on the disk (write-ahead log, synchronous); writers of other processes
//! wait for each other. The database knows the version of its schema, and older ones are brought up to date
//! when it is opened.

use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, params};
use serde_json::Value as Json;
use uuid::Uuid;

use super::group::{Completeness, Group};
use super::store::{Change, CheckIn, Commit, Snapshot, Store, StoreError};
use bunraku_syntax::diagnostic::bug::locked;

/// The time that a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);

/// The migrations from each version of the schema to the next. Entries are only appended.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE revision (number INTEGER NOT NULL);
    INSERT INTO revision VALUES (0);
    CREATE TABLE groups (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL);
    CREATE TABLE environments (name TEXT PRIMARY KEY);
    CREATE TABLE check_ins (node TEXT NOT NULL, time TEXT NOT NULL, explanation TEXT NOT NULL, transaction_uuid TEXT);
    CREATE INDEX check_ins_by_node ON check_ins (node);
"];

/// Keeps groups in a SQLite database.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens an existing database. A misspelt path is an error, not an empty database.
    ///
    /// # Errors
    /// The file does not exist or cannot be opened, contains no groups, or was made by a newer version of
    /// this library.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Unavailable("there is no such database".to_owned()));
        }
        Self::with(path, OpenFlags::empty())
    }

    /// Opens a database, and makes it when it is not there.
    ///
    /// # Errors
    /// The file cannot be opened or made, is a database of something else, or was made by a newer version of
    /// this library.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        Self::with(path, OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn with(path: &Path, create: OpenFlags) -> Result<Self, StoreError> {
        // Without SQLITE_OPEN_URI: a path is a path, whatever it begins with.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        assert_own(&connection, !create.is_empty())?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version: usize = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let Some(pending) = MIGRATIONS.get(version..) else {
            let message =
                format!("it has version {version} of the schema, {} is the newest known", MIGRATIONS.len());
            return Err(StoreError::Unavailable(message));
        };
        pending.iter().try_for_each(|migration| transaction.execute_batch(migration))?;
        transaction.pragma_update(None, "user_version", MIGRATIONS.len())?;
        transaction.commit()?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    /// A transaction that a panic has ended was rolled back.
    fn locked(&self) -> MutexGuard<'_, Connection> {
        locked(&self.connection)
    }
}

/// Refuses databases of something else before anything is written to them, and empty ones unless they may be
/// filled.
fn assert_own(connection: &Connection, may_be_empty: bool) -> Result<(), StoreError> {
    let count = |query: &str| connection.query_row(query, [], |row| row.get::<_, usize>(0));
    let tables = count("SELECT count(*) FROM sqlite_master WHERE type = 'table'")?;
    let own =
        count("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('groups', 'revision')")?;
    match (tables, own) {
        (0, _) if may_be_empty => Ok(()),
        (_, 2) => Ok(()),
        _ => Err(StoreError::Unavailable("it is no database of a node classifier".to_owned())),
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}

fn revision(connection: &Connection) -> Result<u64, StoreError> {
    Ok(connection.query_row("SELECT number FROM revision", [], |row| row.get(0))?)
}

fn group_of(text: &str) -> Result<Group, StoreError> {
    let corrupt = |retrieved: Json, error: String| StoreError::Corrupt { retrieved, error };
    let json: Json = serde_json::from_str(text).map_err(|error| corrupt(text.into(), error.to_string()))?;
    Group::from_json(&json, None, true, Completeness::Kept)
        .map_err(|violations| corrupt(json, Json::Object(violations).to_string()))
}

fn put(transaction: &Transaction<'_>, group: &Group) -> Result<(), StoreError> {
    transaction.execute(
        "INSERT INTO groups (id, document) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET document = ?2",
        params![group.id.to_string(), group.to_json().to_string()],
    )?;
    Ok(())
}

fn make(transaction: &Transaction<'_>, change: &Change) -> Result<(), StoreError> {
    match change {
        Change::Put(group) => put(transaction, group)?,
        Change::Delete(id) => {
            transaction.execute("DELETE FROM groups WHERE id = ?1", [Uuid::to_string(id)])?;
        }
        Change::Replace(groups) => {
            transaction.execute("DELETE FROM groups", [])?;
            groups.iter().try_for_each(|group| put(transaction, group))?;
        }
        Change::Environment(name) => {
            transaction.execute("INSERT OR IGNORE INTO environments VALUES (?1)", [name])?;
        }
    }
    Ok(())
}

impl Store for SqliteStore {
    fn revision(&self) -> Result<u64, StoreError> {
        revision(&self.locked())
    }

    fn load(&self) -> Result<Snapshot, StoreError> {
        let mut connection = self.locked();
        let transaction = connection.transaction()?;
        let texts = |query: &str| -> Result<Vec<String>, StoreError> {
            let mut statement = transaction.prepare(query)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        let documents = texts("SELECT document FROM groups ORDER BY position")?;
        Ok(Snapshot {
            revision: revision(&transaction)?,
            groups: documents.iter().map(|text| group_of(text)).collect::<Result<_, _>>()?,
            environments: texts("SELECT name FROM environments ORDER BY name")?,
        })
    }

    fn commit(&self, base: u64, changes: &[Change]) -> Result<Commit, StoreError> {
        let mut connection = self.locked();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if revision(&transaction)? != base {
            return Ok(Commit::Stale);
        }
        changes.iter().try_for_each(|change| make(&transaction, change))?;
        transaction.execute("UPDATE revision SET number = number + 1", [])?;
        transaction.commit()?;
        Ok(Commit::Done(base + 1))
    }

    fn check_in(&self, node: &str, check_in: &CheckIn) -> Result<(), StoreError> {
        self.locked().execute(
            "INSERT INTO check_ins VALUES (?1, ?2, ?3, ?4)",
            params![node, check_in.time, check_in.explanation.to_string(), check_in.transaction_uuid],
        )?;
        Ok(())
    }

    fn check_ins(
        &self,
        node: Option<&str>,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<(String, Vec<CheckIn>)>, StoreError> {
        let connection = self.locked();
        // SQLite takes a negative limit for none.
        let limit = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(-1);
        let mut nodes = connection.prepare(
            "SELECT DISTINCT node FROM check_ins WHERE ?1 IS NULL OR node = ?1 ORDER BY node LIMIT ?2 OFFSET ?3",
        )?;
        let names = nodes.query_map(params![node, limit, offset], |row| row.get::<_, String>(0))?;
        let mut check_ins = connection.prepare(
            "SELECT time, explanation, transaction_uuid FROM check_ins WHERE node = ?1 ORDER BY rowid",
        )?;
        let mut found = Vec::new();
        for name in names {
            let name = name?;
            let rows = check_ins.query_map([&name], |row| {
                let explanation: String = row.get(1)?;
                Ok(CheckIn {
                    time: row.get(0)?,
                    explanation: serde_json::from_str(&explanation).unwrap_or_default(),
                    transaction_uuid: row.get::<_, Option<String>>(2).optional()?.flatten(),
                })
            })?;
            let rows = rows.collect::<Result<_, _>>()?;
            found.push((name, rows));
        }
        Ok(found)
    }
}
