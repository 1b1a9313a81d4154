//! Vectors of another model, in addition to those of this program: they arrive later than words,
//! are not stored with the index (their embedder caches them), and a page is compared by them once
//! all of its passages have theirs.
//!
//! Vectors of two models are never compared with each other: each model has a table of its own, and a question a vector of
//! each.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use queries::base::content::ContentHash;
use queries::base::path::Route;
use queries::site::is_embedded;

use crate::index::entries::PageRecord;
use crate::index::pages::{Page, Pages};
use crate::index::search::Question;
use crate::index::vectors::nearest::Among;
use crate::index::vectors::{QueryVector, Vector, Vectors};
use crate::index::words::primary;
use crate::index::{Content, Index, lock};

/// Pages that another model is to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct External {
    /// The codes of the languages of those pages; empty: all of them.
    pub languages: Vec<String>,
}

impl External {
    /// Returns true if the passages of `page` need vectors of this model.
    pub fn is_of(&self, page: &PageRecord) -> bool {
        let mut languages = self.languages.iter();
        self.languages.is_empty() || languages.any(|code| primary(code) == page.language)
    }
}

/// A page of which passages have no vectors of the other model yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// Route.
    pub route: Route,
    /// The digests of those passages.
    pub passages: Vec<ContentHash>,
}

/// Vectors of passages by their digests; none for an empty passage.
pub type PassageVectors = HashMap<ContentHash, Arc<[Vector]>>;

/// A question as vectors.
pub struct Meaning<'a> {
    own: Option<QueryVector>,
    other: Option<(&'a str, QueryVector)>,
}

impl<'a> Meaning<'a> {
    /// Returns the meaning of `question`, as far as anything can be compared with it; `None` if
    /// nothing can.
    pub fn of(question: &Question<'a>, pages: &Pages) -> Option<Self> {
        let is_known = pages.vectors.count() > 0 && pages.without_vectors.is_empty();
        let own = question.semantic.filter(|_| is_known);
        let other = question.other.filter(|_| pages.complete > 0);
        let meaning = Self {
            own: own.map(QueryVector::from),
            other: other.map(|(name, vector)| (name, QueryVector::from(vector))),
        };
        (meaning.own.is_some() || meaning.other.is_some()).then_some(meaning)
    }

    /// The vector of the other model, for a page that is compared by that.
    fn other_vector(&self, page: &Page) -> Option<&QueryVector> {
        let (_, asked) = self.other.as_ref().filter(|_| page.is_complete())?;
        Some(asked)
    }

    /// The name of the other model, if it compared this page.
    pub fn compares(&self, page: &Page) -> Option<&'a str> {
        self.other_vector(page)
            .and(self.other.as_ref())
            .map(|(name, _)| *name)
    }

    /// Returns true if pages in the language with this code may be compared.
    pub fn compares_language(&self, code: &str) -> bool {
        self.other.is_some() || (self.own.is_some() && is_embedded(Some(code)))
    }

    /// Returns true if this page can be compared at all.
    pub fn knows(&self, page: &Page) -> bool {
        self.other_vector(page).is_some()
            || (self.own.is_some() && page.slots.iter().any(|slots| !slots.is_empty()))
    }
}

impl Page {
    /// Returns true if all of its passages have vectors of the other model.
    pub fn is_complete(&self) -> bool {
        !self.others.is_empty() && self.others.iter().all(Option::is_some)
    }
}

impl Pages {
    /// Returns the nearness of each page to a question with this meaning, by number: exact for
    /// those `with_words` of it that may be shown for them, and for others if they come near it
    /// (`vectors/nearest.rs`). `is_wanted` selects pages; without it all are wanted.
    pub fn near(
        &self,
        meaning: &Meaning<'_>,
        with_words: &[u32],
        is_wanted: Option<&dyn Fn(u32) -> bool>,
    ) -> Vec<f32> {
        let nearest =
            |table: &Vectors, asked: &QueryVector, slots: &dyn Fn(&Page, &mut Vec<u32>)| {
                // Following every page to its slots costs more than comparing all vectors, unless there are very many.
                let with_words = if table.is_long() { with_words } else { &[] };
                let with_words = with_words.iter().filter_map(|page| self.get(*page));
                let mut surely = Vec::new();
                with_words.for_each(|page| slots(page, &mut surely));
                let among = Among {
                    numbers: self.numbers(),
                    surely: &surely,
                    is_wanted,
                };
                table.nearest(asked, &among)
            };
        let own = |page: &Page, all: &mut Vec<u32>| all.extend(page.slots.iter().flatten());
        let others =
            |page: &Page, all: &mut Vec<u32>| all.extend(page.others.iter().flatten().flatten());
        let Some((_, other)) = &meaning.other else {
            let asked = meaning.own.as_ref();
            return asked.map_or_else(
                || vec![0.0; self.numbers()],
                |asked| nearest(&self.vectors, asked, &own),
            );
        };
        let mut near = nearest(&self.others, other, &others);
        if self.complete < self.count() {
            // What the other model does not know yet, or is not asked about.
            let own = (meaning.own.as_ref()).map(|asked| nearest(&self.vectors, asked, &own));
            for page in self.iter().filter(|page| !page.is_complete()) {
                let number = page.record.number as usize;
                near[number] = own.as_ref().map_or(0.0, |own| own[number]);
            }
        }
        near
    }

