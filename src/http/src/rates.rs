//! Rates of search, assistant, deployments and new previews of commits: for each client, and for
//! each site in total.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use hyper::header::{self, HeaderName};
use hyper::{Response, StatusCode};

use super::reply::{Body, Refusal, set};
use quire_net::clients::{Buckets, Clients};

const MINUTE: Duration = Duration::from_secs(60);

/// Headers that tell what is left (draft-ietf-httpapi-ratelimit-headers-10).
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LEFT: HeaderName = HeaderName::from_static("ratelimit");

/// Requests in a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerMinute {
    /// Requests of one client.
    pub client: u32,
    /// Requests for one site.
    pub site: u32,
}

/// Requests of each kind in a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// Searches.
    pub searches: PerMinute,
    /// Questions to the assistant.
    pub questions: PerMinute,
    /// Deployments.
    pub deployments: PerMinute,
    /// New previews of commits.
    pub commits: PerMinute,
}

/// Kinds of requests that are counted each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Search,
    Assistant,
    Deployment,
    /// Opening the preview of a commit that no ref names: there may be as many as the history has commits.
    Commit,
}

/// The limits of a process.
pub struct Rates {
    search: Rate,
    assistant: Rate,
    deployments: Rate,
    commits: Rate,
    now: fn() -> Instant,
}

struct Rate {
    limit: PerMinute,
    clients: Clients,
    sites: Buckets<String>,
}

impl Rates {
    /// The limits `of` each kind, by the clock `now`.
    pub fn new(of: Requests, now: fn() -> Instant) -> Self {
        Self {
            search: Rate::new(of.searches),
            assistant: Rate::new(of.questions),
            deployments: Rate::new(of.deployments),
            commits: Rate::new(of.commits),
            now,
        }
    }

    fn of(&self, kind: Kind) -> &Rate {
        match kind {
            Kind::Search => &self.search,
            Kind::Assistant => &self.assistant,
            Kind::Deployment => &self.deployments,
            Kind::Commit => &self.commits,
        }
    }

    /// Counts a request of `client`, before anybody knows whether it may be made.
    pub(super) fn enter_client(&self, kind: Kind, client: IpAddr) -> Result<(), Refusal> {
        let (rate, now) = (self.of(kind), (self.now)());
        let entered = rate.clients.enter(client, now);
        entered.map_err(|wait| {
            let message = "rate limit exceeded; retry later";
            refusal("too-many-requests", message, wait)
                .with(POLICY, &rate.policy())
                .with(LEFT, &format!("\"client\";r=0;t={wait}"))
        })?;
        rate.clients.leave(client);
        Ok(())
    }

    /// Counts a request for `site` that may be made.
    pub(super) fn enter_site(&self, kind: Kind, site: &str) -> Result<(), Refusal> {
        let rate = self.of(kind);
        let site = site.to_owned();
        let entered = rate.sites.enter(site.clone(), (self.now)());
        entered.map_err(|wait| {
            let message = "rate limit of the site exceeded; retry later";
            refusal("site-busy", message, wait)
                .with(POLICY, &rate.policy())
                .with(LEFT, &format!("\"site\";r=0;t={wait}"))
        })?;
        rate.sites.leave(&site);
        Ok(())
    }

    /// Adds the remaining quota of `client` to `response`.
    pub(super) fn tell(&self, kind: Kind, client: IpAddr, response: &mut Response<Body>) {
        let rate = self.of(kind);
        let (left, wait) = rate.clients.remaining(client, (self.now)());
        set(response, POLICY, &rate.policy());
        set(response, LEFT, &format!("\"client\";r={left};t={wait}"));
    }
}

impl Rate {
    fn new(most: PerMinute) -> Self {
        Self {
            limit: most,
            clients: Clients::new(most.client, MINUTE, usize::MAX),
            sites: Buckets::new(most.site, MINUTE, usize::MAX),
        }
    }

    fn policy(&self) -> String {
        let PerMinute { client, site } = self.limit;
        format!("\"client\";q={client};w=60, \"site\";q={site};w=60")
    }
}

fn refusal(code: &str, message: &str, wait: u64) -> Refusal {
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, code, message)
        .with(header::RETRY_AFTER, &wait.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        static PASSED: Cell<u64> = const { Cell::new(0) };
        static BEGAN: Instant = Instant::now();
    }

    fn clock() -> Instant {
        BEGAN.with(|began| *began) + Duration::from_secs(PASSED.get())
    }

    fn status(entered: Result<(), Refusal>) -> (u16, Option<String>, Option<String>) {
        let Err(refusal) = entered else {
            return (200, None, None);
        };
        let reply = Response::<Body>::from(refusal);
        let text = |name: HeaderName| Some(reply.headers().get(name)?.to_str().unwrap().to_owned());
        (
            reply.status().as_u16(),
            text(header::RETRY_AFTER),
            text(LEFT),
        )
    }

    fn of(all: PerMinute) -> Requests {
        Requests {
            searches: all,
            questions: all,
            deployments: all,
            commits: all,
        }
    }

    #[test]
    fn clients_and_sites_have_so_much_a_minute() {
        let few = PerMinute { client: 2, site: 3 };
        let rates = Rates::new(of(few), clock);
        let one: IpAddr = "192.0.2.1".parse().unwrap();
        let enter = || status(rates.enter_client(Kind::Search, one)).0;
        assert_eq!([enter(), enter(), enter()], [200, 200, 429]);
        let refused = status(rates.enter_client(Kind::Search, one));
        assert_eq!(refused.1.as_deref(), Some("30"));
        assert_eq!(refused.2.as_deref(), Some("\"client\";r=0;t=30"));
        // What is asked for otherwise is counted by itself, and so are others.
        assert_eq!(status(rates.enter_client(Kind::Assistant, one)).0, 200);
        let two = "192.0.2.2".parse().unwrap();
        assert_eq!(status(rates.enter_client(Kind::Search, two)).0, 200);
        PASSED.set(30);
        assert_eq!([enter(), enter()], [200, 429]);
        let site = || status(rates.enter_site(Kind::Deployment, "docs")).0;
        assert_eq!([site(), site(), site(), site()], [200, 200, 200, 429]);
        assert_eq!(status(rates.enter_site(Kind::Deployment, "other")).0, 200);
        PASSED.set(50);
        assert_eq!([site(), site()], [200, 429]);
    }
}
