//! Random edits: after each, every output equals that of a fresh database, and exactly the predicted queries ran.
//!
//! Stale answers and needless work fail alike. The prediction is made twice and independently: by laws that follow from
//! the kind of the edit alone ([`laws`]), and by a [`Predictor`] that knows who reads whom and when a result counts as
//! changed, and takes all values from the fresh database.
//!
//! `QUIRE_RANDOM_STEPS` (300) and `QUIRE_RANDOM_SEED` (1) choose the run; a failure prints both.

mod engine;
mod laws;
mod predictor;
mod recorded;
mod script;
mod specs;
mod table;
mod warm;
mod wide;

use std::collections::BTreeMap;

use crate::support::{TestSite, differences};
use predictor::{Facts, Predictor};
use script::{Edit, Kind, Script};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

#[test]
fn no_edit_leaves_a_stale_answer_or_wakes_more_than_it_must() {
    let (steps, seed) = (
        number("QUIRE_RANDOM_STEPS", 300),
        number("QUIRE_RANDOM_SEED", 1),
    );
    let mut script = Script::new(seed);
    let mut site = TestSite::new(&script.files());
    let mut predictor = Predictor::new(&site);
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut executions = 0;
    let mut outputs_before = BTreeMap::new();
    for step in 0..=steps {
        let place = || format!("seed {seed}, step {step}");
        // Step 0 builds the site.
        let edit = (step > 0).then(|| script.next());
        let before = laws::Before::new(&site, edit.as_ref());
        if let Some(edit) = &edit {
            apply(&mut site, &mut predictor, edit);
            *counts.entry(edit.kind).or_default() += 1;
        }
        site.take();
        let outputs = site.outputs();
        let executed = site.take_keys();
        executions += executed.values().map(Vec::len).sum::<usize>();

        let fresh = site.fresh();
        let differences = differences(&outputs, &fresh.outputs());
        assert_eq!(differences, "", "stale after {edit:?} ({})", place());

        let silent = silent_changes(&outputs_before, &outputs);
        assert_eq!(silent, "", "after {edit:?} ({})", place());
        outputs_before = outputs;

        let facts = Facts::new(&fresh, script.listed());
        let predicted = predictor.predict(&facts);
        let surprise = surprise(&executed, &predicted);
        assert_eq!(surprise, "", "after {edit:?} ({})", place());

        if let Some(edit) = &edit {
            let broken = laws::broken(edit, &before, &executed, &site);
            assert_eq!(broken, "", "after {edit:?} ({})", place());
        }
    }
    // What is never tried proves nothing.
    if steps >= 300 {
        for kind in Kind::ALL {
            assert!(
                counts.contains_key(kind),
                "{kind:?} never happened (seed {seed})"
            );
        }
    }
    println_counts(steps, executions, &counts);
}

#[expect(clippy::print_stdout, reason = "shown with --nocapture, for reports")]
fn println_counts(steps: u64, executions: usize, counts: &BTreeMap<Kind, usize>) {
    println!("{steps} steps, {executions} executions, {counts:?}");
}

fn apply(site: &mut TestSite, predictor: &mut Predictor, edit: &Edit) {
    for path in &edit.removed {
        site.remove(path);
        predictor.list_changed(path);
    }
    for (path, text) in &edit.written {
        if site.exists(path) {
            let size = site.file(path).image_size(&site.db);
            if site.set(path, text) {
                predictor.edited(path);
            }
            if site.file(path).image_size(&site.db) != size {
                predictor.resized(path);
            }
        } else {
            let is_new = !site.was_known(path);
            let is_other = site.add(path, text);
            if is_new {
                predictor.created(path);
            } else if is_other {
                predictor.edited(path);
            }
            predictor.list_changed(path);
        }
    }
    if edit.kind == Kind::Promote {
        for path in site.promote() {
            predictor.promoted(path.as_str());
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

/// Who ran unexpectedly, and who did not run; empty when the two are equal.
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
