//! Our reading of MDX against that of remark-mdx, on every page of the corpus.
//!
//! `tests/oracle/trees.mjs` wrote down what remark-mdx finds, as counts and digests; here the same is made of our own
//! tree. What differs is named, and how much may differ is bounded.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use base::path::SitePath;
use mdx::markdown::{Event, Tag, TagEnd, events, is_silent, node_index};
use mdx::{AttributeValue, Document, Dollars, Fragment, Node};

use crate::corpus::corpus;

/// What a page holds, in the terms that both sides share.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape {
    tree: String,
    elements: u64,
    expressions: u64,
    text: String,
    counts: BTreeMap<String, u64>,
}

/// One block that may hold inline content.
struct Run {
    /// Whether it is a paragraph of its own, or the content of a tight item.
    is_paragraph: bool,
    /// Whether something else than JSX and blanks was seen in it.
    has_content: bool,
    /// Whether it is a paragraph of an item whose list is loose.
    is_loose: bool,
}

/// Returns true if a block of this kind holds others.
fn holds_blocks(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition
    )
}

struct Reader<'a> {
    document: &'a Document,
    shape: Shape,
}

impl Reader<'_> {
    fn add(&mut self, name: &str) {
        *self.shape.counts.entry(name.to_owned()).or_default() += 1;
    }

    fn push_text(&mut self, text: &str) {
        self.shape.text.extend(
            text.chars()
                .filter(|c| !c.is_whitespace() && *c != '\u{feff}'),
        );
    }

    fn node(&mut self, index: usize) {
        match &self.document.nodes[index] {
            Node::Expression { .. } => self.shape.expressions += 1,
            Node::Formula { .. } => {}
            Node::Element(element) => {
                self.shape.elements += 1;
                let _ = write!(self.shape.tree, "<{}", element.name);
                for attribute in &element.attributes {
                    let bare = |text: &str| text.split_whitespace().collect::<String>();
                    let value = match &attribute.value {
                        AttributeValue::Absent => String::new(),
                        AttributeValue::Text(text) => format!("=\"{}\"", bare(text)),
                        AttributeValue::Expression(source) if attribute.name.is_empty() => {
                            format!("{{{}}}", bare(source))
                        }
                        AttributeValue::Expression(source) => format!("={{{}}}", bare(source)),
                    };
                    let _ = write!(self.shape.tree, " {}{value}", attribute.name);
                }
                self.shape.tree.push('>');
                self.fragment(&element.children);
                self.shape.tree.push_str("</>");
            }
        }
    }

    fn end_run(&mut self, run: Option<Run>) {
        if let Some(run) = run.filter(|run| run.has_content && run.is_paragraph) {
            self.add("paragraph");
            if run.is_loose {
                self.add("loose");
            }
        }
    }

    fn fragment(&mut self, fragment: &Fragment) {
        let mut run: Option<Run> = None;
        let mut items = 0_usize;
        let mut images = 0_usize;
        // Of each block that is open and holds others, whether it is an item.
        let mut around: Vec<bool> = Vec::new();
        for event in events(&fragment.text, &self.document.definitions, true) {
            let is_inline = matches!(
                event,
                Event::Text(_)
                    | Event::Code(_)
                    | Event::InlineHtml(_)
                    | Event::SoftBreak
                    | Event::HardBreak
                    | Event::FootnoteReference(_)
                    | Event::Start(
                        Tag::Emphasis
                            | Tag::Strong
                            | Tag::Strikethrough
                            | Tag::Link { .. }
                            | Tag::Image { .. }
                    )
            );
            if is_inline && run.is_none() && items > 0 {
                run = Some(Run {
                    is_paragraph: true,
                    has_content: false,
                    is_loose: false,
                });
            }
            if let Some(run) = &mut run {
                run.has_content |= match &event {
                    Event::Text(text) => !text.trim().is_empty(),
                    Event::InlineHtml(html) => node_index(html).is_none() && !is_silent(html),
                    Event::SoftBreak => false,
                    _ => is_inline,
                };
            }
            match event {
                Event::Start(tag) => {
                    if !is_inline {
                        let ended = run.take();
                        self.end_run(ended);
                    }
                    if holds_blocks(&tag.to_end()) {
                        around.push(matches!(tag, Tag::Item));
                    }
                    match tag {
                        Tag::Paragraph => {
                            run = Some(Run {
                                is_paragraph: !fragment.is_inline,
                                has_content: false,
                                is_loose: around.last() == Some(&true),
                            });
                        }
                        Tag::Heading { level, .. } => {
                            self.add(&format!("h{}", level as u8));
                            run = Some(Run {
                                is_paragraph: false,
                                has_content: false,
                                is_loose: false,
                            });
                        }
                        Tag::BlockQuote(_) => self.add("quote"),
                        Tag::CodeBlock(_) => {
                            self.add("code");
                            run = Some(Run {
                                is_paragraph: false,
                                has_content: false,
                                is_loose: false,
                            });
                        }
                        Tag::List(_) => self.add("list"),
                        Tag::Item => {
                            self.add("item");
                            items += 1;
                        }
                        Tag::FootnoteDefinition(_) => self.add("footnote"),
                        Tag::Table(_) => self.add("table"),
                        Tag::TableHead | Tag::TableRow => self.add("row"),
                        Tag::TableCell => {
                            run = Some(Run {
                                is_paragraph: false,
                                has_content: false,
                                is_loose: false,
                            });
                        }
                        Tag::Emphasis => self.add("emphasis"),
                        Tag::Strong => self.add("strong"),
                        Tag::Strikethrough => self.add("strike"),
                        Tag::Link { .. } => self.add("link"),
                        Tag::Image { .. } => {
                            self.add("image");
                            images += 1;
                        }
                        _ => {}
                    }
                }
                Event::End(tag) => {
                    let is_inline_end = matches!(
                        tag,
                        TagEnd::Emphasis
                            | TagEnd::Strong
                            | TagEnd::Strikethrough
                            | TagEnd::Link
                            | TagEnd::Image
                    );
                    if !is_inline_end {
                        let ended = run.take();
                        self.end_run(ended);
                    }
                    if holds_blocks(&tag) {
                        around.pop();
                    }
                    match tag {
                        TagEnd::Item => items -= 1,
                        TagEnd::Image => images -= 1,
                        _ => {}
                    }
                }
                Event::Text(text) => self.push_text(&text),
                Event::Code(code) => {
                    // In the description of an image it is text.
                    if images == 0 {
                        self.add("span");
                    }
                    self.push_text(&code);
                }
                Event::Html(html) | Event::InlineHtml(html) => match node_index(&html) {
                    Some(index) => self.node(index),
                    None if is_silent(&html) => {}
                    None => self.push_text(&html),
                },
                Event::HardBreak => self.add("break"),
                Event::Rule => self.add("rule"),
                Event::FootnoteReference(_) => self.add("mention"),
                Event::SoftBreak
                | Event::TaskListMarker(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_) => {}
            }
        }
    }
}

