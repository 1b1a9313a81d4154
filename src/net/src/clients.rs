//! Rate limits by client: a number of requests within a time, and a number at once.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of tracked clients above which idle ones are evicted.
const IDLE_EVICTION_THRESHOLD: usize = 4096;
/// Maximum number of tracked clients.
const MAX_CLIENTS: usize = 16 * IDLE_EVICTION_THRESHOLD;

/// Requests of each key, such as a client or a site, within a time. What is remembered of them is bounded.
pub struct Buckets<K> {
    /// Time in which a key may have as many requests as it may.
    window: Duration,
    /// Time that a request costs.
    cost: Duration,
    at_once: usize,
    by_key: Mutex<BucketMap<K>>,
}

struct BucketMap<K> {
    buckets: BTreeMap<K, Bucket>,
    /// Number of keys from which idle ones are evicted: twice the number left by the last eviction,
    /// so that a request does not scan all of them.
    sweep_at: usize,
}

/// Token bucket of a key.
struct Bucket {
    /// Balance, as time: each request costs `window / requests`; grows with time up to `window`.
    balance: Duration,
    /// Time for which `left` was computed.
    updated_at: Instant,
    running: usize,
}

/// Rate limit of an HTTP operation, by client address.
pub struct Clients(Buckets<IpAddr>);

impl<K: Ord + Clone> Buckets<K> {
    /// Returns a limit of `requests` per `window` and `at_once` concurrent requests for each key.
    pub fn new(requests: u32, window: Duration, at_once: usize) -> Self {
        Self {
            window,
            cost: window / requests.max(1),
            at_once,
            by_key: Mutex::new(BucketMap {
                buckets: BTreeMap::new(),
                sweep_at: IDLE_EVICTION_THRESHOLD,
            }),
        }
    }

    /// Lets a request of `key` in, or says in how many seconds it may come again.
    ///
    /// # Errors
    ///
    /// Returns that number of seconds.
    pub fn enter(&self, key: K, now: Instant) -> Result<(), u64> {
        let mut known = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        known.make_room(now, self.window);
        let bucket = known.buckets.entry(key).or_insert(Bucket {
            balance: self.window,
            updated_at: now,
            running: 0,
        });
        bucket.refill(now, self.window);
        if bucket.running >= self.at_once {
            // It is unknown when one of them ends.
            return Err(1);
        }
        let Some(left) = bucket.balance.checked_sub(self.cost) else {
            let wait = self.cost - bucket.balance;
            return Err(wait.as_millis().div_ceil(1000).max(1) as u64);
        };
        bucket.balance = left;
        bucket.running += 1;
        Ok(())
    }

    /// A request of `key` has ended.
    pub fn leave(&self, key: &K) {
        let mut known = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = known.buckets.get_mut(key) {
            bucket.running = bucket.running.saturating_sub(1);
        }
    }

    /// Number of requests that `key` has left, and the seconds until it has all of them again.
    pub fn remaining(&self, key: &K, now: Instant) -> (u32, u64) {
        let mut known = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        let left = known.buckets.get_mut(key).map(|bucket| {
            bucket.refill(now, self.window);
            bucket.balance
        });
        let left = left.unwrap_or(self.window);
        let requests = left.as_nanos() / self.cost.as_nanos().max(1);
        let wait = (self.window - left).as_millis().div_ceil(1000);
        (requests as u32, wait as u64)
    }
}

impl<K: Ord> BucketMap<K> {
    fn make_room(&mut self, now: Instant, window: Duration) {
        if self.buckets.len() >= self.sweep_at {
            self.buckets.retain(|_, bucket| {
                bucket.refill(now, window);
                bucket.running > 0 || bucket.balance < window
            });
            self.sweep_at = IDLE_EVICTION_THRESHOLD.max(2 * self.buckets.len());
        }
        while self.buckets.len() >= MAX_CLIENTS {
            // So many clients at a time are not readers: resetting the bucket of one does no harm.
            self.buckets.pop_first();
        }
    }
}

impl Clients {
    /// Returns a limit of `requests` per `window` and `at_once` concurrent requests for each
    /// client.
    pub fn new(requests: u32, window: Duration, at_once: usize) -> Self {
        Self(Buckets::new(requests, window, at_once))
    }

