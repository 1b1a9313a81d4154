//! Counters of the engine of a site: executions and validations by query, and durations of edits.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use queries::site::{Observer, QueryEvent, Step};

use crate::trace;

/// Capacity for query functions; more than there are.
const KINDS: usize = 512;

/// Upper bounds of the classes of [`Histogram`], in microseconds.
const BOUNDS: [u64; 16] = [
    100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 125_000, 250_000, 500_000,
    1_000_000, 2_000_000, 4_000_000,
];

/// Counts what the engine of one site does. Cheap: an addition for each step.
pub struct Meter {
    kinds: Vec<Kind>,
    /// Number of executions, without those beside edits ([`in_background`]). A counter of its own, so that
    /// it never decreases: sums and differences of several counters are read one after the other
    /// while the engine runs.
    executed: AtomicU64,
    /// Time from a change until search finds it.
    pub found: Histogram,
    /// Time from the first event of an edit until its pages can be served.
    pub edits: Histogram,
    /// Number of requested pages that were already composed.
    pub page_hits: AtomicU64,
    /// Pages that were asked for and had to be composed.
    pub page_misses: AtomicU64,
}

#[derive(Default)]
struct Kind {
    name: OnceLock<String>,
    executed: AtomicU64,
    validated: AtomicU64,
}

/// Counts of one query function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of executions.
    pub executed: u64,
    /// Number of validations: the last result was still valid.
    pub validated: u64,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            kinds: (0..KINDS).map(|_| Kind::default()).collect(),
            executed: AtomicU64::new(0),
            found: Histogram::default(),
            edits: Histogram::default(),
            page_hits: AtomicU64::new(0),
            page_misses: AtomicU64::new(0),
        }
    }
}

impl Meter {
    /// An observer that counts here.
    pub fn observer(self: &Arc<Self>) -> Observer {
        let meter = self.clone();
        Box::new(move |event| meter.count(event))
    }

    fn count(&self, event: &QueryEvent) {
        let Some(kind) = self.kinds.get(event.kind()) else {
            return;
        };
        kind.name
            .get_or_init(|| query_name(&event.to_string()).to_owned());
        self.add(kind, event.step);
        trace::note(event);
    }

    fn add(&self, kind: &Kind, step: Step) {
        let counter = match step {
            Step::Executes => &kind.executed,
            Step::Validates => &kind.validated,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        if step == Step::Executes && !IS_BACKGROUND.get() {
            self.executed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The counts of each query that ever did anything, by name.
    pub fn by_query(&self) -> BTreeMap<String, Count> {
        let mut counts: BTreeMap<String, Count> = BTreeMap::new();
        for kind in &self.kinds {
            if let Some(name) = kind.name.get() {
                let count = counts.entry(name.clone()).or_default();
                count.executed += kind.executed.load(Ordering::Relaxed);
                count.validated += kind.validated.load(Ordering::Relaxed);
            }
        }
        counts
    }

    /// Number of executions so far, without those beside edits. Never decreases.
    pub fn executed(&self) -> u64 {
        self.executed.load(Ordering::Relaxed)
    }
}

thread_local! {
    static IS_BACKGROUND: Cell<bool> = const { Cell::new(false) };
}

/// Does `work` whose queries do not count as the cost of an edit, such as background updates of the
/// search index.
pub fn in_background<T>(work: impl FnOnce() -> T) -> T {
    working(true, work)
}

/// Does `work` whose queries count as the cost of an edit, even within [`in_background`].
pub fn in_foreground<T>(work: impl FnOnce() -> T) -> T {
    working(false, work)
}

fn working<T>(is_background: bool, work: impl FnOnce() -> T) -> T {
    /// Restores the previous value on drop, even if the work panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_BACKGROUND.set(self.0);
        }
    }
    let _before = Before(IS_BACKGROUND.replace(is_background));
    work()
}

/// Returns true if this thread is within [`in_background`].
pub fn is_background() -> bool {
    IS_BACKGROUND.get()
}

/// The name of the query in `name(key)`.
pub fn query_name(event: &str) -> &str {
    event.split('(').next().unwrap_or(event)
}

/// Durations by upper bound.
#[derive(Default)]
pub struct Histogram {
    classes: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    /// Counts `duration`.
    pub fn record(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let class = BOUNDS.partition_point(|bound| *bound < micros);
        self.classes[class].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Cumulative buckets (upper bound in seconds, count), total count and sum in seconds, as
    /// Prometheus expects a histogram.
    pub fn cumulative(&self) -> (Vec<(f64, u64)>, u64, f64) {
        let mut sum = 0;
        let mut below = Vec::with_capacity(BOUNDS.len());
        for (bound, class) in BOUNDS.iter().zip(&self.classes) {
            sum += class.load(Ordering::Relaxed);
            below.push((*bound as f64 / 1e6, sum));
        }
        let count = sum + self.classes[BOUNDS.len()].load(Ordering::Relaxed);
        (
            below,
            count,
            self.micros.load(Ordering::Relaxed) as f64 / 1e6,
        )
    }
}

/// Requests that were answered, by status, and how long it took until their replies began.
pub struct Requests {
    by_status: [AtomicU64; 500],
    /// Time from the header of a request to the header of its reply.
    pub seconds: Histogram,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            by_status: [const { AtomicU64::new(0) }; 500],
            seconds: Histogram::default(),
        }
    }
}

impl Requests {
    /// Counts a reply with `status` that began after `took`.
    pub fn record(&self, status: u16, took: Duration) {
        let counter = usize::from(status).checked_sub(100);
        if let Some(counter) = counter.and_then(|at| self.by_status.get(at)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.seconds.record(took);
    }

    /// Number of replies by status.
    pub fn by_status(&self) -> Vec<(u16, u64)> {
        let counts = self
            .by_status
            .iter()
            .map(|count| count.load(Ordering::Relaxed));
        let counts = (100..).zip(counts);
        counts.filter(|(_, count)| *count > 0).collect()
    }
}

/// The memory of this process that is in RAM, in bytes; 0 where that cannot be told.
pub fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(0);
    pages * 4096
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queries_of_edits_are_counted_upwards_whatever_runs_beside_them() {
        let meter = Meter::default();
        std::thread::scope(|scope| {
            for number in 0..2 {
                let meter = &meter;
                scope.spawn(move || {
                    in_background(|| {
                        for _ in 0..50_000 {
                            meter.add(&meter.kinds[number], Step::Executes);
                        }
                    });
                });
            }
            let mut last = 0;
            for _ in 0..5_000 {
                meter.add(&meter.kinds[2], Step::Executes);
                let now = meter.executed();
                assert_eq!(now, last + 1);
                last = now;
            }
        });
        let all: u64 = (0..3)
            .map(|n| meter.kinds[n].executed.load(Ordering::Relaxed))
            .sum();
        assert_eq!((meter.executed(), all), (5_000, 105_000));
    }

    #[test]
    fn a_histogram_counts_up_to_each_bound() {
        let histogram = Histogram::default();
        for micros in [50, 100, 101, 5_000_000] {
            histogram.record(Duration::from_micros(micros));
        }
        let (below, count, sum) = histogram.cumulative();
        assert_eq!(below[0], (0.0001, 2));
        assert_eq!(below[1], (0.00025, 3));
        assert_eq!(below.last(), Some(&(4.0, 3)));
        assert_eq!(count, 4);
        assert!((sum - 5.000_251).abs() < 1e-9);
    }
}
