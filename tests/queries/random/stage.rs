//! The site under test: how it is started, written, evicted from, and read by several at once; with
//! the prediction that follows it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Barrier, Mutex};

use base::path::SitePath;
use openapi::direction::Direction;
use queries::binding::{bound_operation, bound_schema};
use queries::blocks::page_blocks;
use queries::body::{component_rows, model_reference, operation_reference, page_body, page_facts};
use queries::card::page_card;
use queries::head::page_head;
use queries::markdown::{page_markdown, page_part};
use queries::navigation::{PageId, generated_pages};
use queries::openapi::{SpecNode, is_model, slice_value};
use queries::page::page_list;
use queries::reference::ComponentRows;
use queries::search::{embedded_passages, page_text, passage_embeddings, passage_windows};
use queries::site::{route_table, set_cache_capacity};
use queries::store::Kind;
use salsa::plumbing::AsId;
use salsa::{Cancelled, Database as _, Id};

use super::engine::{Engine, Facts, Node, inputs, names, node_of};
use super::recorded::while_listening;
use crate::artifacts::{Artifacts, Overlay};
use crate::random_numbers::Random;
use crate::support::{Shown, TestSite};

/// What a site shows, by name.
pub(super) type Outputs = BTreeMap<String, String>;

/// The contents of all files by path.
pub(super) type Files = BTreeMap<String, String>;

/// How often values of each kind were made that are found by what was read while they were drawn.
pub(super) type RenderCounts = BTreeMap<Kind, usize>;

/// What an artifact store knows when a site starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Start {
    /// There is none.
    WithoutStore,
    /// Nothing.
    Cold,
    /// Part of what was made before.
    HalfWarm,
    /// Everything that was made before.
    Warm,
}

impl Start {
    pub(super) const ALL: [Self; 4] = [Self::WithoutStore, Self::Cold, Self::HalfWarm, Self::Warm];
}

/// What was read after a write.
pub(super) struct ReadOutputs {
    pub(super) outputs: Outputs,
    /// The queries that ran and came out equal, by the names of the engine.
    backdated: BTreeSet<String>,
}

/// Builds that never saw another state of the site.
pub(super) struct Clean {
    /// What a build shows that has no artifacts.
    pub(super) outputs: Outputs,
    /// What a start makes with the artifacts that the site has.
    pub(super) made: RenderCounts,
    /// A site started so, and what it ran.
    started: TestSite,
    ran: BTreeMap<String, Node>,
}

impl Clean {
    /// What follows from it for the queries that ran elsewhere.
    pub(super) fn facts(&mut self, executed: &BTreeMap<String, Vec<String>>) -> Facts {
        let is_wanted = |(query, key): &Node| {
            let keys = executed.get(query);
            keys.is_some_and(|keys| keys.binary_search(key).is_ok())
        };
        Facts::new(&mut self.started, &self.ran, is_wanted)
    }
}

pub(super) struct Stage {
    pub(super) site: TestSite,
    engine: Engine,
    artifacts: Option<Arc<Artifacts>>,
}

impl Stage {
    /// A site of `files` that keeps nothing.
    pub(super) fn new(files: &Files) -> Self {
        Self::with(files, None)
    }

    /// Starts the site anew. What was made before is what a store may know.
    pub(super) fn restart(&mut self, files: &Files, start: Start, random: &mut Random) {
        let known = self.artifacts.take().unwrap_or_default();
        let artifacts = match start {
            Start::WithoutStore => None,
            Start::Cold => Some(Arc::default()),
            Start::HalfWarm => {
                let share = 2 + random.below(6);
                known.lose(|| random.below(share) == 0);
                Some(known)
            }
            Start::Warm => Some(known),
        };
        *self = Self::with(files, artifacts);
    }

    fn with(files: &Files, artifacts: Option<Arc<Artifacts>>) -> Self {
        let contents: Vec<_> = files.iter().collect();
        let mut site = match &artifacts {
            Some(artifacts) => TestSite::keeping(&contents, artifacts),
            None => TestSite::new(&contents),
        };
        // Nothing is evicted but what [`Stage::evict`] names.
        set_cache_capacity(&mut site.db, 0);
        Self {
            site,
            engine: Engine::default(),
            artifacts,
        }
    }

    /// Clean builds of `files`: without artifacts, and on those that the site has now.
    pub(super) fn clean(&self, files: &Files) -> Clean {
        let contents: Vec<_> = files.iter().collect();
        let clean = TestSite::new(&contents);
        let outputs = clean.outputs_and_backlinks();
        let (started, made) = match &self.artifacts {
            None => (clean, RenderCounts::new()),
            Some(artifacts) => {
                let overlay = Arc::new(Overlay::new(artifacts.clone()));
                let started = TestSite::keeping(&contents, &overlay);
                started.outputs_and_backlinks();
                (started, made(&overlay.own))
            }
        };
        Clean {
            outputs,
            made,
            ran: started.take_full_log().into_iter().collect(),
            started,
        }
    }

