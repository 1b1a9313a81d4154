//! Questions with the places that answer them, made of what authors of real sites wrote; and questions that no page answers.
//!
//! By rule, none by hand and none by an engine: a heading or the title of an accordion that asks is answered by what stands
//! below it; the words of a link that leads to a heading are answered there. What a section must say is its key phrase: the
//! first code within its first paragraph, else the two rarest words of that.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use queries::site::{Block, PageBlocks};
use quire_search::index::words::Analyzer;

/// A question with the place that answers it.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// `question` (a heading that asks) or `anchor` (the words of a link).
    pub(crate) kind: &'static str,
    /// The question.
    pub(crate) question: String,
    /// The route of the page.
    pub(crate) route: String,
    /// The id of the heading.
    pub(crate) anchor: String,
    /// What an answer must say.
    pub(crate) key: Vec<String>,
    /// The page that the words of a link stand on, which is no answer.
    pub(crate) holder: Option<String>,
}

/// A page: its route, title and blocks.
pub(crate) type Page = (String, String, std::sync::Arc<PageBlocks>);

/// How headings begin that ask although they have no question mark.
const ASKS: &[&str] = &[
    "how ", "what ", "why ", "when ", "where ", "which ", "who ", "can ", "does ", "do ", "is ",
    "are ", "should ",
];

/// The pairs of a site with these pages.
pub(crate) fn pairs(pages: &[Page]) -> Vec<Pair> {
    let rarity = Rarity::of(pages);
    let mut found: BTreeMap<(&'static str, String), Option<Pair>> = BTreeMap::new();
    let mut add = |pair: Pair| {
        let place = (pair.route.clone(), pair.anchor.clone());
        let slot = found.entry((pair.kind, pair.question.to_lowercase()));
        let slot = slot.or_insert_with(|| Some(pair));
        // The same words for two places ask for neither.
        let is_other = |pair: &Pair| {
            (pair.route.as_str(), pair.anchor.as_str()) != (&place.0[..], &place.1[..])
        };
        if slot.as_ref().is_some_and(is_other) {
            *slot = None;
        }
    };
    let sections: HashMap<(&str, &str), &[Block]> = pages
        .iter()
        .flat_map(|(route, _, blocks)| {
            let parts = blocks.passages.iter();
            parts.filter_map(|part| {
                let anchor = part.passage.anchor.as_deref()?;
                Some(((route.as_str(), anchor), part.blocks.as_slice()))
            })
        })
        .collect();
    for (route, _, blocks) in pages {
        for part in &blocks.passages {
            let (Some(anchor), Some(heading)) =
                (&part.passage.anchor, part.passage.headings.last())
            else {
                continue;
            };
            let lower = heading.to_lowercase();
            let words = heading.split_whitespace().count();
            let is_asking = words >= 4
                && (heading.ends_with('?') || ASKS.iter().any(|start| lower.starts_with(start)));
            if let Some(key) = rarity.key(&part.blocks).filter(|_| is_asking) {
                add(Pair {
                    kind: "question",
                    question: heading.clone(),
                    route: route.clone(),
                    anchor: anchor.clone(),
                    key,
                    holder: None,
                });
            }
            for (words, target, fragment) in links(&part.blocks) {
                let target = if target.is_empty() { route } else { &target };
                let Some(blocks) = sections.get(&(target.as_str(), fragment.as_str())) else {
                    continue;
                };
                let count = words.split_whitespace().count();
                if !(2..=14).contains(&count) || target == route {
                    continue;
                }
                if let Some(key) = rarity.key(blocks) {
                    add(Pair {
                        kind: "anchor",
                        question: words,
                        route: target.clone(),
                        anchor: fragment,
                        key,
                        holder: Some(route.clone()),
                    });
                }
            }
        }
    }
    found.into_values().flatten().collect()
}

/// The links of `blocks` that lead to a heading: words, route, fragment.
fn links(blocks: &[Block]) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for line in blocks.iter().flat_map(Block::lines) {
        for (at, _) in line.markdown.match_indices("](/") {
            let Some(start) = line.markdown[..at].rfind('[') else {
                continue;
            };
            let words = &line.markdown[start + 1..at];
            let href = line.markdown[at + 2..].split(')').next().unwrap_or("");
            let Some((path, fragment)) = href.split_once('#') else {
                continue;
            };
            if words.contains(['`', '\\', '/', '_']) || fragment.is_empty() {
                continue;
            }
            found.push((
                words.to_owned(),
                path.trim_end_matches('/').to_owned(),
                fragment.to_owned(),
            ));
        }
    }
    found
}

/// In how many pages words stand.
struct Rarity(HashMap<String, usize>);

