//! Checks what a language model writes against the passages that it cites, block by block.
//!
//! The input is the output of [`CitationLinker`](super::cited::CitationLinker): CommonMark whose only brackets are links to passages. A
//! block is emitted when it is complete, with the sentences that cite a passage and whose facts (see [`Fact`](super::facts::Fact)) stand in
//! it, in its title, in the question, in what the reader selected or in the name of the site. The others are left out and counted.
//!
//! - A sentence without a citation belongs to the next one of its paragraph, item or row; an item or row without one to
//!   that of the lead of its list or table (a sentence that ends in a colon), or else to that of its last item, if that
//!   passage has most of its words.
//! - Blocks without a citation wait: for one that consists of citations only, which cites for all of them, or for one that
//!   cites for itself, before which they are left out.
//! - Headings stay if anything of their section does; leads without a citation if what follows does.
//! - Code between fences stays if most of its words stand in the passages, unless its lead is left out.
//!
//! What is emitted consists of pieces of the input that are cut at the ends of sentences, of links to the same targets,
//! and of escapes where a piece has come to the start of a line.

use std::collections::HashMap;

use super::Citation;
use super::blocks::{AnswerBlock, BlockReader, Item, Place};
use super::extract::QuotablePassage;
use super::judge::{Cites, Judge, Piece, Verdict, sentences_of};
use super::statements::{ends_in_word, is_lead, links};

/// A text that is checked as it arrives.
pub(super) struct Checked<'a> {
    judge: Judge<'a>,
    blocks: BlockReader,
    /// Blocks that cannot be told yet.
    held: Vec<Held>,
    /// Whether the last block was a lead that was left out.
    is_lead_lost: bool,
    /// How far the numbers of the current lists have moved, by their indentation.
    shifts: HashMap<usize, usize>,
    /// Passages that were cited, by the numbers that they have in the text from 1.
    cited: Cites,
    left_out: usize,
    /// Number of the last block that was emitted; 0 before the first.
    emitted: usize,
}

/// A block that waits for what follows.
struct Held {
    place: Place,
    state: State,
}

enum State {
    /// Stays, behind others that wait.
    Kept(Piece),
    /// Stays if anything of its section does.
    Heading(usize, Piece),
    /// A paragraph or item that ends in a colon.
    Lead {
        piece: Piece,
        /// What stays if nothing follows.
        without: Option<Piece>,
        is_cited: bool,
    },
    /// Cites nothing.
    Uncited(AnswerBlock),
}

