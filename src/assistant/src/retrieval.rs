//! Passages for a question: those of the search, ordered by headings and sentences, in the language, version and product that
//! are asked for.

use std::collections::{BTreeSet, HashSet};

use queries::base::path::Route;
use queries::site::{CodeLanguage, Product};

use super::conversation::{CitedPlace, Conversation, route_of, without_measure};
use super::direct::AnswerType;
use super::passage::Reader;
use quire_search::index::language::language_of;
use quire_search::index::products::{NamedProduct, named_product};
use quire_search::index::stop_words::stop_words;
use quire_search::index::versions::named_version;
use quire_search::index::words::{Analyzer, primary};
use quire_search::index::{Filter, FoundPassage, IndexState};
use quire_search::search_service::SearchQuery;
use quire_search::stored::Answers;

/// Minimum confidence of the best passage for a question to count as answered.
///
/// Chosen by `cargo bench --bench index -- answers`: questions that sites answer against questions that they do not.
pub const CONFIDENT: f32 = 0.43;

/// Minimum confidence of the best passage for it to be quoted as what comes nearest.
///
/// Chosen on questions in other words than the pages' (`cargo bench --bench answers -- needs`).
const NEAR: f32 = 0.06;

/// The same where no passage has a name that the question has.
const NEAR_OF_UNKNOWN: f32 = 0.25;

/// Minimum confidence of the best passage of the product that is preferred, as a share of that of all products, for it to
/// answer where it is not sure. The product that a question names answers with anything near.
const OF_PREFERRED: f32 = 0.6;

/// Minimum length, in letters, of a word that tells what is asked for.
const TELLING: usize = 4;

/// Number of passages compared.
const COMPARED: usize = 24;

/// Bonus of a passage for its best sentence, times the worth of that. Of 0, .3, .7 and 1.5, by the first sections of all six
/// sites (`cargo bench --bench answers -- needs`).
const BEST_SENTENCE: f32 = 0.3;

/// Factor of the passages of the page that the last answer cited, for a question that depends on that answer.
const OF_CITED: f32 = 1.15;

/// Bonus of a passage whose heading is the question.
const HEADING: f32 = 0.3;

/// Minimum confidence of a passage whose heading is the question, and the number of best passages
/// that are checked for it.
pub(super) const AS_ASKED: f32 = 0.9;
const HEADING_CANDIDATES: usize = 3;

/// Passages found for a conversation.
#[derive(Clone, Debug)]
pub struct Retrieved {
    /// The question, with references to earlier messages resolved.
    pub query: String,
    /// The question as it was asked.
    pub(super) question: String,
    /// The language of code that it asks for.
    pub(super) code: Option<&'static CodeLanguage>,
    /// The page that it is asked on.
    pub(super) at: Option<Route>,
    /// Pages that may answer.
    pub(super) filter: Filter,
    /// The passages, best first.
    pub passages: Vec<FoundPassage>,
    /// Probability that one of the best passages answers the question, 0 to 1.
    pub confidence: f32,
    /// Words of the question that no passage has.
    unknown: Unknown,
    /// The code of the language of the question, or of the page that it is asked on.
    pub(super) asked_in: Option<String>,
    /// State of the index that they come from.
    pub(super) state: IndexState,
}

impl Retrieved {
    /// Returns true if the best passage is worth quoting.
    pub(super) fn is_near(&self) -> bool {
        let least = match self.unknown.is_name {
            true => NEAR_OF_UNKNOWN,
            false => NEAR,
        };
        self.confidence >= least
    }

    /// Returns true if the best passage answers, without a doubt.
    pub(super) fn is_sure(&self) -> bool {
        let Unknown { is_name, is_any } = self.unknown;
        self.confidence >= CONFIDENT && !is_name && (!is_any || self.confidence >= AS_ASKED)
    }

    /// The code of the language of the best passage.
    pub(super) fn language(&self, search: &dyn Answers) -> anyhow::Result<String> {
        match self.passages.first() {
            Some(first) => search.language_at(&first.url),
            None => Ok(self.asked_in.clone().unwrap_or_default()),
        }
    }
}

