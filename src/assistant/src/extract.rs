//! The engine without a model: the passages that answer best, quoted.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use queries::base::path::Route;
use queries::site::{CodeLanguage, PageBlocks, PassageBlocks, Product, translated};

use super::conversation::{Cited, Conversation, Sought, route_of, without_measure};
use super::direct::{Wanted, definition, names, statement};
use super::passage::{Length, Reader, beginning, beginning_of, code_of, extract};
use super::{Answered, Citation, Engine, Reply, operation};
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
const OF_PRODUCT: f32 = 0.6;

/// Minimum length, in letters, of a word that tells what is asked for.
const TELLING: usize = 4;

/// Number of passages compared.
const COMPARED: usize = 24;
/// Maximum number of quoted passages, and of those per page.
const QUOTED: usize = 4;
const QUOTED_OF_PAGE: usize = 2;
/// A passage is quoted below the best one if it is worth so much of it.
const BESIDE: f32 = 0.5;
/// Lengths of the first extract and of the others. With those of the first for all, answers to questions in other words than the
/// pages' have 56 lines in place of 41, and .62 in place of .61 of them say what they must.
const FIRST: Length = Length::of(150);
const OTHER: Length = Length {
    words: 60,
    parts: 6,
    lines: 12,
};
/// Words of prose of the passage of a definition, and number of other passages quoted.
const DEFINED_WORDS: usize = 90;
const BESIDE_DEFINITION: usize = 1;
/// Words of the beginning of a passage that nothing is asked of.
const BEGINNING: usize = 50;
/// Bonus of a passage for its best sentence, times the worth of that. Of 0, .3, .7 and 1.5, by the first sections of all six
/// sites (`cargo bench --bench answers -- needs`).
const BEST_SENTENCE: f32 = 0.3;
/// Factor of the passages of the page that the last answer cited, for a question that depends on that answer.
const OF_CITED: f32 = 1.15;
/// Bonus of a passage whose heading is the question.
const HEADING: f32 = 0.3;
/// Minimum confidence of a passage whose heading is the question, and the number of best passages
/// that are checked for it.
const AS_ASKED: f32 = 0.9;
const HEADING_CANDIDATES: usize = 3;
/// Maximum number of passages listed that a text introduces.
const MAX_ANNOUNCED: usize = 12;
/// Number of nearest pages listed where nothing answers.
const MAX_NEAREST_PAGES: usize = 3;

/// Passages found for a conversation.
#[derive(Clone, Debug)]
pub struct Retrieved {
    /// The question, with references to earlier messages resolved.
    pub query: String,
    /// The question as it was asked.
    question: String,
    /// The language of code that it asks for.
    code: Option<&'static CodeLanguage>,
    /// The page that it is asked on.
    at: Option<Route>,
    /// Pages that may answer.
    filter: Filter,
    /// The passages, best first.
    pub passages: Vec<FoundPassage>,
    /// Probability that one of the best passages answers the question, 0 to 1.
    pub confidence: f32,
    /// Words of the question that no passage has.
    unknown: Unknown,
    /// The code of the language of the question, or of the page that it is asked on.
    asked_in: Option<String>,
    /// State of the index that they come from.
    state: IndexState,
}

impl Retrieved {
    /// Returns true if the best passage is worth quoting.
    fn is_near(&self) -> bool {
        let least = match self.unknown.is_name {
            true => NEAR_OF_UNKNOWN,
            false => NEAR,
        };
        self.confidence >= least
    }

    /// Returns true if the best passage answers, without a doubt.
    fn is_sure(&self) -> bool {
        let Unknown { is_name, is_any } = self.unknown;
        self.confidence >= CONFIDENT && !is_name && (!is_any || self.confidence >= AS_ASKED)
    }