impl<'a> Checked<'a> {
    /// Checks against `passages`; `shared` is what the reader has said and selected, the question first.
    pub(super) fn new<'t>(
        passages: &'a [QuotablePassage],
        shared: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        Self {
            judge: Judge::new(passages, shared),
            blocks: BlockReader::default(),
            held: Vec::new(),
            is_lead_lost: false,
            shifts: HashMap::new(),
            cited: Vec::new(),
            left_out: 0,
            emitted: 0,
        }
    }

    /// Output that is complete after `piece`.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for (place, block) in self.blocks.push(piece) {
            self.block(place, block, &mut out);
        }
        out
    }

    /// The rest, as nothing more arrives.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        for (place, block) in self.blocks.finish() {
            self.block(place, block, &mut out);
        }
        self.settle(None, &mut out);
        out
    }

    /// The passages that were cited so far, in that order, each once.
    pub(super) fn citations(&self) -> Vec<Citation> {
        let cited = self.cited.iter();
        cited.map(|at| self.judge.citation(*at).clone()).collect()
    }

    /// Returns true if anything that was emitted cites a passage.
    pub(super) fn is_cited(&self) -> bool {
        !self.cited.is_empty()
    }

    /// Number of sentences that were left out.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    fn block(&mut self, place: Place, block: AnswerBlock, out: &mut String) {
        self.judge.note_language(&block);
        let text = block.text();
        if !matches!(block, AnswerBlock::Fence(_)) && self.judge.is_list_of_sources(&text) {
            let cites = self.judge.cites_of(&links(&text));
            return self.closing_citations(place, &block, &cites, out);
        }
        let is_lead_lost = std::mem::take(&mut self.is_lead_lost);
        match &block {
            AnswerBlock::Heading(level, text) => {
                self.judge.lead = None;
                self.heading(place, *level, text);
                return;
            }
            AnswerBlock::Rule => return,
            AnswerBlock::Fence(code) => {
                let is_borne_out = self.judge.has_code(code);
                match is_borne_out && !is_lead_lost {
                    true => self.kept(place, Piece::Code(code.clone()), None, out),
                    false => self.dropped(1),
                }
                return;
            }
            AnswerBlock::Paragraph(text) => {
                if !text.starts_with([' ', '\t']) {
                    self.judge.lead = None;
                    self.shifts.clear();
                }
            }
            AnswerBlock::List(_) | AnswerBlock::Table(_) => {}
        }
        let (verdict, left_out) = self.judge.verdict(&block, None);
        self.left_out += left_out;
        match verdict {
            Verdict::Kept(piece) => {
                let cited = self.judge.cites_of(&links(&text));
                let is_list = matches!(block, AnswerBlock::List(_));
                if !is_list && ends_in_word(&text) {
                    self.judge.lead = Some(cited.clone());
                }
                self.kept(place, piece, is_list.then_some(cited), out);
            }
            Verdict::Lead {
                piece,
                without,
                cites,
            } => {
                let is_cited = !cites.is_empty();
                if is_cited || without.is_some() {
                    self.settle(Some(None), out);
                }
                self.judge.lead = is_cited.then_some(cites);
                self.held.push(Held {
                    place,
                    state: State::Lead {
                        piece,
                        without,
                        is_cited,
                    },
                });
            }
            Verdict::Uncited => self.held.push(Held {
                place,
                state: State::Uncited(block),
            }),
            Verdict::Dropped => {
                self.dropped(0);
                self.is_lead_lost = is_lead(&text);
                if let AnswerBlock::List(items) = &block {
                    self.shift(items.iter().map(|item| (item, false)));
                }
            }
        }
    }

    /// A block that consists of citations: it cites for those that wait.
    fn closing_citations(
        &mut self,
        place: Place,
        block: &AnswerBlock,
        cites: &[usize],
        out: &mut String,
    ) {
        let mut follows = self.emitted > 0;
        if self
            .held
            .iter()
            .any(|held| matches!(held.state, State::Uncited(_)))
        {
            follows = false;
            for held in std::mem::take(&mut self.held) {
                let Held { place, state } = held;
                let state = match state {
                    State::Uncited(block) => {
                        let (verdict, left_out) = self.judge.verdict(&block, Some((cites, false)));
                        self.left_out += left_out;
                        match verdict {
                            Verdict::Kept(piece) => State::Kept(piece),
                            Verdict::Lead { piece, without, .. } => State::Lead {
                                piece,
                                without,
                                is_cited: true,
                            },
                            _ => continue,
                        }
                    }
                    other => other,
                };
                follows |= matches!(state, State::Kept(_) | State::Lead { is_cited: true, .. });
                self.held.push(Held { place, state });
            }
        }
        if follows {
            let piece = match block {
                AnswerBlock::List(items) => {
                    let items = items.iter().cloned();
                    Piece::Items(items.map(|item| (item.clone(), Some(item.text))).collect())
                }
                block => Piece::Text(block.text()),
            };
            self.kept(place, piece, None, out);
        } else {
            self.dropped(0);
        }
    }

    fn heading(&mut self, place: Place, level: usize, text: &str) {
        // Of a section before it that has nothing else, no heading stays.
        while let Some(Held {
            state: State::Heading(above, _),
            ..
        }) = self.held.last()
            && *above >= level
        {
            self.held.pop();
        }
        if self.judge.has_heading(text) {
            self.held.push(Held {
                place,
                state: State::Heading(level, Piece::Text(text.to_owned())),
            });
        } else {
            self.left_out += 1;
        }
    }

    /// Emits `piece`, which may cite for the lists before it that it continues.
    fn kept(&mut self, place: Place, piece: Piece, cites: Option<Cites>, out: &mut String) {
        let waits = self
            .held
            .iter()
            .any(|held| matches!(held.state, State::Uncited(_)));
        if waits && matches!(piece, Piece::Code(_)) {
            // Code does not cite.
            self.held.push(Held {
                place,
                state: State::Kept(piece),
            });
            return;
        }
        self.settle(Some(cites), out);
        self.emit(place, piece, out);
    }

    /// A block is left out, and so is the lead before it.
    fn dropped(&mut self, left_out: usize) {
        self.left_out += left_out;
        if let Some(Held {
            state: State::Lead { .. },
            ..
        }) = self.held.last()
            && let Some(Held {
                place,
                state: State::Lead { without, .. },
            }) = self.held.pop()
        {
            self.left_out += 1;
            if let Some(piece) = without {
                self.held.push(Held {
                    place,
                    state: State::Kept(piece),
                });
            }
        }
    }

    /// Decides on what waits, as something follows that stays, and may cite for the lists before it; or nothing.
    fn settle(&mut self, next: Option<Option<Cites>>, out: &mut String) {
        let held = std::mem::take(&mut self.held);
        let mut follows = next.is_some();
        let is_end = next.is_none();
        let cites = next.flatten();
        let mut continues = cites.filter(|cites| !cites.is_empty());
        // Whether anything stays below headings of each level.
        let mut below = [follows; 10];
        let mut pieces = Vec::new();
        for Held { place, state } in held.into_iter().rev() {
            let piece = match state {
                State::Kept(piece) => Some(piece),
                State::Heading(level, piece) => {
                    let level = level.min(below.len() - 1);
                    let stays = below[level];
                    below[level..].fill(false);
                    continues = None;
                    if stays {
                        pieces.push((place, piece));
                    }
                    continue;
                }
                State::Lead {
                    piece,
                    without,
                    is_cited,
                    ..
                } => match follows || is_end && is_cited && pieces.is_empty() {
                    true => Some(piece),
                    false => {
                        self.left_out += 1;
                        without
                    }
                },
                State::Uncited(block) => {
                    let forced = continues
                        .as_deref()
                        .filter(|_| matches!(block, AnswerBlock::List(_)));
                    let (verdict, left_out) = self
                        .judge
                        .verdict(&block, forced.map(|cites| (cites, true)));
                    self.left_out += left_out;
                    match verdict {
                        Verdict::Kept(piece) | Verdict::Lead { piece, .. } => Some(piece),
                        Verdict::Dropped => None,
                        Verdict::Uncited => {
                            self.left_out += sentences_of(&block);
                            if let AnswerBlock::List(items) = block {
                                let all = items.into_iter().map(|item| (item, None)).collect();
                                pieces.push((place, Piece::Items(all)));
                            }
                            follows = false;
                            continue;
                        }
                    }
                }
            };
            follows = piece.is_some();
            if let Some(piece) = piece {
                below.fill(true);
                if !matches!(piece, Piece::Items(_)) {
                    continues = None;
                }
                pieces.push((place, piece));
            }
        }
        for (place, piece) in pieces.into_iter().rev() {
            self.emit(place, piece, out);
        }
    }

    fn emit(&mut self, place: Place, piece: Piece, out: &mut String) {
        let text = match piece {
            Piece::Text(text) => self.numbered(&text),
            Piece::Code(text) => text,
            Piece::Items(items) => {
                self.shift(items.iter().map(|(item, text)| (item, text.is_some())));
                let text = self.items(items);
                self.numbered(&text)
            }
        };
        if text.is_empty() {
            return;
        }
        if self.emitted > 0 {
            let is_tight = place.is_tight && place.number == self.emitted + 1;
            out.push_str(if is_tight { "\n" } else { "\n\n" });
        }
        self.emitted = place.number;
        out.push_str(&text);
    }

    /// Notes how far the numbers of a list move, as some of its `items` are left out.
    fn shift<'i>(&mut self, items: impl Iterator<Item = (&'i Item, bool)>) {
        for (item, stays) in items {
            self.shifts.retain(|indent, _| *indent <= item.indent);
            let shift = self.shifts.entry(item.indent).or_default();
            *shift = if item.is_first() { 0 } else { *shift };
            item.shift.set(*shift);
            *shift += usize::from(!stays);
        }
    }

    /// The items that stay, with numbers and indentation that fit.
    fn items(&self, items: Vec<(Item, Option<String>)>) -> String {
        let mut lines: Vec<String> = Vec::new();
        // Indentation of the items around, in the input and here, and whether they stay.
        let mut around: Vec<(usize, usize, Option<usize>)> = Vec::new();
        for (item, text) in items {
            while around
                .last()
                .is_some_and(|(indent, ..)| *indent >= item.indent)
            {
                around.pop();
            }
            let indent = match around.last() {
                None => item.indent.min(3),
                Some((above, _, Some(content))) => {
                    let content = *content;
                    content.max((item.indent - above).min(content + 2))
                }
                Some((_, indent, None)) => *indent,
            };
            let marker = item.marker();
            let content = text.is_some().then_some(indent + marker.len() + 1);
            around.push((item.indent, indent, content));
            if let Some(text) = text {
                lines.push(format!("{}{marker} {text}", " ".repeat(indent)));
            }
        }
        lines.join("\n")
    }

    /// `text` with its citations numbered in the order in which they are emitted.
    fn numbered(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for link in links(text) {
            let Some(at) = self.judge.passage_of(&link) else {
                continue;
            };
            let known = self.cited.iter().position(|cited| *cited == at);
            let number = known.unwrap_or_else(|| {
                self.cited.push(at);
                self.cited.len() - 1
            });
            if link.is_number() {
                out.push_str(&text[from..link.span.start]);
                out.push_str(&format!("[{}]({})", number + 1, link.url));
                from = link.span.end;
            }
        }
        out.push_str(&text[from..]);
        out
    }
}

#[cfg(test)]
mod tests;
