//! Judges the blocks of an answer: which of their sentences cite a passage that bears them out.

use super::Citation;
use super::blocks::{AnswerBlock, Item, moved_start};
use super::evidence::{Evidence, is_code_of, language};
use super::extract::QuotablePassage;
use super::facts::{Fact, Names, PlainText, words_of};
use super::sentences::sentences;
use super::statements::{
    Link, Statement, is_citation_only, is_lead, is_list_of_sources, links, statements,
};

/// Number of letters before the answer is long enough to tell its language.
const MIN_SAMPLE: usize = 40;

/// Passages that a statement belongs to, by their numbers from 0.
pub(super) type Cites = Vec<usize>;

/// Text that stays.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    /// Code with its fences.
    Code(String),
    /// Items of a list, with those that are left out.
    Items(Vec<(Item, Option<String>)>),
}

/// What is to become of a block.
pub(super) enum Verdict {
    Kept(Piece),
    Lead {
        piece: Piece,
        without: Option<Piece>,
        cites: Cites,
    },
    Uncited,
    Dropped,
}

impl Verdict {
    /// A lead that cites nothing: it stays if what it introduces does.
    fn uncited_lead(piece: Piece) -> Self {
        Self::Lead {
            piece,
            without: None,
            cites: Cites::new(),
        }
    }
}

/// A paragraph, an item or a row, as far as it is checked.
#[derive(Default)]
struct CheckedPart {
    /// What stays.
    text: Option<String>,
    /// What stays without the lead at its end, if it ends in one.
    without: Option<Option<String>>,
    /// Passages that its last sentence belongs to.
    cites: Cites,
    left_out: usize,
    is_uncited: bool,
}

/// Passages, and what a reader has said, as they are compared with an answer.
pub(super) struct Judge<'a> {
    passages: &'a [QuotablePassage],
    /// What the passages bear out, with their titles.
    evidence: Vec<Evidence>,
    /// What the question and the selections do.
    shared: Evidence,
    /// The code of the language of the answer, as far as it tells.
    language: Option<&'static str>,
    /// Passages that the lead of the current list or table cites.
    pub(super) lead: Option<Cites>,
}

