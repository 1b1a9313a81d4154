//! Extract of a passage that answers a question: its best sentences, with lists, tables, steps and
//! code kept whole.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use queries::site::{
    Block, CodeLanguage, Embedder, Embedding, Line, code_language, cosine, markdown,
};

use super::direct::{AnswerType, has_number};
use super::sentences::{plain, sentences};
use quire_search::index::words::Analyzer;

/// Maximum numbers of quoted list items or table rows, and of lines of code. Of longer ones only the
/// parts that answer are quoted, or none.
const MAX_PARTS: usize = 14;
const MAX_LINES: usize = 40;

/// Length of an extract.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// Words of prose.
    pub(super) words: usize,
    /// Maximum number of items and of rows, and of lines of code, of what is quoted as a whole.
    pub(super) parts: usize,
    pub(super) lines: usize,
}

impl Length {
    /// An extract of at most `words` words of prose, with whole lists, tables and code.
    pub(super) const fn of(words: usize) -> Self {
        Self {
            words,
            parts: MAX_PARTS,
            lines: MAX_LINES,
        }
    }
}
/// Maximum number of sentences of a passage that are compared with a question.
const MAX_SENTENCES: usize = 60;
/// Maximum number of bytes of a passage for a model.
const MAX_LETTERS: usize = 4000;
/// Bonus of the first sentence.
const FIRST: f32 = 0.08;
/// Bonus of a number where one is asked for, and of code in the language that is asked for.
const NUMBER: f32 = 0.12;
const CODE: f32 = 0.5;
/// Weight of matching words relative to semantic similarity.
const WORDS: f32 = 0.6;

/// A question, as sentences are compared with it.
pub(super) struct Reader {
    analyzer: Analyzer,
    /// Weight of each word; the sum is 1.
    words: BTreeMap<String, f32>,
    meaning: Embedding,
    /// Whether a number is asked for.
    is_measured: bool,
    /// The language of code that is asked for.
    code: Option<&'static CodeLanguage>,
}

impl Reader {
    /// Reader of passages in `language` for `question`; a word that is in few of `texts` weighs
    /// more.
    pub(super) fn new(question: &str, language: &str, texts: &[String]) -> Self {
        let mut analyzer = Analyzer::new(language);
        let question_words = analyzer.question(question);
        let mut times: HashMap<String, usize> = HashMap::new();
        for text in texts {
            let mut seen = std::collections::HashSet::new();
            analyzer.terms(text, |_, term, _| {
                if seen.insert(term.to_owned()) {
                    *times.entry(term.to_owned()).or_default() += 1;
                }
            });
        }
        let all = texts.len() as f32;
        let mut words = BTreeMap::new();
        for word in &question_words {
            let found = times.get(&word.whole.term).copied().unwrap_or(0) as f32;
            let worth = (1.0 + (all - found + 0.5) / (found + 0.5)).ln();
            words.insert(word.whole.term.clone(), worth.max(0.05));
        }
        let sum: f32 = words.values().sum();
        for worth in words.values_mut() {
            *worth /= sum.max(f32::MIN_POSITIVE);
        }
        Self {
            analyzer,
            words,
            meaning: Embedder::built_in().embed(question),
            is_measured: false,
            code: None,
        }
    }

    /// Prefers what is `wanted`, and code in the language that is asked for.
    pub(super) fn preferring(
        mut self,
        wanted: &AnswerType,
        code: Option<&'static CodeLanguage>,
    ) -> Self {
        self.is_measured = *wanted == AnswerType::Number;
        self.code = code;
        self
    }

    /// Returns true if the question has every word of `text`.
    pub(super) fn has_all(&mut self, text: &str) -> bool {
        let asked = self.analyzer.question(text);
        let mut asked = asked.iter().map(|word| &word.whole.term);
        !text.is_empty() && asked.len() > 0 && asked.all(|term| self.words.contains_key(term))
    }

    /// Relevance of the most relevant sentence of `text`, 0 to 1.
    pub(super) fn best_sentence(&mut self, text: &str) -> f32 {
        let sentences = text.lines().flat_map(sentences).take(MAX_SENTENCES);
        let worths = sentences.map(|sentence| self.worth(sentence));
        worths.fold(0.0, f32::max)
    }

