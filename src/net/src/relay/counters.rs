//! Counters of a relay.

use std::sync::atomic::{AtomicU64, Ordering};

/// Outcomes of a request: codes of refusals, and ends of responses.
const OUTCOMES: &[&str] = &[
    "answered",
    "broken",
    "cancelled",
    "cross-origin",
    "malformed-request",
    "body-too-large",
    "relay-limit",
    "relay-target",
    "relay-address",
    "relay-unreachable",
    "relay-timeout",
    "other",
];

/// Counters since the relay was started.
#[derive(Default)]
pub struct Counters {
    ended: [AtomicU64; OUTCOMES.len()],
    /// Bytes of bodies that were sent to APIs.
    pub sent: AtomicU64,
    /// Bytes of bodies that came from APIs.
    pub received: AtomicU64,
}

impl Counters {
    /// Counts a request that ended so.
    pub fn ended(&self, outcome: &str) {
        let known = OUTCOMES.iter().position(|known| *known == outcome);
        self.ended[known.unwrap_or(OUTCOMES.len() - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// Number of requests by outcome.
    pub fn by_outcome(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.ended.iter().map(|count| count.load(Ordering::Relaxed));
        OUTCOMES.iter().copied().zip(counts)
    }
}