impl Rarity {
    fn of(pages: &[Page]) -> Self {
        let mut analyzer = Analyzer::new("en");
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (_, _, blocks) in pages {
            let mut seen = BTreeSet::new();
            for part in &blocks.passages {
                analyzer.terms(&part.passage.body, |_, term, _| {
                    seen.insert(term.to_owned());
                });
            }
            for term in seen {
                *counts.entry(term).or_default() += 1;
            }
        }
        Self(counts)
    }

    /// What an answer from `blocks` must say; `None` if their first paragraph is too short to say anything.
    fn key(&self, blocks: &[Block]) -> Option<Vec<String>> {
        let first = blocks.iter().find_map(|block| match block {
            Block::Paragraph(line) => Some(line),
            _ => None,
        })?;
        if first.text.split_whitespace().count() < 5 {
            return None;
        }
        if let Some((_, rest)) = first.markdown.split_once('`')
            && let Some((code, _)) = rest.split_once('`')
            && code.len() > 2
        {
            return Some(vec![code.to_owned()]);
        }
        let mut words: Vec<(usize, String)> = Vec::new();
        let mut analyzer = Analyzer::new("en");
        analyzer.terms(&first.text, |bytes, term, typed| {
            if typed.chars().count() > 3 {
                let count = self.0.get(term).copied().unwrap_or(0);
                words.push((count, first.text[bytes].to_owned()));
            }
        });
        words.sort();
        words.dedup();
        let rarest: Vec<String> = words.into_iter().take(2).map(|(_, word)| word).collect();
        (rarest.len() == 2).then_some(rarest)
    }
}

/// Things that a product may have or not, with the word that pages about them hold.
const THINGS: &[(&str, &str)] = &[
    ("LDAP directories", "ldap"),
    ("SOAP endpoints", "soap"),
    ("Kafka topics", "kafka"),
    ("Terraform modules", "terraform"),
    ("Elixir clients", "elixir"),
    ("Cassandra clusters", "cassandra"),
    ("RabbitMQ queues", "rabbitmq"),
    ("an FTP server", "ftp"),
    ("IMAP mailboxes", "imap"),
    ("SAP orders", "sap"),
    ("Oracle databases", "oracle"),
    ("WordPress plugins", "wordpress"),
    ("Drupal modules", "drupal"),
    ("Magento stores", "magento"),
    ("Perforce depots", "perforce"),
    ("Mercurial repositories", "mercurial"),
    ("CockroachDB", "cockroach"),
    ("Neo4j graphs", "neo4j"),
    ("Kotlin Multiplatform", "kotlin"),
    ("Unity games", "unity"),
    ("Solaris servers", "solaris"),
    ("Erlang nodes", "erlang"),
    ("Haskell bindings", "haskell"),
    ("a Perl client", "perl"),
    ("Delphi forms", "delphi"),
    ("Windows Phone apps", "windows phone"),
    ("Visual Basic macros", "visual basic"),
    ("Lotus Notes", "lotus"),
    ("SMS through Nexmo", "nexmo"),
    ("Jabber chats", "jabber"),
    ("an IRC bot", "irc"),
    ("RSS enclosures for podcasts", "podcast"),
    ("PGP keys", "pgp"),
    ("smart cards", "smart card"),
    ("Yubikeys", "yubikey"),
    ("X.509 client certificates", "x.509"),
    ("gRPC reflection", "grpc"),
    ("Thrift services", "thrift"),
    ("CORBA objects", "corba"),
    ("Hadoop jobs", "hadoop"),
    ("fax delivery", "fax"),
    ("COBOL programs", "cobol"),
    ("barcode scanners", "barcode"),
    ("a thermal printer", "thermal"),
    ("Bluetooth devices", "bluetooth"),
    ("a satellite uplink", "satellite"),
    ("payroll for contractors", "payroll"),
    ("a pager rotation", "pager"),
    ("drone flight plans", "drone"),
    ("tape backups", "tape"),
    ("braille output", "braille"),
    ("vending machines", "vending"),
    ("mainframe terminals", "mainframe"),
    ("dental insurance claims", "dental"),
    ("elevator controllers", "elevator"),
    ("parking meters", "parking"),
    ("train timetables", "timetable"),
    ("chess tournaments", "chess"),
    ("library loans of books", "loan"),
    ("sheet music", "sheet"),
];

/// How one asks for a thing.
const FORMS: &[&str] = &[
    "How do I set up {}?",
    "Does it support {}?",
    "How do I configure {} for my project?",
    "Where can I enable {}?",
];

/// Questions for things that no page of `texts`, in lower case, has a word of.
pub(crate) fn lacking(texts: &[String]) -> Vec<String> {
    let things = THINGS.iter().filter(|(_, word)| {
        let has = |text: &String| {
            text.match_indices(word)
                .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric()))
        };
        !texts.iter().any(has)
    });
    let forms = FORMS.iter().cycle();
    things
        .zip(forms)
        .map(|((thing, _), form)| form.replace("{}", thing))
        .collect()
}