    /// The code of the language of the best passage.
    fn language(&self, search: &dyn Answers) -> anyhow::Result<String> {
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
    if filter.version.is_none() {
        let versions = search.versions()?;
        let named = |text| named_version(text, versions.iter().map(String::as_str));
        let named = named(&question).or_else(|| named(&query));
        filter.version = named.map(str::to_owned).or(here.version);
    }
    filter.language = filter.language.or(here.language);
    let products = match filter.product {
        Some(_) => Preferred::default(),
        None => Preferred::of((&question, &query), here.product, search.products()?),
    };
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
            (&question, query.clone()),
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
    let find = |filter: Filter| {
        let Some(product) = products.product(filter.language.as_deref()) else {
            return find_in(filter);
        };
        let of_product = find_in(Filter {
            product: Some(product.to_owned()),
            ..filter.clone()
        })?;
        if of_product.is_sure() || products.is_named && of_product.is_near() {
            return Ok(of_product);
        }
        let of_all = find_in(filter)?;
        let is_as_near = of_product.confidence >= OF_PRODUCT * of_all.confidence;
        Ok(match of_product.is_near() && is_as_near {
            true => of_product,
            false => of_all,
        })
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

/// The product whose pages are preferred for a question.
#[derive(Clone, Debug, Default)]
struct Preferred {
    /// Label of the one that the question names, or else of the one that it is asked on.
    label: Option<String>,
    /// Whether the question names it.
    is_named: bool,
    /// Those that the site shows first, each with a language that it has pages in.
    default: Vec<(String, String)>,
}

impl Preferred {
    /// The product of a question: that named by its text, or else by the text with what it refers to; or else the one that
    /// it is asked on (`here`); or else the default of the site. None for a question that names several, or where there is
    /// one product.
    fn of(
        (question, query): (&str, &str),
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
            NamedProduct::No => named_product(query, &labels),
            named => named,
        };
        match named {
            NamedProduct::One(label) => Self {
                label: Some(label.to_owned()),
                is_named: true,
                default: Vec::new(),
            },
            NamedProduct::Several => Self::default(),
            NamedProduct::No => Self {
                label: here,
                is_named: false,
                default: (products.into_iter())
                    .filter(|(product, _)| product.is_default)
                    .map(|(product, language)| (product.label, language))
                    .collect(),
            },
        }
    }

    /// Label of the product that is preferred among the pages of a language, or of all.
    fn product(&self, language: Option<&str>) -> Option<&str> {
        let language = language.map(primary);
        let mut default = self.default.iter();
        let of_site = || {
            let found = default.find(|(_, of)| language.as_ref().is_none_or(|wanted| wanted == of));
            found.map(|(label, _)| label.as_str())
        };
        self.label.as_deref().or_else(of_site)
    }
}

/// A passage that a language model may use for its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotablePassage {
    /// Place.
    pub citation: Citation,
    /// Text, as CommonMark with tables.
    pub text: String,
}

/// Preparation of the last question of a conversation.
#[derive(Clone, Debug)]
pub struct PreparedAnswer {
    /// The question, with references to earlier messages resolved.
    pub query: String,
    /// The answer that quotes passages, or says that nothing answers.
    pub reply: Reply,
    /// The code of the language of what it quotes.
    language: String,
    /// Name of the site.
    pub(super) site_name: String,
    /// The passages that another answer may be written from, best first; none where nothing answers.
    pub passages: Vec<QuotablePassage>,
}

impl From<Reply> for PreparedAnswer {
    /// A reply as it is, from which nothing else is written.
    fn from(reply: Reply) -> Self {
        Self {
            query: String::new(),
            reply,
            language: String::new(),
            site_name: String::new(),
            passages: Vec::new(),
        }
    }
}

/// Answers the last question of `conversation` from the site that `search` follows.
///
/// # Errors
///
/// Returns why nothing can be found: as [`Answers::passages`].
pub fn answer(search: &dyn Answers, conversation: &Conversation) -> anyhow::Result<Reply> {
    let sought = conversation.sought();
    if let Some(at) = current_page(conversation).filter(|_| sought.is_here)
        && let Some(reply) = of_page(search, &sought, &at)?
    {
        return Ok(reply);
    }
    if let Some((reply, _)) = in_language(search, &sought)? {
        return Ok(reply);
    }
    reply_or_refusal(search, &retrieve(search, conversation)?)
}

/// Like [`answer`], with the passages that another answer may be written from.
///
/// # Errors
///
/// As [`answer`].
pub fn prepare(
    search: &dyn Answers,
    conversation: &Conversation,
) -> anyhow::Result<PreparedAnswer> {
    let sought = conversation.sought();
    if let Some(at) = current_page(conversation).filter(|_| sought.is_here)
        && let Some(reply) = of_page(search, &sought, &at)?
    {
        return Ok(PreparedAnswer {
            query: sought.question,
            reply,
            language: search.language_at(&at)?,
            site_name: search.site_name(),
            passages: given_of_page(search, &at)?,
        });
    }
    if let Some((reply, at)) = in_language(search, &sought)? {
        return Ok(PreparedAnswer {
            query: sought.resolved.unwrap_or(sought.question),
            site_name: search.site_name(),
            reply,
            language: search.language_at(&at)?,
            passages: given_of_page(search, &at)?,
        });
    }
    let retrieved = retrieve(search, conversation)?;
    let reply = reply_or_refusal(search, &retrieved)?;
    let passages = match reply.answered {
        Answered::Not => Vec::new(),
        _ => passage_texts(search, &retrieved.passages)?,
    };
    Ok(PreparedAnswer {
        language: retrieved.language(search)?,
        site_name: search.site_name(),
        query: retrieved.query,
        reply,
        passages,
    })
}

/// Returns a reply that quotes `retrieved`, or a refusal if the confidence is too low.
fn reply_or_refusal(search: &dyn Answers, retrieved: &Retrieved) -> anyhow::Result<Reply> {
    let (found, confidence) = (&retrieved.passages, retrieved.confidence);
    let state = retrieved.state;
    let language = retrieved.language(search)?;
    let wanted = Wanted::of(&retrieved.question, &language);
    if let Wanted::Definition(subject) = &wanted
        && let Some(direct) = defined(search, retrieved, subject)?
    {
        let others = quotes(search, (&retrieved.query, &wanted, None), found)?;
        let cited = &direct.quote.citation.url;
        let others = others.into_iter().map(|other| other.quote);
        let others = others.filter(|other| other.citation.url != *cited);
        let mut quotes = vec![direct.quote.clone()];
        quotes.extend(others.take(BESIDE_DEFINITION));
        return Ok(Reply {
            state,
            ..reply(
                direct.statement,
                quotes,
                confidence.max(AS_ASKED),
                &language,
            )
        });
    }
    if !retrieved.is_near() {
        // It says so in the language of the question.
        let language = retrieved.asked_in.as_ref().unwrap_or(&language);
        return Ok(Reply {
            state,
            ..refusal(found, confidence, language)
        });
    }
    let is_sure = retrieved.is_sure();
    let asked = (retrieved.query.as_str(), &wanted, retrieved.code);
    let mut quoted = quotes(search, asked, found)?;
    let best = quoted.iter().enumerate().max_by(|(a, one), (b, other)| {
        let share = |direct: &Direct| direct.share;
        // Of equal ones the first.
        share(one).total_cmp(&share(other)).then(b.cmp(a))
    });
    let best = best.filter(|(_, direct)| is_sure && direct.statement.is_some());
    let best = best.map(|(at, _)| at);
    let mut statement = None;
    if let Some(at) = best {
        // What a statement stands in is quoted first.
        let direct = quoted.remove(at);
        statement.clone_from(&direct.statement);
        quoted.insert(0, direct);
    }
    let quotes: Vec<Quote> = quoted.into_iter().map(|direct| direct.quote).collect();
    let reply = match (quotes.is_empty(), is_sure) {
        (true, _) => refusal(found, confidence, &language),
        (false, true) => reply(statement, quotes, confidence, &language),
        (false, false) => nearest(quotes, confidence, &language),
    };
    Ok(Reply { state, ..reply })
}

/// A quote, with the sentence, row or item of its passage that says what is asked for, if one does.
struct Direct {
    statement: Option<String>,
    /// The share of the question that the statement has.
    share: f32,
    quote: Quote,
}

/// The definition of `subject`: that of the page that the question is asked on, or else that of a page or a passage that it
/// names, or else the first in what was found and on the home page.
fn defined(
    search: &dyn Answers,
    retrieved: &Retrieved,
    subject: &[String],
) -> anyhow::Result<Option<Direct>> {
    let mut home = search.home()?;
    if let Some(page) = &home {
        let of_home = search.filter_at(page)?;
        let (filter, is) = (
            &retrieved.filter,
            |wanted: &Option<String>, has: &Option<String>| {
                wanted.is_none() || has.is_none() || wanted == has
            },
        );
        let is_wanted = is(&filter.language, &of_home.language)
            && is(&filter.version, &of_home.version)
            && is(&filter.product, &of_home.product);
        if !is_wanted {
            home = None;
        }
    }
    let mut pages: Vec<&Route> = retrieved.at.iter().collect();
    pages.extend(retrieved.passages.iter().map(|passage| &passage.url));
    pages.extend(&home);
    let mut seen: Vec<&Route> = Vec::new();
    let mut best: Option<(usize, Direct)> = None;
    for url in pages {
        if seen.contains(&url) {
            continue;
        }
        seen.push(url);
        let Some((title, language, blocks)) = search.page_at(url)? else {
            continue;
        };
        let is_here = retrieved.at.as_ref() == Some(url);
        for part in &blocks.passages {
            let is_lead = part.passage.anchor.is_none();
            let is_found = retrieved
                .passages
                .iter()
                .any(|found| found.url == *url && found.shown.anchor == part.passage.anchor);
            if !is_lead && !is_found {
                continue;
            }
            let heading = part.passage.headings.last().unwrap_or(&title);
            let rank = match () {
                () if is_here && is_lead => 3,
                () if names(heading, subject) => 2,
                () if is_lead => 1,
                () => 0,
            };
            if best.as_ref().is_some_and(|(most, _)| *most >= rank) {
                continue;
            }
            let Some(statement) = definition(&part.blocks, subject, &language) else {
                continue;
            };
            let mut place = vec![title.clone()];
            place.extend(part.passage.headings.iter().cloned());
            let quote = Quote {
                citation: citation(url, part.passage.anchor.as_deref(), place),
                text: beginning(&part.blocks, DEFINED_WORDS),
            };
            let direct = Direct {
                statement: Some(statement),
                share: 1.0,
                quote,
            };
            best = Some((rank, direct));
        }
    }
    Ok(best.map(|(_, direct)| direct))
}

/// Answer to a question that asks for what was answered in another language of code: the code of the operation or of the
/// passage that was cited, in that; with its page. `None` if it has no such code.
fn in_language(search: &dyn Answers, sought: &Sought) -> anyhow::Result<Option<(Reply, Route)>> {
    let (Some(cited), Some(code), true) = (&sought.cited, sought.code, sought.is_only_code) else {
        return Ok(None);
    };
    let Some((title, language, blocks)) = search.page_at(&cited.page)? else {
        return Ok(None);
    };
    let part = blocks
        .passages
        .iter()
        .find(|part| part.passage.anchor == cited.anchor);
    let of_part = || {
        let part = part?;
        let text = code_of(&part.blocks, code)?;
        let mut place = vec![title.clone()];
        place.extend(part.passage.headings.iter().cloned());
        let citation = citation(&cited.page, part.passage.anchor.as_deref(), place);
        Some(Quote { citation, text })
    };
    let of_operation = operation::sample_in(&blocks, code).map(|sample| Quote {
        citation: citation(&cited.page, None, vec![title.clone()]),
        text: operation::code(sample),
    });
    let quote = of_operation.or_else(of_part);
    Ok(quote.map(|quote| (reply(None, vec![quote], 1.0, &language), cited.page.clone())))
}

/// Texts of the passages `found`, each as far as an answer needs it.
fn passage_texts(
    search: &dyn Answers,
    found: &[FoundPassage],
) -> anyhow::Result<Vec<QuotablePassage>> {
    let mut passage_texts: Vec<QuotablePassage> = Vec::new();
    for passage in found {
        let Some((_, _, blocks)) = search.page_at(&passage.url)? else {
            continue;
        };
        let anchor = &passage.shown.anchor;
        let part = blocks
            .passages
            .iter()
            .find(|part| part.passage.anchor == *anchor);
        let mut texts = part.map_or(Vec::new(), |part| vec![beginning_of(&part.blocks)]);
        if let Some((method, path)) = &passage.operation {
            texts.push(operation::quote((method, path), &blocks, None));
        }
        let mut place = vec![passage.title.clone()];
        place.extend(passage.shown.headings.iter().cloned());
        let citation = citation(&passage.url, anchor.as_deref(), place);
        texts.retain(|text| !text.is_empty());
        let text = texts.join("\n\n");
        let is_copy = |known: &QuotablePassage| known.citation == citation || known.text == text;
        if !text.is_empty() && !passage_texts.iter().any(is_copy) {
            passage_texts.push(QuotablePassage { citation, text });
        }
    }
    Ok(passage_texts)
}

/// Texts of the page at `at`, in reading order.
fn given_of_page(search: &dyn Answers, at: &Route) -> anyhow::Result<Vec<QuotablePassage>> {
    let Some((title, _, blocks)) = search.page_at(at)? else {
        return Ok(Vec::new());
    };
    let parts = blocks.passages.iter().map(|part| {
        let mut place = vec![title.clone()];
        place.extend(part.passage.headings.iter().cloned());
        QuotablePassage {
            citation: citation(at, part.passage.anchor.as_deref(), place),
            text: beginning_of(&part.blocks),
        }
    });
    Ok(parts.filter(|part| !part.text.is_empty()).collect())
}

/// The page that the reader is on.
fn current_page(conversation: &Conversation) -> Option<Route> {
    conversation.current_path.as_deref().and_then(route_of)
}

/// `found` with passages first whose headings ask what `query` asks.
fn ranked(
    search: &dyn Answers,
    (question, query): (&str, String),
    cited: Option<&Cited>,
    found: Vec<FoundPassage>,
) -> anyhow::Result<Retrieved> {
    let language = match found.first() {
        Some(first) => search.language_at(&first.url)?,
        None => String::new(),
    };
    let mut reader = Reader::new(&query, &language, &texts(&found))
        .preferring(&Wanted::of(question, &language), None);
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
    let unknown = unknown(question, &language, &passages);
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
fn texts(found: &[FoundPassage]) -> Vec<String> {
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

/// Answers a question about the page at `at` from that page; `None` if it is not to be found.
fn of_page(search: &dyn Answers, sought: &Sought, at: &Route) -> anyhow::Result<Option<Reply>> {
    let Some((title, language, blocks)) = search.page_at(at)? else {
        return Ok(None);
    };
    let texts: Vec<String> = (blocks.passages.iter())
        .map(|part| format!("{}\n{}", part.passage.headings.join(" "), part.passage.body))
        .collect();
    let mut reader = Reader::new(&sought.question, &language, &texts)
        .preferring(&Wanted::of(&sought.question, &language), sought.code);
    let mut ranked: Vec<(usize, f32)> = (texts.iter().enumerate())
        .map(|(i, text)| (i, reader.words_of(text)))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    // A question that names nothing of the page asks for what it is about.
    let is_about_all = ranked.first().is_none_or(|(_, worth)| *worth <= 0.0);
    let mut chosen: Vec<usize> = match is_about_all {
        true => (0..texts.len().min(QUOTED)).collect(),
        false => {
            let telling = ranked.iter().filter(|(_, worth)| *worth > 0.0);
            telling.take(QUOTED_OF_PAGE).map(|(i, _)| *i).collect()
        }
    };
    chosen.sort_unstable();
    let mut quotes = Vec::new();
    for i in chosen {
        let part = &blocks.passages[i];
        let text = match is_about_all {
            true => beginning(&part.blocks, BEGINNING),
            false => extract(&part.blocks, &mut reader, FIRST),
        };
        if text.is_empty() {
            continue;
        }
        let mut place = vec![title.clone()];
        place.extend(part.passage.headings.iter().cloned());
        quotes.push(Quote {
            citation: citation(at, part.passage.anchor.as_deref(), place),
            text,
        });
    }
    Ok((!quotes.is_empty()).then(|| reply(None, quotes, 1.0, &language)))
}

/// A quoted passage.
#[derive(Clone)]
struct Quote {
    citation: Citation,
    text: String,
}

fn citation(url: &Route, anchor: Option<&str>, place: Vec<String>) -> Citation {
    let anchor = anchor.map_or(String::new(), |anchor| format!("#{anchor}"));
    Citation {
        url: format!("{}{anchor}", url.href()),
        place,
    }
}

/// At most [`QUOTED`] quotes of `found` about a query: that of the best passage, and then the others in
/// order of the pages, those of one page in reading order.
fn quotes(
    search: &dyn Answers,
    (query, wanted, code): (&str, &Wanted, Option<&'static CodeLanguage>),
    found: &[FoundPassage],
) -> anyhow::Result<Vec<Direct>> {
    let texts = texts(found);
    let Some(first) = found.first() else {
        return Ok(Vec::new());
    };
    let mut chosen: Vec<(&Route, usize, Direct)> = Vec::new();
    let mut readers: BTreeMap<String, Reader> = BTreeMap::new();
    for passage in found {
        let least = match chosen.len() {
            0 => 0.0,
            _ => BESIDE,
        };
        let of_page = chosen
            .iter()
            .filter(|(url, ..)| **url == passage.url)
            .count();
        if chosen.len() == QUOTED || passage.score < least * first.score {
            break;
        }
        let most_of_page = match passage.operation {
            // What a request needs is said with the first.
            Some(_) => 1,
            None => QUOTED_OF_PAGE,
        };
        if of_page >= most_of_page {
            continue;
        }
        let Some((_, language, blocks)) = search.page_at(&passage.url)? else {
            continue;
        };
        // What passages in one language are compared with is worked out once.
        let reader = readers.entry(language).or_insert_with_key(|language| {
            Reader::new(query, language, &texts).preferring(wanted, code)
        });
        let length = match chosen.is_empty() {
            true => FIRST,
            false => OTHER,
        };
        let mut labels = vec![passage.title.clone()];
        labels.extend(passage.shown.headings.iter().cloned());
        // The same place in another version says the same in other words.
        let mut is_copied = false;
        for (url, _, direct) in &chosen {
            let is_same = **url != passage.url && direct.quote.citation.place == labels;
            is_copied = is_copied
                || is_same
                    && search.filter_at(url)?.version != search.filter_at(&passage.url)?.version;
        }
        if is_copied {
            continue;
        }
        let quoted = quote(passage, &blocks, reader, (length, of_page == 0), code);
        let Some((place, text)) = quoted.filter(|(_, text)| says_something(text)) else {
            continue;
        };
        // Copies of a page say the same.
        if chosen
            .iter()
            .any(|(_, _, direct)| direct.quote.text == text)
        {
            continue;
        }
        let citation = citation(&passage.url, passage.shown.anchor.as_deref(), labels);
        let blocks = blocks.passages.get(place).map(|part| &part.blocks);
        let said = blocks.and_then(|blocks| statement(blocks, wanted, reader));
        let (share, statement) = said.map_or((0.0, None), |(share, said)| (share, Some(said)));
        let direct = Direct {
            statement,
            share,
            quote: Quote { citation, text },
        };
        chosen.push((&passage.url, place, direct));
    }
    let pages: Vec<&Route> = chosen.iter().map(|(url, ..)| *url).collect();
    let rank = |url: &Route| pages.iter().position(|page| *page == url);
    if let Some((_, others)) = chosen.split_first_mut() {
        others.sort_by_key(|(url, place, _)| (rank(url), *place));
    }
    Ok(chosen.into_iter().map(|(_, _, direct)| direct).collect())
}

/// Quote of `passage`, and its position on the page.
fn quote(
    passage: &FoundPassage,
    page: &PageBlocks,
    reader: &mut Reader,
    (length, is_first_of_page): (Length, bool),
    code: Option<&CodeLanguage>,
) -> Option<(usize, String)> {
    let parts = &page.passages;
    let place = parts
        .iter()
        .position(|part| part.passage.anchor == passage.shown.anchor);
    let mut text = place.map_or(String::new(), |place| {
        extract(&parts[place].blocks, reader, length)
    });
    if let Some(place) = place
        && text.ends_with([':', '：'])
    {
        text.push_str(&subsection_links(parts, place, &passage.url));
    }
    let operation = passage.operation.as_ref().filter(|_| is_first_of_page);
    let Some((method, path)) = operation else {
        return place.map(|place| (place, text));
    };
    // What it does stands before what of it was asked for.
    let first = parts.first().filter(|first| first.passage.anchor.is_none());
    let about = first.filter(|_| place != Some(0));
    let about = about.map_or(String::new(), |first| beginning(&first.blocks, BEGINNING));
    let request = match length.lines < FIRST.lines {
        true => format!("`{method} {path}`"),
        false => operation::quote((method, path), page, code),
    };
    let mut texts = vec![about, text, request];
    texts.retain(|text| !text.is_empty());
    Some((place.unwrap_or(0), texts.join("\n\n")))
}

/// Returns true if an extract is more than the beginning of what follows it.
fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric) && !text.ends_with([':', '：'])
}

/// Returns links to the passages one level below the one at `place`, for a text that introduces
/// them.
fn subsection_links(parts: &[PassageBlocks], place: usize, url: &Route) -> String {
    let above = &parts[place].passage.headings;
    let below = parts[place + 1..].iter();
    let below = below.take_while(|part| part.passage.headings.starts_with(above));
    let below = below.filter(|part| part.passage.headings.len() == above.len() + 1);
    let mut list = String::new();
    for part in below.take(MAX_ANNOUNCED) {
        let heading = part.passage.headings.last().cloned().unwrap_or_default();
        let citation = citation(url, part.passage.anchor.as_deref(), vec![heading]);
        list.push_str(&format!("\n- {}", link(&citation)));
    }
    match list.is_empty() {
        true => list,
        false => format!("\n{list}"),
    }
}

/// Reply that quotes passages, below the `statement` that says what is asked for, if there is one.
fn reply(statement: Option<String>, quotes: Vec<Quote>, confidence: f32, language: &str) -> Reply {
    let lead = translated("From the documentation:", language);
    // A quote that begins with it says it first.
    let is_new = |statement: &String| {
        let mut quotes = quotes.iter();
        quotes
            .next()
            .is_some_and(|first| !first.text.starts_with(statement.as_str()))
    };
    match statement.filter(is_new) {
        Some(statement) => quoted(&format!("{statement}\n\n{lead}"), quotes, confidence),
        None => quoted(lead, quotes, confidence),
    }
}

/// Reply that quotes what comes nearest.
fn nearest(quotes: Vec<Quote>, confidence: f32, language: &str) -> Reply {
    let lead = translated("This passage may answer it:", language);
    Reply {
        answered: Answered::Partly,
        ..quoted(lead, quotes, confidence)
    }
}

fn quoted(lead: &str, quotes: Vec<Quote>, confidence: f32) -> Reply {
    let mut text = lead.to_owned();
    let mut citations: Vec<Citation> = Vec::new();
    for (place, quote) in quotes.into_iter().enumerate() {
        if place == 1 {
            // The others stand below a line.
            text.push_str("\n\n---");
        }
        text.push_str(&format!(
            "\n\n**{}**\n\n{}",
            link(&quote.citation),
            quote.text
        ));
        if !citations.contains(&quote.citation) {
            citations.push(quote.citation);
        }
    }
    Reply {
        answered: Answered::Fully,
        engine: Engine::Extract,
        text,
        citations,
        confidence,
        notice: None,
        state: IndexState::default(),
    }
}

/// Refusal in the place of `prepared`, whose passages answer nothing.
pub(super) fn refused(prepared: &PreparedAnswer) -> Reply {
    let mut pages: Vec<Citation> = Vec::new();
    for passage in &prepared.passages {
        let url = passage.citation.url.split('#').next().unwrap_or_default();
        let page = Citation {
            url: url.to_owned(),
            place: passage.citation.place.iter().take(1).cloned().collect(),
        };
        if pages.len() < MAX_NEAREST_PAGES && !pages.contains(&page) {
            pages.push(page);
        }
    }
    Reply {
        state: prepared.reply.state,
        ..refusal_of(pages, prepared.reply.confidence, &prepared.language)
    }
}

/// Refusal, with the nearest pages.
fn refusal(found: &[FoundPassage], confidence: f32, language: &str) -> Reply {
    refusal_of(
        nearest_pages(found, MAX_NEAREST_PAGES),
        confidence,
        language,
    )
}

/// Refusal that lists the pages of `citations`.
fn refusal_of(citations: Vec<Citation>, confidence: f32, language: &str) -> Reply {
    let text = "The documentation does not seem to answer this.";
    let mut text = translated(text, language).to_owned();
    if !citations.is_empty() {
        let lead = translated("The nearest pages:", language);
        text.push_str(&format!(" {lead}\n"));
        for citation in &citations {
            text.push_str(&format!("\n- {}", link(citation)));
        }
    }
    Reply {
        answered: Answered::Not,
        engine: Engine::Extract,
        text,
        citations,
        confidence,
        notice: None,
        state: IndexState::default(),
    }
}

/// The first `most` pages of `found`.
fn nearest_pages(found: &[FoundPassage], most: usize) -> Vec<Citation> {
    let mut pages: Vec<Citation> = Vec::new();
    for passage in found {
        let page = citation(&passage.url, None, vec![passage.title.clone()]);
        if pages.len() < most && !pages.contains(&page) {
            pages.push(page);
        }
    }
    pages
}

/// A link to the place of `citation`.
fn link(citation: &Citation) -> String {
    let mut title = String::new();
    for c in citation.title().chars() {
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<') {
            title.push('\\');
        }
        title.push(c);
    }
    format!("[{title}]({})", citation.url)
}
