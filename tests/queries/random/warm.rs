//! Random edits where everything was made before: who finds it stays as right as who makes it.

use std::sync::Arc;

use super::script::{Edit, Kind, Script};
use crate::artifacts::Artifacts;
use crate::support::{TestSite, differences};

fn apply(site: &mut TestSite, edit: &Edit) {
    for path in &edit.removed {
        site.remove(path);
    }
    for (path, text) in &edit.written {
        if site.exists(path) {
            site.set(path, text);
        } else {
            site.add(path, text);
        }
    }
    if edit.kind == Kind::Promote {
        site.promote();
    }
}

#[test]
fn who_finds_everything_made_shows_what_a_fresh_site_shows() {
    let (steps, seed) = (
        super::number("QUIRE_RANDOM_STEPS", 300) / 3,
        super::number("QUIRE_RANDOM_SEED", 1) + 100,
    );
    let mut script = Script::new(seed);
    let artifacts = Arc::new(Artifacts::default());
    let mut first = TestSite::keeping(&script.files(), &artifacts);
    first.outputs();
    let mut second = TestSite::keeping(&script.files(), &artifacts);
    second.outputs();
    for step in 1..=steps {
        let edit = script.next();
        apply(&mut first, &edit);
        first.outputs();
        artifacts.take();
        apply(&mut second, &edit);
        let is = second.outputs();
        let place = format!("after {edit:?} (seed {seed}, step {step})");
        assert_eq!(artifacts.take_made(), [""; 0], "made twice {place}");
        // A restart in the middle, now and then.
        if step % 17 == 0 {
            second = TestSite::keeping(&second.contents(), &artifacts);
            let again = second.outputs();
            assert_eq!(differences(&again, &is), "", "restarted {place}");
        }
        assert_eq!(
            differences(&is, &second.fresh().outputs()),
            "",
            "stale {place}"
        );
    }
}
