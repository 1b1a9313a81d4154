//! Patterns of strings (ECMA-262): does a text match, and which short text does.
//!
//! A matcher of our own, because patterns of documents look ahead and refer back, which the engine of the core cannot, and
//! because the texts are generated from the same tree that they are checked with. Both are bounded: a pattern that needs
//! too many steps is not decided.

mod parse;

use self::parse::{Item, Node, Set};

/// Maximum number of steps of one match.
const MAX_STEPS: u32 = 100_000;
/// Longer texts are not matched, in characters.
const MAX_TEXT: usize = 4_000;
/// Number of texts that are tried.
const VARIANTS: usize = 24;

/// A pattern.
pub struct Pattern {
    node: Node,
}

impl Pattern {
    /// Reads a pattern; `None` if it is not one.
    pub fn new(text: &str) -> Option<Self> {
        parse::parse(text).map(|node| Self { node })
    }

    /// Returns true if `text` matches somewhere; `None` if that takes too long to determine.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let text: Vec<char> = text.chars().collect();
        if text.len() > MAX_TEXT {
            return None;
        }
        let mut run = Run {
            text: &text,
            steps: 0,
            captures: vec![None; 32],
        };
        for start in 0..=text.len() {
            if run.step(&self.node, start, &mut |_, _| true) {
                return Some(true);
            }
            if run.steps > MAX_STEPS {
                return None;
            }
        }
        Some(false)
    }

    /// A short text of `min` to `max` characters that matches, always the same.
    pub fn sample(&self, min: usize, max: Option<usize>) -> Option<String> {
        self.samples(min, max).next()
    }

    /// Short texts of `min` to `max` characters that match, the shortest first.
    pub fn samples(&self, min: usize, max: Option<usize>) -> impl Iterator<Item = String> + '_ {
        (0..VARIANTS)
            .flat_map(move |variant| self.candidates(variant, min, max))
            .filter(move |text| {
                let length = text.chars().count();
                length >= min
                    && max.is_none_or(|max| length <= max)
                    && self.is_match(text) == Some(true)
            })
    }

    fn candidates(&self, variant: usize, min: usize, max: Option<usize>) -> Vec<String> {
        let shortest = self.generated(variant, 0, max);
        let length = shortest.chars().count();
        let mut rest = self.generated(variant, min.saturating_sub(length), max);
        // The text around a match is free where the pattern is not anchored.
        let mut padded = rest.clone();
        while padded.chars().count() < min {
            padded.push('a');
        }
        let mut ahead = String::new();
        lookaheads(&self.node, variant, &mut ahead);
        let mut candidates = vec![rest.clone(), padded];
        if !ahead.is_empty() {
            let count = ahead.chars().count();
            if rest.chars().count() < count {
                rest = self.generated(variant, count.max(min).saturating_sub(length), max);
            }
            let tail: String = rest.chars().skip(count).collect();
            candidates.push(format!("{ahead}{tail}"));
            candidates.push(format!("{ahead}{rest}"));
            candidates.push(format!("{rest}{ahead}"));
            let missing = min.saturating_sub(rest.chars().count() + count);
            candidates.push(format!("{rest}{ahead}{}", "a".repeat(missing)));
        }
        candidates
    }

    fn generated(&self, variant: usize, extra: usize, max: Option<usize>) -> String {
        let mut generator = Generator {
            variant,
            extra,
            limit: max.unwrap_or(MAX_TEXT).min(MAX_TEXT),
            captures: vec![String::new(); 32],
            text: String::new(),
        };
        generator.emit(&self.node);
        generator.text
    }
}

/// Adds texts of what is looked ahead for.
fn lookaheads(node: &Node, variant: usize, text: &mut String) {
    match node {
        Node::Look {
            node,
            is_negative: false,
            is_ahead: true,
        } => {
            let mut generator = Generator {
                variant,
                extra: 0,
                limit: MAX_TEXT,
                captures: vec![String::new(); 32],
                text: String::new(),
            };
            generator.emit(node);
            text.push_str(&generator.text);
        }
        Node::Concat(nodes) => {
            for node in nodes {
                lookaheads(node, variant, text);
            }
        }
        Node::Group(node, _) => lookaheads(node, variant, text),
        _ => {}
    }
}

struct Generator {
    variant: usize,
    /// Number of characters to add to the shortest text.
    extra: usize,
    limit: usize,
    captures: Vec<String>,
    text: String,
}

