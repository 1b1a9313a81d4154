//! Things that there is only so much of, such as connections: how many are out, and how many of them a client has. Nobody
//! waits for one.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The part of what is free that one client may have.
const PART: usize = 8;

/// A number of things, each with one holder at a time.
///
/// A client has so many at most, and no more than an eighth of what is free: some that take all they can leave enough for
/// whoever comes next, and the more they take the less each of them gets.
pub struct Shares {
    capacity: usize,
    of_client: usize,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    total: usize,
    /// Shares by client; no entry is 0.
    clients: BTreeMap<IpAddr, usize>,
}

/// One of the things; it is given back when dropped.
pub struct Share {
    shares: Arc<Shares>,
    client: Option<IpAddr>,
}

/// The reason why there is no share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoShare {
    /// All are out.
    Total,
    /// The client has as many as it may.
    Client,
}

impl Shares {
    /// `most` things, of which a client has `of_client` at most.
    pub fn new(most: usize, of_client: usize) -> Arc<Self> {
        Arc::new(Self {
            capacity: most,
            of_client,
            counts: Mutex::default(),
        })
    }

    /// Takes one for `client`; `None` is a trusted proxy, which speaks for many clients and may
    /// take all.
    ///
    /// # Errors
    ///
    /// Returns why there is none.
    pub fn take(self: &Arc<Self>, client: Option<IpAddr>) -> Result<Share, NoShare> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.capacity.saturating_sub(counts.total);
        if free == 0 {
            return Err(NoShare::Total);
        }
        if let Some(client) = client {
            let most = self.of_client.min(free.div_ceil(PART));
            let has = counts.clients.get(&client).copied().unwrap_or(0);
            if has >= most {
                return Err(NoShare::Client);
            }
            counts.clients.insert(client, has + 1);
        }
        counts.total += 1;
        Ok(Share {
            shares: self.clone(),
            client,
        })
    }

    /// Number of shares in use.
    pub fn in_use(&self) -> usize {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut counts = self
            .shares
            .counts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        counts.total -= 1;
        let Some(client) = self.client else { return };
        if let Some(has) = counts.clients.get_mut(&client) {
            *has -= 1;
            if *has == 0 {
                counts.clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(n: u32) -> Option<IpAddr> {
        Some(IpAddr::from(n.to_be_bytes()))
    }

    /// Takes all shares that `client` can get.
    fn take_all(shares: &Arc<Shares>, client: Option<IpAddr>) -> (Vec<Share>, NoShare) {
        let mut taken = Vec::new();
        loop {
            match shares.take(client) {
                Ok(share) => taken.push(share),
                Err(why) => return (taken, why),
            }
        }
    }

    #[test]
    fn a_client_has_so_many() {
        let shares = Shares::new(100, 8);
        let (one, why) = take_all(&shares, client(1));
        assert_eq!((one.len(), why), (8, NoShare::Client));
        let (two, _) = take_all(&shares, client(2));
        assert_eq!(two.len(), 8);
        drop(one);
        assert_eq!(shares.in_use(), 8);
        assert_eq!(take_all(&shares, client(1)).0.len(), 8);
    }

    #[test]
    fn who_speaks_for_many_has_all() {
        let shares = Shares::new(10, 2);
        let (all, why) = take_all(&shares, None);
        assert_eq!((all.len(), why), (10, NoShare::Total));
        assert_eq!(shares.take(client(1)).err(), Some(NoShare::Total));
        drop(all);
        assert_eq!(shares.in_use(), 0);
    }

    #[test]
    fn many_that_take_all_they_can_leave_some() {
        let shares = Shares::new(1024, 64);
        let taken: Vec<_> = (0..40).map(|n| take_all(&shares, client(n)).0).collect();
        assert_eq!(taken[0].len(), 64);
        assert!(taken.iter().all(|taken| !taken.is_empty()));
        assert!(shares.take(client(1000)).is_ok());
    }

    #[test]
    fn nothing_is_remembered_of_who_has_none() {
        let shares = Shares::new(10, 2);
        drop(shares.take(client(1)));
        assert!(shares.counts.lock().unwrap().clients.is_empty());
    }
}
