//! Layout of a pack: header, records, and the scan from one record to the next.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memchr::memmem;
use queries::base::content::ContentHash;

const MAGIC: &[u8; 8] = b"quirepak";

/// Raised when the layout changes; what the values mean is in their keys.
const VERSION: u32 = 1;

/// Length of the header, in bytes.
pub(super) const HEADER: usize = 32;

/// Length of a record without its value, in bytes.
pub(super) const RECORD: usize = 80;

const RECORD_MAGIC: &[u8; 4] = b"qREC";

/// The first bytes of a pack.
#[derive(Clone, Copy)]
pub(super) struct Header {
    version: u32,
    /// Identifies this file; a compaction writes another id.
    pub(super) id: [u8; 16],
}

impl Header {
    /// The header of a new file.
    pub(super) fn new() -> Self {
        // The keys of the standard hash maps come from the system's random source.
        let word = || RandomState::new().build_hasher().finish().to_le_bytes();
        let mut id = [0; 16];
        id[..8].copy_from_slice(&word());
        id[8..].copy_from_slice(&word());
        let version = VERSION;
        Self { version, id }
    }

    /// The header of `file`; `None` if it has none.
    pub(super) fn read(file: &File) -> Option<Self> {
        let mut bytes = [0; HEADER];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let version = u32::from_le_bytes(bytes[8..12].try_into().ok()?);
        let id = bytes[16..].try_into().ok()?;
        (bytes[..8] == *MAGIC).then_some(Self { version, id })
    }

    /// Returns true if the layout is the one that this version writes.
    pub(super) fn is_known(&self) -> bool {
        self.version == VERSION
    }

    pub(super) fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[16..].copy_from_slice(&self.id);
        bytes
    }
}

/// Header of a value.
pub(super) struct Record {
    key: ContentHash,
    len: u32,
    hash: ContentHash,
}

impl Record {
    /// The record of `value`, which is less than 4 GiB.
    pub(super) fn of(key: &ContentHash, value: &[u8]) -> Self {
        Self {
            key: *key,
            len: value.len() as u32,
            hash: value_hash(key, value),
        }
    }

    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.extend_from_slice(RECORD_MAGIC);
        bytes.extend_from_slice(&self.len.to_le_bytes());
        bytes.extend_from_slice(self.key.as_bytes());
        bytes.extend_from_slice(self.hash.as_bytes());
        let check = ContentHash::of(&bytes[begin..]);
        bytes.extend_from_slice(&check.as_bytes()[..8]);
    }

    /// The record in `bytes`, if it is whole: a stretch of a value is not taken for one.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..RECORD)?;
        let is_whole = bytes.starts_with(RECORD_MAGIC)
            && ContentHash::of(&bytes[..72]).as_bytes()[..8] == bytes[72..];
        is_whole.then_some(())?;
        Some(Self {
            len: u32::from_le_bytes(bytes[4..8].try_into().ok()?),
            key: ContentHash::from_bytes(bytes[8..40].try_into().ok()?),
            hash: ContentHash::from_bytes(bytes[40..72].try_into().ok()?),
        })
    }
}

/// The hash of a value and of what it is the value of: one that got under another key is seen.
fn value_hash(key: &ContentHash, value: &[u8]) -> ContentHash {
    ContentHash::of_parts([&key.as_bytes()[..], value])
}

/// The key and the value of the record at `offset`, if it is as it was written.
pub(super) fn read_record(file: &File, offset: u64, len: u32) -> Option<(ContentHash, Arc<[u8]>)> {
    let mut bytes = vec![0; RECORD + len as usize];
    file.read_exact_at(&mut bytes, offset).ok()?;
    let record = Record::parse(&bytes)?;
    let value = &bytes[RECORD..];
    let is_right = record.len == len && record.hash == value_hash(&record.key, value);
    is_right.then(|| (record.key, Arc::from(value)))
}

/// Result of a scan.
#[derive(Default)]
pub(super) struct ScanResult {
    /// End of the last whole record; 0 if there is none.
    pub(super) end: u64,
    /// Number of bytes between records that belong to none.
    pub(super) skipped: u64,
}

/// Walks the records of `file` from `from` to `len` and tells `see` of each: key, place, length of its value. Bytes that
/// are no record are passed over until the next one.
pub(super) fn walk(
    file: &File,
    from: u64,
    len: u64,
    see: &mut dyn FnMut(ContentHash, u64, u32),
) -> ScanResult {
    let mut found = ScanResult::default();
    let mut at = from;
    loop {
        let mut bytes = [0; RECORD];
        let record = match file.read_exact_at(&mut bytes, at) {
            Ok(()) => Record::parse(&bytes),
            Err(_) => return found,
        };
        let end = record
            .as_ref()
            .map(|record| at + RECORD as u64 + u64::from(record.len));
        match (record, end) {
            (Some(record), Some(end)) if end <= len => {
                see(record.key, at, record.len);
                found.end = end;
                at = end;
            }
            _ => {
                let Some(next) = next_record(file, at + 1) else {
                    return found;
                };
                found.skipped += next - at;
                at = next;
            }
        }
    }
}

/// Offset of the next whole record at or after `from`.
fn next_record(file: &File, from: u64) -> Option<u64> {
    let mut window = vec![0; 1 << 16];
    let mut at = from;
    loop {
        let read = file.read_at(&mut window, at).ok()?;
        for found in memmem::find_iter(&window[..read], RECORD_MAGIC) {
            let mut bytes = [0; RECORD];
            let place = at + found as u64;
            if file.read_exact_at(&mut bytes, place).is_ok() && Record::parse(&bytes).is_some() {
                return Some(place);
            }
        }
        if read < RECORD_MAGIC.len() {
            return None;
        }
        // A sign may stand across the end of the window.
        at += (read - (RECORD_MAGIC.len() - 1)) as u64;
    }
}