impl<'a> Judge<'a> {
    /// Compares with `passages`; `shared` is what the reader has said and selected.
    pub(super) fn new<'t>(
        passages: &'a [QuotablePassage],
        shared: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let evidence = passages.iter().map(|passage| {
            let Citation { url, place } = &passage.citation;
            let place = place.iter().map(String::as_str);
            let parts = [passage.text.as_str()].into_iter().chain(place);
            Evidence::new(parts.chain([url.as_str()]))
        });
        let shared = Evidence::new(shared);
        Self {
            passages,
            evidence: evidence.collect(),
            language: shared.language(),
            shared,
            lead: None,
        }
    }

    /// Passage of this number, from 0.
    pub(super) fn citation(&self, number: usize) -> &'a Citation {
        &self.passages[number].citation
    }

    /// Number of the passage that `link` leads to.
    pub(super) fn passage_of(&self, link: &Link<'_>) -> Option<usize> {
        let mut passages = self.passages.iter();
        passages.position(|one| one.citation.url == link.url)
    }

    /// Takes the language from the first block that is long enough.
    pub(super) fn note_language(&mut self, block: &AnswerBlock) {
        let prose = match block {
            AnswerBlock::Paragraph(_) | AnswerBlock::List(_) => PlainText::of_inline(&block.text()),
            _ => return,
        };
        if prose.prose().len() >= MIN_SAMPLE {
            self.language = language(prose.prose()).or(self.language);
        }
    }

    /// Returns true if `text` cites and says nothing else, but titles of passages.
    pub(super) fn is_list_of_sources(&self, text: &str) -> bool {
        is_list_of_sources(text, |word| {
            let mut places = self.passages.iter().flat_map(|one| &one.citation.place);
            places.any(|title| words_of(title).any(|one| one.to_lowercase() == word))
        })
    }

    /// Returns true if `block`, code with its fences, may be that of the passages.
    pub(super) fn has_code(&self, block: &str) -> bool {
        let texts = self.evidence.iter().chain([&self.shared]);
        is_code_of(inner_code(block), texts)
    }

    /// Returns true if the passages have the facts of `text`, a heading, which cites none.
    pub(super) fn has_heading(&self, text: &str) -> bool {
        let all: Cites = (0..self.evidence.len()).collect();
        self.bear_out(&PlainText::of_inline(text).facts(Names::None), &all)
    }

    /// Passages that `links` lead to; all of those that have one address.
    pub(super) fn cites_of(&self, links: &[Link<'_>]) -> Cites {
        let mut cites = Cites::new();
        for link in links {
            let all = self.passages.iter().enumerate();
            for (at, _) in all.filter(|(_, one)| one.citation.url == link.url) {
                if !cites.contains(&at) {
                    cites.push(at);
                }
            }
        }
        cites
    }

    /// Returns true if all `facts` stand in one of the passages `cites`, or were said by the reader.
    fn bear_out(&self, facts: &[Fact], cites: &[usize]) -> bool {
        facts.iter().all(|fact| {
            let mut passages = cites.iter().map(|at| &self.evidence[*at]);
            passages.any(|passage| passage.bears_out(fact)) || self.shared.bears_out(fact)
        })
    }

    /// Returns true if the facts of `text` are those of the passages `cites`.
    fn is_borne_out(&self, text: &str, cites: &[usize]) -> bool {
        let is_other = |at: &usize| {
            let passage = self.evidence[*at].language();
            // A language that is not known is another one than that of the passage.
            passage.is_some() && passage != self.language
        };
        let names = match self.language == Some("de") || cites.iter().any(is_other) {
            true => Names::Acronyms,
            false => Names::All,
        };
        self.bear_out(&PlainText::of_inline(text).facts(names), cites)
    }

    /// Returns true if one of the passages `cites` has most of the words of `text`.
    fn is_worded(&self, text: &str, cites: &[usize]) -> bool {
        cites.iter().any(|at| {
            let (all, shared) = self.evidence[*at].shared_words(text);
            2 * shared >= all
        })
    }

    /// Checks `block`; sentences without a citation belong to `forced`, if they have to have its words.
    pub(super) fn verdict(
        &self,
        block: &AnswerBlock,
        forced: Option<(&[usize], bool)>,
    ) -> (Verdict, usize) {
        match block {
            AnswerBlock::Paragraph(text) => {
                let (prefix, text) = quote_prefix(text);
                let told = self.told(text, forced.map(|(cites, _)| cites));
                if told.is_uncited {
                    return match is_lead(text) && self.is_uncited_lead(text) {
                        true => {
                            let piece = Piece::Text(format!("{prefix}{text}"));
                            (Verdict::uncited_lead(piece), 0)
                        }
                        false => (Verdict::Uncited, 0),
                    };
                }
                let piece = |text: String| Piece::Text(format!("{prefix}{text}"));
                let verdict = match (told.text, told.without) {
                    (Some(text), Some(without)) => Verdict::Lead {
                        piece: piece(text),
                        without: without.map(piece),
                        cites: told.cites,
                    },
                    (Some(text), None) => Verdict::Kept(piece(text)),
                    (None, _) => Verdict::Dropped,
                };
                (verdict, told.left_out)
            }
            AnswerBlock::List(items) => self.list(items, forced),
            AnswerBlock::Table(rows) => self.table(rows, forced),
            AnswerBlock::Heading(..) | AnswerBlock::Rule | AnswerBlock::Fence(_) => {
                (Verdict::Dropped, 0)
            }
        }
    }

    /// Returns true if the lead `text`, which cites nothing, says nothing that no passage says.
    fn is_uncited_lead(&self, text: &str) -> bool {
        let all: Cites = (0..self.evidence.len()).collect();
        self.is_borne_out(text, &all)
    }

    /// Checks the sentences of `text`; those without a citation behind them belong to `inherited`.
    fn told(&self, text: &str, inherited: Option<&[usize]>) -> CheckedPart {
        let links = links(text);
        let statements = statements(text, &links);
        let own: Vec<Cites> = (statements.iter())
            .map(|one| self.cites_of(&links[one.links.clone()]))
            .collect();
        let inherited = inherited.unwrap_or_default();
        if statements.is_empty() || inherited.is_empty() && own.iter().all(Vec::is_empty) {
            return CheckedPart {
                is_uncited: true,
                ..CheckedPart::default()
            };
        }
        let is_leading = statements
            .first()
            .is_some_and(|first| text[first.span.clone()].starts_with('['))
            && links.first().is_some_and(Link::is_number);
        let mut groups: Vec<Option<usize>> = vec![None; statements.len()];
        let order: Box<dyn Iterator<Item = usize>> = match is_leading {
            true => Box::new(0..statements.len()),
            false => Box::new((0..statements.len()).rev()),
        };
        let mut group = None;
        for i in order {
            group = if own[i].is_empty() { group } else { Some(i) };
            groups[i] = group;
        }
        let mut stays = Vec::with_capacity(statements.len());
        let ends_in_lead = is_lead(text);
        let mut left_out = 0;
        for (i, statement) in statements.iter().enumerate() {
            let cites = groups[i].map_or(inherited, |group| &own[group]);
            let part = &text[statement.span.clone()];
            // A lead at the end of a paragraph needs no citation.
            let is_open = cites.is_empty() && i + 1 == statements.len() && ends_in_lead;
            let is_borne_out = match is_open {
                true => self.is_uncited_lead(part),
                false => !cites.is_empty() && self.is_borne_out(part, cites),
            };
            left_out += usize::from(!is_borne_out);
            stays.push(is_borne_out);
        }
        let all = joined(text, &links, &statements, &own, &groups, &stays);
        let last = statements.len() - 1;
        let without = (ends_in_lead && stays[last]).then(|| {
            stays[last] = false;
            joined(text, &links, &statements, &own, &groups, &stays)
        });
        let cites = groups[last].map_or(inherited, |group| &own[group]);
        CheckedPart {
            text: all,
            without,
            cites: cites.to_vec(),
            left_out,
            is_uncited: false,
        }
    }

    /// Checks the items of a list.
    fn list(&self, items: &[Item], forced: Option<(&[usize], bool)>) -> (Verdict, usize) {
        let own: Vec<Cites> = items
            .iter()
            .map(|item| self.cites_of(&links(&item.text)))
            .collect();
        let lead = self.lead.as_deref();
        if forced.is_none() && lead.is_none() && own.iter().all(Vec::is_empty) {
            return match items.len() == 1
                && is_lead(&items[0].text)
                && self.is_uncited_lead(&items[0].text)
            {
                true => {
                    let piece = Piece::Items(vec![(items[0].clone(), Some(items[0].text.clone()))]);
                    (Verdict::uncited_lead(piece), 0)
                }
                false => (Verdict::Uncited, 0),
            };
        }
        // The last item cites for those before it whose words its passage has.
        let last = own.last().filter(|cites| !cites.is_empty());
        let closing = last
            .map(Vec::as_slice)
            .map(|cites| (cites, !is_citation_only(&items[items.len() - 1].text)));
        let mut left_out = 0;
        // Leads of the items around: their indentation and what they cite.
        let mut leads: Vec<(usize, Option<Cites>)> = Vec::new();
        let mut told: Vec<(Item, Option<String>)> = Vec::with_capacity(items.len());
        let mut open: Vec<bool> = Vec::with_capacity(items.len());
        let mut ends_in_lead = None;
        for (i, item) in items.iter().enumerate() {
            while leads
                .last()
                .is_some_and(|(indent, _)| *indent >= item.indent)
            {
                leads.pop();
            }
            let above = leads.iter().rev().find_map(|(_, cites)| cites.as_deref());
            let inherited = above
                .or(lead)
                .map(|cites| (cites, false))
                .or(forced)
                .or(closing);
            let has_children = items
                .get(i + 1)
                .is_some_and(|next| next.indent > item.indent);
            let is_label = has_children && !item.text.trim_end().ends_with(['.', '!', '?', '。']);
            let is_worded = |(cites, needs_words): &(&[usize], bool)| {
                !needs_words || self.is_worded(&item.text, cites)
            };
            let inherited = inherited.filter(is_worded).map(|(cites, _)| cites);
            let is_last = i + 1 == items.len();
            let found = self.told(&item.text, inherited);
            let is_lead_item = is_lead(&item.text) && (has_children || is_last);
            let mut is_open = false;
            let text = if found.is_uncited {
                is_open = (is_label || is_lead_item) && self.is_uncited_lead(&item.text);
                left_out += if is_open {
                    0
                } else {
                    sentences_of_text(&item.text)
                };
                is_open.then(|| item.text.clone())
            } else {
                left_out += found.left_out;
                if is_last && found.without.is_some() {
                    ends_in_lead = Some((found.without.flatten(), found.cites.clone()));
                }
                found.text
            };
            let cites = (!found.is_uncited && (is_label || is_lead_item) && text.is_some())
                .then_some(found.cites);
            leads.push((item.indent, cites));
            if is_last && is_open && ends_in_lead.is_none() {
                ends_in_lead = Some((None, Cites::new()));
                is_open = false;
            }
            open.push(is_open);
            told.push((item.clone(), text));
        }
        // Labels stay if anything below them does.
        let mut below = usize::MAX;
        let mut stays_below = false;
        for i in (0..told.len()).rev() {
            let indent = told[i].0.indent;
            let is_above = indent < below;
            if open[i] && !(is_above && stays_below) {
                left_out += 1;
                told[i].1 = None;
            }
            let stays = told[i].1.is_some();
            stays_below = stays || (stays_below && indent >= below);
            below = indent;
        }
        self.moved_citation(&own, &mut told);
        if told.iter().all(|(_, text)| text.is_none()) {
            return (Verdict::Dropped, left_out);
        }
        let verdict = match ends_in_lead {
            Some((without, cites)) => {
                let mut less = told.clone();
                if let Some(last) = less.last_mut() {
                    last.1 = without;
                }
                let any = less.iter().any(|(_, text)| text.is_some());
                Verdict::Lead {
                    piece: Piece::Items(told),
                    without: any.then_some(Piece::Items(less)),
                    cites,
                }
            }
            None => Verdict::Kept(Piece::Items(told)),
        };
        (verdict, left_out)
    }

    /// Moves the citation of a last item that is left out to the last one that belongs to it.
    fn moved_citation(&self, own: &[Cites], told: &mut [(Item, Option<String>)]) {
        let last = told.len() - 1;
        if own[last].is_empty() || told[last].1.is_some() || self.lead.is_some() {
            return;
        }
        let cited = links(&told[last].0.text);
        let moved: String = cited
            .iter()
            .map(|link| format!("[{}]({})", number_of(link), link.url))
            .collect();
        let heir = (0..last)
            .rev()
            .find(|i| told[*i].1.is_some() && own[*i].is_empty());
        if let Some(text) = heir.and_then(|heir| told[heir].1.as_mut()) {
            text.push(' ');
            text.push_str(&moved);
        }
    }

    /// Checks the rows of a table.
    fn table(&self, rows: &[String], forced: Option<(&[usize], bool)>) -> (Verdict, usize) {
        let [head, divider, rest @ ..] = rows else {
            return (Verdict::Dropped, 1);
        };
        let own: Vec<Cites> = rest.iter().map(|row| self.cites_of(&links(row))).collect();
        let of_head = Some(self.cites_of(&links(head))).filter(|cites| !cites.is_empty());
        let lead = of_head.as_deref().or(self.lead.as_deref());
        if forced.is_none() && lead.is_none() && own.iter().all(Vec::is_empty) {
            return (Verdict::Uncited, 0);
        }
        if !self.has_heading(head) {
            return (Verdict::Dropped, rows.len() - 1);
        }
        let closing = own.last().filter(|cites| !cites.is_empty());
        let closing = closing.map(|cites| {
            (
                cites.as_slice(),
                !rest.last().is_some_and(|row| is_citation_only(row)),
            )
        });
        let inherited = lead.map(|cites| (cites, false)).or(forced).or(closing);
        let mut lines = vec![head.clone(), divider.clone()];
        let mut heir = None;
        for (row, cites) in rest.iter().zip(&own) {
            let stays = match (cites.is_empty(), inherited) {
                (false, _) => self.is_borne_out(row, cites),
                (true, Some((cites, needs_words))) => {
                    (!needs_words || self.is_worded(row, cites)) && self.is_borne_out(row, cites)
                }
                (true, None) => false,
            };
            if stays {
                heir = Some((lines.len(), cites.is_empty()));
                lines.push(row.clone());
            }
        }
        let left_out = rows.len() - lines.len();
        // The last row may have cited for the others.
        let is_last_lost = rest.last().is_some_and(|last| lines.last() != Some(last));
        if let (true, None, None, Some((at, true)), Some(last)) =
            (is_last_lost, lead, forced, heir, rest.last())
        {
            let moved: String = (links(last).iter())
                .map(|link| format!("[{}]({})", number_of(link), link.url))
                .collect();
            let row = lines[at].trim_end();
            lines[at] = match row.strip_suffix('|') {
                Some(cells) => format!("{} {moved} |", cells.trim_end()),
                None => format!("{row} {moved}"),
            };
        }
        let is_any = lines.len() > 2 && (lines.len() > 3 || !is_citation_only(&lines[2]));
        match is_any {
            true => (Verdict::Kept(Piece::Text(lines.join("\n"))), left_out),
            false => (Verdict::Dropped, left_out),
        }
    }
}

