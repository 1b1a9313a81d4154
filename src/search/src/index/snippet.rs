//! The few words of a passage that show why it was found.

use std::collections::HashSet;
use std::ops::Range;

use crate::index::phrases::Phrases;
use crate::index::words::Analyzer;

/// About how long an excerpt is, in characters.
const LENGTH: usize = 160;
/// Maximum distance of the start of an excerpt before its first match, in bytes.
const LEAD: usize = 60;

/// An excerpt of plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text, without line breaks.
    pub text: String,
    /// The bytes of `text` that were asked for, in order, apart from each other.
    pub matches: Vec<Range<usize>>,
}

/// The best stretch of one of `texts` to show for `terms` and `phrases`: of the first that has most of them; its beginning
/// if none has any.
pub fn snippet(
    texts: &[&str],
    (analyzer, terms): (&mut Analyzer, &HashSet<String>),
    phrases: Option<&Phrases>,
) -> Snippet {
    let mut best: Option<(usize, &str, Vec<Match>)> = None;
    for text in texts.iter().filter(|text| !text.trim().is_empty()) {
        let mut matches = matches(text, analyzer, terms);
        let mut worth = {
            let different: HashSet<&str> = matches.iter().map(|(_, term)| term.as_str()).collect();
            different.len()
        };
        if let Some(phrases) = phrases {
            let places = phrases.places(analyzer, text);
            if !places.is_empty() {
                // Their words stand there together, which is what shall be seen; elsewhere they say nothing.
                matches.retain(|(_, term)| !phrases.have(term));
                matches.extend(
                    places
                        .into_iter()
                        .map(|(i, bytes)| (bytes, format!("\"{i}"))),
                );
                matches.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
                worth = terms.len() + 1;
            }
        }
        if best.as_ref().is_none_or(|(most, ..)| worth > *most) {
            best = Some((worth, text, matches));
        }
    }
    best.map(|(_, text, matches)| snippet_of(text, matches))
        .unwrap_or_default()
}

fn snippet_of(text: &str, matches: Vec<Match>) -> Snippet {
    let start = start(text, &matches);
    let end = end(text, start);
    let mut snippet = Snippet::default();
    if start > 0 {
        snippet.text.push('…');
    }
    let shift = snippet.text.len();
    // A line break and a blank are as long as each other, so places stay what they are.
    snippet.text.extend(
        text[start..end]
            .chars()
            .map(|c| if c.is_ascii_whitespace() { ' ' } else { c }),
    );
    if end < text.trim_end().len() {
        snippet.text.push('…');
    }
    let inside = matches
        .into_iter()
        .filter(|(bytes, _)| bytes.start >= start && bytes.end <= end);
    let inside = inside.map(|(bytes, _)| bytes.start - start + shift..bytes.end - start + shift);
    snippet.matches = merge_ranges(inside);
    snippet
}

/// Ranges that are in order of their beginnings, joined where they touch.
fn merge_ranges(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Returns the byte ranges of `text` with words of `terms`, in order, without overlap.
pub fn ranges(text: &str, analyzer: &mut Analyzer, terms: &HashSet<String>) -> Vec<Range<usize>> {
    merge_ranges(
        matches(text, analyzer, terms)
            .into_iter()
            .map(|(bytes, _)| bytes),
    )
}

/// Range of a term, and the term.
type Match = (Range<usize>, String);

/// Ranges of the words of `terms` in `text`, in order, with the words.
fn matches(text: &str, analyzer: &mut Analyzer, terms: &HashSet<String>) -> Vec<Match> {
    let mut matches = Vec::new();
    analyzer.terms(text, |bytes, term, _| {
        if terms.contains(term) {
            matches.push((bytes, term.to_owned()));
        }
    });
    matches.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
    matches
}

/// Returns the start of an excerpt with most of the words: the start of its sentence if that is
/// near, else of a word.
fn start(text: &str, matches: &[Match]) -> usize {
    let mut best = (0, 0, 0);
    for (i, (first, _)) in matches.iter().enumerate() {
        let inside = matches[i..]
            .iter()
            .take_while(|(bytes, _)| bytes.end <= first.start + LENGTH - LEAD / 2);
        let (mut different, mut all) = (HashSet::new(), 0);
        for (_, term) in inside {
            different.insert(term);
            all += 1;
        }
        if (different.len(), all) > (best.0, best.1) {
            best = (different.len(), all, first.start);
        }
    }
    let first = best.2;
    // All of a short text is its best excerpt.
    if first <= LEAD || text.len() <= LENGTH {
        return text.len() - text.trim_start().len();
    }
    let from = floor(text, first.saturating_sub(LEAD));
    let lead = &text[from..first];
    let sentence = lead
        .rmatch_indices(['.', '!', '?', '\n', '。', '！', '？'])
        .find_map(|(at, sign)| {
            let after = from + at + sign.len();
            let is_end =
                sign == "\n" || !sign.is_ascii() || text[after..].starts_with(char::is_whitespace);
            is_end.then_some(after)
        });
    let word = || lead.find(char::is_whitespace).map(|at| from + at);
    let start = sentence.or_else(word).unwrap_or(first);
    start + (text[start..].len() - text[start..].trim_start().len())
}

/// Returns the end of an excerpt that begins at `start`: the end of a word.
fn end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let Some((limit, _)) = rest.char_indices().nth(LENGTH) else {
        return start + rest.trim_end().len();
    };
    let is_border = rest[limit..].starts_with(char::is_whitespace);
    let cut = match rest[..limit].rfind(char::is_whitespace) {
        _ if is_border => limit,
        // A language without blanks, or one endless word.
        None => limit,
        Some(blank) if blank < limit / 2 => limit,
        Some(blank) => blank,
    };
    start + rest[..cut].trim_end().len()
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
