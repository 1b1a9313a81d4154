//! Limits of calls to a language model: a circuit breaker after failures, and a daily limit.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Number of consecutive failures that open the circuit.
const FAILURES: u32 = 3;
/// Initial and maximum time that the circuit stays open; each further failure doubles it.
const REST: Duration = Duration::from_secs(30);
const MAX_BACKOFF: Duration = Duration::from_secs(600);

/// A circuit breaker: opens after `FAILURES` consecutive failures; after a pause one trial
/// request is allowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breaker {
    failures: u32,
    rests_until: Option<Instant>,
}

impl Breaker {
    /// Returns true if a request may be made at `now`. The first request after the pause is the
    /// trial: others are refused until it succeeds or another pause has passed.
    pub fn may_ask(&mut self, now: Instant) -> bool {
        match self.rests_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                self.rests_until = Some(now + self.rest());
                true
            }
        }
    }

    /// Notes that a request succeeded.
    pub fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// Notes that a request failed at `now`. `asks_for` is the pause that the endpoint asked for
    /// (`Retry-After`); the longer pause wins, up to `MAX_BACKOFF`.
    pub fn failed(&mut self, now: Instant, asks_for: Option<Duration>) {
        self.failures += 1;
        if self.failures >= FAILURES || asks_for.is_some() {
            let rest = self.rest().max(asks_for.unwrap_or_default());
            self.rests_until = Some(now + rest.min(MAX_BACKOFF));
        }
    }

    /// Returns true if the circuit is open at `now`.
    pub fn rests(&self, now: Instant) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    fn rest(&self) -> Duration {
        match self.failures.checked_sub(FAILURES) {
            None => Duration::ZERO,
            Some(more) => (REST * 2_u32.saturating_pow(more)).min(MAX_BACKOFF),
        }
    }
}

/// Use in a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct DailyUse {
    /// Days since 1970 (UTC).
    pub day: u64,
    /// Number of answers begun.
    pub count: u64,
}

impl DailyUse {
    /// Counts one more on `day`, unless `most` were counted.
    pub fn take(&mut self, day: u64, most: Option<u64>) -> bool {
        if self.day != day {
            *self = Self { day, count: 0 };
        }
        let may = most.is_none_or(|most| self.count < most);
        self.count += u64::from(may);
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_rests_after_failures_and_longer_each_time() {
        let mut breaker = Breaker::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        for _ in 0..2 {
            breaker.failed(at(0), None);
            assert!(breaker.may_ask(at(0)));
        }
        breaker.failed(at(0), None);
        assert!(!breaker.may_ask(at(29)));
        // One tries, the others wait for it.
        assert!(breaker.may_ask(at(30)));
        assert!(!breaker.may_ask(at(31)));
        breaker.failed(at(32), None);
        assert!(!breaker.may_ask(at(91)));
        assert!(breaker.may_ask(at(92)));
        for _ in 0..40 {
            breaker.failed(at(100), None);
        }
        assert!(!breaker.may_ask(at(699)));
        assert!(breaker.may_ask(at(700)));
        breaker.succeeded();
        assert!(breaker.may_ask(at(701)) && breaker.may_ask(at(701)));
    }

    #[test]
    fn a_model_gets_the_rest_that_it_asks_for() {
        let mut breaker = Breaker::default();
        let start = Instant::now();
        breaker.failed(start, Some(Duration::from_secs(5)));
        assert!(!breaker.may_ask(start + Duration::from_secs(4)));
        assert!(breaker.may_ask(start + Duration::from_secs(5)));
    }

    #[test]
    fn a_day_has_so_many_answers() {
        let mut day = DailyUse::default();
        assert!(day.take(20_000, Some(2)) && day.take(20_000, Some(2)));
        assert!(!day.take(20_000, Some(2)));
        assert!(day.take(20_001, Some(2)));
        assert_eq!(
            day,
            DailyUse {
                day: 20_001,
                count: 1
            }
        );
        assert!(day.take(20_001, None) && !day.take(20_001, Some(0)));
    }
}
