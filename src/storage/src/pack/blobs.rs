//! The pack as a store of blobs. Its calls block for as long as the disk does, so each future is
//! done when it is polled.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use queries::base::content::ContentHash;

use super::{Pack, WORTH_WRITING};
use crate::{Blobs, Error, Pending, Size};

impl Blobs for Pack {
    fn get<'a>(&'a self, key: &'a ContentHash) -> Pending<'a, Option<Arc<[u8]>>> {
        Box::pin(async move { Ok(self.get(key)) })
    }

    fn contains<'a>(&'a self, key: &'a ContentHash) -> Pending<'a, bool> {
        Box::pin(async move { Ok(self.contains(key)) })
    }

    fn put_if_absent(&self, key: ContentHash, bytes: Arc<[u8]>) -> Pending<'_, bool> {
        Box::pin(async move {
            let stored = self.put_if_absent(key, bytes);
            stored.map_err(|error| Error::of("keep a value of", &self.folder, error))
        })
    }

    fn put(&self, key: ContentHash, bytes: Arc<[u8]>) -> Pending<'_, ()> {
        Box::pin(async move {
            self.put(key, bytes);
            Ok(())
        })
    }

    fn withdraw(&self, key: &ContentHash) {
        let mut buffer = self.buffer();
        if let Some(value) = buffer.pending.remove(key) {
            buffer.bytes -= value.len();
        }
    }

    fn is_flush_due(&self) -> bool {
        self.buffer().bytes >= WORTH_WRITING
            && self.is_writer()
            && !self.is_failing.load(Ordering::Relaxed)
    }

    fn flush(&self) -> Pending<'_, ()> {
        Box::pin(async {
            self.flush();
            Ok(())
        })
    }

    fn sweep(&self) -> Pending<'_, ()> {
        Box::pin(async {
            self.idle();
            Ok(())
        })
    }

    fn finish(&self) -> Pending<'_, ()> {
        Box::pin(async {
            self.finish();
            Ok(())
        })
    }

    fn size(&self) -> Size {
        self.size()
    }

    fn is_closed(&self) -> bool {
        self.is_closed()
    }
}
