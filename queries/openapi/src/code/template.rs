//! Templates of code samples: how a table of them is read, and how one is filled in.
//!
//! The same table is read by a script of the theme (`js/playground/samples.js`), which writes what
//! this writes (`tests/wire/samples.json`). README.md next to the templates describes their syntax.

use std::borrow::Cow;

use serde_json::Value;

use super::quote;

/// A template, or the definition of a filter.
pub(super) struct Section {
    /// Title after `===`: name, label, coloring of a language; `|name` of a filter.
    pub(super) title: Vec<&'static str>,
    nodes: Vec<Node>,
}

enum Node {
    Text(&'static str),
    Put(Expression),
    /// The nodes of the first branch whose condition holds.
    If(Vec<(Condition, Vec<Node>)>),
    Each(&'static str, Vec<Node>),
}

struct Expression {
    first: Word,
    filters: Vec<Vec<Word>>,
}

#[derive(Clone)]
enum Word {
    Name(&'static str),
    Literal(String),
}

/// Conjunctions, one of which must hold.
type Condition = Vec<Vec<Test>>;

struct Test {
    is_negated: bool,
    subject: &'static str,
    verb: &'static str,
    arguments: Vec<Word>,
}

/// Value of a name.
#[derive(Clone)]
pub(super) enum Slot<'a> {
    Text(Cow<'a, str>),
    Json(&'a Value),
    Each(Vec<Frame<'a>>),
}

/// Names and their values; an absent name has no value.
#[derive(Clone, Default)]
pub(super) struct Frame<'a>(pub(super) Vec<(&'static str, Slot<'a>)>);

impl<'a> Frame<'a> {
    pub(super) fn text(&mut self, name: &'static str, text: impl Into<Cow<'a, str>>) {
        self.0.push((name, Slot::Text(text.into())));
    }

    /// Adds a name that is a flag.
    pub(super) fn flag(&mut self, name: &'static str, holds: bool) {
        if holds {
            self.text(name, "");
        }
    }

    /// Adds a list; an empty one is as good as none.
    pub(super) fn each(&mut self, name: &'static str, items: Vec<Frame<'a>>) {
        if !items.is_empty() {
            self.0.push((name, Slot::Each(items)));
        }
    }
}

/// Reads a table.
pub(super) fn sections(table: &'static str) -> Vec<Section> {
    let parts = table.split("=== ").skip(1);
    let sections = parts.map(|part| {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        Section {
            title: title.split(" | ").collect(),
            nodes: Reader::nodes(body.trim_end_matches('\n')),
        }
    });
    sections.collect()
}

/// The pieces of a template that are not read yet: texts and tags in turn.
struct Reader {
    pieces: std::vec::IntoIter<Piece>,
}

enum Piece {
    Text(&'static str),
    Tag(Vec<Word>),
}

impl Reader {
    fn nodes(body: &'static str) -> Vec<Node> {
        let mut pieces = Vec::new();

        for line in body.split_inclusive('\n') {
            let begin = pieces.len();
            let mut rest = line;
            while let Some((text, tail)) = rest.split_once('«') {
                let (tag, tail) = tail.split_once('»').unwrap_or((tail, ""));
                pieces.push(Piece::Text(text));
                pieces.push(Piece::Tag(words(tag)));
                rest = tail;
            }
            pieces.push(Piece::Text(rest));
            // A line of nothing but branches leaves no line.
            let is_control = pieces[begin..].iter().all(|piece| match piece {
                Piece::Text(text) => text.trim().is_empty(),
                Piece::Tag(words) => control(words).is_some(),
            });
            if is_control && pieces.len() > begin + 1 {
                let tags = pieces.split_off(begin);
                pieces.extend(tags.into_iter().filter(|one| matches!(one, Piece::Tag(_))));
            }
        }
        let mut reader = Self {
            pieces: pieces.into_iter(),
        };
        reader.block().0
    }

    /// The nodes up to a tag that ends them, and that tag.
    fn block(&mut self) -> (Vec<Node>, Vec<Word>) {
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.next() {
            let words = match piece {
                Piece::Text("") => continue,
                Piece::Text(text) => {
                    nodes.push(Node::Text(text));
                    continue;
                }
                Piece::Tag(words) => words,
            };
            match control(&words) {
                Some("if") => nodes.push(self.branches(&words)),
                Some("each") => {
                    let list = words.get(1).map_or("", Word::name);
                    nodes.push(Node::Each(list, self.block().0));
                }
                Some(_) => return (nodes, words),
                None => nodes.push(Node::Put(expression(words))),
            }
        }
        (nodes, Vec::new())
    }

    fn branches(&mut self, first: &[Word]) -> Node {
        let mut branches = Vec::new();
        let mut open = condition(&first[1..]);
        loop {
            let (nodes, end) = self.block();
            branches.push((open, nodes));
            match control(&end) {
                Some("elif") => open = condition(&end[1..]),
                Some("else") => open = vec![Vec::new()],
                _ => return Node::If(branches),
            }
        }
    }
}

impl Word {
    fn name(&self) -> &'static str {
        match self {
            Self::Name(name) => name,
            Self::Literal(_) => "",
        }
    }

    fn literal(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Literal(text) => text,
        }
    }
}

fn control(words: &[Word]) -> Option<&'static str> {
    let name = words.first()?.name();
    ["if", "elif", "else", "end", "each"]
        .contains(&name)
        .then_some(name)
}

/// Names, `|`, and texts in quotes: `\n`, `\r`, `\t`, `\g` for a grave accent, else the sign behind the backslash.
fn words(tag: &'static str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = tag.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let mut text = String::new();
            let mut signs = rest.char_indices().skip(1);
            let mut end = rest.len();
            while let Some((at, sign)) = signs.next() {
                match sign {
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    '\\' => text.push(match signs.next().map_or('\\', |(_, sign)| sign) {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'g' => '`',
                        sign => sign,
                    }),
                    sign => text.push(sign),
                }
            }
            words.push(Word::Literal(text));
            rest = rest[end..].trim_start();
            continue;
        }
        let is_end = |sign: char| sign == ' ' || sign == '|' || sign == '"';
        let end = match first {
            '|' => 1,
            _ => rest.find(is_end).unwrap_or(rest.len()),
        };
        words.push(Word::Name(&rest[..end]));
        rest = rest[end..].trim_start();
    }
    words
}

fn expression(words: Vec<Word>) -> Expression {
    let mut parts = words.split(|word| word.name() == "|");
    let first = parts.next().and_then(|first| first.first().cloned());
    Expression {
        first: first.unwrap_or(Word::Name("")),
        filters: parts.map(<[Word]>::to_vec).collect(),
    }
}

fn condition(words: &[Word]) -> Condition {
    let tests = |words: &[Word]| {
        let tests = words.split(|word| word.name() == "and");
        tests.map(test).collect()
    };
    words.split(|word| word.name() == "or").map(tests).collect()
}

fn test(words: &[Word]) -> Test {
    let is_negated = words.first().is_some_and(|word| word.name() == "not");
    let words = &words[usize::from(is_negated)..];
    Test {
        is_negated,
        subject: words.first().map_or("", Word::name),
        verb: words.get(1).map_or("", Word::name),
        arguments: words.get(2..).unwrap_or_default().to_vec(),
    }
}

/// Names in sight, and the filters that the table defines.
struct Writer<'s, 'a> {
    sections: &'s [Section],
    frames: Vec<&'s Frame<'a>>,
    out: String,
}

/// Fills in the section called `name`.
pub(super) fn fill(sections: &[Section], name: &str, frame: &Frame<'_>) -> String {
    let mut writer = Writer {
        sections,
        frames: vec![frame],
        out: String::new(),
    };
    let section = sections.iter().find(|section| section.title[0] == name);
    if let Some(section) = section {
        writer.nodes(&section.nodes);
    }
    writer.out
}

impl<'s, 'a> Writer<'s, 'a> {
    fn slot(&self, name: &str) -> Option<&'s Slot<'a>> {
        let named = |frame: &&'s Frame<'a>| frame.0.iter().find(|(known, _)| *known == name);
        Some(&self.frames.iter().rev().find_map(named)?.1)
    }

