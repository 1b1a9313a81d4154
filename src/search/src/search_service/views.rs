//! What questions are answered from: the index as it was last complete, with what it has taken up
//! since, or the first one while it is being built.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use queries::base::path::Route;
use queries::site::{PageId, RouteTable, SearchConfig, breadcrumbs, route_table, search_config};
use tokio::sync::watch;

use super::lock;
use crate::index::{Answer, Index, Indexing, PinnedIndex};
use quire_engine::faults::{BREADCRUMBS, Faults};
use quire_engine::host::{ReadError, SiteHost};

/// An index with everything else that answers need: none of them asks the database, so none waits
/// for an edit.
pub(super) struct View {
    /// Revision whose changes can be found; `None` while the first index is being built.
    pub(super) revision: Option<u64>,
    /// The index, which an update may be writing to.
    pub(super) index: Arc<Index>,
    /// Its pages at `revision`; `None` for the first index, of which answers take what there is.
    pub(super) pinned: Option<Arc<PinnedIndex>>,
    pub(super) config: SearchConfig,
    places: Option<Places>,
}

/// Places of pages in the navigation.
struct Places {
    routes: Arc<RouteTable>,
    labels: Arc<HashMap<PageId, Arc<[String]>>>,
}

impl Places {
    fn above(&self, route: &Route) -> Option<&Arc<[String]>> {
        self.labels.get(self.routes.pages.get(route)?)
    }
}

impl View {
    /// View of `index`, which is at `revision`. A fault in the navigation costs only the labels
    /// above results.
    pub(super) fn read(
        host: &SiteHost,
        revision: u64,
        index: &Arc<Index>,
        faults: &Faults,
    ) -> Result<Self, ReadError> {
        let config = host.read(|db, site| search_config(db, site).clone())?;
        let places = host.read(|db, site| Places {
            routes: route_table(db, site).clone(),
            labels: breadcrumbs(db, site).clone(),
        });
        let places = match places {
            Ok(places) => {
                faults.clear(BREADCRUMBS);
                Some(places)
            }
            Err(error @ ReadError::Cancelled(_)) => return Err(error),
            Err(error) => {
                faults.note(BREADCRUMBS, &error);
                None
            }
        };
        Ok(Self {
            revision: Some(revision),
            index: index.clone(),
            pinned: Some(index.pin()),
            config,
            places,
        })
    }

    /// Pages that a question is answered from.
    pub(super) fn pinned(&self) -> Arc<PinnedIndex> {
        self.pinned.clone().unwrap_or_else(|| self.index.pin())
    }

    /// Returns true if the navigation had a fault when it was read.
    pub(super) fn lacks_places(&self) -> bool {
        self.places.is_none()
    }

    /// Adds to each result its place in the navigation.
    pub(super) fn place(&self, answer: &mut Answer) {
        for hit in &mut answer.results {
            let labels = self
                .places
                .as_ref()
                .and_then(|places| places.above(&hit.url));
            hit.breadcrumb = labels.map_or_else(Vec::new, |labels| labels.to_vec());
        }
    }

    /// The labels above each page that has some, by route.
    pub(super) fn breadcrumbs(&self) -> BTreeMap<Route, Vec<String>> {
        let Some(places) = &self.places else {
            return BTreeMap::new();
        };
        let placed = places.routes.pages.keys().filter_map(|route| {
            let labels = places.above(route).filter(|labels| !labels.is_empty())?;
            Some((route.clone(), labels.to_vec()))
        });
        placed.collect()
    }
}

/// The first index of a site while it is being built.
pub(super) struct Building {
    pub(super) view: Arc<View>,
    /// Number of pages that it is known to get.
    of: Arc<AtomicUsize>,
    /// Whether it had no page when it was opened.
    is_new: bool,
}

impl Building {
    pub(super) fn new(index: &Arc<Index>, config: SearchConfig, of: Arc<AtomicUsize>) -> Self {
        let view = View {
            revision: None,
            index: index.clone(),
            pinned: None,
            config,
            places: None,
        };
        Self {
            is_new: index.is_empty(),
            view: Arc::new(view),
            of,
        }
    }

    /// Progress of an index that is new; `None` for one that was stored, and is being compared.
    pub(super) fn progress(&self) -> Option<Indexing> {
        let done = self.view.index.pages_found();
        let of = self.of.load(Ordering::Relaxed).max(done);
        self.is_new.then_some(Indexing { done, of })
    }
}

/// What can be found now.
pub(super) struct Views {
    state: Mutex<State>,
    /// Revision of the complete index.
    served: watch::Sender<Option<u64>>,
}

#[derive(Default)]
struct State {
    complete: Option<Arc<View>>,
    building: Option<Arc<Building>>,
}

impl Default for Views {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            served: watch::Sender::new(None),
        }
    }
}

impl Views {
    /// Answers from `view` from now on.
    pub(super) fn serve(&self, view: View) {
        let revision = view.revision;
        *lock(&self.state) = State {
            complete: Some(Arc::new(view)),
            building: None,
        };
        self.served.send_replace(revision);
    }

