//! Texts of whole sites: each is made once for all who ask for it at the same time, and has room once.
//!
//! Room is there before the work: a text that has none is not made, nor are more at a time than there are cores. It is let go of with
//! the last client that waits for it or takes it, and what makes it stops when the client goes who had it made.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use queries::base::content::ContentHash;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::flight::Flight;
use quire_engine::host::Stop;
use quire_storage::machine::cores;

/// The texts of a process.
pub(super) static TEXTS: LazyLock<Texts> = LazyLock::new(|| Texts::new(cores()));

/// Texts of which it is remembered how long they were.
const MAX_LENGTHS: usize = 10_000;

/// A text, as it is at one revision of a site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Identifies the site.
    pub(super) site: u64,
    /// Revision of the site.
    pub(super) revision: u64,
    /// Path of the text.
    pub(super) path: String,
    /// Origin of absolute addresses in the text.
    pub(super) base: String,
}

/// Reason why there is no text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoText<E> {
    /// The site has none.
    None,
    /// There is no room for it now.
    NoRoom,
    /// Making it failed.
    Failed(E),
    /// Making it panicked.
    Panicked(String),
}

/// Texts that clients wait for or take.
pub(super) struct Texts {
    /// Places for those that are being made.
    places: Arc<Semaphore>,
    entries: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    texts: HashMap<Key, Weak<Making>>,
    /// Lengths of the last version of texts, by site and path.
    lengths: HashMap<(u64, String), usize>,
}

/// A text that is made, or will be.
#[derive(Default)]
struct Making(tokio::sync::Mutex<Option<(ContentHash, Bytes)>>);

