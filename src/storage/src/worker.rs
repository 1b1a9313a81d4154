//! Threads for storage behind a network: its futures can then be polled anywhere, by [`wait`](crate::wait) too.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::{Error, Pending};

/// A thread with a runtime of its own. Clones are the same.
#[derive(Clone)]
pub struct Worker {
    runtime: Arc<OwnRuntime>,
    /// The place behind the network, for messages.
    place: &'static str,
}

struct OwnRuntime(Option<Runtime>);

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        // May be dropped in a thread of another runtime, which must not block.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Worker {
    /// Starts a thread called `name` that reaches `place`, such as "the bucket".
    ///
    /// # Errors
    ///
    /// Fails if the system gives no thread.
    pub fn start(name: &str, place: &'static str) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name(name)
            .enable_all()
            .build()?;
        Ok(Self {
            runtime: Arc::new(OwnRuntime(Some(runtime))),
            place,
        })
    }

    /// Runs `work` to its end, also if the future is dropped.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Pending<'static, T> {
        let place = self.place.to_owned();
        let gone = |why: String| Error::at("reach", place, io::Error::other(why));
        let Some(runtime) = &self.runtime.0 else {
            return Box::pin(async move { Err(gone("its thread has ended".to_owned())) });
        };
        let task = runtime.spawn(work);
        Box::pin(async move {
            let done = task.await;
            done.unwrap_or_else(|error| Err(gone(error.to_string())))
        })
    }

    /// Runs `work` beside everything else, until the worker is dropped.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime.0 {
            runtime.spawn(work);
        }
    }

    /// Runs `work` every `pause` until it returns false.
    pub fn repeat<F: Future<Output = bool> + Send>(
        &self,
        pause: Duration,
        mut work: impl FnMut() -> F + Send + 'static,
    ) {
        self.spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                if !work().await {
                    return;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait;

    #[test]
    fn a_task_may_wait_any_number_of_times() {
        let worker = Worker::start("worker", "the test").expect("a thread");
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            for n in 0..2000 {
                let work = worker.run(async move { Ok(n) });
                assert_eq!(wait(work).expect("it runs"), n);
            }
        });
    }
}
