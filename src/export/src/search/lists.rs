//! Words, lists and sizes as bytes; `theme/js/searcher.js` reads them. Numbers are written seven bits to a byte, the lowest
//! first, and every piece is packed (gzip), so what is read does not depend on the server.
//!
//! A piece of the vocabulary is the number of its words and the bytes of their endings, a line each; then of each word how
//! many UTF-16 units it shares with the one before; then on how many pages it stands; then its list: 0 for one that no
//! word before had, or how far back from the next such.
//!
//! A piece of lists is the length of each list in bytes and the list. A list is the number of its pages; of each page the
//! distance from the one before and four bits (title, address, names, passages), then for each bit that is set: how often,
//! and for the title the place there; the number of passages; of each passage the distance from the one before and five bits
//! (heading, headings above, prose, code, more than once), then how often for each of the four if it is more than once,
//! then the place in the heading if it stands there.
//!
//! A piece of sizes has for each page the words of its title, address, names and headings, the number of its passages, and
//! of each the words of its headings with those above, its prose and its code.

use anyhow::Context;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};

use super::words::TypedWord;

/// About how many bytes stand in one piece of lists, before they are packed.
const LISTS: usize = 6 * 1024;
/// About how many bytes stand in one piece of the vocabulary.
const WORDS: usize = 256 * 1024;
/// About how many bytes stand in one piece of sizes.
pub(super) const SIZES: usize = 64 * 1024;

/// The pieces of a vocabulary, not packed, each with its first word.
pub(super) fn vocabulary(words: &[TypedWord]) -> Vec<(String, Vec<u8>)> {
    let mut pieces = Vec::new();
    let mut next = 0;
    let mut rest = words;
    while let Some(first) = rest.first() {
        let (mut before, mut size) = ("", 0);
        let (mut endings, mut shared, mut pages, mut lists) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let start = next;
        let mut count = 0;
        for known in rest {
            let same = before.chars().zip(known.word.chars());
            let same = same.take_while(|(a, b)| a == b).map(|(a, _)| a);
            let (mut units, mut at) = (0, 0);
            for c in same {
                units += c.len_utf16();
                at += c.len_utf8();
            }
            number(&mut shared, units);
            endings.extend_from_slice(&known.word.as_bytes()[at..]);
            endings.push(b'\n');
            number(&mut pages, known.pages as usize);
            let back = next - known.list;
            number(&mut lists, back);
            next += usize::from(back == 0);
            before = &known.word;
            count += 1;
            size += known.word.len() - at + 4;
            if size > WORDS {
                break;
            }
        }
        let mut piece = Vec::new();
        number(&mut piece, count);
        number(&mut piece, start);
        number(&mut piece, endings.len());
        for part in [endings, shared, pages, lists] {
            piece.extend(part);
        }
        pieces.push((first.word.clone(), piece));
        rest = &rest[count..];
    }
    pieces
}

/// Posting list of a word: bytes that grow with each page.
#[derive(Default)]
pub(super) struct List {
    pages: usize,
    /// One more than the number of the last page.
    next: usize,
    bytes: Vec<u8>,
}

impl List {
    /// Returns true if the word is on no page.
    pub(super) fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// Number of pages, one more than the number of the last page, and the bytes.
    pub(super) fn parts(&self) -> (usize, usize, &[u8]) {
        (self.pages, self.next, &self.bytes)
    }

    /// Adds the pages of a list, as [`List::parts`] has them, behind those before: its first page is now the one with the number
    /// `base`. Nothing if it holds no page.
    pub(super) fn join(&mut self, base: usize, (pages, next, mut bytes): (usize, usize, &[u8])) {
        let Some(first) = read_number(&mut bytes) else {
            return;
        };
        self.push(base + (first >> 4), (first & 15) as u8, bytes);
        self.next = base + next;
        self.pages += pages - 1;
    }

    /// Adds a page behind those before: the four bits, and what follows them.
    pub(super) fn push(&mut self, page: usize, bits: u8, tail: &[u8]) {
        number(&mut self.bytes, (page - self.next) << 4 | usize::from(bits));
        self.bytes.extend_from_slice(tail);
        self.next = page + 1;
        self.pages += 1;
    }
}

