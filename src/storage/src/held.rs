//! Leases of this process in a remote storage, which cannot see that a process has ended: they are renewed
//! until they are released, and end some time after that.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::Error;
use crate::worker::Worker;

/// Time after which the lease of a process that was killed can be taken.
pub const TERM: Duration = Duration::from_secs(20);
/// How often a process renews a lease, and how long it waits for the answer.
const RENEWAL: Duration = Duration::from_secs(4);
/// Pause between two looks at the lease of another process.
pub const LOOK: Duration = Duration::from_secs(1);

/// The leases that are renewed, by their numbers.
#[derive(Clone, Default)]
pub struct Held(Arc<Mutex<HashSet<u64>>>);

impl Held {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the lease `name` of `number` by `extend`, which returns false if somebody else has it, until
    /// [`Held::end`].
    pub fn keep<F>(
        &self,
        worker: &Worker,
        name: &str,
        number: u64,
        extend: impl Fn() -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<bool, Error>> + Send + 'static,
    {
        self.lock().insert(number);
        let (held, name) = (self.clone(), name.to_owned());
        let extend = Arc::new(extend);
        worker.repeat(RENEWAL, move || {
            let (held, name, extend) = (held.clone(), name.clone(), extend.clone());
            async move {
                if !held.lock().contains(&number) {
                    return false;
                }
                let renewed = tokio::time::timeout(RENEWAL, extend()).await;
                if !held.lock().contains(&number) {
                    return false;
                }
                match renewed {
                    // A conflict is another renewal of the same; its turn comes again.
                    Ok(Ok(true) | Err(Error::Conflict)) => true,
                    Ok(Ok(false)) => {
                        tracing::warn!("the lease `{name}` has ended, and another process has it");
                        held.end(number);
                        false
                    }
                    Ok(Err(error)) => {
                        tracing::warn!("failed to renew the lease `{name}`: {error}");
                        true
                    }
                    Err(_) => {
                        tracing::warn!("failed to renew the lease `{name}`: no answer");
                        true
                    }
                }
            }
        });
    }

    /// Has the lease of `number` not renewed any more, so that it ends whatever becomes of its release.
    pub fn end(&self, number: u64) {
        self.lock().remove(&number);
    }
}