    /// Relevance of `text` to the question, 0 to 1.
    fn worth(&mut self, text: &str) -> f32 {
        let near = cosine(&self.meaning, &Embedder::built_in().embed(text)).max(0.0);
        let number = match self.is_measured && has_number(text) {
            true => NUMBER,
            false => 0.0,
        };
        WORDS * self.words_of(text) + (1.0 - WORDS) * near + number
    }

    /// Overlap of `heading` and question, by words shared of all words of both; 1 if they have the
    /// same words.
    pub(super) fn share_of(&mut self, heading: &str) -> f32 {
        let asked = self.analyzer.question(heading);
        let shared = asked
            .iter()
            .filter(|word| self.words.contains_key(&word.whole.term));
        let shared = shared.count() as f32 / asked.len().max(1) as f32;
        let covered = self.words_of(heading);
        if shared >= 1.0 && covered > 0.999 {
            1.0
        } else {
            shared * covered
        }
    }

    /// Weight of the words of the question in `text`, 0 to 1.
    pub(super) fn words_of(&mut self, text: &str) -> f32 {
        let mut found = std::collections::BTreeSet::new();
        let words = &self.words;
        self.analyzer.terms(text, |_, term, _| {
            if words.contains_key(term) {
                found.insert(term.to_owned());
            }
        });
        found.iter().map(|term| self.words[term]).sum()
    }
}

/// The blocks of `blocks` that belong together.
#[derive(Clone, Debug, PartialEq)]
enum Group {
    Paragraph(usize),
    /// Items, with the code that stands in them.
    List(Range<usize>),
    Table(Range<usize>),
    Code(usize),
}

/// Extract of `blocks` that answers the question, as CommonMark; empty if there is none.
pub(super) fn extract(blocks: &[Block], reader: &mut Reader, length: Length) -> String {
    let most = length.words;
    let blocks = &*in_language(blocks, reader.code);
    let groups = groups(blocks);
    let sizes: Vec<usize> = groups.iter().map(|group| words_of(blocks, group)).collect();
    let are_short = groups.iter().all(|group| is_short(blocks, group, length));
    if are_short && sizes.iter().sum::<usize>() <= most {
        return markdown(blocks);
    }
    let Some(best) = best_group(blocks, &groups, reader) else {
        return String::new();
    };
    let mut parts: Vec<(usize, String)> = Vec::new();
    let quoted = quote(blocks, &groups[best], reader, length);
    let mut room = most.saturating_sub(count(&quoted));
    parts.push((best, quoted));
    // What introduces a list, a table or code is needed to understand it; what a paragraph introduces answers with it.
    let leads_on =
        |group: &Group| matches!(group, Group::Paragraph(at) if introduces(&blocks[*at]));
    if !matches!(groups[best], Group::Paragraph(_))
        && best > 0
        && let Group::Paragraph(at) = groups[best - 1]
    {
        let line = line_of(&blocks[at]);
        let last = line.and_then(|line| {
            sentences(&line.markdown)
                .last()
                .map(|last| (*last).to_owned())
        });
        parts.extend(last.map(|last| (best - 1, last)));
    }
    let mut next = best + 1;
    while let Some(group) = groups.get(next) {
        let follows =
            leads_on(&groups[next - 1]) || matches!(group, Group::Code(_)) && next == best + 1;
        if !follows || !is_short(blocks, group, length) {
            break;
        }
        parts.push((next, markdown(&blocks[range(group)])));
        next += 1;
    }
    // Room that is left goes to what follows, a lead never without that, and then to the paragraph before.
    while let Some(group) = groups.get(next) {
        let until = next + if leads_on(group) { 2 } else { 1 };
        let (Some(whole), Some(sizes)) = (groups.get(next..until), sizes.get(next..until)) else {
            break;
        };
        let size: usize = sizes.iter().sum();
        if size > room || !whole.iter().all(|group| is_short(blocks, group, length)) {
            break;
        }
        room -= size;
        let texts = whole.iter().map(|group| markdown(&blocks[range(group)]));
        parts.extend((next..until).zip(texts));
        next = until;
    }
    if let Some(before) = best.checked_sub(1)
        && !parts.iter().any(|(at, _)| *at == before)
        && let Group::Paragraph(at) = groups[before]
        && sizes[before] <= room
        && !introduces(&blocks[at])
    {
        parts.push((before, markdown(&blocks[at..=at])));
    }
    parts.sort_by_key(|(at, _)| *at);
    let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
    parts.join("\n\n")
}

