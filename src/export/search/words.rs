//! Which words stand where, as the index of the service has them: what it reads of a page is read here too
//! (`index/entries.rs`), so the browser adds up the same figures.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::site::SearchDocument;
use tantivy::TantivyDocument;
use tantivy::schema::Value;

use crate::index::entries::{self, Fields, Part, PassageSizes, SEPARATOR};
use crate::index::pages::{Pages, Totals};
use crate::index::synonyms::{NamedWord, Synonyms};
use crate::index::words::{Analyzer, Forms, lower, primary};

/// The language of a page that names none.
const LANGUAGE: &str = "en";

/// The language whose stems the script makes itself (`theme/js/seldom.js`).
const STEMMED: &str = "en";

/// All that is known of the words of a site.
pub(super) struct Gathered {
    /// The figures of each page, in order.
    pub(super) pages: Vec<OfPage>,
    /// The words of each language.
    pub(super) languages: Vec<Language>,
}

/// What a score needs to know of a page.
pub(super) struct OfPage {
    /// How many words stand in its title, address, names, and headings without those above.
    pub(super) sizes: [u32; 4],
    /// How many words its passages have.
    pub(super) passages: Vec<PassageSizes>,
    /// The method and the path of the operation that it is about.
    pub(super) operation: Option<(String, String)>,
    /// What it has in common with its copies in other versions.
    pub(super) copy: Option<u64>,
}

/// The words of one language.
pub(super) struct Language {
    /// Code.
    pub(super) code: String,
    /// The figures of all its pages.
    pub(super) totals: Totals,
    /// What can be asked for, in the order of UTF-16 units.
    pub(super) vocabulary: Vec<Known>,
    /// Where words stand, by number.
    pub(super) lists: Vec<Vec<OnPage>>,
    /// Groups of names that mean the same in the field.
    pub(super) names: Vec<Vec<Vec<NamedWord>>>,
}

/// A word as it is typed, or with accents.
pub(super) struct Known {
    /// The word.
    pub(super) word: String,
    /// How many pages have it as it is typed; none for one with accents, or of another language, which is only asked for as
    /// it is.
    pub(super) pages: u32,
    /// The number of its list.
    pub(super) list: usize,
}

/// Where on a page a word stands.
#[derive(Default)]
pub(super) struct OnPage {
    /// The number of the page.
    pub(super) page: u32,
    /// How often in its title, address and names.
    pub(super) times: [u32; 3],
    /// [`place`] in the title as a question.
    pub(super) place: u32,
    /// The passages with the word, in order.
    pub(super) passages: Vec<InPassage>,
}

/// Where in a passage a word stands.
#[derive(Default)]
pub(super) struct InPassage {
    /// Which passage it is.
    pub(super) ordinal: u32,
    /// How often in its heading, those above, prose and code.
    pub(super) times: [u32; 4],
    /// [`place`] in the heading as a question.
    pub(super) place: u32,
}

/// Which word of how many a word is in the words of a title or heading: one number, so that a list says by itself whether
/// a question is a title. 0: none of them.
fn place(at: usize, of: usize) -> u32 {
    (1 + of * (of - 1) / 2 + at) as u32
}

/// The words of all `documents`, which are in the order of their addresses.
pub(super) fn gathered(documents: &[Arc<SearchDocument>]) -> Gathered {
    let (_, fields) = entries::schema();
    let mut languages: BTreeMap<String, Gathering> = BTreeMap::new();
    let mut all = Pages::default();
    let mut pages = Vec::new();
    for (number, document) in (0..).zip(documents) {
        let code = language(document);
        let gathering = (languages.entry(code.clone())).or_insert_with(|| Gathering::new(&code));
        let digest = ContentHash::of(b"");
        let read = entries::entries(
            fields,
            number,
            (document, digest),
            (&code, &mut gathering.analyzer),
            &[],
        );
        let places = gathering.places(document);
        let mut passages = Vec::new();
        for (ordinal, entry) in (0..).zip(&read.documents) {
            let words = entry.get_first(fields.words);
            let words = words.and_then(|words| words.as_str()).unwrap_or_default();
            gathering.entry(number, ordinal, words, &places);
            passages.push(sizes(entry, fields));
        }
        gathering.accents(document);
        let [title, path, names, headings, ..] = read.record.sizes;
        pages.push(OfPage {
            sizes: [title, path, names, headings],
            passages,
            operation: read.record.operation.clone(),
            copy: read.record.copy,
        });
        all.insert(read.record, &[], 0);
    }
    let of_others = words_of_others(&languages);
    let mut languages: Vec<Language> = (languages.into_iter().zip(of_others))
        .map(|((code, gathering), of_others)| {
            let totals = all.totals.get(&code).cloned().unwrap_or_default();
            gathering.finished(code, totals, of_others)
        })
        .collect();
    languages.sort_by_key(|language| std::cmp::Reverse(language.totals.pages));
    Gathered { pages, languages }
}

