//! Real sites with questions whose answers are known, and how well an engine answers them.
//!
//! The questions come from the authors of the sites (`corpus/queries/README.md` of the shared folder): texts of links,
//! of cards, descriptions, headings that ask. So the index is built from a copy of the site without the descriptions and
//! the headings that were taken.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::navigation::PageId;
use queries::search::{SearchDocument, page_embeddings, search_document};
use queries::site::Embedding;
use queries::site::route_table;
use quire_search::index::relevance_threshold::relevance_threshold;
use quire_search::index::{ChangedPage, Changes, Evidence, Index, Options, Question};
use quire_source::load;

use super::questions::{self, Source};

/// The sites that have questions. Weights are chosen on the first, the others only judge.
pub(crate) const SITES: [&str; 3] = ["trigger", "mintlify", "mem0"];

/// A question and what answers it.
pub(crate) struct JudgedQuestion {
    /// Where it comes from: `anchor`, `description` and so on.
    pub(crate) kind: String,
    /// The question.
    pub(crate) query: String,
    /// The routes that answer it, and how well: 2 or 1.
    relevant: BTreeMap<String, f64>,
    /// The routes that hold the very text, and are neither right nor wrong.
    neutral: BTreeSet<String>,
    /// Of each page that is one of several versions of a page, the first of them: which one is shown is no judgement.
    copies: Arc<HashMap<String, String>>,
}

impl JudgedQuestion {
    pub(crate) fn new(
        kind: &str,
        query: String,
        relevant: BTreeMap<String, f64>,
        neutral: BTreeSet<String>,
    ) -> Self {
        Self {
            kind: kind.to_owned(),
            query,
            relevant,
            neutral,
            copies: Arc::default(),
        }
    }

    /// Takes the versions of a page for one page.
    fn with_copies(self, copies: &Arc<HashMap<String, String>>) -> Self {
        let first = |route: String| copies.get(&route).cloned().unwrap_or(route);
        let mut relevant = BTreeMap::new();
        for (route, grade) in self.relevant {
            let most: &mut f64 = relevant.entry(first(route)).or_default();
            *most = most.max(grade);
        }
        Self {
            relevant,
            neutral: self.neutral.into_iter().map(first).collect(),
            copies: copies.clone(),
            ..self
        }
    }

    /// The route that answers it best.
    pub(crate) fn best(&self) -> Option<&str> {
        let mut best: Option<(&str, f64)> = None;
        for (route, grade) in &self.relevant {
            if best.is_none_or(|(_, most)| *grade > most) {
                best = Some((route, *grade));
            }
        }
        best.map(|(route, _)| route)
    }

    /// The routes of a ranking that count: without pages that hold the very text of the question, and of the versions of a
    /// page one.
    pub(crate) fn counted<'a>(&'a self, ranking: &'a [String]) -> impl Iterator<Item = &'a String> {
        let mut seen = BTreeSet::new();
        ranking
            .iter()
            .map(|route| self.copies.get(route).unwrap_or(route))
            .filter(move |route| !self.neutral.contains(*route) && seen.insert(*route))
    }
}

/// A site, its pages and its questions.
pub(crate) struct JudgedSite {
    /// What can be found of its pages, without what would give answers away.
    pub(crate) documents: Vec<SearchDocument>,
    /// The vectors of their passages, by route.
    pub(crate) vectors: HashMap<String, Vec<Vec<Embedding>>>,
    /// The questions.
    pub(crate) questions: Vec<JudgedQuestion>,
}

/// The folder with the sites and their questions; `None` if this machine has none.
pub(crate) fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("QUIRE_SHARED").map_or_else(beside, PathBuf::from);
    let corpus = shared.join("corpus");
    corpus.join("queries").is_dir().then_some(corpus)
}

/// The site with this name; `None` if this machine has no corpus.
pub(crate) fn site(name: &'static str) -> Option<JudgedSite> {
    let corpus = corpus()?;
    let text =
        |file: String| std::fs::read_to_string(corpus.join("queries").join(file)).expect("a list");
    let candidates: BTreeSet<String> = text(format!("{name}.pages.txt"))
        .lines()
        .map(route)
        .collect();
    let copy = tempfile::tempdir().expect("a folder");
    copy_without_answers(&corpus.join("sites").join(name), copy.path());
    let (documents, vectors, _) = documents(copy.path(), |route, _| candidates.contains(route));
    assert!(
        documents.len() * 10 >= candidates.len() * 9,
        "{} of {}",
        documents.len(),
        candidates.len()
    );
    let questions = text(format!("{name}.tsv"));
    let questions = questions.lines().skip(1).map(judged);
    let copies = Arc::new(copies(&documents));
    let questions = questions
        .map(|question| question.with_copies(&copies))
        .collect();
    Some(JudgedSite {
        documents,
        vectors,
        questions,
    })
}