    fn text(&self, name: &str) -> Option<&'s str> {
        match self.slot(name)? {
            Slot::Text(text) => Some(text),
            _ => None,
        }
    }

    fn nodes(&mut self, nodes: &'s [Node]) {
        for node in nodes {
            match node {
                Node::Text(text) => self.out.push_str(text),
                Node::Put(expression) => {
                    let text = self.value(expression);
                    self.out.push_str(&text);
                }
                Node::If(branches) => {
                    let holds = |(condition, _): &&(Condition, Vec<Node>)| {
                        let mut tests = condition.iter();
                        tests.any(|tests| tests.iter().all(|test| self.holds(test)))
                    };
                    if let Some((_, nodes)) = branches.iter().find(holds) {
                        self.nodes(nodes);
                    }
                }
                Node::Each(list, nodes) => {
                    let Some(Slot::Each(items)) = self.slot(list) else {
                        continue;
                    };
                    for item in items {
                        self.frames.push(item);
                        self.nodes(nodes);
                        self.frames.pop();
                    }
                }
            }
        }
    }

    fn holds(&self, test: &Test) -> bool {
        let mut arguments = test.arguments.iter().map(Word::literal);
        let text = self.text(test.subject);
        let signs = test.arguments.first().map_or("", Word::literal);
        let is_sign = |sign: char| signs.contains(sign);
        let holds = match (test.verb, text) {
            ("", _) => self.slot(test.subject).is_some(),
            (_, None) => false,
            ("is" | "in", Some(text)) => arguments.any(|one| one == text),
            ("has", Some(text)) => text.contains(is_sign),
            ("holds", Some(text)) => text.contains(signs),
            ("starts", Some(text)) => text.starts_with(is_sign),
            ("ends", Some(text)) => text.ends_with(is_sign),
            // Several lines that are copied to code unchanged.
            ("raw", Some(text)) => {
                text.contains('\n')
                    && !text.contains(|sign| quote::is_hidden(sign) && sign != '\n' && sign != '\t')
            }
            (verb, _) => unreachable!("no test `{verb}` in the table"),
        };
        holds != test.is_negated
    }

