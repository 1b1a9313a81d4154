//! The clock of the store, as the `Date` of its answers tells it. Machines that share a bucket have no other clock in common.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use quire_storage::{Clock, skew};

/// Where machines of a provider ask for their credentials. What answers there is not the store.
pub(crate) const MACHINE_CREDENTIALS: &str = "169.254.";

/// Clock of the store, to a second or two. Until the first answer it is that of this machine. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoreClock {
    /// Milliseconds by which the store was ahead of this machine at its last answer.
    ahead: Arc<AtomicI64>,
}

impl StoreClock {
    /// What the store's clock shows when that of this machine shows `own`.
    fn at(&self, own: SystemTime) -> SystemTime {
        let ahead = self.ahead.load(Ordering::Relaxed);
        let difference = Duration::from_millis(ahead.unsigned_abs());
        let shown = match ahead < 0 {
            true => own.checked_sub(difference),
            false => own.checked_add(difference),
        };
        shown.unwrap_or(own)
    }

    /// Says by how much this machine's clock is off.
    pub(crate) fn told(&self) -> Option<String> {
        let own = SystemTime::now();
        skew::told(own, self.at(own), "the store")
    }

    /// Takes up the `date` of an answer that came when the clock of this machine showed `own`.
    fn take_up(&self, date: &str, own: SystemTime) {
        let Ok(theirs) = httpdate::parse_http_date(date) else {
            return;
        };
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let ahead = match theirs.duration_since(own) {
            Ok(ahead) => ms(ahead),
            Err(behind) => -ms(behind.duration()),
        };
        self.ahead.store(ahead, Ordering::Relaxed);
    }
}

/// Clock by which leases end and objects grow old.
#[derive(Clone)]
pub(crate) enum Time {
    /// That of the store.
    Store(StoreClock),
    /// One in its place.
    Given(Clock),
}

impl Time {
    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> u64 {
        let now = match self {
            Self::Store(clock) => clock.at(SystemTime::now()),
            Self::Given(clock) => clock(),
        };
        milliseconds(now)
    }

    /// The same of `time`, which the caller has from its own clock: that of this machine, or the given one.
    pub(crate) fn of_caller_ms(&self, time: SystemTime) -> u64 {
        milliseconds(match self {
            Self::Store(clock) => clock.at(time),
            Self::Given(_) => time,
        })
    }
}

fn milliseconds(time: SystemTime) -> u64 {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

impl HttpConnector for StoreClock {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        let clock = self.clone();
        Ok(HttpClient::new(Watched { client, clock }))
    }
}

/// A client that looks at the clock of whoever answers.
#[derive(Debug)]
struct Watched {
    client: HttpClient,
    clock: StoreClock,
}

impl HttpService for Watched {
    // As the macro of the trait writes it.
    fn call<'own, 'call>(
        &'own self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'call>>
    where
        'own: 'call,
        Self: 'call,
    {
        let host = request.uri().host().unwrap_or_default();
        let is_store = !host.starts_with(MACHINE_CREDENTIALS);
        Box::pin(async move {
            let reply = self.client.execute(request).await?;
            let date = reply.headers().get("date");
            if let Some(date) = date.and_then(|date| date.to_str().ok())
                && is_store
            {
                self.clock.take_up(date, SystemTime::now());
            }
            Ok(reply)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_store_is_that_of_its_answers() {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        let clock = StoreClock::default();
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let theirs = httpdate::parse_http_date(date).unwrap();
        assert_eq!(clock.at(theirs), theirs);
        for own in [theirs + HOUR, theirs - HOUR] {
            clock.take_up(date, own);
            assert_eq!(clock.at(own), theirs);
            assert_eq!(clock.at(own + HOUR), theirs + HOUR);
            // What is no date changes nothing.
            clock.take_up("tomorrow", own);
            assert_eq!(clock.at(own), theirs);
        }
        let time = Time::Store(clock.clone());
        let sweep = theirs - HOUR;
        assert_eq!(time.of_caller_ms(sweep), milliseconds(theirs));
        let given = Time::Given(Arc::new(move || theirs));
        assert_eq!(given.of_caller_ms(sweep), milliseconds(sweep));
        assert_eq!(given.now_ms(), milliseconds(theirs));
    }
}
