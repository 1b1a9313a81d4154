//! `[rates]`: how often clients may ask for what is dear.

use serde::{Deserialize, Serialize};

use super::check_ranges;

/// Requests in a minute; more are told to come again (429). Those of administrators are not counted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateSettings {
    /// Searches of one client.
    pub client_searches: u32,
    /// Searches of all clients on one site.
    pub site_searches: u32,
    /// Questions of one client to the assistant, chat completions included.
    pub client_questions: u32,
    /// Questions of all clients to the assistant of one site.
    pub site_questions: u32,
    /// Deployments that one client asks for, whether it may or not.
    pub client_deployments: u32,
    /// Deployments of one site.
    pub site_deployments: u32,
    /// Previews of commits that one client opens; those that are open already are not counted, nor are branches and tags.
    pub client_commits: u32,
    /// Previews of commits of one site that all clients open.
    pub site_commits: u32,
}

impl Default for RateSettings {
    fn default() -> Self {
        Self {
            client_searches: 600,
            site_searches: 6000,
            client_questions: 30,
            site_questions: 600,
            client_deployments: 30,
            site_deployments: 120,
            client_commits: 10,
            site_commits: 30,
        }
    }
}

impl RateSettings {
    /// Checks the values.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let number = |name, value: u32| (name, value as usize, 1..=1_000_000);
        check_ranges(&[
            number("client_searches", self.client_searches),
            number("site_searches", self.site_searches),
            number("client_questions", self.client_questions),
            number("site_questions", self.site_questions),
            number("client_deployments", self.client_deployments),
            number("site_deployments", self.site_deployments),
            number("client_commits", self.client_commits),
            number("site_commits", self.site_commits),
        ])
    }
}
