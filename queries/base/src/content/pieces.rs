//! The digest of a large text, computed from the digests of its pieces.
//!
//! The end of a piece is determined by the bytes before it, not by their number: an edit moves the
//! ends behind it and leaves the pieces as they are (content-defined chunking; Xia et al., FastCDC,
//! USENIX ATC 2016). So the digest after an edit costs the edit, and is the same as if the whole
//! text had been read.

use super::ContentHash;

/// Minimum number of bytes of a piece, except for the last one.
const LEAST: usize = 16 << 10;

/// Maximum number of bytes of a piece.
const MAX_PIECE_BYTES: usize = 64 << 10;

/// A piece that has the minimum length ends where these bits of the rolling hash are zero: on
/// average after 4 KiB more. The high bits are used because most of the preceding bytes influence
/// them.
const ENDS: u64 = 0xFFF << 52;

/// Number of bytes that the rolling hash depends on: each shifts those before it by a bit.
const WINDOW: usize = 64;

/// A number for each byte (splitmix64).
const NUMBERS: [u64; 256] = numbers();

const fn numbers() -> [u64; 256] {
    let mut numbers = [0; 256];
    let mut state = 0_u64;
    let mut at = 0;
    while at < numbers.len() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = state;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        numbers[at] = number ^ (number >> 31);
        at += 1;
    }
    numbers
}

/// A text in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// End and digest of each.
    all: Vec<(usize, ContentHash)>,
}

impl Pieces {
    /// Pieces of `text`.
    pub fn of(text: &[u8]) -> Self {
        let mut all = Vec::with_capacity(text.len() / LEAST + 1);
        let mut start = 0;
        while start < text.len() {
            let end = start + length(&text[start..]);
            all.push((end, ContentHash::of(&text[start..end])));
            start = end;
        }
        Self { all }
    }

    /// Returns the pieces of `text`, reusing those of `self`. `prefix` and `suffix` are the numbers
    /// of bytes that the old and the new text have in common at the beginning and at the end.
    #[must_use]
    pub fn edited(&self, text: &[u8], (prefix, suffix): (usize, usize)) -> Self {
        let before = self.all.last().map_or(0, |(end, _)| *end);
        let suffix = suffix.min(before.min(text.len()).saturating_sub(prefix));
        // The last one may have ended because nothing came after it.
        let known = self.all.partition_point(|(end, _)| *end <= prefix);
        let known = known.min(self.all.len().saturating_sub(1));
        let mut all = Vec::with_capacity(self.all.len() + 4);
        all.extend_from_slice(&self.all[..known]);
        let mut start = all.last().map_or(0, |(end, _)| *end);
        while start < text.len() {
            let end = start + length(&text[start..]);
            all.push((end, ContentHash::of(&text[start..end])));
            start = end;
            // How much comes after it, in both texts, if it is the same.
            let rest = text.len() - end;
            if rest > suffix || rest > before {
                continue;
            }
            let same = (self.all).binary_search_by_key(&(before - rest), |(end, _)| *end);
            if let Ok(same) = same {
                // What begins at the same place of the same text is cut alike to its end.
                let moved =
                    |(at, digest): &(usize, ContentHash)| (at + text.len() - before, *digest);
                all.extend(self.all[same + 1..].iter().map(moved));
                break;
            }
        }
        Self { all }
    }

    /// The digest of the text.
    pub fn digest(&self) -> ContentHash {
        // Lengths as well as digests, so that no list of pieces is mistaken for another.
        let parts = self.all.iter().map(|(_, digest)| &digest.as_bytes()[..]);
        let ends: Vec<u8> = self
            .all
            .iter()
            .flat_map(|(end, _)| (*end as u64).to_le_bytes())
            .collect();
        ContentHash::of_parts(parts.chain([&ends[..]]))
    }
}

