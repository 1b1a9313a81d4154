//! JSON and YAML documents of the user: values for those who read them, positions for those who complain about them.

pub mod asyncapi2;
pub mod json;
pub mod older;
pub mod overlay;
pub mod pointer;
pub mod split;
pub mod swagger;
pub mod yaml;
