//! Random edits of a site that has one of everything: after each write, every output equals that of
//! a clean build, and exactly the predicted queries ran.
//!
//! Stale answers and needless work fail alike. The prediction is made twice and independently: by
//! laws that follow from the kind of the edit alone ([`laws`]), and by an [`engine`] that knows
//! when a result counts as changed. What each query reads it takes from the clean build; the
//! [`table`] says what it may read.
//!
//! Between edits the site is restarted, on an artifact store that knows nothing, part of what was
//! made, or all of it; results are evicted; and four readers ask while it is written ([`stage`]).
//!
//! `QUIRE_RANDOM_STEPS` edits (250) are made from `QUIRE_RANDOM_SEED` (1); a failure prints both.

mod engine;
mod laws;
mod recorded;
mod script;
mod specs;
mod stage;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use base::path::SitePath;

use crate::random_numbers::Random;
use crate::support::{TestSite, differences};
use script::{Kind, Script, kinds};
use stage::{Files, Outputs, ReadOutputs, RenderCounts, Stage, Start};
use table::{Table, tracked_functions};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

#[test]
fn no_edit_leaves_a_stale_answer_or_wakes_more_than_it_must() {
    let steps = number("QUIRE_RANDOM_STEPS", 250);
    let seed = number("QUIRE_RANDOM_SEED", 1);
    let mut trial = Trial::new(seed);
    while trial.run.edits < steps {
        let thousands = trial.run.edits / 1000;
        trial.round();
        if trial.run.edits / 1000 > thousands {
            trial.run.print();
        }
    }
    trial.run.print();
    // What never happened proves nothing.
    if steps >= 250 {
        trial.run.assert_everything_happened(&trial.table, seed);
    }
}

/// What happens between two looks at the site.
#[derive(Debug)]
struct Plan {
    kinds: Vec<Kind>,
    /// Whether the site is started anew, and on which artifacts.
    start: Option<Start>,
    /// Whether the store loses something, which nobody may notice before results are evicted.
    loses_artifacts: bool,
    evicts: bool,
    /// Whether four readers ask while the site is written. Not after an eviction: they would make
    /// again what was evicted, as far as they get before the write.
    is_read_by_four: bool,
}

impl Plan {
    fn new(run: &Run, script: &mut Script, random: &mut Random) -> Self {
        let is_first = run.rounds == 0;
        let is_start = is_first || run.rounds % 8 == 7 || random.below(28) == 0;
        // Mostly one edit at a time; several are saved together now and then, and some starts find
        // no edit.
        let edits = match random.below(6) {
            _ if is_first => 0,
            0..3 if is_start => 0,
            0..3 => 2 + random.below(16),
            _ => 1,
        };
        let starts = [
            Start::WithoutStore,
            Start::Cold,
            Start::Warm,
            Start::HalfWarm,
            Start::Warm,
        ];
        let started: usize = run.starts.values().sum();
        let evicts = !is_start && random.below(3) == 0;
        Self {
            kinds: (0..edits).map(|_| script.next()).collect(),
            start: is_start.then(|| starts[started % starts.len()]),
            loses_artifacts: evicts && random.below(6) == 0,
            evicts,
            is_read_by_four: !evicts && random.below(2) == 0,
        }
    }

    /// The edit that is judged by the laws: the only one, and nothing else happens.
    fn judged(&self) -> Option<Kind> {
        match self.kinds[..] {
            [kind] if self.start.is_none() && !self.evicts => Some(kind),
            _ => None,
        }
    }
}

/// A script and the site that it edits.
struct Trial {
    seed: u64,
    random: Random,
    script: Script,
    table: Table,
    stage: Stage,
    files: Files,
    /// What the site showed last.
    outputs: Outputs,
    /// Whether the store knows everything that the site was made of at its start or since.
    is_store_complete: bool,
    /// Whether something was evicted since the last start.
    has_evicted: bool,
    run: Run,
}

impl Trial {
    fn new(seed: u64) -> Self {
        let script = Script::new(seed);
        let files = script.files();
        Self {
            seed,
            random: Random::new(!seed),
            script,
            table: Table::new(),
            stage: Stage::new(&files),
            files,
            outputs: Outputs::new(),
            is_store_complete: false,
            has_evicted: false,
            run: Run::default(),
        }
    }