/// For each of `languages` the words of the others that it would look for by a stem that its pages have, with that stem: a
/// question is asked of every language, and the script has the stems of English alone.
fn words_of_others(languages: &BTreeMap<String, Gathering>) -> Vec<Vec<(String, String)>> {
    let of_language = |(code, own): (&String, &Gathering)| {
        let mut found = BTreeMap::new();
        if code == STEMMED {
            return Vec::new();
        }
        let others = languages.iter().filter(|(other, _)| *other != code);
        for word in others.flat_map(|(_, other)| other.typed.keys()) {
            if own.typed.contains_key(word) || found.contains_key(word) {
                continue;
            }
            let forms = own.analyzer.forms(word);
            let stems = [Some(forms.term), forms.plain].into_iter().flatten();
            let mut known = stems.filter(|stem| own.numbers.contains_key(stem));
            if let Some(stem) = known.next() {
                found.insert(word.clone(), stem);
            }
        }
        found.into_iter().collect()
    };
    languages.iter().map(of_language).collect()
}

/// The code of the language of a page.
pub(super) fn language(document: &SearchDocument) -> String {
    primary(document.facets.language.as_deref().unwrap_or(LANGUAGE))
}

fn sizes(entry: &TantivyDocument, fields: Fields) -> PassageSizes {
    let packed = entry
        .get_first(fields.sizes)
        .and_then(|sizes| sizes.as_u64());
    PassageSizes::unpacked(packed.unwrap_or_default())
}

/// The words of title and headings as questions, by the number of the passage; those of the title last.
struct Places {
    headings: Vec<HashMap<String, u32>>,
    title: HashMap<String, u32>,
}

/// The words of one language while they are gathered.
struct Gathering {
    analyzer: Analyzer,
    /// The numbers of words by what they are looked up by.
    numbers: HashMap<String, usize>,
    lists: Vec<Vec<OnPage>>,
    /// How many pages have a word as it is typed.
    typed: HashMap<String, u32>,
    /// Words with accents that are looked up by something else than without, and what.
    accents: HashMap<String, String>,
}

impl Gathering {
    fn new(code: &str) -> Self {
        Self {
            analyzer: Analyzer::new(code),
            numbers: HashMap::new(),
            lists: Vec::new(),
            typed: HashMap::new(),
            accents: HashMap::new(),
        }
    }

    fn places(&self, document: &SearchDocument) -> Places {
        let of = |text: &str| -> HashMap<String, u32> {
            let words = self.analyzer.question(text);
            let count = words.len();
            let words = words.into_iter().enumerate();
            words
                .map(|(at, word)| (word.whole.term, place(at, count)))
                .collect()
        };
        let headings = document.passages.iter().map(|passage| {
            let own = passage.headings.last();
            own.map(|heading| of(heading)).unwrap_or_default()
        });
        Places {
            headings: headings.collect(),
            title: of(&document.title),
        }
    }