fn shape(text: &str) -> Shape {
    let path = SitePath::new("page.mdx").unwrap();
    // What it is compared with was told nothing of formulas.
    let document = mdx::parse_with(&path, text, Dollars::Text);
    let mut reader = Reader {
        document: &document,
        shape: Shape::default(),
    };
    reader.fragment(&document.root);
    reader.shape
}

/// FNV-1a, 64 bits.
fn digest(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// What remark-mdx says of one page.
enum Oracle {
    Refused,
    Read {
        tree: String,
        elements: u64,
        expressions: u64,
        text: String,
        counts: BTreeMap<String, u64>,
    },
}

/// A file of `tests/oracle`.
fn oracle_file(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracle");
    std::fs::read_to_string(file.join(name)).unwrap()
}

fn oracle(name: &str) -> Vec<(String, Oracle)> {
    let text = oracle_file(name);
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, tree, elements, expressions, text, counts] = fields[..] else {
            assert!(fields[1].starts_with("refused "), "{line}");
            return (fields[0].to_owned(), Oracle::Refused);
        };
        let counts = counts
            .split_whitespace()
            .map(|count| count.split_once('=').unwrap())
            .map(|(name, count)| (name.to_owned(), count.parse().unwrap()))
            .collect();
        let read = Oracle::Read {
            tree: tree.to_owned(),
            elements: elements.parse().unwrap(),
            expressions: expressions.parse().unwrap(),
            text: text.to_owned(),
            counts,
        };
        (path.to_owned(), read)
    };
    text.lines().map(read).collect()
}

#[derive(Default)]
struct Score {
    pages: usize,
    refused: usize,
    missing: usize,
    differs: BTreeMap<&'static str, Vec<String>>,
}

