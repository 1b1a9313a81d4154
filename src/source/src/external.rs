//! Links to other sites, asked whether they are there (`quire check --external`).
//!
//! What a server says of a machine is not what it says of a reader: only an answer that nothing is there counts against a
//! link. A limit, a refusal or a timeout is a remark.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use queries::base::diagnostic::{Code, Diagnostic};
use queries::site::{external_links, place_of_link};
use reqwest::{Method, StatusCode, Url};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::fetch::FetchPolicy;
use quire_engine::host::SiteHost;
use quire_net::network::guard::{Network, NotPublic};
use quire_net::network::{Door, NotSent};
use quire_storage::{Expected, Kind, Name, Record, wait};

/// Longest a link may take in all, redirects included.
const TIME: Duration = Duration::from_secs(20);
/// Longest to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Number of links asked for concurrently.
const AT_ONCE: usize = 16;
/// Number of links of one host asked for concurrently.
const AT_ONCE_PER_HOST: usize = 2;
/// Maximum number of redirects followed.
const REDIRECTS: usize = 10;
/// Time for which an answer is believed.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// What became of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// Something is there.
    Found,
    /// Nothing is there; why.
    Gone(String),
    /// It cannot be told; why.
    Uncertain(String),
    /// The name of the host cannot be resolved.
    NoHost(String),
    /// It is not asked for.
    Skipped,
}

/// Diagnostics of the links of the pages of `host` to other sites. `progress` is told how many of how many are done.
///
/// # Errors
///
/// Returns what is wrong with the origins that the environment allows.
pub fn diagnostics(
    host: &SiteHost,
    progress: &dyn Fn(usize, usize),
) -> anyhow::Result<Vec<Diagnostic>> {
    let policy = FetchPolicy::of_site(&[])?;
    let door = Door::new(Network::default(), policy.origins(&[]), |client| {
        client.connect_timeout(CONNECT)
    });
    let links = host.read(|db, site| external_links(db, site));
    let links = links.unwrap_or_default();
    let requests = links
        .keys()
        .filter_map(|link| Some((link.clone(), address(&door, link)?)));
    let requests: BTreeMap<String, String> = requests.collect();
    let mut answers = CacheFile::of(host);
    let wanted: BTreeSet<String> = requests.values().cloned().collect();
    let wanted: Vec<String> = wanted
        .into_iter()
        .filter(|url| answers.get(url).is_none())
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let found = runtime.block_on(ask_all(Arc::new(door), wanted, progress));
    let new = without_network(found);
    for (url, answer) in &new {
        answers.keep(url, answer);
    }
    answers.write(host);
    let mut diagnostics = Vec::new();
    for (link, url) in &requests {
        let answer = new.get(url).cloned().or_else(|| answers.get(url));
        let (code, message, hint) = match answer {
            None | Some(Answer::Found | Answer::Skipped) => continue,
            Some(Answer::Gone(why) | Answer::NoHost(why)) => (
                Code::DeadLink,
                format!("`{link}` is not there: {why}"),
                "correct the address, or remove the link",
            ),
            Some(Answer::Uncertain(why)) => (
                Code::UncertainLink,
                format!("`{link}` could not be checked: {why}"),
                "open it in a browser",
            ),
        };
        for file in &links[link] {
            let place = host.read(|db, _| place_of_link(db, *file, link));
            diagnostics
                .extend(place.map(|place| Diagnostic::new(code, place, &*message).hint(hint)));
        }
    }
    Ok(diagnostics)
}

/// The address that is asked for on behalf of `link`: without its fragment. `None` for one that is made up, or that this
/// machine alone has.
fn address(door: &Door, link: &str) -> Option<String> {
    let link = if link.starts_with("//") {
        format!("https:{link}")
    } else {
        link.to_owned()
    };
    let mut url = Url::parse(&link).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    url.set_fragment(None);
    let host = url.host_str()?.to_ascii_lowercase();
    let labels: Vec<&str> = host.trim_end_matches('.').split('.').collect();
    // RFC 2606 and RFC 6761 reserve these; people write others for their own network.
    let is_reserved = matches!(
        labels.last().copied().unwrap_or_default(),
        "localhost" | "example" | "test" | "invalid" | "local" | "internal"
    );
    let is_example = labels.len() >= 2 && labels[labels.len() - 2] == "example";
    let is_name = labels.len() >= 2 || url.domain().is_none();
    // What stands in braces is for readers to fill in.
    let is_whole = !link.contains(['{', '}', '<', '>', '$']);
    let is_asked = door.allows(&url)
        || is_name && is_whole && !is_reserved && !is_example && door.reaches(&url).is_ok();
    is_asked.then(|| url.to_string())
}