/// Finds the passages that the last question of `conversation` asks for, on the site that `search` follows.
///
/// # Errors
///
/// As [`Answers::passages`].
pub fn retrieve(search: &dyn Answers, conversation: &Conversation) -> anyhow::Result<Retrieved> {
    let sought = conversation.sought();
    let mut filter = conversation.filter.clone();
    let at = current_page(conversation);
    let here = match &at {
        Some(at) => search.filter_at(at)?,
        None => Filter::default(),
    };
    let question = without_measure(&sought.question);
    let query = without_measure(sought.resolved.as_ref().unwrap_or(&sought.question));
    // Of what a question refers to, only questions name what is asked for: not the page that was cited.
    let earlier = match sought.resolved {
        Some(_) => conversation.question_before().unwrap_or_default(),
        None => "",
    };
    let versions = search.versions()?;
    let version = match filter.version {
        Some(_) => None,
        None => {
            let named = |text| named_version(text, versions.iter().map(String::as_str));
            named(&question).or_else(|| named(earlier))
        }
    };
    filter.language = filter.language.or(here.language);
    let products = match filter.product {
        Some(_) => Preferred::default(),
        None => Preferred::of(
            (&question, earlier),
            here.product.clone(),
            search.products()?,
        ),
    };
    // Their pages need not say which version and product they are of.
    let telling = without(&question, version.into_iter().chain(products.named()));
    let find_in = |filter: Filter| {
        let searched = filter.clone();
        let found = search.passages(&SearchQuery {
            query: query.clone(),
            semantic: true,
            limit: COMPARED,
            filter,
            sections: false,
        })?;
        let retrieved = ranked(
            search,
            (&question, &telling, query.clone()),
            sought.cited.as_ref(),
            found.passages,
        )?;
        anyhow::Ok(Retrieved {
            question: sought.question.clone(),
            code: sought.code,
            at: at.clone(),
            filter: searched,
            state: found.state,
            ..retrieved
        })
    };
    // The versions of a page are those of its product.
    let in_version_here = |filter: Filter| {
        let is_other =
            products.is_named && here.product.is_some() && products.label != here.product;
        let version = here.version.clone().filter(|_| !is_other);
        let version = filter.version.or(version);
        find_in(Filter { version, ..filter })
    };
    let in_version = |filter: Filter| {
        let Some(version) = version else {
            return in_version_here(filter);
        };
        let of_version = find_in(Filter {
            version: Some(version.to_owned()),
            ..filter.clone()
        })?;
        match of_version.is_sure() {
            true => Ok(of_version),
            false => Ok(preferred(of_version, in_version_here(filter)?)),
        }
    };
    let find = |filter: Filter| {
        let Some(product) = products.product(filter.language.as_deref()) else {
            return in_version(filter);
        };
        let of_product = in_version(Filter {
            product: Some(product.to_owned()),
            ..filter.clone()
        })?;
        if of_product.is_sure() || products.is_named && of_product.is_near() {
            return Ok(of_product);
        }
        Ok(preferred(of_product, in_version(filter)?))
    };
    let mut asked_in = filter.language.clone();
    // A question is answered in its own language, if there is anything near it.
    if conversation.filter.language.is_none()
        && let Some(language) =
            language_of(&query, &search.languages()?, filter.language.as_deref())
    {
        asked_in = Some(language.to_owned());
        let retrieved = find(Filter {
            language: asked_in.clone(),
            ..filter.clone()
        })?;
        if retrieved.is_near() {
            return Ok(retrieved);
        }
    }
    let find = |filter: Filter| {
        let retrieved = find(filter)?;
        let asked_in = asked_in.clone();
        anyhow::Ok(Retrieved {
            asked_in,
            ..retrieved
        })
    };
    if filter.language.is_some() {
        return find(filter);
    }
    // A site in several languages answers in that of its home page, or else in that of what answers best.
    let home = match search.home()? {
        Some(home) => search.filter_at(&home)?.language,
        None => None,
    };
    if let Some(language) = home {
        let retrieved = find(Filter {
            language: Some(language),
            ..filter.clone()
        })?;
        if retrieved.confidence >= CONFIDENT {
            return Ok(retrieved);
        }
    }
    let mut retrieved = find(filter)?;
    if let Some(first) = retrieved.passages.first() {
        let language = search.language_at(&first.url)?;
        let mut kept = Vec::new();
        for passage in retrieved.passages {
            if search.language_at(&passage.url)? == language {
                kept.push(passage);
            }
        }
        retrieved.passages = kept;
    }
    Ok(retrieved)
}