    /// The artifacts that were made since the last look.
    pub(super) fn made(&self) -> RenderCounts {
        let artifacts = self.artifacts.as_ref();
        artifacts
            .map(|artifacts| made(artifacts))
            .unwrap_or_default()
    }

    /// Has the store lose a part of what it knows.
    pub(super) fn lose_artifacts(&mut self, random: &mut Random) {
        if let Some(artifacts) = &self.artifacts {
            artifacts.lose(|| random.below(4) == 0);
        }
    }

    /// Writes with nobody around, and asks for everything.
    pub(super) fn write_and_read(&mut self, write: impl FnOnce(&mut TestSite)) -> ReadOutputs {
        write(&mut self.site);
        let site = &self.site;
        let (outputs, backdated) = while_listening(&site.db, |_| site.outputs_and_backlinks());
        ReadOutputs { outputs, backdated }
    }

    /// Writes while four readers ask, each for its part of `before`; they are told to stop, and ask
    /// again. Returns what they see then. After a start (`before` is `None`) nobody has asked yet.
    pub(super) fn write_while_reading(
        &mut self,
        write: impl FnOnce(&mut TestSite),
        before: Option<&Outputs>,
        random: &mut Random,
    ) -> ReadOutputs {
        let are_reading = Barrier::new(Shown::ALL.len() + 1);
        let shared = Mutex::new((before.is_none(), &mut self.site));
        let parts = std::thread::scope(|scope| {
            let readers = Shown::ALL.map(|part| {
                let (shared, are_reading) = (&shared, &are_reading);
                scope.spawn(move || {
                    let mut is_first = true;
                    loop {
                        // The lock is held to get a handle or to write, as the host of a site does.
                        let (is_written, db, site) = {
                            let shared = shared.lock().unwrap();
                            (shared.0, shared.1.db.clone(), shared.1.site)
                        };
                        if std::mem::take(&mut is_first) {
                            are_reading.wait();
                        }
                        let ask = || while_listening(&db, |db| part.of(db, site));
                        match Cancelled::catch(AssertUnwindSafe(ask)) {
                            Ok(answer) if is_written => return answer,
                            Ok((shown, _)) => {
                                let is_other = |(name, text)| {
                                    before.is_some_and(|before| before.get(name) != Some(text))
                                };
                                let others: Vec<_> =
                                    shown.iter().filter(|one| is_other(*one)).collect();
                                assert!(others.is_empty(), "stale before a write: {others:?}");
                                drop(db);
                                std::thread::yield_now();
                            }
                            // Who waited for another reader, who was told to stop, is told that one failed. If that
                            // is so this one fails, too, when it asks again.
                            Err(Cancelled::PendingWrite | Cancelled::PropagatedPanic) => {}
                            Err(cancelled) => panic!("{part:?}: {cancelled}"),
                        }
                    }
                })
            });
            are_reading.wait();
            // Into the middle of what they do.
            for _ in 0..random.below(4) {
                std::thread::yield_now();
            }
            if before.is_some() {
                let mut shared = shared.lock().unwrap();
                write(shared.1);
                shared.0 = true;
            }
            readers.map(|reader| reader.join().expect("no reader panics"))
        });
        let mut read = ReadOutputs {
            outputs: Outputs::new(),
            backdated: BTreeSet::new(),
        };
        for (shown, backdated) in parts {
            read.outputs.extend(shown);
            read.backdated.extend(backdated);
        }
        read
    }

    /// Which queries must have run since the last prediction, by `facts` of the site as it is now.
    pub(super) fn predict(
        &mut self,
        facts: &Facts,
        read: &ReadOutputs,
        promoted: &BTreeSet<SitePath>,
    ) -> BTreeMap<String, Vec<String>> {
        self.engine.write(inputs(&self.site));
        self.engine.promoted(promoted);
        let names = names(&self.site);
        let backdated = read.backdated.iter();
        let backdated = backdated.map(|query| node_of(&names, query)).collect();
        self.engine.predict(facts, &backdated)
    }

    /// Whether it depends on the order of questions what runs. A page that vanished when its reference
    /// was evicted may come back: if somebody asks for the reference first, it is new and wakes the
    /// text of the page; if somebody asks for the text, the reference is found to hold.
    pub(super) fn depends_on_order(&self) -> bool {
        let evictable = [
            "page_blocks",
            "page_body",
            "page_facts",
            "page_markdown",
            "page_part",
            "page_text",
            "operation_reference",
            "model_reference",
            "component_rows",
        ];
        self.engine.misses(&evictable)
    }

