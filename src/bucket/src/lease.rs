//! Leases in a bucket: small objects that are replaced on a condition.

use std::time::Duration;

use object_store::{PutMode, UpdateVersion};
use quire_storage::held::{LOOK, TERM};
use quire_storage::{Error, Lease, Pending, Term};
use serde::{Deserialize, Serialize};

use crate::client::{Client, Found};
use crate::clock::Time;

/// Attempts to release a lease that is renewed at the same time.
const ATTEMPTS: usize = 5;

/// A lease as it is written.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Granted {
    /// Number of its holder, which no other lease of the name has; 0 if it was released.
    number: u64,
    /// End in milliseconds since 1970; `None` for one of a process.
    end: Option<u64>,
    /// Number of times that a process has renewed it. Another process sees from it that the holder
    /// is alive, without comparing clocks.
    renewals: u64,
}

fn path(name: &str) -> String {
    format!("leases/{name}")
}

fn end(time: &Time, term: Term) -> Option<u64> {
    match term {
        Term::Process => None,
        Term::For(length) => {
            let length = length.as_millis().try_into().unwrap_or(u64::MAX);
            Some(time.now_ms().saturating_add(length))
        }
    }
}

/// Who has the lease, if anybody does. What cannot be read is nobody's.
async fn granted(client: &Client, name: &str) -> Result<Option<(Found, Granted)>, Error> {
    let found = client.get(&path(name)).await?;
    Ok(found.map(|(found, bytes)| (found, serde_json::from_slice(&bytes).unwrap_or_default())))
}

async fn write(
    client: &Client,
    name: &str,
    granted: Granted,
    before: Option<Found>,
) -> Result<(), Error> {
    let mode = match before {
        None => PutMode::Create,
        Some(before) => PutMode::Update(UpdateVersion {
            e_tag: before.tag,
            version: None,
        }),
    };
    let text = serde_json::to_vec(&granted).unwrap_or_default();
    client.put(&path(name), text.into(), mode, None).await?;
    Ok(())
}

pub(crate) fn take<'a>(client: &Client, time: &Time, name: &str, term: Term) -> Pending<'a, Lease> {
    let (client, time, name) = (client.clone(), time.clone(), name.to_owned());
    let own = client.clone();
    own.run(async move {
        let before = granted(&client, &name).await?;
        if let Some((found, held)) = &before
            && held.number != 0
        {
            let is_held = match held.end {
                Some(end) => time.now_ms() < end,
                None => is_renewed(&client, &name, found).await?,
            };
            if is_held {
                return Err(Error::Conflict);
            }
        }
        let number = fastrand::u64(1..);
        let new = Granted {
            number,
            end: end(&time, term),
            renewals: 0,
        };
        write(&client, &name, new, before.map(|(found, _)| found)).await?;
        if term == Term::Process {
            keep(&client, &time, &name, number);
        }
        Ok(Lease::numbered(&name, number))
    })
}

/// Returns whether the lease of another process goes on, after [`TERM`] at most.
async fn is_renewed(client: &Client, name: &str, before: &Found) -> Result<bool, Error> {
    let mut waited = Duration::ZERO;
    while waited < TERM {
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
        let now = client.head(&path(name)).await?;
        if now.and_then(|now| now.tag) != before.tag {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Renews the lease until it is released or lost.
fn keep(client: &Client, time: &Time, name: &str, number: u64) {
    let (own, time, of) = (client.clone(), time.clone(), name.to_owned());
    client.held.keep(&client.worker, name, number, move || {
        let (client, time, name) = (own.clone(), time.clone(), of.clone());
        async move { extend(&client, &time, (&name, number), Term::Process).await }
    });
}

/// Extends the lease; false if somebody else has it.
async fn extend(
    client: &Client,
    time: &Time,
    (name, number): (&str, u64),
    term: Term,
) -> Result<bool, Error> {
    match granted(client, name).await? {
        Some((found, held)) if held.number == number => {
            let new = Granted {
                number,
                end: end(time, term),
                renewals: held.renewals + 1,
            };
            write(client, name, new, Some(found)).await?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

pub(crate) fn renew<'a>(
    client: &Client,
    time: &Time,
    lease: &Lease,
    term: Term,
) -> Pending<'a, ()> {
    let (own, time) = (client.clone(), time.clone());
    let (name, number) = (lease.name().to_owned(), lease.number());
    client.run(async move {
        let number = number.ok_or(Error::Conflict)?;
        let is_held = extend(&own, &time, (&name, number), term).await?;
        is_held.then_some(()).ok_or(Error::Conflict)
    })
}

pub(crate) fn release<'a>(client: &Client, lease: &Lease) -> Pending<'a, ()> {
    let (own, name, number) = (client.clone(), lease.name().to_owned(), lease.number());
    client.held.end(number.unwrap_or_default());
    client.run(async move {
        // A renewal may come in between.
        for _ in 0..ATTEMPTS {
            let held = granted(&own, &name).await?;
            let Some((found, _)) = held.filter(|(_, held)| Some(held.number) == number) else {
                return Ok(());
            };
            // Deleting has no condition: it could delete the lease of the next holder. The number is
            // nobody's, so that no renewal brings it back.
            match write(&own, &name, Granted::default(), Some(found)).await {
                Err(Error::Conflict) => {}
                written => return written,
            }
        }
        Err(Error::Conflict)
    })
}
