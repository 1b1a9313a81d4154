//! What others would take: the usual ways to search with the same library, to compare ours with.

use queries::search::SearchDocument;
use quire_search::index::words::Analyzer;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, QueryParser, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TEXT, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{Index, Searcher, TantivyDocument, Term};

/// The words that the English analyzer of Lucene leaves out of texts and questions.
const STOP_WORDS: &str = "a an and are as at be but by for if in into is it no not of on or such that the their then there \
                          these they this to was will with";

/// How many routes an engine answers with: enough for ten after those that do not count were left out.
pub(crate) const DEPTH: usize = 30;

/// An engine of the library as it is.
pub(crate) struct Usual {
    index: Index,
    searcher: Searcher,
    route: Field,
    fields: Vec<(Field, f32)>,
}

fn body(document: &SearchDocument) -> String {
    let passages = document.passages.iter();
    passages
        .map(|passage| format!("{}\n{}\n", passage.body, passage.code))
        .collect()
}

fn headings(document: &SearchDocument) -> String {
    let own = document
        .passages
        .iter()
        .filter_map(|passage| passage.headings.last());
    own.map(|heading| format!("{heading}\n")).collect()
}

fn usual(
    documents: &[SearchDocument],
    options: TextOptions,
    fields: &[(&str, f32)],
    text: impl Fn(&SearchDocument, &str) -> String,
) -> Usual {
    let mut schema = Schema::builder();
    let route = schema.add_text_field("route", STRING | STORED);
    let fields: Vec<(Field, f32)> = fields
        .iter()
        .map(|(name, weight)| (schema.add_text_field(name, options.clone()), *weight))
        .collect();
    let schema = schema.build();
    let index = Index::create_in_ram(schema.clone());
    let mut writer = index
        .writer_with_num_threads(1, 50_000_000)
        .expect("a writer");
    for document in documents {
        let mut entry = TantivyDocument::default();
        entry.add_text(route, document.route.as_str());
        for (field, _) in &fields {
            entry.add_text(*field, text(document, schema.get_field_name(*field)));
        }
        writer.add_document(entry).expect("added");
    }
    writer.commit().expect("committed");
    let searcher = index.reader().expect("a reader").searcher();
    Usual {
        index,
        searcher,
        route,
        fields,
    }
}

/// Titles and texts in one field, everything else as the library has it.
pub(crate) fn by_default(documents: &[SearchDocument]) -> Usual {
    usual(documents, TEXT, &[("text", 1.0)], |document, _| {
        format!(
            "{}\n{}{}",
            document.title,
            headings(document),
            body(document)
        )
    })
}

/// Titles four times, headings twice, English stems, the stop words of Lucene: what documentation sites do.
pub(crate) fn title_boosted(documents: &[SearchDocument]) -> Usual {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("default")
        .set_index_option(IndexRecordOption::WithFreqs);
    let options = TextOptions::default().set_indexing_options(indexing);
    let fields = [("title", 4.0), ("headings", 2.0), ("body", 1.0)];
    usual(documents, options, &fields, |document, field| {
        stems(&match field {
            "title" => document.title.clone(),
            "headings" => headings(document),
            _ => body(document),
        })
        .join(" ")
    })
}

/// The words of a text, cut as the library does, without stop words, and stemmed.
fn stems(text: &str) -> Vec<String> {
    let analyzer = Analyzer::new("en");
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && word.len() < 40);
    let words = words.map(str::to_lowercase);
    let is_telling = |word: &String| !STOP_WORDS.split(' ').any(|stop| stop == word);
    words
        .filter(is_telling)
        .map(|word| analyzer.stem(&word))
        .collect()
}

impl Usual {
    /// The routes for `query`, read as the library reads questions.
    pub(crate) fn parsed(&self, query: &str) -> Vec<String> {
        let fields = self.fields.iter().map(|(field, _)| *field).collect();
        let (query, _) = QueryParser::for_index(&self.index, fields).parse_query_lenient(query);
        self.top(&query)
    }

    /// The routes for the words of `query`.
    pub(crate) fn weighted(&self, query: &str) -> Vec<String> {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for stem in stems(query) {
            for (field, weight) in &self.fields {
                let term = TermQuery::new(
                    Term::from_field_text(*field, &stem),
                    IndexRecordOption::WithFreqs,
                );
                clauses.push((
                    Occur::Should,
                    Box::new(BoostQuery::new(Box::new(term), *weight)),
                ));
            }
        }
        self.top(&BooleanQuery::new(clauses))
    }

    fn top(&self, query: &dyn Query) -> Vec<String> {
        let found = self
            .searcher
            .search(query, &TopDocs::with_limit(DEPTH).order_by_score())
            .expect("found");
        let route = |address| {
            let document: TantivyDocument = self.searcher.doc(address).expect("an entry");
            document
                .get_first(self.route)
                .and_then(|value| value.as_str())
                .expect("a route")
                .to_owned()
        };
        found
            .into_iter()
            .map(|(_, address)| route(address))
            .collect()
    }
}
