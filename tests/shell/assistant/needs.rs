//! Questions that people wrote for real sites, in other words than the pages', with every place that answers them; and
//! questions that the pages of those sites do not answer.
//!
//! A line of `needs/SITE.tsv` is a question, the places that answer it (`/route#Heading`, nothing after `#` for the text
//! before the first heading; ` ; ` between them) and texts of which an answer has one (` | ` between them), with tabs
//! between. A question without an answer has `-` for both. The writers saw the pages and no engine.

use quire_assistant::{Answered, Conversation, Reply, answer, retrieve};
use quire_search::index::FoundPassage;
use quire_search::search_service::SearchQuery;

use super::asked::Site;

/// The sites that have such questions.
pub(crate) const SITES: [(&str, &str); 6] = [
    ("fastmcp", include_str!("needs/fastmcp.tsv")),
    ("mem0", include_str!("needs/mem0.tsv")),
    ("polar", include_str!("needs/polar.tsv")),
    ("spree", include_str!("needs/spree.tsv")),
    ("stagehand", include_str!("needs/stagehand.tsv")),
    ("trigger", include_str!("needs/trigger.tsv")),
];

/// A question.
pub(crate) struct Need {
    pub(crate) question: &'static str,
    /// Routes and headings that answer it; none if nothing does.
    pub(crate) places: Vec<(&'static str, String)>,
    keys: Vec<String>,
}

/// The questions of a file.
pub(crate) fn needs(text: &'static str) -> Vec<Need> {
    let lines = text.lines().filter(|line| !line.is_empty());
    let needs = lines.map(|line| {
        let mut columns = line.split('\t');
        let mut column = || {
            columns
                .next()
                .unwrap_or_else(|| panic!("three columns: {line}"))
        };
        let (question, places, keys) = (column(), column(), column());
        let is_answered = places != "-";
        let places = places.split(" ; ").filter(|_| is_answered);
        let places = places.map(|place| {
            let (route, heading) = place.split_once('#').unwrap_or((place, ""));
            (route, letters(heading))
        });
        let keys = keys.split(" | ").filter(|_| is_answered);
        Need {
            question,
            places: places.collect(),
            keys: keys.map(letters).collect(),
        }
    });
    needs.collect()
}

impl Need {
    /// Returns true if `passage` is one of its places.
    pub(crate) fn is_answered_by(&self, passage: &FoundPassage) -> bool {
        let heading = match passage.shown.anchor {
            Some(_) => passage.shown.headings.last().map_or("", String::as_str),
            None => "",
        };
        let place = (passage.url.href(), letters(heading));
        let mut places = self.places.iter();
        places.any(|(route, heading)| *route == place.0 && *heading == place.1)
    }
}

/// The letters and digits of `text`, in lower case.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// How well a site serves needs, as shares of the questions that its pages answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Served {
    pub(crate) questions: usize,
    /// A right page is among the first five of the search, and of the assistant's passages.
    pub(crate) searched_page: f64,
    pub(crate) page: f64,
    /// A right section is the first passage, or among the first five.
    pub(crate) section_first: f64,
    pub(crate) section: f64,
    /// Discounted gain of the first ten pages of the search, all right pages alike.
    pub(crate) gain: f64,
    /// The answer says what it must.
    pub(crate) key: f64,
    /// The answer says it before the line below which other passages stand.
    pub(crate) key_first: f64,
    /// Number of lines of an answer.
    pub(crate) lines: f64,
    /// Questions that are answered, answered in part, and refused.
    pub(crate) answered: f64,
    pub(crate) partly: f64,
    pub(crate) refused: f64,
    /// Of those that nothing answers, the share that is not said to be answered, and that is refused.
    pub(crate) lacking_unanswered: f64,
    pub(crate) lacking_refused: f64,
}

impl std::fmt::Display for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} questions | search page@5 {:.2} nDCG@10 {:.2} | page@5 {:.2} section@1 {:.2} @5 {:.2} key {:.2} first {:.2} lines {:.0} | \
             answered {:.2} partly {:.2} refused {:.2} | nothing answers: not answered {:.2} refused {:.2}",
            self.questions,
            self.searched_page,
            self.gain,
            self.page,
            self.section_first,
            self.section,
            self.key,
            self.key_first,
            self.lines,
            self.answered,
            self.partly,
            self.refused,
            self.lacking_unanswered,
            self.lacking_refused,
        )
    }
}