/// The site with this name and questions that are made of its pages, those in English; `None` if this machine has no corpus.
pub(crate) fn made_site(name: &'static str) -> Option<JudgedSite> {
    let folder = corpus()?.join("sites").join(name);
    let copy = tempfile::tempdir().expect("a folder");
    copy_without_answers(&folder, copy.path());
    let is_english =
        |_: &str, language: Option<&str>| language.is_none_or(|code| code.starts_with("en"));
    let (documents, vectors, files) = documents(copy.path(), is_english);
    let sources = documents.iter().map(|document| {
        let file = files.get(document.route.as_str());
        let text = file.map(|file| std::fs::read_to_string(folder.join(file)).expect("a page"));
        Source {
            route: document.route.as_str().to_owned(),
            title: document.title.clone(),
            text: text.unwrap_or_default(),
        }
    });
    let sources: Vec<Source> = sources.collect();
    let mut names = ["docs.json", "mint.json"].into_iter();
    let config = names.find_map(|file| std::fs::read(folder.join(file)).ok());
    let config: serde_json::Value =
        serde_json::from_slice(&config.expect("a configuration")).expect("JSON");
    let redirects = config["redirects"].as_array().into_iter().flatten();
    let redirects = redirects.filter_map(|one| {
        let text = |key: &str| one[key].as_str().map(str::to_owned);
        Some((text("source")?, text("destination")?))
    });
    let copies = Arc::new(copies(&documents));
    let questions = questions::made(&sources, &redirects.collect()).into_iter();
    let questions = questions
        .map(|question| question.with_copies(&copies))
        .collect();
    Some(JudgedSite {
        documents,
        vectors,
        questions,
    })
}

/// The first of the versions of each page that has several: same title, same end of the address.
fn copies(documents: &[SearchDocument]) -> HashMap<String, String> {
    let mut firsts: HashMap<(String, String), String> = HashMap::new();
    let versioned = documents.iter().filter(|one| one.facets.version.is_some());
    let copies = versioned.map(|document| {
        let route = document.route.as_str();
        let (_, name) = route.rsplit_once('/').expect("a route");
        let key = (name.to_owned(), document.title.to_lowercase());
        let first = firsts.entry(key).or_insert_with(|| route.to_owned());
        (route.to_owned(), first.clone())
    });
    copies.collect()
}

/// The route of a path as the lists write it.
fn route(path: &str) -> String {
    let path = path.strip_suffix("/index").unwrap_or(path);
    format!("/{path}")
}

fn judged(line: &str) -> JudgedQuestion {
    let columns: Vec<&str> = line.split('\t').collect();
    let relevant = columns[3].split_whitespace().map(|entry| {
        let (path, grade) = entry.rsplit_once(':').expect("a grade");
        (route(path), grade.parse().expect("a number"))
    });
    let neutral = columns
        .get(4)
        .copied()
        .unwrap_or_default()
        .split_whitespace()
        .map(route);
    JudgedQuestion::new(
        columns[1],
        columns[2].to_owned(),
        relevant.collect(),
        neutral.collect(),
    )
}

/// The vectors of the passages of pages, by route.
pub(crate) type Vectors = HashMap<String, Vec<Vec<Embedding>>>;

/// The files of pages, by route.
pub(crate) type Files = HashMap<String, String>;

/// What is found of the pages of the site in `folder` that are wanted by route and language.
pub(crate) fn documents(
    folder: &Path,
    is_wanted: impl Fn(&str, Option<&str>) -> bool + Sync,
) -> (Vec<SearchDocument>, Vectors, Files) {
    let host = load::load(folder, "").expect("a site").host;
    let pages = host
        .read(|db, site| route_table(db, site).pages.clone())
        .expect("routes");
    let files = host.read(|db, _| {
        let of_file = |(route, page): (&Route, &PageId)| {
            let file = page.file()?;
            Some((route.as_str().to_owned(), file.path(db).to_string()))
        };
        pages.iter().filter_map(of_file).collect::<Files>()
    });
    let pages: Vec<PageId> = pages.into_values().collect();
    let found = host.read_all(&pages, |db, _, page| {
        let document = search_document(db, *page)?;
        let language = document.facets.language.as_deref();
        if !is_wanted(document.route.as_str(), language) {
            return None;
        }
        let vectors: HashMap<_, _> = page_embeddings(db, *page).into_iter().collect();
        let of_passage = |passage: &queries::search::Passage| {
            vectors
                .get(&passage.digest(&document.title))
                .map(|them| them.to_vec())
                .unwrap_or_default()
        };
        let vectors: Vec<Vec<Embedding>> = document.passages.iter().map(of_passage).collect();
        Some(((*document).clone(), vectors))
    });
    let (mut documents, mut vectors) = (Vec::new(), Vectors::new());
    for (document, of_page) in found.into_iter().filter_map(|one| one.expect("drawn")) {
        vectors.insert(document.route.as_str().to_owned(), of_page);
        // What an author pushes is no judgement of what answers a question.
        documents.push(SearchDocument {
            boost: 1000,
            ..document
        });
    }
    (documents, vectors, files.expect("files"))
}