    fn value(&mut self, expression: &'s Expression) -> String {
        let (mut text, mut is_absent) = match &expression.first {
            Word::Literal(text) => (text.clone(), false),
            Word::Name(name) => match self.slot(name) {
                Some(Slot::Text(text)) => (text.clone().into_owned(), false),
                Some(Slot::Json(value)) => {
                    let filter = expression.filters.first();
                    let filter = filter.map_or(&[][..], Vec::as_slice);
                    return native(value, filter);
                }
                _ => (String::new(), true),
            },
        };
        for filter in &expression.filters {
            text = self.filtered((!is_absent).then_some(text), filter);
            is_absent = false;
        }
        text
    }

    fn filtered(&mut self, text: Option<String>, filter: &[Word]) -> String {
        let argument = |at: usize| filter.get(at).map_or("", Word::literal);
        let name = argument(0);
        let defined = |section: &&Section| section.title[0].strip_prefix('|') == Some(name);
        if let Some(section) = self.sections.iter().find(defined) {
            let mut own = Frame::default();
            if let Some(text) = text {
                own.text("it", text);
            }
            let mut frames = self.frames.clone();
            frames.push(&own);
            let mut inner = Writer {
                sections: self.sections,
                frames,
                out: String::new(),
            };
            inner.nodes(&section.nodes);
            return inner.out;
        }
        let text = text.unwrap_or_default();
        match name {
            "replace" => text.replace(argument(1), argument(2)),
            "before" => format!("{}{text}", argument(1)),
            "lower" => text.to_ascii_lowercase(),
            "title" => {
                let mut text = text.to_ascii_lowercase();
                text[..1].make_ascii_uppercase();
                text
            }
            "chop" => {
                let mut text = text;
                text.pop();
                text
            }
            "lines" => {
                let inner = &filter[1..2];
                let lines: Vec<String> = match text.is_empty() {
                    true => vec![self.filtered(Some(text), inner)],
                    false => (text.split_inclusive('\n'))
                        .map(|line| self.filtered(Some(line.to_owned()), inner))
                        .collect(),
                };
                lines.join(argument(2))
            }
            name => quote::literal(name, &text)
                .unwrap_or_else(|| unreachable!("no filter `{name}` in the table")),
        }
    }
}

/// JSON as a literal: `native True False None indent step`.
fn native(value: &Value, filter: &[Word]) -> String {
    let argument = |at: usize| filter.get(at).map_or("", Word::literal);
    let words = quote::Words {
        yes: argument(1),
        no: argument(2),
        null: argument(3),
    };
    let number = |at: usize| argument(at).parse().unwrap_or_default();
    quote::native(value, words, number(4), number(5))
}
