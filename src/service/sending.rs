//! Files that are being sent. All who are sent one share its bytes: a thousand slow readers of a large file cost it once.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use queries::base::content::ContentHash;
use queries::base::path::SitePath;

/// How many files there may be before those that nobody is sent any more are looked for.
const MANY: usize = 64;

/// A file as it was at one time.
type Key = (SitePath, ContentHash);
/// Its bytes, as long as somebody is sent them. Locked while they are read, so that they are read once.
type Shared = Arc<Mutex<Weak<[u8]>>>;

/// The files of a site that are being sent.
#[derive(Default)]
pub(super) struct Sending(Mutex<BTreeMap<Key, Shared>>);

impl Sending {
    /// The bytes of the file at `path` that has the digest `digest`, by `read` if nobody is sent them now.
    pub(super) fn bytes(
        &self,
        path: &SitePath,
        digest: ContentHash,
        read: impl FnOnce() -> io::Result<Option<Vec<u8>>>,
    ) -> io::Result<Option<Arc<[u8]>>> {
        let shared = self.shared((path.clone(), digest));
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = shared.upgrade() {
            return Ok(Some(bytes));
        }
        let Some(bytes) = read()? else {
            return Ok(None);
        };
        let bytes: Arc<[u8]> = bytes.into();
        *shared = Arc::downgrade(&bytes);
        Ok(Some(bytes))
    }

    fn shared(&self, key: Key) -> Shared {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MANY {
            files.retain(|_, shared| {
                // One that is locked is being read.
                let is_sent = |bytes: &Weak<[u8]>| bytes.strong_count() > 0;
                Arc::strong_count(shared) > 1 || shared.try_lock().is_ok_and(|it| is_sent(&it))
            });
        }
        files.entry(key).or_insert_with(unread).clone()
    }
}

fn unread() -> Shared {
    let nothing: Weak<[u8; 0]> = Weak::new();
    Arc::new(Mutex::new(nothing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: usize) -> (SitePath, ContentHash) {
        let path = SitePath::new(&format!("{n}.png")).unwrap();
        (path, ContentHash::of(n.to_string().as_bytes()))
    }

    #[test]
    fn those_who_are_sent_a_file_share_it() {
        let sending = Sending::default();
        let (path, digest) = key(1);
        let first = sending.bytes(&path, digest, || Ok(Some(vec![7; 3])));
        let first = first.unwrap().unwrap();
        let second = sending.bytes(&path, digest, || panic!("it is read"));
        assert!(Arc::ptr_eq(&first, &second.unwrap().unwrap()));
        // Another content of it is another file.
        let other = sending.bytes(&path, key(2).1, || Ok(Some(vec![8])));
        assert_eq!(*other.unwrap().unwrap(), [8]);
        drop(first);
        let again = sending.bytes(&path, digest, || Ok(Some(vec![9])));
        assert_eq!(*again.unwrap().unwrap(), [9]);
        assert!(
            sending
                .bytes(&path, key(3).1, || Ok(None))
                .unwrap()
                .is_none()
        );
    }

    #[test]
    fn what_nobody_is_sent_is_forgotten() {
        let sending = Sending::default();
        let (path, digest) = key(0);
        let kept = sending.bytes(&path, digest, || Ok(Some(vec![7])));
        for n in 1..10 * MANY {
            let (path, digest) = key(n);
            drop(sending.bytes(&path, digest, || Ok(Some(vec![7]))));
        }
        assert!(sending.0.lock().unwrap().len() <= MANY);
        let again = sending.bytes(&path, digest, || panic!("it is read"));
        assert!(Arc::ptr_eq(
            &kept.unwrap().unwrap(),
            &again.unwrap().unwrap()
        ));
    }
}
