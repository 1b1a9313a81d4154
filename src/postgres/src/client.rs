//! Statements on connections of a pool, on a thread of their own.

use std::fmt::Write;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Timeouts,
};
use quire_storage::held::Held;
use quire_storage::worker::Worker;
use quire_storage::{Error, shown_address};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::tls;

/// Most connections at once.
const CONNECTIONS: usize = 8;
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Time for a statement and its answer.
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// The same of objects. One of 64 MB at 2 MB/s fits.
const OBJECT_TIME: Duration = Duration::from_secs(60);
/// Time after which a peer that does not acknowledge is taken for gone.
const SILENCE: Duration = Duration::from_secs(20);
/// Time for the attempts of a statement whose connection was lost, and the pauses between them.
const RETRY_TIME: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// Lock of whoever makes the tables: an arbitrary number, the same for every process.
const TABLES_LOCK: i64 = 0x7175_6972_6501;

/// Parameters of a statement.
pub(crate) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Statements in one database. Clones are the same.
#[derive(Clone)]
pub(crate) struct Client {
    pool: Pool,
    pub(crate) config: Arc<Config>,
    pub(crate) connector: MakeRustlsConnect,
    /// Address without a password, for messages.
    pub(crate) place: Arc<str>,
    pub(crate) worker: Worker,
    pub(crate) held: Held,
}

/// A connection that waits for an answer. If nobody waits for that any more, nobody else gets the
/// connection: the next statement would wait behind it.
struct Asking(Option<Object>);

impl Asking {
    /// Gives the connection back to the pool.
    fn give_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(Object::take(connection));
        }
    }
}

/// Why a statement was not answered.
enum Failure {
    Database(tokio_postgres::Error),
    /// No connection was free.
    Busy,
    /// There was no answer in time.
    Late,
}

impl Failure {
    fn is_of(&self, state: &SqlState) -> bool {
        matches!(self, Self::Database(error) if error.code() == Some(state))
    }

    /// Returns true if another attempt may succeed.
    fn is_passing(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        let Some(state) = error.code() else {
            // Of the connection, not of the statement.
            return tls::rejection(error).is_none() && is_of_network(error);
        };
        [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::CONNECTION_EXCEPTION,
            SqlState::CONNECTION_FAILURE,
            SqlState::CONNECTION_DOES_NOT_EXIST,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
        ]
        .contains(state)
    }
}

fn is_reading(action: &str) -> bool {
    matches!(action, "read" | "list")
}

fn is_of_network(error: &tokio_postgres::Error) -> bool {
    let source = std::error::Error::source(error);
    error.is_closed() || source.is_some_and(|source| source.is::<io::Error>())
}

