//! `[sites.ID.assistant]`: what the assistant of a site offers besides its own operation.

use serde::{Deserialize, Serialize};

/// What the assistant offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssistantSettings {
    /// Whether it also answers at `/v1/chat/completions`, in the form of OpenAI.
    pub chat_completions: bool,
    /// Whether pages have a panel that asks it.
    pub panel: bool,
}

impl Default for AssistantSettings {
    fn default() -> Self {
        Self {
            chat_completions: false,
            panel: true,
        }
    }
}