fn copy_without_answers(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        let is_page = path
            .extension()
            .is_some_and(|end| end == "mdx" || end == "md");
        if path.is_dir() {
            copy_without_answers(&path, &copy);
        } else if is_page {
            let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a page")).into_owned();
            std::fs::write(copy, without_answers(&text)).expect("written");
        } else {
            std::fs::copy(path, copy).expect("copied");
        }
    }
}

/// A page without its descriptions, its headings that ask, and the titles of accordions that ask.
pub(super) fn without_answers(text: &str) -> String {
    let mut out = String::new();
    let lines = text.split_inclusive('\n').enumerate();
    let mut front_matter = false;
    let mut in_fence = false;
    let mut dropping = false;
    for (i, line) in lines {
        let trimmed = line.trim();
        if trimmed == "---" && (i == 0 || front_matter) {
            front_matter = i == 0;
        } else if front_matter {
            let key = trimmed
                .split(':')
                .next()
                .unwrap_or_default()
                .trim_matches(['"', '\'']);
            // A value goes on as long as lines are indented.
            dropping = match line.starts_with([' ', '\t']) {
                true => dropping,
                false => ["description", "og:description", "twitter:description"]
                    .iter()
                    .any(|one| {
                        key == *one
                            || trimmed
                                .trim_start_matches(['"', '\''])
                                .starts_with(&format!("{one}\""))
                            || trimmed
                                .trim_start_matches(['"', '\''])
                                .starts_with(&format!("{one}:"))
                    }),
            };
            if dropping {
                continue;
            }
        } else if trimmed.starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence
            && trimmed.starts_with('#')
            && trimmed
                .trim_end_matches(['#', ' ', '*', '_', '`'])
                .ends_with('?')
        {
            continue;
        }
        let empties =
            !in_fence && (line.contains("<Accordion") || line.trim_start().starts_with("title="));
        out.push_str(&if empties {
            without_asking_titles(line)
        } else {
            line.to_owned()
        });
    }
    out
}

/// `line` with every `title="…?"` emptied.
fn without_asking_titles(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("title=") {
        let (before, value) = rest.split_at(at + "title=".len());
        out.push_str(before);
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let Some((quote, end)) = quote.and_then(|quote| Some((quote, value[1..].find(quote)? + 1)))
        else {
            rest = value;
            continue;
        };
        let title = &value[1..end];
        let title = if title.trim().ends_with('?') {
            ""
        } else {
            title
        };
        out.push_str(&format!("{quote}{title}{quote}"));
        rest = &value[end + 1..];
    }
    out + rest
}

/// How well questions were answered, on average.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// How many questions.
    pub(crate) questions: usize,
    /// How near the best answers are to the top, 0 to 1.
    pub(crate) ndcg: f64,
    /// One divided by the place of the first answer.
    pub(crate) mrr: f64,
    /// How many of the answers are among the first ten.
    pub(crate) recall: f64,
}

impl Figures {
    fn add(&mut self, one: Self) {
        self.questions += one.questions;
        self.ndcg += one.ndcg;
        self.mrr += one.mrr;
        self.recall += one.recall;
    }

    fn mean(self) -> Self {
        let count = self.questions.max(1) as f64;
        Self {
            ndcg: self.ndcg / count,
            mrr: self.mrr / count,
            recall: self.recall / count,
            ..self
        }
    }
}

/// The figures of an engine on `questions`, by kind; `all` over all of them. `rank` answers with routes, best first, a
/// few more than ten.
pub(crate) fn figures<'a>(
    questions: impl IntoIterator<Item = &'a JudgedQuestion>,
    mut rank: impl FnMut(&str) -> Vec<String>,
) -> BTreeMap<String, Figures> {
    let mut figures: BTreeMap<String, Figures> = BTreeMap::new();
    for question in questions {
        let one = figures_of(question, &rank(&question.query));
        for kind in [question.kind.as_str(), "all"] {
            figures.entry(kind.to_owned()).or_default().add(one);
        }
    }
    figures
        .into_iter()
        .map(|(kind, sum)| (kind, sum.mean()))
        .collect()
}