    /// Returns the nearness of a passage to a question with this meaning: the cosine of its nearest
    /// vector, 0 if it points away.
    pub fn near_passage(&self, page: &Page, ordinal: usize, meaning: &Meaning<'_>) -> f32 {
        let nearest = |table: &Vectors, slots: &[u32], asked: &QueryVector| {
            let cosines = slots.iter().map(|slot| table.cosine(*slot, asked));
            cosines.fold(0.0, f32::max)
        };
        match (meaning.other_vector(page), &meaning.own) {
            (Some(other), _) => {
                let slots = page.others.get(ordinal).and_then(Option::as_deref);
                nearest(&self.others, slots.unwrap_or_default(), other)
            }
            (None, Some(own)) => {
                let slots = page.slots.get(ordinal).map(Vec::as_slice);
                nearest(&self.vectors, slots.unwrap_or_default(), own)
            }
            (None, None) => 0.0,
        }
    }

    /// The vectors of the other model of a passage of a page, if it has them.
    pub fn given(&self, page: &Page, ordinal: usize) -> Option<Arc<[Vector]>> {
        let slots = page.others.get(ordinal)?.as_deref()?;
        slots.iter().map(|slot| self.others.get(*slot)).collect()
    }

    /// Gives the passages of a page, by ordinal, vectors of the other model, and keeps those that the others have.
    pub fn give(&mut self, number: u32, given: &dyn Fn(&ContentHash) -> Option<Arc<[Vector]>>) {
        let Some(page) = self.get(number).cloned() else {
            return;
        };
        let mut others = page.others.clone();
        others.resize(page.record.passages.len().max(1), None);
        // An empty page has one entry and no passage.
        if page.record.passages.is_empty() {
            others[0] = Some(Vec::new());
        }
        for (slots, digest) in others.iter_mut().zip(&page.record.passages) {
            if slots.is_some() {
                continue;
            }
            let Some(vectors) = given(digest) else {
                continue;
            };
            if let Some(vector) = vectors.first()
                && self.others.count() == 0
                && self.others.dimensions() != vector.numbers.len()
            {
                self.others = Vectors::new(vector.numbers.len());
            }
            let vectors = vectors.iter();
            *slots = Some(
                vectors
                    .map(|vector| self.others.insert(number, vector))
                    .collect(),
            );
        }
        let next = Page {
            record: page.record.clone(),
            slots: page.slots.clone(),
            others,
            seal: page.seal,
            is_embedded: page.is_embedded,
        };
        self.complete += usize::from(next.is_complete());
        self.complete -= usize::from(page.is_complete());
        self.replace(number, next);
    }
}

impl Index {
    /// Returns up to `most` pages with passages that lack vectors of the other model; those that
    /// `is_skipped` are not counted.
    pub fn lacking(&self, most: usize, is_skipped: &dyn Fn(&ContentHash) -> bool) -> Vec<Lacking> {
        let writing = lock(&self.inner.writing);
        let current = self.inner.current();
        let pages = writing
            .without_vectors
            .iter()
            .filter_map(|number| current.pages.get(*number));
        let pages = pages.filter_map(|page| {
            let passages = page.record.passages.iter().enumerate();
            let passages = passages.filter(|(i, digest)| {
                let has = page.others.get(*i).is_some_and(Option::is_some);
                !has && !is_skipped(digest)
            });
            let passages: Vec<ContentHash> = passages.map(|(_, digest)| *digest).collect();
            // A page without passages is complete as soon as it is given nothing.
            let is_wanted = !passages.is_empty() || page.record.passages.is_empty();
            is_wanted.then(|| Lacking {
                route: page.record.route.clone(),
                passages,
            })
        });
        pages.take(most).collect()
    }

    /// Gives the passages of the pages at `routes` vectors of the other model, all of which have as
    /// many numbers. What changed in the meantime stays without. When this returns, questions are
    /// answered with them.
    ///
    /// # Errors
    ///
    /// Returns why the snapshot could not be rebuilt; nothing is changed then.
    pub fn give<'a>(
        &self,
        routes: impl IntoIterator<Item = &'a Route>,
        vectors: &PassageVectors,
    ) -> anyhow::Result<()> {
        let writing = &mut *lock(&self.inner.writing);
        let mut pages = self.inner.current().pages.clone();
        let mut complete = BTreeSet::new();
        for route in routes {
            let Some(number) = writing.numbers.get(route) else {
                continue;
            };
            pages.give(*number, &|digest| vectors.get(digest).cloned());
            if pages.get(*number).is_some_and(|page| page.is_complete()) {
                complete.insert(*number);
            }
        }
        self.inner.publish(pages, Content::Same)?;
        writing
            .without_vectors
            .retain(|number| !complete.contains(number));
        Ok(())
    }

    /// Returns the number of passages that lack vectors of the other model.
    pub fn waiting(&self) -> usize {
        let Some(other) = &self.inner.options.other else {
            return 0;
        };
        let current = self.inner.current();
        let pages = current.pages.iter();
        let pages = pages.filter(|page| !page.is_complete() && other.is_of(&page.record));
        let waiting = pages.map(|page| {
            let has = page.others.iter().filter(|slots| slots.is_some()).count();
            page.record.passages.len().saturating_sub(has)
        });
        waiting.sum()
    }
}