    fn round(&mut self) {
        let mut plan = Plan::new(&self.run, &mut self.script, &mut self.random);
        plan.is_read_by_four &= plan.start.is_some() || !self.stage.depends_on_order();
        let after = self.script.files();
        self.has_evicted |= plan.evicts;
        if let Some(start) = plan.start {
            self.has_evicted = false;
            self.stage.restart(&after, start, &mut self.random);
            self.is_store_complete &= start == Start::Warm;
        }
        if plan.loses_artifacts {
            self.stage.lose_artifacts(&mut self.random);
            self.is_store_complete = false;
        }
        if plan.evicts {
            self.run.evicted += self.stage.evict(&mut self.random);
        }
        let judged = plan.judged().filter(|_| !self.has_evicted);
        let judged =
            judged.map(|kind| laws::Edit::new(&self.stage.site, kind, &self.files, &after));
        let mut clean = self.stage.clean(&after);
        self.stage.site.take();
        self.stage.made();
        let (read, promoted) = self.write_and_read(&plan, &after);
        let executed = self.stage.site.take_full_keys();
        let made = self.stage.made();
        self.files = after;
        self.run.count(&plan, &executed);
        let place = format!(
            "{plan:?} (seed {}, step {}, round {})",
            self.seed, self.run.edits, self.run.rounds
        );

        let stale = differences(&read.outputs, &clean.outputs);
        assert_eq!(stale, "", "stale after {place}");
        let silent = silent_changes(&self.outputs, &read.outputs);
        assert_eq!(silent, "", "after {place}");
        self.outputs.clone_from(&read.outputs);

        let facts = clean.facts(&executed);
        let unknown = facts.unknown(&self.table);
        assert!(
            unknown.is_empty(),
            "not in the table: {unknown:#?}, {place}"
        );
        let predicted = self.stage.predict(&facts, &read, &promoted);
        let surprise = surprise(&executed, &predicted);
        assert_eq!(surprise, "", "after {place}");

        self.check_artifacts(&plan, &executed, &made, &clean.made, &place);
        if let Some(edit) = judged {
            let broken = edit.broken_laws(&executed, &self.stage.site);
            assert_eq!(broken, "", "after {place}");
            self.run.judged += 1;
        }
    }

    /// Writes the files, and asks the site for everything; returns which files became durable again
    /// as well.
    fn write_and_read(&mut self, plan: &Plan, after: &Files) -> (ReadOutputs, BTreeSet<SitePath>) {
        let mut promoted = BTreeSet::new();
        let write = |site: &mut TestSite| {
            // A start has read the files as they are.
            if plan.start.is_some() {
                return;
            }
            write(site, &self.files, after);
            if plan.kinds.contains(&"promote") {
                promoted = site.promote();
            }
        };
        let read = match plan.is_read_by_four {
            true => {
                let before = plan.start.is_none().then_some(&self.outputs);
                self.stage
                    .write_while_reading(write, before, &mut self.random)
            }
            false => self.stage.write_and_read(write),
        };
        (read, promoted)
    }

    /// Whoever starts makes what the store does not know and nothing else; nobody makes more than
    /// who starts.
    fn check_artifacts(
        &mut self,
        plan: &Plan,
        executed: &BTreeMap<String, Vec<String>>,
        made: &RenderCounts,
        made_by_start: &RenderCounts,
        place: &str,
    ) {
        let Some(start) = plan.start else {
            let is_more =
                |(kind, count): (&_, &usize)| made_by_start.get(kind).unwrap_or(&0) < count;
            let has_more = made.iter().any(is_more);
            assert!(!has_more, "made twice: {made:?}, after {place}");
            return;
        };
        assert_eq!(made, made_by_start, "made by a start, after {place}");
        if start == Start::Warm && self.is_store_complete && plan.kinds.is_empty() {
            assert!(made.is_empty(), "made again: {made:?}, after {place}");
            let is_drawn = executed.contains_key("schema_at");
            assert!(!is_drawn, "schemas are read to draw, after {place}");
            self.run.found_everything += 1;
        }
        self.is_store_complete = start != Start::WithoutStore;
    }
}