/// Text of `link` as a number.
fn number_of<'t>(link: &Link<'t>) -> &'t str {
    if link.is_number() { link.text } else { "1" }
}

/// The statements of `text` that stay. A citation that would be lost moves to the last one of its group.
fn joined(
    text: &str,
    links: &[Link<'_>],
    statements: &[Statement],
    own: &[Cites],
    groups: &[Option<usize>],
    stays: &[bool],
) -> Option<String> {
    let mut out = String::new();
    let mut end = 0;
    let mut is_cut = false;
    // Blanks of the input around what is left out.
    let mut blank = "";
    let heir = |group: usize| {
        (0..stays.len())
            .rev()
            .find(|i| stays[*i] && groups[*i] == Some(group))
    };
    for (i, statement) in statements.iter().enumerate() {
        let before = &text[end..statement.span.start];
        end = statement.span.end;
        blank = if before.len() > blank.len() {
            before
        } else {
            blank
        };
        if !stays[i] {
            is_cut = true;
            continue;
        }
        let part = &text[statement.span.clone()];
        if !out.is_empty() {
            out.push_str(blank);
        }
        // Within a line it was no start of a block.
        let is_moved = is_cut && (out.is_empty() || blank.contains('\n'));
        match is_moved {
            true => out.push_str(&moved_start(part)),
            false => out.push_str(part),
        }
        (is_cut, blank) = (false, "");
        if let Some(group) = groups[i].filter(|group| !stays[*group] && own[i].is_empty())
            && heir(group) == Some(i)
        {
            out.push(' ');
            for link in &links[statements[group].links.clone()] {
                out.push_str(&format!("[{}]({})", number_of(link), link.url));
            }
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The marks of a block quote that `text` begins with, and the rest.
fn quote_prefix(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(['>', ' ', '\t']);
    text.split_at(text.len() - rest.len())
}

/// The code between fences.
fn inner_code(block: &str) -> &str {
    let inner = block.split_once('\n').map_or("", |(_, inner)| inner);
    inner.rsplit_once('\n').map_or("", |(inner, _)| inner)
}

/// Number of sentences of `block`.
pub(super) fn sentences_of(block: &AnswerBlock) -> usize {
    match block {
        AnswerBlock::Paragraph(text) => sentences_of_text(text),
        AnswerBlock::List(items) => items.iter().map(|item| sentences_of_text(&item.text)).sum(),
        AnswerBlock::Table(rows) => rows.len().saturating_sub(2).max(1),
        AnswerBlock::Fence(_) => 1,
        AnswerBlock::Heading(..) | AnswerBlock::Rule => 0,
    }
}

fn sentences_of_text(text: &str) -> usize {
    sentences(text).len()
}
