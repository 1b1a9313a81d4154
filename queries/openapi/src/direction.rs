//! Directions in which values are sent, and the properties that they have there.

use serde::{Deserialize, Serialize};

use super::schema::Schema;

/// Direction of a value; properties of the other direction are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// To the API: without read-only properties.
    Request,
    /// From the API: without write-only properties.
    Response,
    /// From the API, as a request of its own: without write-only properties.
    Event,
    /// To the API, as the response to such a request: without read-only properties.
    Reply,
    /// Neither: every property.
    Model,
}

impl Direction {
    /// Each of them.
    pub const ALL: [Self; 5] = [
        Self::Request,
        Self::Response,
        Self::Event,
        Self::Reply,
        Self::Model,
    ];

    /// Name, which is part of addresses.
    pub fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Event => "event",
            Self::Reply => "reply",
            Self::Model => "model",
        }
    }

    pub(super) fn hidden(self) -> Hidden {
        match self {
            Self::Request | Self::Reply => Hidden::ReadOnly,
            Self::Response | Self::Event => Hidden::WriteOnly,
            Self::Model => Hidden::Nothing,
        }
    }

    /// Returns true if binary content is a file to be sent.
    pub(super) fn is_request(self) -> bool {
        !matches!(self, Self::Response | Self::Reply)
    }

    /// The direction in which `hidden` is not shown.
    pub(super) fn of(hidden: Hidden, is_request: bool) -> Self {
        match (hidden, is_request) {
            (Hidden::Nothing, _) => Self::Model,
            (Hidden::ReadOnly, true) => Self::Request,
            (Hidden::ReadOnly, false) => Self::Reply,
            (Hidden::WriteOnly, true) => Self::Event,
            (Hidden::WriteOnly, false) => Self::Response,
        }
    }
}

/// Properties that a direction does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Hidden {
    /// All are there.
    Nothing,
    /// Requests have no read-only properties.
    ReadOnly,
    /// Responses have no write-only properties.
    WriteOnly,
}

impl Hidden {
    /// Returns true if the direction does not have a schema's values.
    pub(super) fn hides(self, schema: &Schema) -> bool {
        match self {
            Self::Nothing => false,
            Self::ReadOnly => schema.is_read_only && !schema.is_write_only,
            Self::WriteOnly => schema.is_write_only && !schema.is_read_only,
        }
    }
}
