//! Notifications of changed records (`LISTEN`), on a connection of their own.

use std::io;
use std::sync::{Arc, Once, Weak};
use std::time::Duration;

use quire_storage::{Changes, Kind};
use tokio::sync::watch;
use tokio_postgres::AsyncMessage;

use crate::client::Client;

/// Channel of the notifications. What is sent is the place of the record and the folder of its kind.
pub(crate) const CHANNEL: &str = "quire_records";

/// Pause before a lost connection is made anew.
const PAUSE: Duration = Duration::from_millis(500);
/// Time until the server listens.
const BEGIN_TIME: Duration = Duration::from_secs(10);
/// How often it is looked whether anybody still wants to know.
const LOOK: Duration = Duration::from_secs(5);

/// Hears of changed lists of deployments once somebody wants to know.
pub(crate) struct Listener {
    client: Client,
    started: Once,
    count: Arc<watch::Sender<u64>>,
}

impl Listener {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            started: Once::new(),
            count: Arc::new(watch::Sender::new(0)),
        }
    }

    /// Number that grows with each notification.
    pub(crate) fn changes(&self) -> Changes {
        self.started.call_once(|| {
            let (listening, count) = (self.client.clone(), Arc::downgrade(&self.count));
            self.client.worker.spawn(listen(listening, count));
        });
        self.count.subscribe()
    }
}

/// Listens until the listener is gone.
async fn listen(client: Client, count: Weak<watch::Sender<u64>>) {
    let mut is_lost = false;
    while count.strong_count() > 0 {
        let mut is_heard = false;
        let heard = hear(&client, &count, &mut is_heard).await;
        if is_heard {
            is_lost = false;
        }
        if let Err(error) = heard
            && !is_lost
        {
            is_lost = true;
            tracing::warn!(
                "{}: not told of changes, looking for them instead: {error}",
                client.place
            );
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Listens on a connection until that ends; `is_heard` says whether it came that far.
async fn hear(
    client: &Client,
    count: &Weak<watch::Sender<u64>>,
    is_heard: &mut bool,
) -> anyhow::Result<()> {
    let late = || io::Error::new(io::ErrorKind::TimedOut, "the database does not answer");
    let connecting = client.config.connect(client.connector.clone());
    let connected = tokio::time::timeout(BEGIN_TIME, connecting).await;
    let (sender, mut connection) = connected.map_err(|_| late())??;
    let told = count.clone();
    // Ends with the connection.
    let mut hearing = tokio::spawn(async move {
        let suffix = format!("/{}", Kind::Deployments.folder());
        loop {
            let message = std::future::poll_fn(|context| connection.poll_message(context)).await;
            match message {
                Some(Ok(AsyncMessage::Notification(note))) if note.payload().ends_with(&suffix) => {
                    tell(&told);
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Ok(()),
            }
        }
    });
    let statement = format!("listen {CHANNEL}");
    let listening = tokio::time::timeout(BEGIN_TIME, sender.batch_execute(&statement)).await;
    listening.map_err(|_| late())??;
    *is_heard = true;
    // Of what was changed before, nobody was told.
    tell(count);
    while count.strong_count() > 0 {
        if let Ok(ended) = tokio::time::timeout(LOOK, &mut hearing).await {
            return Ok(ended??);
        }
    }
    hearing.abort();
    Ok(())
}

fn tell(count: &Weak<watch::Sender<u64>>) {
    if let Some(count) = count.upgrade() {
        count.send_modify(|count| *count += 1);
    }
}
