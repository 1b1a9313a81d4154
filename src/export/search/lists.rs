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

use std::io::Write;

use anyhow::Context;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::words::{Known, OfPage, OnPage};

/// About how many bytes stand in one piece of lists, before they are packed.
const LISTS: usize = 6 * 1024;
/// About how many bytes stand in one piece of the vocabulary.
const WORDS: usize = 256 * 1024;
/// About how many bytes stand in one piece of sizes.
const SIZES: usize = 64 * 1024;

/// The pieces of a vocabulary, each with its first word.
pub(super) fn vocabulary(words: &[Known]) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
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
        pieces.push((first.word.clone(), packed(&piece)?));
        rest = &rest[count..];
    }
    Ok(pieces)
}

/// The pieces of `lists`, each with how many lists it has.
pub(super) fn lists(lists: &[Vec<OnPage>]) -> anyhow::Result<Vec<(usize, Vec<u8>)>> {
    let mut pieces = Vec::new();
    let (mut piece, mut count) = (Vec::new(), 0);
    for (i, list) in lists.iter().enumerate() {
        let bytes = self::list(list);
        number(&mut piece, bytes.len());
        piece.extend(bytes);
        count += 1;
        if piece.len() >= LISTS || i + 1 == lists.len() {
            pieces.push((count, packed(&piece)?));
            piece.clear();
            count = 0;
        }
    }
    Ok(pieces)
}

/// The sizes of pages in pieces, each with how many pages it has.
pub(super) fn sizes(pages: &[OfPage]) -> anyhow::Result<Vec<(usize, Vec<u8>)>> {
    let mut pieces = Vec::new();
    let (mut piece, mut count) = (Vec::new(), 0);
    for (i, page) in pages.iter().enumerate() {
        for size in page.sizes {
            number(&mut piece, size as usize);
        }
        number(&mut piece, page.passages.len());
        for size in page.passages.iter().flat_map(|passage| passage.0) {
            number(&mut piece, size as usize);
        }
        count += 1;
        if piece.len() >= SIZES || i + 1 == pages.len() {
            pieces.push((count, packed(&piece)?));
            piece.clear();
            count = 0;
        }
    }
    Ok(pieces)
}

fn list(pages: &[OnPage]) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, pages.len());
    let mut next = 0;
    for page in pages {
        let distance = page.page - next;
        next = page.page + 1;
        let mut bits = u32::from(!page.passages.is_empty()) << 3;
        for (bit, times) in page.times.iter().enumerate() {
            bits |= u32::from(*times > 0) << bit;
        }
        number(&mut out, (distance << 4 | bits) as usize);
        for (kind, times) in page.times.iter().enumerate() {
            if *times > 0 {
                number(&mut out, *times as usize);
                if kind == 0 {
                    number(&mut out, page.place as usize);
                }
            }
        }
        if !page.passages.is_empty() {
            number(&mut out, page.passages.len());
        }
        let mut next = 0;
        for passage in &page.passages {
            let distance = passage.ordinal - next;
            next = passage.ordinal + 1;
            let is_more = passage.times.iter().any(|times| *times > 1);
            let mut bits = u32::from(is_more) << 4;
            for (bit, times) in passage.times.iter().enumerate() {
                bits |= u32::from(*times > 0) << bit;
            }
            number(&mut out, (distance << 5 | bits) as usize);
            if is_more {
                for times in passage.times.iter().filter(|times| **times > 0) {
                    number(&mut out, *times as usize);
                }
            }
            if passage.times[0] > 0 {
                number(&mut out, passage.place as usize);
            }
        }
    }
    out
}

/// Packed bytes.
pub(super) fn packed(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).context("packing in memory")?;
    packer.finish().context("packing in memory")
}

/// Writes `value`, seven bits to a byte, the lowest first.
fn number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 128 {
        out.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}