/// What `site` makes of `needs`; `each` is told every question with what became of it.
pub(crate) fn served(
    site: &Site,
    needs: &[Need],
    mut each: impl FnMut(&Need, &str, &Reply),
) -> Served {
    let mut sums = Served::default();
    let (mut lacking, mut unanswered, mut refused) = (0.0, 0.0, 0.0);
    for need in needs {
        let conversation = Conversation::of(need.question);
        let reply = answer(&site.search, &conversation).expect("an answer");
        if need.places.is_empty() {
            lacking += 1.0;
            unanswered += share(reply.answered != Answered::Fully);
            refused += share(reply.answered == Answered::Not);
            let what = format!("lacking {:?} {:.2}", reply.answered, reply.confidence);
            each(need, &what, &reply);
            continue;
        }
        let found = retrieve(&site.search, &conversation).expect("passages");
        let wanted = SearchQuery {
            query: need.question.to_owned(),
            semantic: true,
            limit: 10,
            ..SearchQuery::default()
        };
        let hits = site.search.find(&wanted).expect("an answer").results;
        let hits: Vec<String> = hits.iter().map(|hit| hit.url.href()).collect();
        let is_page = |url: &str| need.places.iter().any(|(route, _)| *route == url);
        let mut pages: Vec<String> = Vec::new();
        for passage in &found.passages {
            if !pages.contains(&passage.url.href()) {
                pages.push(passage.url.href());
            }
        }
        let first = found.passages.iter();
        let first = { first }.position(|passage| need.is_answered_by(passage));
        let searched = hits.iter().position(|url| is_page(url));
        let text = letters(&reply.text);
        let has_key = need.keys.iter().any(|key| text.contains(key.as_str()));
        sums.questions += 1;
        sums.searched_page += share(searched.is_some_and(|at| at < 5));
        sums.gain += gain(&hits, need);
        sums.page += share(pages.iter().take(5).any(|url| is_page(url)));
        sums.section_first += share(first == Some(0));
        sums.section += share(first.is_some_and(|at| at < 5));
        sums.key += share(has_key && reply.answered != Answered::Not);
        let first = letters(reply.text.split("\n\n---\n").next().unwrap_or_default());
        let is_first = need.keys.iter().any(|key| first.contains(key.as_str()));
        sums.key_first += share(is_first && reply.answered != Answered::Not);
        sums.lines += reply.text.lines().count() as f64;
        sums.answered += share(reply.answered == Answered::Fully);
        sums.partly += share(reply.answered == Answered::Partly);
        sums.refused += share(reply.answered == Answered::Not);
        let what = format!(
            "{:?} {:.2} page {searched:?} section {first:?} key {has_key}",
            reply.answered, reply.confidence
        );
        each(need, &what, &reply);
    }
    let questions = sums.questions.max(1) as f64;
    for sum in [
        &mut sums.searched_page,
        &mut sums.gain,
        &mut sums.page,
        &mut sums.section_first,
        &mut sums.section,
        &mut sums.key,
        &mut sums.key_first,
        &mut sums.lines,
        &mut sums.answered,
        &mut sums.partly,
        &mut sums.refused,
    ] {
        *sum /= questions;
    }
    sums.lacking_unanswered = unanswered / f64::max(lacking, 1.0);
    sums.lacking_refused = refused / f64::max(lacking, 1.0);
    sums
}

fn share(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Normalized discounted gain of the first ten of `urls`.
fn gain(urls: &[String], need: &Need) -> f64 {
    let mut pages: Vec<&str> = need.places.iter().map(|(route, _)| *route).collect();
    pages.sort_unstable();
    pages.dedup();
    let discount = |at: usize| 1.0 / (at as f64 + 2.0).log2();
    let ideal: f64 = (0..pages.len().min(10)).map(discount).sum();
    let gained = urls.iter().enumerate().take(10);
    let gained: f64 = gained
        .filter(|(_, url)| pages.contains(&url.as_str()))
        .map(|(at, _)| discount(at))
        .sum();
    gained / ideal
}