/// Asks for each of `urls`.
async fn ask_all(
    door: Arc<Door>,
    urls: Vec<String>,
    progress: &dyn Fn(usize, usize),
) -> BTreeMap<String, Answer> {
    let all = Arc::new(Semaphore::new(AT_ONCE));
    let mut hosts: BTreeMap<String, Arc<Semaphore>> = BTreeMap::new();
    let mut asking = JoinSet::new();
    let count = urls.len();
    for url in urls {
        let Ok(address) = Url::parse(&url) else {
            continue;
        };
        let host = address.host_str().unwrap_or_default().to_owned();
        let host = hosts
            .entry(host)
            .or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE_PER_HOST)))
            .clone();
        let (door, all) = (door.clone(), all.clone());
        asking.spawn(async move {
            // In this order: who waits for a host must not keep others waiting. Neither is ever closed.
            let _of_host = host.acquire().await;
            let _of_all = all.acquire().await;
            let answer = tokio::time::timeout(TIME, ask(&door, address)).await;
            let late =
                || Answer::Uncertain(format!("it did not answer within {} s", TIME.as_secs()));
            (url, answer.unwrap_or_else(|_| late()))
        });
    }
    let mut answers = BTreeMap::new();
    progress(0, count);
    while let Some(done) = asking.join_next().await {
        if let Ok((url, answer)) = done {
            answers.insert(url, answer);
        }
        progress(answers.len(), count);
    }
    answers
}

/// Asks for `url` and what it redirects to: by HEAD, and by GET where that is not answered well.
async fn ask(door: &Door, url: Url) -> Answer {
    let mut url = url;
    for _ in 0..=REDIRECTS {
        let status = match status(door, Method::HEAD, &url).await {
            Ok((status, _)) if !status.is_success() && !status.is_redirection() => {
                status_by_get(door, &url).await
            }
            Err(Answer::Uncertain(_)) => status_by_get(door, &url).await,
            other => other,
        };
        let (status, location) = match status {
            Ok(answered) => answered,
            Err(answer) => return answer,
        };
        let Some(next) = location.filter(|_| status.is_redirection()) else {
            return of_status(status);
        };
        match url.join(&next) {
            Ok(next) => url = next,
            Err(_) => return Answer::Uncertain("it redirects to what is no address".to_owned()),
        }
    }
    Answer::Uncertain(format!("it redirects more than {REDIRECTS} times"))
}

async fn status_by_get(door: &Door, url: &Url) -> Result<(StatusCode, Option<String>), Answer> {
    status(door, Method::GET, url).await
}

/// Status of `url` and where it redirects to. The body is not read.
async fn status(
    door: &Door,
    method: Method,
    url: &Url,
) -> Result<(StatusCode, Option<String>), Answer> {
    let request = door.request(method, url.clone()).map_err(|why| match why {
        NotSent::NotPublic(_) => Answer::Skipped,
        NotSent::NoClient(why) => Answer::Uncertain(why),
    })?;
    let response = request.send().await.map_err(|error| of_error(&error))?;
    let location = response.headers().get(reqwest::header::LOCATION);
    let location = location.and_then(|value| value.to_str().ok());
    Ok((response.status(), location.map(str::to_owned)))
}

fn of_status(status: StatusCode) -> Answer {
    match status {
        _ if status.is_success() || status.is_redirection() => Answer::Found,
        StatusCode::NOT_FOUND | StatusCode::GONE => {
            Answer::Gone(format!("the server answers {status}"))
        }
        _ => Answer::Uncertain(format!("the server answers {status}")),
    }
}

