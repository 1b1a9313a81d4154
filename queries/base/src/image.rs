//! Pictures, as far as a page must know them before the browser has them.

use serde::{Deserialize, Serialize};

/// The size that a picture has by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSize {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Whether only the relation of the two is known, as of an SVG that fills whatever it is put into.
    pub is_ratio: bool,
}