/// What was found among the pages that are preferred, if it is near enough beside what was found among `all`.
fn preferred(among: Retrieved, all: Retrieved) -> Retrieved {
    match among.is_near() && among.confidence >= OF_PREFERRED * all.confidence {
        true => among,
        false => all,
    }
}

/// `question` without the words of `labels`.
fn without<'a>(question: &str, labels: impl Iterator<Item = &'a str>) -> String {
    let bare = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"+#".contains(c));
        word.to_lowercase()
    };
    let labels: HashSet<String> = (labels.flat_map(str::split_whitespace))
        .flat_map(|word| {
            let word = bare(word);
            let number = word.strip_prefix('v').map(str::to_owned);
            [Some(format!("v{word}")), number, Some(word)]
        })
        .flatten()
        .collect();
    let words = question.split_whitespace();
    let kept = words.filter(|word| !labels.contains(&bare(word)));
    kept.collect::<Vec<_>>().join(" ")
}

/// The product whose pages are preferred for a question.
#[derive(Clone, Debug, Default)]
struct Preferred {
    /// Label of the one that the question names, or else of the one that it is asked on.
    label: Option<String>,
    /// Whether the question names it.
    is_named: bool,
    /// Those of the site, each with a language that it has pages in, and whether it is shown first.
    products: Vec<(Product, String)>,
}

impl Preferred {
    /// The product of a question: that named by its text, or else by the `earlier` one; or else the one that it is asked on
    /// (`here`); or else the default of the site. None for a question that names several, or where there is
    /// one product.
    fn of(
        (question, earlier): (&str, &str),
        here: Option<String>,
        products: Vec<(Product, String)>,
    ) -> Self {
        let labels: BTreeSet<&str> = (products.iter())
            .map(|(product, _)| product.label.as_str())
            .collect();
        if labels.len() < 2 {
            return Self::default();
        }
        let labels: Vec<&str> = labels.into_iter().collect();
        let named = match named_product(question, &labels) {
            NamedProduct::No => named_product(earlier, &labels),
            named => named,
        };
        match named {
            NamedProduct::One(label) => Self {
                label: Some(label.to_owned()),
                is_named: true,
                products,
            },
            NamedProduct::Several => Self::default(),
            NamedProduct::No => Self {
                label: here,
                is_named: false,
                products,
            },
        }
    }

    /// Label of the product that is preferred among the pages of a language, or of all.
    fn product(&self, language: Option<&str>) -> Option<&str> {
        let language = language.map(primary);
        // Products of another language have other labels.
        let of_language = |is_wanted: &dyn Fn(&Product) -> bool| {
            let found = self.products.iter().find(|(product, of)| {
                language.as_ref().is_none_or(|wanted| wanted == of) && is_wanted(product)
            });
            found.map(|(product, _)| product.label.as_str())
        };
        let known = |label: &str| of_language(&|product| product.label == label);
        match self.label.as_deref().and_then(known) {
            None if !self.is_named => of_language(&|product| product.is_default),
            label => label,
        }
    }

    /// The label that the question names.
    fn named(&self) -> Option<&str> {
        self.label.as_deref().filter(|_| self.is_named)
    }
}

/// The page that the reader is on.
pub(super) fn current_page(conversation: &Conversation) -> Option<Route> {
    conversation.current_path.as_deref().and_then(route_of)
}