/// A text in the hands of a client: others who ask in the meantime get the same.
struct Shared {
    bytes: Bytes,
    _making: Arc<Making>,
}

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Texts {
    fn new(places: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places.clamp(1, Semaphore::MAX_PERMITS))),
            entries: Mutex::default(),
        }
    }

    /// The text for `key` with its digest, made by `make` where it may block, if nobody has it. It takes room of `flight` once,
    /// until the last client has let go of it.
    ///
    /// # Errors
    ///
    /// Returns why there is none.
    pub(super) async fn get<E: Send + 'static>(
        &self,
        key: Key,
        flight: &Flight,
        make: impl FnOnce() -> Result<Option<String>, E> + Send + 'static,
    ) -> Result<(ContentHash, Bytes), NoText<E>> {
        let making = self.entry_of(&key);
        // The others wait; if the first one goes away, the next one makes it.
        let mut made = making.0.lock().await;
        let (digest, bytes) = match &*made {
            Some((digest, bytes)) => (*digest, bytes.clone()),
            None => made
                .insert(self.make_text(key, flight, make).await?)
                .clone(),
        };
        drop(made);
        let shared = Shared {
            bytes,
            _making: making,
        };
        Ok((digest, Bytes::from_owner(shared)))
    }

    /// Permit for work on a whole site; `None` while the process shuts down.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        self.places.clone().acquire_owned().await.ok()
    }

    async fn make_text<E: Send + 'static>(
        &self,
        key: Key,
        flight: &Flight,
        make: impl FnOnce() -> Result<Option<String>, E> + Send + 'static,
    ) -> Result<(ContentHash, Bytes), NoText<E>> {
        let place = self.place().await.ok_or(NoText::NoRoom)?;
        let of = (key.site, key.path);
        let expected = self.lock().lengths.get(&of).copied().unwrap_or(0);
        let room = flight.at_once(expected).ok_or(NoText::NoRoom)?;
        let stop = Arc::new(Stop::default());
        let stopped = stop.on_drop();
        let work = move || {
            // Until it is done, whoever waits for that.
            let _place = place;
            let text = stop.stopping(make)?;
            Ok(text.map(|text| (ContentHash::of(text.as_bytes()), text)))
        };
        let made = tokio::task::spawn_blocking(work).await;
        drop(stopped);
        let made = made.map_err(|error| NoText::Panicked(error.to_string()))?;
        let (digest, text) = made.map_err(NoText::Failed)?.ok_or(NoText::None)?;
        let length = text.len();
        {
            let lengths = &mut self.lock().lengths;
            if lengths.len() >= MAX_LENGTHS {
                lengths.clear();
            }
            lengths.insert(of, length);
        }
        let more = flight.at_once(length.saturating_sub(expected));
        let more = more.ok_or(NoText::NoRoom)?;
        Ok((digest, more.of(room.of(text))))
    }

    fn entry_of(&self, key: &Key) -> Arc<Making> {
        let texts = &mut self.lock().texts;
        if let Some(making) = texts.get(key).and_then(Weak::upgrade) {
            return making;
        }
        texts.retain(|_, making| making.strong_count() > 0);
        let making = Arc::new(Making::default());
        texts.insert(key.clone(), Arc::downgrade(&making));
        making
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LENGTH: usize = 40_000;

    fn key(base: usize) -> Key {
        Key {
            site: 2,
            revision: 1,
            path: "/llms-full.txt".to_owned(),
            base: base.to_string(),
        }
    }

    /// Counts how often it makes a text.
    fn counting(
        count: &Arc<AtomicUsize>,
    ) -> impl FnOnce() -> Result<Option<String>, Infallible> + Send + 'static {
        let count = count.clone();
        move || {
            count.fetch_add(1, Ordering::AcqRel);
            Ok(Some("x".repeat(LENGTH)))
        }
    }

    #[tokio::test]
    async fn a_text_is_made_once_for_all_who_have_it_and_has_room_once() {
        let (texts, flight) = (Arc::new(Texts::new(2)), Flight::new(1 << 20));
        let count = Arc::new(AtomicUsize::new(0));
        for round in 1..=2 {
            let asked = (0..100).map(|_| {
                let (texts, flight, make) = (texts.clone(), flight.clone(), counting(&count));
                tokio::spawn(async move { texts.get(key(0), &flight, make).await })
            });
            let mut results = Vec::new();
            for asked in asked.collect::<Vec<_>>() {
                let (digest, text) = asked.await.unwrap().unwrap();
                assert_eq!(digest, ContentHash::of(&text));
                results.push(text);
            }
            assert_eq!(count.load(Ordering::Acquire), round);
            assert!(flight.bytes() < 2 * LENGTH, "{}", flight.bytes());
            // A part of it keeps it.
            let part = results[7].slice(5..);
            results.clear();
            assert!(flight.bytes() >= LENGTH);
            texts.get(key(0), &flight, counting(&count)).await.unwrap();
            assert_eq!(count.load(Ordering::Acquire), round);
            drop(part);
            assert_eq!(flight.bytes(), 0);
        }
        texts.entry_of(&key(1));
        assert_eq!(texts.lock().texts.len(), 1);
    }

    #[tokio::test]
    async fn a_text_without_room_is_not_made() {
        let (texts, flight) = (Texts::new(2), Flight::new(64 * 1024));
        let count = Arc::new(AtomicUsize::new(0));
        let first = texts.get(key(0), &flight, counting(&count)).await.unwrap();
        for base in 1..20 {
            let refused = texts.get(key(base), &flight, counting(&count)).await;
            assert_eq!(refused, Err(NoText::NoRoom));
        }
        assert_eq!(count.load(Ordering::Acquire), 1);
        drop(first);
        texts.get(key(1), &flight, counting(&count)).await.unwrap();
        assert_eq!(count.load(Ordering::Acquire), 2);
    }

    #[tokio::test]
    async fn few_texts_are_made_at_a_time() {
        let (texts, flight) = (Arc::new(Texts::new(2)), Flight::new(64 << 20));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let requests = (0..40).map(|base| {
            let (texts, flight) = (texts.clone(), flight.clone());
            let (now, most) = (now.clone(), most.clone());
            let make = move || {
                most.fetch_max(now.fetch_add(1, Ordering::AcqRel) + 1, Ordering::AcqRel);
                std::thread::yield_now();
                now.fetch_sub(1, Ordering::AcqRel);
                Ok::<_, Infallible>(Some("x".repeat(LENGTH)))
            };
            tokio::spawn(async move { texts.get(key(base), &flight, make).await.is_ok() })
        });
        for request in requests.collect::<Vec<_>>() {
            assert!(request.await.unwrap());
        }
        assert!(most.load(Ordering::Acquire) <= 2);
    }

    #[tokio::test]
    async fn a_client_that_goes_away_leaves_the_text_to_the_next() {
        let (texts, flight) = (Texts::new(1), Flight::new(1 << 20));
        let count = Arc::new(AtomicUsize::new(0));
        // Somebody else has the only place.
        let place = texts.places.clone().acquire_owned().await.unwrap();
        let mut first = Box::pin(texts.get(key(0), &flight, counting(&count)));
        let mut second = Box::pin(texts.get(key(0), &flight, counting(&count)));
        let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
        assert!(first.as_mut().poll(context).is_pending());
        assert!(second.as_mut().poll(context).is_pending());
        drop(first);
        drop(place);
        second.await.unwrap();
        assert_eq!(count.load(Ordering::Acquire), 1);
        // Of all who went away nothing is made.
        let place = texts.places.clone().acquire_owned().await.unwrap();
        let mut last = Box::pin(texts.get(key(1), &flight, counting(&count)));
        assert!(last.as_mut().poll(context).is_pending());
        drop((last, place));
        assert_eq!(count.load(Ordering::Acquire), 1);
        assert_eq!(flight.bytes(), 0);
    }

    #[tokio::test]
    async fn what_cannot_be_made_is_said_to_each() {
        let (texts, flight) = (Texts::new(1), Flight::new(1 << 20));
        let none = texts.get(key(0), &flight, || Ok::<_, Infallible>(None));
        assert_eq!(none.await, Err(NoText::None));
        let failed = texts.get(key(0), &flight, || Err("no"));
        assert_eq!(failed.await, Err(NoText::Failed("no")));
        let made = texts.get(key(0), &flight, || Ok::<_, Infallible>(Some(String::new())));
        assert!(made.await.is_ok());
        assert_eq!(flight.bytes(), 0);
    }
}