fn of_error(error: &reqwest::Error) -> Answer {
    let mut cause: &(dyn std::error::Error + 'static) = error;
    let mut is_of_name = false;
    loop {
        if cause.is::<NotPublic>() {
            return Answer::Skipped;
        }
        is_of_name |= cause.to_string() == "dns error";
        match cause.source() {
            Some(inner) => cause = inner,
            None => break,
        }
    }
    let why = cause.to_string();
    // A resolver that is not reached says nothing of the name.
    match is_of_name && !why.contains("emporary") {
        true => Answer::NoHost(why),
        false => Answer::Uncertain(why),
    }
}

/// Takes back that names cannot be resolved if not a single one can: then there is no network.
fn without_network(answers: BTreeMap<String, Answer>) -> BTreeMap<String, Answer> {
    let is_reached = |answer: &Answer| !matches!(answer, Answer::NoHost(_) | Answer::Skipped);
    if answers.values().any(is_reached) {
        return answers;
    }
    let answers = answers.into_iter().map(|(url, answer)| match answer {
        Answer::NoHost(why) => (url, Answer::Uncertain(why)),
        answer => (url, answer),
    });
    answers.collect()
}

/// Answers of the last day, by address.
struct CacheFile {
    /// Time of each in seconds since 1970, and why nothing is there, if so.
    answers: BTreeMap<String, (u64, Option<String>)>,
    now: u64,
}

impl CacheFile {
    /// The name of the record.
    fn name() -> Name {
        Name::of(Kind::Links, "answers")
    }

    /// The answers in the state folder of `host`, if there is one.
    fn of(host: &SiteHost) -> Self {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut cache = Self {
            answers: BTreeMap::new(),
            now: now.as_secs(),
        };
        let record = host.store().storage().and_then(|storage| {
            let Record { bytes, .. } = wait(storage.get(&Self::name())).ok()??;
            serde_json::from_slice::<Map<String, Value>>(&bytes).ok()
        });
        for (url, answer) in record.unwrap_or_default() {
            let at = answer["at"].as_u64().unwrap_or_default();
            let age = cache.now.checked_sub(at);
            if age.is_some_and(|age| age < KEPT.as_secs()) {
                let gone = answer["gone"].as_str().map(str::to_owned);
                cache.answers.insert(url, (at, gone));
            }
        }
        cache
    }

    fn get(&self, url: &str) -> Option<Answer> {
        let (_, gone) = self.answers.get(url)?;
        Some(gone.clone().map_or(Answer::Found, Answer::Gone))
    }

    /// Keeps what is certain.
    fn keep(&mut self, url: &str, answer: &Answer) {
        let gone = match answer {
            Answer::Found => None,
            Answer::Gone(why) => Some(why.clone()),
            Answer::Uncertain(_) | Answer::NoHost(_) | Answer::Skipped => return,
        };
        self.answers.insert(url.to_owned(), (self.now, gone));
    }

    /// Writes the answers. What cannot be kept is asked for again.
    fn write(&self, host: &SiteHost) {
        let Some(storage) = host.store().storage() else {
            return;
        };
        let answers = self.answers.iter();
        let record: Map<String, Value> = answers
            .map(|(url, (at, gone))| (url.clone(), json!({ "at": at, "gone": gone })))
            .collect();
        let bytes = Value::Object(record).to_string();
        if let Err(error) = wait(storage.put(&Self::name(), bytes.as_bytes(), Expected::Any)) {
            tracing::warn!("failed to keep answers of links: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door(allowed: &[&str]) -> Door {
        let allowed = allowed.iter().map(|origin| (*origin).to_owned()).collect();
        Door::new(Network::default(), allowed, |client| client)
    }

    #[test]
    fn addresses_for_examples_and_of_this_machine_are_not_asked_for() {
        let door = door(&["http://127.0.0.1:8080"]);
        for link in [
            "https://www.rust-lang.org/learn#tools",
            "//www.rust-lang.org/learn",
            "http://127.0.0.1:8080/a",
            "https://8.8.8.8/",
        ] {
            assert!(address(&door, link).is_some(), "{link}");
        }
        for link in [
            "mailto:a@b.org",
            "http://localhost:3000",
            "https://api.localhost/a",
            "https://example.com/a",
            "https://docs.example.org",
            "https://museum.example/",
            "http://127.0.0.1:3000/a",
            "http://10.0.0.1/",
            "http://intranet/",
            "https://printer.local",
            "https://{tenant}.acme.dev/",
            "https://api.acme.dev/users/{id}",
        ] {
            assert_eq!(address(&door, link), None, "{link}");
        }
        let asked = address(&door, "https://www.rust-lang.org/learn#tools");
        assert_eq!(asked.as_deref(), Some("https://www.rust-lang.org/learn"));
    }

    #[test]
    fn only_an_answer_that_nothing_is_there_counts_against_a_link() {
        let is_gone = |status: u16| {
            let status = StatusCode::from_u16(status).unwrap();
            matches!(of_status(status), Answer::Gone(_))
        };
        assert!(is_gone(404) && is_gone(410));
        for status in [
            200, 204, 206, 304, 400, 401, 403, 405, 418, 429, 451, 500, 502, 503, 999,
        ] {
            assert!(!is_gone(status), "{status}");
        }
        assert_eq!(of_status(StatusCode::PARTIAL_CONTENT), Answer::Found);
    }

    #[test]
    fn without_a_network_no_link_is_dead() {
        let no_host = || Answer::NoHost("unknown".to_owned());
        let of = |answers: &[(&str, Answer)]| {
            let answers = answers
                .iter()
                .map(|(url, answer)| ((*url).to_owned(), answer.clone()));
            without_network(answers.collect())
        };
        let alone = of(&[("a", no_host()), ("b", Answer::Skipped)]);
        assert_eq!(alone["a"], Answer::Uncertain("unknown".to_owned()));
        let reached = of(&[("a", no_host()), ("b", Answer::Found)]);
        assert_eq!(reached["a"], no_host());
    }
}
