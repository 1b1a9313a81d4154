//! Timeouts of incomplete documents.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use queries::base::content::ContentHash;
use queries::base::path::SitePath;

/// Timeout of an incomplete document after its file was closed: a program that appends in pieces,
/// or saves again at once, is faster.
const CLOSED_LIMIT: Duration = Duration::from_secs(2);

/// Timeout of an incomplete document after the last write while its file is open. The writer may
/// have work to do in between, and the closing event is still to come; where the system has no such
/// event, this is the only limit.
const OPEN_LIMIT: Duration = Duration::from_secs(30);

/// The documents that are held back, and since when each is unchanged.
#[derive(Default)]
pub(super) struct HeldDocuments(BTreeMap<SitePath, Quiet>);

struct Quiet {
    digest: ContentHash,
    since: Instant,
    limit: Duration,
}

impl HeldDocuments {
    /// Updates the list from `held_back`, the documents held back at `now` with their digests. `open`
    /// are those that are open for writing, which are held back longer.
    pub(super) fn follow(
        &mut self,
        held_back: &BTreeMap<SitePath, ContentHash>,
        open: &BTreeSet<SitePath>,
        now: Instant,
    ) {
        self.0.retain(|path, _| held_back.contains_key(path));
        for (path, digest) in held_back {
            let limit = match open.contains(path) {
                true => OPEN_LIMIT,
                false => CLOSED_LIMIT,
            };
            match self.0.get_mut(path).filter(|quiet| quiet.digest == *digest) {
                Some(quiet) => quiet.limit = limit,
                None => {
                    let quiet = Quiet {
                        digest: *digest,
                        since: now,
                        limit,
                    };
                    self.0.insert(path.clone(), quiet);
                }
            }
        }
    }

    /// Notes that something happened to the file at `path`, whatever it holds now.
    pub(super) fn touched(&mut self, path: &SitePath, now: Instant) {
        if let Some(quiet) = self.0.get_mut(path) {
            quiet.since = now;
        }
    }

    /// Time from `now` until the first timeout; `None` if no document is held.
    pub(super) fn next(&self, now: Instant) -> Option<Duration> {
        let left = |quiet: &Quiet| (quiet.since + quiet.limit).saturating_duration_since(now);
        self.0.values().map(left).min()
    }

    /// Takes those that have been waited for long enough at `now`.
    pub(super) fn take_settled(&mut self, now: Instant) -> Vec<SitePath> {
        let is_settled = |_: &SitePath, quiet: &mut Quiet| now >= quiet.since + quiet.limit;
        let settled = self.0.extract_if(.., is_settled);
        settled.map(|(path, _)| path).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_begins_the_wait_anew_and_a_closed_file_shortens_it() {
        let path = SitePath::new("api.json").expect("a path");
        let of = |text: &str| BTreeMap::from([(path.clone(), ContentHash::of(text.as_bytes()))]);
        let (open, closed) = (BTreeSet::from([path.clone()]), BTreeSet::new());
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut tracker = HeldDocuments::default();
        assert_eq!(tracker.next(start), None);
        tracker.follow(&of("{"), &open, start);
        assert_eq!(tracker.take_settled(at(29)), []);
        // Another piece, and then a look at the same.
        tracker.follow(&of("{}{"), &open, at(29));
        tracker.follow(&of("{}{"), &open, at(50));
        assert_eq!(tracker.next(at(50)), Some(Duration::from_secs(9)));
        // Something happened to it, and it is closed.
        tracker.touched(&path, at(51));
        tracker.follow(&of("{}{"), &closed, at(51));
        assert_eq!(tracker.take_settled(at(52)), []);
        assert_eq!(tracker.take_settled(at(53)), std::slice::from_ref(&path));
        assert_eq!(tracker.next(at(53)), None);
        // What is whole again is not waited for.
        tracker.follow(&of("{"), &closed, start);
        tracker.follow(&BTreeMap::new(), &closed, start);
        assert_eq!(tracker.take_settled(at(100)), []);
    }
}