impl Score {
    fn equal(&self, what: &str) -> f64 {
        let wrong = self.differs.get(what).map_or(0, Vec::len);
        (self.pages - wrong) as f64 / self.pages as f64
    }
}

/// Pages of the corpus with a container of another tool (`:::warning`), which MDX does not have: they
/// are shown otherwise than remark-mdx would on purpose.
const CONTAINERS: &[&str] = &["continue/ide-extensions/agent/how-to-customize.mdx"];

#[expect(clippy::print_stderr, reason = "what differs is shown when asked for")]
fn compare(oracle: Vec<(String, Oracle)>, source: impl Fn(&str) -> Option<String>) -> Score {
    let mut score = Score::default();
    let show = std::env::var("QUIRE_DIFFERENCES").is_ok();
    for (path, oracle) in oracle {
        if CONTAINERS.contains(&path.as_str()) {
            continue;
        }
        let Some(text) = source(&path) else {
            score.missing += 1;
            continue;
        };
        let ours = shape(&text);
        let Oracle::Read {
            tree,
            elements,
            expressions,
            text,
            counts,
        } = oracle
        else {
            score.refused += 1;
            continue;
        };
        score.pages += 1;
        let mut differs = |what: &'static str, detail: String| {
            if show {
                eprintln!("{what}\t{path}\t{detail}");
            }
            score.differs.entry(what).or_default().push(path.clone());
        };
        if digest(&ours.tree) != tree {
            differs("tree", format!("{} for {elements}", ours.elements));
        }
        if ours.expressions != expressions {
            differs(
                "expressions",
                format!("{} for {expressions}", ours.expressions),
            );
        }
        if ours.counts != counts {
            let mut names: Vec<_> = ours.counts.keys().chain(counts.keys()).collect();
            names.sort();
            names.dedup();
            let detail: Vec<String> = names
                .into_iter()
                .map(|name| (name, ours.counts.get(name), counts.get(name)))
                .filter(|(_, ours, theirs)| ours != theirs)
                .map(|(name, ours, theirs)| {
                    format!("{name} {} for {}", ours.unwrap_or(&0), theirs.unwrap_or(&0))
                })
                .collect();
            differs("counts", detail.join(", "));
        }
        if digest(&ours.text) != text {
            differs("text", String::new());
        }
    }
    score
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn pages_are_read_as_remark_mdx_reads_them() {
    let Some(sites) = corpus().map(|corpus: PathBuf| corpus.join("sites")) else {
        eprintln!("SKIPPED pages_are_read_as_remark_mdx_reads_them: no corpus; set QUIRE_SHARED");
        return;
    };
    let score = compare(oracle("trees.tsv"), |path| {
        let bytes = std::fs::read(sites.join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    });
    let summary: Vec<String> = ["tree", "expressions", "counts", "text"]
        .iter()
        .map(|what| format!("{what} {:.2} %", 100.0 * score.equal(what)))
        .collect();
    eprintln!(
        "{} pages, {} refused by remark-mdx; equal: {}",
        score.pages,
        score.refused,
        summary.join(", ")
    );
    assert_eq!(
        score.missing, 0,
        "pages of tests/oracle/trees.tsv that the corpus has not"
    );
    for (what, floor) in [
        ("tree", 0.999),
        ("expressions", 0.999),
        ("counts", 0.999),
        ("text", 0.999),
    ] {
        assert!(
            score.equal(what) >= floor,
            "{what}: {:#?}",
            score.differs.get(what)
        );
    }
}

/// remark-mdx refuses two of the cases: an expression that is no JavaScript, and a paragraph across an element's end.
#[test]
fn cases_are_read_as_remark_mdx_reads_them() {
    let cases = oracle_file("cases.txt");
    let cases: Vec<&str> = cases.split("=====\n").collect();
    let score = compare(oracle("cases.tsv"), |number| {
        let number: usize = number.parse().ok()?;
        cases.get(number - 1).map(|case| (*case).to_owned())
    });
    assert_eq!(
        (score.pages + score.refused, score.missing),
        (cases.len(), 0)
    );
    assert_eq!(score.refused, 2);
    if let Some(number) = score.differs.values().flatten().next() {
        let case = cases[number.parse::<usize>().unwrap() - 1];
        panic!("case {number} differs: {:#?}\n{case}", score.differs);
    }
}