    /// Adds the words of one entry, a line for each as the index takes them.
    fn entry(&mut self, page: u32, ordinal: u32, words: &str, places: &Places) {
        let code = words.find([':', '~']).unwrap_or_default();
        for line in words.lines() {
            let Some((word, part)) = line[code + 1..].split_once(char::from(SEPARATOR)) else {
                continue;
            };
            let Some(part) = part.bytes().next().and_then(Part::of) else {
                continue;
            };
            if part == Part::Typed {
                match self.typed.get_mut(word) {
                    Some(pages) => *pages += 1,
                    None => {
                        self.typed.insert(word.to_owned(), 1);
                    }
                }
                continue;
            }
            let number = match self.numbers.get(word) {
                Some(number) => *number,
                None => {
                    self.numbers.insert(word.to_owned(), self.lists.len());
                    self.lists.push(Vec::new());
                    self.lists.len() - 1
                }
            };
            let list = &mut self.lists[number];
            if list.last().is_none_or(|last| last.page != page) {
                list.push(OnPage {
                    page,
                    ..OnPage::default()
                });
            }
            let Some(on_page) = list.last_mut() else {
                continue;
            };
            let at = match part {
                Part::Title => {
                    on_page.place = places.title.get(word).copied().unwrap_or_default();
                    on_page.times[0] += 1;
                    continue;
                }
                Part::Path => {
                    on_page.times[1] += 1;
                    continue;
                }
                Part::Names => {
                    on_page.times[2] += 1;
                    continue;
                }
                Part::Heading | Part::Typed => 0,
                Part::Above => 1,
                Part::Body => 2,
                Part::Code => 3,
            };
            let last = on_page.passages.last();
            if last.is_none_or(|last| last.ordinal != ordinal) {
                on_page.passages.push(InPassage {
                    ordinal,
                    ..InPassage::default()
                });
            }
            if let Some(passage) = on_page.passages.last_mut() {
                passage.times[at] += 1;
                if part == Part::Heading {
                    let of_heading = places.headings.get(ordinal as usize);
                    let place = of_heading.and_then(|places| places.get(word));
                    passage.place = place.copied().unwrap_or_default();
                }
            }
        }
    }

    /// Remembers the words with accents that are looked up by more than their letters.
    fn accents(&mut self, document: &SearchDocument) {
        let passages = document.passages.iter().flat_map(|passage| {
            let headings = passage.headings.iter().map(String::as_str);
            headings.chain([&passage.body[..], &passage.code])
        });
        let own = [&document.title[..], &document.description];
        let keywords = document.keywords.iter().map(String::as_str);
        for text in own.into_iter().chain(keywords).chain(passages) {
            if text.is_ascii() {
                continue;
            }
            let mut accented = Vec::new();
            self.analyzer.terms(text, |bytes, _, _| {
                if !text[bytes.clone()].is_ascii() {
                    accented.push(lower(&text[bytes]));
                }
            });
            for word in accented {
                if !self.accents.contains_key(&word) {
                    let forms = self.analyzer.forms(&word);
                    let plain = self.analyzer.forms(&forms.typed);
                    if forms.plain.is_some() && plain.term != forms.term {
                        self.accents.insert(word, forms.term);
                    }
                }
            }
        }
    }

    fn finished(self, code: String, totals: Totals, of_others: Vec<(String, String)>) -> Language {
        let number = |word: &String| self.numbers.get(word).copied();
        let accents = self.accents.iter();
        let accents = accents.filter(|(word, _)| !self.typed.contains_key(*word));
        let accents = accents.filter_map(|(word, term)| Some((word.clone(), 0, number(term)?)));
        let typed = self.typed.iter().filter_map(|(word, pages)| {
            // The stem, or that of the word without accents: what the service looks for.
            let forms = self.analyzer.forms(word);
            let list = number(&forms.term).or_else(|| number(forms.plain.as_ref()?))?;
            Some((word.clone(), *pages, list))
        });
        let of_others = of_others.into_iter();
        let of_others = of_others.filter(|(word, _)| !self.accents.contains_key(word));
        let of_others = of_others.filter_map(|(word, stem)| Some((word, 0, number(&stem)?)));
        let all = accents.chain(typed).chain(of_others);
        let mut vocabulary: Vec<Known> = all
            .map(|(word, pages, list)| Known { word, pages, list })
            .collect();
        vocabulary.sort_by(|a, b| a.word.encode_utf16().cmp(b.word.encode_utf16()));
        // Numbers in the order of the words: the words that one may become stand in one piece.
        let mut numbers: Vec<Option<usize>> = vec![None; self.lists.len()];
        let mut count = 0;
        for known in &mut vocabulary {
            known.list = *numbers[known.list].get_or_insert_with(|| {
                count += 1;
                count - 1
            });
        }
        let names = Synonyms::of(&code).map_or_else(Vec::new, |names| {
            names.with_words(&|form: &Forms| {
                let number = self.numbers.get(&form.term)?;
                numbers[*number]
            })
        });
        let mut lists: Vec<Vec<OnPage>> = Vec::new();
        lists.resize_with(count, Vec::new);
        for (list, number) in self.lists.into_iter().zip(numbers) {
            if let Some(number) = number {
                lists[number] = list;
            }
        }
        Language {
            code,
            totals,
            vocabulary,
            lists,
            names,
        }
    }
}