/// Writes what differs.
fn write(site: &mut TestSite, before: &Files, after: &Files) {
    for path in before.keys().filter(|path| !after.contains_key(*path)) {
        site.remove(path);
    }
    for (path, text) in after {
        match before.get(path) {
            Some(old) if old == text => {}
            Some(_) => drop(site.set(path, text)),
            None => drop(site.add(path, text)),
        }
    }
}

/// What a run was.
#[derive(Debug, Default)]
struct Run {
    edits: u64,
    rounds: usize,
    kinds: BTreeMap<Kind, usize>,
    starts: BTreeMap<Start, usize>,
    evicted: usize,
    read_by_four: usize,
    /// Rounds whose single edit was judged by the laws.
    judged: usize,
    /// Starts that found everything.
    found_everything: usize,
    executions: BTreeMap<String, usize>,
}

impl Run {
    fn count(&mut self, plan: &Plan, executed: &BTreeMap<String, Vec<String>>) {
        self.rounds += 1;
        self.edits += plan.kinds.len() as u64;
        self.read_by_four += usize::from(plan.is_read_by_four);
        for kind in &plan.kinds {
            *self.kinds.entry(kind).or_default() += 1;
        }
        if let Some(start) = &plan.start {
            *self.starts.entry(*start).or_default() += 1;
        }
        for (query, keys) in executed {
            *self.executions.entry(query.clone()).or_default() += keys.len();
        }
    }

    #[expect(clippy::print_stdout, reason = "shown with --nocapture, for reports")]
    fn print(&self) {
        let executions: usize = self.executions.values().sum();
        println!(
            "{} edits in {} rounds ({} read by four, {} judged by laws), {executions} executions of {} queries, \
             {} values evicted, starts {:?} ({} found everything), {:?}",
            self.edits,
            self.rounds,
            self.read_by_four,
            self.judged,
            self.executions.len(),
            self.evicted,
            self.starts,
            self.found_everything,
            self.kinds,
        );
    }

    fn assert_everything_happened(&self, table: &Table, seed: u64) {
        for kind in &kinds() {
            let has_happened = self.kinds.contains_key(kind);
            assert!(has_happened, "{kind} never happened (seed {seed})");
        }
        for start in Start::ALL {
            let has_happened = self.starts.contains_key(&start);
            assert!(has_happened, "no start was {start:?} (seed {seed})");
        }
        for function in table.functions() {
            let has_run = self.executions.contains_key(function);
            assert!(has_run, "{function} never ran (seed {seed})");
        }
    }
}

/// The pages that changed while their digest did not: browsers would keep the old ones.
fn silent_changes(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> String {
    let mut silent = String::new();
    for (name, html) in after.iter().filter(|(name, _)| name.starts_with('/')) {
        let digest = format!("digest of {name}");
        let is_other = before.get(name).is_some_and(|old| old != html);
        if is_other && before.get(&digest) == after.get(&digest) {
            silent.push_str(&format!("{name} changed and has the digest of before\n"));
        }
    }
    silent
}

/// Queries that ran unexpectedly, and those that did not run; empty when the two are equal.
fn surprise(
    executed: &BTreeMap<String, Vec<String>>,
    predicted: &BTreeMap<String, Vec<String>>,
) -> String {
    let mut text = String::new();
    let queries = executed.keys().chain(predicted.keys());
    let queries: std::collections::BTreeSet<&String> = queries.collect();
    for query in queries {
        let (mut did, mut should): (Vec<&String>, Vec<&String>) = (
            executed.get(query).into_iter().flatten().collect(),
            predicted.get(query).into_iter().flatten().collect(),
        );
        // Multisets: what both have is taken away once on each side.
        did.retain(|key| match should.iter().position(|other| other == key) {
            Some(at) => {
                should.remove(at);
                false
            }
            None => true,
        });
        if !did.is_empty() {
            text.push_str(&format!("{query} ran needlessly for {did:?}\n"));
        }
        if !should.is_empty() {
            text.push_str(&format!("{query} should have run for {should:?}\n"));
        }
    }
    text
}

#[test]
fn the_table_names_every_tracked_function_and_no_other() {
    let site = TestSite::new(&[("index.mdx", "Hello.\n")]);
    assert_eq!(tracked_functions(&site.db), Table::new().functions());
}
