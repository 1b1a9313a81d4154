//! Health of a server, asked as a load balancer asks: one GET, no redirect, two seconds.

use std::time::Duration;

use anyhow::{Context, ensure};
use reqwest::{Method, StatusCode, Url};

use crate::network::Door;
use crate::network::guard::Network;

/// Time for connection and reply; health checks of containers are repeated more seldom.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks `address`, with the path of the liveness check where it has none. Any host may be named: the
/// operator wrote it.
///
/// # Errors
///
/// Returns why there is no reply, or a status other than 2xx.
pub async fn check(address: &str) -> anyhow::Result<StatusCode> {
    let mut url = Url::parse(address).with_context(|| format!("read the address {address}"))?;
    if url.path() == "/" {
        url.set_path("/_quire/healthz");
    }
    let allowed = [url.origin().ascii_serialization()].into();
    let door = Door::new(Network::default(), allowed, |client| {
        client.timeout(PATIENCE)
    });
    let reply = door.request(Method::GET, url.clone())?.send().await;
    let reply = reply.map_err(reqwest::Error::without_url);
    let status = reply.with_context(|| format!("ask {url}"))?.status();
    ensure!(status.is_success(), "{url}: {status}");
    Ok(status)
}
