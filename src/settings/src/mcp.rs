//! `[sites.ID.mcp]`: what programs may ask of a site through the Model Context Protocol, at `/mcp`.

use anyhow::bail;
use serde::{Deserialize, Serialize};

/// Whether a site is offered to programs, and what they may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpSettings {
    /// Whether there is anything at `/mcp`.
    pub enabled: bool,
    /// How many requests a client may send in an hour.
    pub requests_per_hour: u32,
    /// How many tools all clients together may call in an hour.
    pub calls_per_hour: u32,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            requests_per_hour: 5_000,
            calls_per_hour: 10_000,
        }
    }
}

impl McpSettings {
    /// Says what cannot be meant.
    pub fn check(&self) -> anyhow::Result<()> {
        let limits = [
            ("requests_per_hour", self.requests_per_hour),
            ("calls_per_hour", self.calls_per_hour),
        ];
        for (name, limit) in limits {
            if limit == 0 {
                bail!("`{name}` is 0; write `enabled = false` for no MCP server");
            }
        }
        Ok(())
    }
}