impl Generator {
    fn emit(&mut self, node: &Node) {
        if self.text.len() > self.limit {
            return;
        }
        match node {
            Node::Empty | Node::Start | Node::End | Node::Word(_) | Node::Look { .. } => {}
            Node::Set(set) => self.text.push(set.pick(self.variant)),
            Node::Group(node, index) => {
                let from = self.text.len();
                self.emit(node);
                if let Some(slot) = index.and_then(|index| self.captures.get_mut(index)) {
                    *slot = self.text[from..].to_owned();
                }
            }
            Node::Back(index) => {
                if let Some(captured) = self.captures.get(*index) {
                    self.text.push_str(&captured.clone());
                }
            }
            Node::Concat(nodes) => nodes.iter().for_each(|node| self.emit(node)),
            Node::Either(nodes) => {
                let mut order: Vec<&Node> = nodes.iter().collect();
                order.sort_by_key(|node| shortest(node));
                let skip = if order.len() > 1 {
                    self.variant % order.len()
                } else {
                    0
                };
                if let Some(node) = order.get(skip) {
                    self.emit(node);
                }
            }
            Node::Repeat { node, min, max } => {
                let length = shortest(node).max(1);
                let more = self.extra.div_ceil(length);
                let more = max.map_or(more, |max| more.min(max.saturating_sub(*min)));
                self.extra = self.extra.saturating_sub(more * length);
                for _ in 0..(*min + more).min(self.limit) {
                    self.emit(node);
                }
            }
        }
    }
}

/// The length of the shortest text of `node`, in characters.
fn shortest(node: &Node) -> usize {
    match node {
        Node::Empty
        | Node::Start
        | Node::End
        | Node::Word(_)
        | Node::Look { .. }
        | Node::Back(_) => 0,
        Node::Set(_) => 1,
        Node::Group(node, _) => shortest(node),
        Node::Concat(nodes) => nodes.iter().map(shortest).sum(),
        Node::Either(nodes) => nodes.iter().map(shortest).min().unwrap_or(0),
        Node::Repeat { node, min, .. } => shortest(node).saturating_mul(*min),
    }
}

/// Characters to try for a negated set.
const COMMON: &str = "aA0b1-_. /:@cdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ23456789!#$%&'()*+,;<=>?[]^`{|}~\"\\\t\n";

impl Set {
    fn contains(&self, c: char) -> bool {
        self.items.iter().any(|item| item.contains(c)) != self.is_negated
    }

    fn pick(&self, variant: usize) -> char {
        let ranges = self.items.iter().filter_map(|item| match item {
            Item::Range(from, to) if !self.is_negated => Some((*from, *to)),
            _ => None,
        });
        let of_ranges = ranges.flat_map(|(from, to)| (from..=to).take(VARIANTS));
        // Control characters are a poor example.
        let of_ranges: Vec<char> = of_ranges.filter(|c| !c.is_control()).collect();
        let of_common = COMMON.chars().filter(|c| self.contains(*c));
        let mut all: Vec<char> = of_ranges;
        if all.is_empty() || variant >= all.len() {
            all.extend(of_common);
        }
        let fallback = self.items.iter().find_map(|item| match item {
            Item::Range(from, _) => Some(*from),
            Item::Class(..) => None,
        });
        let index = if all.is_empty() {
            0
        } else {
            variant % all.len()
        };
        all.get(index).copied().or(fallback).unwrap_or('\u{e000}')
    }
}

struct Run<'a> {
    text: &'a [char],
    steps: u32,
    captures: Vec<Option<(usize, usize)>>,
}

