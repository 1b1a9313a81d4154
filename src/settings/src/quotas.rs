//! Quotas: the most that one site of many may take of its daemon and its storage.

use anyhow::bail;
use serde::{Deserialize, Serialize};

/// Most that a site may take. Nothing is limited that is not set, except previews.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuotaSettings {
    /// Number of pages, those of operations and data models among them. A deployment of more fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<usize>,
    /// Size of all files and fetched specifications together, in megabytes (1,000,000 bytes). A
    /// deployment of more fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_mb: Option<u64>,
    /// Duration of all deployments that were accepted in the last 24 hours, in seconds. Above it a
    /// further one is refused (429), a rollback is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_build_seconds: Option<u64>,
    /// Number of open previews; the least recently visited one is closed. Default: `most` of
    /// `[previews]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previews: Option<usize>,
}

impl QuotaSettings {
    /// These quotas, with those of `others` where nothing is set.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            pages: self.pages.or(others.pages),
            files_mb: self.files_mb.or(others.files_mb),
            daily_build_seconds: self.daily_build_seconds.or(others.daily_build_seconds),
            previews: self.previews.or(others.previews),
        }
    }

    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let zeros = [
            ("pages", self.pages == Some(0)),
            ("files_mb", self.files_mb == Some(0)),
            ("daily_build_seconds", self.daily_build_seconds == Some(0)),
            ("previews", self.previews == Some(0)),
        ];
        if let Some((name, _)) = zeros.into_iter().find(|(_, is_zero)| *is_zero) {
            bail!("`{name}` is 0: it can be 1 or more; leave it out for no quota");
        }
        Ok(())
    }
}