/// Returns the length of the first piece of `text`.
fn length(text: &[u8]) -> usize {
    if text.len() <= LEAST {
        return text.len();
    }
    let most = text.len().min(MAX_PIECE_BYTES);
    let mut hash = 0_u64;
    let mut mix = |byte: &u8| {
        hash = (hash << 1).wrapping_add(NUMBERS[usize::from(*byte)]);
        hash & ENDS == 0
    };
    let warm = &text[LEAST - WINDOW..LEAST];
    for byte in warm {
        mix(byte);
    }
    (text[LEAST..most].iter())
        .position(mix)
        .map_or(most, |at| LEAST + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are equal in every run.
    fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed;
        move |below| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below.max(1)
        }
    }

    fn common(a: &[u8], b: &[u8]) -> (usize, usize) {
        let alike = |(a, b): &(&u8, &u8)| a == b;
        let prefix = a.iter().zip(b).take_while(alike).count();
        let suffix = a.iter().rev().zip(b.iter().rev()).take_while(alike).count();
        (prefix, suffix)
    }

    fn check(before: &[u8], after: &[u8]) -> Pieces {
        let edited = Pieces::of(before).edited(after, common(before, after));
        let whole = Pieces::of(after);
        assert_eq!(edited, whole, "{} to {} bytes", before.len(), after.len());
        assert_eq!(
            edited.digest() == Pieces::of(before).digest(),
            before == after
        );
        edited
    }

    /// Texts of many kinds: noise, words, one byte again and again, a short period.
    fn texts() -> Vec<Vec<u8>> {
        let mut random = numbers(1);
        let noise = (0..700_000).map(|_| random(256) as u8).collect();
        let words = (0..90_000).flat_map(|n| format!("{{\"key-{}\": {n}}},", n % 97).into_bytes());
        let period = b"abcdefg".iter().copied().cycle().take(300_000);
        vec![
            noise,
            words.collect(),
            vec![b' '; 400_000],
            period.collect(),
            Vec::new(),
            vec![7],
        ]
    }

    #[test]
    fn an_edit_leads_to_the_pieces_of_the_text_after_it() {
        let mut random = numbers(2);
        for text in texts() {
            let mut before = text;
            for step in 0..60 {
                let mut after = before.clone();
                let at = random(after.len() + 1);
                let end = after.len().min(at + random([1, 40, 90_000][step % 3]));
                let size = random([1, 40, 90_000][step / 3 % 3]);
                let new: Vec<u8> = (0..size).map(|_| random(256) as u8).collect();
                after.splice(at..end, new);
                check(&before, &after);
                before = after;
            }
        }
    }

    #[test]
    fn what_is_cut_off_or_added_at_an_end_is_seen() {
        for text in texts() {
            for cut in [0, 1, 5, LEAST, MAX_PIECE_BYTES, text.len() / 2, text.len()] {
                let cut = cut.min(text.len());
                check(&text, &text[cut..]);
                check(&text[cut..], &text);
                check(&text, &text[..text.len() - cut]);
                check(&text[..text.len() - cut], &text);
                check(&text[..cut], &text[text.len() - cut..]);
            }
        }
    }

    #[test]
    fn a_small_edit_leaves_nearly_all_pieces_as_they_are() {
        let text = &texts()[1];
        let before = Pieces::of(text);
        assert!(before.all.len() > 60, "{}", before.all.len());
        for at in [0, text.len() / 3, text.len() - 9] {
            let mut after = text.clone();
            after.splice(at..at + 3, *b"longer than it was");
            let after = check(text, &after);
            let new = after
                .all
                .iter()
                .filter(|(_, digest)| before.all.iter().all(|(_, old)| old != digest));
            assert!(new.count() <= 8, "an edit at {at}");
        }
    }

    #[test]
    fn pieces_are_neither_short_nor_long() {
        for text in texts() {
            let mut start = 0;
            let all = Pieces::of(&text).all;
            for (n, (end, _)) in all.iter().enumerate() {
                assert!(end - start <= MAX_PIECE_BYTES);
                assert!(end - start >= LEAST || n + 1 == all.len());
                start = *end;
            }
            assert_eq!(start, text.len());
        }
    }
}