    /// Evicts a random part of the values of each query that has a limited cache. To ask for it
    /// runs nothing: what no longer holds stays.
    ///
    /// A cache of one value is told of the victims and then of one that survives. So it does not
    /// matter here in which order readers asked; that caches evict what was not asked for the
    /// longest time is nobody's concern but salsa's.
    pub(super) fn evict(&mut self, random: &mut Random) -> usize {
        set_cache_capacity(&mut self.site.db, 1);
        let share = *random.pick(&[1, 2, 8]);
        let mut victims: BTreeMap<&str, Vec<Node>> = BTreeMap::new();
        let (db, site) = (&self.site.db, self.site.site);
        let (names, engine) = (names(&self.site), &mut self.engine);
        let mut touch = |query: &'static str, id: Id, ask: &dyn Fn()| {
            let node = (query.to_owned(), names.of(id).expect("it has a name"));
            if random.below(share) > 0 || !engine.touch(&node) {
                return;
            }
            ask();
            let victims = victims.entry(query).or_default();
            victims.retain(|other| *other != node);
            victims.push(node);
        };
        for file in page_list(db, site).value.values() {
            touch("page_body", file.as_id(), &|| {
                page_body(db, *file);
            });
            touch("page_facts", file.as_id(), &|| {
                page_facts(db, *file);
            });
            if let Some(operation) = bound_operation(db, *file) {
                let ask = || {
                    operation_reference(db, operation);
                };
                touch("operation_reference", operation.as_id(), &ask);
            }
            if let Some(Ok(node)) = bound_schema(db, *file) {
                let ask = || {
                    model_reference(db, node);
                };
                touch("model_reference", node.as_id(), &ask);
            }
        }
        for page in generated_pages(db, site).pages.values() {
            let (operation, key) = (page.operation(db), page.operation(db).key(db));
            if is_model(key) {
                let node = SpecNode::new(db, operation.spec(db), key.clone());
                let ask = || {
                    model_reference(db, node);
                };
                touch("model_reference", node.as_id(), &ask);
                continue;
            }
            let ask = || {
                operation_reference(db, operation);
            };
            touch("operation_reference", operation.as_id(), &ask);
        }
        for spec in site.specs(db) {
            for slice in spec.slices(db) {
                touch("slice_value", slice.as_id(), &|| {
                    slice_value(db, *slice);
                });
                for direction in Direction::ALL {
                    let rows = ComponentRows::at(db, *spec, slice.key(db), direction);
                    touch("component_rows", rows.as_id(), &|| {
                        component_rows(db, rows);
                    });
                }
            }
        }
        for page in route_table(db, site).pages.values() {
            let id = match page {
                PageId::File(file) => file.as_id(),
                PageId::Generated(page) => page.as_id(),
            };
            touch("page_head", id, &|| {
                page_head(db, *page);
            });
            touch("page_card", id, &|| {
                page_card(db, *page);
            });
            touch("page_text", id, &|| {
                page_text(db, *page);
            });
            touch("page_blocks", id, &|| {
                page_blocks(db, *page);
            });
            touch("page_markdown", id, &|| {
                page_markdown(db, *page);
            });
            touch("page_part", id, &|| {
                page_part(db, *page);
            });
            for passage in embedded_passages(db, *page) {
                let id = passage.as_id();
                let ask = || {
                    passage_windows(db, *passage);
                };
                touch("passage_windows", id, &ask);
                let ask = || {
                    passage_embeddings(db, *passage);
                };
                touch("passage_embeddings", id, &ask);
            }
        }
        drop(names);
        let victims: Vec<Node> = (victims.into_values())
            .flat_map(|mut nodes| {
                nodes.pop();
                nodes
            })
            .collect();
        assert_eq!(self.site.take(), "", "what holds does not run");
        self.site.db.trigger_lru_eviction();
        set_cache_capacity(&mut self.site.db, 0);
        self.engine.evict(&victims);
        victims.len()
    }
}

/// What was made that has a trace. Facts may be made twice by those who need them at the same time.
fn made(artifacts: &Artifacts) -> RenderCounts {
    let traced = [
        Kind::PageBody,
        Kind::OperationReference,
        Kind::ModelReference,
        Kind::ComponentRows,
        Kind::ManualReference,
    ];
    let mut made = artifacts.take_counts();
    made.retain(|kind, _| traced.contains(kind));
    made
}
