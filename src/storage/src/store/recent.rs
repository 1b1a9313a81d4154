//! Values in memory, bounded in bytes: the oldest go first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use queries::base::content::ContentHash;

/// Maximum number of bytes of values. A block of code of 1 KB has about 2 KB of spans.
const MAX_BYTES: usize = 4 << 20;

/// Recent values by key.
#[derive(Default)]
pub(super) struct Recent(Mutex<Values>);

#[derive(Default)]
struct Values {
    by_key: HashMap<ContentHash, Arc<[u8]>>,
    /// Keys of `by_key`, oldest first.
    order: VecDeque<ContentHash>,
    bytes: usize,
}

impl Recent {
    /// The value under `key`, if it is still there.
    pub(super) fn get(&self, key: &ContentHash) -> Option<Arc<[u8]>> {
        self.lock().by_key.get(key).cloned()
    }

    /// Remembers `value` and forgets the oldest values beyond the limit.
    pub(super) fn put(&self, key: ContentHash, value: Vec<u8>) {
        let values = &mut *self.lock();
        values.bytes += value.len();
        match values.by_key.insert(key, Arc::from(value)) {
            Some(replaced) => values.bytes -= replaced.len(),
            None => values.order.push_back(key),
        }
        while values.bytes > MAX_BYTES
            && let Some(oldest) = values.order.pop_front()
        {
            let gone = values.by_key.remove(&oldest);
            values.bytes -= gone.map_or(0, |gone| gone.len());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_values_go_first() {
        let recent = Recent::default();
        let key = |i: usize| ContentHash::of(&i.to_le_bytes());
        for i in 0..5 {
            recent.put(key(i), vec![i as u8; MAX_BYTES / 4]);
        }
        assert_eq!(recent.get(&key(0)), None);
        assert_eq!(recent.get(&key(4)).map(|value| value[0]), Some(4));
        assert!(recent.lock().bytes <= MAX_BYTES);
    }

    #[test]
    fn a_value_that_is_replaced_counts_once() {
        let recent = Recent::default();
        let key = ContentHash::of(b"key");
        recent.put(key, vec![0; 10]);
        recent.put(key, vec![0; 4]);
        assert_eq!(recent.lock().bytes, 4);
        assert_eq!(recent.lock().order.len(), 1);
    }
}