/// The first sentences of `blocks`, up to `most` words: what a passage says if nothing of it is asked for.
pub(super) fn beginning(blocks: &[Block], most: usize) -> String {
    let paragraph = blocks.iter().find_map(|block| match block {
        Block::Paragraph(line) => Some(line),
        _ => None,
    });
    let Some(line) = paragraph else {
        let groups = groups(blocks);
        let first = groups.first();
        let first = first.filter(|group| is_short(blocks, group, Length::of(most)));
        return first.map_or(String::new(), |group| markdown(&blocks[range(group)]));
    };
    let mut selected: Vec<&str> = Vec::new();
    let mut words = 0;
    for sentence in sentences(&line.markdown) {
        words += count(sentence);
        if words > most && !selected.is_empty() {
            break;
        }
        selected.push(sentence);
    }
    selected.join(" ")
}

/// Beginning of `blocks`, in whole groups and of at most [`MAX_LETTERS`].
pub(super) fn beginning_of(blocks: &[Block]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut letters = 0;
    for group in groups(blocks) {
        let text = markdown(&blocks[range(&group)]);
        letters += text.len();
        if letters > MAX_LETTERS {
            break;
        }
        parts.push(text);
    }
    parts.join("\n\n")
}

/// `blocks`, of code in several languages only that in `language`, or else the first.
fn in_language<'a>(
    blocks: &'a [Block],
    language: Option<&'static CodeLanguage>,
) -> Cow<'a, [Block]> {
    let is_code = |block: &&Block| matches!(block, Block::Code { .. });
    if blocks.iter().filter(is_code).count() < 2 {
        return Cow::Borrowed(blocks);
    }
    let mut kept: Vec<Block> = Vec::with_capacity(blocks.len());
    let mut rest = blocks;
    while let Some((first, after)) = rest.split_first() {
        // The same code in tabs: blocks of code, each with its title or without.
        let mut codes: Vec<&[Block]> = Vec::new();
        let mut left = rest;
        loop {
            let size = match left {
                [Block::Code { .. }, ..] => 1,
                [Block::Title(_), Block::Code { .. }, ..] => 2,
                _ => break,
            };
            codes.push(&left[..size]);
            left = &left[size..];
        }
        let title = |code: &[Block]| match code {
            [Block::Title(line), _] => Some(line.text.clone()),
            _ => None,
        };
        let wanted = language.and_then(|language| {
            codes.iter().find(|code| {
                let block = code.last();
                block.is_some_and(|block| is_in(block, title(code).as_deref(), language))
            })
        });
        let mut languages: Vec<Option<&str>> = codes.iter().map(|code| language_of(code)).collect();
        languages.sort_unstable();
        languages.dedup();
        // Code that follows other code without a title is a further step.
        let are_titled = codes.iter().all(|code| is_titled(code));
        let are_tabs = are_titled && languages.len() == codes.len();
        let wanted = wanted.or(codes.first());
        match wanted.filter(|_| are_tabs && codes.len() > 1) {
            Some(code) => {
                kept.extend_from_slice(code);
                rest = left;
            }
            None => {
                kept.push(first.clone());
                rest = after;
            }
        }
    }
    Cow::Owned(kept)
}

/// Returns true if a block of code has a title, of its own or before it.
fn is_titled(code: &[Block]) -> bool {
    match code {
        [Block::Code { title, .. }] => title.is_some(),
        _ => code.len() > 1,
    }
}

/// The language of a block of code with its title.
fn language_of(code: &[Block]) -> Option<&str> {
    match code.last() {
        Some(Block::Code { language, .. }) => language.as_deref(),
        _ => None,
    }
}

/// The first code of `blocks` in `language`, as CommonMark, with its title.
pub(super) fn code_of(blocks: &[Block], language: &CodeLanguage) -> Option<String> {
    for (at, block) in blocks.iter().enumerate() {
        let title = match at.checked_sub(1).map(|before| &blocks[before]) {
            Some(Block::Title(line)) => Some(line.text.as_str()),
            _ => None,
        };
        if is_in(block, title, language) && is_short(blocks, &Group::Code(at), Length::of(0)) {
            return Some(markdown(std::slice::from_ref(block)));
        }
    }
    None
}

