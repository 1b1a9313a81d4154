//! Notifications of changed records (`LISTEN`), on a connection of their own.

use std::sync::{Arc, Mutex};
use std::sync::{Once, PoisonError, Weak};
use std::time::Duration;

use quire_storage::Changes;
use tokio::sync::watch;
use tokio_postgres::AsyncMessage;

use crate::client::Client;

/// Channel of the notifications.
pub(crate) const CHANNEL: &str = "quire_records";

/// Pause before a lost connection is made anew.
const PAUSE: Duration = Duration::from_millis(500);

/// Hears of changes once somebody wants to know.
pub(crate) struct Listener {
    client: Mutex<Option<Client>>,
    started: Once,
    count: Arc<watch::Sender<u64>>,
}

impl Listener {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client: Mutex::new(Some(client)),
            started: Once::new(),
            count: Arc::new(watch::Sender::new(0)),
        }
    }

    /// Number that grows with each notification.
    pub(crate) fn changes(&self) -> Changes {
        self.started.call_once(|| {
            let client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(client) = &*client {
                let (listening, count) = (client.clone(), Arc::downgrade(&self.count));
                client.worker.spawn(listen(listening, count));
            }
        });
        self.count.subscribe()
    }
}

/// Listens until the storage is gone.
async fn listen(client: Client, count: Weak<watch::Sender<u64>>) {
    let mut is_lost = false;
    while count.strong_count() > 0 {
        let heard = hear(&client, &count).await;
        if let Err(error) = heard
            && !is_lost
        {
            tracing::warn!(
                "{}: not told of changes, looking for them instead: {error}",
                client.place
            );
        }
        is_lost = true;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn hear(
    client: &Client,
    count: &Weak<watch::Sender<u64>>,
) -> Result<(), tokio_postgres::Error> {
    let (sender, mut connection) = client.config.connect(client.connector.clone()).await?;
    let told = count.clone();
    // Ends with the connection.
    let hearing = tokio::spawn(async move {
        loop {
            let message = std::future::poll_fn(|context| connection.poll_message(context)).await;
            match message {
                Some(Ok(AsyncMessage::Notification(_))) => tell(&told),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Ok(()),
            }
        }
    });
    sender.batch_execute(&format!("listen {CHANNEL}")).await?;
    // Of what was changed before, nobody was told.
    tell(count);
    // A lost connection is noticed when it is used.
    hearing.await.unwrap_or(Ok(()))
}

fn tell(count: &Weak<watch::Sender<u64>>) {
    if let Some(count) = count.upgrade() {
        count.send_modify(|count| *count += 1);
    }
}
