//! What the system asks of this process by signals (signal(7)).

use std::io;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

/// The signals that ask the process to end, SIGINT (Ctrl-C) and SIGTERM. They are taken from the moment that this is made:
/// one that comes before anybody waits for it is kept.
pub(super) struct Ending {
    interrupt: Signal,
    terminate: Signal,
}

impl Ending {
    /// Takes them from now on. Must be called within a runtime.
    pub(super) fn taken() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Returns when the process is asked to end.
    pub(super) async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Handles SIGHUP from now on. Each one notifies the returned handle; several without a waiter
/// count as one.
pub(super) fn reloads() -> io::Result<Arc<Notify>> {
    let mut hangup = signal(SignalKind::hangup())?;
    let asked = Arc::new(Notify::new());
    let notified = asked.clone();
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            notified.notify_one();
        }
    });
    Ok(asked)
}