/// Returns true if `code` is in `language`, by its own name or by the `label` above it.
fn is_in(code: &Block, label: Option<&str>, language: &CodeLanguage) -> bool {
    let Block::Code {
        language: of,
        title,
        text,
    } = code
    else {
        return false;
    };
    // Any command of a shell is colored like those.
    if language.highlight == "bash" && !text.contains(language.id) {
        return false;
    }
    let is_named = |name: &str| code_language(name).is_some_and(|of| of.id == language.id);
    [of.as_deref(), title.as_deref(), label]
        .into_iter()
        .flatten()
        .any(|name| is_named(name) || name.eq_ignore_ascii_case(language.label))
}

fn groups(blocks: &[Block]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let last = groups.last_mut();
        match (block, last) {
            (Block::Item { .. }, Some(Group::List(items))) => items.end = at + 1,
            (Block::Item { .. }, _) => groups.push(Group::List(at..at + 1)),
            (
                Block::Row {
                    is_first: false, ..
                },
                Some(Group::Table(rows)),
            ) => rows.end = at + 1,
            (Block::Row { .. }, _) => groups.push(Group::Table(at..at + 1)),
            // The code of a step stands between the steps.
            (Block::Code { .. }, Some(Group::List(items)))
                if is_step(&blocks[items.clone()], &blocks[at + 1..]) =>
            {
                items.end = at + 1;
            }
            (Block::Code { .. }, _) => groups.push(Group::Code(at)),
            (Block::Paragraph(_) | Block::Title(_), _) => groups.push(Group::Paragraph(at)),
        }
    }
    groups
}

/// Returns true if code between these blocks belongs to a numbered list: another item follows.
fn is_step(items: &[Block], after: &[Block]) -> bool {
    let number = |block: &Block| match block {
        Block::Item { number, .. } => *number,
        _ => None,
    };
    let last = items.iter().filter_map(number).next_back();
    let next = after
        .iter()
        .find(|block| !matches!(block, Block::Code { .. }));
    match (last, next) {
        (Some(last), Some(block)) => {
            number(block).is_some_and(|next| next == last || next == last + 1)
        }
        (Some(_), None) => true,
        _ => false,
    }
}

fn range(group: &Group) -> Range<usize> {
    match group {
        Group::Paragraph(at) | Group::Code(at) => *at..*at + 1,
        Group::List(range) | Group::Table(range) => range.clone(),
    }
}

fn line_of(block: &Block) -> Option<&Line> {
    match block {
        Block::Paragraph(line) | Block::Title(line) | Block::Item { line, .. } => Some(line),
        Block::Row { .. } | Block::Code { .. } => None,
    }
}

fn introduces(block: &Block) -> bool {
    match block {
        Block::Title(_) => true,
        _ => line_of(block).is_some_and(|line| line.text.ends_with([':', '：'])),
    }
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Number of words of prose in `group`; code is counted by its lines elsewhere.
fn words_of(blocks: &[Block], group: &Group) -> usize {
    let lines = blocks[range(group)].iter().flat_map(Block::lines);
    lines.map(|line| count(&line.text)).sum()
}

/// Returns true if `group` may be quoted as a whole.
fn is_short(blocks: &[Block], group: &Group, length: Length) -> bool {
    let lines = |block: &Block| match block {
        Block::Code { text, .. } => text.lines().count(),
        _ => 0,
    };
    let blocks = &blocks[range(group)];
    let code: usize = blocks.iter().map(lines).sum();
    code <= length.lines
        && match group {
            Group::Paragraph(_) | Group::Code(_) => true,
            Group::List(_) | Group::Table(_) => blocks.len() <= length.parts,
        }
}

fn best_group(blocks: &[Block], groups: &[Group], reader: &mut Reader) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (i, group) in groups.iter().enumerate() {
        let text = match group {
            Group::Code(at) => match &blocks[*at] {
                Block::Code { text, .. } => text.clone(),
                _ => String::new(),
            },
            _ => text_of(&blocks[range(group)]),
        };
        let mut worth = match group {
            // Sentences count for themselves: a long paragraph has every word.
            Group::Paragraph(at) => {
                let line = line_of(&blocks[*at])?;
                let each = sentences(&line.markdown).into_iter();
                each.map(|sentence| reader.worth(&plain(sentence)))
                    .fold(0.0, f32::max)
            }
            Group::Code(at) if reader.code.is_some_and(|of| is_in(&blocks[*at], None, of)) => {
                0.8 * reader.worth(&text) + CODE
            }
            Group::Code(_) => 0.8 * reader.worth(&text),
            Group::List(_) | Group::Table(_) => 0.95 * reader.worth(&text),
        };
        if matches!(group, Group::Paragraph(at) if matches!(blocks[*at], Block::Title(_))) {
            worth *= 0.5;
        }
        if i == 0 {
            worth += FIRST;
        }
        if best.is_none_or(|(_, most)| worth > most) {
            best = Some((i, worth));
        }
    }
    best.map(|(i, _)| i)
}

