//! `[sites.ID.mcp]`: what programs may ask of a site through the Model Context Protocol, at `/mcp`.

use anyhow::bail;
use serde::{Deserialize, Serialize};

/// Settings of the MCP server of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpSettings {
    /// Whether there is anything at `/mcp`.
    pub enabled: bool,
    /// Maximum number of requests of a client per hour.
    pub requests_per_hour: u32,
    /// Maximum number of tool calls of all clients per hour.
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
    /// Checks the values.
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