    /// Puts `view` in the place of the complete one, if that is `before`; returns it.
    pub(super) fn replace(&self, before: &Arc<View>, view: View) -> Arc<View> {
        let view = Arc::new(view);
        let complete = &mut lock(&self.state).complete;
        if complete
            .as_ref()
            .is_some_and(|now| Arc::ptr_eq(now, before))
        {
            *complete = Some(view.clone());
        }
        view
    }

    /// Answers from `building` until an index is complete.
    pub(super) fn build(&self, building: Building) {
        lock(&self.state).building = Some(Arc::new(building));
    }

    /// Answers from nothing until an index is opened.
    pub(super) fn withdraw(&self) {
        *lock(&self.state) = State::default();
        self.served.send_replace(None);
    }

    pub(super) fn complete(&self) -> Option<Arc<View>> {
        lock(&self.state).complete.clone()
    }

    pub(super) fn building(&self) -> Option<Arc<Building>> {
        lock(&self.state).building.clone()
    }

    /// Returns true if the changes of `revision` can be found.
    pub(super) fn is_at(&self, revision: u64) -> bool {
        *self.served.borrow() == Some(revision)
    }

    /// The revisions of complete indexes to come.
    pub(super) fn subscribe(&self) -> watch::Receiver<Option<u64>> {
        self.served.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::index::{ChangedPage, Changes, Mode};
    use crate::search_service::{SearchQuery, SearchService};
    use queries::base::content::ContentHash;
    use queries::base::path::SitePath;
    use queries::site::search_document;
    use quire_engine::host::{FileChange, HostOptions};
    use quire_source::sources::FileState;

    fn write(host: &SiteHost, path: &str, text: &str) {
        host.apply(vec![FileChange {
            path: SitePath::new(path).expect("a path"),
            state: FileState::Text(text.as_bytes().into()),
        }]);
    }

    fn find(service: &SearchService, query: &str, semantic: bool) -> Answer {
        let wanted = SearchQuery {
            query: query.to_owned(),
            semantic,
            limit: 10,
            ..SearchQuery::default()
        };
        service.find(&wanted).expect("an answer")
    }

    fn urls(answer: &Answer) -> Vec<String> {
        let hits = answer.results.iter();
        hits.map(|hit| hit.url.to_string()).collect()
    }

    /// Writes the page `/green` as it is now to the index, without vectors: a commit of an update.
    fn put_words(host: &SiteHost, index: &Index) {
        let green = Route::new("green").expect("a route");
        let document = host.read(|db, site| {
            let page = *route_table(db, site).pages.get(&green)?;
            search_document(db, page)
        });
        let changed = [ChangedPage {
            digest: ContentHash::of(b"other"),
            document: document.expect("no fault").expect("a document"),
        }];
        let mut taking = index.begin(1);
        let changes = Changes {
            gone: &[],
            changed: &changed,
        };
        taking.put(&changes, None).expect("taken up");
        taking.finish().expect("written");
    }

    /// An update of several commits is found when the last of them is written.
    #[test]
    fn answers_come_from_the_revision_that_they_name() {
        let host = Arc::new(SiteHost::new("", HostOptions::default()));
        write(&host, "green.mdx", "sencha");
        write(&host, "black.mdx", "keemun");
        let service = SearchService::new(host.clone(), None).answering_within(Duration::ZERO);
        let (index, _) = service.follow().expect("an index");
        let before = host.revision();
        write(&host, "green.mdx", "keemun too");
        write(&host, "black.mdx", "assam");
        put_words(&host, &index);
        assert!(index.lacks_vectors());

        let answer = find(&service, "keemun", false);
        assert_eq!(
            (urls(&answer), answer.revision),
            (vec!["/black".to_owned()], Some(before))
        );
        assert_eq!(find(&service, "keemun", true).mode, Mode::Semantic);
        service.follow().expect("an index");
        let answer = find(&service, "keemun", false);
        assert_eq!(
            (urls(&answer), answer.revision),
            (vec!["/green".to_owned()], None)
        );
    }

    /// Vectors that are ready later are part of the answers at once.
    #[test]
    fn pages_that_can_be_found_get_their_vectors() {
        let host = Arc::new(SiteHost::new("", HostOptions::default()));
        write(&host, "green.mdx", "sencha");
        let service = SearchService::new(host.clone(), None);
        let (index, _) = service.follow().expect("an index");
        put_words(&host, &index);
        service.serve(host.revision(), &index).expect("served");
        assert_eq!(find(&service, "sencha", true).mode, Mode::Keyword);
        service.embed_rest().expect("embedded");
        assert_eq!(find(&service, "sencha", true).mode, Mode::Semantic);
        // Merged segments replace those that are pinned.
        index.rest();
        assert_eq!(urls(&find(&service, "sencha", true)), ["/green"]);
    }
}