/// `found` with passages first whose headings ask what `query` asks.
fn ranked(
    search: &dyn Answers,
    (question, telling, query): (&str, &str, String),
    cited: Option<&CitedPlace>,
    found: Vec<FoundPassage>,
) -> anyhow::Result<Retrieved> {
    let language = match found.first() {
        Some(first) => search.language_at(&first.url)?,
        None => String::new(),
    };
    let mut reader = Reader::new(&query, &language, &texts(&found))
        .preferring(&AnswerType::of(question, &language), None);
    let mut surest: f32 = 0.0;
    let mut passages = found;
    for (place, passage) in passages.iter_mut().enumerate() {
        let heading = passage.shown.headings.last().unwrap_or(&passage.title);
        let share = reader.share_of(heading);
        passage.score *= 1.0 + HEADING * share;
        passage.score *= 1.0 + BEST_SENTENCE * reader.best_sentence(&passage.shown.body);
        if cited.is_some_and(|cited| cited.page == passage.url) {
            passage.score *= OF_CITED;
        }
        if share >= 1.0 {
            passage.confidence = passage.confidence.max(AS_ASKED);
        }
        if place < HEADING_CANDIDATES {
            surest = surest.max(passage.confidence);
        }
    }
    passages.sort_by(|a, b| b.score.total_cmp(&a.score));
    let unknown = unknown(telling, &language, &passages);
    Ok(Retrieved {
        unknown,
        question: String::new(),
        code: None,
        at: None,
        filter: Filter::default(),
        asked_in: None,
        state: IndexState::default(),
        query,
        passages,
        confidence: surest,
    })
}

/// Words of a question that no passage has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Unknown {
    /// A name, by its capitals: of a product, a standard, a protocol.
    is_name: bool,
    /// Any word that tells what is asked for.
    is_any: bool,
}

/// The words of `query` that no passage of `found` has. Words that readers add to what they ask for
/// are written small.
fn unknown(query: &str, language: &str, found: &[FoundPassage]) -> Unknown {
    let mut analyzer = Analyzer::new(language);
    let mut known: HashSet<String> = HashSet::new();
    for passage in found {
        let shown = &passage.shown;
        let texts = [&passage.title, &shown.body, &shown.code].into_iter();
        for text in texts.chain(&shown.headings) {
            analyzer.terms(text, |_, term, _| {
                known.insert(term.to_owned());
            });
        }
    }
    let mut is_start = true;
    let words = query.split_whitespace().map(|word| {
        let begins = std::mem::replace(&mut is_start, word.ends_with(['.', '?', '!', ':']));
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        (begins, word.split(['\'', '’']).next().unwrap_or_default())
    });
    let code = primary(language);
    let mut names = words.filter(|(begins, word)| {
        let capitals = word.chars().filter(|c| c.is_uppercase()).count();
        // In German every noun has one.
        let is_capital = word.starts_with(char::is_uppercase) && !begins && code != "de";
        word.chars().count() > 1
            && (is_capital || capitals > 1)
            && !stop_words(&code).contains(word.to_lowercase().as_str())
    });
    let is_name = names.any(|(_, name)| {
        // The first term of an identifier is the whole.
        let mut whole = None;
        analyzer.terms(name, |_, term, _| {
            whole.get_or_insert_with(|| known.contains(term));
        });
        whole == Some(false)
    });
    let telling = analyzer.question(query);
    let is_any = telling.iter().any(|word| {
        word.whole.typed.chars().count() >= TELLING && !known.contains(&word.whole.term)
    });
    Unknown { is_name, is_any }
}

/// The texts of `found`, with the titles and headings above them.
pub(super) fn texts(found: &[FoundPassage]) -> Vec<String> {
    let texts = found.iter().map(|passage| {
        let shown = &passage.shown;
        format!(
            "{} {}\n{}",
            passage.title,
            shown.headings.join(" "),
            shown.body
        )
    });
    texts.collect()
}