/// The figures of an engine on one question.
pub(crate) fn figures_of(question: &JudgedQuestion, ranking: &[String]) -> Figures {
    let ranking = question.counted(ranking).take(10);
    let gains: Vec<f64> = ranking
        .map(|route| question.relevant.get(route).copied().unwrap_or(0.0))
        .collect();
    let discounted = |gains: &[f64]| -> f64 {
        gains
            .iter()
            .enumerate()
            .map(|(i, gain)| gain / (i as f64 + 2.0).log2())
            .fold(0.0, |sum, one| sum + one)
    };
    let mut ideal: Vec<f64> = question.relevant.values().copied().collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    ideal.truncate(10);
    let first = gains.iter().position(|gain| *gain > 0.0);
    let found = gains.iter().filter(|gain| **gain > 0.0).count();
    Figures {
        questions: 1,
        ndcg: discounted(&gains) / discounted(&ideal),
        mrr: first.map_or(0.0, |place| 1.0 / (place as f64 + 1.0)),
        recall: found as f64 / ideal.len() as f64,
    }
}

/// `query` with one mistake in one of its words of four letters or more: a letter left out, doubled, changed, or two that
/// changed places. `None` if it has no such word. `seed` decides; the first letter stays.
pub(crate) fn mistyped(query: &str, seed: u64) -> Option<String> {
    let mut random = crate::random_numbers::Random::new(seed);
    let words: Vec<(usize, &str)> = query
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| word.len() >= 4)
        .map(|word| (word.as_ptr() as usize - query.as_ptr() as usize, word))
        .collect();
    if words.is_empty() {
        return None;
    }
    let (start, word) = words[random.below(words.len())];
    let mut letters: Vec<u8> = word.bytes().collect();
    let at = 1 + random.below(letters.len() - 2);
    match random.below(4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 => {
            let other = 1 + random.below(25) as u8;
            letters[at] = b'a' + (letters[at].to_ascii_lowercase() - b'a' + other) % 26;
        }
        _ => {
            // Equal neighbors would change nothing.
            let at = (1..letters.len() - 1)
                .find(|&i| i >= at && letters[i] != letters[i + 1])
                .unwrap_or(0);
            letters.swap(at, at + 1);
        }
    }
    let word_now = String::from_utf8(letters).expect("letters");
    let (before, after) = (&query[..start], &query[start + word.len()..]);
    // Words in quotes are wanted as they are typed: what is wrong there is found nowhere.
    Some(format!("{before}{word_now}{after}").replace('"', ""))
}

/// The index of the documents of a site, with their vectors.
pub(crate) fn index(site: &JudgedSite) -> Index {
    let changed = site.documents.iter().map(|document| {
        let digest = ContentHash::of(&serde_json::to_vec(document).expect("json"));
        ChangedPage {
            digest,
            document: Arc::new(document.clone()),
        }
    });
    let changed: Vec<ChangedPage> = changed.collect();
    let index = Index::open(None, Options::default()).expect("an index");
    let changes = Changes {
        gone: &[],
        changed: &changed,
    };
    let followed = index.follow(&changes, |document, i| {
        site.vectors[document.route.as_str()][i].clone()
    });
    followed.expect("followed");
    index
}

/// What speaks for the best answer to a question; `None` if nothing is found.
pub(crate) fn evidence(
    index: &Index,
    query: &str,
    semantic: Option<&Embedding>,
) -> Option<Evidence> {
    let answer = index.search(&Question {
        query,
        semantic,
        relevance_threshold: relevance_threshold(query),
        limit: 3,
        ..Question::default()
    });
    answer.evidence
}

/// The routes of the pages that answer a question, best first, at most `limit`.
pub(crate) fn routes(
    index: &Index,
    query: &str,
    semantic: Option<&Embedding>,
    limit: usize,
) -> Vec<String> {
    let answer = index.search(&Question {
        query,
        semantic,
        // Without a word to look for, vectors are asked alone.
        relevance_threshold: if query.is_empty() {
            0.0
        } else {
            relevance_threshold(query)
        },
        limit,
        ..Question::default()
    });
    answer
        .results
        .into_iter()
        .map(|hit| hit.url.as_str().to_owned())
        .collect()
}