    /// Lets a request of `address` in, or says in how many seconds it may come again.
    ///
    /// # Errors
    ///
    /// Returns that number of seconds.
    pub fn enter(&self, address: IpAddr, now: Instant) -> Result<(), u64> {
        self.0.enter(network(address), now)
    }

    /// A request of `address` has ended.
    pub fn leave(&self, address: IpAddr) {
        self.0.leave(&network(address));
    }

    /// Number of requests that `address` has left, and the seconds until it has all of them again.
    pub fn remaining(&self, address: IpAddr, now: Instant) -> (u32, u64) {
        self.0.remaining(&network(address), now)
    }
}

impl Bucket {
    fn refill(&mut self, now: Instant, window: Duration) {
        let passed = now.saturating_duration_since(self.updated_at);
        self.balance = (self.balance + passed).min(window);
        self.updated_at = now;
    }
}

/// The network that an address stands for: of IPv6 a subscriber has a whole one.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_client_has_so_many_requests_a_minute() {
        let clients = Clients::new(3, MINUTE, 100);
        let (one, now) = (address("192.0.2.1"), Instant::now());
        for _ in 0..3 {
            assert_eq!(clients.enter(one, now), Ok(()));
        }
        assert_eq!(clients.enter(one, now), Err(20));
        assert_eq!(clients.enter(address("192.0.2.2"), now), Ok(()));
        let later = now + Duration::from_secs(19);
        assert_eq!(clients.enter(one, later), Err(1));
        let later = now + Duration::from_secs(20);
        assert_eq!(clients.enter(one, later), Ok(()));
        assert_eq!(clients.enter(one, later), Err(20));
        // However long it was quiet, it has no more than those of a minute.
        let later = now + Duration::from_secs(3600);
        for _ in 0..3 {
            assert_eq!(clients.enter(one, later), Ok(()));
        }
        assert_eq!(clients.enter(one, later), Err(20));
    }

    #[test]
    fn a_client_is_told_what_it_has_left() {
        let clients = Clients::new(3, MINUTE, 100);
        let (one, now) = (address("192.0.2.1"), Instant::now());
        assert_eq!(clients.remaining(one, now), (3, 0));
        assert_eq!(clients.enter(one, now), Ok(()));
        assert_eq!(clients.remaining(one, now), (2, 20));
        let later = now + Duration::from_secs(5);
        assert_eq!(clients.remaining(one, later), (2, 15));
        let later = now + Duration::from_secs(20);
        assert_eq!(clients.remaining(one, later), (3, 0));
    }

    #[test]
    fn a_client_has_so_many_at_once() {
        let clients = Clients::new(100, MINUTE, 2);
        let (one, now) = (address("::ffff:192.0.2.1"), Instant::now());
        assert_eq!(clients.enter(one, now), Ok(()));
        assert_eq!(clients.enter(address("192.0.2.1"), now), Ok(()));
        assert_eq!(clients.enter(one, now), Err(1));
        clients.leave(one);
        assert_eq!(clients.enter(one, now), Ok(()));
    }

    #[test]
    fn a_subscriber_is_one_client() {
        let clients = Clients::new(1, MINUTE, 10);
        let now = Instant::now();
        assert_eq!(clients.enter(address("2001:db8::1"), now), Ok(()));
        assert_eq!(clients.enter(address("2001:db8::2"), now), Err(60));
        assert_eq!(clients.enter(address("2001:db8:0:1::2"), now), Ok(()));
    }

    #[test]
    fn those_that_were_quiet_are_forgotten() {
        let clients = Clients::new(60, MINUTE, 10);
        let now = Instant::now();
        for n in 0..IDLE_EVICTION_THRESHOLD as u32 {
            let address = IpAddr::from(n.to_be_bytes());
            assert_eq!(clients.enter(address, now), Ok(()));
            clients.leave(address);
        }
        let later = now + Duration::from_secs(60);
        assert_eq!(clients.enter(address("192.0.2.1"), later), Ok(()));
        assert_eq!(clients.0.by_key.lock().unwrap().buckets.len(), 1);
    }
}
