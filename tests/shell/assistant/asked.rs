//! A real site that is asked, and how well it answers.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use queries::base::path::Route;
use queries::site::{Block, answer_blocks, route_table};
use quire_assistant::{Answered, Conversation, Reply, answer, retrieve};
use quire_search::embedder::Embedder;
use quire_search::index::FoundPassage;
use quire_search::search_service::SearchService;
use quire_search::stored::Answers;
use quire_source::load::load_with;

use super::off_topic::OFF_TOPIC;
use super::pairs::{self, Page, Pair};

/// The most pairs of a kind that are asked.
const MOST: usize = 150;

pub(crate) struct Site {
    pub(crate) search: SearchService,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) lacking: Vec<String>,
}

/// What answers are worth, as shares of the questions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) pairs: usize,
    /// The page is among the first five that are found; the section among the first five passages.
    pub(crate) page_recall: f64,
    pub(crate) section_recall: f64,
    /// The page, and the section, is cited.
    pub(crate) page_cited: f64,
    pub(crate) section_cited: f64,
    /// Citations that exist.
    pub(crate) precision: f64,
    /// The key phrase is in the answer.
    pub(crate) key: f64,
    /// Questions that are answered and refused; that nothing answers and that are refused, or are at
    /// least not said to be answered.
    pub(crate) falsely_refused: f64,
    pub(crate) off_topic_refused: f64,
    pub(crate) off_topic_unanswered: f64,
    pub(crate) lacking: usize,
    pub(crate) lacking_refused: f64,
    pub(crate) lacking_unanswered: f64,
    /// Milliseconds: the median and the slowest of a hundred.
    pub(crate) took: (f64, f64),
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} pairs | recall@5 page {:.3} section {:.3} | cited page {:.3} section {:.3} precision {:.3} | key {:.3} | \
             refused wrongly {:.3} | off topic: refused {:.2}, not answered {:.2} | lacking ({}): refused {:.2}, not \
             answered {:.2} | p50 {:.1} p99 {:.1} ms",
            self.pairs,
            self.page_recall,
            self.section_recall,
            self.page_cited,
            self.section_cited,
            self.precision,
            self.key,
            self.falsely_refused,
            self.off_topic_refused,
            self.off_topic_unanswered,
            self.lacking,
            self.lacking_refused,
            self.lacking_unanswered,
            self.took.0,
            self.took.1,
        )
    }
}

impl Site {
    pub(crate) fn open(folder: &Path) -> Self {
        Self::open_with(folder, None)
    }

    /// Like [`Site::open`], with the vectors of `other`, if it is given. Waits for them.
    pub(crate) fn open_with(folder: &Path, other: Option<Arc<Embedder>>) -> Self {
        let host = Arc::new(load_with(folder, "", None, None).expect("a site").host);
        let pages = host.read(|db, site| {
            let table = route_table(db, site);
            let pages = table.pages.iter().filter_map(|(route, page)| {
                let blocks = answer_blocks(db, *page)?;
                let route = route.href();
                Some((route.clone(), route, blocks))
            });
            pages.collect::<Vec<Page>>()
        });
        let pages = pages.expect("pages");
        let all = pairs::pairs(&pages);
        let mut wanted = Vec::new();
        for kind in ["anchor", "question"] {
            let of_kind: Vec<&Pair> = all.iter().filter(|pair| pair.kind == kind).collect();
            let step = of_kind.len().div_ceil(MOST).max(1);
            wanted.extend(of_kind.into_iter().step_by(step).cloned());
        }
        let texts: Vec<String> = pages
            .iter()
            .map(|(_, _, blocks)| {
                let parts = blocks.passages.iter();
                let texts: Vec<String> = parts
                    .map(|part| {
                        let passage = &part.passage;
                        format!(
                            "{} {} {}",
                            passage.headings.join(" "),
                            passage.body,
                            passage.code
                        )
                        .to_lowercase()
                    })
                    .collect();
                texts.join(" ")
            })
            .collect();
        let search = SearchService::with(host, None, other.clone(), Arc::default());
        let search = match other {
            None => search,
            Some(other) => {
                let search = Arc::new(search);
                search.follow().expect("an index");
                other.catch_up(&search);
                Arc::into_inner(search).expect("no other user")
            }
        };
        Self {
            search,
            pairs: wanted,
            lacking: pairs::lacking(&texts),
        }
    }

    pub(crate) fn ask(&self, question: &str) -> Reply {
        answer(&self.search, &Conversation::of(question)).expect("an answer")
    }

    fn found(&self, question: &str) -> Vec<FoundPassage> {
        let retrieved = retrieve(&self.search, &Conversation::of(question));
        retrieved.expect("passages").passages
    }