fn text_of(blocks: &[Block]) -> String {
    let lines: Vec<&str> = blocks
        .iter()
        .flat_map(Block::lines)
        .map(|line| line.text.as_str())
        .collect();
    lines.join("\n")
}

/// Extract of `group` with up to `most` words of prose; lists, tables and code as a whole if they
/// are short enough.
fn quote(blocks: &[Block], group: &Group, reader: &mut Reader, length: Length) -> String {
    let whole = &blocks[range(group)];
    match group {
        Group::Paragraph(at) => {
            let Some(line) = line_of(&blocks[*at]) else {
                return String::new();
            };
            if count(&line.text) <= length.words {
                return markdown(whole);
            }
            best_sentences(&line.markdown, reader, length.words)
        }
        _ if is_short(blocks, group, length) => markdown(whole),
        Group::Code(_) => String::new(),
        Group::List(_) => {
            let best = best_of(whole, reader, |block| {
                matches!(
                    block,
                    Block::Item {
                        is_continued: false,
                        ..
                    }
                )
            });
            let Some(best) = best else {
                return String::new();
            };
            let rest = whole[best + 1..].iter();
            let continued = rest.take_while(|block| {
                matches!(
                    block,
                    Block::Item {
                        is_continued: true,
                        ..
                    } | Block::Code { .. }
                )
            });
            let end = best + 1 + continued.count();
            let item = &whole[best..end];
            match is_short(item, &Group::List(0..item.len()), length) {
                true => markdown(item),
                false => markdown(&whole[best..=best]),
            }
        }
        Group::Table(_) => {
            let is_head = |block: &Block| matches!(block, Block::Row { is_head: true, .. });
            let best = best_of(whole, reader, |block| !is_head(block));
            let head = whole.first().filter(|first| is_head(first));
            let row = best.map(|best| &whole[best]);
            let rows: Vec<Block> = head.into_iter().chain(row).cloned().collect();
            markdown(&rows)
        }
    }
}

/// The best of `blocks` that satisfy `predicate`.
fn best_of(
    blocks: &[Block],
    reader: &mut Reader,
    predicate: impl Fn(&Block) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (at, block) in blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| predicate(block))
    {
        let worth = reader.worth(&text_of(std::slice::from_ref(block)));
        if best.is_none_or(|(_, most)| worth > most) {
            best = Some((at, worth));
        }
    }
    best.map(|(at, _)| at)
}

/// The best sentence of `line` with its neighbors, up to `most` words.
fn best_sentences(line: &str, reader: &mut Reader, most: usize) -> String {
    let all = sentences(line);
    let worths: Vec<f32> = all.iter().map(|one| reader.worth(&plain(one))).collect();
    let Some(mut from) = (0..all.len()).reduce(|best, at| match worths[at] > worths[best] {
        true => at,
        false => best,
    }) else {
        return String::new();
    };
    let mut to = from + 1;
    let mut words = count(all[from]);
    loop {
        let after = all.get(to).map(|next| words + count(next));
        let before = from.checked_sub(1).map(|at| words + count(all[at]));
        match (after, before) {
            (Some(after), _) if after <= most => (words, to) = (after, to + 1),
            (_, Some(before)) if before <= most => (words, from) = (before, from - 1),
            _ => break,
        }
    }
    all[from..to].join(" ")
}