impl Client {
    /// Connections to `url`, with `variable` in place of the environment.
    pub(crate) fn open(
        url: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> anyhow::Result<Self> {
        let place: Arc<str> = shown_address(url).into();
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
            // The error itself may repeat a password.
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            anyhow::anyhow!(
                "`{place}` is not `postgres://USER@HOST:PORT/DATABASE`: {}",
                cause.unwrap_or_else(|| "the address cannot be read".to_owned())
            )
        })?;
        if config.get_password().is_none()
            && let Some(password) = variable("PGPASSWORD")
        {
            config.password(password);
        }
        config
            .connect_timeout(CONNECT_TIME)
            .tcp_user_timeout(SILENCE)
            .keepalives_idle(SILENCE);
        if config.get_application_name().is_none() {
            config.application_name("quire");
        }
        let hosts = config.get_hosts();
        let is_socket = |host: &Host| matches!(host, Host::Unix(_));
        let is_local = !hosts.is_empty() && hosts.iter().all(is_socket);
        if is_local && config.get_hostaddrs().is_empty() {
            // The server offers no TLS there.
            config.ssl_mode(SslMode::Disable);
        }
        let connector = tls::connector(variable("PGSSLROOTCERT").as_deref())?;
        let settings = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(config.clone(), connector.clone(), settings);
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(OBJECT_TIME),
                create: Some(CONNECT_TIME * 2),
                recycle: Some(CONNECT_TIME),
            })
            .build()
            .context("prepare connections to the database")?;
        let worker = Worker::start("quire-postgres", "the database");
        Ok(Self {
            pool,
            config: Arc::new(config),
            connector,
            place,
            worker: worker.context("start the thread of the database")?,
            held: Held::default(),
        })
    }

    /// Runs `sql` with `parameters`, again while the connection is lost or the database restarts: it
    /// must have the effect of once. `action` and `what` are for messages.
    pub(crate) async fn query(
        &self,
        (action, what): (&'static str, &str),
        sql: &str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, Error> {
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            match self.query_once(sql, parameters).await {
                Ok(rows) => return Ok(rows),
                // Before a daemon has made the tables, nothing is in them.
                Err(failure) if failure.is_of(&SqlState::UNDEFINED_TABLE) && is_reading(action) => {
                    return Ok(Vec::new());
                }
                Err(failure) if failure.is_passing() && begun.elapsed() < RETRY_TIME => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LAST_PAUSE);
                }
                Err(failure) => return Err(self.error(action, what, &failure)),
            }
        }
    }

    async fn connection(&self) -> Result<Object, Failure> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => Failure::Database(error),
            PoolError::Timeout(deadpool_postgres::TimeoutType::Wait) => Failure::Busy,
            _ => Failure::Late,
        })
    }

    async fn query_once(&self, sql: &str, parameters: Parameters<'_>) -> Result<Vec<Row>, Failure> {
        let time = match sql.contains("quire_objects") {
            true => OBJECT_TIME,
            false => REQUEST_TIME,
        };
        let connection = Asking(Some(self.connection().await?));
        let answer = async {
            let asked = connection.0.as_ref().ok_or(Failure::Busy)?;
            let asked = async {
                let statement = asked.prepare_cached(sql).await?;
                asked.query(&statement, parameters).await
            };
            asked.await.map_err(Failure::Database)
        };
        let answer = tokio::time::timeout(time, answer).await;
        let rows = answer.map_err(|_| Failure::Late)??;
        connection.give_back();
        Ok(rows)
    }

    /// Version of the tables; `None` if there are none.
    pub(crate) async fn version(&self) -> Result<Option<i32>, Error> {
        let what = ("read", "the version of the tables");
        let sql = "select to_regclass('quire_schema') is not null";
        let found = self.query(what, sql, &[]).await?;
        if !found.first().is_some_and(|row| row.get(0)) {
            return Ok(None);
        }
        let rows = self
            .query(what, "select version from quire_schema", &[])
            .await?;
        Ok(rows.first().map(|row| row.get(0)))
    }

    /// What the clock of the database shows.
    pub(crate) async fn now(&self) -> Result<SystemTime, Error> {
        let what = ("read", "the clock of the database");
        let rows = self.query(what, "select clock_timestamp()", &[]).await?;
        Ok(rows.first().map_or_else(SystemTime::now, |row| row.get(0)))
    }

    /// Makes the tables unless they are there; returns their version.
    pub(crate) async fn make_tables(&self) -> Result<i32, Error> {
        let failed = |error| self.error("make", "the tables", &error);
        // Waits for a database that starts.
        if let Some(version) = self.version().await? {
            return Ok(version);
        }
        let mut connection = self.connection().await.map_err(failed)?;
        let making = async {
            let transaction = connection.transaction().await?;
            let lock = "select pg_advisory_xact_lock($1)";
            transaction.query(lock, &[&TABLES_LOCK]).await?;
            // Another process may have made them meanwhile.
            let exists = "select to_regclass('quire_schema') is not null";
            if !transaction.query_one(exists, &[]).await?.get::<_, bool>(0) {
                let tables = include_str!("schema.sql");
                transaction.batch_execute(tables).await?;
            }
            let version = "select version from quire_schema";
            let version = transaction.query_one(version, &[]).await?.get(0);
            transaction.commit().await?;
            Ok(version)
        };
        let made: Result<i32, tokio_postgres::Error> = making.await;
        made.map_err(|error| failed(Failure::Database(error)))
    }

    fn error(&self, action: &'static str, what: &str, failure: &Failure) -> Error {
        let (kind, why) = cause(failure);
        let place = format!("{what} ({})", self.place);
        Error::at(action, place, io::Error::new(kind, why))
    }
}

/// The kind of `failure`, and what to say of it.
fn cause(failure: &Failure) -> (ErrorKind, String) {
    let error = match failure {
        Failure::Database(error) => error,
        Failure::Busy => return (ErrorKind::TimedOut, "all connections are busy".to_owned()),
        Failure::Late => {
            let why = "the database does not answer".to_owned();
            return (ErrorKind::TimedOut, why);
        }
    };
    let Some(database) = error.as_db_error() else {
        if let Some(why) = tls::rejection(error) {
            return (ErrorKind::Other, why);
        }
        // The innermost error names the cause.
        let mut cause: &dyn std::error::Error = error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        // Not of a file: nothing says that writing is refused for good.
        let kind = kind.filter(|kind| *kind != ErrorKind::PermissionDenied);
        return (kind.unwrap_or(ErrorKind::Other), cause.to_string());
    };
    let state = database.code();
    let kind = match () {
        () if *state == SqlState::DISK_FULL => ErrorKind::StorageFull,
        () if *state == SqlState::READ_ONLY_SQL_TRANSACTION => ErrorKind::ReadOnlyFilesystem,
        () if *state == SqlState::INSUFFICIENT_PRIVILEGE => ErrorKind::PermissionDenied,
        () => ErrorKind::Other,
    };
    let mut why = database.message().to_owned();
    if let Some(hint) = database.hint() {
        let _ = write!(why, "; {hint}");
    }
    (kind, format!("{why} (SQLSTATE {})", state.code()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_an_address_is_said_without_its_password() {
        let none = |_: &str| None;
        let wrong = "postgres://docs:secret@db/docs?colour=red";
        let error = Client::open(wrong, &none).err().expect("it is refused");
        let said = format!("{error:#}");
        assert!(said.contains("postgres://docs@db/docs"), "{said}");
        assert!(!said.contains("secret"), "{said}");
        let client = Client::open("postgres://docs@db/docs", &|name| {
            (name == "PGPASSWORD").then(|| "secret".to_owned())
        });
        let client = client.expect("an address");
        assert_eq!(client.config.get_password(), Some(&b"secret"[..]));
    }
}