type Next<'n> = &'n mut dyn FnMut(&mut Run<'_>, usize) -> bool;

impl Run<'_> {
    fn is_word(&self, at: usize) -> bool {
        let c = self.text.get(at);
        c.is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
    }

    /// Returns true if `node` matches at `at` and `next` holds after it.
    fn step(&mut self, node: &Node, at: usize, next: Next<'_>) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return false;
        }
        match node {
            Node::Empty => next(self, at),
            Node::Start => at == 0 && next(self, at),
            Node::End => at == self.text.len() && next(self, at),
            Node::Word(is_boundary) => {
                let before = at > 0 && self.is_word(at - 1);
                (before != self.is_word(at)) == *is_boundary && next(self, at)
            }
            Node::Set(set) => {
                self.text.get(at).is_some_and(|c| set.contains(*c)) && next(self, at + 1)
            }
            Node::Group(node, None) => self.step(node, at, next),
            Node::Group(node, Some(index)) => {
                let old = self.captures.get(*index).copied().flatten();
                let found = self.step(node, at, &mut |run, end| {
                    if let Some(slot) = run.captures.get_mut(*index) {
                        *slot = Some((at, end));
                    }
                    next(run, end)
                });
                if !found && let Some(slot) = self.captures.get_mut(*index) {
                    *slot = old;
                }
                found
            }
            Node::Back(index) => {
                let Some((from, to)) = self.captures.get(*index).copied().flatten() else {
                    return next(self, at);
                };
                let length = to - from;
                let text = self.text;
                text.get(at..at + length) == Some(&text[from..to]) && next(self, at + length)
            }
            Node::Concat(nodes) => self.sequence(nodes, at, next),
            Node::Either(nodes) => nodes.iter().any(|node| self.step(node, at, next)),
            Node::Repeat { node, min, max } => match &**node {
                Node::Set(set) => {
                    let most = max.unwrap_or(usize::MAX);
                    let rest = self.text.get(at..).unwrap_or_default();
                    let fits = rest.iter().take(most).take_while(|c| set.contains(**c));
                    let fits = fits.count();
                    (*min..=fits).rev().any(|count| next(self, at + count))
                }
                node => self.repeat(node, *min, *max, at, next),
            },
            Node::Look {
                node,
                is_ahead,
                is_negative,
            } => {
                let found = if *is_ahead {
                    self.step(node, at, &mut |_, _| true)
                } else {
                    (0..=at).any(|from| self.step(node, from, &mut |_, end| end == at))
                };
                found != *is_negative && next(self, at)
            }
        }
    }

    fn sequence(&mut self, nodes: &[Node], at: usize, next: Next<'_>) -> bool {
        match nodes {
            [] => next(self, at),
            [node, rest @ ..] => self.step(node, at, &mut |run, end| run.sequence(rest, end, next)),
        }
    }

    fn repeat(
        &mut self,
        node: &Node,
        min: usize,
        max: Option<usize>,
        at: usize,
        next: Next<'_>,
    ) -> bool {
        if max != Some(0) {
            let found = self.step(node, at, &mut |run, end| {
                // An empty turn would go on for ever.
                (end > at || min > 0)
                    && run.repeat(
                        node,
                        min.saturating_sub(1),
                        max.map(|max| max - 1),
                        end,
                        next,
                    )
            });
            if found {
                return true;
            }
        }
        min == 0 && next(self, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pattern: &str, min: usize) -> Option<String> {
        Pattern::new(pattern).unwrap().sample(min, None)
    }

    #[test]
    fn the_shortest_text_is_found() {
        let table = [
            (r"^[A-Z]{3}-\d{2,4}$", 0, "AAA-00"),
            (r"^[A-Z]{3}-\d{2,4}$", 8, "AAA-0000"),
            (r"^(foo|x)+$", 0, "x"),
            (r"^\w+@\w+\.com$", 0, "a@a.com"),
            (r"[^/]+", 3, "aaa"),
            (r"^(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8}$", 0, "A0AAAAAA"),
            (r"^(?!0000)\d{4}$", 0, "1111"),
            (r"^(a|b)\1$", 0, "aa"),
            (r"^#([a-fA-F0-9]{6}|[a-fA-F0-9]{3})$", 0, "#aaa"),
            (r"^[\u0041-\x43\-]$", 0, "A"),
            (r"^\p{Lu}\S*$", 0, "A"),
            ("", 0, ""),
        ];
        for (pattern, min, expected) in table {
            assert_eq!(sample(pattern, min).as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn matching_is_that_of_ecma() {
        let is_match =
            |pattern: &str, text: &str| Pattern::new(pattern).unwrap().is_match(text).unwrap();
        assert!(is_match("b", "abc") && !is_match("^b", "abc"));
        assert!(is_match(r"^(?<year>\d{4})-\k<year>$", "2020-2020"));
        assert!(is_match(r"\bfoo\b", "a foo b") && !is_match(r"\bfoo\b", "afoo"));
        assert!(is_match("^(a+)+$", "aaaa") && !is_match("^[^]$", ""));
        assert!(is_match(r"^a{2}$", "aa") && is_match("^a{,2}$", "a{,2}"));
        assert!(is_match(r"(?<=a)b", "ab") && !is_match(r"(?<!a)b", "ab"));
        assert_eq!(Pattern::new("(a").map(|_| ()), None);
        assert_eq!(
            Pattern::new("^(a+)+$")
                .unwrap()
                .is_match(&format!("{}b", "a".repeat(40))),
            None
        );
    }
}