    pub(crate) fn figures(&self) -> Figures {
        // The first question waits for the index.
        self.ask("hello");
        let mut sums = Figures::default();
        let mut took = Vec::new();
        let (mut cited, mut existing) = (0_usize, 0_usize);
        for pair in &self.pairs {
            let found = self.found(&pair.question);
            let is_neutral = |url: &Route| pair.holder.as_deref() == Some(url.href().as_str());
            let found: Vec<&FoundPassage> =
                found.iter().filter(|one| !is_neutral(&one.url)).collect();
            let mut pages: Vec<String> = Vec::new();
            for one in &found {
                let href = one.url.href();
                if !pages.contains(&href) {
                    pages.push(href);
                }
            }
            let is_page = pages.iter().take(5).any(|page| *page == pair.route);
            let is_section = found.iter().take(5).any(|one| {
                one.url.href() == pair.route && one.shown.anchor.as_deref() == Some(&pair.anchor)
            });
            let started = Instant::now();
            let reply = self.ask(&pair.question);
            took.push(started.elapsed().as_secs_f64() * 1e3);
            let place = format!("{}#{}", pair.route, pair.anchor);
            let urls: BTreeSet<&str> = match reply.answered != Answered::Not {
                true => reply.citations.iter().map(|one| one.url.as_str()).collect(),
                false => BTreeSet::new(),
            };
            cited += urls.len();
            existing += urls.iter().filter(|url| self.exists(url)).count();
            let is_cited = urls
                .iter()
                .any(|url| url.split('#').next() == Some(&pair.route));
            let text = reply.text.to_lowercase().replace('\\', "");
            let has_key = pair
                .key
                .iter()
                .all(|word| text.contains(&word.to_lowercase()));
            let add = |sum: &mut f64, is: bool| *sum += f64::from(u8::from(is));
            add(&mut sums.page_recall, is_page);
            add(&mut sums.section_recall, is_section);
            add(&mut sums.page_cited, is_cited);
            add(&mut sums.section_cited, urls.contains(place.as_str()));
            add(&mut sums.key, has_key && reply.answered != Answered::Not);
            add(&mut sums.falsely_refused, reply.answered == Answered::Not);
        }
        let pairs = self.pairs.len().max(1) as f64;
        for share in [
            &mut sums.page_recall,
            &mut sums.section_recall,
            &mut sums.page_cited,
            &mut sums.section_cited,
            &mut sums.key,
            &mut sums.falsely_refused,
        ] {
            *share /= pairs;
        }
        let shares = |questions: &mut dyn Iterator<Item = &str>| {
            let answers: Vec<Answered> = questions.map(|one| self.ask(one).answered).collect();
            let of = |is: fn(&Answered) -> bool| {
                answers.iter().filter(|one| is(one)).count() as f64 / answers.len().max(1) as f64
            };
            (
                of(|one| *one == Answered::Not),
                of(|one| *one != Answered::Fully),
            )
        };
        let off_topic = shares(&mut OFF_TOPIC.into_iter());
        let lacking = shares(&mut self.lacking.iter().map(String::as_str));
        took.sort_by(f64::total_cmp);
        let at = |share: f64| {
            took.get((took.len() as f64 * share) as usize)
                .copied()
                .unwrap_or(0.0)
        };
        Figures {
            pairs: self.pairs.len(),
            precision: existing as f64 / cited.max(1) as f64,
            off_topic_refused: off_topic.0,
            off_topic_unanswered: off_topic.1,
            lacking: self.lacking.len(),
            lacking_refused: lacking.0,
            lacking_unanswered: lacking.1,
            took: (at(0.5), at(0.99)),
            ..sums
        }
    }

    /// The letters and digits of all that the page at `url` says.
    pub(crate) fn text_of(&self, url: &str) -> String {
        let path = url.split('#').next().unwrap_or_default();
        let route = Route::new(path.trim_matches('/')).expect("a route");
        let page = self.search.page_at(&route).expect("pages").expect("a page");
        let parts = page.2.passages.iter().map(|part| {
            // In order of the page: what a passage says is not apart from its code.
            part.blocks.iter().map(|block| match block {
                Block::Code { text, title, .. } => {
                    format!("{}{text}", title.as_deref().unwrap_or(""))
                }
                _ => block
                    .lines()
                    .iter()
                    .map(|line| line.text.as_str())
                    .collect(),
            })
        });
        let mut text: String = parts.flatten().collect();
        for sample in &page.2.samples {
            text.push_str(&sample.code);
        }
        text.push_str(&page.0);
        text.chars().filter(|c| c.is_alphanumeric()).collect()
    }

    /// Whether `url` leads to a page and a heading of the site.
    pub(crate) fn exists(&self, url: &str) -> bool {
        let (path, anchor) = match url.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (url, None),
        };
        let Some(route) = Route::new(path.trim_matches('/')) else {
            return false;
        };
        let page = self.search.page_at(&route).expect("a page");
        page.is_some_and(|(_, _, blocks)| {
            let mut parts = blocks.passages.iter();
            anchor.is_none() || parts.any(|part| part.passage.anchor.as_deref() == anchor)
        })
    }
}