/// The pieces of `lists`, not packed, each with how many lists it has.
pub(super) fn lists(lists: Vec<List>) -> Vec<(usize, Vec<u8>)> {
    let mut pieces = Vec::new();
    let (mut piece, mut count) = (Vec::new(), 0);
    let last = lists.len();
    for (i, list) in (1..).zip(lists) {
        let mut pages = Vec::new();
        number(&mut pages, list.pages);
        number(&mut piece, pages.len() + list.bytes.len());
        piece.extend_from_slice(&pages);
        piece.extend_from_slice(&list.bytes);
        count += 1;
        if piece.len() >= LISTS || i == last {
            pieces.push((count, std::mem::take(&mut piece)));
            count = 0;
        }
    }
    pieces
}

/// Compression level of pieces: the best one saves a hundredth of the bytes, for twice the time.
const LEVEL: Compression = Compression::new(6);

/// Compressor of pieces, reused: its state takes a third of a megabyte.
pub(super) struct Packer(Compress);

impl Packer {
    /// A packer at [`LEVEL`].
    pub(super) fn new() -> Self {
        Self(Compress::new(LEVEL, false))
    }

    /// `bytes` as a member of gzip (RFC 1952).
    pub(super) fn packed(&mut self, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
        // No name, no time, neither the best nor the fastest, of no system.
        let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        self.0.reset();
        loop {
            let read = self.0.total_in() as usize;
            out.reserve((bytes.len() - read) / 2 + 64);
            let rest = &bytes[read..];
            let status = self.0.compress_vec(rest, &mut out, FlushCompress::Finish);
            if status.context("packing in memory")? == Status::StreamEnd {
                break;
            }
        }
        let mut crc = Crc::new();
        crc.update(bytes);
        out.extend_from_slice(&crc.sum().to_le_bytes());
        out.extend_from_slice(&crc.amount().to_le_bytes());
        Ok(out)
    }
}

/// Writes `value`, seven bits to a byte, the lowest first.
pub(super) fn number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 128 {
        out.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The number at the beginning of `bytes`, which are left behind it; `None` if they end within it.
pub(super) fn read_number(bytes: &mut &[u8]) -> Option<usize> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= usize::from(byte & 127).checked_shl(shift)?;
        shift += 7;
        if byte & 128 == 0 {
            return Some(value);
        }
    }
}

/// Reads a length from the start of `bytes` and returns as many bytes; `bytes` continues after
/// them.
pub(super) fn read_slice<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = read_number(bytes)?;
    let (slice, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(slice)
}

/// Writes the number of `slice`'s bytes, and the bytes.
pub(super) fn push_slice(out: &mut Vec<u8>, slice: &[u8]) {
    number(out, slice.len());
    out.extend_from_slice(slice);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn lists_that_are_joined_are_the_list_of_all_their_pages() {
        let pages = [
            (0, 8, &b"a"[..]),
            (3, 1, b"bc"),
            (200, 15, b""),
            (9_000, 2, b"d"),
        ];
        for cut in 1..pages.len() {
            let base = pages[cut].0 - 1;
            let (mut whole, mut joined, mut second) =
                (List::default(), List::default(), List::default());
            for (at, (page, bits, tail)) in pages.into_iter().enumerate() {
                whole.push(page, bits, tail);
                match at < cut {
                    true => joined.push(page, bits, tail),
                    false => second.push(page - base, bits, tail),
                }
            }
            joined.join(base, second.parts());
            assert_eq!(joined.parts(), whole.parts(), "{cut}");
        }
    }

    #[test]
    fn a_packer_that_was_used_before_writes_what_a_new_one_does() {
        let mut packer = Packer::new();
        let mut state = 7_u32;
        for length in [0, 1, 5, 300, 6_000, 70_000, 40, 300_000] {
            let bytes: Vec<u8> = (0..length)
                .map(|i| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> (24 + i % 5)) as u8
                })
                .collect();
            let mut other = GzEncoder::new(Vec::new(), LEVEL);
            other.write_all(&bytes).expect("written");
            assert_eq!(
                packer.packed(&bytes).expect("packed"),
                other.finish().expect("packed"),
                "{length}"
            );
        }
    }
}
