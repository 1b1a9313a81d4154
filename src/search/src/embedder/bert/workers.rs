//! The threads that run a model: some for passages, and one for questions, which so never wait for passages.
//!
//! No thread computes on others: whatever a model has to do, as many cores as it has threads stay with pages and searches.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::{Kind, Model, TOKENS, lock};

/// The vectors of the texts of a part.
type Embeddings = anyhow::Result<Vec<Vec<f32>>>;

/// The threads of a model; they end with it.
pub(super) struct Workers {
    model: Arc<Model>,
    questions: Arc<Worker>,
    passages: Arc<Worker>,
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

impl Workers {
    /// Starts threads for `model`: so many for passages, and one for questions.
    ///
    /// # Errors
    ///
    /// Returns why a thread cannot be started.
    pub(super) fn new(model: Model, threads: NonZero<usize>) -> anyhow::Result<Self> {
        let workers = Self {
            model: Arc::new(model),
            questions: Arc::default(),
            passages: Arc::default(),
        };
        let passages = std::iter::repeat_n(&workers.passages, threads.get());
        for worker in passages.chain([&workers.questions]) {
            // The library asks its thread for a pool of threads, and would else find one with every core.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
            let pool = pool.thread_name(|_| "model".to_owned()).build()?;
            let (worker, model) = (worker.clone(), workers.model.clone());
            pool.spawn(move || worker.serve(&model));
        }
        Ok(workers)
    }

    /// The model.
    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// Asks for the vectors of `texts`: they come in parts, in their order. Parts that nothing
    /// waits for any more are skipped. Blocks.
    ///
    /// # Errors
    ///
    /// Returns why they cannot be tokenized.
    pub(super) fn ask(
        &self,
        texts: &[String],
        kind: Kind,
    ) -> anyhow::Result<Vec<oneshot::Receiver<Embeddings>>> {
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
            Kind::Question => &self.questions,
            Kind::Passage => &self.passages,
        };
        let mut queue = lock(&worker.queue);
        let asked = parts.into_iter().map(|texts| {
            let (made, receiver) = oneshot::channel();
            queue.parts.push_back(Part { texts, reply: made });
            receiver
        });
        let asked = asked.collect();
        drop(queue);
        worker.wakeup.notify_all();
        Ok(asked)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in [&self.questions, &self.passages] {
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
        lock(&workers.passages.queue).parts.len()
    }

    #[test]
    fn a_question_does_not_wait_for_passages() {
        let workers = workers(1);
        let passages = workers.ask(&texts(800), Kind::Passage).unwrap();
        let question = workers.ask(&texts(1), Kind::Question).unwrap();
        for made in question {
            assert_eq!(made.blocking_recv().unwrap().unwrap().len(), 1);
        }
        assert!(queue_length(&workers) > 0, "the passages were faster");
        // Parts that nothing waits for any more are skipped.
        drop(passages);
        let last = workers.ask(&texts(1), Kind::Passage).unwrap();
        for made in last {
            made.blocking_recv().unwrap().unwrap();
        }
        assert_eq!(queue_length(&workers), 0);
    }

    #[test]
    fn parts_come_in_the_order_of_the_texts_from_any_thread() {
        let texts = texts(100);
        let embed_with = |threads: usize| {
            let workers = workers(threads);
            let parts = workers.ask(&texts, Kind::Passage).unwrap();
            assert!(parts.len() > 1);
            let parts = parts
                .into_iter()
                .map(|part| part.blocking_recv().unwrap().unwrap());
            parts.flatten().collect::<Vec<_>>()
        };
        assert_eq!(embed_with(1).len(), texts.len());
        assert_eq!(embed_with(1), embed_with(3));
        assert!(workers(1).ask(&[], Kind::Passage).unwrap().is_empty());
    }

    #[test]
    fn threads_end_with_the_model() {
        let workers = workers(2);
        let model = Arc::downgrade(&workers.model);
        let passages = workers.ask(&texts(800), Kind::Passage).unwrap();
        drop(workers);
        while model.strong_count() > 0 {
            std::thread::yield_now();
        }
        // Notify the waiting callers.
        let replies = passages.into_iter().map(|part| part.blocking_recv());
        assert!(replies.last().unwrap().is_err());
    }
}
