//! JSON and YAML documents of the user: their values, and the positions of their nodes for
//! diagnostics.

pub mod asyncapi2;
pub mod json;
pub mod older;
pub mod overlay;
pub mod pointer;
pub mod split;
pub mod swagger;
pub mod yaml;
