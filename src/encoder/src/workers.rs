//! The threads that run a model: some for documents, and one for queries, which so never wait for documents.
//!
//! No thread computes on others: whatever a model has to do, no more cores than it has threads are taken from everything else.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use tokio::sync::oneshot;

use crate::{Kind, Model, TOKENS};

/// The vectors of the texts of a part.
type Embeddings = anyhow::Result<Vec<Vec<f32>>>;

/// The threads of a model; they end with it.
pub struct Workers {
    model: Arc<Model>,
    queries: Arc<Worker>,
    documents: Arc<Worker>,
}

/// Queue of a thread.
#[derive(Default)]
struct Worker {
    queue: Mutex<Queue>,
    wakeup: Condvar,
}

#[derive(Default)]
struct Queue {
    parts: VecDeque<Part>,
    is_closed: bool,
}

/// Some texts, and the caller that waits for their vectors.
struct Part {
    texts: Vec<Vec<u32>>,
    reply: oneshot::Sender<Embeddings>,
}

/// Vectors that were asked for. When it is dropped, what was not begun of them is skipped.
pub struct Pending {
    /// Parts of the texts, in their order.
    parts: Vec<oneshot::Receiver<Embeddings>>,
}

impl Pending {
    /// Waits for the numbers of the vectors, in the order of the texts.
    ///
    /// # Errors
    ///
    /// Returns the failure of the model.
    pub async fn numbers(self) -> anyhow::Result<Vec<Vec<f32>>> {
        let mut numbers = Vec::new();
        for part in self.parts {
            let made = part.await.context("the model failed without a word")?;
            numbers.extend(made?);
        }
        Ok(numbers)
    }
}

impl Workers {
    /// Starts threads for `model`: so many for documents, and one for queries.
    ///
    /// # Errors
    ///
    /// Returns why a thread cannot be started.
    pub fn new(model: Model, threads: NonZero<usize>) -> anyhow::Result<Self> {
        let workers = Self {
            model: Arc::new(model),
            queries: Arc::default(),
            documents: Arc::default(),
        };
        let documents = std::iter::repeat_n(&workers.documents, threads.get());
        for worker in documents.chain([&workers.queries]) {
            // The library asks its thread for a pool of threads, and would else find one with every core.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
            let pool = pool.thread_name(|_| "model".to_owned()).build()?;
            let (worker, model) = (worker.clone(), workers.model.clone());
            pool.spawn(move || worker.serve(&model));
        }
        Ok(workers)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Asks for the vectors of `texts`. Blocks until they are cut into tokens.
    ///
    /// # Errors
    ///
    /// Returns why they cannot be tokenized.
    pub fn ask(&self, texts: &[String], kind: Kind) -> anyhow::Result<Pending> {
        let mut parts: Vec<Vec<Vec<u32>>> = Vec::new();
        let mut tokens = TOKENS;
        for text in texts {
            let text = self.model.tokens.of(text, kind)?;
            if tokens + text.len() > TOKENS {
                parts.push(Vec::new());
                tokens = 0;
            }
            tokens += text.len();
            if let Some(part) = parts.last_mut() {
                part.push(text);
            }
        }
        let worker = match kind {
            Kind::Query => &self.queries,
            Kind::Document => &self.documents,
        };
        let mut queue = lock(&worker.queue);
        let asked = parts.into_iter().map(|texts| {
            let (made, receiver) = oneshot::channel();
            queue.parts.push_back(Part { texts, reply: made });
            receiver
        });
        let parts = asked.collect();
        drop(queue);
        worker.wakeup.notify_all();
        Ok(Pending { parts })
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in [&self.queries, &self.documents] {
            lock(&worker.queue).is_closed = true;
            worker.wakeup.notify_all();
        }
    }
}

impl Worker {
    /// Makes vectors of what waits, until the model is gone.
    fn serve(&self, model: &Model) {
        while let Some(part) = self.next() {
            if part.reply.is_closed() {
                continue;
            }
            let work = AssertUnwindSafe(|| model.vectors(&part.texts));
            let made = catch_unwind(work)
                .unwrap_or_else(|_| Err(anyhow::anyhow!("the model failed on a text")));
            // The caller may be gone by now.
            let _ = part.reply.send(made);
        }
    }

    fn next(&self) -> Option<Part> {
        let queue = lock(&self.queue);
        let waits = |queue: &mut Queue| queue.parts.is_empty() && !queue.is_closed;
        let queue = self.wakeup.wait_while(queue, waits);
        let mut queue = queue.unwrap_or_else(PoisonError::into_inner);
        if queue.is_closed {
            return None;
        }
        queue.parts.pop_front()
    }
}

/// A lock is poisoned by a panic of its holder; a queue is valid at every moment.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn workers(threads: usize) -> Workers {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shell/search/bert");
        Workers::new(
            Model::read(&folder).unwrap(),
            NonZero::new(threads).unwrap(),
        )
        .unwrap()
    }

    fn texts(count: usize) -> Vec<String> {
        (0..count)
            .map(|i| format!("{i} cups of tea. ").repeat(20))
            .collect()
    }

    fn queue_length(workers: &Workers) -> usize {
        lock(&workers.documents.queue).parts.len()
    }

    #[test]
    fn a_query_does_not_wait_for_documents() {
        let workers = workers(1);
        let documents = workers.ask(&texts(800), Kind::Document).unwrap();
        let query = workers.ask(&texts(1), Kind::Query).unwrap();
        for made in query.parts {
            assert_eq!(made.blocking_recv().unwrap().unwrap().len(), 1);
        }
        assert!(queue_length(&workers) > 0, "the documents were faster");
        // Parts that nothing waits for any more are skipped.
        drop(documents);
        let last = workers.ask(&texts(1), Kind::Document).unwrap();
        for made in last.parts {
            made.blocking_recv().unwrap().unwrap();
        }
        assert_eq!(queue_length(&workers), 0);
    }

    #[test]
    fn parts_come_in_the_order_of_the_texts_from_any_thread() {
        let texts = texts(100);
        let embed_with = |threads: usize| {
            let workers = workers(threads);
            let parts = workers.ask(&texts, Kind::Document).unwrap();
            assert!(parts.parts.len() > 1);
            let parts = parts
                .parts
                .into_iter()
                .map(|part| part.blocking_recv().unwrap().unwrap());
            parts.flatten().collect::<Vec<_>>()
        };
        assert_eq!(embed_with(1).len(), texts.len());
        assert_eq!(embed_with(1), embed_with(3));
        assert!(
            workers(1)
                .ask(&[], Kind::Document)
                .unwrap()
                .parts
                .is_empty()
        );
    }

    #[test]
    fn threads_end_with_the_model() {
        let workers = workers(2);
        let model = Arc::downgrade(&workers.model);
        let documents = workers.ask(&texts(800), Kind::Document).unwrap();
        drop(workers);
        while model.strong_count() > 0 {
            std::thread::yield_now();
        }
        // Notify the waiting callers.
        let replies = documents.parts.into_iter().map(|part| part.blocking_recv());
        assert!(replies.last().unwrap().is_err());
    }
}
